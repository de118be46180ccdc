/* Reading MLIR: names, attributes, places, walking, types. See ir.h; build.c has the writing half.
 */
#include "mlir/ir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <mlir-c/Support.h>

enum { WIDE_TEXT = 64 };

/* --- names and attributes --- */

MlirStringRef ref(const char *text) {
    return mlirStringRefCreateFromCString(text);
}

bool ref_equal(MlirStringRef text, const char *expected) {
    return text.length == strlen(expected) && memcmp(text.data, expected, text.length) == 0;
}

char *ref_copy(Arena *arena, MlirStringRef text) {
    return arena_string_of(arena, text.data, text.length);
}

static MlirStringRef name_of(MlirOperation op) {
    return mlirIdentifierStr(mlirOperationGetName(op));
}

bool op_is(MlirOperation op, const char *name) {
    return !mlirOperationIsNull(op) && ref_equal(name_of(op), name);
}

bool op_in_dialect(MlirOperation op, const char *dialect) {
    MlirStringRef name = name_of(op);
    size_t length = strlen(dialect);
    return name.length > length && memcmp(name.data, dialect, length) == 0 &&
           name.data[length] == '.';
}

char *op_name(Arena *arena, MlirOperation op) {
    return ref_copy(arena, name_of(op));
}

MlirAttribute op_attribute(MlirOperation op, const char *name) {
    return mlirOperationGetAttributeByName(op, ref(name));
}

bool op_has(MlirOperation op, const char *name) {
    return !mlirAttributeIsNull(op_attribute(op, name));
}

void op_set(MlirOperation op, const char *name, MlirAttribute attribute) {
    mlirOperationSetAttributeByName(op, ref(name), attribute);
}

MlirAttribute string_attribute(MlirContext context, const char *text) {
    return mlirStringAttrGet(context, ref(text));
}

char *string_of_attribute(Arena *arena, MlirAttribute attribute) {
    if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAString(attribute)) return NULL;
    return ref_copy(arena, mlirStringAttrGetValue(attribute));
}

MlirAttribute integer_attribute(MlirContext context, const char *type, int64_t value) {
    return mlirIntegerAttrGet(mlirTypeParseGet(context, ref(type)), value);
}

/* Splits "(a, (b), c)" at its top-level commas and hands each part on. */
static void each_constraint(char *list, void (*part)(const char *text, void *context),
                            void *context) {
    int depth = 0;
    char *start = list + 1;
    for (char *c = list; *c; c++) {
        if (*c == '(') depth++;
        if (*c == ')') depth--;
        if ((depth == 1 && *c == ',') || depth == 0) {
            bool end = depth == 0;
            *c = '\0';
            part(start, context);
            if (end) return;
            start = c + 1;
        }
    }
}

typedef struct SetParts {
    Arena *arena;
    MlirContext context;
    const char *head; /* "(d0, d1)[s0]" */
    Vector(MlirAffineExpr) constraints;
    bool *equal;
    int dims, symbols;
    bool failed;
} SetParts;

/* One constraint, "EXPR >= 0" or "EXPR == 0": its expression is parsed as an affine map. */
static void add_constraint(const char *text, void *context) {
    SetParts *parts = context;
    size_t length = strlen(text);
    if (parts->failed || length < 5) {
        parts->failed = true;
        return;
    }
    const char *sign = text + length - 5;
    char *map_text = string_format(parts->arena, "affine_map<%s -> (%.*s)>", parts->head,
                                   (int)(length - 5), text);
    MlirAttribute attribute = mlirAttributeParseGet(parts->context, ref(map_text));
    parts->failed = mlirAttributeIsNull(attribute) || parts->constraints.count >= 64;
    if (parts->failed) return;
    MlirAffineMap map = mlirAffineMapAttrGetValue(attribute);
    parts->dims = (int)mlirAffineMapGetNumDims(map);
    parts->symbols = (int)mlirAffineMapGetNumSymbols(map);
    parts->equal[parts->constraints.count] = strcmp(sign, " == 0") == 0;
    vector_push(parts->arena, &parts->constraints, mlirAffineMapGetResult(map, 0));
}

