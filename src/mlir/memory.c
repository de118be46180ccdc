/* Part of "tepal-total": memory that may be read before it is written is filled with zeros.
 *
 * Most fresh memory is overwritten as a whole by its first user, and needs nothing: a fill, an
 * elementwise operation, a copy, a loop nest that stores every element. This is decided here, and
 * when in doubt zeros are written, as the hardware keeps the contents of the run before. */
#include "mlir/internal.h"
#include "mlir/linalg.h"

/* --- tensors --- */

/* The map of an operand of linalg.generic; named operations write all of their outputs. */
static bool writes_all(MlirOperation op, int operand) {
    if (!op_is(op, "linalg.generic")) return true;
    MlirAttribute maps = op_attribute(op, "indexing_maps");
    MlirAffineMap map = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, operand));
    return mlirAffineMapIsProjectedPermutation(map);
}

/* The boxes of a chain of tensor.insert_slice into fresh memory are disjoint by construction where
 * their sizes add up to the whole only if they do not overlap; so both are checked. */
typedef struct Box {
    int64_t offset[MAX_RANK], size[MAX_RANK];
} Box;

static bool read_box(MlirOperation op, int rank, Box *box) {
    MlirAttribute offsets = op_attribute(op, "static_offsets");
    MlirAttribute sizes = op_attribute(op, "static_sizes");
    MlirAttribute strides = op_attribute(op, "static_strides");
    if (mlirDenseArrayGetNumElements(offsets) != rank) return false;
    for (int i = 0; i < rank; i++) {
        box->offset[i] = mlirDenseI64ArrayGetElement(offsets, i);
        box->size[i] = mlirDenseI64ArrayGetElement(sizes, i);
        if (box->offset[i] < 0 || box->size[i] < 0) return false; /* not known */
        if (mlirDenseI64ArrayGetElement(strides, i) != 1) return false;
    }
    return true;
}

static bool overlap(const Box *a, const Box *b, int rank) {
    for (int i = 0; i < rank; i++)
        if (a->offset[i] + a->size[i] <= b->offset[i] || b->offset[i] + b->size[i] <= a->offset[i])
            return false;
    return true;
}

static bool overlaps_earlier(const Box *boxes, int count, int rank) {
    for (int i = 0; i + 1 < count; i++)
        if (overlap(&boxes[i], &boxes[count - 1], rank)) return true;
    return false;
}

/* True if this insertion and those into its result, each the only user of the one before, write
 * every element. */
static bool insertions_cover(Arena *arena, MlirOperation op) {
    int rank;
    int64_t shape[MAX_RANK], left;
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
    if (!static_shape(type, &rank, shape)) return false;
    left = type_elements(type);
    Vector(Box) boxes = {0};
    while (op_is(op, "tensor.insert_slice")) {
        Box box;
        if (!read_box(op, rank, &box)) return false;
        vector_push(arena, &boxes, box);
        if (overlaps_earlier(boxes.items, boxes.count, rank)) return false;
        int64_t elements = 1;
        for (int i = 0; i < rank; i++) elements *= box.size[i];
        left -= elements;
        if (left == 0) return true;
        MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, 0));
        if (mlirOpOperandIsNull(use) || !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
            return false;
        if (mlirOpOperandGetOperandNumber(use) != 1) return false;
        op = mlirOpOperandGetOwner(use);
    }
    return false;
}

static bool tensor_use_reads(Arena *arena, MlirOperation user, int operand) {
    if (op_is(user, "tensor.dim")) return false;
    if (op_is(user, "tensor.insert_slice") && operand == 1) return !insertions_cover(arena, user);
    if (!is_linalg_op(user)) return true;
    if (!linalg_ignores(user, operand)) return true;
    return operand >= linalg_input_count(user) && !writes_all(user, operand);
}

static void fill_tensor(Arena *arena, MlirOperation empty) {
    MlirValue value = mlirOperationGetResult(empty, 0), filled = {NULL};
    Vector(MlirOpOperand) reads = {0};
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
        if (tensor_use_reads(arena, mlirOpOperandGetOwner(use),
                             (int)mlirOpOperandGetOperandNumber(use)))
            vector_push(arena, &reads, use);
    if (reads.count == 0) return;
    /* Taken down before the fill becomes a further user. */
    OpList users = {0};
    Vector(intptr_t) positions = {0};
    for (int i = 0; i < reads.count; i++) {
        vector_push(arena, &users, mlirOpOperandGetOwner(reads.items[i]));
        vector_push(arena, &positions, mlirOpOperandGetOperandNumber(reads.items[i]));
    }
    Builder builder = builder_after(empty);
    MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(value));
    filled = build_linalg_fill(&builder, build_constant(&builder, zero_of(element)), value);
    for (int i = 0; i < users.count; i++)
        mlirOperationSetOperand(users.items[i], positions.items[i], filled);
}

