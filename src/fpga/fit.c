/* Whether a design fits on a device: before synthesis, from what report.json says of its memories
 * and operators, and after it, from the cells that Yosys counted.
 *
 * The estimate is a lower bound, so that no design is refused that would fit: memories that may
 * become something else than block RAM count as nothing, and so does logic that is not part of an
 * operator. */
#include "fpga/fpga.h"

#include <string.h>

/* What an operator of 32 bits takes at least, on devices with LUTs of 4 inputs or more. */
static const struct {
    const char *kind;
    int64_t luts;
    bool multiplies;
} operators[] = {
    {"float_add", 300, false},   {"float_multiply", 200, true}, {"float_divide", 300, false},
    {"float_sqrt", 200, false},  {"int_multiply", 0, true},     {"int_to_float", 60, false},
    {"float_to_int", 60, false}, {"int_divide", 100, false},
};
enum { OPERATORS = sizeof operators / sizeof *operators, OPERATOR_BITS = 32 };

/* Multipliers of fewer bits may be made of LUTs. */
enum { SMALL_MULTIPLIER = 9 };

static int64_t divided_up(int64_t value, int64_t by) {
    return (value + by - 1) / by;
}

/* Block RAMs that a memory of some words takes, in the best shape for it. */
static int64_t blocks_of(const Device *device, int64_t words, int64_t bits) {
    int64_t best = 0;
    for (const BlockShape *shape = device->shapes; shape->words; shape++) {
        int64_t blocks = divided_up(words, shape->words) * divided_up(bits, shape->bits);
        if (best == 0 || blocks < best) best = blocks;
    }
    return best;
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

static void add_memory(Synthesis *synthesis, const json_t *memory) {
    int64_t banks = integer_of(memory, "banks"), elements = integer_of(memory, "elements");
    int bits = type_of(memory).width;
    if (banks == 0 || elements > INT64_MAX / 64) return;
    int64_t words = divided_up(elements, banks);
    if (words * bits <= synthesis->device->small_memory) return;
    synthesis->area.used[RESOURCE_BLOCK_RAM] += banks * blocks_of(synthesis->device, words, bits);
}

static int64_t multiplier_blocks(const Device *device, Scalar type) {
    int64_t bits = type.kind == SCALAR_FLOAT ? type.width - type.exponent : 1;
    if (bits < SMALL_MULTIPLIER || device->multiplier_bits[0] == 0) return 0;
    return divided_up(bits, device->multiplier_bits[0]) *
           divided_up(bits, device->multiplier_bits[1]);
}

static void add_operator(Synthesis *synthesis, const json_t *operator) {
    const char *kind = json_string_value(json_object_get(operator, "kind"));
    int64_t count = integer_of(operator, "count");
    Scalar type = type_of(operator);
    for (int i = 0; kind && i < OPERATORS; i++) {
        if (strcmp(operators[i].kind, kind) != 0) continue;
        int64_t *used = synthesis->area.used;
        used[RESOURCE_LUT] += count * operators[i].luts * type.width / OPERATOR_BITS;
        if (operators[i].multiplies)
            used[RESOURCE_DSP] += count * multiplier_blocks(synthesis->device, type);
    }
}

void area_estimate(Synthesis *synthesis) {
    static const char *const lists[] = {"memories", "operators", "unshared_operators"};
    static void (*const add[])(Synthesis *, const json_t *) = {add_memory, add_operator,
                                                               add_operator};
    synthesis->area = (Area){0};
    for (int l = 0; l < 3; l++) {
        const json_t *list = json_object_get(synthesis->report, lists[l]);
        for (size_t i = 0; i < json_array_size(list); i++)
            add[l](synthesis, json_array_get(list, i));
    }
}

bool area_fits(const Synthesis *synthesis) {
    for (int r = 0; r < RESOURCES; r++)
        if (synthesis->area.used[r] > synthesis->device->available[r]) return false;
    return true;
}

const char *area_lacking(const Synthesis *synthesis) {
    Text text = text_new(synthesis->arena);
    for (int r = 0; r < RESOURCES; r++) {
        int64_t used = synthesis->area.used[r], available = synthesis->device->available[r];
        if (used > available)
            text_printf(&text, "%s%lld %s of %lld", text.length ? ", " : "", (long long)used,
                        resource_names[r], (long long)available);
    }
    return text_string(&text);
}
