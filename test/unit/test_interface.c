/* interface.json: what is written is read back, and every element has a word of its own. */
#include "unit.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "simulate/bench.h"
#include "simulate/interface.h"

static uint64_t random_state = 0x243f6a8885a308d3u;

static int random_below(int limit) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (int)(random_state % (uint64_t)limit);
}

static Memory random_memory(const Unit *unit, MemoryKind kind, const char *name) {
    static const Scalar types[] = {SCALAR_F32, SCALAR_BF16, SCALAR_I(1), SCALAR_I(8), SCALAR_F64};
    Memory memory = {.name = name, .kind = kind, .elements = 1};
    memory.tensor_name = string_format(unit->arena, "layer.%s \"%d\"", name, random_below(9));
    memory.type = types[random_below(5)];
    memory.is_bool = memory.type.width == 1;
    memory.is_unsigned = memory.type.width == 8 && random_below(2);
    memory.rank = random_below(5);
    for (int d = 0; d < memory.rank; d++) {
        memory.shape[d] = 1 + random_below(9);
        memory.elements *= (size_t)memory.shape[d];
        PartitionScheme scheme = (PartitionScheme)random_below(3);
        int factor = scheme == PARTITION_NONE ? 1 : 1 + random_below((int)memory.shape[d] + 1);
        memory.partition[d] = (Partition){scheme, factor};
    }
    return memory;
}

static Program *random_program(const Unit *unit) {
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    Program *program = arena_new_of(unit->arena, Program);
    program->arena = unit->arena;
    program->name = "design_1";
    program->input_count = random_below(4);
    program->output_count = random_below(3);
    for (int i = 0; i < program->input_count + program->output_count; i++) {
        MemoryKind kind = i < program->input_count ? MEMORY_INPUT : MEMORY_OUTPUT;
        vector_push(unit->arena, &program->memories, random_memory(unit, kind, names[i]));
    }
    return program;
}

static Interface write_and_read(const Unit *unit, const Program *program) {
    Text text = text_new(unit->arena);
    interface_write(program, &text);
    char path[] = "/tmp/tepal-interface-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_true(file_write(unit->diagnostics, path, text_string(&text), text.length));
    Interface interface;
    bool ok = interface_read(unit->arena, unit->diagnostics, path, &interface);
    remove(path);
    if (!ok) fail_msg("%s\n%s", unit_messages(unit), text_string(&text));
    return interface;
}

static void check_port(const Memory *memory, const PortTensor *port) {
    const Tensor *tensor = &port->tensor;
    assert_string_equal(tensor->name, memory->tensor_name);
    assert_string_equal(port->port, memory->name);
    assert_true(scalar_equal(tensor->type, memory->type));
    assert_true(tensor->is_bool == memory->is_bool && tensor->is_unsigned == memory->is_unsigned);
    assert_int_equal(tensor->rank, memory->rank);
    assert_int_equal(tensor->elements, memory->elements);
    for (int d = 0; d < memory->rank; d++) {
        assert_int_equal(tensor->shape[d], memory->shape[d]);
        assert_int_equal(port->partition[d].scheme, memory->partition[d].scheme);
        assert_int_equal(port->partition[d].factor, memory->partition[d].factor);
    }
}

/* Elements whose indices differ by what the partition says are in the banks that it says. */
static void check_places(const Unit *unit, const PortTensor *port) {
    size_t words = port_words(port);
    bool *taken = arena_array(unit->arena, words, sizeof *taken);
    for (size_t i = 0; i < port->tensor.elements; i++) {
        size_t address = port_address(port, i);
        assert_true(address < words);
        assert_false(taken[address]);
        taken[address] = true;
    }
    assert_true(port->address_width == bits_to_count(words));
}

static void written_is_read(void **state) {
    const Unit *unit = *state;
    for (int round = 0; round < 300; round++) {
        Program *program = random_program(unit);
        Interface interface = write_and_read(unit, program);
        assert_string_equal(interface.top, "design_1");
        assert_int_equal(interface.input_count, program->input_count);
        assert_int_equal(interface.output_count, program->output_count);
        for (int i = 0; i < program->memories.count; i++) {
            int output = i - program->input_count;
            const PortTensor *port = output < 0 ? &interface.inputs[i] : &interface.outputs[output];
            check_port(&program->memories.items[i], port);
            check_places(unit, port);
        }
    }
}

/* The mapping of the header, by hand: 2 x 5 in 1 x 2 banks. */
static void places_are_as_documented(void **state) {
    (void)state;
    PortTensor port = {.banks = 2, .depth = 6};
    port.tensor = (Tensor){.type = SCALAR_F32, .rank = 2, .shape = {2, 5}, .elements = 10};
    port.partition[0] = (Partition){PARTITION_NONE, 1};
    port.partition[1] = (Partition){PARTITION_CYCLIC, 2};
    static const size_t cyclic[] = {0, 6, 1, 7, 2, 3, 9, 4, 10, 5};
    static const size_t block[] = {0, 1, 2, 6, 7, 3, 4, 5, 9, 10};
    for (size_t i = 0; i < 10; i++) assert_int_equal(port_address(&port, i), cyclic[i]);
    port.partition[1].scheme = PARTITION_BLOCK;
    for (size_t i = 0; i < 10; i++) assert_int_equal(port_address(&port, i), block[i]);
}

static void bench_connects_all_tensors(void **state) {
    const Unit *unit = *state;
    Program *program = random_program(unit);
    while (program->input_count == 0 || program->output_count == 0) program = random_program(unit);
    Interface interface = write_and_read(unit, program);
    Text text = text_new(unit->arena);
    bench_print(&interface, &text);
    assert_contains(text_string(&text), "design_1 dut (");
    for (int i = 0; i < interface.input_count; i++)
        assert_contains(text_string(&text),
                        string_format(unit->arena, ".%s_write_en(", interface.inputs[i].port));
    for (int i = 0; i < interface.output_count; i++)
        assert_contains(text_string(&text),
                        string_format(unit->arena, ".%s_read_data(", interface.outputs[i].port));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        UNIT_TEST(written_is_read),
        UNIT_TEST(places_are_as_documented),
        UNIT_TEST(bench_connects_all_tensors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
