/* torch.save files: a reader of the few pickle instructions that make a dictionary of tensors.
 *
 * A pickle is a program; this machine knows 24 of its instructions and 5 callables, all of which
 * only build data. Objects live in the arena; nothing recurses, and no instruction makes more than
 * it reads. */
#include "import/pickle.h"
#include <string.h>
#include "base/text.h"
#include "base/vector.h"
#include "import/map.h"

static const uint64_t max_pickle_bytes = UINT64_C(8) << 20;
static const uint64_t max_storage_bytes = UINT64_C(1) << 32;

typedef enum ObjectKind {
    OBJECT_NONE,
    OBJECT_BOOL,
    OBJECT_INTEGER,
    OBJECT_STRING,
    OBJECT_TUPLE,
    OBJECT_LIST,
    OBJECT_DICTIONARY, /* items: key, value, key, value ... */
    OBJECT_GLOBAL,     /* string: "torch._utils _rebuild_tensor_v2" */
    OBJECT_STORAGE,
    OBJECT_TENSOR
} ObjectKind;

typedef struct Object Object;
struct Object {
    ObjectKind kind;
    int64_t integer;
    const char *string;
    Vector(Object *) items;
    Dtype dtype; /* of a storage */
    const char *bytes;
    size_t size;
    const Stored *stored; /* of a tensor */
};

struct SavedTensors {
    Map names;
    Vector(const Stored *) tensors;
};

typedef struct Machine {
    Arena *arena;
    Diagnostics *diagnostics;
    const char *place;
    Archive *archive;
    const unsigned char *at, *end;
    Vector(Object *) stack;
    Vector(int) marks;
    Vector(Object *) memo;
    bool done;
} Machine;

static bool fail(Machine *machine, const char *what) {
    return error_at(machine->diagnostics, STATUS_INPUT, machine->place, "bad torch.save data: %s",
                    what);
}

/* --- the stack ----------------------------------------------------------------------------- */

static Object *push_new(Machine *machine, ObjectKind kind) {
    Object *object = arena_new_of(machine->arena, Object);
    object->kind = kind;
    vector_push(machine->arena, &machine->stack, object);
    return object;
}

static bool pop(Machine *machine, Object **object) {
    int floor = machine->marks.count ? machine->marks.items[machine->marks.count - 1] : 0;
    if (machine->stack.count <= floor) return fail(machine, "the stack is empty");
    *object = machine->stack.items[--machine->stack.count];
    return true;
}

static bool top(Machine *machine, Object **object) {
    if (machine->stack.count == 0) return fail(machine, "the stack is empty");
    *object = machine->stack.items[machine->stack.count - 1];
    return true;
}

/* A number of `count` bytes, the lowest first. */
static bool read_number(Machine *machine, int count, uint64_t *number) {
    if (machine->end - machine->at < count) return fail(machine, "it is cut short");
    *number = 0;
    for (int i = count - 1; i >= 0; i--) *number = *number << 8 | machine->at[i];
    machine->at += count;
    return true;
}

/* --- instructions -------------------------------------------------------------------------- */

/* Each gets the argument of its row in the table. */
typedef bool Instruction(Machine *machine, int argument);

static bool do_protocol(Machine *machine, int argument) {
    uint64_t protocol = 0;
    (void)argument;
    return read_number(machine, 1, &protocol) &&
           (protocol <= 5 || fail(machine, "unknown pickle protocol"));
}

static bool do_empty(Machine *machine, int kind) {
    push_new(machine, (ObjectKind)kind);
    return true;
}

static bool do_bool(Machine *machine, int value) {
    push_new(machine, OBJECT_BOOL)->integer = value;
    return true;
}

static bool do_mark(Machine *machine, int argument) {
    (void)argument;
    vector_push(machine->arena, &machine->marks, machine->stack.count);
    return true;
}

static bool do_put(Machine *machine, int bytes) {
    uint64_t index = 0;
    Object *object = NULL;
    if (!read_number(machine, bytes, &index) || !top(machine, &object)) return false;
    /* Python numbers its memos from 0 on: a gap is not possible. */
    if (index > (uint64_t)machine->memo.count) return fail(machine, "bad memo number");
    if (index == (uint64_t)machine->memo.count) {
        vector_push(machine->arena, &machine->memo, object);
    } else {
        machine->memo.items[index] = object;
    }
    return true;
}

static bool do_get(Machine *machine, int bytes) {
    uint64_t index = 0;
    if (!read_number(machine, bytes, &index)) return false;
    if (index >= (uint64_t)machine->memo.count) return fail(machine, "bad memo number");
    vector_push(machine->arena, &machine->stack, machine->memo.items[index]);
    return true;
}

