/* Recurrent cells: one step of a plain cell, a GRU or an LSTM, and whole sequences as unrolled
 * steps. */
#include <string.h>
#include "import/elementwise.h"
#include "import/formulas.h"
#include "import/operations.h"
#include "import/products.h"
#include "import/shape.h"

#define BODY(name) static MlirValue name(Call *call, Builder *body, Dtype dtype, const MlirValue *x)

#define FORMULA                                                                                    \
    Formula f = {body, dtype};                                                                     \
    (void)call

BODY(sum) {
    FORMULA;
    return plus(f, x[0], x[1]);
}

/* sigmoid(forget) * c + sigmoid(input) * tanh(cell) */
BODY(next_cell) {
    FORMULA;
    MlirValue kept = times(f, logistic(f, x[1]), x[3]);
    return plus(f, kept, times(f, logistic(f, x[0]), math(f, "math.tanh", x[2])));
}

/* sigmoid(output) * tanh(c) */
BODY(next_hidden) {
    FORMULA;
    return times(f, logistic(f, x[0]), math(f, "math.tanh", x[1]));
}

/* tanh(input + sigmoid(reset) * hidden) */
BODY(candidate) {
    FORMULA;
    MlirValue reset = logistic(f, plus(f, x[0], x[1]));
    return math(f, "math.tanh", plus(f, x[2], times(f, reset, x[3])));
}

BODY(tanh_of_sum) {
    FORMULA;
    return math(f, "math.tanh", plus(f, x[0], x[1]));
}

BODY(relu_of_sum) {
    FORMULA;
    return highest(f, plus(f, x[0], x[1]), real(f, 0));
}

/* (h - candidate) * sigmoid(update) + candidate */
BODY(next_gru) {
    FORMULA;
    MlirValue update = logistic(f, plus(f, x[0], x[1]));
    return plus(f, times(f, minus(f, x[2], x[3]), update), x[3]);
}

typedef struct Cell {
    int gates;
    Value *w_ih, *w_hh, *b_ih, *b_hh;
} Cell;

static bool check_cell(Call *call, const Cell *cell, const Value *input, const Value *hidden) {
    int64_t size = hidden->type.rank > 0 ? hidden->type.shape[hidden->type.rank - 1] : 0;
    bool fits = cell->w_ih->type.rank == 2 && cell->w_hh->type.rank == 2 &&
                cell->w_ih->type.shape[0] == cell->gates * size &&
                cell->w_hh->type.shape[0] == cell->gates * size &&
                dtype_is_float(input->type.dtype);
    return fits || call_fail(call, "the shapes of input, state and weights do not fit");
}

/* Part `index` of the gates along the last dimension. */
static Value *gate(Call *call, const Cell *cell, Value *gates, int index) {
    int last = gates->type.rank - 1;
    int64_t size = gates->type.shape[last] / cell->gates;
    return value_slice(call, gates, last, index * size, size, 1);
}

/* One step of an LSTM: the new hidden state and the new cell state. */
static bool step_lstm(Call *call, const Cell *cell, Value *input, Value **hidden, Value **state) {
    Dtype dtype = input->type.dtype;
    if (!check_cell(call, cell, input, *hidden)) return false;
    Value *parts[] = {value_product(call, input, cell->w_ih, true, cell->b_ih),
                      value_product(call, *hidden, cell->w_hh, true, cell->b_hh)};
    if (!parts[0] || !parts[1]) return false;
    Value *gates = element_wise(call, 2, parts, dtype, ELEMENT_WIDE, sum);
    if (!gates) return false;
    Value *cell_inputs[] = {gate(call, cell, gates, 0), gate(call, cell, gates, 1),
                            gate(call, cell, gates, 2), *state};
    *state = element_wise(call, 4, cell_inputs, dtype, ELEMENT_WIDE, next_cell);
    if (!*state) return false;
    Value *hidden_inputs[] = {gate(call, cell, gates, 3), *state};
    *hidden = element_wise(call, 2, hidden_inputs, dtype, ELEMENT_WIDE, next_hidden);
    return *hidden != NULL;
}

/* One step of a plain cell: the body of input @ w_ih + b_ih and hidden @ w_hh + b_hh. */
static bool step_plain(Call *call, const Cell *cell, Value *input, Value **hidden,
                       ElementBody body) {
    if (!check_cell(call, cell, input, *hidden)) return false;
    Value *parts[] = {value_product(call, input, cell->w_ih, true, cell->b_ih),
                      value_product(call, *hidden, cell->w_hh, true, cell->b_hh)};
    if (!parts[0] || !parts[1]) return false;
    *hidden = element_wise(call, 2, parts, input->type.dtype, ELEMENT_WIDE, body);
    return *hidden != NULL;
}

static bool step_tanh(Call *call, const Cell *cell, Value *input, Value **hidden, Value **state) {
    (void)state;
    return step_plain(call, cell, input, hidden, tanh_of_sum);
}

