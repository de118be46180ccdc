/* dense_resource attributes become dense elements.
 *
 * torch-mlir writes weights as resources: hex strings at the end of the text, after "{-#". The C
 * API gives no access to their bytes, so they are read from the text; after this no later stage
 * needs to know of them. */
#include "mlir/internal.h"
#include "mlir/ir.h"

#include <stdlib.h>
#include <string.h>

typedef struct Resource {
    const char *key;
    const char *hex; /* after "0x" */
    size_t digits;
} Resource;
typedef Vector(Resource) ResourceList;

/* A string or bare word at `*c`; `*c` moves behind it. NULL if there is neither. */
static char *take_word(Arena *arena, const char **c) {
    const char *start = *c;
    if (*start == '"') {
        const char *end = strchr(start + 1, '"');
        if (!end) return NULL;
        *c = end + 1;
        return arena_string_of(arena, start + 1, (size_t)(end - start - 1));
    }
    size_t length = strcspn(start, " \t\r\n:,{}<>\"");
    if (length == 0) return NULL;
    *c = start + length;
    return arena_string_of(arena, start, length);
}

static const char *skip(const char *c) {
    return c + strspn(c, " \t\r\n,");
}

/* The KEY: "0xHEX" entries of the builtin dialect. The parser has accepted the text already. */
static ResourceList read_section(Arena *arena, const char *text) {
    ResourceList list = {0};
    const char *c = NULL;
    for (const char *next = strstr(text, "{-#"); next; next = strstr(next + 3, "{-#")) c = next;
    if (c) c = strstr(c, "dialect_resources");
    if (c) c = strstr(c, "builtin");
    if (c) c = strchr(c, '{');
    if (!c) return list;
    for (c = skip(c + 1); *c && *c != '}'; c = skip(c)) {
        const char *key = take_word(arena, &c);
        c += strspn(c, " \t\r\n:");
        if (!key || !string_starts(c, "\"0x")) return list;
        const char *end = strchr(c + 3, '"');
        if (!end) return list;
        Resource resource = {key, c + 3, (size_t)(end - c - 3)};
        vector_push(arena, &list, resource);
        c = end + 1;
    }
    return list;
}

static const Resource *find(const ResourceList *list, const char *key) {
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->items[i].key, key) == 0) return &list->items[i];
    return NULL;
}

static int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 0;
}

/* The first four bytes of a resource are its alignment. */
static unsigned char *decode(Arena *arena, const Resource *resource, size_t *size) {
    *size = resource->digits / 2 >= 4 ? resource->digits / 2 - 4 : 0;
    unsigned char *bytes = arena_alloc(arena, *size + 1);
    for (size_t i = 0; i < *size; i++) {
        const char *c = resource->hex + 8 + 2 * i;
        bytes[i] = (unsigned char)(digit(c[0]) << 4 | digit(c[1]));
    }
    return bytes;
}

static MlirAttribute elements_of(Arena *arena, MlirType type, const unsigned char *bytes,
                                 size_t size) {
    Scalar scalar;
    size_t count = (size_t)type_elements(type);
    if (!scalar_of_type(mlirShapedTypeGetElementType(type), &scalar) ||
        size != count * scalar_bytes(scalar))
        return mlirAttributeGetNull();
    if (scalar.width != 1) return mlirDenseElementsAttrRawBufferGet(type, size, bytes);
    int *bits = arena_array(arena, count + 1, sizeof(int)); /* MLIR packs bits; resources do not */
    for (size_t i = 0; i < count; i++) bits[i] = bytes[i] != 0;
    return mlirDenseElementsAttrBoolGet(type, (intptr_t)count, bits);
}

/* KEY of "dense_resource<KEY> : TYPE". */
static char *key_of(Arena *arena, MlirAttribute attribute) {
    Text text = text_new(arena);
    mlirAttributePrint(attribute, append_piece, &text);
    const char *c = strchr(text_string(&text), '<');
    if (!c) return NULL;
    c++;
    return take_word(arena, &c);
}

typedef struct Job {
    Session *session;
    const char *path;
    ResourceList list;
    bool failed;
} Job;

static void convert(Job *job, MlirOperation op, MlirNamedAttribute named_attribute) {
    Session *session = job->session;
    char *key = key_of(session->arena, named_attribute.attribute);
    const Resource *resource = key ? find(&job->list, key) : NULL;
    MlirType type = mlirAttributeGetType(named_attribute.attribute);
    MlirAttribute elements = mlirAttributeGetNull();
    size_t size = 0;
    if (resource) {
        unsigned char *bytes = decode(session->arena, resource, &size);
        elements = elements_of(session->arena, type, bytes, size);
    }
    if (mlirAttributeIsNull(elements)) {
        job->failed = true;
        error_at(session->diagnostics, STATUS_INPUT, op_place(session->arena, op),
                 resource ? "the resource '%s' does not have the size of its type"
                          : "the text has no data for the resource '%s'",
                 key ? string_printable(session->arena, key, 100) : "");
        return;
    }
    mlirOperationSetAttributeByName(op, mlirIdentifierStr(named_attribute.name), elements);
}

static void visit(MlirOperation op, void *context) {
    intptr_t count = mlirOperationGetNumAttributes(op);
    for (intptr_t i = 0; i < count; i++) {
        MlirNamedAttribute attribute = mlirOperationGetAttribute(op, i);
        if (mlirAttributeIsADenseResourceElements(attribute.attribute))
            convert(context, op, attribute);
    }
}

bool resources_to_elements(Session *session, MlirModule module, const char *path,
                           const char *text) {
    Job job = {session, path, read_section(session->arena, text), false};
    for (int i = 0; i < job.list.count; i++) {
        const char *key = job.list.items[i].key;
        /* The context would have renamed the second one, so that it could not be told apart. */
        for (int k = 0; k < session->resources.count; k++)
            if (strcmp(session->resources.items[k], key) == 0)
                return error_at(session->diagnostics, STATUS_INTERNAL, path,
                                "the resource '%s' was parsed before in this session", key);
    }
    for (int i = 0; i < job.list.count; i++)
        vector_push(session->arena, &session->resources, job.list.items[i].key);
    ops_each(mlirModuleGetOperation(module), visit, &job);
    return !job.failed;
}
