/* Drops what nothing depends on, and gives a wire to each expression that should have a name: what
 * is used more than once, what is too large to read in one line, and what Verilog can only take as
 * a name.
 *
 * The expressions are walked once from the signals and instances that are kept, and then made anew
 * in their old order, operands first, so that all of this takes linear time. */
#include "rtl/netlist.h"

#include <string.h>

/* Letters of a part of an expression that still reads well within a line. */
enum { LENGTH_LIMIT = 48 };
/* Letters of two names that are joined to one. */
enum { PAIR_LIMIT = 40 };

/* Who uses an expression. */
typedef struct Use {
    int count;
    ExpressionKind kind; /* of the last user; EXPRESSION_KINDS: a signal or an instance */
    int place;           /* which operand */
    bool as_name;        /* a user selects bits of it: Verilog does that with names only */
    const char *stem;    /* name of its first user, for a name of its own */
    int section;
    int length; /* letters printed where it is used, nearly */
} Use;

typedef struct Simplify {
    Netlist *netlist;
    Module *module;
    Use *uses;
    bool *signal_kept, *instance_kept;
    int *instance_of;    /* signal to the instance that drives it, or -1 */
    Vector(int) pending; /* signals that are kept and not looked at yet */
    int *signal_map;     /* old to new */
    Expression *map;     /* old to new */
} Simplify;

/* --- what is kept --- */

static void keep_signal(Simplify *s, int signal) {
    if (s->signal_kept[signal]) return;
    s->signal_kept[signal] = true;
    vector_push(s->netlist->arena, &s->pending, signal);
}

/* Counts a use of an expression, and at its first use those of its operands. */
static void use(Simplify *s, Expression index, ExpressionKind kind, int place, const char *stem,
                int section) {
    if (index < 0) return;
    Use *entry = &s->uses[index];
    const ExpressionNode *node = &s->module->expressions.items[index];
    entry->kind = kind;
    entry->place = place;
    entry->as_name = entry->as_name || kind == EXPRESSION_SLICE || kind == EXPRESSION_EXTEND_SIGNED;
    if (entry->count++) return;
    entry->stem = stem;
    entry->section = section;
    if (node->kind == EXPRESSION_SIGNAL) keep_signal(s, node->signal);
    if (node->name) stem = string_format(s->netlist->arena, "%s_in", node->name);
    for (int i = 0; i < expression_operands(node->kind); i++)
        use(s, node->operands[i], node->kind, i, stem, section);
}

static bool gives_signed(ExpressionKind kind) {
    return kind == EXPRESSION_SHIFT_RIGHT_SIGNED || kind == EXPRESSION_DIVIDE_SIGNED ||
           kind == EXPRESSION_REMAINDER_SIGNED;
}

static void keep_instance(Simplify *s, int index) {
    if (index < 0 || s->instance_kept[index]) return;
    s->instance_kept[index] = true;
    const Instance *instance = &s->module->instances.items[index];
    for (int i = 0; i < instance->connections.count; i++) {
        const Connection *connection = &instance->connections.items[i];
        if (connection->is_output) {
            if (connection->signal >= 0) keep_signal(s, connection->signal);
            continue;
        }
        const char *stem =
            string_format(s->netlist->arena, "%s_%s", instance->name, connection->port);
        use(s, connection->value, EXPRESSION_KINDS, 0, stem, instance->section);
        /* Yosys (0.23) fails on a port that a signed operation is connected to. */
        if (connection->value >= 0 &&
            gives_signed(s->module->expressions.items[connection->value].kind))
            s->uses[connection->value].as_name = true;
    }
}

static void look_at_signal(Simplify *s, int index) {
    const Signal *signal = &s->module->signals.items[index];
    Arena *arena = s->netlist->arena;
    if (signal->kind == SIGNAL_INSTANCE) keep_instance(s, s->instance_of[index]);
    const char *what = signal->kind == SIGNAL_REGISTER ? "next" : "value";
    use(s, signal->value, EXPRESSION_KINDS, 0, string_format(arena, "%s_%s", signal->name, what),
        signal->section);
    use(s, signal->enable, EXPRESSION_KINDS, 0, string_format(arena, "%s_enable", signal->name),
        signal->section);
}

