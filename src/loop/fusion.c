/* Shared by the fusing passes: accesses of stages, copying of operations, predicates, costs. */
#include "loop/fusion.h"

/* --- stages --- */

static void note_accesses(const Node *node, Stage *stage) {
    for (int i = 0; node->nest && i < node->nest->body.count; i++) {
        const Operation *operation = &node->nest->body.items[i];
        if (operation->opcode == OP_LOAD) stage->reads[operation->memory] = true;
        if (operation->opcode == OP_STORE) stage->writes[operation->memory] = true;
    }
    if (node->condition >= 0) stage->reads[node->condition] = true;
    for (int i = 0; i < node->children.count; i++) note_accesses(node->children.items[i], stage);
}

/* What is accessed outside of the subtree `inside`. */
static void note_outside(const Node *node, const Node *inside, Stage *rest) {
    if (node == inside) return;
    Node alone = *node;
    alone.children.count = 0;
    note_accesses(&alone, rest);
    for (int i = 0; i < node->children.count; i++)
        note_outside(node->children.items[i], inside, rest);
}

Stages stages_of(const Program *program, Node *parent, Arena *arena) {
    size_t memories = (size_t)program->memories.count + 1;
    Stages stages = {.parent = parent, .count = parent->children.count};
    stages.items = arena_array(arena, (size_t)stages.count + 1, sizeof *stages.items);
    for (int i = 0; i < stages.count; i++) {
        Stage *stage = &stages.items[i];
        stage->node = parent->children.items[i];
        stage->nest = stage->node->kind == NODE_NEST ? stage->node->nest : NULL;
        stage->reads = arena_array(arena, memories, sizeof(bool));
        stage->writes = arena_array(arena, memories, sizeof(bool));
        note_accesses(stage->node, stage);
    }
    stages.outside = arena_array(arena, memories, sizeof(bool));
    Stage rest = {.reads = stages.outside, .writes = stages.outside};
    note_outside(program->root, parent, &rest);
    for (int i = 0; i < program->memories.count; i++)
        if (i < program->input_count + program->output_count || program->memories.items[i].is_bank)
            stages.outside[i] = true;
    return stages;
}

void stage_remove(const Stages *stages, int stage) {
    Node *parent = stages->parent;
    for (int i = stage; i + 1 < parent->children.count; i++)
        parent->children.items[i] = parent->children.items[i + 1];
    parent->children.count--;
}

static bool change_node(Program *program, Node *node,
                        bool (*change)(Program *program, const Stages *stages)) {
    for (int i = 0; i < node->children.count; i++)
        if (change_node(program, node->children.items[i], change)) return true;
    if (node->kind != NODE_SEQUENCE && node->kind != NODE_LOOP) return false;
    Arena *scratch = arena_new();
    Stages stages = stages_of(program, node, scratch);
    bool changed = change(program, &stages);
    arena_free(scratch);
    return changed;
}

void each_stages(Program *program, bool (*change)(Program *program, const Stages *stages)) {
    while (change_node(program, program->root, change)) continue;
}

bool stages_read(const Stages *stages, int first, int last, int memory) {
    for (int i = first; i <= last && i < stages->count; i++)
        if (stages->items[i].reads[memory]) return true;
    return false;
}

bool stages_write(const Stages *stages, int first, int last, int memory) {
    for (int i = first; i <= last && i < stages->count; i++)
        if (stages->items[i].writes[memory]) return true;
    return false;
}

int count_accesses(const Nest *nest, Opcode opcode, int memory) {
    int count = 0;
    for (int i = 0; i < nest->body.count; i++)
        count += nest->body.items[i].opcode == opcode && nest->body.items[i].memory == memory;
    return count;
}

int only_access(const Nest *nest, Opcode opcode, int memory) {
    if (count_accesses(nest, opcode, memory) != 1) return -1;
    int index = 0;
    while (nest->body.items[index].opcode != opcode || nest->body.items[index].memory != memory)
        index++;
    return index;
}

typedef struct Users {
    Program *program;
    int *counts;
} Users;

static void count_users(Nest *nest, void *context) {
    const Users *users = context;
    Arena *scratch = arena_new();
    bool *seen = arena_array(scratch, (size_t)users->program->memories.count + 1, sizeof *seen);
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *access = &nest->body.items[i];
        if (!operation_is_access(access) || seen[access->memory]) continue;
        seen[access->memory] = true;
        users->counts[access->memory]++;
    }
    arena_free(scratch);
}

static void count_conditions(const Node *node, const Users *users) {
    if (node->condition >= 0) users->counts[node->condition]++;
    for (int i = 0; i < node->children.count; i++) count_conditions(node->children.items[i], users);
}

