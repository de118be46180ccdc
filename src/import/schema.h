/* Schemas of operations: the text that PyTorch's native_functions.yaml has, parsed.
 *
 *     (Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int groups=1) -> Tensor */
#ifndef TEPAL_IMPORT_SCHEMA_H
#define TEPAL_IMPORT_SCHEMA_H

#include "import/program.h"

enum { MAX_PARAMETERS = 24 };

typedef enum ParameterType {
    PARAMETER_TENSOR,
    PARAMETER_INTEGER,
    PARAMETER_FLOAT,
    PARAMETER_NUMBER, /* Scalar */
    PARAMETER_BOOL,
    PARAMETER_STRING,
    PARAMETER_DTYPE,
    PARAMETER_LAYOUT,
    PARAMETER_DEVICE,
    PARAMETER_MEMORY_FORMAT,
    PARAMETER_GRAPH
} ParameterType;

typedef struct Parameter {
    const char *name;
    ParameterType type;
    bool is_list;
    bool is_optional; /* None is allowed */
    bool has_holes;   /* Tensor?[]: None is allowed for an item */
    int length;       /* of a list such as int[2], which one number may stand for; 0: any */
    bool has_default;
    Argument fallback;
} Parameter;

typedef struct Schema {
    int count;
    Parameter parameters[MAX_PARAMETERS];
    bool is_view; /* the result may share memory with the first argument */
} Schema;

/* False if the text is none: a fault of the table of operations. */
bool schema_parse(Arena *arena, const char *text, Schema *schema);

/* Checks that an argument has the parameter's type, and converts it to its normal form: a float for
 * a float, a list for a list. On failure `*wanted` says what it must be. */
bool parameter_accept(Arena *arena, const Parameter *parameter, Argument *argument,
                      const char **wanted);

#endif
