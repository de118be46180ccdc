/* Changes of a nest's loops. */
#include "loop/reshape.h"

#include <string.h>

#include "loop/body.h"

/* A body that is being made from another one. */
typedef struct Rewrite {
    Arena *arena;
    Nest old; /* the nest as it was */
    Nest *nest;
    int *moved; /* index in the old body -> index in the new one */
} Rewrite;

static Rewrite rewrite_begin(Arena *arena, Nest *nest) {
    Rewrite rewrite = {arena, *nest, nest, NULL};
    rewrite.moved = arena_array(arena, (size_t)nest->body.count + 1, sizeof(int));
    nest->body.items = NULL;
    nest->body.count = nest->body.capacity = 0;
    return rewrite;
}

/* Appends the old operation `index` with its operands renumbered. */
static Operation *rewrite_copy(Rewrite *rewrite, int index) {
    Operation operation = rewrite->old.body.items[index];
    for (int k = 0; k < 3; k++)
        if (operation.operands[k] >= 0)
            operation.operands[k] = rewrite->moved[operation.operands[k]];
    if (operation.predicate >= 0) operation.predicate = rewrite->moved[operation.predicate];
    rewrite->moved[index] = nest_append(rewrite->arena, rewrite->nest, operation);
    return &rewrite->nest->body.items[rewrite->moved[index]];
}

static void set_coefficients(Arena *arena, Nest *nest, int index, const Affine *form) {
    if (form->coefficients || nest->loop_count > 0)
        nest->body.items[index].affine = affine_copy(arena, form, nest->loop_count);
}

/* The predicate of an access that also asks for `guard` (-1: always): the and of both, in front of
 * it. */
static void guard_access(Rewrite *rewrite, int index, int guard) {
    if (guard < 0) return;
    const Operation *old = &rewrite->old.body.items[index];
    int predicate = old->predicate < 0 ? -1 : rewrite->moved[old->predicate];
    predicate = append_and(rewrite->arena, rewrite->nest, predicate, guard);
    Operation *copy = rewrite_copy(rewrite, index);
    copy->predicate = predicate;
}

static bool has_form(const Operation *operation) {
    return operation->opcode == OP_INDEX ||
           (operation_is_access(operation) && !operation->computed);
}

static bool has_loop(const Nest *nest, const char *name) {
    for (int i = 0; i < nest->loop_count; i++)
        if (strcmp(nest->loops[i].name, name) == 0) return true;
    return false;
}

/* The name of the inner part of a loop: j_part, and j_part2 if j was split before. */
static const char *part_name(Arena *arena, const Nest *nest, int loop) {
    const char *whole = nest->loops[loop].name;
    const char *name = string_format(arena, "%s_part", whole);
    for (int number = 2; has_loop(nest, name); number++)
        name = string_format(arena, "%s_part%d", whole, number);
    return name;
}

void nest_split(Arena *arena, Nest *nest, int loop, int64_t inner) {
    int64_t trip = nest->loops[loop].trip;
    Rewrite rewrite = rewrite_begin(arena, nest);
    nest->loop_count++;
    nest->loops = arena_array(arena, (size_t)nest->loop_count, sizeof(Loop));
    for (int i = 0; i < nest->loop_count; i++)
        nest->loops[i] = rewrite.old.loops[i <= loop ? i : i - 1];
    nest->loops[loop].trip = (trip + inner - 1) / inner;
    nest->loops[loop + 1].trip = inner;
    nest->loops[loop + 1].name = part_name(arena, &rewrite.old, loop);

    /* The index of a loop of one turn is 0; its coefficients would only hide that forms are equal.
     */
    int64_t stride = nest->loops[loop].trip > 1 ? inner : 0;
    int guard = -1;
    if (trip % inner != 0) {
        Affine inside = affine_new(arena, nest->loop_count, trip - 1);
        inside.coefficients[loop] = -stride;
        inside.coefficients[loop + 1] = -1;
        bool never;
        guard = append_constraint(arena, nest, &inside, false, &never);
    }
    for (int i = 0; i < rewrite.old.body.count; i++) {
        const Operation *old = &rewrite.old.body.items[i];
        if (guard >= 0 && operation_is_access(old))
            guard_access(&rewrite, i, guard);
        else
            rewrite_copy(&rewrite, i);
        if (!has_form(old)) continue;
        Affine form = affine_new(arena, nest->loop_count, old->affine.constant);
        for (int l = 0; l < nest->loop_count; l++) {
            int64_t coefficient = old->affine.coefficients[l <= loop ? l : l - 1];
            form.coefficients[l] = l == loop ? coefficient * stride : coefficient;
        }
        set_coefficients(arena, nest, rewrite.moved[i], &form);
    }
}

void nest_move_innermost(Arena *arena, Nest *nest, int loop) {
    int last = nest->loop_count - 1;
    Loop *loops = arena_array(arena, (size_t)nest->loop_count, sizeof(Loop));
    for (int l = 0; l <= last; l++) loops[l] = nest->loops[l < loop ? l : l < last ? l + 1 : loop];
    nest->loops = loops;
    for (int i = 0; i < nest->body.count; i++) {
        Operation *operation = &nest->body.items[i];
        if (!operation->affine.coefficients) continue;
        Affine form = affine_new(arena, nest->loop_count, operation->affine.constant);
        for (int l = 0; l <= last; l++)
            form.coefficients[l] = operation->affine.coefficients[l < loop   ? l
                                                                  : l < last ? l + 1
                                                                             : loop];
        operation->affine = form;
    }
}

void nest_unroll_innermost(Arena *arena, Nest *nest) {
    int last = nest->loop_count - 1;
    Rewrite rewrite = rewrite_begin(arena, nest);
    nest->loop_count--;
    for (int64_t copy = 0; copy < rewrite.old.loops[last].trip; copy++) {
        for (int i = 0; i < rewrite.old.body.count; i++) {
            rewrite_copy(&rewrite, i);
            if (!has_form(&rewrite.old.body.items[i])) continue;
            Affine form = rewrite.old.body.items[i].affine;
            form.constant += form.coefficients[last] * copy;
            set_coefficients(arena, nest, rewrite.moved[i], &form);
        }
    }
}
