/* Passes that stand in for two of CIRCT's, under their names, on the way to lower-scf-to-calyx.
 *
 * "handshake-legalize-memrefs": copies become scf loops of loads and stores, and deallocations go.
 *
 * "memory-banking": a request only. What is banked, and how, is decided where the loops are
 * unrolled, from all of their accesses; so this marks the module with the number of units that may
 * work at once, which lower-scf-to-calyx reads. */
#include "mlir/internal.h"
#include "mlir/ir.h"

#include <stdlib.h>
#include <string.h>

bool pass_legalize(Session *session, MlirModule module, const char *options) {
    OpList list = ops_named(session->arena, mlirModuleGetOperation(module), "memref.dealloc");
    for (int i = 0; i < list.count; i++) op_erase(list.items[i]);
    return pass_copies(session, module, options) &&
           session_run_elements(session, module, "lower-affine");
}

/* The largest of the factors; 0 if they are not a list of positive numbers. */
static long largest_factor(const char *list) {
    long largest = 0;
    for (;;) {
        char *end;
        long factor = strtol(list, &end, 10);
        if (end == list || factor < 1 || factor > 65536) return 0;
        if (factor > largest) largest = factor;
        if (*end != ',') return *end == '\0' || *end == ' ' ? largest : 0;
        list = end + 1;
    }
}

bool pass_banking(Session *session, MlirModule module, const char *options) {
    const char *factors = strstr(options, "factors=");
    long factor = factors ? largest_factor(factors + strlen("factors=")) : 2;
    if (factor == 0)
        return error_at(session->diagnostics, STATUS_USAGE, NULL,
                        "memory-banking: factors must be numbers, as in memory-banking{factors=2}");
    if (strstr(options, "dimensions="))
        warning_at(
            session->diagnostics, NULL,
            "memory-banking: dimensions are chosen from the accesses; the option is not used");
    op_set(mlirModuleGetOperation(module), "tepal.parallel",
           integer_attribute(session->context, "i64", factor));
    return true;
}
