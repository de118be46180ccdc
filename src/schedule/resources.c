/* What the operations of a nest compete for: ports of memory banks, and units of a kind. */
#include "schedule/modulo.h"

#include "schedule/range.h"

/* --- banks --- */

int memory_banks(const Memory *memory) {
    int banks = 1;
    for (int d = 0; d < memory->rank; d++)
        if (memory->partition[d].scheme != PARTITION_NONE) banks *= memory->partition[d].factor;
    return banks;
}

/* The range of an affine address modulo `modulus`, if no iteration crosses a multiple of it: terms
 * that are multiples of the modulus do not count. */
static bool range_modulo(const Nest *nest, const Affine *affine, int64_t modulus, Range *range) {
    *range = (Range){affine->constant, affine->constant};
    for (int l = 0; l < nest->loop_count; l++) {
        int64_t step = affine->coefficients[l] % modulus;
        if (step == 0) continue;
        if (nest->loops[l].trip > INT64_MAX / 2 / modulus) return false;
        int64_t reach = step * (nest->loops[l].trip - 1);
        if (reach < 0)
            range->low += reach;
        else
            range->high += reach;
        if (range->high - range->low >= modulus) return false;
    }
    int64_t base = floor_divide(range->low, modulus);
    if (floor_divide(range->high, modulus) != base) return false;
    *range = (Range){range->low - base * modulus, range->high - base * modulus};
    return true;
}

/* The part of a dimension that an address lies in, or -1. `stride` is the dimension's. */
static int bank_in_dimension(const Nest *nest, const Affine *affine, const Memory *memory, int d,
                             int64_t stride) {
    int64_t size = memory->shape[d], factor = memory->partition[d].factor;
    bool cyclic = memory->partition[d].scheme == PARTITION_CYCLIC;
    int64_t block = cyclic ? 1 : (size + factor - 1) / factor;
    Range range;
    /* A dimension repeats after size x stride words; its cyclic banks already after factor x
     * stride, if they go up in its size. */
    int64_t period = size * stride;
    if (cyclic && (size % factor == 0 || d == 0)) period = factor * stride;
    if (!range_modulo(nest, affine, period, &range)) return -1;
    int64_t first = range.low / stride / block, last = range.high / stride / block;
    return first == last ? (int)(first % factor) : -1;
}

int access_bank(const Program *program, const Nest *nest, const Operation *operation) {
    const Memory *memory = &program->memories.items[operation->memory];
    if (memory_banks(memory) == 1) return 0;
    if (operation->computed) return -1;
    int64_t stride = 1, bank = 0, radix = 1;
    for (int d = memory->rank - 1; d >= 0; stride *= memory->shape[d--]) {
        if (memory->partition[d].scheme == PARTITION_NONE || memory->partition[d].factor < 2)
            continue;
        int part = bank_in_dimension(nest, &operation->affine, memory, d, stride);
        if (part < 0) return -1;
        bank += part * radix;
        radix *= memory->partition[d].factor;
    }
    return (int)bank;
}

/* --- resources --- */

static int resource_of(Problem *problem, Resource wanted) {
    for (int r = 0; r < problem->resources.count; r++) {
        const Resource *resource = &problem->resources.items[r];
        if (resource->memory == wanted.memory && resource->writes == wanted.writes &&
            resource->bank == wanted.bank && resource->unit == wanted.unit &&
            resource->role == wanted.role)
            return r;
    }
    vector_push(problem->arena, &problem->resources, wanted);
    return problem->resources.count - 1;
}

/* Distinct banks that the results of a nest go to: its stores but those of running sums. */
static int output_banks(const Problem *problem) {
    Vector(Resource) seen = {0};
    for (int i = 0; i < problem->count; i++) {
        const Operation *op = &problem->body[i];
        if (op->opcode != OP_STORE || problem->recurrent[i]) continue;
        int bank = access_bank(problem->program, problem->nest, op), k = 0;
        while (k < seen.count && (seen.items[k].memory != op->memory || seen.items[k].bank != bank))
            k++;
        if (k == seen.count)
            vector_push(problem->arena, &seen, (Resource){.memory = op->memory, .bank = bank});
    }
    return seen.count > 0 ? seen.count : 1;
}

