/* Calyx IR: the stage `calyx`.
 *
 * A component has ports, cells (instances of primitives or of other components), groups of
 * assignments, assignments that always hold, and a control program that says when each group is
 * active. The words and meanings are Calyx's own (calyxir.org, "The Calyx Language Reference"); the
 * subset is what Tepal makes. It prints as a .futil file and as CIRCT's calyx dialect, and src/rtl
 * makes the netlist from it.
 *
 * Meaning, as far as src/rtl relies on it:
 *   - an assignment drives its destination in each cycle in which its group is active and its guard
 * holds; a port that nothing drives is 0 (data ports may then have any value in the netlist: see
 * `is_data`);
 *   - a static group of latency L is active for exactly L cycles; the guard %[a:b] holds in its
 *     cycles a .. b-1;
 *   - a dynamic group (latency 0) is active until its `done` assignment drives 1;
 *   - static control takes exactly the sum of its parts: no cycle between the groups of a static
 * seq, nor between the turns of a static repeat.
 *
 * Registers: Calyx's std_reg starts at 0. The netlist keeps that where it can matter to control
 * (the register is read, through logic or not, by an enable, a guard, a condition or an output); a
 * register that only carries data to data ports gets no reset, so it is to be written before it is
 * read (or starts_at_zero).
 *
 * Invariants, checked by calyx_check:
 *   - widths of source and destination agree; ports have the right direction;
 *   - at most one assignment drives a port in any cycle (proved where guards are disjoint by form:
 * different groups that are never active together, different %[..] slots, g and !g);
 *   - no combinational cycle through cells and all assignments (also of different groups: netlists
 * cannot have one);
 *   - names are unique identifiers in their component;
 *   - static control holds static groups only. */
#ifndef TEPAL_CALYX_CALYX_H
#define TEPAL_CALYX_CALYX_H

#include "base/number.h"
#include "base/text.h"
#include "base/vector.h"

/* --- primitives: one table, calyx/primitives.def --- */

typedef enum PortDirection { PORT_INPUT, PORT_OUTPUT } PortDirection;

typedef struct PrimitivePort {
    const char *name;
    PortDirection direction;
    int width;    /* bits, or -(n+1): the value of parameter n */
    bool is_data; /* @data: may have any value when nothing drives it */
} PrimitivePort;

typedef struct Primitive {
    const char *name;
    const char *library; /* "core", "binary_operators" of Calyx, or "tepal" (hardware/) */
    bool combinational;  /* outputs depend on inputs within the cycle, and there is no clock */
    int parameter_count;
    const char *parameters[6]; /* names, in order */
    int port_count;            /* without clk and reset */
    PrimitivePort ports[8];
} Primitive;

extern const Primitive primitives[];
extern const int primitive_count;
const Primitive *primitive_find(const char *name); /* NULL if there is none */

/* --- one component --- */

enum { THIS = -1, LITERAL = -2 };

/* A port: of a cell (`cell` >= 0), of the component itself (THIS), or a number (LITERAL). */
typedef struct Port {
    int cell;
    int port;   /* index into the primitive's or component's ports */
    int width;  /* bits */
    Bits value; /* LITERAL */
} Port;

typedef enum GuardKind {
    GUARD_TRUE,
    GUARD_PORT,
    GUARD_NOT, /* operands[0] */
    GUARD_AND, /* operands[0], operands[1] */
    GUARD_OR,
    GUARD_COMPARE, /* left CONDITION right, unsigned */
    GUARD_TIME     /* %[from:to] of the static group */
} GuardKind;

typedef enum GuardCondition {
    GUARD_EQ,
    GUARD_NE,
    GUARD_LT,
    GUARD_LE,
    GUARD_GT,
    GUARD_GE
} GuardCondition;

typedef struct Guard {
    GuardKind kind;
    int operands[2];
    GuardCondition condition;
    Port left, right; /* PORT: left */
    int from, to;     /* TIME */
} Guard;

typedef struct Assignment {
    Port destination;
    Port source;
    int guard; /* index into component->guards; 0 is TRUE */
} Assignment;

typedef struct Cell {
    const char *name;
    const Primitive *primitive; /* or NULL: instance of `component` */
    int component;
    const struct Component *definition; /* program->components.items[component], or NULL */
    int64_t parameters[6];
    bool external;       /* @external: a tensor that the host reads and writes */
    bool starts_at_zero; /* std_reg that only carries data (see `Registers` above): it has a reset
                            all the same */
    int memory; /* tepal_memory, tepal_rom: what it holds: index into CalyxProgram.contents, else -1
                 */
} Cell;

typedef struct Group {
    const char *name;
    const char *comment; /* what it computes, for a person; may be NULL */
    int latency;         /* static: cycles, at least 1; 0: dynamic */
    Vector(Assignment) assignments;
    Assignment done; /* dynamic: source and guard of its done */
} Group;

typedef enum ControlKind {
    CONTROL_EMPTY,
    CONTROL_ENABLE,   /* group */
    CONTROL_SEQUENCE, /* children */
    CONTROL_PARALLEL, /* children */
    CONTROL_REPEAT,   /* `times` turns of children[0] */
    CONTROL_IF,       /* condition; children[0], children[1] (may be EMPTY) */
    CONTROL_WHILE,    /* condition; children[0] */
    CONTROL_INVOKE    /* run the component instance `cell` to its end */
} ControlKind;

