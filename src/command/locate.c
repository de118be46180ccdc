/* Where a design that computes a wrong result goes wrong first.
 *
 * The design's folder has the stage `linalg` with the model's names, and how it was built: so the
 * loop nests can be made again. Each of their memories is a memory of the hardware under the same
 * name. */
#include "command/locate.h"

#include "command/compile.h"
#include "loop/interpret.h"
#include "simulate/compare.h"

typedef struct Location {
    Arena *arena;
    Program *program;
    void **expected; /* what each memory should hold */
    const ContentsList *actual;
    const Nest **writers; /* of each memory: the last nest that stores to it */
    bool unknown;         /* a memory is not in the hardware: the design was changed */
    /* The first difference. */
    const Memory *memory; /* NULL: none so far */
    const Nest *nest;     /* NULL for an input, which the host writes */
    size_t word;
    uint64_t wrong, right;
    bool undefined;
} Location;

static bool same_word(Scalar type, Bits a, Bits b) {
    return a == b || (bits_is_nan(type, a) && bits_is_nan(type, b));
}

static void compare(Location *location, int index, const Nest *nest) {
    const Memory *memory = &location->program->memories.items[index];
    if (location->memory || memory_is_register(memory)) return;
    const Contents *actual = contents_find(location->actual, memory->name);
    if (!actual || actual->count != memory->elements) {
        location->unknown = true;
        return;
    }
    for (size_t i = 0; i < memory->elements; i++) {
        Bits right = bits_load(memory->type, location->expected[index], i);
        if (!actual->undefined[i] && same_word(memory->type, actual->words[i], right)) continue;
        location->memory = memory;
        location->nest = nest;
        location->word = i;
        location->wrong = actual->words[i];
        location->right = right;
        location->undefined = actual->undefined[i];
        return;
    }
}

static void note_writer(Nest *nest, void *context) {
    Location *location = context;
    for (int i = 0; i < nest->body.count; i++)
        if (nest->body.items[i].opcode == OP_STORE)
            location->writers[nest->body.items[i].memory] = nest;
}

static void compare_written(Nest *nest, void *context) {
    Location *location = context;
    for (int i = 0; i < location->program->memories.count; i++)
        if (location->writers[i] == nest) compare(location, i, nest);
}

static void compare_all(Location *location) {
    Program *program = location->program;
    location->writers =
        arena_array(location->arena, (size_t)program->memories.count, sizeof *location->writers);
    for (int i = 0; i < program->memories.count; i++)
        if (program->memories.items[i].kind == MEMORY_INPUT && !memory_is_description(program, i))
            compare(location, i, NULL);
    program_each_nest(program, note_writer, location);
    program_each_nest(program, compare_written, location);
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
    note(diagnostics,
         "the first tensor that is wrong is %s%s%s: word %zu of its memory is %s, should be %s",
         location->memory->name, location->nest ? ", which is written by nest " : ", an input",
         location->nest ? location->nest->name : "", location->word,
         location->undefined ? "undefined" : word_text(location, location->wrong),
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
        location.expected = arena_array(arena, memories, sizeof(void *));
        Tensor *outputs =
            arena_array(arena, (size_t)location.program->output_count + 1, sizeof(Tensor));
        location.actual = &simulation.contents;
        if (program_interpret_runs(location.program, arena, silent, run_count,
                                   (const Tensor *const *)inputs, outputs, location.expected)) {
            compare_all(&location);
            tell(&location, diagnostics);
        }
    }
    if (compilation.session) session_free(compilation.session);
}
