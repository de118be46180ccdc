/* Dependences by isl.
 *
 * Two accesses of one memory conflict in iterations i and i' if their flat addresses are equal;
 * in-range accesses make that exact. Where both addresses have the same coefficients and no
 * predicate matters, only the difference d = i' - i counts, which halves the variables. "Earlier"
 * is a linear order of the collapsed iteration number, so each question is one integer program: the
 * least distance of at least 1 among the solutions, or whether there are any.
 *
 * isl gets a limit of operations; beyond it the answer is the careful one. */
#include "loop/dependence.h"

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/ctx.h>
#include <isl/ilp.h>
#include <isl/local_space.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>
#include <string.h>

#include "loop/body.h"

enum { OPERATION_LIMIT = 400000 };

/* One access with the loops it runs in. */
typedef struct Access {
    const Nest *nest;
    int operation;
    bool affine; /* else it may meet any element of the memory */
    Constraints domain;
} Access;

/* The pairs of iterations in which two accesses meet. */
typedef struct Meeting {
    const Access *from, *to;
    int shared;      /* enclosing loops with the same index in both */
    bool difference; /* variables: the difference of the own indices; else the shared indices, those
                        of `from`, those of `to` */
    isl_ctx *context;
    isl_basic_set *set;
} Meeting;

static isl_ctx *context_new(void) {
    isl_ctx *context = isl_ctx_alloc();
    isl_options_set_on_error(context, ISL_ON_ERROR_CONTINUE);
    return context;
}

static const Operation *operation_of(const Access *access) {
    return &access->nest->body.items[access->operation];
}

static Access access_of(Arena *arena, const Nest *nest, int index) {
    const Operation *operation = &nest->body.items[index];
    Access access = {.nest = nest, .operation = index, .affine = !operation->computed};
    predicate_constraints(arena, nest, operation->predicate, &access.domain);
    return access;
}

/* --- building sets --- */

static int variables(const Meeting *meeting) {
    int shared = meeting->shared;
    if (meeting->difference) return meeting->from->nest->loop_count - shared;
    return meeting->from->nest->loop_count + meeting->to->nest->loop_count - shared;
}

/* Variable of a loop of `from` (side 0) or `to` (side 1). */
static int variable_of(const Meeting *meeting, int side, int loop) {
    if (loop < meeting->shared) return loop;
    return side == 0 ? loop : meeting->from->nest->loop_count + loop - meeting->shared;
}

/* Adds: constant + sum of coefficients x variables >= 0, or == 0. */
static void require(Meeting *meeting, const int64_t *coefficients, int64_t constant,
                    bool equality) {
    isl_local_space *space = isl_local_space_from_space(isl_basic_set_get_space(meeting->set));
    isl_constraint *constraint =
        equality ? isl_constraint_alloc_equality(space) : isl_constraint_alloc_inequality(space);
    for (int i = 0; i < variables(meeting); i++) {
        if (coefficients[i] == 0) continue;
        constraint = isl_constraint_set_coefficient_val(
            constraint, isl_dim_set, i, isl_val_int_from_si(meeting->context, coefficients[i]));
    }
    constraint = isl_constraint_set_constant_val(constraint,
                                                 isl_val_int_from_si(meeting->context, constant));
    meeting->set = isl_basic_set_add_constraint(meeting->set, constraint);
}

/* low <= variable <= high */
static void require_bounds(Meeting *meeting, int variable, int64_t low, int64_t high,
                           int64_t *scratch) {
    for (int i = 0; i < variables(meeting); i++) scratch[i] = 0;
    scratch[variable] = 1;
    require(meeting, scratch, -low, false);
    scratch[variable] = -1;
    require(meeting, scratch, high, false);
}

/* scratch += sign x form, of one side. */
static void add_form(const Meeting *meeting, int side, const Affine *form, int64_t sign,
                     int64_t *scratch) {
    const Nest *nest = (side == 0 ? meeting->from : meeting->to)->nest;
    for (int i = 0; i < nest->loop_count; i++)
        scratch[variable_of(meeting, side, i)] += sign * form->coefficients[i];
}

