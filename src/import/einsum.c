/* einsum: a product of tensors whose dimensions are named by letters, summed over the letters that
 * the result does not have. It becomes one linalg.generic, whatever the equation. */
#include <ctype.h>
#include <string.h>
#include "import/elementwise.h"
#include "import/operations.h"

enum { MAX_OPERANDS = 8, LETTERS = 52 };

typedef struct Equation {
    const char *operands[MAX_OPERANDS]; /* letters of each, not terminated */
    int ranks[MAX_OPERANDS];
    int count;
    char result[MAX_RANK + 1];
    int rank;
    int loops[LETTERS]; /* the loop of each letter, or -1 */
    int loop_count;
    int64_t sizes[LETTERS]; /* of each loop */
} Equation;

static int letter_index(char letter) {
    return islower((unsigned char)letter) ? letter - 'a' : letter - 'A' + LETTERS / 2;
}

/* The text without blanks. */
static char *compact(Arena *arena, const char *text) {
    char *copy = arena_string(arena, text);
    size_t length = 0;
    for (const char *at = text; *at; at++) {
        if (*at != ' ') copy[length++] = *at;
    }
    copy[length] = '\0';
    return copy;
}

/* Without "->" the result has the letters that occur once, in alphabetical order. */
static void imply_result(Equation *equation) {
    for (char letter = 'A'; letter <= 'z'; letter++) {
        int seen = 0;
        if (!isalpha((unsigned char)letter)) continue;
        for (int i = 0; i < equation->count; i++) {
            for (int n = 0; n < equation->ranks[i]; n++) {
                seen += equation->operands[i][n] == letter;
            }
        }
        if (seen == 1 && equation->rank < MAX_RANK) equation->result[equation->rank++] = letter;
    }
}

/* --- dots ---------------------------------------------------------------------------------- */

/* Letters of the equation, and how many dimensions its dots stand for at most. */
typedef struct Dots {
    char letters[LETTERS + 1]; /* those that are free, the first ones for the dots */
    int most;
} Dots;

static int count_letters(const char *text, size_t length) {
    int count = 0;
    for (size_t i = 0; i < length; i++) count += isalpha((unsigned char)text[i]) != 0;
    return count;
}

/* Finds letters for the dots. False if an operand has fewer dimensions than letters. */
static bool find_dots(const char *text, int count, Value *const *values, Dots *dots) {
    const char *at = text;
    for (int i = 0; i < count; i++) {
        size_t length = strcspn(at, ",-");
        int hidden = values[i]->type.rank - count_letters(at, length);
        if (hidden < 0) return false;
        if (memchr(at, '.', length) && hidden > dots->most) dots->most = hidden;
        at += length + (at[length] == ',');
    }
    int found = 0;
    for (char letter = 'A'; letter <= 'z'; letter++)
        if (isalpha((unsigned char)letter) && !strchr(text, letter))
            dots->letters[found++] = letter;
    return found >= dots->most;
}

/* A term, the last `hidden` letters in place of its dots. */
static void add_term(Text *text, const char *term, size_t length, const Dots *dots, int hidden) {
    const char *at = strstr(term, "...");
    bool has_dots = at && at < term + length;
    size_t before = has_dots ? (size_t)(at - term) : length;
    text_append_bytes(text, term, before);
    if (!has_dots) return;
    text_printf(text, "%.*s", hidden, dots->letters + dots->most - hidden);
    text_append_bytes(text, at + 3, length - before - 3);
}

/* "...ab,bc" with its dots replaced by letters: those of an operand are the last ones of all that
 * dots stand for. A result that is not given begins with them all. */
static const char *replace_dots(Call *call, const char *equation, int count, Value *const *values) {
    Dots dots = {0};
    if (!strstr(equation, "...") || !find_dots(equation, count, values, &dots)) return equation;
    Text text = text_new(call->arena);
    const char *at = equation;
    for (int i = 0; i < count; i++) {
        size_t length = strcspn(at, ",-");
        add_term(&text, at, length, &dots, values[i]->type.rank - count_letters(at, length));
        at += length;
        if (*at == ',') text_printf(&text, "%c", *at++);
    }
    bool is_given = string_starts(at, "->");
    text_append(&text, "->");
    add_term(&text, is_given ? at + 2 : "...", is_given ? strlen(at + 2) : 3, &dots, dots.most);
    for (char letter = 'A'; letter <= 'z' && !is_given; letter++) {
        const char *first = isalpha((unsigned char)letter) ? strchr(equation, letter) : NULL;
        if (first && !strchr(first + 1, letter)) text_printf(&text, "%c", letter);
    }
    return text_string(&text);
}

static bool parse_equation(Call *call, const char *text, Equation *equation) {
    const char *at = text;
    while (*at && *at != '-') {
        size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        if (equation->count == MAX_OPERANDS || length > MAX_RANK) break;
        equation->operands[equation->count] = at;
        equation->ranks[equation->count++] = (int)length;
        at += length;
        if (*at != ',') break;
        at++;
    }
    if (*at == '\0') {
        imply_result(equation);
        return true;
    }
    bool arrow = strncmp(at, "->", 2) == 0;
    size_t length = arrow ? strlen(at + 2) : 0;
    for (size_t i = 0; arrow && i < length && i < MAX_RANK; i++) {
        if (!isalpha((unsigned char)at[2 + i])) arrow = false;
        equation->result[equation->rank++] = at[2 + i];
    }
    if (arrow && length <= MAX_RANK) return true;
    return call_fail(call, "the equation %s is not supported",
                     string_printable(call->arena, text, 100));
}