MlirIntegerSet set_of_attribute(Arena *arena, MlirAttribute attribute) {
    MlirIntegerSet none = {NULL};
    if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAIntegerSet(attribute)) return none;
    Text text = text_new(arena);
    mlirAttributePrint(attribute, append_piece, &text);
    char *chars = arena_string(arena, text_string(&text));
    char *head = strchr(chars, '<'), *colon = strstr(chars, " : (");
    if (!head || !colon) return none;
    *colon = '\0';
    SetParts parts = {.arena = arena,
                      .context = mlirAttributeGetContext(attribute),
                      .head = head + 1,
                      .equal = arena_array(arena, 64, sizeof(bool))};
    each_constraint(colon + 3, add_constraint, &parts);
    if (parts.failed) return none;
    return mlirIntegerSetGet(parts.context, parts.dims, parts.symbols, parts.constraints.count,
                             parts.constraints.items, parts.equal);
}

MlirAttribute attribute_of_set(Arena *arena, MlirIntegerSet set) {
    Text text = text_new(arena);
    text_append(&text, "affine_set<");
    mlirIntegerSetPrint(set, append_piece, &text);
    text_append(&text, ">");
    return mlirAttributeParseGet(mlirIntegerSetGetContext(set), ref(text_string(&text)));
}

/* MLIR 19 gives locations only as text: loc("FILE":LINE:COLUMN), loc("NAME"), loc("NAME"(...)),
 * loc(callsite(... at ...)), loc(fused[...]). The first quoted string is what we want. */
const char *location_source;

const char *location_place(Arena *arena, MlirLocation location) {
    Text text = text_new(arena);
    mlirLocationPrint(location, append_piece, &text);
    const char *c = strchr(text_string(&text), '"');
    if (!c) return NULL;
    Text place = text_new(arena);
    if (string_starts(c, "\"-\":") && location_source) {
        text_append(&place, location_source);
        c++;
    }
    for (c++; *c && *c != '"'; c++) {
        if (c[0] == '\\' && c[1] != '\0') c++;
        text_append_bytes(&place, c, 1);
    }
    if (c[0] == '"' && c[1] == ':') {
        size_t length = strspn(c + 1, ":0123456789");
        text_append_bytes(&place, c + 1, length);
    }
    return string_printable(arena, text_string(&place), 400);
}

const char *op_place(Arena *arena, MlirOperation op) {
    return location_place(arena, mlirOperationGetLocation(op));
}

/* --- walking --- */

typedef struct Walk {
    void (*visit)(MlirOperation op, void *context);
    void *context;
} Walk;

static MlirWalkResult visit_one(MlirOperation op, void *context) {
    Walk *walk = context;
    walk->visit(op, walk->context);
    return MlirWalkResultAdvance;
}

void ops_each(MlirOperation root, void (*visit)(MlirOperation op, void *context), void *context) {
    Walk walk = {visit, context};
    mlirOperationWalk(root, visit_one, &walk, MlirWalkPreOrder);
}

typedef struct Collection {
    Arena *arena;
    bool (*wanted)(MlirOperation op);
    const char *name;
    OpList list;
} Collection;

static void collect_one(MlirOperation op, void *context) {
    Collection *collection = context;
    if (collection->wanted && !collection->wanted(op)) return;
    if (collection->name && !op_is(op, collection->name)) return;
    vector_push(collection->arena, &collection->list, op);
}

OpList ops_collect(Arena *arena, MlirOperation root, bool (*wanted)(MlirOperation op)) {
    Collection collection = {.arena = arena, .wanted = wanted};
    ops_each(root, collect_one, &collection);
    return collection.list;
}

OpList ops_named(Arena *arena, MlirOperation root, const char *name) {
    Collection collection = {.arena = arena, .name = name};
    ops_each(root, collect_one, &collection);
    return collection.list;
}

