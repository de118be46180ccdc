/* Packing: constants of nests that never run at once share one ROM.
 *
 * A network has a bias and factors of normalisation for each of its layers. Each alone is too short
 * for a block RAM, and makes a lot of logic as a table; and each is one more input of the next
 * unit's multiplexer. Packed, they are a few block RAMs, between whose addresses nests choose. A
 * constant starts at a multiple of a power of two, so that its part of an address is wires. */
#include "calyx/construction.h"

#include <string.h>

/* Longer ones fill block RAMs of their own. */
enum { PACKED_WORDS = 1024, PACK_WORDS = 4096 };

/* Per memory and nest: whether the nest reads it. */
static bool **readers_find(const Construction *c, bool *is_computed) {
    const Schedule *schedule = c->schedule;
    int memories = schedule->program->memories.count;
    bool **readers = arena_array(c->calyx->arena, (size_t)memories + 1, sizeof(bool *));
    for (int m = 0; m < memories; m++)
        readers[m] = arena_array(c->calyx->arena, (size_t)schedule->nest_count + 1, sizeof(bool));
    for (int n = 0; n < schedule->nest_count; n++) {
        const Nest *nest = schedule->nests[n].nest;
        for (int i = 0; i < nest->body.count; i++) {
            const Operation *op = &nest->body.items[i];
            if (op->opcode != OP_LOAD) continue;
            readers[op->memory][n] = true;
            if (op->computed) is_computed[op->memory] = true;
        }
    }
    return readers;
}

/* What is read without a block RAM's delay stays as it is. */
static bool can_be_packed(const Construction *c, const Memory *memory) {
    return memory->kind == MEMORY_CONSTANT && !memory_is_register(memory) &&
           memory->elements <= PACKED_WORDS && memory_read_delay(&c->schedule->target, memory) > 0;
}

static size_t aligned(size_t words, size_t elements) {
    size_t unit = (size_t)1 << bits_to_count(elements);
    return (words + unit - 1) / unit * unit;
}

typedef struct Packing {
    Construction *construction;
    bool **readers;
    Vector(bool *) nests; /* per pack: the nests that read it */
} Packing;

static bool fits(const Packing *packing, int pack, int memory) {
    const Construction *c = packing->construction;
    const Memory *first = &c->schedule->program->memories.items[c->packs.items[pack].first];
    const Memory *added = &c->schedule->program->memories.items[memory];
    if (!scalar_equal(first->type, added->type)) return false;
    if (aligned(c->packs.items[pack].words, added->elements) + added->elements > PACK_WORDS)
        return false;
    for (int n = 0; n < c->schedule->nest_count; n++)
        if (packing->nests.items[pack][n] && packing->readers[memory][n]) return false;
    return true;
}

static void pack_add(Packing *packing, int memory) {
    Construction *c = packing->construction;
    Arena *arena = c->calyx->arena;
    int pack = 0;
    while (pack < c->packs.count && !fits(packing, pack, memory)) pack++;
    if (pack == c->packs.count) {
        vector_push(arena, &c->packs, (Pack){.first = memory, .cell = -1});
        bool *none = arena_array(arena, (size_t)c->schedule->nest_count + 1, sizeof(bool));
        vector_push(arena, &packing->nests, none);
    }
    Pack *to = &c->packs.items[pack];
    size_t elements = c->schedule->program->memories.items[memory].elements;
    size_t base = aligned(to->words, elements);
    c->places[memory] = (PackedPlace){.pack = pack, .base = base};
    to->words = base + elements;
    to->members++;
    for (int n = 0; n < c->schedule->nest_count; n++)
        if (packing->readers[memory][n]) packing->nests.items[pack][n] = true;
}

void constants_pack(Construction *c) {
    const Program *program = c->schedule->program;
    size_t count = (size_t)program->memories.count + 1;
    bool *is_computed = arena_array(c->calyx->arena, count, sizeof(bool));
    Packing packing = {.construction = c, .readers = readers_find(c, is_computed)};
    c->places = arena_array(c->calyx->arena, count, sizeof *c->places);
    for (int m = 0; m < program->memories.count; m++) {
        c->places[m] = (PackedPlace){.pack = -1};
        if (can_be_packed(c, &program->memories.items[m]) && !is_computed[m]) pack_add(&packing, m);
    }
    for (int m = 0; m < program->memories.count; m++)
        if (c->places[m].pack >= 0 && c->packs.items[c->places[m].pack].members < 2)
            c->places[m].pack = -1;
}

const void *pack_data(const Construction *c, int pack) {
    const Program *program = c->schedule->program;
    size_t bytes = scalar_bytes(program->memories.items[c->packs.items[pack].first].type);
    unsigned char *data = arena_array(c->calyx->arena, c->packs.items[pack].words, bytes);
    for (int m = 0; m < program->memories.count; m++) {
        const Memory *memory = &program->memories.items[m];
        if (c->places[m].pack != pack) continue;
        memcpy(data + c->places[m].base * bytes, memory->data, memory->elements * bytes);
    }
    return data;
}