static void add_loop(Equation *equation, char letter) {
    int *loop = &equation->loops[letter_index(letter)];
    if (*loop < 0) *loop = equation->loop_count++;
}

/* Loops of the result's letters, then those of the sums in the order of the operands. */
static bool plan_loops(Call *call, Equation *equation, Value *const *values) {
    for (int i = 0; i < LETTERS; i++) equation->loops[i] = -1;
    for (int i = 0; i < equation->rank; i++) add_loop(equation, equation->result[i]);
    if (equation->loop_count != equation->rank) {
        return call_fail(call, "a letter is in the result twice");
    }
    for (int i = 0; i < equation->count; i++) {
        const TensorType *type = &values[i]->type;
        if (type->rank != equation->ranks[i]) {
            return call_fail(call, "operand %d has rank %d, the equation says %d", i, type->rank,
                             equation->ranks[i]);
        }
        for (int n = 0; n < type->rank; n++) {
            char letter = equation->operands[i][n];
            add_loop(equation, letter);
            int64_t *size = &equation->sizes[equation->loops[letter_index(letter)]];
            if (*size <= 1) *size = type->shape[n];
            if (*size != type->shape[n] && type->shape[n] != 1) {
                return call_fail(call, "the sizes of %c differ: %lld and %lld", letter,
                                 (long long)*size, (long long)type->shape[n]);
            }
        }
    }
    for (int i = 0; i < equation->rank; i++) {
        if (equation->sizes[i] == 0) return call_fail(call, "a letter of the result is unknown");
    }
    return equation->loop_count <= MAX_LOOPS || call_fail(call, "it has too many letters");
}

static MlirValue build_sum(Call *call, const Equation *equation, Value *const *values, Dtype from,
                           Dtype to) {
    Builder *builder = call->builder;
    MlirAffineMap maps[MAX_OPERANDS + 1];
    MlirValue inputs[MAX_OPERANDS];
    int dims[MAX_RANK];
    for (int i = 0; i < equation->count; i++) {
        for (int n = 0; n < equation->ranks[i]; n++) {
            int loop = equation->loops[letter_index(equation->operands[i][n])];
            /* A size of 1 fits any other. */
            dims[n] = values[i]->type.shape[n] == equation->sizes[loop] ? loop : -1;
        }
        maps[i] = map_of_dims(builder, equation->loop_count, equation->ranks[i], dims);
        inputs[i] = call_mlir(call, values[i]);
    }
    for (int n = 0; n < equation->rank; n++) dims[n] = n;
    maps[equation->count] = map_of_dims(builder, equation->loop_count, equation->rank, dims);
    char iterators[MAX_LOOPS + 1] = {0};
    memset(iterators, 'p', (size_t)equation->rank);
    memset(iterators + equation->rank, 'r', (size_t)(equation->loop_count - equation->rank));
    MlirType type = call_type(call, to, equation->rank, equation->sizes);
    MlirValue init = build_filled(builder, type, scalar_number(builder, to, number_of_integer(0)));
    Generic sum = generic_begin(builder, iterators, equation->count, inputs, 1, &init, maps);
    MlirValue term = scalar_cast(&sum.body, generic_input(&sum, 0), from, to);
    for (int i = 1; i < equation->count; i++) {
        MlirValue factor = scalar_cast(&sum.body, generic_input(&sum, i), from, to);
        term = scalar_op(&sum.body, SCALAR_MULTIPLY, to, term, factor);
    }
    return generic_end(&sum, scalar_op(&sum.body, SCALAR_ADD, to, generic_output(&sum, 0), term));
}

static bool emit_einsum(Call *call) {
    Equation equation = {0};
    int count;
    Value **values = call_tensors(call, "tensors", &count);
    const char *text = compact(call->arena, call_string(call, "equation"));
    if (!parse_equation(call, replace_dots(call, text, count, values), &equation)) return false;
    if (count != equation.count || count == 0) {
        return call_fail(call, "%d tensors for an equation of %d", count, equation.count);
    }
    Dtype from = values[0]->type.dtype, to = dtype_compute(from);
    for (int i = 0; i < count; i++) {
        if (values[i]->type.dtype != from || from == DTYPE_BOOL) {
            return call_fail(call, "its tensors must have one dtype, which is not bool");
        }
    }
    if (!plan_loops(call, &equation, values)) return false;
    MlirValue sum = build_sum(call, &equation, values, from, to);
    Value *result = value_new(call->arena, to, equation.rank, equation.sizes, sum);
    return call_result(call, 0, call_cast(call, result, from));
}

const Operation einsum_operations[] = {
    /* The path is the order in which an interpreter would multiply. */
    {"aten.einsum.default", "(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor",
     .emit = emit_einsum, .ignored = "path"},
    {.name = NULL},
};
