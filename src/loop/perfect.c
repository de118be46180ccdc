/* Pass "perfect": LOOP nodes become loops of perfect nests.
 *
 * Straight-line code before a nest is executed in the nest's first iteration, code behind it in the
 * last, by predicates on the accesses; the order of all accesses stays what it was. A LOOP around
 * one nest becomes its outermost own loop. */
#include "loop/body.h"
#include "loop/dependence.h"
#include "loop/transform.h"

/* True for a nest that is straight-line code: no loops of its own. */
static bool is_straight(const Node *node) {
    return node->kind == NODE_NEST && node->nest->outer == node->nest->loop_count;
}

/* An i1 that is 1 in the first (last) iteration of the nest's own loops, -1 if there is only one.
 */
static int edge_predicate(Arena *arena, Nest *nest, bool last) {
    int predicate = -1;
    for (int i = nest->outer; i < nest->loop_count; i++) {
        Affine form = affine_new(arena, nest->loop_count, last ? 1 - nest->loops[i].trip : 0);
        form.coefficients[i] = 1;
        bool never;
        int edge = append_constraint(arena, nest, &form, true, &never);
        predicate = append_and(arena, nest, predicate, edge);
    }
    return predicate;
}

/* Appends the body of `code` to `nest`, which has more loops; accesses get the predicate too. */
static void append_body(Arena *arena, Nest *nest, const Nest *code, int predicate) {
    int *moved = arena_array(arena, (size_t)code->body.count, sizeof *moved);
    for (int i = 0; i < code->body.count; i++) {
        Operation operation = code->body.items[i];
        for (int k = 0; k < 3; k++)
            if (operation.operands[k] >= 0) operation.operands[k] = moved[operation.operands[k]];
        if (operation.predicate >= 0) operation.predicate = moved[operation.predicate];
        if (operation_is_access(&operation))
            operation.predicate = append_and(arena, nest, predicate, operation.predicate);
        Affine form = affine_new(arena, nest->loop_count, operation.affine.constant);
        for (int k = 0; k < code->loop_count && operation.affine.coefficients; k++)
            form.coefficients[k] = operation.affine.coefficients[k];
        operation.affine = form;
        moved[i] = nest_append(arena, nest, operation);
    }
}

/* A nest with the loops of `shape` and no body yet. */
static Nest *nest_like(Arena *arena, const Nest *shape) {
    Nest *nest = arena_new_of(arena, Nest);
    *nest = *shape;
    nest->body.items = NULL;
    nest->body.count = nest->body.capacity = 0;
    return nest;
}

/* The two nests, one of them straight, as one. */
static void merge(Arena *arena, Node *first, const Node *second) {
    bool before = is_straight(first);
    const Nest *shape = before ? second->nest : first->nest;
    Nest *nest = nest_like(arena, shape);
    int edge = edge_predicate(arena, nest, !before);
    append_body(arena, nest, first->nest, before ? edge : -1);
    append_body(arena, nest, second->nest, before ? -1 : edge);
    first->nest = nest;
}

/* Merges straight code into its neighbours: into the nest behind it, else into the one before. */
static void merge_children(Arena *arena, Node *node) {
    for (int i = 0; i + 1 < node->children.count;) {
        Node *first = node->children.items[i], *second = node->children.items[i + 1];
        bool nests = first->kind == NODE_NEST && second->kind == NODE_NEST;
        if (!nests || (!is_straight(first) && !is_straight(second))) {
            i++;
            continue;
        }
        merge(arena, first, second);
        for (int k = i + 1; k + 1 < node->children.count; k++)
            node->children.items[k] = node->children.items[k + 1];
        node->children.count--;
    }
}

/* A LOOP around one nest becomes the nest's outermost own loop. */
static bool sink(Node *node) {
    if (node->children.count != 1 || node->children.items[0]->kind != NODE_NEST) return false;
    Nest *nest = node->children.items[0]->nest;
    nest->outer--;
    node->kind = NODE_NEST;
    node->nest = nest;
    node->children.count = 0;
    return true;
}

/* --- distribution --- */

/* True if the children from `split` on may run in a loop of their own, after one around those
 * before it. */
static bool can_split(const Program *program, const Node *node, int split) {
    for (int i = 0; i < split; i++)
        for (int k = split; k < node->children.count; k++) {
            const Nest *earlier = node->children.items[i]->nest;
            const Nest *later = node->children.items[k]->nest;
            if (nests_conflict_backward(program, earlier, later, earlier->outer - 1)) return false;
        }
    return true;
}

/* loop { a; b } becomes loop { a } loop { b } wherever that changes no order that matters. */
static void distribute(const Program *program, Node *node) {
    Arena *arena = program->arena;
    Node list = {0};
    Node *group = NULL;
    for (int i = 0; i < node->children.count; i++)
        if (node->children.items[i]->kind != NODE_NEST) return;
    for (int i = 0; i < node->children.count; i++) {
        if (!group || can_split(program, node, i)) {
            group = node_new(arena, NODE_LOOP);
            group->loop = node->loop;
            vector_push(arena, &list.children, group);
        }
        vector_push(arena, &group->children, node->children.items[i]);
    }
    if (list.children.count < 2) return;
    node->kind = NODE_SEQUENCE;
    node->children.items = list.children.items;
    node->children.count = list.children.count;
    node->children.capacity = list.children.capacity;
    for (int i = 0; i < node->children.count; i++) sink(node->children.items[i]);
}

/* Sequences in sequences and loops are spliced, so that their nests have neighbours. */
static void splice(Arena *arena, Node *node) {
    Node list = {0};
    for (int i = 0; i < node->children.count; i++) {
        Node *child = node->children.items[i];
        if (child->kind != NODE_SEQUENCE) vector_push(arena, &list.children, child);
        for (int k = 0; child->kind == NODE_SEQUENCE && k < child->children.count; k++)
            vector_push(arena, &list.children, child->children.items[k]);
    }
    node->children.items = list.children.items;
    node->children.count = list.children.count;
    node->children.capacity = list.children.capacity;
}

static void make_perfect(const Program *program, Node *node) {
    for (int i = 0; i < node->children.count; i++) make_perfect(program, node->children.items[i]);
    bool loop = node->kind == NODE_LOOP;
    if (loop || node->kind == NODE_SEQUENCE) splice(program->arena, node);
    if (!loop) return;
    merge_children(program->arena, node);
    if (!sink(node)) distribute(program, node);
}

bool pass_perfect(Program *program, const LoopOptions *options, Diagnostics *diagnostics) {
    (void)options, (void)diagnostics;
    make_perfect(program, program->root);
    return true;
}