typedef struct Control {
    ControlKind kind;
    bool is_static; /* takes a known number of cycles: prints as `static ...` */
    int group;      /* ENABLE */
    int64_t times;  /* REPEAT */
    Port condition; /* IF, WHILE: 1 bit, stable while it is looked at (a register's output) */
    int cell;       /* INVOKE */
    Vector(struct Control *) children;
} Control;

typedef struct ComponentPort {
    const char *name;
    PortDirection direction;
    int width;
} ComponentPort;

typedef struct Component {
    const char *name;
    Vector(ComponentPort) ports; /* without go, done, clk, reset */
    Vector(Cell) cells;
    Vector(Guard) guards; /* [0] is TRUE */
    Vector(Group) groups;
    Vector(Assignment) continuous;
    Control *control;
} Component;

/* Contents or use of a memory cell. */
typedef struct MemoryContents {
    const char *tensor; /* the tensor's name, as interface.json has it */
    int bank;
    Scalar type;
    size_t elements;
    const void *data;             /* ROM: elements x scalar_bytes(type); else, or if read, NULL */
    const char *image;            /* ROM: file name of its image, "weights.hex" */
    bool starts_at_zero;          /* its one element is 0 after a reset */
    bool host_writes, host_reads; /* external: which side the host uses while the design is idle */
} MemoryContents;

typedef struct CalyxProgram {
    Arena *arena;
    const char *top; /* name of the entry component, the last one */
    Vector(Component *) components;
    Vector(MemoryContents) contents;
} CalyxProgram;

/* --- construction helpers (build.c) --- */

Component *component_new(CalyxProgram *program, const char *name);
/* Adds a port to a component and returns it as seen from inside. */
Port component_port_add(CalyxProgram *program, Component *component, const char *name,
                        PortDirection direction, int width);
/* A cell of a primitive, by its name (must exist) with its parameters in order. Returns its index.
 */
int cell_add(CalyxProgram *program, Component *component, const char *name, const char *primitive,
             int parameter_count, const int64_t *parameters);
/* An instance of component number `of`. */
int cell_add_instance(CalyxProgram *program, Component *component, const char *name, int of);
/* The port `name` of a cell; it must exist. */
Port cell_port(const Component *component, int cell, const char *name);
Port literal(int width, Bits value);
int group_add(CalyxProgram *program, Component *component, const char *name, int latency);
/* Says when a dynamic group is done. */
void group_done(Component *component, int group, Port source, int guard);
void assign(CalyxProgram *program, Component *component, int group, Port destination, Port source,
            int guard); /* group -1: continuous */
int guard_port(CalyxProgram *program, Component *component, Port port);
int guard_not(CalyxProgram *program, Component *component, int guard);
int guard_and(CalyxProgram *program, Component *component, int left, int right);
int guard_or(CalyxProgram *program, Component *component, int left, int right);
int guard_compare(CalyxProgram *program, Component *component, Port left, GuardCondition condition,
                  Port right);
int guard_time(CalyxProgram *program, Component *component, int from, int to);
Control *control_new(CalyxProgram *program, ControlKind kind, bool is_static);
Control *control_enable(CalyxProgram *program, int group, bool is_static);
void control_append(CalyxProgram *program, Control *control, Control *child);

/* --- looking at a program --- */

typedef struct PortInfo {
    const char *name;
    PortDirection direction; /* as seen by assignments: an input of a cell is a destination */
    int width;
    bool is_data;
} PortInfo;

int cell_port_count(const Cell *cell);
PortInfo cell_port_info(const Cell *cell, int port);
PortInfo port_info(const Component *component, Port port);
bool port_equal(Port a, Port b);
/* The value of the parameter `name` of a cell's primitive, or `otherwise` if it has none. */
int64_t cell_parameter(const Cell *cell, const char *name, int64_t otherwise);
/* Outputs depend on inputs within the cycle: also units with LATENCY 0. */
bool cell_is_combinational(const Cell *cell);

/* --- what can be done with a program --- */

bool calyx_check(const CalyxProgram *program, Diagnostics *diagnostics, const char *pass);
/* The same for a program that was read: its faults are those of a file. */
bool calyx_check_text(const CalyxProgram *program, Diagnostics *diagnostics);
/* Native Calyx, a whole .futil file: imports, extern primitives of hardware/, components.
 * `hardware` is the path of the hardware folder as it is to stand in the file's `extern`. */
void calyx_print_native(const CalyxProgram *program, const char *hardware, Text *text);
/* CIRCT's calyx dialect, a whole module. */
void calyx_print_mlir(const CalyxProgram *program, Text *text);
/* The same in MLIR's generic form, without the module around it, for read_mlir.h. */
void calyx_print_generic(const CalyxProgram *program, Text *text);

/* A primitive as an hw.module.extern, for one of two dialects and in one of two syntaxes. */
typedef enum ExternUse { EXTERN_OF_CALYX, EXTERN_OF_HW } ExternUse;
void primitive_print_extern(const Primitive *primitive, ExternUse use, bool generic, Text *text);
/* Cycles that static control takes. */
int64_t control_cycles(const Component *component, const Control *control);

#endif
