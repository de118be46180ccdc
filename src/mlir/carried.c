/* Pass "tepal-carried": a memory that a loop carries is copied to one that is always the same.
 *
 *     %r = scf.for ... iter_args(%m = %a) -> memref { ... yield %b }
 *
 * becomes a fresh %m with a copy of %a before the loop, and one of %b at the end of its body; the
 * same for scf.while. It is for what bufferization makes of tensors: nobody looks
 * at %a later for what is stored in %m. Canonicalization then drops what the loop does not need to
 * carry any more. */
#include "mlir/internal.h"
#include "mlir/ir.h"

/* Where the carried values of a loop are. */
typedef struct Carried {
    Session *session;
    MlirOperation loop;
    MlirBlock block;     /* that the values come into */
    intptr_t argument;   /* the first one's argument of it */
    intptr_t initial;    /* and operand of the loop */
    MlirOperation yield; /* what hands on the next ones, from operand 0 */
    intptr_t count;
    MlirValue *memories; /* null where a value is no memory */
} Carried;

static bool refuse(Session *session, MlirOperation op) {
    return error_at(session->diagnostics, STATUS_INPUT, op_place(session->arena, op),
                    "%s that carries memories whose sizes are not known is not supported",
                    op_name(session->arena, op));
}

/* The memory as a value of the type, which may say less of its layout. */
static MlirValue as_type(Builder *builder, MlirValue memory, MlirType type) {
    if (mlirTypeEqual(mlirValueGetType(memory), type)) return memory;
    return build1(builder, "memref.cast", type, memory);
}

/* A memory in place of a value, at the builder; the value's uses get it. */
static MlirValue take_place(Builder *builder, MlirValue value) {
    MlirType type = mlirValueGetType(value);
    MlirValue memory = build_memory_like(builder, type);
    if (memory.ptr) value_replace(value, as_type(builder, memory, type));
    return memory;
}

static bool take_places(Carried *carried) {
    Builder before = builder_before(carried->loop);
    carried->memories =
        arena_array(carried->session->arena, (size_t)carried->count + 1, sizeof *carried->memories);
    for (intptr_t i = 0; i < carried->count; i++) {
        MlirValue value = mlirBlockGetArgument(carried->block, carried->argument + i);
        if (!is_memref(mlirValueGetType(value))) continue;
        carried->memories[i] = take_place(&before, value);
        if (!carried->memories[i].ptr) return refuse(carried->session, carried->loop);
        build_memory_copy(&before, mlirOperationGetOperand(carried->loop, carried->initial + i),
                          carried->memories[i]);
    }
    return true;
}

static MlirValue without_casts(MlirValue value) {
    MlirOperation op = value_definition(value);
    while (!mlirOperationIsNull(op) && op_is(op, "memref.cast")) {
        value = mlirOperationGetOperand(op, 0);
        op = value_definition(value);
    }
    return value;
}

/* True if storing to the other carried memories cannot change it. */
static bool is_own_memory(MlirValue value) {
    MlirOperation op = value_definition(without_casts(value));
    return !mlirOperationIsNull(op) && op_is(op, "memref.alloc");
}

static int carried_index(const Carried *carried, MlirValue value) {
    for (intptr_t i = 0; i < carried->count; i++)
        if (carried->memories[i].ptr && mlirValueEqual(carried->memories[i], value)) return (int)i;
    return -1;
}

/* Copies at the end of the body. They may be permuted: what is not certainly a memory of its own
 * is saved before the first copy. */
