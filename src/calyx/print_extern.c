/* Modules of hardware/, and of Calyx's own library, as CIRCT's hw.module.extern. */
#include "calyx/calyx.h"

#include <string.h>

/* The type of a port: "i5", or the value of a parameter. */
static void print_type(const Primitive *primitive, const PrimitivePort *port, Text *text) {
    if (port->width > 0)
        text_printf(text, "i%d", port->width);
    else
        text_printf(text, "!hw.int<#hw.param.decl.ref<\"%s\">>",
                    primitive->parameters[-port->width - 1]);
}

static bool has_image(const Primitive *primitive, ExternUse use) {
    return use == EXTERN_OF_HW && !strcmp(primitive->name, "tepal_rom");
}

/* Where the calyx dialect finds the module; hw has no such place. */
static const char *file_of(const Primitive *primitive, Text *text) {
    if (strcmp(primitive->library, "tepal") != 0)
        return string_format(text->arena, "primitives/%s.sv", primitive->library);
    return string_format(text->arena, "hardware/%s.sv", primitive->name + strlen("tepal_"));
}

static void print_parameters(const Primitive *primitive, ExternUse use, const char *start,
                             const char *between, const char *end, Text *text) {
    for (int i = 0; i < primitive->parameter_count; i++)
        text_printf(text, "%s%s%s%s: i32%s", i ? ", " : "", start, primitive->parameters[i],
                    between, end);
    if (has_image(primitive, use)) text_printf(text, ", %sIMAGE%s: none%s", start, between, end);
}

static bool has_clock(const Primitive *primitive, ExternUse use) {
    return use == EXTERN_OF_HW || !primitive->combinational;
}

static void print_custom(const Primitive *primitive, ExternUse use, Text *text) {
    text_printf(text, "  hw.module.extern @%s<", primitive->name);
    print_parameters(primitive, use, "", "", "", text);
    text_append(text, ">(");
    if (has_clock(primitive, use))
        text_append(text,
                    use == EXTERN_OF_HW ? "in %clk : !seq.clock" : "in %clk : i1 {calyx.clk}");
    for (int i = 0; i < primitive->port_count; i++) {
        const PrimitivePort *port = &primitive->ports[i];
        text_printf(text, "%s%s%s : ", i || has_clock(primitive, use) ? ", " : "",
                    port->direction == PORT_INPUT ? "in %" : "out ", port->name);
        print_type(primitive, port, text);
    }
    text_append(text, ")");
    if (use == EXTERN_OF_CALYX)
        text_printf(text, " attributes {filename = \"%s\"}", file_of(primitive, text));
    text_append(text, "\n");
}

static void print_generic(const Primitive *primitive, ExternUse use, Text *text) {
    text_append(text, "  \"hw.module.extern\"() ({\n  }) {module_type = !hw.modty<");
    if (has_clock(primitive, use))
        text_printf(text, "input clk : %s", use == EXTERN_OF_HW ? "!seq.clock" : "i1");
    for (int i = 0; i < primitive->port_count; i++) {
        const PrimitivePort *port = &primitive->ports[i];
        text_printf(text, "%s%s %s : ", i || has_clock(primitive, use) ? ", " : "",
                    port->direction == PORT_INPUT ? "input" : "output", port->name);
        print_type(primitive, port, text);
    }
    text_append(text, ">, parameters = [");
    print_parameters(primitive, use, "#hw.param.decl<\"", "\"", ">", text);
    text_append(text, "], ");
    if (use == EXTERN_OF_CALYX) {
        text_printf(text, "filename = \"%s\", ", file_of(primitive, text));
        if (has_clock(primitive, use)) {
            text_append(text, "per_port_attrs = [{calyx.clk}");
            for (int i = 0; i < primitive->port_count; i++) text_append(text, ", {}");
            text_append(text, "], ");
        }
    }
    text_printf(text, "sym_name = \"%s\"} : () -> ()\n", primitive->name);
}

void primitive_print_extern(const Primitive *primitive, ExternUse use, bool generic, Text *text) {
    if (generic)
        print_generic(primitive, use, text);
    else
        print_custom(primitive, use, text);
}