MlirOperation value_definition(MlirValue value) {
    MlirOperation none = {NULL};
    return mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value) : none;
}

OpList value_users(Arena *arena, MlirValue value) {
    OpList users = {0};
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
        vector_push(arena, &users, mlirOpOperandGetOwner(use));
    return users;
}

int value_use_count(MlirValue value) {
    int count = 0;
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
        count++;
    return count;
}

bool op_is_inside(MlirOperation op, MlirOperation ancestor) {
    for (; !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op))
        if (mlirOperationEqual(op, ancestor)) return true;
    return false;
}

MlirOperation op_parent_named(MlirOperation op, const char *name) {
    do op = mlirOperationGetParentOperation(op);
    while (!mlirOperationIsNull(op) && !op_is(op, name));
    return op;
}

MlirBlock op_body(MlirOperation op) {
    MlirBlock none = {NULL};
    if (mlirOperationGetNumRegions(op) == 0) return none;
    return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
}

MlirBlock region_block(MlirOperation op, intptr_t region) {
    return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region));
}

bool is_loop(MlirOperation op) {
    return op_is(op, "affine.for") || op_is(op, "scf.for");
}

bool is_if(MlirOperation op) {
    return op_is(op, "affine.if") || op_is(op, "scf.if");
}

/* --- types --- */

bool is_tensor(MlirType type) {
    return mlirTypeIsARankedTensor(type);
}

bool is_memref(MlirType type) {
    return mlirTypeIsAMemRef(type);
}

bool static_shape(MlirType type, int *rank, int64_t *shape) {
    if (!mlirTypeIsAShaped(type) || !mlirShapedTypeHasRank(type)) return false;
    if (!mlirShapedTypeHasStaticShape(type) || mlirShapedTypeGetRank(type) > MAX_RANK) return false;
    *rank = (int)mlirShapedTypeGetRank(type);
    for (int i = 0; i < *rank; i++) shape[i] = mlirShapedTypeGetDimSize(type, i);
    return true;
}

int64_t type_elements(MlirType type) {
    int rank;
    int64_t shape[MAX_RANK], elements = 1;
    if (!static_shape(type, &rank, shape)) return 0;
    for (int i = 0; i < rank; i++) elements *= shape[i];
    return elements;
}

MlirType memref_of(MlirType element, int rank, const int64_t *shape) {
    return mlirMemRefTypeContiguousGet(element, rank, shape, mlirAttributeGetNull());
}

MlirType tensor_of(MlirType element, int rank, const int64_t *shape) {
    return mlirRankedTensorTypeGet(rank, shape, element, mlirAttributeGetNull());
}

bool memref_is_identity(MlirType type) {
    return is_memref(type) && mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type));
}

MlirType index_type(MlirContext context) {
    return mlirIndexTypeGet(context);
}

/* Integers wider than 64 bits can only be read as text: "16 : i66". */
static void copy_text(MlirStringRef piece, void *context) {
    char *text = context;
    size_t length = strlen(text);
    for (size_t i = 0; i < piece.length && length < WIDE_TEXT - 1; i++)
        text[length++] = piece.data[i];
    text[length] = '\0';
}

static bool wide_integer(MlirAttribute attribute, int64_t *result) {
    char text[WIDE_TEXT] = "", *end;
    mlirAttributePrint(attribute, copy_text, text);
    errno = 0;
    *result = strtoll(text, &end, 10);
    return errno == 0 && end != text && *end == ' ';
}

bool constant_integer(MlirValue value, int64_t *result) {
    MlirOperation definition = value_definition(value);
    if (!op_is(definition, "arith.constant")) return false;
    MlirAttribute attribute = op_attribute(definition, "value");
    if (!mlirAttributeIsAInteger(attribute)) return false;
    MlirType type = mlirAttributeGetType(attribute);
    if (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) > 64)
        return wide_integer(attribute, result);
    *result = mlirIntegerAttrGetValueInt(attribute);
    return true;
}