/* --- memrefs --- */

/* The constant trip count of a loop from 0 by 1; -1 for any other. */
static int64_t simple_trip(MlirOperation loop) {
    int64_t low, high, step;
    if (op_is(loop, "scf.for")) {
        bool known = constant_integer(mlirOperationGetOperand(loop, 0), &low) &&
                     constant_integer(mlirOperationGetOperand(loop, 1), &high) &&
                     constant_integer(mlirOperationGetOperand(loop, 2), &step);
        return known && low == 0 && step == 1 ? high : -1;
    }
    MlirAffineMap lower = mlirAffineMapAttrGetValue(op_attribute(loop, "lowerBoundMap"));
    MlirAffineMap upper = mlirAffineMapAttrGetValue(op_attribute(loop, "upperBoundMap"));
    if (!mlirAffineMapIsSingleConstant(lower) || !mlirAffineMapIsSingleConstant(upper)) return -1;
    if (mlirIntegerAttrGetValueInt(op_attribute(loop, "step")) != 1) return -1;
    bool from_zero = mlirAffineMapGetSingleConstantResult(lower) == 0;
    return from_zero ? mlirAffineMapGetSingleConstantResult(upper) : -1;
}

static bool is_store(MlirOperation op) {
    return op_is(op, "memref.store") || op_is(op, "affine.store");
}

static bool is_load(MlirOperation op) {
    return op_is(op, "memref.load") || op_is(op, "affine.load");
}

/* The value that indexes dimension `position` of a store (`first` = 2) or load (1); null if it is
 * an expression. */
static MlirValue plain_index(MlirOperation op, int first, int position) {
    MlirValue none = {NULL};
    MlirAttribute map_attribute = op_attribute(op, "map");
    if (mlirAttributeIsNull(map_attribute)) return mlirOperationGetOperand(op, first + position);
    MlirAffineMap map = mlirAffineMapAttrGetValue(map_attribute);
    MlirAffineExpr result = mlirAffineMapGetResult(map, position);
    if (!mlirAffineExprIsADim(result)) return none;
    return mlirOperationGetOperand(op, first + mlirAffineDimExprGetPosition(result));
}

static bool index_is_zero(MlirOperation op, int first, int position) {
    MlirAttribute map_attribute = op_attribute(op, "map");
    int64_t constant;
    if (mlirAttributeIsNull(map_attribute))
        return constant_integer(mlirOperationGetOperand(op, first + position), &constant) &&
               constant == 0;
    MlirAffineExpr result =
        mlirAffineMapGetResult(mlirAffineMapAttrGetValue(map_attribute), position);
    return mlirAffineExprIsAConstant(result) && mlirAffineConstantExprGetValue(result) == 0;
}

/* True if, in one execution of `nest` (the store itself, or a loop around it), the store writes all
 * of the memory: each index is the counter of a loop of its own that runs over the whole dimension,
 * and nothing but such loops is around the store. */
static bool store_covers(MlirOperation store, MlirOperation nest, int rank, const int64_t *shape) {
    bool covered[MAX_RANK] = {false};
    for (int i = 0; i < rank; i++) covered[i] = shape[i] == 1 && index_is_zero(store, 2, i);
    MlirOperation op = store;
    while (!mlirOperationEqual(op, nest)) {
        op = mlirOperationGetParentOperation(op);
        if (!is_loop(op)) return false;
        int64_t trip = simple_trip(op);
        if (trip < 1) return false;
        MlirValue counter = mlirBlockGetArgument(op_body(op), 0);
        int used = 0;
        for (int i = 0; i < rank; i++) {
            MlirValue index = plain_index(store, 2, i);
            if (!index.ptr || !mlirValueEqual(index, counter)) continue;
            covered[i] = trip == shape[i];
            used++;
        }
        if (used > 1) return false; /* a diagonal */
    }
    for (int i = 0; i < rank; i++)
        if (!covered[i]) return false;
    return true;
}

/* True if `load` can only run after `store` wrote the same element: it comes later in the block of
 * the store, perhaps inside other operations, with equal indices. */