static void keep_all(Simplify *s) {
    const Module *module = s->module;
    for (int i = 0; i < module->signals.count; i++) s->instance_of[i] = -1;
    for (int i = 0; i < module->instances.count; i++)
        for (int k = 0; k < module->instances.items[i].connections.count; k++) {
            const Connection *connection = &module->instances.items[i].connections.items[k];
            if (connection->is_output && connection->signal >= 0)
                s->instance_of[connection->signal] = i;
        }
    for (int i = 0; i < module->signals.count; i++)
        if (module->signals.items[i].kind == SIGNAL_INPUT ||
            module->signals.items[i].kind == SIGNAL_OUTPUT)
            keep_signal(s, i);
    for (int i = 0; i < s->pending.count; i++) look_at_signal(s, s->pending.items[i]);
}

/* --- what gets a wire --- */

static bool is_signal(const Simplify *s, Expression e) {
    return s->module->expressions.items[e].kind == EXPRESSION_SIGNAL;
}

/* As short as a name. */
static bool is_trivial(const Simplify *s, const ExpressionNode *node) {
    switch (node->kind) {
    case EXPRESSION_CONSTANT:
    case EXPRESSION_SIGNAL: return true;
    case EXPRESSION_NOT:
    case EXPRESSION_SLICE:
    case EXPRESSION_EXTEND: return is_signal(s, node->operands[0]);
    default: return false;
    }
}

/* An operation on signed numbers is one only if nothing unsigned stands in the same expression. */
static bool must_be_named(const ExpressionNode *node, const Use *entry) {
    if (entry->as_name) return true;
    if (entry->kind == EXPRESSION_KINDS) return false;
    return gives_signed(node->kind);
}

/* A long sum of terms, or a long choice, is printed over several lines and needs no names inside.
 */
static bool continues(const ExpressionNode *node, const Use *entry) {
    if (node->kind != entry->kind) return false;
    return node->kind == EXPRESSION_OR || node->kind == EXPRESSION_AND ||
           node->kind == EXPRESSION_CONCAT || (node->kind == EXPRESSION_MUX && entry->place == 2);
}

/* Letters of a node without its operands. */
static int own_length(const Simplify *s, const ExpressionNode *node) {
    switch (node->kind) {
    case EXPRESSION_SIGNAL: return (int)strlen(s->module->signals.items[node->signal].name);
    case EXPRESSION_CONSTANT: return node->width == 1 ? 4 : 7;
    case EXPRESSION_NOT: return 1;
    case EXPRESSION_MUX: return 8;
    default: return 5;
    }
}

static int length_of(const Simplify *s, const ExpressionNode *node) {
    int length = own_length(s, node);
    for (int i = 0; i < expression_operands(node->kind); i++)
        length += s->uses[node->operands[i]].length;
    return length;
}

/* Two plain names joined tell more than where they are used first: "start_or_run". */
static const char *name_of_pair(const Simplify *s, const ExpressionNode *node) {
    if (node->kind != EXPRESSION_OR && node->kind != EXPRESSION_AND) return NULL;
    const ExpressionNode *a = &s->module->expressions.items[node->operands[0]];
    const ExpressionNode *b = &s->module->expressions.items[node->operands[1]];
    if (a->kind != EXPRESSION_SIGNAL || b->kind != EXPRESSION_SIGNAL) return NULL;
    const char *left = s->module->signals.items[a->signal].name,
               *right = s->module->signals.items[b->signal].name;
    if (strlen(left) + strlen(right) > PAIR_LIMIT) return NULL;
    return string_format(s->netlist->arena, "%s_%s_%s", left,
                         node->kind == EXPRESSION_OR ? "or" : "and", right);
}

static bool needs_wire(Simplify *s, Expression index) {
    const ExpressionNode *node = &s->module->expressions.items[index];
    Use *entry = &s->uses[index];
    entry->length = length_of(s, node);
    if (node->kind == EXPRESSION_CONSTANT || node->kind == EXPRESSION_SIGNAL) return false;
    bool shared = entry->count > 1 &&
                  (node->kind == EXPRESSION_SLICE ? node->name != NULL : !is_trivial(s, node));
    bool inside = entry->kind != EXPRESSION_KINDS && !continues(node, entry);
    bool long_part = inside && entry->length > LENGTH_LIMIT && node->kind != EXPRESSION_SLICE;
    if (!shared && !long_part && !must_be_named(node, entry)) return false;
    const char *pair = node->name ? NULL : name_of_pair(s, node);
    if (pair) expression_name(s->module, index, pair);
    entry->length = (int)strlen(node->name ? node->name : entry->stem);
    return true;
}