int *memory_users(Program *program) {
    Users users = {program,
                   arena_array(program->arena, (size_t)program->memories.count + 1, sizeof(int))};
    program_each_nest(program, count_users, &users);
    count_conditions(program->root, &users);
    for (int m = 0; m < program->memories.count; m++)
        if (program->memories.items[m].is_bank || m < program->input_count + program->output_count)
            users.counts[m]++;
    return users.counts;
}

int local_memory(Program *program, const Memory *like, const char *suffix) {
    Memory copy = *like;
    NameSet *names = names_new(program->arena);
    for (int i = 0; i < program->memories.count; i++)
        names_unique(names, program->memories.items[i].name);
    copy.name = names_unique(names, string_format(program->arena, "%s_%s", like->name, suffix));
    copy.tensor_name = NULL;
    copy.kind = MEMORY_LOCAL;
    copy.is_bank = false;
    copy.is_bool = copy.is_unsigned = false;
    copy.data = NULL;
    vector_push(program->arena, &program->memories, copy);
    return program->memories.count - 1;
}

/* --- rearrangements --- */

/* What makes no unit of its own: positions, choices and loads. */
static bool is_free(Opcode opcode) {
    static const bool free_opcodes[OPCODE_COUNT] = {
        [OP_CONSTANT] = true, [OP_INDEX] = true,    [OP_LOAD] = true, [OP_COMPARE] = true,
        [OP_AND] = true,      [OP_OR] = true,       [OP_XOR] = true,  [OP_SELECT] = true,
        [OP_BITCAST] = true,  [OP_TRUNCATE] = true,
    };
    return free_opcodes[opcode];
}

enum { MOST_LOADS = 2 };

int free_store(Arena *arena, const Nest *nest, int memory) {
    int index = only_access(nest, OP_STORE, memory), loads = 0;
    if (index < 0 || count_accesses(nest, OP_LOAD, memory) > 0) return -1;
    const Operation *store = &nest->body.items[index];
    if (store->predicate >= 0 || store->computed) return -1;
    bool *needed = arena_array(arena, (size_t)nest->body.count + 1, sizeof *needed);
    needed[store->operands[0]] = true;
    for (int i = index - 1; i >= 0; i--) {
        const Operation *operation = &nest->body.items[i];
        if (!needed[i]) continue;
        if (!is_free(operation->opcode)) return -1;
        loads += operation->opcode == OP_LOAD;
        for (int k = 0; k < operation_operands(operation); k++)
            needed[operation->operands[k]] = true;
        if (operation->predicate >= 0) needed[operation->predicate] = true;
    }
    return loads <= MOST_LOADS ? index : -1;
}

bool sources_change(const Stages *stages, const Nest *writer, int first, int last) {
    for (int i = 0; i < writer->body.count; i++)
        if (writer->body.items[i].opcode == OP_LOAD &&
            stages_write(stages, first, last, writer->body.items[i].memory))
            return true;
    return false;
}

/* --- copying --- */

Inliner inliner_new(Arena *arena, Nest *target, const Nest *source, const Affine *solution,
                    int predicate) {
    Inliner inliner = {arena, target, source, solution, predicate, NULL};
    inliner.moved = arena_array(arena, (size_t)source->body.count + 1, sizeof *inliner.moved);
    for (int i = 0; i < source->body.count; i++) inliner.moved[i] = -1;
    return inliner;
}

/* The form over the loops of the source as one over those of the target. */
static Affine compose(Arena *arena, const Affine *form, const Nest *source, const Affine *solution,
                      int loops) {
    Affine result = affine_new(arena, loops, form->constant);
    for (int i = 0; i < source->loop_count; i++)
        result = affine_sum(arena, &result, &solution[i], form->coefficients[i], loops);
    return result;
}

int inline_value(Inliner *inliner, int index) {
    if (inliner->moved[index] >= 0) return inliner->moved[index];
    Operation operation = inliner->source->body.items[index];
    for (int k = 0; k < operation_operands(&operation); k++)
        operation.operands[k] = inline_value(inliner, operation.operands[k]);
    if (operation.predicate >= 0) operation.predicate = inline_value(inliner, operation.predicate);
    if (operation_is_access(&operation))
        operation.predicate =
            append_and(inliner->arena, inliner->target, inliner->predicate, operation.predicate);
    if (operation.affine.coefficients)
        operation.affine = compose(inliner->arena, &operation.affine, inliner->source,
                                   inliner->solution, inliner->target->loop_count);
    else
        operation.affine =
            affine_new(inliner->arena, inliner->target->loop_count, operation.affine.constant);
    return inliner->moved[index] = nest_append(inliner->arena, inliner->target, operation);
}

