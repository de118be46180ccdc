/* The netlist: the stage `hw`.
 *
 * A module has signals, expressions over them, registers and instances. It prints as readable
 * SystemVerilog and as CIRCT's hw, comb and seq dialects. All registers have one clock (`clk`,
 * rising edge) and a synchronous reset (`reset`, high).
 *
 * Invariants, checked by netlist_check:
 *   - every wire, output and register has exactly one definition; no combinational cycle;
 *   - widths agree as stated per kind; widths are 1 or more;
 *   - expressions are hash-consed: equal ones have one index, operands come before users. */
#ifndef TEPAL_RTL_NETLIST_H
#define TEPAL_RTL_NETLIST_H

#include "base/number.h"
#include "base/text.h"
#include "base/vector.h"

typedef int Expression; /* index into module->expressions */

typedef enum ExpressionKind {
    EXPRESSION_CONSTANT, /* value */
    EXPRESSION_SIGNAL,   /* signal */
    EXPRESSION_NOT,      /* bitwise */
    EXPRESSION_AND,
    EXPRESSION_OR,
    EXPRESSION_XOR,
    EXPRESSION_ADD,
    EXPRESSION_SUBTRACT,
    EXPRESSION_MULTIPLY, /* modulo 2^width; same widths */
    EXPRESSION_DIVIDE,
    EXPRESSION_REMAINDER,
    EXPRESSION_DIVIDE_SIGNED,
    EXPRESSION_REMAINDER_SIGNED,
    EXPRESSION_SHIFT_LEFT,
    EXPRESSION_SHIFT_RIGHT,
    EXPRESSION_SHIFT_RIGHT_SIGNED,
    EXPRESSION_EQ,
    EXPRESSION_NE,
    EXPRESSION_LT,
    EXPRESSION_LE,
    EXPRESSION_GT,
    EXPRESSION_GE,
    EXPRESSION_LT_SIGNED,
    EXPRESSION_LE_SIGNED,
    EXPRESSION_GT_SIGNED,
    EXPRESSION_GE_SIGNED,
    EXPRESSION_REDUCE_OR, /* 1 bit: any bit set */
    EXPRESSION_REDUCE_AND,
    EXPRESSION_MUX,    /* operands: 1-bit condition, then, else */
    EXPRESSION_CONCAT, /* operands[0] high, operands[1] low */
    EXPRESSION_SLICE,  /* bits low .. low+width-1 of operands[0] */
    EXPRESSION_EXTEND, /* zero-extended to width */
    EXPRESSION_EXTEND_SIGNED,
    EXPRESSION_KINDS
} ExpressionKind;

typedef struct ExpressionNode {
    ExpressionKind kind;
    int width;
    Expression operands[3];
    Bits value;       /* CONSTANT */
    int signal;       /* SIGNAL */
    int low;          /* SLICE */
    const char *name; /* for the wire that it becomes if it is shared or large; may be NULL */
} ExpressionNode;

typedef enum SignalKind {
    SIGNAL_INPUT,
    SIGNAL_OUTPUT,   /* defined by `value` */
    SIGNAL_WIRE,     /* defined by `value` */
    SIGNAL_REGISTER, /* takes `value` at the clock edge if `enable` is 1; `reset_value` on reset, if
                        has_reset */
    SIGNAL_INSTANCE  /* driven by an output of an instance */
} SignalKind;

typedef struct Signal {
    const char *name;
    const char *comment; /* after its declaration; may be NULL */
    int section;         /* the part of the module that it belongs to */
    SignalKind kind;
    int width;
    Expression value;  /* -1 where the kind has none */
    Expression enable; /* REGISTER; -1: always */
    bool has_reset;
    Bits reset_value;
} Signal;

typedef struct Connection {
    const char *port;
    bool is_output;
    int width;
    Expression value; /* input */
    int signal;       /* output: a SIGNAL_INSTANCE; -1: open */
} Connection;

typedef struct ModuleParameter {
    const char *name;
    int64_t value;
    const char *text; /* a string parameter, else NULL */
} ModuleParameter;

typedef struct Instance {
    const char *name;
    const char *module;
    int section;
    bool has_clock; /* gets .clk(clk) */
    bool has_reset;
    Vector(ModuleParameter) parameters;
    Vector(Connection) connections;
} Instance;

typedef struct Module {
    const char *name;
    const char *comment;
    Vector(Signal) signals; /* clk and reset are ports of every module and not in here */
    Vector(ExpressionNode) expressions;
    Vector(Instance) instances;
    Vector(const char *) sections; /* titles, for a person; [0] is what belongs to none */
    int section;                   /* the one that new signals and instances go to */
    NameSet *names;                /* of signals and instances */
    struct ExpressionTable *table; /* hash-consing */
} Module;

typedef struct Netlist {
    Arena *arena;
    Vector(Module *) modules; /* a module comes before its users; the last one is the top */
} Netlist;

/* --- construction --- */
Module *module_new(Netlist *netlist, const char *name);
/* Starts a section; what is added from now on belongs to it. */
void section_begin(Netlist *netlist, Module *module, const char *title);
/* `name` is made unique in the module, and an identifier. */
int signal_add(Netlist *netlist, Module *module, const char *name, SignalKind kind, int width);
int instance_add(Netlist *netlist, Module *module, const char *name, const char *of);
/* The expression of a kind over operands, simplified (constants folded, x & 1s = x, mux of equal
 * arms, ...). Pass -1 for operands that the kind has not. */
Expression expression(Netlist *netlist, Module *module, ExpressionKind kind, int width,
                      Expression a, Expression b, Expression c);
Expression expression_constant(Netlist *netlist, Module *module, int width, Bits value);
Expression expression_signal(Netlist *netlist, Module *module, int signal);
Expression expression_slice(Netlist *netlist, Module *module, Expression value, int low, int width);
Expression expression_not(Netlist *netlist, Module *module, Expression value);
Expression expression_and(Netlist *netlist, Module *module, Expression left, Expression right);
Expression expression_or(Netlist *netlist, Module *module, Expression left, Expression right);
Expression expression_mux(Netlist *netlist, Module *module, Expression condition, Expression then,
                          Expression otherwise);
bool expression_is_constant(const Module *module, Expression expression, Bits *value);
/* Proposes a name for the wire that the expression may become; the first proposal stays. */
void expression_name(Module *module, Expression expression, const char *name);
/* Operands that a kind has. */
int expression_operands(ExpressionKind kind);
/* The value of a node of at most 64 bits over values of its operands, which have these widths. */
Bits expression_value(const ExpressionNode *node, const Bits operands[3], const int widths[3]);
/* The node as it is, or the equal one that is there already; no simplification. */
Expression expression_intern(Netlist *netlist, Module *module, ExpressionNode node);

/* --- what can be done with a netlist --- */
bool netlist_check(const Netlist *netlist, Diagnostics *diagnostics, const char *pass);
/* The same for a netlist that was read: its faults are those of a file. */
bool netlist_check_text(const Netlist *netlist, Diagnostics *diagnostics);
/* Removes what no output and no instance depends on; names shared expressions. */
void netlist_simplify(Netlist *netlist);
void netlist_print_systemverilog(const Netlist *netlist, Text *text);
void netlist_print_mlir(const Netlist *netlist, Text *text); /* hw, comb, seq: a whole module */
/* The same in MLIR's generic form, without the module around it, for read_mlir.h. */
void netlist_print_generic(const Netlist *netlist, Text *text);

#endif
