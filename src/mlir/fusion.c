/* Passes "tepal-pin" and "tepal-unpin", around upstream's linalg-fuse-elementwise-ops.
 *
 * Upstream fuses an elementwise producer into its only consumer, whatever that costs. Where the
 * consumer runs more often than the producer (it broadcasts the result, or reads it in a
 * reduction), the producer's arithmetic would be repeated, and its operators would work beside
 * those of the consumer instead of being shared in time. Such a producer is pinned: a second use of
 * its result, which keeps upstream away, and which goes away afterwards. So is one that would make
 * a body of more than LARGEST_BODY operations: fusing further saves little then, and upstream's
 * time grows with the square. */
#include "mlir/internal.h"
#include "mlir/linalg.h"

#define PIN  "bufferization.dealloc_tensor"
#define SIZE "tepal.size" /* operations of a body with all that will be fused into it */

enum { LARGEST_BODY = 200 };

/* What costs nothing worth a memory of its own. */
static const char *const cheap[] = {
    "linalg.yield",  "linalg.index",     "arith.constant", "arith.cmpf",     "arith.cmpi",
    "arith.select",  "arith.negf",       "arith.extsi",    "arith.extui",    "arith.trunci",
    "arith.extf",    "arith.truncf",     "arith.andi",     "arith.ori",      "arith.xori",
    "arith.bitcast", "arith.index_cast", "math.absf",      "arith.maximumf", "arith.minimumf",
};

static bool is_cheap(MlirOperation op) {
    for (size_t i = 0; i < sizeof cheap / sizeof *cheap; i++)
        if (op_is(op, cheap[i])) return true;
    return false;
}

static bool body_is_cheap(MlirOperation generic) {
    for (MlirOperation op = mlirBlockGetFirstOperation(op_body(generic)); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        if (!is_cheap(op)) return false;
    return true;
}

/* The number of iterations; 0 if it is not known. Each loop's size is that of a dimension that it
 * alone indexes. */
static double iterations(MlirOperation generic) {
    MlirAttribute maps = op_attribute(generic, "indexing_maps");
    int loops = (int)mlirArrayAttrGetNumElements(op_attribute(generic, "iterator_types"));
    int64_t sizes[2 * MAX_RANK] = {0};
    if (loops > 2 * MAX_RANK) return 0;
    for (int i = 0; i < mlirArrayAttrGetNumElements(maps); i++) {
        MlirAffineMap map = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
        MlirType type = mlirValueGetType(mlirOperationGetOperand(generic, i));
        if (!mlirTypeIsAShaped(type)) continue;
        for (int k = 0; k < mlirAffineMapGetNumResults(map); k++) {
            MlirAffineExpr result = mlirAffineMapGetResult(map, k);
            if (mlirAffineExprIsADim(result))
                sizes[mlirAffineDimExprGetPosition(result)] = mlirShapedTypeGetDimSize(type, k);
        }
    }
    double product = 1;
    for (int i = 0; i < loops; i++) product *= (double)sizes[i];
    return product;
}

static MlirOperation only_user(MlirOperation op) {
    MlirOperation none = {NULL};
    if (mlirOperationGetNumResults(op) != 1) return none;
    MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, 0));
    if (mlirOpOperandIsNull(use) || !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use))) return none;
    return mlirOpOperandGetOwner(use);
}

static bool is_reshape(MlirOperation op) {
    return op_is(op, "tensor.expand_shape") || op_is(op, "tensor.collapse_shape");
}

/* The operation that upstream would fuse `producer` into: reshapes do not hinder it, and make it
 * turn a named operation into a generic one. */
static MlirOperation consumer_of(MlirOperation producer) {
    MlirOperation user = only_user(producer), none = {NULL};
    while (is_reshape(user)) user = only_user(user);
    return !mlirOperationIsNull(user) && is_linalg_op(user) ? user : none;
}