/* --- predicates --- */

int edge_of_repetitions(Arena *arena, Nest *nest, const Affine *form, bool last) {
    int predicate = -1;
    for (int i = nest->outer; i < nest->loop_count; i++) {
        if (form->coefficients[i] != 0) continue;
        Affine edge = affine_new(arena, nest->loop_count, last ? 1 - nest->loops[i].trip : 0);
        edge.coefficients[i] = 1;
        bool never;
        int part = append_constraint(arena, nest, &edge, true, &never);
        predicate = append_and(arena, nest, predicate, part);
    }
    return predicate;
}

/* True if the constraint holds only where all loops that it speaks of are in their first (last)
 * iteration. A loop that was split is several: form == 0, with all coefficients of one sign, pins
 * them together. */
static bool pins_edge(const Nest *nest, const Constraint *constraint, bool last) {
    const Affine *form = &constraint->form;
    int64_t at_edge = form->constant;
    int sign = 0;
    for (int i = 0; i < nest->loop_count; i++) {
        int64_t coefficient = form->coefficients[i];
        if (coefficient == 0) continue;
        if (sign != 0 && (coefficient > 0) != (sign > 0)) return false;
        sign = coefficient > 0 ? 1 : -1;
        if (last) at_edge += coefficient * (nest->loops[i].trip - 1);
    }
    /* An equality, or an inequality that only the edge satisfies. */
    return at_edge == 0 && sign != 0 && (constraint->equality || (sign > 0) == last);
}

/* True if the constraints pin exactly the loops without a coefficient to their first (last)
 * iteration. */
static bool pins_repetitions(const Nest *nest, const Affine *form, bool last,
                             const Constraints *list) {
    for (int k = 0; k < list->count; k++)
        if (!pins_edge(nest, &list->items[k], last)) return false;
    for (int i = 0; i < nest->loop_count; i++) {
        bool repeats = i >= nest->outer && form->coefficients[i] == 0 && nest->loops[i].trip > 1;
        bool pinned = false;
        for (int k = 0; k < list->count; k++)
            pinned = pinned || list->items[k].form.coefficients[i] != 0;
        if (repeats != pinned) return false;
    }
    return true;
}

bool is_edge_of_repetitions(Arena *arena, const Nest *nest, const Affine *form, bool last,
                            int predicate) {
    Constraints list = {0};
    return predicate_constraints(arena, nest, predicate, &list) &&
           pins_repetitions(nest, form, last, &list);
}

bool is_after_first(Arena *arena, const Nest *nest, const Affine *form, int predicate) {
    if (predicate < 0) return false;
    Operation operation = nest->body.items[predicate];
    if (operation.opcode == OP_COMPARE && operation.condition == COMPARE_NE) {
        /* The opposite compare alone, to look at its constraint. */
        const Operation *a = &nest->body.items[operation.operands[0]];
        const Operation *b = &nest->body.items[operation.operands[1]];
        if (operation_operands(a) > 0 || operation_operands(b) > 0) return false;
        operation.condition = COMPARE_EQ;
        operation.operands[0] = 0;
        operation.operands[1] = 1;
        Nest opposite = *nest;
        opposite.body.items = (Operation[]){*a, *b, operation};
        opposite.body.count = opposite.body.capacity = 3;
        return is_edge_of_repetitions(arena, &opposite, form, false, 2);
    }
    if (operation.opcode != OP_XOR) return false;
    const Operation *one = &nest->body.items[operation.operands[1]];
    return one->opcode == OP_CONSTANT && one->bits == 1 &&
           is_edge_of_repetitions(arena, nest, form, false, operation.operands[0]);
}

/* --- costs --- */

bool adds_port_conflict(const Nest *nest, const Nest *source, const Affine *solution, int ignored) {
    Arena *arena = arena_new();
    bool conflict = false;
    for (int i = 0; i < source->body.count; i++) {
        const Operation *load = &source->body.items[i];
        if (load->opcode != OP_LOAD || load->memory == ignored) continue;
        for (int k = 0; k < nest->body.count; k++) {
            const Operation *other = &nest->body.items[k];
            if (other->opcode != OP_LOAD || other->memory != load->memory) continue;
            if (load->computed || other->computed) {
                conflict = true;
                continue;
            }
            Affine form = compose(arena, &load->affine, source, solution, nest->loop_count);
            conflict = conflict || !affine_equal(&form, &other->affine, nest->loop_count);
        }
    }
    arena_free(arena);
    return conflict;
}