static bool step_relu(Call *call, const Cell *cell, Value *input, Value **hidden, Value **state) {
    (void)state;
    return step_plain(call, cell, input, hidden, relu_of_sum);
}

static bool step_gru(Call *call, const Cell *cell, Value *input, Value **hidden, Value **state) {
    (void)state;
    Dtype dtype = input->type.dtype;
    if (!check_cell(call, cell, input, *hidden)) return false;
    Value *by_input = value_product(call, input, cell->w_ih, true, cell->b_ih);
    Value *by_hidden = value_product(call, *hidden, cell->w_hh, true, cell->b_hh);
    if (!by_input || !by_hidden) return false;
    Value *inner[] = {gate(call, cell, by_input, 0), gate(call, cell, by_hidden, 0),
                      gate(call, cell, by_input, 2), gate(call, cell, by_hidden, 2)};
    Value *next = element_wise(call, 4, inner, dtype, ELEMENT_WIDE, candidate);
    if (!next) return false;
    Value *outer[] = {gate(call, cell, by_input, 1), gate(call, cell, by_hidden, 1), *hidden, next};
    *hidden = element_wise(call, 4, outer, dtype, ELEMENT_WIDE, next_gru);
    return *hidden != NULL;
}

enum { RNN_TANH, RNN_RELU, GRU, LSTM };

/* A step replaces the hidden state, and that of an LSTM the cell state, too. */
static const struct {
    int gates;
    bool (*step)(Call *call, const Cell *cell, Value *input, Value **hidden, Value **state);
} kinds[] = {
    [RNN_TANH] = {1, step_tanh},
    [RNN_RELU] = {1, step_relu},
    [GRU] = {3, step_gru},
    [LSTM] = {4, step_lstm},
};

static Cell read_cell(Call *call) {
    return (Cell){kinds[call->operation->option].gates, call_tensor(call, "w_ih"),
                  call_tensor(call, "w_hh"), call_tensor(call, "b_ih"), call_tensor(call, "b_hh")};
}

static bool emit_lstm_cell(Call *call) {
    int count;
    Value **state = call_tensors(call, "hx", &count);
    Cell cell = read_cell(call);
    if (count != 2) return call_fail(call, "hx must have 2 tensors");
    return step_lstm(call, &cell, call_tensor(call, "input"), &state[0], &state[1]) &&
           call_result(call, 0, state[0]) && call_result(call, 1, state[1]);
}

static bool emit_cell(Call *call) {
    Value *hidden = call_tensor(call, "hx");
    Cell cell = read_cell(call);
    return kinds[call->operation->option].step(call, &cell, call_tensor(call, "input"), &hidden,
                                               NULL) &&
           call_result(call, 0, hidden);
}

/* --- sequences ----------------------------------------------------------------------------- */

enum { MAX_STEPS = 4096 };

typedef struct Sequence {
    int kind;
    bool has_biases, bidirectional;
    int layers, directions, time; /* time: the dimension of the steps */
    int64_t steps;
    Value **parameters;
    Value *hidden, *state; /* [layers * directions, batch, size] */
    Value **last_hidden, **last_state;
} Sequence;

static Value *part(Call *call, Value *value, int dim, int64_t index) {
    return value_drop_dim(call, value_slice(call, value, dim, index, 1, 1), dim);
}

/* One layer in one direction; the outputs of its steps, joined along time. */
static Value *run_direction(Call *call, Sequence *sequence, Value *input, int slot,
                            bool backwards) {
    int each = sequence->has_biases ? 4 : 2;
    Value **own = sequence->parameters + each * slot;
    Cell cell = {kinds[sequence->kind].gates, own[0], own[1], sequence->has_biases ? own[2] : NULL,
                 sequence->has_biases ? own[3] : NULL};
    Value *hidden = part(call, sequence->hidden, 0, slot);
    Value *state = sequence->state ? part(call, sequence->state, 0, slot) : NULL;
    Value **outputs = arena_array(call->arena, (size_t)sequence->steps, sizeof(Value *));
    for (int64_t i = 0; i < sequence->steps; i++) {
        int64_t at = backwards ? sequence->steps - 1 - i : i;
        Value *now = part(call, input, sequence->time, at);
        if (!kinds[sequence->kind].step(call, &cell, now, &hidden, &state)) return NULL;
        int64_t shape[MAX_RANK];
        int rank = hidden->type.rank + 1;
        for (int d = 0; d < rank; d++) {
            shape[d] = d == sequence->time ? 1 : hidden->type.shape[d > sequence->time ? d - 1 : d];
        }
        outputs[at] = value_reshape(call, hidden, rank, shape);
    }
    sequence->last_hidden[slot] = hidden;
    sequence->last_state[slot] = state;
    return value_concatenate(call, (int)sequence->steps, outputs, sequence->time);
}

