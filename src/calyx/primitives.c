/* The table of primitives, expanded from primitives.def. */
#include "calyx/calyx.h"

#include <string.h>

/* Widths that are the value of a parameter. */
enum { P0 = -1, P1 = -2, P2 = -3 };

#define LIST(...)                                                                                  \
    { __VA_ARGS__ }
#define DATA(name, width)                                                                          \
    { name, PORT_INPUT, width, true }
#define CONTROL(name, width)                                                                       \
    { name, PORT_INPUT, width, false }
#define OUT(name, width)                                                                           \
    { name, PORT_OUTPUT, width, false }

#define PRIMITIVE(name, library, combinational, parameter_count, parameters, port_count, ports)    \
    {name, library, combinational, parameter_count, LIST parameters, port_count, LIST ports},
#define UNARY(name, library)                                                                       \
    PRIMITIVE(name, library, true, 1, ("WIDTH"), 2, (DATA("in", P0), OUT("out", P0)))
#define BINARY(name, library)                                                                      \
    PRIMITIVE(name, library, true, 1, ("WIDTH"), 3,                                                \
              (DATA("left", P0), DATA("right", P0), OUT("out", P0)))
#define COMPARE(name, library)                                                                     \
    PRIMITIVE(name, library, true, 1, ("WIDTH"), 3,                                                \
              (DATA("left", P0), DATA("right", P0), OUT("out", 1)))
#define RESIZE(name, library)                                                                      \
    PRIMITIVE(name, library, true, 2, ("IN_WIDTH", "OUT_WIDTH"), 2,                                \
              (DATA("in", P0), OUT("out", P1)))
#define UNIT(name, port_count, ports)                                                              \
    PRIMITIVE(name, "tepal", false, 3, ("WIDTH", "EXPONENT", "LATENCY"), port_count, ports)

const Primitive primitives[] = {
#include "calyx/primitives.def"
};

const int primitive_count = (int)(sizeof primitives / sizeof *primitives);

const Primitive *primitive_find(const char *name) {
    for (int i = 0; i < primitive_count; i++)
        if (!strcmp(primitives[i].name, name)) return &primitives[i];
    return NULL;
}

int64_t cell_parameter(const Cell *cell, const char *name, int64_t otherwise) {
    for (int i = 0; cell->primitive && i < cell->primitive->parameter_count; i++)
        if (!strcmp(cell->primitive->parameters[i], name)) return cell->parameters[i];
    return otherwise;
}

bool cell_is_combinational(const Cell *cell) {
    if (!cell->primitive) return false;
    return cell->primitive->combinational || cell_parameter(cell, "LATENCY", 1) == 0;
}