static void require_domain(Meeting *meeting, int side, int64_t *scratch) {
    const Access *access = side == 0 ? meeting->from : meeting->to;
    for (int k = 0; k < access->domain.count; k++) {
        for (int i = 0; i < variables(meeting); i++) scratch[i] = 0;
        add_form(meeting, side, &access->domain.items[k].form, 1, scratch);
        require(meeting, scratch, access->domain.items[k].form.constant,
                access->domain.items[k].equality);
    }
}

static void require_iterations(Meeting *meeting, int64_t *scratch) {
    for (int side = 0; side < 2; side++) {
        const Nest *nest = (side == 0 ? meeting->from : meeting->to)->nest;
        for (int i = side == 0 ? 0 : meeting->shared; i < nest->loop_count; i++)
            require_bounds(meeting, variable_of(meeting, side, i), 0, nest->loops[i].trip - 1,
                           scratch);
        require_domain(meeting, side, scratch);
    }
}

static void require_differences(Meeting *meeting, int64_t *scratch) {
    const Nest *nest = meeting->from->nest;
    for (int i = meeting->shared; i < nest->loop_count; i++)
        require_bounds(meeting, i - meeting->shared, 1 - nest->loops[i].trip,
                       nest->loops[i].trip - 1, scratch);
}

static void require_equal_addresses(Meeting *meeting, int64_t *scratch) {
    const Operation *from = operation_of(meeting->from), *to = operation_of(meeting->to);
    if (from->computed || to->computed) return;
    for (int i = 0; i < variables(meeting); i++) scratch[i] = 0;
    if (meeting->difference) {
        for (int i = meeting->shared; i < meeting->from->nest->loop_count; i++)
            scratch[i - meeting->shared] = to->affine.coefficients[i];
    } else {
        add_form(meeting, 1, &to->affine, 1, scratch);
        add_form(meeting, 0, &from->affine, -1, scratch);
    }
    require(meeting, scratch, to->affine.constant - from->affine.constant, true);
}

/* Only the difference of iterations matters: equal coefficients, and no predicates that say more.
 */
static bool only_difference(const Access *from, const Access *to) {
    if (from->nest != to->nest || from->domain.count > 0 || to->domain.count > 0) return false;
    const Operation *a = operation_of(from), *b = operation_of(to);
    if (a->computed || b->computed) return a->computed && b->computed;
    for (int i = 0; i < from->nest->loop_count; i++)
        if (a->affine.coefficients[i] != b->affine.coefficients[i]) return false;
    return true;
}

static Meeting meeting_new(isl_ctx *context, Arena *arena, const Access *from, const Access *to,
                           int shared) {
    Meeting meeting = {.from = from, .to = to, .shared = shared, .context = context};
    meeting.difference = only_difference(from, to);
    int count = variables(&meeting);
    int64_t *scratch = arena_array(arena, (size_t)count + 1, sizeof *scratch);
    isl_ctx_reset_operations(context);
    isl_ctx_set_max_operations(context, OPERATION_LIMIT);
    meeting.set = isl_basic_set_universe(isl_space_set_alloc(context, 0, (unsigned)count));
    if (meeting.difference)
        require_differences(&meeting, scratch);
    else
        require_iterations(&meeting, scratch);
    require_equal_addresses(&meeting, scratch);
    return meeting;
}

static void meeting_free(Meeting *meeting) {
    isl_basic_set_free(meeting->set);
    isl_ctx_reset_error(meeting->context);
}

/* --- orders of iterations --- */

/* The weights of the own loops in the collapsed iteration number, when order[k] is the k-th own
 * loop (NULL: as they are), as coefficients of the distance over the variables of a meeting. */
