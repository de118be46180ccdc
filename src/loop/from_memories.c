/* Memories: memrefs of arguments, allocations and globals. */
#include "loop/from_affine.h"

#include <string.h>
#include <mlir-c/BuiltinAttributes.h>

static bool refuse(Importer *importer, MlirOperation op, const char *what) {
    importer->refused = true;
    const char *place = mlirOperationIsNull(op) ? NULL : op_place(importer->arena, op);
    return error_at(importer->diagnostics, STATUS_INPUT, place, "%s", what);
}

/* A memory of the type; false with a diagnostic if there can be none. */
static bool describe(Importer *importer, MlirOperation op, MlirType type, Memory *memory) {
    size_t bytes;
    if (!is_memref(type) || !static_shape(type, &memory->rank, memory->shape))
        return refuse(importer, op, "this needs a memref of known sizes");
    if (!scalar_of_type(mlirShapedTypeGetElementType(type), &memory->type))
        return refuse(importer, op, "memrefs of this element type are not supported");
    if (!shape_elements(memory->rank, memory->shape, &memory->elements) ||
        !shape_bytes(memory->type, memory->rank, memory->shape, &bytes))
        return refuse(importer, op, "this memref is too large");
    for (int i = 0; i < memory->rank; i++) memory->partition[i] = (Partition){PARTITION_NONE, 1};
    return true;
}

static int add_memory(Importer *importer, Memory memory) {
    vector_push(importer->arena, &importer->program->memories, memory);
    return importer->program->memories.count - 1;
}

/* Short enough that the names of its ports, such as NAME_write_data, and of its banks are not cut.
 */
static const char *port_name(Importer *importer, const char *tensor) {
    enum { LONGEST = 44 };
    const char *name = string_identifier(importer->arena, tensor);
    name = string_format(importer->arena, "%.*s", LONGEST, name);
    return names_unique(importer->memory_names, name);
}

bool add_arguments(Importer *importer) {
    const Model *model = importer->model;
    MlirBlock body = op_body(importer->entry);
    int count = model->input_count + model->output_count;
    if (mlirBlockGetNumArguments(body) != count)
        return error_at(importer->diagnostics, STATUS_INTERNAL, NULL,
                        "the entry function has %d arguments, not one for each of %d tensors",
                        (int)mlirBlockGetNumArguments(body), count);
    for (int i = 0; i < count; i++) {
        bool input = i < model->input_count;
        const Tensor *tensor = input ? &model->inputs[i] : &model->outputs[i - model->input_count];
        MlirValue argument = mlirBlockGetArgument(body, i);
        Memory memory = {.kind = input ? MEMORY_INPUT : MEMORY_OUTPUT,
                         .tensor_name = tensor->name,
                         .is_state = (input ? model->input_count : count) - i <= model->state_count,
                         .is_bool = tensor->is_bool,
                         .is_unsigned = tensor->is_unsigned};
        if (!describe(importer, importer->entry, mlirValueGetType(argument), &memory)) return false;
        memory.name = port_name(importer, tensor->name);
        table_put(importer->arena, &importer->memories, argument.ptr, add_memory(importer, memory));
    }
    importer->program->input_count = model->input_count;
    importer->program->output_count = model->output_count;
    importer->program->state_count = model->state_count;
    return true;
}

int scalar_memory(Importer *importer, const char *name, Scalar type) {
    Memory memory = {.kind = MEMORY_LOCAL, .type = type, .rank = 1, .elements = 1};
    memory.shape[0] = 1;
    memory.partition[0] = (Partition){PARTITION_NONE, 1};
    memory.name = name;
    return add_memory(importer, memory);
}

/* --- contents of globals --- */

/* MLIR packs i1 eight to a byte and pads other widths to whole bytes; a splat is one element. */
static Bits dense_element(const unsigned char *raw, Scalar type, size_t index, bool splat) {
    if (splat) index = 0;
    if (type.width == 1) return (Bits)raw[index / 8] >> index % 8 & 1;
    size_t bytes = ((size_t)type.width + 7) / 8;
    Bits bits = 0;
    for (size_t i = 0; i < bytes; i++) bits |= (Bits)raw[index * bytes + i] << 8 * i;
    return bits;
}

static void *dense_data(Importer *importer, MlirAttribute attribute, const Memory *memory) {
    const unsigned char *raw = mlirDenseElementsAttrGetRawData(attribute);
    bool splat = mlirDenseElementsAttrIsSplat(attribute);
    size_t bytes = scalar_bytes(memory->type);
    if (!splat && memory->type.width == (int)(8 * bytes))
        return arena_copy(importer->arena, raw, memory->elements * bytes);
    void *data = arena_array(importer->arena, memory->elements, bytes);
    for (size_t i = 0; i < memory->elements; i++)
        bits_store(memory->type, data, i, dense_element(raw, memory->type, i, splat));
    return data;
}

