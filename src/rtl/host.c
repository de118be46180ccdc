/* The host's side of tensors: ports of the top module, and their part in the memories' inputs.
 *
 * A tensor in several banks has one set of ports, with address = bank x depth + offset. The host
 * has the ports while the design is idle. A port of a memory that the design itself never uses
 * belongs to the host alone and has no multiplexer in front. Banks that the host does not read are
 * cleared, so that what it reads is the or of all. */
#include "rtl/construction.h"

#include <string.h>

/* The host's ports of one tensor; signals of the module, -1 where there is none. */
typedef struct HostTensor {
    const char *name;
    int banks;
    int64_t depth;
    int address, write_enable, write_data, read_data;
} HostTensor;

struct HostState {
    Vector(HostTensor) tensors;
    int *tensor_of; /* of each cell, or -1 */
};

static const MemoryContents *contents_of(const Construction *c, int cell) {
    int index = c->component->cells.items[cell].memory;
    return index < 0 ? NULL : &c->program->contents.items[index];
}

static int64_t depth_of(const Construction *c, int cell) {
    return cell_parameter(&c->component->cells.items[cell], "DEPTH", 1);
}

static int tensor_find(struct HostState *host, const char *name) {
    for (int i = 0; i < host->tensors.count; i++)
        if (!strcmp(host->tensors.items[i].name, name)) return i;
    return -1;
}

static void tensors_collect(Construction *c, struct HostState *host) {
    Arena *arena = c->netlist->arena;
    for (int i = 0; i < c->component->cells.count; i++) {
        const MemoryContents *contents = contents_of(c, i);
        host->tensor_of[i] = -1;
        if (!c->component->cells.items[i].external || !contents) continue;
        int tensor = tensor_find(host, contents->tensor);
        if (tensor < 0) {
            HostTensor fresh = {contents->tensor, 0, depth_of(c, i), -1, -1, -1, -1};
            tensor = host->tensors.count;
            vector_push(arena, &host->tensors, fresh);
        }
        host->tensor_of[i] = tensor;
        if (contents->bank >= host->tensors.items[tensor].banks)
            host->tensors.items[tensor].banks = contents->bank + 1;
    }
}

static int port_add(Construction *c, const HostTensor *tensor, const char *what, SignalKind kind,
                    int width) {
    const char *stem = string_identifier(c->netlist->arena, tensor->name);
    const char *name = string_format(c->netlist->arena, "%s_%s", stem, what);
    return signal_add(c->netlist, c->module, name, kind, width);
}

static void tensor_ports(Construction *c, HostTensor *tensor, const MemoryContents *contents,
                         int width) {
    int address_width = bits_to_count((uint64_t)tensor->banks * (uint64_t)tensor->depth);
    tensor->address = port_add(c, tensor, "addr", SIGNAL_INPUT, address_width);
    if (contents->host_writes) {
        tensor->write_enable = port_add(c, tensor, "write_en", SIGNAL_INPUT, 1);
        tensor->write_data = port_add(c, tensor, "write_data", SIGNAL_INPUT, width);
    }
    if (contents->host_reads)
        tensor->read_data = port_add(c, tensor, "read_data", SIGNAL_OUTPUT, width);
}

void host_ports_construct(Construction *c) {
    Arena *arena = c->netlist->arena;
    struct HostState *host = c->host = arena_new_of(arena, struct HostState);
    host->tensor_of = arena_array(arena, (size_t)c->component->cells.count + 1, sizeof(int));
    tensors_collect(c, host);
    for (int i = 0; i < c->component->cells.count; i++) {
        if (host->tensor_of[i] < 0) continue;
        HostTensor *tensor = &host->tensors.items[host->tensor_of[i]];
        int width = (int)cell_parameter(&c->component->cells.items[i], "WIDTH", 1);
        if (tensor->address < 0) tensor_ports(c, tensor, contents_of(c, i), width);
    }
}

/* --- banks --- */

static bool power_of_two(int64_t value) {
    return (value & (value - 1)) == 0;
}

