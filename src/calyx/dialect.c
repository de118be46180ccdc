/* Cells as operations of the calyx dialect. See dialect.h. */
#include "calyx/dialect.h"

#include <string.h>

static const char *const operations[] = {
    "std_wire", "std_not", "std_add",  "std_sub", "std_and", "std_or",  "std_xor", "std_lsh",
    "std_rsh",  "std_eq",  "std_neq",  "std_lt",  "std_le",  "std_gt",  "std_ge",  "std_slice",
    "std_pad",  "std_mux", "std_srsh", "std_slt", "std_sle", "std_sgt", "std_sge", "std_signext",
};

bool primitive_is_operation(const Primitive *primitive) {
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (!strcmp(operations[i], primitive->name)) return true;
    return false;
}

bool cell_is_register(const Cell *cell) {
    return cell->primitive && !strcmp(cell->primitive->name, "std_reg");
}

int cell_results(const Cell *cell, ResultPort ports[MOST_RESULTS]) {
    int count = 0, total = cell_port_count(cell);
    bool is_register = cell_is_register(cell);
    bool clocked = cell->primitive && !cell->primitive->combinational && !is_register;
    if (clocked) ports[count++] = (ResultPort){"clk", 1};
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < total && count < MOST_RESULTS - 4; i++) {
            PortInfo info = cell_port_info(cell, i);
            /* Modules of hardware/ keep the order of their ports; components have inputs first. */
            bool now = cell->primitive ? round == (is_register && info.direction == PORT_OUTPUT)
                                       : (info.direction == PORT_INPUT) == (round == 0);
            if (now) ports[count++] = (ResultPort){info.name, info.width};
        }
        if (round == 0 && (is_register || !cell->primitive)) {
            ports[count++] = (ResultPort){"clk", 1};
            ports[count++] = (ResultPort){"reset", 1};
        }
        if (!cell->primitive) ports[count++] = (ResultPort){round == 0 ? "go" : "done", 1};
    }
    return count;
}
