/* Whether the device of --target has room for the design, and with which --parallel it would. */
#include "command/compile.h"
#include "fpga/fpga.h"

static Area area_of(Compilation *c, const Device *device) {
    json_t *report =
        report_object(c->schedule, c->times, c->time_count, compile_parallel(c), c->arena);
    Area area = area_estimate(device, report);
    json_decref(report);
    return area;
}

/* Compiles the same model again, as far as its operators and memories are known. */
static bool fits_with(Compilation *c, const Device *device, int64_t parallel) {
    TepalBuildOptions options = *c->options;
    options.parallel = parallel;
    options.check = false;
    Compilation trial = {.arena = arena_new(), .options = &options};
    trial.diagnostics = diagnostics_new(trial.arena);
    bool fits = compile(&trial, STAGE_LOOPS);
    if (fits) {
        Area area = area_of(&trial, device);
        fits = area_fits(&area, device);
    }
    session_free(trial.session);
    arena_free(trial.arena);
    return fits;
}

bool compile_weights_fit(Compilation *c) {
    const Device *device = device_find(c->options->target);
    if (!device) return true;
    int64_t held = block_memory_capacity(device);
    int64_t bits = model_constant_bits(c->session, &c->model, device->small_memory);
    if (bits <= held) return true;
    error_at(c->diagnostics, STATUS_INPUT, c->options->model,
             "its weights take at least %s bytes, more than the %s bytes of all block RAMs of %s",
             string_grouped(c->arena, bits / 8), string_grouped(c->arena, held / 8), device->name);
    note(c->diagnostics, "choose a larger device, quantize the weights (int8 takes a quarter of "
                         "float32), or leave --target out to simulate the design");
    return false;
}

bool compile_fits(Compilation *c) {
    const Device *device = device_find(c->options->target);
    if (!device || !c->schedule) return true;
    Area area = area_of(c, device);
    c->area = area_text(&area, device, c->arena);
    if (area_fits(&area, device)) return true;
    error_at(c->diagnostics, STATUS_INPUT, c->options->model,
             "the design does not fit on %s: it needs at least %s", device->name,
             area_lacking(&area, device, c->arena));
    int64_t parallel = compile_parallel(c) / 2;
    while (parallel > 0 && !fits_with(c, device, parallel)) parallel /= 2;
    if (parallel > 0)
        note(c->diagnostics, "with --parallel %lld it would fit", (long long)parallel);
    else
        note(c->diagnostics,
             "no --parallel makes it fit: choose a larger device, or leave --target "
             "out to simulate the design");
    return false;
}