static bool do_integer(Machine *machine, int bytes) {
    uint64_t number = 0;
    if (!read_number(machine, bytes, &number)) return false;
    /* Only the widest form has a sign. */
    push_new(machine, OBJECT_INTEGER)->integer =
        bytes == 4 ? (int64_t)(int32_t)(uint32_t)number : (int64_t)number;
    return true;
}

/* An integer of any length: up to 8 bytes here. */
static bool do_long(Machine *machine, int argument) {
    uint64_t bytes = 0, number = 0;
    (void)argument;
    if (!read_number(machine, 1, &bytes)) return false;
    if (bytes > 8) return fail(machine, "an integer is too large");
    if (bytes && !read_number(machine, (int)bytes, &number)) return false;
    push_new(machine, OBJECT_INTEGER)->integer = bytes ? bits_signed((int)bytes * 8, number) : 0;
    return true;
}

static bool do_string(Machine *machine, int argument) {
    uint64_t length = 0;
    (void)argument;
    if (!read_number(machine, 4, &length)) return false;
    if ((uint64_t)(machine->end - machine->at) < length) return fail(machine, "it is cut short");
    push_new(machine, OBJECT_STRING)->string =
        arena_string_of(machine->arena, (const char *)machine->at, (size_t)length);
    machine->at += length;
    return true;
}

/* Two lines: module and name. */
static bool do_global(Machine *machine, int argument) {
    Text text = text_new(machine->arena);
    (void)argument;
    for (int line = 0; line < 2; line++) {
        const unsigned char *end = memchr(machine->at, '\n', (size_t)(machine->end - machine->at));
        if (!end) return fail(machine, "it is cut short");
        text_printf(&text, "%s%.*s", line ? " " : "", (int)(end - machine->at),
                    (const char *)machine->at);
        machine->at = end + 1;
    }
    push_new(machine, OBJECT_GLOBAL)->string = text_string(&text);
    return true;
}

/* Moves the objects from `start` on into a new tuple. */
static void make_tuple(Machine *machine, int start) {
    Object *tuple = arena_new_of(machine->arena, Object);
    tuple->kind = OBJECT_TUPLE;
    for (int i = start; i < machine->stack.count; i++) {
        vector_push(machine->arena, &tuple->items, machine->stack.items[i]);
    }
    machine->stack.count = start;
    vector_push(machine->arena, &machine->stack, tuple);
}

static bool pop_mark(Machine *machine, int *start) {
    if (machine->marks.count == 0) return fail(machine, "a mark is missing");
    *start = machine->marks.items[--machine->marks.count];
    return *start <= machine->stack.count || fail(machine, "a mark is above the stack");
}

static bool do_tuple(Machine *machine, int count) {
    if (machine->stack.count < count) return fail(machine, "the stack is empty");
    make_tuple(machine, machine->stack.count - count);
    return true;
}

static bool do_marked_tuple(Machine *machine, int argument) {
    int start = 0;
    (void)argument;
    if (!pop_mark(machine, &start)) return false;
    make_tuple(machine, start);
    return true;
}

/* Adds the pairs from `start` on to the dictionary below them. */
static bool set_items(Machine *machine, int start) {
    int count = machine->stack.count - start;
    if (start < 1 || count % 2 != 0) return fail(machine, "a dictionary is damaged");
    Object *dictionary = machine->stack.items[start - 1];
    if (dictionary->kind != OBJECT_DICTIONARY) return fail(machine, "a dictionary is missing");
    for (int i = start; i < machine->stack.count; i++) {
        vector_push(machine->arena, &dictionary->items, machine->stack.items[i]);
    }
    machine->stack.count = start;
    return true;
}

static bool do_set_item(Machine *machine, int argument) {
    (void)argument;
    return set_items(machine, machine->stack.count - 2);
}

static bool do_set_items(Machine *machine, int argument) {
    int start = 0;
    (void)argument;
    return pop_mark(machine, &start) && set_items(machine, start);
}

static bool do_stop(Machine *machine, int argument) {
    (void)argument;
    machine->done = true;
    return true;
}

/* --- storages and tensors ------------------------------------------------------------------ */

static const struct {
    const char *name;
    Dtype dtype;
} storages[] = {
    {"torch ByteStorage", DTYPE_UINT8},    {"torch CharStorage", DTYPE_INT8},
    {"torch ShortStorage", DTYPE_INT16},   {"torch IntStorage", DTYPE_INT32},
    {"torch LongStorage", DTYPE_INT64},    {"torch HalfStorage", DTYPE_FLOAT16},
    {"torch FloatStorage", DTYPE_FLOAT32}, {"torch DoubleStorage", DTYPE_FLOAT64},
    {"torch BoolStorage", DTYPE_BOOL},     {"torch BFloat16Storage", DTYPE_BFLOAT16},
};