static bool loads_after(MlirOperation load, MlirOperation store, int rank) {
    for (int i = 0; i < rank; i++) {
        MlirValue a = plain_index(load, 1, i), b = plain_index(store, 2, i);
        bool zero = index_is_zero(load, 1, i) && index_is_zero(store, 2, i);
        if (!zero && (!a.ptr || !b.ptr || !mlirValueEqual(a, b))) return false;
    }
    for (MlirOperation op = store; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
        if (op_is_inside(load, op)) return true;
    return false;
}

/* Whether a loop nest (or a single store) writes the whole memory before it reads any of it. */
static bool nest_overwrites(Arena *arena, MlirOperation nest, MlirValue memory) {
    int rank;
    int64_t shape[MAX_RANK];
    if (!static_shape(mlirValueGetType(memory), &rank, shape)) return false;
    OpList users = value_users(arena, memory);
    MlirOperation store = {NULL};
    for (int i = 0; i < users.count; i++) {
        MlirOperation user = users.items[i];
        if (!op_is_inside(user, nest) || !is_store(user)) continue;
        bool stored = mlirValueEqual(mlirOperationGetOperand(user, 1), memory);
        if (stored && store_covers(user, nest, rank, shape)) store = user;
    }
    if (mlirOperationIsNull(store)) return false;
    for (int i = 0; i < users.count; i++) {
        MlirOperation user = users.items[i];
        if (!op_is_inside(user, nest) || is_store(user)) continue;
        if (!is_load(user) || !loads_after(user, store, rank)) return false;
    }
    return true;
}

/* Whether an operation, the first to use the memory, overwrites it. */
static bool overwrites(Arena *arena, MlirOperation op, MlirValue memory) {
    if (op_is(op, "memref.copy"))
        return mlirValueEqual(mlirOperationGetOperand(op, 1), memory) &&
               !mlirValueEqual(mlirOperationGetOperand(op, 0), memory);
    if (is_loop(op) || is_store(op)) return nest_overwrites(arena, op, memory);
    if (!is_linalg_op(op)) return false;
    bool written = false;
    for (int i = 0; i < mlirOperationGetNumOperands(op); i++) {
        if (!mlirValueEqual(mlirOperationGetOperand(op, i), memory)) continue;
        if (!linalg_ignores(op, i)) return false;
        written = written || (i >= linalg_input_count(op) && writes_all(op, i));
    }
    return written;
}

static bool uses_inside(Arena *arena, MlirOperation op, MlirValue memory) {
    OpList users = value_users(arena, memory);
    for (int i = 0; i < users.count; i++)
        if (op_is_inside(users.items[i], op)) return true;
    return false;
}

/* The first operation, from `op` on in its block, that uses the memory, overwrites it or is null.
 */
static bool written_first(Arena *arena, MlirOperation op, MlirValue memory) {
    while (!mlirOperationIsNull(op) && !uses_inside(arena, op, memory))
        op = mlirOperationGetNextInBlock(op);
    return mlirOperationIsNull(op) || overwrites(arena, op, memory);
}

bool reads_before_writing(Session *session, MlirOperation function, MlirValue memory) {
    MlirOperation first = mlirBlockGetFirstOperation(op_body(function));
    return !written_first(session->arena, first, memory);
}

static void fill_memref(Arena *arena, MlirOperation alloc) {
    MlirValue memory = mlirOperationGetResult(alloc, 0);
    int rank;
    int64_t shape[MAX_RANK];
    if (!static_shape(mlirValueGetType(memory), &rank, shape)) return;
    if (written_first(arena, mlirOperationGetNextInBlock(alloc), memory)) return;
    Builder builder = builder_after(alloc);
    MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(memory));
    MlirValue zero = build_constant(&builder, zero_of(element)), indices[MAX_RANK];
    Builder inside = build_affine_nest(&builder, rank, shape, indices);
    MlirAffineMap map = mlirAffineMapMultiDimIdentityGet(builder.context, rank);
    build_affine_store(&inside, zero, memory, map, rank, indices);
}

static bool is_alloc(MlirOperation op) {
    return op_is(op, "memref.alloc") || op_is(op, "memref.alloca");
}

bool total_memory(Session *session, MlirModule module) {
    MlirOperation root = mlirModuleGetOperation(module);
    OpList empties = ops_named(session->arena, root, "tensor.empty");
    for (int i = 0; i < empties.count; i++) fill_tensor(session->arena, empties.items[i]);
    OpList allocs = ops_collect(session->arena, root, is_alloc);
    for (int i = 0; i < allocs.count; i++) fill_memref(session->arena, allocs.items[i]);
    return true;
}
