/* Random inputs; see inputs.h for what is drawn. */
#include "simulate/inputs.h"

#include <math.h>

uint64_t random_bits(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* In (0, 1]: its logarithm is finite. */
static double random_unit(uint64_t *state) {
    return (double)((random_bits(state) >> 11) + 1) * 0x1p-53;
}

double random_normal(uint64_t *state) {
    static const double two_pi = 6.283185307179586;
    double radius = sqrt(-2 * log(random_unit(state)));
    return radius * cos(two_pi * random_unit(state));
}

static Bits random_element(const Tensor *tensor, int64_t limit, uint64_t *state) {
    Scalar type = tensor->type;
    if (type.kind == SCALAR_FLOAT) return bits_from_double(type, random_normal(state));
    uint64_t bits = random_bits(state) >> 32;
    if (type.width == 1) return bits & 1;
    if (limit > 0) return bits % (uint64_t)limit & bits_mask(type.width);
    uint64_t small = bits & 15;
    if (!tensor->is_unsigned) small = (small ^ 8) - 8; /* sign-extended */
    return small & bits_mask(type.width);
}

void tensor_random_below(Arena *arena, Tensor *tensor, int64_t limit, uint64_t *state) {
    tensor->data = arena_array(arena, tensor->elements + 1, scalar_bytes(tensor->type));
    for (size_t i = 0; i < tensor->elements; i++)
        bits_store(tensor->type, tensor->data, i, random_element(tensor, limit, state));
}

void tensor_random(Arena *arena, Tensor *tensor, uint64_t *state) {
    tensor_random_below(arena, tensor, 0, state);
}
