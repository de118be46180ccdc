/* Which loaded values must go through a memory of one element, because a later piece needs them and
 * loading again would read something else. */
#include "loop/from_affine.h"

/* --- numbering --- */

static void number_block(Importer *importer, MlirBlock block, int *order, int *piece);

static void number_operation(Importer *importer, MlirOperation op, int *order, int *piece) {
    bool cuts = makes_pieces(importer, op);
    int index = importer->position_list.count;
    Position position = {.order = (*order)++, .piece = *piece};
    vector_push(importer->arena, &importer->position_list, position);
    table_put(importer->arena, &importer->positions, op.ptr, index);
    for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); i++) {
        *piece += cuts;
        MlirRegion region = mlirOperationGetRegion(op, i);
        for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
             block = mlirBlockGetNextInRegion(block))
            number_block(importer, block, order, piece);
    }
    *piece += cuts;
    importer->position_list.items[index].last = *order - 1;
    importer->position_list.items[index].last_piece = *piece;
    if (op_is(op, "affine.store") || op_is(op, "memref.store")) {
        int memory = memory_of(importer, mlirOperationGetOperand(op, 1));
        StoreAt store = {position.order, memory};
        vector_push(importer->arena, &importer->stores, store);
    }
}

static void number_block(Importer *importer, MlirBlock block, int *order, int *piece) {
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        number_operation(importer, op, order, piece);
}

void number_operations(Importer *importer) {
    int order = 0, piece = 0;
    number_block(importer, op_body(importer->entry), &order, &piece);
}

/* --- what happens between a load and the uses of its value --- */

static Position position_of(const Importer *importer, MlirOperation op) {
    int64_t index;
    if (!table_get(&importer->positions, op.ptr, &index)) return (Position){0, 0, 0, 0};
    return importer->position_list.items[index];
}

static bool stored_between(const Importer *importer, int memory, int first, int last) {
    /* Stores are in ascending order: find the first one that is not before. */
    int low = 0, high = importer->stores.count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (importer->stores.items[middle].order < first)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < importer->stores.count && importer->stores.items[low].order <= last; low++)
        if (importer->stores.items[low].memory == memory) return true;
    return false;
}

/* The ancestor of op (or op itself) that stands in the same block as an ancestor of other. */
static MlirOperation ancestor_beside(MlirOperation op, MlirOperation other) {
    for (; !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op))
        for (MlirOperation up = other; !mlirOperationIsNull(up);
             up = mlirOperationGetParentOperation(up))
            if (mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(up))) return op;
    return op;
}

/* True if the value of the load, needed at `user`, would have been overwritten there. */
static bool overwritten(const Importer *importer, MlirOperation load, int memory,
                        MlirOperation user) {
    Position from = position_of(importer, load), to = position_of(importer, user);
    if (from.piece == to.piece && to.piece == to.last_piece) return false;
    MlirOperation beside = ancestor_beside(load, user);
    int first =
        mlirOperationEqual(beside, load) ? from.order + 1 : position_of(importer, beside).order;
    int last = position_of(importer, ancestor_beside(user, load)).last;
    return stored_between(importer, memory, first, last);
}

typedef struct Closure {
    Importer *importer;
    ValueList values; /* all that need the load */
    Table seen;
} Closure;

static void reach(Closure *closure, MlirValue value) {
    int64_t known;
    if (table_get(&closure->seen, value.ptr, &known)) return;
    table_put(closure->importer->arena, &closure->seen, value.ptr, 1);
    vector_push(closure->importer->arena, &closure->values, value);
}

static bool is_yield(MlirOperation op) {
    return op_is(op, "affine.yield") || op_is(op, "scf.yield");
}

/* A yield of an if hands the value on to the result of the if. */
static void reach_results(Closure *closure, MlirOperation user, MlirOpOperand use) {
    MlirOperation parent = mlirOperationGetParentOperation(user);
    if (is_yield(user) && is_if(parent)) {
        reach(closure,
              mlirOperationGetResult(parent, (intptr_t)mlirOpOperandGetOperandNumber(use)));
        return;
    }
    /* What control gives is in memories of its own. */
    if (makes_pieces(closure->importer, user)) return;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(user); i++)
        reach(closure, mlirOperationGetResult(user, i));
}

bool must_spill(Importer *importer, MlirOperation load) {
    int memory = memory_of(importer, mlirOperationGetOperand(load, 0));
    if (memory < 0 || importer->program->memories.items[memory].kind == MEMORY_CONSTANT)
        return false;
    if (!stored_between(importer, memory, 0, INT32_MAX)) return false;
    Closure closure = {.importer = importer};
    reach(&closure, mlirOperationGetResult(load, 0));
    for (int i = 0; i < closure.values.count; i++) {
        MlirOpOperand use = mlirValueGetFirstUse(closure.values.items[i]);
        for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
            MlirOperation user = mlirOpOperandGetOwner(use);
            if (overwritten(importer, load, memory, user)) return true;
            reach_results(&closure, user, use);
        }
    }
    return false;
}
