/* Where a design that computes a wrong result goes wrong first.
 *
 * The design's folder has the stage `linalg` with the model's names, and how it was built: so the
 * loop nests can be made again. Each of their memories is a memory of the hardware under the same
 * name. What the memories hold at the end is compared, so of tensors that share one only what the
 * later ones left. */
#include "command/locate.h"

#include "command/compile.h"
#include "loop/interpret.h"
#include "simulate/compare.h"

typedef struct Location {
    Arena *arena;
    Program *program;
    Remains *expected; /* of each memory */
    const ContentsList *actual;
    Vector(const Nest *) order; /* all nests in program order */
    bool unknown;               /* a memory is not in the hardware: the design was changed */
    /* The first difference. */
    const Memory *memory; /* NULL: none so far */
    int place;            /* of the nest that stored it; -1 for an input, which the host writes */
    size_t word;
    uint64_t wrong, right;
    bool undefined;
} Location;

static bool same_word(Scalar type, Bits a, Bits b) {
    return a == b || (bits_is_nan(type, a) && bits_is_nan(type, b));
}

static void note_nest(Nest *nest, void *context) {
    Location *location = context;
    vector_push(location->arena, &location->order, nest);
}

/* Place in program order of the nest that stored a word last. */
static int place_of(const Location *location, int index, size_t word) {
    const Nest *writer = location->expected[index].writers[word];
    int place = location->order.count - 1;
    while (place >= 0 && location->order.items[place] != writer) place--;
    return place;
}

/* Notes a word that is wrong if no earlier nest is known that stored one. */
static void note_difference(Location *location, int index, const Contents *actual, size_t word,
                            Bits right) {
    const Memory *memory = &location->program->memories.items[index];
    int place = place_of(location, index, word);
    /* What nobody writes nobody reads, other than in an input. */
    if (place < 0 && memory->kind != MEMORY_INPUT) return;
    if (location->memory && location->place <= place) return;
    location->memory = memory;
    location->place = place;
    location->word = word;
    location->wrong = actual->words[word];
    location->right = right;
    location->undefined = actual->undefined[word];
}

static void compare(Location *location, int index) {
    const Memory *memory = &location->program->memories.items[index];
    if (memory->kind == MEMORY_CONSTANT || memory_is_register(memory) ||
        memory_is_description(location->program, index))
        return;
    const Contents *actual = contents_find(location->actual, memory->name);
    if (!actual || actual->count != memory->elements) {
        location->unknown = true;
        return;
    }
    for (size_t i = 0; i < memory->elements; i++) {
        Bits right = bits_load(memory->type, location->expected[index].data, i);
        if (actual->undefined[i] || !same_word(memory->type, actual->words[i], right))
            note_difference(location, index, actual, i, right);
    }
}

static const char *word_text(Location *location, uint64_t word) {
    Tensor one = {.type = location->memory->type,
                  .elements = 1,
                  .is_bool = location->memory->is_bool,
                  .is_unsigned = location->memory->is_unsigned};
    one.data = arena_alloc(location->arena, sizeof word);
    bits_store(one.type, one.data, 0, word);
    return tensor_element(location->arena, &one, 0);
}

static void tell(Location *location, Diagnostics *diagnostics) {
    if (!location->memory) {
        if (location->unknown) return;
        note(diagnostics, "all memories inside hold what they should: the ports are at fault");
        return;
    }
    const Nest *nest = location->place < 0 ? NULL : location->order.items[location->place];
    note(diagnostics,
         "the first tensor that is wrong is %s%s%s%s: word %zu of its memory is %s, should be %s",
         location->memory->holds ? "in " : "", location->memory->name,
         nest ? ", which is written by nest " : ", an input", nest ? nest->name : "",
         location->word, location->undefined ? "undefined" : word_text(location, location->wrong),
         word_text(location, location->right));
}

void locate_difference(Arena *arena, Diagnostics *diagnostics, const Design *design,
                       const SimulationOptions *options, int run_count, Tensor *const *inputs) {
    /* What fails here is no news: that the results differ is. */
    Diagnostics *silent = diagnostics_new(arena);
    TepalBuildOptions build = {.model = design->reference,
                               .parallel = design->parallel,
                               .clock = design->clock,
                               .target = design->target};
    Compilation compilation = {.arena = arena, .diagnostics = silent, .options = &build};
    Location location = {.arena = arena};
    SimulationOptions again = *options;
    Simulation simulation = {0};
    again.contents = true;
    again.trace = NULL;
    bool made = compile(&compilation, STAGE_LOOPS);
    location.program = compilation.program;
    if (made && simulate(arena, silent, design, &again, run_count, inputs, &simulation)) {
        size_t memories = (size_t)location.program->memories.count;
        location.expected = arena_array(arena, memories, sizeof *location.expected);
        Tensor *outputs =
            arena_array(arena, (size_t)location.program->output_count + 1, sizeof(Tensor));
        location.actual = &simulation.contents;
        if (program_interpret_runs(location.program, arena, silent, run_count,
                                   (const Tensor *const *)inputs, outputs, location.expected)) {
            program_each_nest(location.program, note_nest, &location);
            for (int i = 0; i < location.program->memories.count; i++) compare(&location, i);
            tell(&location, diagnostics);
        }
    }
    if (compilation.session) session_free(compilation.session);
}
