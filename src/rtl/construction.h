/* State shared by the files that make a netlist from Calyx: construct.c (modules and cells),
 * drive.c (assignments), control.c and machine.c (control as state machines), host.c (ports of
 * tensors). Private to src/rtl. */
#ifndef TEPAL_RTL_CONSTRUCTION_H
#define TEPAL_RTL_CONSTRUCTION_H

#include "calyx/calyx.h"
#include "rtl/netlist.h"

/* An assignment that drives a port, and its group (-1: continuous). */
typedef struct Driver {
    const Assignment *assignment;
    int group;
} Driver;

/* What a port of a cell is in the netlist. Ports are numbered through all cells, then the
 * component's own. */
typedef struct PortState {
    int first_driver, driver_count; /* in Construction.drivers; inputs only */
    Expression value;               /* -1 until it was asked for */
    bool in_progress;               /* its value is being made: asked for again, it is a cycle */
} PortState;

/* One place in the control program where a group is enabled. */
typedef struct GroupUse {
    Expression state; /* 1 while control is there: a register */
    Expression phase; /* cycle within the group; -1 if it takes one cycle */
} GroupUse;

typedef struct GroupState {
    Vector(GroupUse) uses;
    Expression active; /* -1 until it was asked for */
} GroupState;

/* What a cell became. */
typedef struct CellState {
    int first_port;
    int signal;    /* register, else -1 */
    int done;      /* register that follows its write_en, if something reads `done`; else -1 */
    int instance;  /* instance, else -1 */
    Expression go; /* component instance: 1 while it is invoked; -1: never */
} CellState;

typedef struct Construction {
    const CalyxProgram *program;
    const Component *component;
    Netlist *netlist;
    Module *module;
    Diagnostics *diagnostics;
    CellState *cells;
    PortState *ports;
    Driver *drivers;
    GroupState *groups;
    Expression *guards; /* those without timing, or -1 */
    bool *guard_timed;
    struct HostState *host; /* top component only */
    int busy;               /* signal: 1 while the component runs */
    bool failed;
} Construction;

/* --- drive.c --- */
/* Finds the drivers of all ports. */
void drivers_collect(Construction *c);
/* The value that assignments give to an input port of a cell, or (cell THIS) to an output of the
 * component. */
Expression input_value(Construction *c, int cell, int port);
/* 1 when a group's assignments hold. */
Expression group_active(Construction *c, int group);
/* 1 when a dynamic group says that it is done. */
Expression group_done_value(Construction *c, int group);
/* The condition of a guard; `phase` is the cycle within the group, -1 if there is one only. */
Expression guard_value(Construction *c, int guard, Expression phase);

/* --- construct.c --- */
/* The value of any port that can be read. */
Expression port_value(Construction *c, Port port);
/* `done` of an instance of a component. */
Expression instance_done(Construction *c, int cell);
/* The value of a port in the next cycle, where that can be known: of a register, what it is about
 * to take. */
Expression next_value(Construction *c, Port port);

/* --- control.c: makes state registers, then what they do --- */
void control_construct(Construction *c);

/* --- host.c --- */
/* Ports of the top module for the tensors, and the connections of their memories. */
void host_ports_construct(Construction *c);
/* The value of an input of a memory, with the host's part in it. */
Expression memory_input(Construction *c, int cell, int port);
/* What the host reads. */
void host_outputs_define(Construction *c);

/* --- shorthands --- */
Expression constant_of(Construction *c, int width, Bits value);
Expression signal_of(Construction *c, int signal);
Expression not_of(Construction *c, Expression value);
Expression and_of(Construction *c, Expression left, Expression right);
Expression or_of(Construction *c, Expression left, Expression right);
Expression mux_of(Construction *c, Expression condition, Expression then, Expression otherwise);
Expression compare_of(Construction *c, ExpressionKind kind, Expression left, Bits right);
int width_of(const Construction *c, Expression value);
bool is_value(const Construction *c, Expression value, Bits number);
/* A port that each module has: its name is reserved, so nothing else has it. */
int control_signal(Construction *c, const char *name, SignalKind kind);

#endif
