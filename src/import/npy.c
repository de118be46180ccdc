/* NumPy's .npy files: a magic, a version, a header that is a Python dictionary, raw elements.
 *
 * The header is parsed as the few literals that NumPy writes; nothing of it is evaluated. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "import/dtype.h"
#include "import/import.h"

static const char magic[] = "\x93NUMPY";
static const size_t max_bytes = (size_t)4 << 30;

typedef struct Header {
    char descr[16]; /* as "<f4" */
    bool fortran;
    int rank;
    int64_t shape[MAX_RANK];
    size_t data; /* offset of the elements */
} Header;

typedef struct Reader {
    Arena *arena;
    Diagnostics *diagnostics;
    const char *path;
    const char *bytes;
    size_t length;
} Reader;

static bool fail(const Reader *reader, const char *what) {
    return error_at(reader->diagnostics, STATUS_INPUT, reader->path, "%s", what);
}

/* --- the header ---------------------------------------------------------------------------- */

typedef struct Parser {
    const char *at, *end;
} Parser;

static void skip_blanks(Parser *parser) {
    while (parser->at < parser->end && isspace((unsigned char)*parser->at)) parser->at++;
}

static bool accept(Parser *parser, const char *wanted) {
    size_t length = strlen(wanted);
    skip_blanks(parser);
    if ((size_t)(parser->end - parser->at) < length) return false;
    if (memcmp(parser->at, wanted, length) != 0) return false;
    parser->at += length;
    return true;
}

/* 'text' or "text", of less than `size` bytes. */
static bool read_text(Parser *parser, char *text, size_t size) {
    char quote[] = {accept(parser, "'") ? '\'' : accept(parser, "\"") ? '"' : '\0', '\0'};
    size_t length = 0;
    if (!quote[0]) return false;
    while (parser->at < parser->end && *parser->at != quote[0] && length + 1 < size) {
        text[length++] = *parser->at++;
    }
    text[length] = '\0';
    return parser->at < parser->end && *parser->at++ == quote[0];
}

static bool read_size(Parser *parser, int64_t *size) {
    int digits = 0;
    bool negative = accept(parser, "-");
    for (*size = 0; parser->at < parser->end && isdigit((unsigned char)*parser->at); digits++) {
        if (digits >= 18) return false;
        *size = 10 * *size + (*parser->at++ - '0');
    }
    if (negative) *size = -*size;
    accept(parser, "L"); /* of Python 2 */
    return digits > 0;
}

/* (1, 64), (64,) or () */
static bool read_shape(Parser *parser, Header *header) {
    if (!accept(parser, "(")) return false;
    while (!accept(parser, ")")) {
        if (header->rank == MAX_RANK || !read_size(parser, &header->shape[header->rank++]))
            return false;
        if (accept(parser, ",")) continue;
        return accept(parser, ")");
    }
    return true;
}

static bool read_field(const Reader *reader, Parser *parser, Header *header, int *seen) {
    char key[32];
    if (!read_text(parser, key, sizeof key) || !accept(parser, ":"))
        return fail(reader, "bad npy header");
    if (strcmp(key, "descr") == 0) {
        *seen |= 1;
        if (accept(parser, "[")) return fail(reader, "structured dtypes are not supported");
        if (read_text(parser, header->descr, sizeof header->descr)) return true;
    } else if (strcmp(key, "fortran_order") == 0) {
        *seen |= 2;
        header->fortran = accept(parser, "True");
        if (header->fortran || accept(parser, "False")) return true;
    } else if (strcmp(key, "shape") == 0) {
        *seen |= 4;
        header->rank = 0;
        if (read_shape(parser, header)) return true;
        return fail(reader, "bad npy header: bad npy shape");
    }
    return fail(reader, "bad npy header");
}

static bool read_dictionary(const Reader *reader, Parser *parser, Header *header) {
    int seen = 0;
    if (!accept(parser, "{")) return fail(reader, "bad npy header: it is no dictionary");
    while (!accept(parser, "}")) {
        if (!read_field(reader, parser, header, &seen)) return false;
        if (accept(parser, ",")) continue;
        if (accept(parser, "}")) break;
        return fail(reader, "bad npy header");
    }
    skip_blanks(parser);
    if (parser->at != parser->end) return fail(reader, "bad npy header: trailing characters");
    return seen == 7 || fail(reader, "bad npy header: descr, fortran_order or shape is missing");
}

static size_t little(const char *bytes, int count) {
    size_t value = 0;
    for (int i = count - 1; i >= 0; i--) value = value << 8 | (unsigned char)bytes[i];
    return value;
}