/* 1 if the host's address lies in the bank. */
static Expression bank_selected(Construction *c, const HostTensor *tensor, int bank) {
    if (tensor->banks == 1) return constant_of(c, 1, 1);
    Expression address = signal_of(c, tensor->address);
    int offset_bits = bits_to_count((uint64_t)tensor->depth), width = width_of(c, address);
    if (power_of_two(tensor->depth) && tensor->depth > 1) {
        Expression high =
            expression_slice(c->netlist, c->module, address, offset_bits, width - offset_bits);
        return compare_of(c, EXPRESSION_EQ, high, (Bits)bank);
    }
    Expression from = compare_of(c, EXPRESSION_GE, address, (Bits)(bank * tensor->depth));
    if (bank == tensor->banks - 1) return from;
    Expression below = compare_of(c, EXPRESSION_LT, address, (Bits)((bank + 1) * tensor->depth));
    return and_of(c, from, below);
}

/* 1 if the host's address is one of the tensor's. The host may leave any address there while it
 * does not read. */
static Expression in_range(Construction *c, const HostTensor *tensor) {
    Expression address = signal_of(c, tensor->address);
    Bits words = (Bits)tensor->banks * (Bits)tensor->depth;
    if (words > bits_mask(width_of(c, address))) return constant_of(c, 1, 1);
    return compare_of(c, EXPRESSION_LT, address, words);
}

/* The host's address within a bank; of any value for an address in another bank. */
static Expression bank_offset(Construction *c, const HostTensor *tensor, int bank, int width) {
    Expression address = signal_of(c, tensor->address);
    Bits start = (Bits)(bank * tensor->depth);
    int address_width = width_of(c, address);
    bool aligned = power_of_two(tensor->depth) && tensor->depth > 1;
    if (!aligned && start)
        address = expression(c->netlist, c->module, EXPRESSION_SUBTRACT, address_width, address,
                             constant_of(c, address_width, start), -1);
    if (address_width > width) return expression_slice(c->netlist, c->module, address, 0, width);
    return expression(c->netlist, c->module, EXPRESSION_EXTEND, width, address, -1, -1);
}

/* --- connections --- */

/* Whether the design itself drives a port of the memory. */
static bool is_driven(const Construction *c, int cell, const char *port) {
    const Primitive *primitive = c->component->cells.items[cell].primitive;
    for (int i = 0; i < primitive->port_count; i++)
        if (!strcmp(primitive->ports[i].name, port))
            return c->ports[c->cells[cell].first_port + i].driver_count > 0;
    return false;
}

/* What the host puts on a port of the memory; -1 if it does not use it. */
static Expression host_input(Construction *c, const HostTensor *tensor, int cell, PortInfo info) {
    const MemoryContents *contents = contents_of(c, cell);
    bool writes = string_starts(info.name, "write");
    if (writes ? !contents->host_writes : !contents->host_reads) return -1;
    Expression selected = bank_selected(c, tensor, contents->bank);
    if (!strcmp(info.name, "read_clear")) return not_of(c, selected);
    if (!strcmp(info.name, "read_enable")) return and_of(c, selected, in_range(c, tensor));
    if (!strcmp(info.name, "write_enable"))
        return and_of(c, signal_of(c, tensor->write_enable), selected);
    if (!strcmp(info.name, "write_data")) return signal_of(c, tensor->write_data);
    return bank_offset(c, tensor, contents->bank, info.width);
}

Expression memory_input(Construction *c, int cell, int port) {
    Expression own = input_value(c, cell, port);
    if (!c->host || c->host->tensor_of[cell] < 0) return own;
    const HostTensor *tensor = &c->host->tensors.items[c->host->tensor_of[cell]];
    PortInfo info = cell_port_info(&c->component->cells.items[cell], port);
    Expression host = host_input(c, tensor, cell, info);
    if (host < 0) return own;
    bool shared =
        is_driven(c, cell, string_starts(info.name, "write") ? "write_enable" : "read_enable");
    Expression busy = signal_of(c, c->busy);
    if (shared) return mux_of(c, busy, own, host);
    /* A running design may write the word at the address that the host happens to hold. */
    return strcmp(info.name, "read_enable") ? host : and_of(c, not_of(c, busy), host);
}

void host_outputs_define(Construction *c) {
    struct HostState *host = c->host;
    for (int i = 0; host && i < c->component->cells.count; i++) {
        if (host->tensor_of[i] < 0) continue;
        HostTensor *tensor = &host->tensors.items[host->tensor_of[i]];
        if (tensor->read_data < 0) continue;
        Expression data = port_value(c, cell_port(c->component, i, "read_data"));
        Expression before = c->module->signals.items[tensor->read_data].value;
        if (before >= 0) data = or_of(c, before, data); /* all but one are 0 */
        c->module->signals.items[tensor->read_data].value = data;
    }
}