static Value *run_layers(Call *call, Sequence *sequence, Value *input) {
    for (int layer = 0; layer < sequence->layers && input; layer++) {
        Value *both[2] = {NULL, NULL};
        for (int d = 0; d < sequence->directions; d++) {
            int slot = layer * sequence->directions + d;
            both[d] = run_direction(call, sequence, input, slot, d == 1);
            if (!both[d]) return NULL;
        }
        input = value_concatenate(call, sequence->directions, both, input->type.rank - 1);
    }
    return input;
}

/* The last states of all layers as one tensor. */
static Value *stack_states(Call *call, const Sequence *sequence, Value **states) {
    int count = sequence->layers * sequence->directions;
    for (int i = 0; i < count; i++) {
        int64_t shape[MAX_RANK] = {1};
        int rank = states[i]->type.rank;
        memcpy(shape + 1, states[i]->type.shape, (size_t)rank * sizeof *shape);
        states[i] = value_reshape(call, states[i], rank + 1, shape);
    }
    return value_concatenate(call, count, states, 0);
}

static bool read_sequence(Call *call, Sequence *sequence, const Value *input) {
    int count;
    int64_t layers = call_integer(call, "num_layers");
    sequence->has_biases = call_bool(call, "has_biases");
    sequence->directions = call_bool(call, "bidirectional") ? 2 : 1;
    sequence->parameters = call_tensors(call, "params", &count);
    bool batch_first = call_bool(call, "batch_first");
    if (call_bool(call, "train") && call_float(call, "dropout") != 0) {
        return call_fail(call, "dropout is not supported: call model.eval() before the export");
    }
    call_float(call, "dropout");
    int each = sequence->has_biases ? 4 : 2;
    if (layers < 1 || layers > 64 || count != layers * sequence->directions * each) {
        return call_fail(call,
                         "%d parameters do not fit %lld layers (projections are not "
                         "supported)",
                         count, (long long)layers);
    }
    int rank = input->type.rank;
    if (rank != 2 && rank != 3) return call_fail(call, "the input needs 2 or 3 dimensions");
    sequence->layers = (int)layers;
    sequence->time = rank == 3 && batch_first ? 1 : 0;
    sequence->steps = input->type.shape[sequence->time];
    if (sequence->steps > MAX_STEPS) return call_fail(call, "it has too many steps");
    int64_t slots = layers * sequence->directions;
    const Value *states[] = {sequence->hidden, sequence->state};
    for (int i = 0; i < 2; i++) {
        if (!states[i]) continue;
        if (states[i]->type.rank != rank || states[i]->type.shape[0] != slots) {
            return call_fail(call, "the initial state does not fit the layers");
        }
    }
    sequence->last_hidden = arena_array(call->arena, (size_t)slots, sizeof(Value *));
    sequence->last_state = arena_array(call->arena, (size_t)slots, sizeof(Value *));
    return true;
}

static bool emit_sequence(Call *call) {
    Sequence sequence = {.kind = call->operation->option};
    Value *input = call_tensor(call, "input");
    if (sequence.kind == LSTM) {
        int count;
        Value **state = call_tensors(call, "hx", &count);
        if (count != 2) return call_fail(call, "hx must have 2 tensors");
        sequence.hidden = state[0];
        sequence.state = state[1];
    } else {
        sequence.hidden = call_tensor(call, "hx");
    }
    if (!read_sequence(call, &sequence, input)) return false;
    Value *outputs = run_layers(call, &sequence, input);
    if (!outputs || !call_result(call, 0, outputs)) return false;
    Value *hidden = stack_states(call, &sequence, sequence.last_hidden);
    if (!hidden || !call_result(call, 1, hidden)) return false;
    if (!sequence.state) return true;
    Value *state = stack_states(call, &sequence, sequence.last_state);
    return state && call_result(call, 2, state);
}

/* Rows that differ in little. */
// clang-format off
#define CELL(name, number)                                                                         \
    {"aten." name ".default",                                                                      \
     "(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, "                     \
     "Tensor? b_hh=None) -> Tensor",                                                               \
     .emit = emit_cell, .option = number}

#define SEQUENCE(name, number)                                                                     \
    {"aten." name ".input",                                                                        \
     "(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, "                \
     "float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)",       \
     .emit = emit_sequence, .option = number}
// clang-format on

const Operation recurrent_operations[] = {
    {"aten.lstm_cell.default",
     "(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) "
     "-> (Tensor, Tensor)",
     .emit = emit_lstm_cell, .option = LSTM},
    CELL("gru_cell", GRU),
    CELL("rnn_tanh_cell", RNN_TANH),
    CELL("rnn_relu_cell", RNN_RELU),
    {"aten.lstm.input",
     "(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, "
     "float dropout, bool train, bool bidirectional, bool batch_first) "
     "-> (Tensor, Tensor, Tensor)",
     .emit = emit_sequence, .option = LSTM},
    SEQUENCE("gru", GRU),
    SEQUENCE("rnn_tanh", RNN_TANH),
    SEQUENCE("rnn_relu", RNN_RELU),
    {.name = NULL},
};
