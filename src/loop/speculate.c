/* Pass "speculate": loads read, and choices are not made, where nobody looks at the result.
 *
 * A predicate on a load costs a multiplexer that gives 0 where it is false. It is dropped if the
 * address is in range in every iteration anyway, and what the value reaches is only looked at where
 * the predicate holds: a SELECT that takes the other side then, a STORE under the same predicate. A
 * SELECT is its first side if it is only looked at where its condition holds. */
#include "loop/body.h"
#include "loop/predicates.h"
#include "loop/transform.h"

/* True if operation `user` looks at `value` only where the predicate holds, given that its own
 * result is so looked at (`hidden`). */
static bool looks_under(const Nest *nest, int user, int value, int predicate, bool hidden) {
    const Operation *operation = &nest->body.items[user];
    if (operation->predicate == value) return false;
    if (operation_is_access(operation)) {
        int address = operation_address(operation);
        if (address >= 0 && operation->operands[address] == value) return false;
        return predicate_implies(nest, operation->predicate, predicate);
    }
    if (hidden) return true;
    if (operation->opcode != OP_SELECT || operation->operands[0] == value) return false;
    int condition = operation->operands[0];
    bool taken = operation->operands[1] == value, other = operation->operands[2] == value;
    if (taken && other) return false;
    return taken ? condition == predicate : values_are_opposite(nest, condition, predicate);
}

/* Who uses each operation: users[first[i]] .. users[first[i + 1] - 1]. */
typedef struct Uses {
    int *first, *users;
} Uses;

static int values_of(const Operation *operation, int *values) {
    int count = operation_operands(operation);
    for (int k = 0; k < count; k++) values[k] = operation->operands[k];
    if (operation->predicate >= 0) values[count++] = operation->predicate;
    return count;
}

static Uses uses_of(Arena *arena, const Nest *nest) {
    int count = nest->body.count, total = 0, values[4];
    Uses uses = {.first = arena_array(arena, (size_t)count + 2, sizeof(int))};
    for (int i = 0; i < count; i++) {
        int used = values_of(&nest->body.items[i], values);
        for (int k = 0; k < used; k++) uses.first[values[k] + 2]++;
        total += used;
    }
    for (int i = 0; i < count; i++) uses.first[i + 2] += uses.first[i + 1];
    uses.users = arena_array(arena, (size_t)total + 1, sizeof(int));
    for (int i = 0; i < count; i++) {
        int used = values_of(&nest->body.items[i], values);
        for (int k = 0; k < used; k++) uses.users[uses.first[values[k] + 1]++] = i;
    }
    return uses;
}

/* True if all that look at the value do so only where the predicate holds. `depends` and `hidden`
 * have an item per operation and are false at first, and again at the end. */
static bool is_hidden(const Nest *nest, const Uses *uses, int value, int predicate, bool *depends,
                      bool *hidden) {
    int last = value;
    depends[value] = true;
    for (int i = value; i <= last; i++)
        for (int u = uses->first[i]; depends[i] && u < uses->first[i + 1]; u++) {
            depends[uses->users[u]] = true;
            if (uses->users[u] > last) last = uses->users[u];
        }
    for (int i = last; i >= value; i--) {
        hidden[i] = depends[i];
        for (int u = uses->first[i]; hidden[i] && u < uses->first[i + 1]; u++)
            hidden[i] = looks_under(nest, uses->users[u], i, predicate, hidden[uses->users[u]]);
    }
    bool answer = hidden[value];
    for (int i = value; i <= last; i++) depends[i] = hidden[i] = false;
    return answer;
}

static bool is_stored(const Nest *nest, int memory) {
    for (int i = 0; i < nest->body.count; i++)
        if (nest->body.items[i].opcode == OP_STORE && nest->body.items[i].memory == memory)
            return true;
    return false;
}

typedef struct Speculation {
    const Program *program;
    Nest *nest;
    Arena *scratch;
    Uses uses; /* at the start: what is dropped leaves some too many, of the same values */
    bool *depends, *hidden;
} Speculation;

static bool is_hidden_under(const Speculation *speculation, int value, int predicate) {
    return is_hidden(speculation->nest, &speculation->uses, value, predicate, speculation->depends,
                     speculation->hidden);
}

static void speculate_load(const Speculation *speculation, int index) {
    Nest *nest = speculation->nest;
    Operation *load = &nest->body.items[index];
    if (load->predicate < 0 || load->computed) return;
    Range range = affine_range(nest, &load->affine);
    if (range.low < 0 ||
        range.high >= (int64_t)speculation->program->memories.items[load->memory].elements)
        return;
    /* An affine predicate may keep the load apart from stores: then it stays. */
    Constraints list = {0};
    if (is_stored(nest, load->memory) &&
        predicate_constraints(speculation->scratch, nest, load->predicate, &list))
        return;
    if (is_hidden_under(speculation, index, load->predicate)) load->predicate = -1;
}

static void speculate_select(const Speculation *speculation, int index) {
    const Operation *select = &speculation->nest->body.items[index];
    if (!is_hidden_under(speculation, index, select->operands[0])) return;
    for (int i = index + 1; i < speculation->nest->body.count; i++) {
        Operation *user = &speculation->nest->body.items[i];
        for (int k = 0; k < operation_operands(user); k++)
            if (user->operands[k] == index) user->operands[k] = select->operands[1];
    }
}

static void speculate_nest(Nest *nest, void *context) {
    size_t count = (size_t)nest->body.count + 1;
    Speculation speculation = {.program = context, .nest = nest, .scratch = arena_new()};
    speculation.uses = uses_of(speculation.scratch, nest);
    speculation.depends = arena_array(speculation.scratch, count, sizeof(bool));
    speculation.hidden = arena_array(speculation.scratch, count, sizeof(bool));
    for (int i = 0; i < nest->body.count; i++) {
        if (nest->body.items[i].opcode == OP_LOAD) speculate_load(&speculation, i);
        if (nest->body.items[i].opcode == OP_SELECT) speculate_select(&speculation, i);
    }
    nest_remove_dead(speculation.program->arena, nest);
    arena_free(speculation.scratch);
}

bool pass_speculate(Program *program, const LoopOptions *options, Diagnostics *diagnostics) {
    (void)options, (void)diagnostics;
    program_each_nest(program, speculate_nest, program);
    return true;
}
