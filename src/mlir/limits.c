/* Which inputs of a model hold indices, and how large those may be: random inputs keep to it. */
#include "mlir/ir.h"

typedef struct Search {
    Session *session;
    MlirOperation entry;
    int64_t *limits;
    int64_t limit; /* of the index that is being traced */
    ValueList seen;
} Search;

static bool first_visit(Search *search, MlirValue value) {
    for (int i = 0; i < search->seen.count; i++)
        if (mlirValueEqual(search->seen.items[i], value)) return false;
    vector_push(search->session->arena, &search->seen, value);
    return true;
}

static void trace(Search *search, MlirValue value);

static void trace_argument(Search *search, MlirValue value) {
    MlirBlock block = mlirBlockArgumentGetOwner(value);
    MlirOperation owner = mlirBlockGetParentOperation(block);
    intptr_t number = mlirBlockArgumentGetArgNumber(value);
    if (mlirOperationEqual(owner, search->entry)) {
        int64_t *limit = &search->limits[number];
        if (*limit == 0 || search->limit < *limit) *limit = search->limit;
    } else if (op_in_dialect(owner, "linalg") && number < mlirOperationGetNumOperands(owner)) {
        trace(search, mlirOperationGetOperand(owner, number));
    }
}

/* Backwards through everything that a value is computed from. */
static void trace(Search *search, MlirValue value) {
    if (!first_visit(search, value)) return;
    if (mlirValueIsABlockArgument(value)) {
        trace_argument(search, value);
        return;
    }
    MlirOperation op = value_definition(value);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        trace(search, mlirOperationGetOperand(op, i));
}

/* tensor.extract SOURCE[indices], memref.load SOURCE[indices]. */
static void visit(MlirOperation op, void *context) {
    Search *search = context;
    if (!op_is(op, "tensor.extract") && !op_is(op, "memref.load")) return;
    int rank;
    int64_t shape[MAX_RANK];
    if (!static_shape(mlirValueGetType(mlirOperationGetOperand(op, 0)), &rank, shape)) return;
    for (int i = 0; i < rank && i + 1 < mlirOperationGetNumOperands(op); i++) {
        search->limit = shape[i];
        search->seen.count = 0;
        trace(search, mlirOperationGetOperand(op, i + 1));
    }
}

const int64_t *model_index_limits(Session *session, const Model *model) {
    Search search = {.session = session, .entry = model_entry(session, model)};
    MlirType type = mlirTypeAttrGetValue(op_attribute(search.entry, "function_type"));
    intptr_t arguments = mlirFunctionTypeGetNumInputs(type);
    search.limits = arena_array(session->arena, (size_t)arguments + 1, sizeof(int64_t));
    ops_each(search.entry, visit, &search);
    return search.limits;
}
