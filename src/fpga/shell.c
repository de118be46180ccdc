/* The shell that a design is placed and routed in: a flip-flop in front of each input bit and one
 * behind each output bit.
 *
 * The flip-flops of the inputs are a chain that begins at the only data pin, as no input may be a
 * constant; what those of the outputs hold goes nowhere, which nextpnr leaves as it is. The shell
 * is made of the device's own flip-flops and is added after synthesis, so that nothing of the
 * design is merged with it. */
#include "fpga/fpga.h"

const char shell_name[] = "tepal_shell", shell_instance[] = "design";

/* A flip-flop between two wires; no output if `output` is NULL. */
static void print_flip_flop(const Device *device, const char *name, int bit, const char *input,
                            const char *output, Text *text) {
    text_printf(text, "    %s %s$%d (.%s(clk), .%s(%s), .Q(%s));\n", device->flip_flop, name, bit,
                device->flip_flop_clock, device->flip_flop_input, input, output ? output : "");
}

/* Declares an input of the design and its flip-flops; `*last` is the end of the chain. */
static void print_input(const Device *device, const char *name, int width, const char **last,
                        Text *text) {
    text_printf(text, "    wire [%d:0] %s;\n", width - 1, name);
    for (int bit = 0; bit < width; bit++) {
        const char *wire = string_format(text->arena, "%s[%d]", name, bit);
        print_flip_flop(device, name, bit, *last, wire, text);
        *last = wire;
    }
}

static void print_output(const Device *device, const char *name, int width, Text *text) {
    text_printf(text, "    wire [%d:0] %s;\n", width - 1, name);
    for (int bit = 0; bit < width; bit++)
        print_flip_flop(device, name, bit, string_format(text->arena, "%s[%d]", name, bit), NULL,
                        text);
}

void shell_print(const Device *device, const Interface *interface, Text *text) {
    Text ports = text_new(text->arena);
    const char *last = "tepal_in";
    const char *names[] = {interface->reset, interface->go};
    text_printf(text, "module %s(input clk, input tepal_in);\n", shell_name);
    for (int i = 0; i < 2; i++) {
        print_input(device, names[i], 1, &last, text);
        text_printf(&ports, ", .%s(%s)", names[i], names[i]);
    }
    print_output(device, interface->done, 1, text);
    text_printf(&ports, ", .%s(%s)", interface->done, interface->done);
    for (int i = 0; i < interface->input_count + interface->output_count; i++) {
        bool is_input = i < interface->input_count;
        const PortTensor *port =
            is_input ? &interface->inputs[i] : &interface->outputs[i - interface->input_count];
        const char *address = string_format(text->arena, "%s_addr", port->port);
        const char *enable = string_format(text->arena, "%s_write_en", port->port);
        const char *data =
            string_format(text->arena, "%s_%s_data", port->port, is_input ? "write" : "read");
        print_input(device, address, port->address_width, &last, text);
        text_printf(&ports, ", .%s(%s), .%s(%s)", address, address, data, data);
        if (is_input) {
            print_input(device, enable, 1, &last, text);
            print_input(device, data, port->data_width, &last, text);
            text_printf(&ports, ", .%s(%s)", enable, enable);
        } else {
            print_output(device, data, port->data_width, text);
        }
    }
    text_printf(text, "    %s %s (.%s(clk)%s);\nendmodule\n", interface->top, shell_instance,
                interface->clock, text_string(&ports));
}