static bool read_header(const Reader *reader, Header *header) {
    size_t magic_length = sizeof magic - 1;
    if (reader->length < magic_length || memcmp(reader->bytes, magic, magic_length) != 0) {
        return fail(reader, "not an npy file");
    }
    if (reader->length < 12) return fail(reader, "truncated npy header");
    int version = (unsigned char)reader->bytes[6], minor = (unsigned char)reader->bytes[7];
    if (version < 1 || version > 3 || minor != 0) {
        return fail(reader,
                    string_format(reader->arena, "unknown npy version %d.%d", version, minor));
    }
    int field = version == 1 ? 2 : 4;
    size_t start = 8 + (size_t)field, length = little(reader->bytes + 8, field);
    if (length > reader->length - start) return fail(reader, "truncated npy header");
    header->data = start + length;
    Parser parser = {reader->bytes + start, reader->bytes + start + length};
    return read_dictionary(reader, &parser, header);
}

/* --- types --------------------------------------------------------------------------------- */

/* The type of a descr without its byte order. */
static const struct {
    const char *name;
    bool is_unsigned, is_bool;
    Scalar scalar;
} types[] = {
    {"f2", false, false, {SCALAR_FLOAT, 16, 5}},   {"f4", false, false, {SCALAR_FLOAT, 32, 8}},
    {"f8", false, false, {SCALAR_FLOAT, 64, 11}},  {"i1", false, false, {SCALAR_INTEGER, 8, 0}},
    {"i2", false, false, {SCALAR_INTEGER, 16, 0}}, {"i4", false, false, {SCALAR_INTEGER, 32, 0}},
    {"i8", false, false, {SCALAR_INTEGER, 64, 0}}, {"u1", true, false, {SCALAR_INTEGER, 8, 0}},
    {"u2", true, false, {SCALAR_INTEGER, 16, 0}},  {"u4", true, false, {SCALAR_INTEGER, 32, 0}},
    {"u8", true, false, {SCALAR_INTEGER, 64, 0}},  {"b1", false, true, {SCALAR_INTEGER, 1, 0}},
};

enum { TYPE_COUNT = sizeof types / sizeof *types, TYPE_U2 = 8 };

static bool is_bfloat16(Scalar scalar) {
    return scalar_equal(scalar, SCALAR_BF16);
}

/* The row of a descr, or -1. */
static int find_type(const char *descr) {
    if (!descr[0] || !strchr("<>|=", descr[0])) return -1;
    for (int i = 0; i < TYPE_COUNT; i++) {
        if (strcmp(descr + 1, types[i].name) == 0) return i;
    }
    return -1;
}

/* The row in which a tensor is stored, or -1. Integers of odd width take the next larger one. */
static int type_of_tensor(const Tensor *tensor) {
    if (is_bfloat16(tensor->type)) return TYPE_U2;
    bool is_bool =
        tensor->is_bool || (tensor->type.kind == SCALAR_INTEGER && tensor->type.width == 1);
    for (int i = 0; i < TYPE_COUNT; i++) {
        bool same = types[i].scalar.kind == tensor->type.kind &&
                    scalar_bytes(types[i].scalar) == scalar_bytes(tensor->type);
        if (same && types[i].is_bool == is_bool && types[i].is_unsigned == tensor->is_unsigned)
            return i;
    }
    return -1;
}

static const char *describe(const Reader *reader, const char *type, int rank,
                            const int64_t *shape) {
    return string_format(reader->arena, "%s%s", type, shape_text(reader->arena, rank, shape));
}

static const char *tensor_name(const Tensor *tensor) {
    if (tensor->is_bool) return "bool";
    if (!tensor->is_unsigned) return scalar_name(tensor->type);
    return tensor->type.width == 8    ? "u8"
           : tensor->type.width == 16 ? "u16"
           : tensor->type.width == 32 ? "u32"
                                      : "u64";
}

static const char *row_name(int row) {
    if (types[row].is_bool) return "bool";
    Tensor tensor = {.type = types[row].scalar, .is_unsigned = types[row].is_unsigned};
    return tensor_name(&tensor);
}

static bool check_type(const Reader *reader, const Header *header, const Tensor *expected) {
    int row = find_type(header->descr);
    if (row < 0) {
        return fail(reader, string_format(reader->arena, "dtype %s is not supported",
                                          string_printable(reader->arena, header->descr, 20)));
    }
    bool same =
        row == type_of_tensor(expected) && header->rank == expected->rank &&
        memcmp(header->shape, expected->shape, (size_t)header->rank * sizeof *header->shape) == 0;
    if (same) return true;
    const char *stored = is_bfloat16(expected->type) ? " (as its bits in u16)" : "";
    return fail(
        reader,
        string_format(reader->arena, "%s is %s%s, the file has %s",
                      string_printable(reader->arena, expected->name ? expected->name : "it", 100),
                      describe(reader, tensor_name(expected), expected->rank, expected->shape),
                      stored, describe(reader, row_name(row), header->rank, header->shape)));
}

