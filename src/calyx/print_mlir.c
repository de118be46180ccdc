/* Calyx programs in CIRCT's calyx dialect. */
#include "calyx/calyx.h"

void calyx_print_mlir(const CalyxProgram *program, Text *text) {
    text_printf(text, "module attributes {calyx.entrypoint = \"%s\"} {\n}\n", program->top);
}