/* An access whose bank is not known takes the port of every bank. */
static void use_ports(Problem *problem, int i) {
    const Operation *op = &problem->body[i];
    if (op->opcode == OP_LOAD && memory_is_register(&problem->program->memories.items[op->memory]))
        return;
    int banks = memory_banks(&problem->program->memories.items[op->memory]);
    int bank = access_bank(problem->program, problem->nest, op);
    int count = bank < 0 ? banks : 1;
    problem->uses[i].items = arena_array(problem->arena, (size_t)count, sizeof(int));
    for (int k = 0; k < count; k++)
        problem->uses[i].items[problem->uses[i].count++] =
            resource_of(problem, (Resource){.memory = op->memory,
                                            .writes = op->opcode == OP_STORE,
                                            .bank = bank < 0 ? k : bank,
                                            .unit = -1,
                                            .capacity = 1});
}

static void use_unit(Problem *problem, int i, bool merged, int tail_units) {
    Role role = merged ? ROLE_OTHER : problem->roles[i];
    problem->uses[i].items = arena_array(problem->arena, 1, sizeof(int));
    problem->uses[i].items[problem->uses[i].count++] = resource_of(
        problem, (Resource){.memory = -1,
                            .unit = problem->unit_of[i],
                            .role = role,
                            .capacity = role == ROLE_TAIL ? tail_units : problem->parallel});
}

static bool makes_digits(const Unit *unit) {
    return unit->opcode == OP_FLOAT_DIVIDE || unit->opcode == OP_FLOAT_SQRT ||
           unit->opcode == OP_DIVIDE_SIGNED || unit->opcode == OP_DIVIDE_UNSIGNED;
}

/* As many units as the operations need at an II. */
static int units_filled(const Resource *resource, int interval) {
    return (resource->busy + interval - 1) / interval;
}

void problem_resources(Problem *problem, Pools pools, int interval) {
    problem->resources.count = 0;
    problem->uses = arena_array(problem->arena, (size_t)problem->count + 1, sizeof(IntList));
    int tail_units = output_banks(problem);
    for (int i = 0; i < problem->count; i++) {
        const Unit *unit =
            problem->unit_of[i] < 0 ? NULL : &problem->units.items[problem->unit_of[i]];
        if (problem->body[i].opcode == OP_LOAD || problem->body[i].opcode == OP_STORE)
            use_ports(problem, i);
        else if (unit && unit->shared && !unit->ample)
            use_unit(problem, i, pools.merged, tail_units);
        for (int k = 0; k < problem->uses[i].count; k++) {
            Resource *resource = &problem->resources.items[problem->uses[i].items[k]];
            resource->users++;
            resource->busy += problem->busy[i];
        }
    }
    for (int r = 0; r < problem->resources.count; r++) {
        Resource *resource = &problem->resources.items[r];
        int needed = units_filled(resource, interval);
        if (resource->unit < 0) continue;
        if (pools.least && needed < resource->capacity) resource->capacity = needed;
        if (pools.digit_units && pools.digit_units < resource->capacity &&
            makes_digits(&problem->units.items[resource->unit]))
            resource->capacity = pools.digit_units;
    }
}

int most_digit_units(const Problem *problem, int interval) {
    int most = 0;
    for (int r = 0; r < problem->resources.count; r++) {
        const Resource *resource = &problem->resources.items[r];
        if (resource->unit < 0 || !makes_digits(&problem->units.items[resource->unit])) continue;
        int units = units_filled(resource, interval);
        if (units > resource->capacity) units = resource->capacity;
        if (units > most) most = units;
    }
    return most;
}
