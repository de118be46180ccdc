/* Modules, signals and hash-consed expressions. What an expression simplifies to is in fold.c. */
#include "rtl/netlist.h"
#include "rtl/fold.h"

#include <assert.h>
#include <string.h>

Module *module_new(Netlist *netlist, const char *name) {
    Module *module = arena_new_of(netlist->arena, Module);
    module->name = name;
    module->names = names_new(netlist->arena);
    vector_push(netlist->arena, &module->sections, (const char *)NULL);
    vector_push(netlist->arena, &netlist->modules, module);
    return module;
}

void section_begin(Netlist *netlist, Module *module, const char *title) {
    vector_push(netlist->arena, &module->sections, title);
    module->section = module->sections.count - 1;
}

int signal_add(Netlist *netlist, Module *module, const char *name, SignalKind kind, int width) {
    assert(width >= 1);
    Signal signal = {.name = names_unique(module->names, name),
                     .section = module->section,
                     .kind = kind,
                     .width = width,
                     .value = -1,
                     .enable = -1};
    vector_push(netlist->arena, &module->signals, signal);
    return module->signals.count - 1;
}

int instance_add(Netlist *netlist, Module *module, const char *name, const char *of) {
    Instance instance = {
        .name = names_unique(module->names, name), .module = of, .section = module->section};
    vector_push(netlist->arena, &module->instances, instance);
    return module->instances.count - 1;
}

/* --- hash-consing --- */

typedef struct ExpressionTable {
    int *slots;      /* index of an expression + 1, or 0 */
    size_t capacity; /* a power of two */
} ExpressionTable;

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
}

static uint64_t node_hash(const ExpressionNode *node) {
    uint64_t hash = mix((uint64_t)node->kind, (uint64_t)node->width);
    for (int i = 0; i < 3; i++) hash = mix(hash, (uint64_t)node->operands[i]);
    hash = mix(hash, node->value);
    return mix(hash, ((uint64_t)node->signal << 32) ^ (uint64_t)node->low);
}

static bool node_equal(const ExpressionNode *a, const ExpressionNode *b) {
    return a->kind == b->kind && a->width == b->width && a->operands[0] == b->operands[0] &&
           a->operands[1] == b->operands[1] && a->operands[2] == b->operands[2] &&
           a->value == b->value && a->signal == b->signal && a->low == b->low;
}

/* The slot of a node, or the free one where it belongs. */
static int *slot_of(const Module *module, const ExpressionTable *table,
                    const ExpressionNode *node) {
    size_t i = (size_t)node_hash(node) & (table->capacity - 1);
    while (table->slots[i] && !node_equal(&module->expressions.items[table->slots[i] - 1], node))
        i = (i + 1) & (table->capacity - 1);
    return &table->slots[i];
}

static void table_grow(Netlist *netlist, Module *module) {
    ExpressionTable *table = module->table;
    if (!table) table = module->table = arena_new_of(netlist->arena, ExpressionTable);
    if (2 * ((size_t)module->expressions.count + 1) <= table->capacity) return;
    table->capacity = table->capacity ? 2 * table->capacity : 256;
    table->slots = arena_array(netlist->arena, table->capacity, sizeof *table->slots);
    for (int i = 0; i < module->expressions.count; i++)
        *slot_of(module, table, &module->expressions.items[i]) = i + 1;
}

Expression expression_intern(Netlist *netlist, Module *module, ExpressionNode node) {
    table_grow(netlist, module);
    int *slot = slot_of(module, module->table, &node);
    if (*slot) return *slot - 1;
    vector_push(netlist->arena, &module->expressions, node);
    return (*slot = module->expressions.count) - 1;
}

/* --- construction --- */

static ExpressionNode node_of(ExpressionKind kind, int width) {
    return (ExpressionNode){.kind = kind, .width = width, .operands = {-1, -1, -1}, .signal = -1};
}

Expression expression_constant(Netlist *netlist, Module *module, int width, Bits value) {
    ExpressionNode node = node_of(EXPRESSION_CONSTANT, width);
    node.value = width < 64 ? value & bits_mask(width) : value;
    return expression_intern(netlist, module, node);
}

