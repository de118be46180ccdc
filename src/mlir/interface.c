/* The entry function's interface: inputs first, then outputs, all of them plain memories.
 *
 * Functions on tensors are made like that by bufferization (pass "tepal-out-params"). Functions on
 * memrefs are whatever their author wrote: results that are returned, arguments that are written,
 * scalars, layouts with unknown strides. Here they become
 *
 *   input memories ..., output memories ...      and no results:
 *
 *   - a result becomes an argument, into which it is copied at the end;
 *   - a written argument that is never read is an output; one that is read and written is both,
 *     an input that is copied to an output at the start;
 *   - a scalar becomes a memory of one element, a layout becomes the plain one. */
#include "mlir/internal.h"
#include "mlir/linalg.h"
#include "mlir/views.h"

/* --- the list of arguments with their attributes --- */

typedef struct Argument {
    MlirType type;
    MlirAttribute attributes; /* a dictionary */
} Argument;
typedef Vector(Argument) ArgumentList;

static MlirAttribute empty_dictionary(MlirContext context) {
    return mlirDictionaryAttrGet(context, 0, NULL);
}

static ArgumentList read_arguments(Session *session, MlirOperation function) {
    MlirAttribute all = op_attribute(function, "arg_attrs");
    MlirBlock body = op_body(function);
    ArgumentList list = {0};
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++) {
        Argument argument = {mlirValueGetType(mlirBlockGetArgument(body, i)),
                             empty_dictionary(session->context)};
        if (!mlirAttributeIsNull(all)) argument.attributes = mlirArrayAttrGetElement(all, i);
        vector_push(session->arena, &list, argument);
    }
    return list;
}

static void write_signature(Session *session, MlirOperation function, const ArgumentList *list) {
    int count = list->count;
    MlirType *types = arena_array(session->arena, (size_t)count + 1, sizeof *types);
    MlirAttribute *attributes = arena_array(session->arena, (size_t)count + 1, sizeof *attributes);
    for (int i = 0; i < count; i++) {
        types[i] = list->items[i].type;
        attributes[i] = list->items[i].attributes;
    }
    MlirType type = mlirFunctionTypeGet(session->context, count, types, 0, NULL);
    op_set(function, "function_type", mlirTypeAttrGet(type));
    op_set(function, "arg_attrs", mlirArrayAttrGet(session->context, count, attributes));
    mlirOperationRemoveAttributeByName(function, ref("res_attrs"));
}

static MlirAttribute with_attribute(Session *session, MlirAttribute dictionary, const char *name,
                                    MlirAttribute value) {
    intptr_t count = mlirDictionaryAttrGetNumElements(dictionary);
    MlirNamedAttribute *all = arena_array(session->arena, (size_t)count + 1, sizeof *all);
    intptr_t used = 0;
    for (intptr_t i = 0; i < count; i++) {
        MlirNamedAttribute one = mlirDictionaryAttrGetElement(dictionary, i);
        if (!ref_equal(mlirIdentifierStr(one.name), name)) all[used++] = one;
    }
    all[used++] = named(session->context, name, value);
    return mlirDictionaryAttrGet(session->context, used, all);
}

static MlirAttribute as_output(Session *session, MlirAttribute dictionary) {
    return with_attribute(session, dictionary, "tepal.output", mlirUnitAttrGet(session->context));
}

static bool is_output(const Argument *argument) {
    return !mlirAttributeIsNull(
        mlirDictionaryAttrGetElementByName(argument->attributes, ref("tepal.output")));
}

/* --- steps --- */

static MlirType plain_type(MlirType type) {
    if (!is_memref(type)) return memref_of(type, 0, NULL);
    int rank;
    int64_t shape[MAX_RANK];
    return static_shape(type, &rank, shape)
               ? memref_of(mlirShapedTypeGetElementType(type), rank, shape)
               : type;
}

static MlirValue build_cast(Builder *builder, MlirValue value, MlirType type) {
    return build1(builder, "memref.cast", type, value);
}

/* Scalars are loaded at the start, other layouts come from a cast. */
static void plain_arguments(Session *session, MlirOperation function, ArgumentList *list) {
    MlirBlock body = op_body(function);
    Builder builder = builder_at_start(body, mlirOperationGetLocation(function));
    for (int i = 0; i < list->count; i++) {
        MlirType type = list->items[i].type, plain = plain_type(type);
        if (mlirTypeEqual(type, plain)) continue;
        MlirValue argument = mlirBlockGetArgument(body, i);
        MlirValue stand_in = mlirBlockAddArgument(body, type, mlirOperationGetLocation(function));
        value_replace(argument, stand_in);
        mlirBlockArgumentSetType(argument, plain);
        list->items[i].type = plain;
        MlirValue value = is_memref(type)
                              ? build_cast(&builder, argument, type)
                              : build_affine_load(&builder, argument,
                                                  mlirAffineMapEmptyGet(session->context), 0, NULL);
        value_replace(stand_in, value);
        mlirBlockEraseArgument(body, (unsigned)mlirBlockGetNumArguments(body) - 1);
    }
}

