/* Pass "names": final names of nests, local memories, constants and loops.
 *
 * A node of the model became several nests, most of which are fused by now: of those that are left
 * the one with the most iterations gets the node's own name. A memory is called after the nest that
 * stores to it, a constant after the one that reads it. */
#include <stdlib.h>
#include <string.h>

#include "loop/body.h"
#include "loop/names.h"
#include "loop/transform.h"

/* --- nests --- */

typedef struct Entry {
    Nest *nest;
    int place;
} Entry;

typedef struct Names {
    Program *program;
    Vector(Entry) nests;
    NameSet *used;
} Names;

static void add_nest(Nest *nest, void *context) {
    Names *names = context;
    Entry entry = {nest, names->nests.count};
    vector_push(names->program->arena, &names->nests, entry);
}

static int compare_entries(const void *left, const void *right) {
    const Entry *a = left, *b = right;
    int64_t x = nest_trip_count(a->nest), y = nest_trip_count(b->nest);
    if (x != y) return x > y ? -1 : 1;
    return a->place - b->place;
}

/* The name without the number that made it unique: the node's, or what is before "_NUMBER". */
static char *base_name(Arena *arena, const Nest *nest) {
    char *node = nest->location ? string_identifier(arena, nest->location) : NULL;
    if (node && string_starts(nest->name, node)) return node;
    char *base = arena_string(arena, nest->name), *last = strrchr(base, '_');
    if (last && last != base && last[1] && strspn(last + 1, "0123456789") == strlen(last + 1))
        *last = '\0';
    return base;
}

static void name_nests(Names *names) {
    Arena *arena = names->program->arena;
    program_each_nest(names->program, add_nest, names);
    if (names->nests.count == 0) return;
    qsort(names->nests.items, (size_t)names->nests.count, sizeof(Entry), compare_entries);
    for (int i = 0; i < names->nests.count; i++) {
        Nest *nest = names->nests.items[i].nest;
        nest->name = names_unique(names->used, base_name(arena, nest));
    }
}

/* --- memories --- */

/* Who accesses a memory. */
typedef struct Usage {
    const Nest *writer; /* the first nest that stores to it */
    bool read_there, read_elsewhere;
} Usage;

typedef struct Usages {
    Usage *items; /* per memory */
    bool stores;  /* look at stores, else at loads */
} Usages;

static void note_usage(Nest *nest, void *context) {
    Usages *usages = context;
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *operation = &nest->body.items[i];
        if (!operation_is_access(operation)) continue;
        Usage *usage = &usages->items[operation->memory];
        bool store = operation->opcode == OP_STORE;
        if (store && usages->stores && !usage->writer) usage->writer = nest;
        if (store || usages->stores) continue;
        if (usage->writer == nest)
            usage->read_there = true;
        else
            usage->read_elsewhere = true;
    }
}

static bool has_own_name(const Memory *memory) {
    bool constant = memory->kind == MEMORY_CONSTANT && string_starts(memory->name, "constant_");
    return memory->kind != MEMORY_LOCAL && !constant;
}

/* What only its own nest reads are partial sums. */
static void name_memories(Program *program, NameSet *used) {
    Arena *arena = program->arena;
    Usages usages = {arena_array(arena, (size_t)program->memories.count + 1, sizeof(Usage)), true};
    program_each_nest(program, note_usage, &usages);
    usages.stores = false;
    program_each_nest(program, note_usage, &usages);
    for (int i = 0; i < program->memories.count; i++)
        if (has_own_name(&program->memories.items[i]))
            names_unique(used, program->memories.items[i].name);
    for (int i = 0; i < program->memories.count; i++) {
        Memory *memory = &program->memories.items[i];
        const Usage *usage = &usages.items[i];
        if (memory->kind != MEMORY_LOCAL || !usage->writer) continue;
        bool sum = usage->read_there && !usage->read_elsewhere;
        const char *name = usage->writer->name;
        memory->name = names_unique(used, sum ? string_format(arena, "%s_sum", name) : name);
    }
}

/* --- constants --- */

/* What a constant is to the nest that reads it. */
static const char *constant_role(const Nest *nest, int memory) {
    static const bool adds[OPCODE_COUNT] = {
        [OP_SELECT] = true, [OP_FLOAT_ADD] = true, [OP_ADD] = true};
    if (is_weight(nest, memory)) return "weight";
    for (int i = 0; i < nest->body.count; i++)
        for (int k = 0; k < 3; k++) {
            int operand = nest->body.items[i].operands[k];
            const Operation *load = operand < 0 ? NULL : &nest->body.items[operand];
            if (load && load->opcode == OP_LOAD && load->memory == memory &&
                adds[nest->body.items[i].opcode])
                return "bias";
        }
    return "constant";
}

typedef struct Constants {
    Program *program;
    NameSet *used;
    bool *named;
} Constants;

/* Constants that have no name of their own are called after the first nest that reads them. */
static void name_constants(Nest *nest, void *context) {
    Constants *constants = context;
    Program *program = constants->program;
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *load = &nest->body.items[i];
        if (load->opcode != OP_LOAD) continue;
        Memory *memory = &program->memories.items[load->memory];
        if (memory->kind != MEMORY_CONSTANT || constants->named[load->memory]) continue;
        constants->named[load->memory] = true;
        if (!string_starts(memory->name, "constant_")) continue;
        const char *role = constant_role(nest, load->memory);
        memory->name =
            names_unique(constants->used, string_format(program->arena, "%s_%s", nest->name, role));
    }
}

bool pass_names(Program *program, const LoopOptions *options, Diagnostics *diagnostics) {
    (void)options, (void)diagnostics;
    Names names = {.program = program, .used = names_new(program->arena)};
    name_nests(&names);
    Constants constants = {.program = program, .used = names_new(program->arena)};
    constants.named =
        arena_array(program->arena, (size_t)program->memories.count + 1, sizeof(bool));
    name_memories(program, constants.used);
    program_each_nest(program, name_constants, &constants);
    program_each_nest(program, name_loops, program);
    return true;
}