/* --- elements ------------------------------------------------------------------------------ */

/* Copies elements to row-major order; in Fortran order the first dimension runs fastest. */
static void copy_fortran(const Tensor *tensor, const char *from, size_t item, char *to) {
    int64_t at[MAX_RANK] = {0};
    size_t strides[MAX_RANK], stride = item, place = 0;
    for (int i = 0; i < tensor->rank; i++) {
        strides[i] = stride;
        stride *= (size_t)tensor->shape[i];
    }
    for (size_t n = 0; n < tensor->elements; n++) {
        memcpy(to + n * item, from + place, item);
        for (int i = tensor->rank - 1; i >= 0; i--) {
            place += strides[i];
            if (++at[i] < tensor->shape[i]) break;
            place -= strides[i] * (size_t)tensor->shape[i];
            at[i] = 0;
        }
    }
}

static void swap_bytes(char *bytes, size_t count, size_t item) {
    for (size_t n = 0; n < count; n++) {
        char *element = bytes + n * item;
        for (size_t i = 0; i < item / 2; i++) {
            char byte = element[i];
            element[i] = element[item - 1 - i];
            element[item - 1 - i] = byte;
        }
    }
}

static bool read_data(const Reader *reader, const Header *header, Tensor *result) {
    size_t item = scalar_bytes(result->type), bytes, has = reader->length - header->data;
    if (!shape_elements(result->rank, result->shape, &result->elements) ||
        !shape_bytes(result->type, result->rank, result->shape, &bytes)) {
        return fail(reader, "the npy shape overflows");
    }
    if (has != bytes) {
        return fail(reader, string_format(
                                reader->arena, "%s needs %zu bytes, has %zu%s",
                                describe(reader, tensor_name(result), result->rank, result->shape),
                                bytes, has, has > bytes ? ": trailing data" : ""));
    }
    char *data = arena_array(reader->arena, result->elements + 1, item);
    if (header->fortran) {
        copy_fortran(result, reader->bytes + header->data, item, data);
    } else {
        memcpy(data, reader->bytes + header->data, bytes);
    }
    if (header->descr[0] == '>') swap_bytes(data, result->elements, item);
    for (size_t i = 0; result->type.width == 1 && i < result->elements; i++) data[i] = data[i] != 0;
    result->data = data;
    return true;
}

bool npy_read(Arena *arena, Diagnostics *diagnostics, const char *path, const Tensor *expected,
              Tensor *result) {
    char *bytes;
    size_t length;
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        return error_at(diagnostics, STATUS_INPUT, path, "is a directory, expected an .npy file");
    }
    if (!file_read(arena, diagnostics, path, max_bytes, &bytes, &length)) return false;
    Reader reader = {arena, diagnostics, path, bytes, length};
    Header header = {0};
    if (!read_header(&reader, &header)) return false;
    for (int i = 0; i < header.rank; i++) {
        if (header.shape[i] < 0) return fail(&reader, "bad npy shape: a size is negative");
    }
    if (!check_type(&reader, &header, expected)) return false;
    *result = *expected;
    return read_data(&reader, &header, result);
}

bool npy_write(Arena *arena, Diagnostics *diagnostics, const char *path, const Tensor *tensor) {
    int row = type_of_tensor(tensor);
    if (row < 0) {
        return error_at(diagnostics, STATUS_INTERNAL, path, "no npy type for %s",
                        scalar_name(tensor->type));
    }
    size_t item = scalar_bytes(tensor->type);
    Text text = text_new(arena);
    text_printf(&text, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                item == 1 ? '|' : '<', types[row].name);
    for (int i = 0; i < tensor->rank; i++) {
        text_printf(&text, "%lld%s", (long long)tensor->shape[i],
                    i + 1 < tensor->rank ? ", "
                    : tensor->rank == 1  ? ","
                                         : "");
    }
    text_append(&text, "), }");
    /* The elements start at a multiple of 64. */
    while ((10 + text.length + 1) % 64 != 0) text_append(&text, " ");
    text_append(&text, "\n");
    Text file = text_new(arena);
    char prefix[] = {1, 0, (char)(text.length & 0xff), (char)(text.length >> 8)};
    text_append_bytes(&file, magic, sizeof magic - 1);
    text_append_bytes(&file, prefix, sizeof prefix);
    text_append_bytes(&file, text_string(&text), text.length);
    text_append_bytes(&file, tensor->data, tensor->elements * item);
    return file_write(diagnostics, path, file.chars, file.length);
}