static bool is_number_key(const char *key) {
    return key[0] && key[strspn(key, "0123456789")] == '\0' && strlen(key) < 12;
}

/* The persistent id ("storage", torch.FloatStorage, "0", "cpu", count) as the bytes of data/0. */
static bool do_persistent(Machine *machine, int argument) {
    static const ObjectKind kinds[] = {OBJECT_STRING, OBJECT_GLOBAL, OBJECT_STRING};
    Object *id = NULL;
    (void)argument;
    if (!pop(machine, &id)) return false;
    bool fits = id->kind == OBJECT_TUPLE && id->items.count == 5;
    for (int i = 0; fits && i < 3; i++) fits = id->items.items[i]->kind == kinds[i];
    if (!fits || !is_number_key(id->items.items[2]->string)) {
        return fail(machine, "bad reference to a storage");
    }
    const char *type = id->items.items[1]->string;
    size_t row = 0, count = sizeof storages / sizeof *storages;
    while (row < count && strcmp(storages[row].name, type) != 0) row++;
    if (row == count) {
        return fail(machine, string_format(machine->arena, "unsupported storage %s",
                                           string_printable(machine->arena, type, 80)));
    }
    Object *storage = push_new(machine, OBJECT_STORAGE);
    storage->dtype = storages[row].dtype;
    const char *entry = string_format(machine->arena, "data/%s", id->items.items[2]->string);
    return archive_read(machine->archive, entry, max_storage_bytes, &storage->bytes,
                        &storage->size);
}

static bool read_integers(Machine *machine, const Object *tuple, int64_t *numbers) {
    if (tuple->kind != OBJECT_TUPLE || tuple->items.count > MAX_RANK) {
        return fail(machine, "bad size of a tensor");
    }
    for (int i = 0; i < tuple->items.count; i++) {
        if (tuple->items.items[i]->kind != OBJECT_INTEGER)
            return fail(machine, "bad size of a tensor");
        numbers[i] = tuple->items.items[i]->integer;
    }
    return true;
}

/* (storage, offset, size, stride, requires_grad, hooks) */
static bool rebuild_tensor(Machine *machine, const Object *arguments) {
    Object *const *items = arguments->items.items;
    if (arguments->items.count < 4 || items[0]->kind != OBJECT_STORAGE ||
        items[1]->kind != OBJECT_INTEGER) {
        return fail(machine, "bad tensor");
    }
    Stored *stored = arena_new_of(machine->arena, Stored);
    stored->type.dtype = items[0]->dtype;
    stored->bytes = (const unsigned char *)items[0]->bytes;
    stored->offset = items[1]->integer;
    if (!read_integers(machine, items[2], stored->type.shape) ||
        !read_integers(machine, items[3], stored->strides)) {
        return false;
    }
    size_t bytes;
    stored->type.rank = items[2]->items.count;
    if (items[3]->items.count != stored->type.rank ||
        !shape_bytes(dtype_info(stored->type.dtype)->scalar, stored->type.rank, stored->type.shape,
                     &bytes) ||
        bytes > max_storage_bytes) {
        return fail(machine, "bad size of a tensor");
    }
    push_new(machine, OBJECT_TENSOR)->stored = stored;
    return stored_check(machine->diagnostics, machine->place, "a tensor", stored, items[0]->size);
}

/* A parameter is its tensor. */
static bool rebuild_parameter(Machine *machine, const Object *arguments) {
    if (arguments->items.count < 1 || arguments->items.items[0]->kind != OBJECT_TENSOR) {
        return fail(machine, "bad parameter");
    }
    vector_push(machine->arena, &machine->stack, arguments->items.items[0]);
    return true;
}

static bool call_global(Machine *machine, const Object *callable, const Object *arguments);

/* A tensor of a subclass, such as torch.nn.Buffer: (function, type, its arguments, state). */
static bool rebuild_from_type(Machine *machine, const Object *arguments) {
    Object *const *items = arguments->items.items;
    if (arguments->items.count < 3 || items[0]->kind != OBJECT_GLOBAL ||
        items[2]->kind != OBJECT_TUPLE || !string_starts(items[0]->string, "torch._utils ")) {
        return fail(machine, "bad tensor");
    }
    return call_global(machine, items[0], items[2]);
}

static bool make_dictionary(Machine *machine, const Object *arguments) {
    if (arguments->items.count != 0) return fail(machine, "bad dictionary");
    push_new(machine, OBJECT_DICTIONARY);
    return true;
}

static const struct {
    const char *name;
    bool (*call)(Machine *machine, const Object *arguments);
} callables[] = {
    {"collections OrderedDict", make_dictionary},
    {"torch._utils _rebuild_tensor_v2", rebuild_tensor},
    {"torch._utils _rebuild_parameter", rebuild_parameter},
    {"torch._utils _rebuild_parameter_with_state", rebuild_parameter},
    {"torch._tensor _rebuild_from_type_v2", rebuild_from_type},
};