/* --- the new module --- */

static void signals_rebuild(Simplify *s) {
    Module *module = s->module;
    int kept = 0;
    for (int i = 0; i < module->signals.count; i++) {
        s->signal_map[i] = -1;
        if (!s->signal_kept[i]) continue;
        s->signal_map[i] = kept;
        module->signals.items[kept++] = module->signals.items[i];
    }
    module->signals.count = kept;
}

static Expression mapped(const Simplify *s, Expression old) {
    return old < 0 ? -1 : s->map[old];
}

static Expression wire_for(Simplify *s, const Use *entry, const char *name, Expression value,
                           int width) {
    Module *module = s->module;
    module->section = entry->section;
    int signal = signal_add(s->netlist, module, name ? name : entry->stem, SIGNAL_WIRE, width);
    module->signals.items[signal].value = value;
    return expression_signal(s->netlist, module, signal);
}

static void expressions_rebuild(Simplify *s, const bool *wired) {
    Module *module = s->module;
    int count = module->expressions.count;
    const ExpressionNode *old = module->expressions.items;
    module->expressions.items = NULL;
    module->expressions.count = module->expressions.capacity = 0;
    module->table = NULL;
    for (int i = 0; i < count; i++) {
        s->map[i] = -1;
        if (s->uses[i].count == 0) continue;
        ExpressionNode node = old[i];
        for (int k = 0; k < 3; k++) node.operands[k] = mapped(s, node.operands[k]);
        if (node.kind == EXPRESSION_SIGNAL) node.signal = s->signal_map[node.signal];
        s->map[i] = expression_intern(s->netlist, module, node);
        if (wired[i]) s->map[i] = wire_for(s, &s->uses[i], node.name, s->map[i], node.width);
    }
}

static void instances_rebuild(Simplify *s) {
    Module *module = s->module;
    int kept = 0;
    for (int i = 0; i < module->instances.count; i++) {
        if (!s->instance_kept[i]) continue;
        Instance instance = module->instances.items[i];
        for (int k = 0; k < instance.connections.count; k++) {
            Connection *connection = &instance.connections.items[k];
            connection->value = mapped(s, connection->value);
            if (connection->signal >= 0) connection->signal = s->signal_map[connection->signal];
        }
        module->instances.items[kept++] = instance;
    }
    module->instances.count = kept;
}

static void module_simplify(Netlist *netlist, Module *module) {
    Arena *arena = netlist->arena;
    size_t expressions = (size_t)module->expressions.count + 1,
           signals = (size_t)module->signals.count + 1;
    Simplify s = {.netlist = netlist, .module = module};
    s.uses = arena_array(arena, expressions, sizeof *s.uses);
    s.map = arena_array(arena, expressions, sizeof *s.map);
    s.signal_kept = arena_array(arena, signals, sizeof *s.signal_kept);
    s.signal_map = arena_array(arena, signals, sizeof *s.signal_map);
    s.instance_of = arena_array(arena, signals, sizeof *s.instance_of);
    s.instance_kept =
        arena_array(arena, (size_t)module->instances.count + 1, sizeof *s.instance_kept);
    keep_all(&s);
    bool *wired = arena_array(arena, expressions, sizeof *wired);
    for (int i = 0; i < module->expressions.count; i++)
        if (s.uses[i].count) wired[i] = needs_wire(&s, i);
    signals_rebuild(&s);
    int kept = module->signals.count;
    expressions_rebuild(&s, wired);
    for (int i = 0; i < kept; i++) {
        module->signals.items[i].value = mapped(&s, module->signals.items[i].value);
        module->signals.items[i].enable = mapped(&s, module->signals.items[i].enable);
    }
    instances_rebuild(&s);
    module->section = 0;
}

void netlist_simplify(Netlist *netlist) {
    for (int i = 0; i < netlist->modules.count; i++)
        module_simplify(netlist, netlist->modules.items[i]);
}