static void distance_form(const Meeting *meeting, const int *order, int64_t *form) {
    const Nest *nest = meeting->from->nest;
    for (int i = 0; i < variables(meeting); i++) form[i] = 0;
    int64_t weight = 1;
    for (int k = nest->loop_count - nest->outer - 1; k >= 0; k--) {
        int loop = nest->outer + (order ? order[k] : k);
        if (meeting->difference) {
            form[loop - meeting->shared] = weight;
        } else {
            form[variable_of(meeting, 0, loop)] = -weight;
            form[variable_of(meeting, 1, loop)] = weight;
        }
        weight *= nest->loops[loop].trip;
    }
}

/* 1: there are solutions, 0: there are none, -1: not known. */
static int has_solutions(const Meeting *meeting) {
    isl_bool empty = isl_basic_set_is_empty(meeting->set);
    return empty == isl_bool_error ? -1 : empty == isl_bool_false;
}

/* The least value of at least 1 of the form among the solutions; 0 if there is none. */
static int64_t least_positive(Meeting *meeting, const int64_t *form) {
    require(meeting, form, -1, false);
    int solutions = has_solutions(meeting);
    if (solutions <= 0) return solutions < 0;
    isl_local_space *space = isl_local_space_from_space(isl_basic_set_get_space(meeting->set));
    isl_aff *objective = isl_aff_zero_on_domain(space);
    for (int i = 0; i < variables(meeting); i++)
        objective = isl_aff_set_coefficient_val(objective, isl_dim_in, i,
                                                isl_val_int_from_si(meeting->context, form[i]));
    isl_set *set = isl_set_from_basic_set(isl_basic_set_copy(meeting->set));
    isl_val *least = isl_set_min_val(set, objective);
    int64_t distance = 1;
    if (least && isl_val_is_int(least) == isl_bool_true) distance = isl_val_get_num_si(least);
    isl_val_free(least);
    isl_set_free(set);
    isl_aff_free(objective);
    return distance < 1 ? 1 : distance;
}

/* --- pairs of accesses --- */

static bool may_conflict(const Program *program, const Operation *a, const Operation *b) {
    if (!operation_is_access(a) || !operation_is_access(b) || a->memory != b->memory) return false;
    if (a->opcode != OP_STORE && b->opcode != OP_STORE) return false;
    return program->memories.items[a->memory].kind != MEMORY_CONSTANT;
}

/* No element is in the reach of both. */
static bool apart(const Access *from, const Access *to) {
    if (!from->affine || !to->affine) return false;
    Range a = affine_range(from->nest, &operation_of(from)->affine);
    Range b = affine_range(to->nest, &operation_of(to)->affine);
    return a.high < b.low || b.high < a.low;
}

/* A question that was asked, as numbers: copies of a body side by side ask the same of other
 * memories. */
typedef struct Question {
    const int64_t *key;
    size_t length;
    int64_t answer;
} Question;

typedef Vector(int64_t) Key;

typedef struct Analysis {
    const Nest *nest;
    Arena *arena, *scratch;
    isl_ctx *context;
    Vector(Access) accesses;
    int *next;  /* per access: the next one of the same memory, -1 after the last */
    int *first; /* per access: the first one of its memory */
    Vector(Question) questions;
    Vector(Dependence) found;
} Analysis;

typedef enum QuestionKind { ASK_DISTANCE, ASK_SAME_ITERATION, ASK_ORDER } QuestionKind;

static void key_form(Analysis *analysis, Key *key, const Affine *form) {
    for (int i = 0; i < analysis->nest->loop_count; i++)
        vector_push(analysis->scratch, key, form->coefficients[i]);
}

static void key_access(Analysis *analysis, Key *key, const Access *access) {
    vector_push(analysis->scratch, key, access->affine);
    if (access->affine) key_form(analysis, key, &operation_of(access)->affine);
    vector_push(analysis->scratch, key, access->domain.count);
    for (int i = 0; i < access->domain.count; i++) {
        vector_push(analysis->scratch, key, access->domain.items[i].equality);
        vector_push(analysis->scratch, key, access->domain.items[i].form.constant);
        key_form(analysis, key, &access->domain.items[i].form);
    }
}

