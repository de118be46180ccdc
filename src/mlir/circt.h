/* What CIRCT's dialects keep in forms that MLIR without them holds as text: modules in the generic
 * form, at the stages `calyx` and `hw`. */
#ifndef TEPAL_MLIR_CIRCT_H
#define TEPAL_MLIR_CIRCT_H

#include "mlir/ir.h"

/* "calyx" or "hw" if the module holds a program of that dialect, else NULL. */
const char *circt_dialect(MlirModule module);
/* True if the text uses operations of these dialects in the generic form. */
bool circt_is_generic(const char *text);

/* #hw.param.decl<"NAME": TYPE = VALUE>: a number, or a text if `text` is not NULL. False for
 * anything else. */
typedef struct CirctParameter {
    const char *name;
    int64_t value;
    const char *text;
} CirctParameter;
bool circt_parameter(Arena *arena, MlirAttribute attribute, CirctParameter *parameter);

/* A port of !hw.modty<input NAME : TYPE, ...>; width 0 for the type of a clock. */
typedef struct CirctPort {
    const char *name;
    bool is_output;
    int width;
} CirctPort;
typedef Vector(CirctPort) CirctPorts;
bool circt_ports(Arena *arena, MlirAttribute module_type, CirctPorts *ports);

/* An attribute that is there and a string that is an identifier (string_identifier), or the symbol
 * that a flat reference names; else NULL. */
const char *circt_name(Arena *arena, MlirOperation op, const char *attribute);
/* What is wrong with an operation of the text that is read: false, with a STATUS_INPUT diagnostic.
 */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bool circt_fault(Session *session, MlirOperation op, const char *format, ...);
/* The width of an integer type, 0 for any other. */
int circt_width(MlirType type);

#endif