/* Results become arguments at the end of the list. */
static void results_to_arguments(Session *session, MlirOperation function, ArgumentList *list) {
    MlirBlock body = op_body(function);
    MlirOperation end = mlirBlockGetTerminator(body);
    MlirAttribute all = op_attribute(function, "res_attrs");
    intptr_t count = mlirOperationGetNumOperands(end);
    if (count == 0) return;
    Builder builder = builder_before(end);
    for (intptr_t i = 0; i < count; i++) {
        MlirValue result = mlirOperationGetOperand(end, i);
        MlirType type = mlirValueGetType(result);
        Argument argument = {plain_type(type), empty_dictionary(session->context)};
        if (!mlirAttributeIsNull(all)) argument.attributes = mlirArrayAttrGetElement(all, i);
        argument.attributes = as_output(session, argument.attributes);
        MlirValue target = mlirBlockAddArgument(body, argument.type, builder.location);
        vector_push(session->arena, list, argument);
        if (is_memref(type))
            build_memory_copy(&builder, result, target);
        else
            build_affine_store(&builder, result, target, mlirAffineMapEmptyGet(session->context), 0,
                               NULL);
    }
    build_op(&builder, &(OpParts){.name = "func.return"});
    op_erase(end);
}

typedef struct Traffic {
    bool read, written;
} Traffic;

/* How a memory is used, through views too. What is not known counts as both. */
static Traffic traffic_of(Arena *arena, MlirValue memory) {
    Traffic traffic = {false, false};
    for (MlirOpOperand use = mlirValueGetFirstUse(memory); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        int operand = (int)mlirOpOperandGetOperandNumber(use);
        Traffic more = {true, true};
        if (op_is(user, "affine.load") || op_is(user, "memref.load"))
            more = (Traffic){true, false};
        else if (op_is(user, "affine.store") || op_is(user, "memref.store"))
            more = (Traffic){false, true};
        else if (op_is(user, "memref.copy"))
            more = (Traffic){operand == 0, operand == 1};
        else if (op_is(user, "memref.dim"))
            more = (Traffic){false, false};
        else if (is_view_op(user))
            more = traffic_of(arena, mlirOperationGetResult(user, 0));
        else if (is_linalg_op(user) && operand < linalg_input_count(user))
            more = (Traffic){!linalg_ignores(user, operand), false};
        else if (is_linalg_op(user))
            more = (Traffic){!linalg_ignores(user, operand), true};
        traffic.read |= more.read;
        traffic.written |= more.written;
    }
    return traffic;
}

/* An output without the value that it has at the start would be undefined where it is not written:
 * only memory that is written as a whole needs no copy of the input. */
static void split_written(Session *session, MlirOperation function, ArgumentList *list) {
    MlirBlock body = op_body(function);
    int count = list->count;
    for (int i = 0; i < count; i++) {
        MlirValue argument = mlirBlockGetArgument(body, i);
        if (is_output(&list->items[i])) continue;
        if (!traffic_of(session->arena, argument).written) continue;
        if (!reads_before_writing(session, function, argument)) {
            list->items[i].attributes = as_output(session, list->items[i].attributes);
            continue;
        }
        Argument output = list->items[i];
        output.attributes = as_output(session, output.attributes);
        MlirValue target =
            mlirBlockAddArgument(body, output.type, mlirOperationGetLocation(function));
        value_replace(argument, target);
        Builder builder = builder_at_start(body, mlirOperationGetLocation(function));
        build_memory_copy(&builder, argument, target);
        vector_push(session->arena, list, output);
    }
}

/* Outputs behind inputs: each that stands before an input moves to the end. */
static void order_arguments(Session *session, MlirOperation function, ArgumentList *list) {
    MlirBlock body = op_body(function);
    ArgumentList inputs = {0}, outputs = {0};
    int position = 0;
    for (int i = 0; i < list->count; i++) {
        Argument argument = list->items[i];
        if (!is_output(&argument)) {
            vector_push(session->arena, &inputs, argument);
            position++;
            continue;
        }
        vector_push(session->arena, &outputs, argument);
        MlirValue old = mlirBlockGetArgument(body, position);
        MlirValue new =
            mlirBlockAddArgument(body, argument.type, mlirOperationGetLocation(function));
        value_replace(old, new);
        mlirBlockEraseArgument(body, (unsigned)position);
    }
    for (int i = 0; i < outputs.count; i++) vector_push(session->arena, &inputs, outputs.items[i]);
    *list = inputs;
}