static bool hand_on(Carried *carried) {
    Builder end = builder_before(carried->yield);
    MlirValue *sources =
        arena_array(carried->session->arena, (size_t)carried->count + 1, sizeof *sources);
    for (intptr_t i = 0; i < carried->count; i++) {
        if (!carried->memories[i].ptr) continue;
        MlirValue source = mlirOperationGetOperand(carried->yield, i);
        int same = carried_index(carried, without_casts(source));
        if (same == (int)i) continue;
        sources[i] = source;
        if (same < 0 && is_own_memory(source)) continue;
        sources[i] = build_memory_like(&end, mlirValueGetType(source));
        if (!sources[i].ptr) return refuse(carried->session, carried->loop);
        build_memory_copy(&end, source, sources[i]);
    }
    for (intptr_t i = 0; i < carried->count; i++)
        if (sources[i].ptr) build_memory_copy(&end, sources[i], carried->memories[i]);
    return true;
}

/* What the loop still carries never changes. */
static void drop(Carried *carried) {
    for (intptr_t i = 0; i < carried->count; i++)
        if (carried->memories[i].ptr)
            mlirOperationSetOperand(carried->yield, i,
                                    mlirOperationGetOperand(carried->loop, carried->initial + i));
}

static bool settle_for(Session *session, MlirOperation loop) {
    intptr_t count = mlirOperationGetNumResults(loop);
    MlirBlock body = op_body(loop);
    Carried carried = {.session = session,
                       .loop = loop,
                       .block = body,
                       .argument = 1,
                       .initial = mlirOperationGetNumOperands(loop) - count,
                       .yield = mlirBlockGetTerminator(body),
                       .count = count};
    if (!take_places(&carried) || !hand_on(&carried)) return false;
    Builder after = builder_after(loop);
    for (intptr_t i = 0; i < count; i++) {
        MlirValue result = mlirOperationGetResult(loop, i);
        if (carried.memories[i].ptr)
            value_replace(result, as_type(&after, carried.memories[i], mlirValueGetType(result)));
    }
    drop(&carried);
    return true;
}

/* What the condition hands on is a carried memory, or copied to a memory of its own. */
static bool settle_passed(Session *session, MlirOperation loop, const Carried *carried) {
    MlirOperation condition = mlirBlockGetTerminator(region_block(loop, 0));
    Builder before = builder_before(loop), end = builder_before(condition),
            after = builder_after(loop);
    Builder start = builder_at_start(region_block(loop, 1), mlirOperationGetLocation(loop));
    for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); i++) {
        MlirValue result = mlirOperationGetResult(loop, i);
        MlirType type = mlirValueGetType(result);
        if (!is_memref(type)) continue;
        MlirValue passed = mlirOperationGetOperand(condition, i + 1),
                  memory = without_casts(passed);
        if (carried_index(carried, memory) < 0) {
            memory = build_memory_like(&before, type);
            if (!memory.ptr) return refuse(session, loop);
            build_memory_copy(&end, passed, memory);
        }
        value_replace(result, as_type(&after, memory, type));
        value_replace(mlirBlockGetArgument(region_block(loop, 1), i),
                      as_type(&start, memory, type));
    }
    return true;
}

static bool settle_while(Session *session, MlirOperation loop) {
    Carried carried = {.session = session,
                       .loop = loop,
                       .block = region_block(loop, 0),
                       .yield = mlirBlockGetTerminator(region_block(loop, 1)),
                       .count = mlirOperationGetNumOperands(loop)};
    if (!take_places(&carried) || !settle_passed(session, loop, &carried) || !hand_on(&carried))
        return false;
    drop(&carried);
    return true;
}

static bool carries_memory(MlirOperation op) {
    if (!op_is(op, "scf.for") && !op_is(op, "scf.while")) return false;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        if (is_memref(mlirValueGetType(mlirOperationGetResult(op, i)))) return true;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (is_memref(mlirValueGetType(mlirOperationGetOperand(op, i)))) return true;
    return false;
}

bool pass_carried(Session *session, MlirModule module, const char *options) {
    (void)options;
    OpList loops = ops_collect(session->arena, mlirModuleGetOperation(module), carries_memory);
    for (int i = 0; i < loops.count; i++)
        if (!(op_is(loops.items[i], "scf.while") ? settle_while : settle_for)(session,
                                                                              loops.items[i]))
            return false;
    return true;
}
