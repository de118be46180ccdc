/* Pass "tepal-switch": scf.index_switch becomes a chain of scf.if, in the order of its cases.
 *
 *     scf.index_switch %i  case 1 { A }  default { B }   =>   scf.if %i == 1 { A } else { B } */
#include "mlir/internal.h"
#include "mlir/ir.h"

enum { EQUAL = 0 }; /* arith.cmpi's number of eq */

typedef struct Switch {
    Session *session;
    MlirOperation op;
    int results;
    MlirType *types;
} Switch;

/* Moves what is in a region of the switch (0: default) to the end of a block. */
static void move_region(Switch *s, int region, MlirBlock to) {
    MlirBlock from = mlirRegionGetFirstBlock(mlirOperationGetRegion(s->op, region));
    for (MlirOperation op = mlirBlockGetFirstOperation(from), next; !mlirOperationIsNull(op);
         op = next) {
        next = mlirOperationGetNextInBlock(op);
        mlirOperationRemoveFromParent(op);
        mlirBlockAppendOwnedOperation(to, op);
    }
}

static MlirBlock block_in(MlirRegion region) {
    MlirBlock block = mlirBlockCreate(0, NULL, NULL);
    mlirRegionAppendOwnedBlock(region, block);
    return block;
}

static MlirValue *results_of(Switch *s, MlirOperation op) {
    MlirValue *values = arena_array(s->session->arena, (size_t)s->results + 1, sizeof *values);
    for (int i = 0; i < s->results; i++) values[i] = mlirOperationGetResult(op, i);
    return values;
}

/* The if of the first case at the builder; that of each later one is in the else before it. */
static MlirOperation build_case(Switch *s, Builder *builder, int number, int count) {
    MlirValue index = mlirOperationGetOperand(s->op, 0);
    int64_t value = mlirDenseI64ArrayGetElement(op_attribute(s->op, "cases"), number);
    MlirValue constant = build_integer(builder, index_type(builder->context), value);
    MlirValue condition = build_compare(builder, "arith.cmpi", EQUAL, index, constant);
    MlirRegion regions[] = {mlirRegionCreate(), mlirRegionCreate()};
    move_region(s, number + 1, block_in(regions[0]));
    MlirBlock rest = block_in(regions[1]);
    if (number + 1 == count) {
        move_region(s, 0, rest);
    } else {
        Builder inside = builder_at_end(rest, builder->location);
        MlirOperation next = build_case(s, &inside, number + 1, count);
        build_op(&inside, &(OpParts){.name = "scf.yield",
                                     .operand_count = s->results,
                                     .operands = results_of(s, next)});
    }
    return build_op(builder, &(OpParts){.name = "scf.if",
                                        .operand_count = 1,
                                        .operands = &condition,
                                        .result_count = s->results,
                                        .results = s->types,
                                        .region_count = 2,
                                        .regions = regions});
}

static bool replace_switch(Session *session, MlirOperation op) {
    enum { MOST_CASES = 1000 }; /* they are as deep in each other */
    Switch s = {.session = session, .op = op, .results = (int)mlirOperationGetNumResults(op)};
    s.types = arena_array(session->arena, (size_t)s.results + 1, sizeof *s.types);
    for (int i = 0; i < s.results; i++)
        s.types[i] = mlirValueGetType(mlirOperationGetResult(op, i));
    int count = (int)mlirOperationGetNumRegions(op) - 1;
    if (count < 1 || count > MOST_CASES)
        return error_at(session->diagnostics, STATUS_INPUT, op_place(session->arena, op),
                        "scf.index_switch with %d cases is not supported: 1 to %d are", count,
                        MOST_CASES);
    Builder builder = builder_before(op);
    MlirOperation first = build_case(&s, &builder, 0, count);
    op_replace(op, s.results, results_of(&s, first));
    return true;
}

/* Inner ones first: they are in the regions that move. */
bool pass_switch(Session *session, MlirModule module, const char *options) {
    (void)options;
    OpList list = ops_named(session->arena, mlirModuleGetOperation(module), "scf.index_switch");
    for (int i = list.count - 1; i >= 0; i--)
        if (!replace_switch(session, list.items[i])) return false;
    return true;
}