Expression expression_signal(Netlist *netlist, Module *module, int signal) {
    ExpressionNode node = node_of(EXPRESSION_SIGNAL, module->signals.items[signal].width);
    node.signal = signal;
    return expression_intern(netlist, module, node);
}

static bool is_commutative(ExpressionKind kind) {
    switch (kind) {
    case EXPRESSION_AND:
    case EXPRESSION_OR:
    case EXPRESSION_XOR:
    case EXPRESSION_ADD:
    case EXPRESSION_MULTIPLY:
    case EXPRESSION_EQ:
    case EXPRESSION_NE: return true;
    default: return false;
    }
}

/* Commutative operands keep the order in which they were first written: it reads better. */
static Expression intern_either_order(Netlist *netlist, Module *module, ExpressionNode node) {
    if (is_commutative(node.kind)) {
        ExpressionNode swapped = node;
        swapped.operands[0] = node.operands[1];
        swapped.operands[1] = node.operands[0];
        table_grow(netlist, module);
        int *slot = slot_of(module, module->table, &swapped);
        if (*slot) return *slot - 1;
    }
    return expression_intern(netlist, module, node);
}

Expression expression(Netlist *netlist, Module *module, ExpressionKind kind, int width,
                      Expression a, Expression b, Expression c) {
    ExpressionNode node = node_of(kind, width);
    node.operands[0] = a;
    node.operands[1] = b;
    node.operands[2] = c;
    Expression simple = expression_fold(netlist, module, &node);
    return simple >= 0 ? simple : intern_either_order(netlist, module, node);
}

Expression expression_slice(Netlist *netlist, Module *module, Expression value, int low,
                            int width) {
    ExpressionNode node = node_of(EXPRESSION_SLICE, width);
    node.operands[0] = value;
    node.low = low;
    Expression simple = expression_fold(netlist, module, &node);
    return simple >= 0 ? simple : expression_intern(netlist, module, node);
}

Expression expression_not(Netlist *netlist, Module *module, Expression value) {
    int width = module->expressions.items[value].width;
    return expression(netlist, module, EXPRESSION_NOT, width, value, -1, -1);
}

Expression expression_and(Netlist *netlist, Module *module, Expression left, Expression right) {
    int width = module->expressions.items[left].width;
    return expression(netlist, module, EXPRESSION_AND, width, left, right, -1);
}

Expression expression_or(Netlist *netlist, Module *module, Expression left, Expression right) {
    int width = module->expressions.items[left].width;
    return expression(netlist, module, EXPRESSION_OR, width, left, right, -1);
}

Expression expression_mux(Netlist *netlist, Module *module, Expression condition, Expression then,
                          Expression otherwise) {
    int width = module->expressions.items[then].width;
    return expression(netlist, module, EXPRESSION_MUX, width, condition, then, otherwise);
}

bool expression_is_constant(const Module *module, Expression index, Bits *value) {
    const ExpressionNode *node = &module->expressions.items[index];
    if (node->kind != EXPRESSION_CONSTANT) return false;
    if (value) *value = node->value;
    return true;
}

void expression_name(Module *module, Expression index, const char *name) {
    ExpressionNode *node = &module->expressions.items[index];
    if (!node->name) node->name = name;
}

static const signed char operand_counts[EXPRESSION_KINDS] = {
    [EXPRESSION_CONSTANT] = 0,  [EXPRESSION_SIGNAL] = 0,     [EXPRESSION_NOT] = 1,
    [EXPRESSION_REDUCE_OR] = 1, [EXPRESSION_REDUCE_AND] = 1, [EXPRESSION_MUX] = 3,
    [EXPRESSION_SLICE] = 1,     [EXPRESSION_EXTEND] = 1,     [EXPRESSION_EXTEND_SIGNED] = 1,
};

int expression_operands(ExpressionKind kind) {
    if (kind <= EXPRESSION_SIGNAL) return 0;
    return operand_counts[kind] ? operand_counts[kind] : 2;
}