static MlirOperation find_global(Importer *importer, MlirOperation get) {
    MlirOperation none = {NULL};
    MlirAttribute symbol = op_attribute(get, "name");
    if (mlirAttributeIsNull(symbol) || !mlirAttributeIsAFlatSymbolRef(symbol)) return none;
    char *name = ref_copy(importer->arena, mlirFlatSymbolRefAttrGetValue(symbol));
    MlirBlock body = mlirModuleGetBody(importer->model->module);
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        if (!op_is(op, "memref.global")) continue;
        char *other = string_of_attribute(importer->arena, op_attribute(op, "sym_name"));
        if (other && strcmp(name, other) == 0) return op;
    }
    return none;
}

/* True if something stores to the global: then it is memory, filled from its contents at the start.
 */
static bool is_written(Importer *importer, const char *name) {
    OpList gets = ops_named(importer->arena, importer->entry, "memref.get_global");
    for (int i = 0; i < gets.count; i++) {
        MlirAttribute symbol = op_attribute(gets.items[i], "name");
        if (!ref_equal(mlirFlatSymbolRefAttrGetValue(symbol), name)) continue;
        OpList users = value_users(importer->arena, mlirOperationGetResult(gets.items[i], 0));
        for (int k = 0; k < users.count; k++)
            if (op_is(users.items[k], "memref.store") || op_is(users.items[k], "affine.store"))
                return true;
    }
    return false;
}

/* At the very start: target[i] = source[i]. */
static void add_copy(Importer *importer, int source, int target) {
    Program *program = importer->program;
    const char *name =
        string_format(importer->arena, "init_%s", program->memories.items[source].name);
    vector_push(importer->arena, &program->root->children,
                copy_node(program, name, source, target));
}

static int add_global(Importer *importer, MlirOperation get) {
    int64_t known;
    MlirOperation global = find_global(importer, get);
    if (mlirOperationIsNull(global)) {
        refuse(importer, get, "there is no such memref.global");
        return -1;
    }
    if (table_get(&importer->memories, global.ptr, &known)) return (int)known;
    Memory memory = {.kind = MEMORY_CONSTANT};
    if (!describe(importer, get, mlirValueGetType(mlirOperationGetResult(get, 0)), &memory))
        return -1;
    char *symbol = string_of_attribute(importer->arena, op_attribute(global, "sym_name"));
    memory.name = symbol;
    MlirAttribute value = op_attribute(global, "initial_value");
    bool contents = !mlirAttributeIsNull(value) && mlirAttributeIsADenseElements(value);
    if (!contents && !mlirAttributeIsNull(value) && !mlirAttributeIsAUnit(value)) {
        refuse(importer, global, "the contents of this global cannot be read");
        return -1;
    }
    memory.data = contents ? dense_data(importer, value, &memory) : NULL;
    if (!contents) memory.kind = MEMORY_LOCAL;
    int index = add_memory(importer, memory);
    if (contents && memory.elements > 0 && is_written(importer, symbol)) {
        Memory copy = memory;
        copy.kind = MEMORY_LOCAL;
        copy.data = NULL;
        int image = index;
        index = add_memory(importer, copy);
        if (!importer->survey) add_copy(importer, image, index);
    }
    table_put(importer->arena, &importer->memories, global.ptr, index);
    return index;
}

static int add_allocation(Importer *importer, MlirOperation op) {
    Memory memory = {.kind = MEMORY_LOCAL};
    if (!describe(importer, op, mlirValueGetType(mlirOperationGetResult(op, 0)), &memory))
        return -1;
    char *name = location_name(importer->arena, mlirOperationGetLocation(op));
    memory.name = name;
    return add_memory(importer, memory);
}

int memory_of(Importer *importer, MlirValue memref) {
    int64_t known;
    if (table_get(&importer->memories, memref.ptr, &known)) return (int)known;
    MlirOperation op = value_definition(memref);
    int index = -1;
    if (op_is(op, "memref.alloc") || op_is(op, "memref.alloca"))
        index = add_allocation(importer, op);
    else if (op_is(op, "memref.get_global"))
        index = add_global(importer, op);
    else
        refuse(importer, op, "a memref that is neither argument, allocation nor global");
    if (index >= 0) table_put(importer->arena, &importer->memories, memref.ptr, index);
    return index;
}