static bool is_plain_tensor_function(MlirOperation function) {
    MlirType type = mlirTypeAttrGetValue(op_attribute(function, "function_type"));
    for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); i++)
        if (!is_tensor(mlirFunctionTypeGetInput(type, i))) return false;
    for (intptr_t i = 0; i < mlirFunctionTypeGetNumResults(type); i++)
        if (!is_tensor(mlirFunctionTypeGetResult(type, i))) return false;
    return true;
}

static bool has_tensors(MlirOperation function) {
    MlirType type = mlirTypeAttrGetValue(op_attribute(function, "function_type"));
    for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); i++)
        if (is_tensor(mlirFunctionTypeGetInput(type, i))) return true;
    for (intptr_t i = 0; i < mlirFunctionTypeGetNumResults(type); i++)
        if (is_tensor(mlirFunctionTypeGetResult(type, i))) return true;
    return false;
}

/* Branches become loops and conditions, where they are those of some structured program. */
static bool lift_branches(Session *session, MlirModule module, MlirOperation function) {
    OpList branches = ops_named(session->arena, function, "cf.br");
    OpList conditions = ops_named(session->arena, function, "cf.cond_br");
    if (branches.count + conditions.count == 0) return true;
    return session_run_elements(session, module, "lift-cf-to-scf,canonicalize");
}

bool entry_interface(Session *session, MlirModule module, MlirOperation function) {
    if (!lift_branches(session, module, function)) return false;
    if (is_plain_tensor_function(function)) return true;
    MlirBlock body = op_body(function);
    if (!mlirBlockIsNull(mlirBlockGetNextInRegion(body)))
        return error_at(session->diagnostics, STATUS_INPUT, op_place(session->arena, function),
                        "the branches of this function are no structured loops and conditions");
    if (has_tensors(function))
        return error_at(session->diagnostics, STATUS_INPUT, op_place(session->arena, function),
                        "a function of tensors beside memrefs or scalars is not supported");
    if (!inline_calls(session, module, function)) return false;
    ArgumentList list = read_arguments(session, function);
    plain_arguments(session, function, &list);
    split_written(session, function, &list);
    results_to_arguments(session, function, &list);
    order_arguments(session, function, &list);
    write_signature(session, function, &list);
    return true;
}

/* Pass "tepal-protect-inputs": bufferization must not compute in the memories of inputs. */
bool pass_protect_inputs(Session *session, MlirModule module, const char *options) {
    (void)options;
    MlirAttribute no = mlirBoolAttrGet(session->context, false);
    OpList functions = ops_named(session->arena, mlirModuleGetOperation(module), "func.func");
    for (int i = 0; i < functions.count; i++) {
        MlirOperation function = functions.items[i];
        if (mlirBlockIsNull(op_body(function))) continue;
        ArgumentList list = read_arguments(session, function);
        MlirAttribute *all = arena_array(session->arena, (size_t)list.count + 1, sizeof *all);
        for (int k = 0; k < list.count; k++) {
            all[k] = list.items[k].attributes;
            if (is_tensor(list.items[k].type))
                all[k] = with_attribute(session, all[k], "bufferization.writable", no);
        }
        op_set(function, "arg_attrs", mlirArrayAttrGet(session->context, list.count, all));
    }
    return true;
}

/* Pass "tepal-out-params": the results of functions that nobody calls become arguments. */
bool pass_out_params(Session *session, MlirModule module, const char *options) {
    (void)options;
    MlirOperation root = mlirModuleGetOperation(module);
    OpList functions = ops_named(session->arena, root, "func.func");
    for (int i = 0; i < functions.count; i++) {
        MlirOperation function = functions.items[i];
        char *visibility =
            string_of_attribute(session->arena, op_attribute(function, "sym_visibility"));
        MlirBlock body = op_body(function);
        if (mlirBlockIsNull(body) || (visibility && !ref_equal(ref(visibility), "public")))
            continue;
        if (mlirOperationGetNumOperands(mlirBlockGetTerminator(body)) == 0) continue;
        ArgumentList list = read_arguments(session, function);
        results_to_arguments(session, function, &list);
        write_signature(session, function, &list);
    }
    return true;
}