/* True if the consumer would compute an element of the producer more than once. */
static bool repeats(MlirOperation consumer, MlirOperation producer) {
    if (op_is(consumer, "linalg.generic")) return iterations(consumer) > iterations(producer);
    int output = linalg_input_count(consumer);
    MlirType of_consumer = mlirValueGetType(mlirOperationGetOperand(consumer, output)),
             of_producer = mlirValueGetType(mlirOperationGetResult(producer, 0));
    return !linalg_ignores(consumer, output) ||
           type_elements(of_consumer) > type_elements(of_producer);
}

/* Cheap together with all that would be fused into it first. */
static bool chain_is_cheap(MlirOperation generic, int depth) {
    if (depth > 32 || !body_is_cheap(generic)) return false;
    for (int i = 0; i < linalg_input_count(generic); i++) {
        MlirOperation producer = value_definition(mlirOperationGetOperand(generic, i));
        if (mlirOperationIsNull(producer) || !op_is(producer, "linalg.generic")) continue;
        if (!mlirOperationIsNull(only_user(producer)) && !chain_is_cheap(producer, depth + 1))
            return false;
    }
    return true;
}

static bool should_pin(MlirOperation producer) {
    if (!op_is(producer, "linalg.generic")) return false;
    MlirOperation consumer = consumer_of(producer);
    if (mlirOperationIsNull(consumer) || chain_is_cheap(producer, 0)) return false;
    return repeats(consumer, producer);
}

static int64_t size_of(MlirOperation generic) {
    MlirAttribute size = op_attribute(generic, SIZE);
    return mlirAttributeIsNull(size) ? 0 : mlirIntegerAttrGetValueInt(size);
}

static int64_t own_size(MlirOperation generic) {
    int64_t size = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(op_body(generic)); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        size++;
    return size;
}

static void pin(MlirOperation producer) {
    MlirValue value = mlirOperationGetResult(producer, 0);
    Builder builder = builder_after(producer);
    build_op(&builder, &(OpParts){.name = PIN, .operand_count = 1, .operands = &value});
}

/* The producer of an input, through reshapes, if upstream would fuse it. */
static MlirOperation fusable_producer(MlirOperation generic, int input) {
    MlirOperation producer = value_definition(mlirOperationGetOperand(generic, input)),
                  none = {NULL};
    while (is_reshape(producer) && !mlirOperationIsNull(only_user(producer)))
        producer = value_definition(mlirOperationGetOperand(producer, 0));
    bool single = op_is(producer, "linalg.generic") && !mlirOperationIsNull(only_user(producer));
    return single ? producer : none;
}

/* Producers come before their consumers, so their sizes are known. */
static void limit_size(Session *session, MlirOperation generic) {
    int64_t size = own_size(generic);
    for (int i = 0; i < linalg_input_count(generic); i++) {
        MlirOperation producer = fusable_producer(generic, i);
        if (mlirOperationIsNull(producer)) continue;
        if (size + size_of(producer) > LARGEST_BODY)
            pin(producer);
        else
            size += size_of(producer);
    }
    op_set(generic, SIZE, integer_attribute(session->context, "i64", size));
}

bool pass_pin(Session *session, MlirModule module, const char *options) {
    (void)options;
    MlirOperation root = mlirModuleGetOperation(module);
    OpList list = ops_collect(session->arena, root, should_pin);
    for (int i = 0; i < list.count; i++) pin(list.items[i]);
    list = ops_named(session->arena, root, "linalg.generic");
    for (int i = 0; i < list.count; i++) limit_size(session, list.items[i]);
    return true;
}

bool pass_unpin(Session *session, MlirModule module, const char *options) {
    (void)options;
    MlirOperation root = mlirModuleGetOperation(module);
    OpList list = ops_named(session->arena, root, PIN);
    for (int i = 0; i < list.count; i++) op_erase(list.items[i]);
    list = ops_named(session->arena, root, "linalg.generic");
    for (int i = 0; i < list.count; i++)
        mlirOperationRemoveAttributeByName(list.items[i], ref(SIZE));
    return true;
}
