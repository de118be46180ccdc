/* The operator library: for each operation the hardware that does it, with its latency and delays.
 *
 * One table, one row per operation and class of operands. Each row is of one of three kinds.
 *
 * LOGIC:   combinational; a number of lookup-table levels and carry chains.
 *
 * RANKED:  a primitive of hardware/, with a list of the clocks that its LATENCY reaches.
 *
 * STEPPED: a primitive that makes one digit after another, and spreads its ranks over its steps.
 *
 * `operator_unit` takes the least latency that reaches the clock. The float rows are measured on an
 * ECP5, worst of three seeds (bench/operators), where a measured latency exists; so are integer
 * multiply and divide. The rest is estimated from the cost of a level, a chain and a multiplier
 * block (target.c). */
#include <string.h>

#include "schedule/modulo.h"
#include "schedule/range.h"
#include "schedule/target.h"

/* The operands that a row is for. */
typedef enum OperandClass {
    ANY,
    FLOAT_16, /* f16, bf16 */
    FLOAT_32,
    FLOAT_64,
    SAME_EXPONENT, /* FLOAT_CONVERT that only cuts or widens the fraction */
    WIDENS,        /* FLOAT_CONVERT to a wider type */
    ONE_BLOCK,     /* integers of which one multiplier block does all ... */
    TWO_PARTS,     /* ... that are to be cut in two, ... */
    MANY_PARTS,    /* ... or more */
    WITH_CONSTANT  /* an operand is a constant: no instance is shared, logic shrinks */
} OperandClass;

/* A pipelined unit with this latency reaches `clock` MHz; from its inputs to the first register
 * rank it takes `input` ns. The output is a register, unless there is none. */
typedef struct Rank {
    int latency;
    double clock, input;
} Rank;

/* The steps of a unit that makes one digit after another, in ns, as its file in hardware/ weighs
 * them. It sets its ranks so that the longest stretch between two of them is as short as can be. */
typedef struct Steps {
    int heads;       /* before the digits */
    int more_digits; /* beyond those of the result */
    int tails;       /* at the end */
    bool has_levels; /* normalises the result, level by level, before those */
    double head, digit, digit_per_bit, sticky, level, tail;
} Steps;

typedef struct Row {
    Opcode opcode, unit; /* the operation, and the one after which its unit is called */
    OperandClass operands;
    const char *primitive;
    bool shared;
    /* LOGIC */
    double levels, chains;   /* lookup-table levels; carry chains over the bits that count */
    double levels_per_width; /* times log2 of the width */
    /* RANKED */
    const Rank *ranks;
    int rank_count;
    /* STEPPED */
    const Steps *steps;
    double speed; /* of RANKED and STEPPED: clock and delay relative to those in the lists */
} Row;

static const Rank add_ranks[] = {{0, 28, 34.0}, {1, 28, 33.0}, {2, 52, 16.0}, {3, 71, 8.4},
                                 {4, 94, 8.4},  {5, 130, 8.4}, {6, 130, 5.2}, {7, 135, 5.2}};
static const Rank multiply_ranks[] = {{0, 30, 32.0}, {1, 30, 31.0}, {2, 60, 12.0}, {3, 83, 7.4},
                                      {4, 106, 8.3}, {5, 113, 4.6}, {6, 124, 4.6}, {7, 127, 4.6}};
static const Rank compare_ranks[] = {{0, 150, 5.2}, {1, 160, 5.2}};
static const Rank compare_constant_ranks[] = {{0, 220, 3.6}, {1, 250, 3.6}};
static const Rank extremum_ranks[] = {{0, 145, 5.4}, {1, 155, 5.4}};
static const Rank convert_ranks[] = {{0, 80, 11.0}, {1, 80, 11.0}, {2, 103, 6.0}, {3, 120, 2.5}};
static const Rank widen_ranks[] = {{0, 95, 9.0}, {1, 95, 9.0}, {2, 118, 6.0}, {3, 140, 2.5}};
static const Rank cut_ranks[] = {{0, 180, 4.6}, {1, 180, 4.6}};
/* The first rank but the fourth's is behind a negation and levels of the normalising. */
static const Rank from_integer_ranks[] = {
    {0, 66, 13.5}, {1, 66, 13.5}, {2, 100, 8.5}, {3, 122, 7.5}, {4, 135, 4.5}};