static bool call_global(Machine *machine, const Object *callable, const Object *arguments) {
    for (size_t i = 0; i < sizeof callables / sizeof *callables; i++) {
        if (strcmp(callables[i].name, callable->string) == 0) {
            return callables[i].call(machine, arguments);
        }
    }
    return fail(machine, string_format(machine->arena, "it calls %s, which is refused",
                                       string_printable(machine->arena, callable->string, 80)));
}

static bool do_reduce(Machine *machine, int argument) {
    Object *arguments = NULL, *callable = NULL;
    (void)argument;
    if (!pop(machine, &arguments) || !pop(machine, &callable)) return false;
    if (arguments->kind != OBJECT_TUPLE || callable->kind != OBJECT_GLOBAL) {
        return fail(machine, "bad call");
    }
    return call_global(machine, callable, arguments);
}

static const struct {
    unsigned char code;
    Instruction *run;
    int argument;
} instructions[] = {
    {0x80, do_protocol, 0},
    {'}', do_empty, OBJECT_DICTIONARY},
    {']', do_empty, OBJECT_LIST},
    {')', do_empty, OBJECT_TUPLE},
    {'N', do_empty, OBJECT_NONE},
    {0x88, do_bool, 1},
    {0x89, do_bool, 0},
    {'(', do_mark, 0},
    {'q', do_put, 1},
    {'r', do_put, 4},
    {'h', do_get, 1},
    {'j', do_get, 4},
    {'K', do_integer, 1},
    {'M', do_integer, 2},
    {'J', do_integer, 4},
    {0x8a, do_long, 0},
    {'X', do_string, 0},
    {'c', do_global, 0},
    {'t', do_marked_tuple, 0},
    {0x85, do_tuple, 1},
    {0x86, do_tuple, 2},
    {0x87, do_tuple, 3},
    {'Q', do_persistent, 0},
    {'R', do_reduce, 0},
    {'s', do_set_item, 0},
    {'u', do_set_items, 0},
    {'.', do_stop, 0},
};

static bool step(Machine *machine) {
    uint64_t code = 0;
    if (!read_number(machine, 1, &code)) return false;
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++) {
        if (instructions[i].code == code)
            return instructions[i].run(machine, instructions[i].argument);
    }
    return fail(machine, string_format(machine->arena, "pickle instruction 0x%02x is refused",
                                       (unsigned)code));
}

/* --- the whole ----------------------------------------------------------------------------- */

static bool collect(Machine *machine, SavedTensors *saved) {
    Object *result = NULL;
    if (!pop(machine, &result)) return false;
    if (result->kind != OBJECT_DICTIONARY) return fail(machine, "it is no dictionary of tensors");
    for (int i = 0; i + 1 < result->items.count; i += 2) {
        const Object *name = result->items.items[i], *value = result->items.items[i + 1];
        if (name->kind != OBJECT_STRING) return fail(machine, "a name is no string");
        /* What is no tensor is an error only if the program wants it. */
        if (value->kind != OBJECT_TENSOR) continue;
        if (!map_add(&saved->names, name->string, saved->tensors.count)) {
            return fail(machine, "a name is there twice");
        }
        vector_push(machine->arena, &saved->tensors, value->stored);
    }
    return true;
}

SavedTensors *saved_tensors_read(Arena *arena, Diagnostics *diagnostics, const char *place,
                                 const char *bytes, size_t length) {
    const char *program, *order;
    size_t size;
    Machine machine = {.arena = arena, .diagnostics = diagnostics, .place = place};
    SavedTensors *saved = arena_new_of(arena, SavedTensors);
    saved->names = map_new(arena);
    machine.archive = archive_open(arena, diagnostics, place, bytes, length);
    if (!machine.archive) return NULL;
    bool good = archive_read(machine.archive, "data.pkl", max_pickle_bytes, &program, &size);
    if (good && archive_has(machine.archive, "byteorder")) {
        size_t ignored;
        good = archive_read(machine.archive, "byteorder", 64, &order, &ignored) &&
               (strncmp(order, "little", 6) == 0 ||
                fail(&machine, "weights in big-endian order are not supported"));
    }
    machine.at = (const unsigned char *)program;
    machine.end = machine.at + (good ? size : 0);
    while (good && !machine.done) good = step(&machine);
    good = good && collect(&machine, saved);
    archive_close(machine.archive);
    return good ? saved : NULL;
}

const Stored *saved_tensors_find(const SavedTensors *saved, const char *name) {
    int index = map_find(&saved->names, name);
    return index < 0 ? NULL : saved->tensors.items[index];
}
