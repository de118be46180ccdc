/* linalg.softmax, taken apart: largest element, exponentials of the differences, their sum,
 * quotients.
 *
 * Part of "tepal-generalize". Along the dimension the sum runs in the order of the indices. On
 * memrefs the intermediate results get memories of their own. */
#include <math.h>
#include "mlir/internal.h"
#include "mlir/linalg.h"

typedef struct Softmax {
    Builder builder;
    int rank, dimension;
    bool on_tensors;
    MlirType element;
    MlirType whole, reduced; /* types of the source and of what is left without the dimension */
    MlirAffineMap identity, rest; /* all loops; all but the dimension */
    bool reductions[MAX_RANK];
} Softmax;

/* Allo writes dimension(0) for every softmax and means the last one; its own back end reads it so.
 * It gives its operations names, by which it is known. */
static int dimension_of(Session *session, MlirOperation op, int rank) {
    int dimension = (int)mlirIntegerAttrGetValueInt(op_attribute(op, "dimension"));
    const char *name = string_of_attribute(session->arena, op_attribute(op, "op_name"));
    if (dimension != 0 || rank < 2 || !name || !string_starts(name, "softmax_")) return dimension;
    warning_at(
        session->diagnostics, op_place(session->arena, op),
        "Allo's linalg.softmax with dimension(0): it means dimension(%d), and so it is built",
        rank - 1);
    return rank - 1;
}

static bool read_softmax(Session *session, MlirOperation op, Softmax *softmax) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0));
    int64_t shape[MAX_RANK], kept[MAX_RANK];
    MlirAffineExpr dims[MAX_RANK];
    int used = 0;
    *softmax = (Softmax){.builder = builder_before(op),
                         .on_tensors = is_tensor(type),
                         .element = mlirShapedTypeGetElementType(type),
                         .whole = type};
    if (!static_shape(type, &softmax->rank, shape))
        return error_at(session->diagnostics, STATUS_INPUT, op_place(session->arena, op),
                        "linalg.softmax with sizes that are not known is not supported");
    softmax->dimension = dimension_of(session, op, softmax->rank);
    for (int i = 0; i < softmax->rank; i++) {
        softmax->reductions[i] = i == softmax->dimension;
        if (i == softmax->dimension) continue;
        kept[used] = shape[i];
        dims[used++] = mlirAffineDimExprGet(session->context, i);
    }
    softmax->reduced = softmax->on_tensors ? tensor_of(softmax->element, used, kept)
                                           : memref_of(softmax->element, used, kept);
    softmax->identity = mlirAffineMapMultiDimIdentityGet(session->context, softmax->rank);
    softmax->rest = mlirAffineMapGet(session->context, softmax->rank, 0, used, dims);
    return true;
}

static MlirValue fresh(Softmax *s, MlirType type) {
    return s->on_tensors ? build_tensor_empty(&s->builder, type) : build_alloc(&s->builder, type);
}

/* Reduces the source along the dimension by `name`, from `start`. */
static MlirValue reduce(Softmax *s, MlirValue source, const char *name, double start) {
    MlirValue initial = build_float(&s->builder, s->element, start), target = fresh(s, s->reduced);
    MlirValue filled = build_linalg_fill(&s->builder, initial, target);
    if (s->on_tensors) target = filled;
    MlirBlock body;
    MlirOperation op = build_generic(&s->builder,
                                     &(GenericParts){1, 1, (MlirValue[]){source, target},
                                                     (MlirAffineMap[]){s->identity, s->rest},
                                                     s->rank, s->reductions},
                                     &body);
    Builder inside = builder_at_end(body, s->builder.location);
    MlirValue result = build2(&inside, name, s->element, mlirBlockGetArgument(body, 1),
                              mlirBlockGetArgument(body, 0));
    build_linalg_yield(body, s->builder.location, 1, &result);
    return s->on_tensors ? mlirOperationGetResult(op, 0) : target;
}

/* source `name` reduced, elementwise; then `then`, if it is not NULL. */
static MlirValue combine(Softmax *s, MlirValue source, MlirValue reduced, MlirValue target,
                         const char *name, const char *then) {
    MlirBlock body;
    MlirOperation op = build_generic(
        &s->builder,
        &(GenericParts){2, 1, (MlirValue[]){source, reduced, target},
                        (MlirAffineMap[]){s->identity, s->rest, s->identity}, s->rank, NULL},
        &body);
    Builder inside = builder_at_end(body, s->builder.location);
    MlirValue result = build2(&inside, name, s->element, mlirBlockGetArgument(body, 0),
                              mlirBlockGetArgument(body, 1));
    if (then) result = build1(&inside, then, s->element, result);
    build_linalg_yield(body, s->builder.location, 1, &result);
    return s->on_tensors ? mlirOperationGetResult(op, 0) : target;
}

bool expand_softmax(Session *session, MlirOperation op) {
    Softmax s;
    if (!read_softmax(session, op, &s)) return false;
    MlirValue source = mlirOperationGetOperand(op, 0), target = mlirOperationGetOperand(op, 1);
    MlirValue largest = reduce(&s, source, "arith.maximumf", -INFINITY);
    MlirValue powers = combine(&s, source, largest, fresh(&s, s.whole), "arith.subf", "math.exp");
    MlirValue sum = reduce(&s, powers, "arith.addf", 0);
    MlirValue result = combine(&s, powers, sum, target, "arith.divf", NULL);
    op_replace(op, s.on_tensors ? 1 : 0, &result);
    return true;
}