/* All that the answer depends on. Of the addresses' constants only the difference counts. */
static Key key_of(Analysis *analysis, QuestionKind kind, const Access *from, const Access *to) {
    Key key = {0};
    int64_t difference = operation_of(to)->affine.constant - operation_of(from)->affine.constant;
    vector_push(analysis->scratch, &key, kind);
    vector_push(analysis->scratch, &key, from->affine && to->affine ? difference : 0);
    key_access(analysis, &key, from);
    key_access(analysis, &key, to);
    return key;
}

/* The answer if the question was asked before, -1 if it was not. */
static int64_t known_answer(const Analysis *analysis, const Key *key) {
    for (int i = 0; i < analysis->questions.count; i++) {
        const Question *question = &analysis->questions.items[i];
        if (question->length == (size_t)key->count &&
            memcmp(question->key, key->items, question->length * sizeof(int64_t)) == 0)
            return question->answer;
    }
    return -1;
}

static int64_t answer(Analysis *analysis, const Key *key, int64_t value) {
    Question question = {key->items, (size_t)key->count, value};
    vector_push(analysis->scratch, &analysis->questions, question);
    return value;
}

static int64_t ask_distance(Analysis *analysis, const Access *from, const Access *to) {
    Key key = key_of(analysis, ASK_DISTANCE, from, to);
    int64_t known = known_answer(analysis, &key);
    if (known >= 0) return known;
    Meeting meeting =
        meeting_new(analysis->context, analysis->scratch, from, to, analysis->nest->outer);
    int64_t *form = arena_array(analysis->scratch, (size_t)variables(&meeting) + 1, sizeof *form);
    distance_form(&meeting, NULL, form);
    int64_t distance = least_positive(&meeting, form);
    meeting_free(&meeting);
    return answer(analysis, &key, distance);
}

/* Whether both can meet in one iteration. */
static bool ask_same_iteration(Analysis *analysis, const Access *from, const Access *to) {
    if (only_difference(from, to) && from->affine)
        return operation_of(from)->affine.constant == operation_of(to)->affine.constant;
    Key key = key_of(analysis, ASK_SAME_ITERATION, from, to);
    int64_t known = known_answer(analysis, &key);
    if (known >= 0) return known != 0;
    Meeting meeting =
        meeting_new(analysis->context, analysis->scratch, from, to, analysis->nest->loop_count);
    bool meet = has_solutions(&meeting) != 0;
    meeting_free(&meeting);
    return answer(analysis, &key, meet) != 0;
}

static void add_dependences(Analysis *analysis, const Access *from, const Access *to) {
    if (apart(from, to)) return;
    if (from->operation < to->operation && ask_same_iteration(analysis, from, to)) {
        Dependence same = {from->operation, to->operation, 0};
        vector_push(analysis->arena, &analysis->found, same);
    }
    if (nest_trip_count(analysis->nest) == 1) return;
    int64_t distance = ask_distance(analysis, from, to);
    if (distance == 0) return;
    Dependence carried = {from->operation, to->operation, distance};
    vector_push(analysis->arena, &analysis->found, carried);
}

static Analysis analysis_new(const Program *program, const Nest *nest, Arena *arena) {
    Analysis analysis = {.nest = nest, .arena = arena, .scratch = arena_new()};
    analysis.context = context_new();
    for (int i = 0; i < nest->body.count; i++)
        if (operation_is_access(&nest->body.items[i]))
            vector_push(analysis.scratch, &analysis.accesses, access_of(analysis.scratch, nest, i));
    size_t count = (size_t)analysis.accesses.count + 1;
    analysis.next = arena_array(analysis.scratch, count, sizeof(int));
    analysis.first = arena_array(analysis.scratch, count, sizeof(int));
    int *heads = arena_array(analysis.scratch, (size_t)program->memories.count + 1, sizeof(int));
    for (int m = 0; m < program->memories.count; m++) heads[m] = -1;
    for (int i = analysis.accesses.count - 1; i >= 0; i--) {
        int memory = operation_of(&analysis.accesses.items[i])->memory;
        analysis.next[i] = heads[memory];
        heads[memory] = i;
    }
    for (int i = 0; i < analysis.accesses.count; i++)
        analysis.first[i] = heads[operation_of(&analysis.accesses.items[i])->memory];
    return analysis;
}

