/* interface.json: how a host reaches the tensors of a built design.
 *
 * `tepal build` writes it from the program, `tepal sim` and hosts read it:
 *
 *     {"top": "mlp", "clock": "clk", "reset": "reset", "go": "go", "done": "done",
 *      "inputs": [{"name": "x", "port": "x", "type": "f32", "bool": false, "unsigned": false,
 *                  "shape": [1, 64], "elements": 64, "address_width": 6, "data_width": 32,
 *                  "banks": 2, "depth": 32,
 *                  "partition": [{"scheme": "none", "factor": 1},
 *                                {"scheme": "cyclic", "factor": 2}]}],
 *      "outputs": [...]}
 *
 * `name` is the model's own, `port` the prefix of the Verilog ports PORT_addr, PORT_write_en,
 * PORT_write_data (inputs) and PORT_addr, PORT_read_data (outputs; one cycle after the address).
 * A word holds one element, as its bits.
 *
 * Where element [i0, i1, ...] of a tensor is: a dimension of size n with factor F is cut into F
 * parts of ceil(n / F); index i lies in
 *     part i mod F, place i div F                          (scheme "cyclic"),
 *     part i div ceil(n / F), place i mod ceil(n / F)      (scheme "block"),
 *     part 0, place i                                      (scheme "none", F = 1).
 * bank   = the parts of all dimensions, read as a row-major index into the factors;
 * offset = the places of all dimensions, read as a row-major index into the ceil(n / F);
 * depth  = the product of the ceil(n / F), banks = the product of the factors;
 * address = bank x depth + offset. */
#ifndef TEPAL_SIMULATE_INTERFACE_H
#define TEPAL_SIMULATE_INTERFACE_H

#include "loop/loop.h"

/* A tensor that the host writes or reads. */
typedef struct PortTensor {
    Tensor tensor; /* name, type and shape; no data */
    const char *port;
    int address_width, data_width;
    size_t banks, depth;
    Partition partition[MAX_RANK];
} PortTensor;

typedef struct Interface {
    const char *top; /* name of the top module */
    const char *clock, *reset, *go, *done;
    int input_count, output_count;
    PortTensor *inputs, *outputs;
} Interface;

/* Appends the text of interface.json. */
void interface_write(const Program *program, Text *text);

/* Reads and checks interface.json; STATUS_INPUT diagnostics if it is not what interface_write
 * writes. Everything is in the arena. */
bool interface_read(Arena *arena, Diagnostics *diagnostics, const char *path, Interface *interface);

/* The address of an element, by its row-major index. */
size_t port_address(const PortTensor *port, size_t element);
/* All addresses there are: banks x depth. */
size_t port_words(const PortTensor *port);

#endif