static const Rank to_integer_ranks[] = {{0, 88, 10.0}, {1, 88, 10.0}, {2, 147, 6.0}, {3, 155, 2.6}};
static const Rank block_ranks[] = {{0, 130, 6.6}, {1, 130, 6.6}, {2, 145, 0.8}};
static const Rank two_part_ranks[] = {
    {0, 72, 12.8}, {1, 72, 12.8}, {2, 141, 6.6}, {3, 141, 6.6}, {4, 150, 0.8}};
static const Rank many_part_ranks[] = {
    {0, 50, 18.0}, {1, 50, 18.0}, {2, 85, 6.6}, {3, 130, 6.6}, {4, 135, 0.8}};
static const Steps divide_steps = {2, 3, 2, true, 7.0, 4.5, 0, 6.5, 2.0, 3.5};
static const Steps root_steps = {2, 2, 3, false, 7.0, 4.0, 0, 6.5, 0, 3.5};
/* Here all steps count the same: each is a chain over the operand behind a wide choice. */
static const Steps integer_steps = {1, 0, 1, false, 2.95, 2.95, 0.055, 2.95, 0, 2.95};
/* A power of two: the product is wires. */
static const Rank wire_ranks[] = {{0, 1000, 0.0}};

#define RANKS(list) .ranks = (list), .rank_count = (int)(sizeof(list) / sizeof *(list))
#define RANKED(opcode, unit, operands, primitive, is_shared, list, speed_of)                       \
    {                                                                                              \
        OP_##opcode, OP_##unit, operands, primitive, .shared = is_shared, RANKS(list),             \
                                                     .speed = speed_of                             \
    }
#define STEPPED(opcode, unit, operands, primitive, list, speed_of)                                 \
    {                                                                                              \
        OP_##opcode, OP_##unit, operands, primitive, .shared = true, .steps = &(list),             \
                                                     .speed = speed_of                             \
    }