static void analysis_free(Analysis *analysis) {
    isl_ctx_free(analysis->context);
    arena_free(analysis->scratch);
}

Dependences nest_dependences(const Program *program, const Nest *nest, Arena *arena) {
    Analysis analysis = analysis_new(program, nest, arena);
    for (int i = 0; i < analysis.accesses.count; i++)
        for (int k = analysis.first[i]; k >= 0; k = analysis.next[k]) {
            const Access *from = &analysis.accesses.items[i], *to = &analysis.accesses.items[k];
            if (may_conflict(program, operation_of(from), operation_of(to)))
                add_dependences(&analysis, from, to);
        }
    Dependences found = {analysis.found.count, analysis.found.items};
    analysis_free(&analysis);
    return found;
}

/* --- other orders --- */

/* True if the two accesses, in this order now, would come in the other one. */
static bool reverses(Analysis *analysis, const Access *from, const Access *to, const int *order) {
    Key key = key_of(analysis, ASK_ORDER, from, to);
    int64_t known = known_answer(analysis, &key);
    if (known >= 0) return known != 0;
    Meeting meeting =
        meeting_new(analysis->context, analysis->scratch, from, to, from->nest->outer);
    int64_t *form = arena_array(analysis->scratch, (size_t)variables(&meeting) + 1, sizeof *form);
    distance_form(&meeting, NULL, form);
    require(&meeting, form, -1, false);
    distance_form(&meeting, order, form);
    for (int i = 0; i < variables(&meeting); i++) form[i] = -form[i];
    require(&meeting, form, -1, false);
    bool possible = has_solutions(&meeting) != 0;
    meeting_free(&meeting);
    return answer(analysis, &key, possible) != 0;
}

bool nest_allows_order(const Program *program, const Nest *nest, const int *order) {
    Analysis analysis = analysis_new(program, nest, NULL);
    bool allowed = true;
    for (int i = 0; allowed && i < analysis.accesses.count; i++)
        for (int k = analysis.first[i]; allowed && k >= 0; k = analysis.next[k]) {
            const Access *from = &analysis.accesses.items[i], *to = &analysis.accesses.items[k];
            if (may_conflict(program, operation_of(from), operation_of(to)))
                allowed = apart(from, to) || !reverses(&analysis, from, to, order);
        }
    analysis_free(&analysis);
    return allowed;
}

/* An access of `later` in iteration i of the loop, one of `earlier` in an iteration after that. */
static bool meets_backward(isl_ctx *context, Arena *arena, const Access *later,
                           const Access *earlier, int level) {
    if (apart(later, earlier)) return false;
    Meeting meeting = meeting_new(context, arena, later, earlier, level);
    int64_t *form = arena_array(arena, (size_t)variables(&meeting) + 1, sizeof *form);
    form[variable_of(&meeting, 0, level)] = -1;
    form[variable_of(&meeting, 1, level)] = 1;
    require(&meeting, form, -1, false);
    bool possible = has_solutions(&meeting) != 0;
    meeting_free(&meeting);
    return possible;
}

bool nests_conflict_backward(const Program *program, const Nest *earlier, const Nest *later,
                             int level) {
    Arena *scratch = arena_new();
    isl_ctx *context = context_new();
    bool conflict = false;
    for (int i = 0; !conflict && i < later->body.count; i++)
        for (int k = 0; !conflict && k < earlier->body.count; k++) {
            if (!may_conflict(program, &later->body.items[i], &earlier->body.items[k])) continue;
            Access from = access_of(scratch, later, i), to = access_of(scratch, earlier, k);
            conflict = meets_backward(context, scratch, &from, &to, level);
        }
    isl_ctx_free(context);
    arena_free(scratch);
    return conflict;
}
