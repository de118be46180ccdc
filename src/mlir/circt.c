/* Pieces of CIRCT's dialects as text. See circt.h. */
#include "mlir/circt.h"

#include <ctype.h>
#include <stdlib.h>
#include <stdarg.h>
#include <string.h>

const char *circt_dialect(MlirModule module) {
    MlirBlock body = mlirModuleGetBody(module);
    const char *found = NULL;
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        if (op_is(op, "calyx.component")) return "calyx";
        if (op_is(op, "hw.module")) found = "hw";
    }
    return found;
}

bool circt_is_generic(const char *text) {
    return strstr(text, "\"calyx.component\"") || strstr(text, "\"hw.module\"");
}

/* --- small texts --- */

static const char *skip_blanks(const char *c) {
    while (isspace((unsigned char)*c)) c++;
    return c;
}

/* Goes past `word` and blanks, or fails. */
static bool take(const char **c, const char *word) {
    *c = skip_blanks(*c);
    if (!string_starts(*c, word)) return false;
    *c += strlen(word);
    return true;
}

/* A string in quotes without escapes, or a bare word. */
static const char *take_word(Arena *arena, const char **c) {
    *c = skip_blanks(*c);
    bool quoted = **c == '"';
    const char *start = *c + quoted;
    size_t length = quoted ? strcspn(start, "\"\\")
                           : strspn(start, "abcdefghijklmnopqrstuvwxyz"
                                           "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                           "0123456789_");
    if (quoted && start[length] != '"') return NULL;
    *c = start + length + quoted;
    return arena_string_of(arena, start, length);
}

bool circt_parameter(Arena *arena, MlirAttribute attribute, CirctParameter *parameter) {
    if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAOpaque(attribute)) return false;
    const char *c = ref_copy(arena, mlirOpaqueAttrGetData(attribute));
    *parameter = (CirctParameter){0};
    if (!take(&c, "param.decl<")) return false;
    parameter->name = take_word(arena, &c);
    if (!parameter->name || !take(&c, ":")) return false;
    const char *type = take_word(arena, &c);
    if (!type || !take(&c, "=")) return false;
    c = skip_blanks(c);
    if (*c == '"') {
        parameter->text = take_word(arena, &c);
        return parameter->text != NULL;
    }
    char *end;
    parameter->value = strtoll(c, &end, 10);
    return end != c;
}

static bool take_type(Arena *arena, const char **c, int *width) {
    *width = 0;
    if (take(c, "!seq.clock")) return true;
    const char *word = take_word(arena, c);
    if (!word || word[0] != 'i' || !isdigit((unsigned char)word[1]) || strlen(word) > 8)
        return false;
    *width = (int)strtol(word + 1, NULL, 10);
    return *width > 0;
}

bool circt_ports(Arena *arena, MlirAttribute module_type, CirctPorts *ports) {
    if (mlirAttributeIsNull(module_type) || !mlirAttributeIsAType(module_type)) return false;
    MlirType type = mlirTypeAttrGetValue(module_type);
    if (!mlirTypeIsAOpaque(type)) return false;
    const char *c = ref_copy(arena, mlirOpaqueTypeGetData(type));
    if (!take(&c, "modty<")) return false;
    while (!take(&c, ">")) {
        CirctPort port = {0};
        if (ports->count && !take(&c, ",")) return false;
        port.is_output = take(&c, "output");
        if (!port.is_output && !take(&c, "input")) return false;
        port.name = take_word(arena, &c);
        if (!port.name || !take(&c, ":") || !take_type(arena, &c, &port.width)) return false;
        vector_push(arena, ports, port);
    }
    return true;
}

/* --- attributes and types --- */

const char *circt_name(Arena *arena, MlirOperation op, const char *attribute) {
    MlirAttribute value = op_attribute(op, attribute);
    char *name = NULL;
    if (mlirAttributeIsNull(value)) return NULL;
    if (mlirAttributeIsAString(value)) name = string_of_attribute(arena, value);
    if (mlirAttributeIsAFlatSymbolRef(value))
        name = ref_copy(arena, mlirFlatSymbolRefAttrGetValue(value));
    return name && strcmp(string_identifier(arena, name), name) == 0 ? name : NULL;
}

int circt_width(MlirType type) {
    return mlirTypeIsAInteger(type) ? (int)mlirIntegerTypeGetWidth(type) : 0;
}

bool circt_fault(Session *session, MlirOperation op, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    Text text = text_new(session->arena);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    return error_at(session->diagnostics, STATUS_INPUT, op_place(session->arena, op), "%s: %s",
                    op_name(session->arena, op), text_string(&text));
}