#define LOGIC(opcode, operands, levels, chains, per_width)                                         \
    { OP_##opcode, OP_##opcode, operands, NULL, false, levels, chains, per_width, NULL, 0, NULL, 1 }

/* The first row that fits is taken. */
static const Row rows[] = {
    RANKED(FLOAT_ADD, FLOAT_ADD, FLOAT_16, "float_add", true, add_ranks, 1.2),
    RANKED(FLOAT_ADD, FLOAT_ADD, FLOAT_32, "float_add", true, add_ranks, 1.0),
    RANKED(FLOAT_ADD, FLOAT_ADD, FLOAT_64, "float_add", true, add_ranks, 0.8),
    RANKED(FLOAT_SUBTRACT, FLOAT_ADD, FLOAT_16, "float_add", true, add_ranks, 1.2),
    RANKED(FLOAT_SUBTRACT, FLOAT_ADD, FLOAT_32, "float_add", true, add_ranks, 1.0),
    RANKED(FLOAT_SUBTRACT, FLOAT_ADD, FLOAT_64, "float_add", true, add_ranks, 0.8),
    RANKED(FLOAT_MULTIPLY, FLOAT_MULTIPLY, FLOAT_16, "float_multiply", true, multiply_ranks, 1.15),
    RANKED(FLOAT_MULTIPLY, FLOAT_MULTIPLY, FLOAT_32, "float_multiply", true, multiply_ranks, 1.0),
    RANKED(FLOAT_MULTIPLY, FLOAT_MULTIPLY, FLOAT_64, "float_multiply", true, multiply_ranks, 0.75),
    STEPPED(FLOAT_DIVIDE, FLOAT_DIVIDE, FLOAT_64, "float_divide", divide_steps, 0.75),
    STEPPED(FLOAT_DIVIDE, FLOAT_DIVIDE, ANY, "float_divide", divide_steps, 1.0),
    STEPPED(FLOAT_SQRT, FLOAT_SQRT, FLOAT_64, "float_sqrt", root_steps, 0.75),
    STEPPED(FLOAT_SQRT, FLOAT_SQRT, ANY, "float_sqrt", root_steps, 1.0),

    RANKED(FLOAT_COMPARE, FLOAT_COMPARE, WITH_CONSTANT, "float_compare", false,
           compare_constant_ranks, 1.0),
    RANKED(FLOAT_COMPARE, FLOAT_COMPARE, FLOAT_64, "float_compare", false, compare_ranks, 0.8),
    RANKED(FLOAT_COMPARE, FLOAT_COMPARE, ANY, "float_compare", false, compare_ranks, 1.0),
    RANKED(FLOAT_MINIMUM, FLOAT_MINIMUM, FLOAT_64, "float_minimum", false, extremum_ranks, 0.8),
    RANKED(FLOAT_MINIMUM, FLOAT_MINIMUM, ANY, "float_minimum", false, extremum_ranks, 1.0),
    RANKED(FLOAT_MAXIMUM, FLOAT_MAXIMUM, FLOAT_64, "float_maximum", false, extremum_ranks, 0.8),
    RANKED(FLOAT_MAXIMUM, FLOAT_MAXIMUM, ANY, "float_maximum", false, extremum_ranks, 1.0),
    RANKED(FLOAT_CONVERT, FLOAT_CONVERT, SAME_EXPONENT, "float_convert", false, cut_ranks, 1.0),
    /* Two in front of each multiplier of a mixed-precision sum, and smaller than a multiplexer. */
    RANKED(FLOAT_CONVERT, FLOAT_CONVERT, WIDENS, "float_convert", false, widen_ranks, 1.0),
    RANKED(FLOAT_CONVERT, FLOAT_CONVERT, FLOAT_64, "float_convert", true, convert_ranks, 0.8),
    RANKED(FLOAT_CONVERT, FLOAT_CONVERT, ANY, "float_convert", true, convert_ranks, 1.0),
    RANKED(FLOAT_TO_SIGNED, FLOAT_TO_SIGNED, FLOAT_64, "float_to_int", true, to_integer_ranks, 0.8),
    RANKED(FLOAT_TO_SIGNED, FLOAT_TO_SIGNED, ANY, "float_to_int", true, to_integer_ranks, 1.0),
    RANKED(FLOAT_TO_UNSIGNED, FLOAT_TO_UNSIGNED, FLOAT_64, "float_to_int", true, to_integer_ranks,
           0.8),
    RANKED(FLOAT_TO_UNSIGNED, FLOAT_TO_UNSIGNED, ANY, "float_to_int", true, to_integer_ranks, 1.0),
    RANKED(SIGNED_TO_FLOAT, SIGNED_TO_FLOAT, MANY_PARTS, "int_to_float", true, from_integer_ranks,
           0.8),
    RANKED(SIGNED_TO_FLOAT, SIGNED_TO_FLOAT, ANY, "int_to_float", true, from_integer_ranks, 1.0),
    RANKED(UNSIGNED_TO_FLOAT, UNSIGNED_TO_FLOAT, MANY_PARTS, "int_to_float", true,
           from_integer_ranks, 0.8),
    RANKED(UNSIGNED_TO_FLOAT, UNSIGNED_TO_FLOAT, ANY, "int_to_float", true, from_integer_ranks,
           1.0),
    LOGIC(FLOAT_NEGATE, ANY, 0, 0, 0),
    LOGIC(FLOAT_ABSOLUTE, ANY, 0, 0, 0),

    RANKED(MULTIPLY, MULTIPLY, ONE_BLOCK, "int_multiply", true, block_ranks, 1.0),
    RANKED(MULTIPLY, MULTIPLY, TWO_PARTS, "int_multiply", true, two_part_ranks, 1.0),
    RANKED(MULTIPLY, MULTIPLY, ANY, "int_multiply", true, many_part_ranks, 1.0),
    STEPPED(DIVIDE_SIGNED, DIVIDE_SIGNED, ANY, "int_divide", integer_steps, 1.0),
    STEPPED(DIVIDE_UNSIGNED, DIVIDE_UNSIGNED, ANY, "int_divide", integer_steps, 1.0),
    STEPPED(REMAINDER_SIGNED, DIVIDE_SIGNED, ANY, "int_divide", integer_steps, 1.0),
    STEPPED(REMAINDER_UNSIGNED, DIVIDE_UNSIGNED, ANY, "int_divide", integer_steps, 1.0),
    LOGIC(ADD, ANY, 0, 1, 0),
    LOGIC(SUBTRACT, ANY, 0, 1, 0),
    LOGIC(AND, WITH_CONSTANT, 0, 0, 0),
    LOGIC(AND, ANY, 1, 0, 0),
    LOGIC(OR, WITH_CONSTANT, 0, 0, 0),
    LOGIC(OR, ANY, 1, 0, 0),
    LOGIC(XOR, WITH_CONSTANT, 0, 0, 0),
    LOGIC(XOR, ANY, 1, 0, 0),
    LOGIC(SHIFT_LEFT, WITH_CONSTANT, 0, 0, 0),
    LOGIC(SHIFT_LEFT, ANY, 1, 0, 1.0),
    LOGIC(SHIFT_RIGHT_UNSIGNED, WITH_CONSTANT, 0, 0, 0),
    LOGIC(SHIFT_RIGHT_UNSIGNED, ANY, 1, 0, 1.0),
    LOGIC(SHIFT_RIGHT_SIGNED, WITH_CONSTANT, 0, 0, 0),
    LOGIC(SHIFT_RIGHT_SIGNED, ANY, 1, 0, 1.0),
    LOGIC(MINIMUM_SIGNED, ANY, 1, 1, 0),
    LOGIC(MAXIMUM_SIGNED, ANY, 1, 1, 0),
    LOGIC(MINIMUM_UNSIGNED, ANY, 1, 1, 0),
    LOGIC(MAXIMUM_UNSIGNED, ANY, 1, 1, 0),
    LOGIC(COMPARE, ANY, 0, 1, 0),
    LOGIC(EXTEND_SIGNED, ANY, 0, 0, 0),
    LOGIC(EXTEND_UNSIGNED, ANY, 0, 0, 0),
    LOGIC(TRUNCATE, ANY, 0, 0, 0),
    LOGIC(SELECT, ANY, 1, 0, 0),
    LOGIC(BITCAST, ANY, 0, 0, 0),
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Operands up to these widths do with one multiplier block of 18 x 18 bits, with two parts each.
 * The width of a shared unit's operands is one of `operand_widths`, so that nests share; products
 * by a constant, whose types follow the ranges of their values, are of SCALED_BITS or 64. */
enum { ONE_BLOCK_BITS = 18, TWO_PART_BITS = 35, WIDE_INTEGER = 33, SCALED_BITS = 48 };
static const int operand_widths[] = {9, ONE_BLOCK_BITS, TWO_PART_BITS, 64};

/* --- what the operation is like --- */

static const Operation *operand_of(const Nest *nest, const Operation *op, int n) {
    return op->operands[n] < 0 ? NULL : &nest->body.items[op->operands[n]];
}

/* The constant operand that makes hardware smaller: of a shift, only the amount. */
static const Operation *constant_operand(const Nest *nest, const Operation *op) {
    const Operation *right = operand_of(nest, op, 1), *left = operand_of(nest, op, 0);
    bool shift = op->opcode == OP_SHIFT_LEFT || op->opcode == OP_SHIFT_RIGHT_UNSIGNED ||
                 op->opcode == OP_SHIFT_RIGHT_SIGNED;
    if (right && right->opcode == OP_CONSTANT) return right;
    return !shift && left && left->opcode == OP_CONSTANT ? left : NULL;
}

static bool takes_operand_bits(const Operation *op) {
    return op->opcode == OP_MULTIPLY || op->opcode == OP_DIVIDE_SIGNED ||
           op->opcode == OP_DIVIDE_UNSIGNED || op->opcode == OP_REMAINDER_SIGNED ||
           op->opcode == OP_REMAINDER_UNSIGNED || op->opcode == OP_SIGNED_TO_FLOAT;
}

/* Bits of the integer operands that count: what they can hold, as signed numbers. */
static int significant_bits(const Nest *nest, const Operation *op, int width) {
    int bits = 1;
    for (int n = 0; n < 3; n++) {
        const Operation *operand = operand_of(nest, op, n);
        if (!operand || operand->type.kind != SCALAR_INTEGER || operand->type.width != width)
            continue;
        Range range = value_range(nest, op->operands[n]);
        bool is_unsigned = op->opcode == OP_DIVIDE_UNSIGNED || op->opcode == OP_REMAINDER_UNSIGNED;
        if (is_unsigned && range.low < 0) return width;
        int used = range_bits(range);
        if (used > bits) bits = used;
    }
    return bits < width ? bits : width;
}

static int operand_bits(const Nest *nest, const Operation *op, int width) {
    if (!takes_operand_bits(op)) return width;
    int bits = significant_bits(nest, op, width);
    for (size_t i = 0; i < sizeof operand_widths / sizeof *operand_widths; i++)
        if (bits <= operand_widths[i]) return operand_widths[i] < width ? operand_widths[i] : width;
    return width;
}

static bool row_fits(const Row *row, const Nest *nest, const Operation *op, Scalar type, int bits) {
    switch (row->operands) {
    case ANY: return true;
    case FLOAT_16: return type.width <= 16;
    case FLOAT_32: return type.width > 16 && type.width <= 32;
    case FLOAT_64: return type.width > 32 || op->type.width > 32;
    case SAME_EXPONENT: return type.exponent == op->type.exponent;
    case WIDENS: return type.width < op->type.width;
    case ONE_BLOCK: return bits <= ONE_BLOCK_BITS;
    case TWO_PARTS: return bits <= TWO_PART_BITS;
    case MANY_PARTS: return bits >= WIDE_INTEGER;
    case WITH_CONSTANT: return constant_operand(nest, op) != NULL;
    }
    return false;
}

static const Row *row_of(const Nest *nest, const Operation *op, Scalar type, int bits) {
    for (int r = 0; r < ROWS; r++)
        if (rows[r].opcode == op->opcode && row_fits(&rows[r], nest, op, type, bits))
            return &rows[r];
    return NULL;
}

/* --- the unit --- */

enum { MANY_SOURCES = 32 };

static double log2_of(int width) {
    int bits = 0;
    while (1 << bits < width) bits++;
    return bits;
}

static double row_delay(const TargetDelays *delays, const Row *row, int width, int chain_bits) {
    return delays->level * (row->levels + row->levels_per_width * log2_of(width)) +
           row->chains * carry_delay(delays, chain_bits);
}

/* The multiplexer in front of a shared unit: lookup tables that tell which operation it is for, and
 * then choose between the sources; wide ones, that is with long ways. */
static double share_delay(const TargetDelays *delays, int sources) {
    static const int reach[] = {1, 1, 2, 8, 32, 128}; /* of so many levels */
    int levels = 0;
    while (levels < (int)(sizeof reach / sizeof *reach) - 1 && reach[levels] < sources) levels++;
    return 1.2 * levels * delays->level;
}

double unit_sharing_delay(const Target *target, int sources) {
    return share_delay(target_delays(target), sources);
}

/* Whether calyx/ makes the registers of Unit.input_ranks. */
static const bool input_ranks_are_built = true;

/* In a design a unit is placed worse than alone, as it was measured. */
static const double design_margin = 1.15;

/* The least latency whose clock and first rank fit. If there is none, the one that comes nearest:
 * with the best clock, or, of those that reach it, the shortest first rank. */
static const Rank *choose_rank(const Row *row, double clock, double room) {
    const Rank *best = &row->ranks[0];
    for (int i = 0; i < row->rank_count; i++) {
        const Rank *rank = &row->ranks[i];
        bool reaches = rank->clock >= clock;
        if (reaches ? best->clock < clock || rank->input < best->input : rank->clock > best->clock)
            best = rank;
        if (reaches && rank->input <= room) break;
    }
    return best;
}

/* The choice between operands takes a rank of its own where that costs no more latency than ranks
 * in the primitive that leave it room, or where none do. */
static void use_ranks(Unit *unit, const Target *target, const Row *row, double before) {
    double speed = row->speed * target_delays(target)->float_speed;
    double clock = 1000 * design_margin / target->period / speed;
    double budget = target_budget(target);
    const Rank *chained = choose_rank(row, clock, (budget - before) * speed);
    const Rank *apart = choose_rank(row, clock, budget * speed);
    bool fits = chained->input / speed + before <= budget;
    if (input_ranks_are_built && before > 0 && apart->latency > 0 &&
        (!fits || apart->latency + 1 < chained->latency)) {
        unit->input_ranks = 1;
        unit->latency = apart->latency + 1;
        unit->input_delay = before;
    } else {
        unit->latency = chained->latency;
        unit->input_delay = chained->input / speed + before;
    }
}

/* Steps of a digit unit for results of some bits: how many, and the delay of one. */
static int step_count(const Steps *steps, int bits) {
    int levels = steps->has_levels ? (int)log2_of(bits + 2) + 1 : 0;
    return steps->heads + bits + steps->more_digits + 1 + levels + steps->tails;
}

static double step_delay(const Steps *steps, int bits, int step) {
    double per_bit = steps->digit_per_bit * bits;
    int digits = bits + steps->more_digits, count = step_count(steps, bits);
    if (step < steps->heads) return steps->head + per_bit;
    if (step < steps->heads + digits) return steps->digit + per_bit;
    if (step == steps->heads + digits) return steps->sticky + per_bit;
    return count - step <= steps->tails ? steps->tail + per_bit : steps->level;
}

/* The number of stretches if none is longer than `limit`, unless it is a single step; and the
 * length of the first one. The unit with so many ranks does at least as well. */
static int stretches(const Steps *steps, int bits, double limit, double *first) {
    double stretch = 0;
    int count = 0;
    *first = 0;
    for (int step = 0; step < step_count(steps, bits); step++) {
        double delay = step_delay(steps, bits, step);
        if (count == 0 || stretch + delay > limit) {
            count++;
            stretch = 0;
        }
        stretch += delay;
        if (count == 1) *first = stretch;
    }
    return count;
}

/* As few ranks as keep the way between two of them within the period. */
static void use_steps(Unit *unit, const Target *target, const Row *row, int bits, double before) {
    const TargetDelays *delays = target_delays(target);
    double speed = row->speed * delays->float_speed, first;
    /* The weights of the steps hold the margin for placement already. */
    double room = (target->period - delays->overhead) * speed;
    unit->latency = stretches(row->steps, bits, room, &first);
    unit->input_delay = first / speed + before;
    if (!input_ranks_are_built || before <= 0 || unit->input_delay <= target_budget(target)) return;
    unit->input_ranks = 1;
    unit->latency++;
    unit->input_delay = before;
}

static bool is_power_of_two(const Operation *constant) {
    Bits bits = constant->bits & bits_mask(constant->type.width);
    return (bits & (bits - 1)) == 0;
}

static const Row wires = {OP_MULTIPLY,    OP_MULTIPLY,       ANY,
                          "int_multiply", RANKS(wire_ranks), .speed = 1};

static Scalar operand_type(const Nest *nest, const Operation *op) {
    const Operation *operand = operand_of(nest, op, op->opcode == OP_SELECT ? 1 : 0);
    return operand ? operand->type : op->type;
}

/* At whatever latency; if nothing is known, there is no choice. */
int bound_sources(const Schedule *bound, const Unit *unit) {
    for (int u = 0; bound && u < bound->unit_count; u++) {
        Unit known = bound->units[u].unit;
        known.latency = unit->latency;
        known.input_ranks = unit->input_ranks;
        if (unit_equal(&known, unit)) return bound->units[u].sources;
    }
    return 1;
}

Unit operator_unit_bound(const Target *target, const Nest *nest, const Operation *op,
                         const Schedule *bound) {
    Scalar type = operand_type(nest, op);
    int bits = operand_bits(nest, op, type.width);
    const Row *row = row_of(nest, op, type, bits);
    Unit unit = {.opcode = op->opcode,
                 .type = type,
                 .result = opcode_info[op->opcode].result == RESULT_BOOL ? SCALAR_I(1) : op->type,
                 .pipelined = true,
                 .operand_bits = bits};
    if (!row) { /* memory and sources: no unit */
        unit.latency = op->opcode == OP_LOAD ? 1 : 0;
        return unit;
    }
    const Operation *constant = constant_operand(nest, op);
    if (op->opcode == OP_MULTIPLY && constant && is_power_of_two(constant)) row = &wires;
    unit.opcode = row->unit;
    unit.primitive = row->primitive;
    /* By a constant, an integer multiply of one block is hardware of its own, and less. Of more it
     * is worth a choice between operands, but not a cycle. */
    bool scales = op->opcode == OP_MULTIPLY && constant;
    unit.ample = scales && row->shared && bits > ONE_BLOCK_BITS;
    unit.shared = row->shared && (!scales || unit.ample);
    if (unit.ample && type.width > TWO_PART_BITS)
        unit.type.width = unit.result.width = type.width <= SCALED_BITS ? SCALED_BITS : 64;
    double before = unit.shared ? unit_sharing_delay(target, bound_sources(bound, &unit)) : 0;
    if (row->ranks) {
        use_ranks(&unit, target, row, before);
    } else if (row->steps) {
        bool floating = type.kind == SCALAR_FLOAT;
        use_steps(&unit, target, row, floating ? type.width - type.exponent - 1 : bits, before);
    } else {
        int chain = type.kind == SCALAR_INTEGER && row->chains > 0
                        ? significant_bits(nest, op, type.width)
                        : 0;
        unit.input_delay = row_delay(target_delays(target), row, type.width, chain);
    }
    return unit;
}

Unit operator_unit(const Target *target, const Nest *nest, const Operation *op) {
    return operator_unit_bound(target, nest, op, NULL);
}

bool unit_equal(const Unit *a, const Unit *b) {
    if (!a->primitive || !b->primitive)
        return a->primitive == b->primitive && a->opcode == b->opcode &&
               scalar_equal(a->type, b->type) && scalar_equal(a->result, b->result);
    return strcmp(a->primitive, b->primitive) == 0 && a->opcode == b->opcode &&
           a->latency == b->latency && a->input_ranks == b->input_ranks && a->shared == b->shared &&
           a->ample == b->ample && a->operand_bits == b->operand_bits &&
           scalar_equal(a->type, b->type) && scalar_equal(a->result, b->result);
}

int accumulation_cycles(const Target *target, Scalar type) {
    Opcode sum = type.kind == SCALAR_FLOAT ? OP_FLOAT_ADD : OP_ADD;
    Operation body[] = {{.opcode = OP_LOAD, .type = type, .operands = {-1, -1, -1}},
                        {.opcode = sum, .type = type, .operands = {0, 0, -1}}};
    Nest nest = {.name = "accumulation"};
    nest.body.items = body;
    nest.body.count = 2;
    /* The adder may serve many nests; the sum may come from a block RAM, through a choice between
     * it and the initial value. To count on less could double the II. */
    Unit unit = operator_unit(target, &nest, &body[1]);
    Schedule bound = {.unit_count = 1,
                      .units = &(UnitCount){.unit = unit, .sources = MANY_SOURCES}};
    unit = operator_unit_bound(target, &nest, &body[1], &bound);
    const TargetDelays *delays = target_delays(target);
    double arrival = delays->block_read + delays->level + unit.input_delay;
    int registers = arrival > target_budget(target) ? 1 : 0;
    return 1 + registers + unit.latency + 1;
}
