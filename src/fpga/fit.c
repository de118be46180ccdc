/* Whether a design fits on a device, before synthesis: from what report.json says of its memories
 * and operators.
 *
 * The estimate is a lower bound, so that no design is refused that would fit: memories that may
 * become something else than block RAM count as nothing, and so does logic that is not part of an
 * operator. */
#include "fpga/fpga.h"

#include <string.h>

/* What an operator of 32 bits takes at least, on devices with LUTs of 4 inputs or more: nine tenths
 * of what Yosys makes of it (bench/operators). */
static const struct {
    const char *kind;
    int64_t luts;
    bool multiplies;
} operators[] = {
    {"float_add", 380, false},    {"float_multiply", 220, true}, {"float_divide", 600, false},
    {"float_sqrt", 360, false},   {"int_multiply", 0, true},     {"int_to_float", 150, false},
    {"float_to_int", 150, false}, {"int_divide", 100, false},
};
enum { OPERATORS = sizeof operators / sizeof *operators, OPERATOR_BITS = 32 };

/* Words of memories have at most so many bits. */
enum { WORD_BITS = 64 };

/* Multipliers of fewer bits may be made of LUTs. */
enum { SMALL_MULTIPLIER = 9 };
/* LUTs for each bit of one operand times each of the other, in a multiplier without DSP blocks. */
enum { PRODUCT_LUTS = 2 };

static int64_t divided_up(int64_t value, int64_t by) {
    return (value + by - 1) / by;
}

/* Block RAMs that a memory of some words takes. Yosys puts columns of different shapes side by
 * side: best[b] is the fewest blocks for b bits of the words. */
static int64_t blocks_of(const Device *device, int64_t words, int bits) {
    int64_t best[WORD_BITS + 1] = {0};
    for (int b = 1; b <= bits; b++)
        for (const BlockShape *shape = device->shapes; shape->words; shape++) {
            int64_t rest = b > shape->bits ? best[b - shape->bits] : 0;
            int64_t blocks = rest + divided_up(words, shape->words);
            if (best[b] == 0 || blocks < best[b]) best[b] = blocks;
        }
    return best[bits];
}

int64_t block_memory_capacity(const Device *device) {
    int64_t most = 0;
    for (const BlockShape *shape = device->shapes; shape->words; shape++)
        if (shape->words * shape->bits > most) most = shape->words * shape->bits;
    return most * device->available[RESOURCE_BLOCK_RAM];
}

static int64_t integer_of(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) && json_integer_value(value) > 0 ? json_integer_value(value) : 0;
}

static Scalar type_of(const json_t *object) {
    Scalar type = SCALAR_I(1);
    const char *name = json_string_value(json_object_get(object, "type"));
    if (name) scalar_parse(name, &type);
    return type;
}

static void add_memory(Area *area, const Device *device, const json_t *memory) {
    int64_t words = integer_of(memory, "elements"), bits = integer_of(memory, "word_bits");
    if (words > INT64_MAX / 64 || bits > WORD_BITS || words * bits <= device->small_memory) return;
    area->used[RESOURCE_BLOCK_RAM] += blocks_of(device, words, (int)bits);
}

/* Of one operand that is multiplied: a float's fraction with its hidden one. */
static int64_t multiplied_bits(Scalar type) {
    return type.kind == SCALAR_FLOAT ? type.width - type.exponent : type.width;
}

static void add_multiplier(Area *area, const Device *device, int64_t count, Scalar type) {
    int64_t bits = multiplied_bits(type);
    if (bits < SMALL_MULTIPLIER || type.kind != SCALAR_FLOAT) return;
    if (device->multiplier_bits[0] == 0)
        area->used[RESOURCE_LUT] += count * PRODUCT_LUTS * bits * bits;
    else
        area->used[RESOURCE_DSP] += count * divided_up(bits, device->multiplier_bits[0]) *
                                    divided_up(bits, device->multiplier_bits[1]);
}

static void add_operator(Area *area, const Device *device, const json_t *operator) {
    const char *kind = json_string_value(json_object_get(operator, "kind"));
    int64_t count = integer_of(operator, "count");
    Scalar type = type_of(operator);
    if (count > INT32_MAX) return;
    for (int i = 0; kind && i < OPERATORS; i++) {
        if (strcmp(operators[i].kind, kind) != 0) continue;
        area->used[RESOURCE_LUT] += count * operators[i].luts * type.width / OPERATOR_BITS;
        if (operators[i].multiplies) add_multiplier(area, device, count, type);
    }
}

Area area_estimate(const Device *device, const json_t *report) {
    static const char *const lists[] = {"memories", "operators", "unshared_operators"};
    static void (*const add[])(Area *, const Device *, const json_t *) = {add_memory, add_operator,
                                                                          add_operator};
    Area area = {0};
    for (int l = 0; l < 3; l++) {
        const json_t *list = json_object_get(report, lists[l]);
        for (size_t i = 0; i < json_array_size(list); i++)
            add[l](&area, device, json_array_get(list, i));
    }
    return area;
}

bool area_fits(const Area *area, const Device *device) {
    for (int r = 0; r < RESOURCES; r++)
        if (area->used[r] > device->available[r]) return false;
    return true;
}

const char *area_text(const Area *area, const Device *device, Arena *arena) {
    Text text = text_new(arena);
    for (int r = 0; r < RESOURCES; r++)
        if (area->used[r] > 0)
            text_printf(&text, "%s%s of %s %s", text.length ? ", " : "",
                        string_grouped(arena, area->used[r]),
                        string_grouped(arena, device->available[r]), resource_names[r]);
    return text_string(&text);
}

const char *area_lacking(const Area *area, const Device *device, Arena *arena) {
    Text text = text_new(arena);
    for (int r = 0; r < RESOURCES; r++) {
        int64_t used = area->used[r], available = device->available[r];
        if (used > available)
            text_printf(&text, "%s%s %s of %s", text.length ? ", " : "",
                        string_grouped(arena, used), resource_names[r],
                        string_grouped(arena, available));
    }
    return text_string(&text);
}
