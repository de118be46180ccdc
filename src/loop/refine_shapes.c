/* Finer shapes: a buffer that a view flattened gets back the dimensions of the loops that store to
 * it, so that each of these can be cut into banks. Addresses are flat, so that nothing else
 * changes. */
#include <stdlib.h>
#include <string.h>

#include "loop/partition.h"

typedef struct Shape {
    int rank;
    int64_t sizes[MAX_RANK];
} Shape;

static int compare_steps(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? 1 : a > b ? -1 : 0;
}

/* The radices of a mixed-radix number whose digits are the loops: step of a loop / step of the next
 * one. */
static bool shape_of(const Nest *nest, const Operation *store, int64_t elements, Shape *shape) {
    int64_t steps[MAX_RANK + 1];
    int count = 0;
    if (store->computed || store->affine.constant != 0) return false;
    for (int l = 0; l < nest->loop_count; l++) {
        int64_t step = store->affine.coefficients[l];
        if (step < 0) return false;
        if (step > 0 && nest->loops[l].trip > 1 && count < MAX_RANK - 1) steps[count++] = step;
    }
    if (count == 0) return false;
    qsort(steps, (size_t)count, sizeof *steps, compare_steps);
    if (steps[count - 1] > 1) steps[count++] = 1;
    shape->rank = count;
    for (int i = 0; i < count; i++) {
        int64_t whole = i == 0 ? elements : steps[i - 1];
        if (whole % steps[i] != 0 || whole == steps[i]) return false;
        shape->sizes[i] = whole / steps[i];
    }
    return true;
}

typedef struct Shapes {
    const Program *program;
    Shape *finest; /* per memory; rank 0: as it is */
} Shapes;

static void note_shapes(Nest *nest, void *context) {
    const Shapes *shapes = context;
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *store = &nest->body.items[i];
        Shape shape;
        if (store->opcode != OP_STORE) continue;
        const Memory *memory = &shapes->program->memories.items[store->memory];
        Shape *finest = &shapes->finest[store->memory];
        if (memory->kind == MEMORY_LOCAL && !memory->is_state &&
            shape_of(nest, store, (int64_t)memory->elements, &shape) && shape.rank > finest->rank)
            *finest = shape;
    }
}

static int wide_dimensions(const Memory *memory) {
    int count = 0;
    for (int d = 0; d < memory->rank; d++) count += memory->shape[d] > 1;
    return count;
}

static void set_shape(Memory *memory, const Shape *shape) {
    memory->rank = shape->rank;
    for (int d = 0; d < shape->rank; d++) {
        memory->shape[d] = shape->sizes[d];
        memory->partition[d] = (Partition){PARTITION_NONE, 1};
    }
}

void program_refine_shapes(Program *program) {
    Arena *scratch = arena_new();
    size_t count = (size_t)program->memories.count + 1;
    Shapes shapes = {program, arena_array(scratch, count, sizeof(Shape))};
    Shape *before = arena_array(scratch, count, sizeof(Shape));
    program_each_nest(program, note_shapes, &shapes);
    for (int m = 0; m < program->memories.count; m++) {
        Memory *memory = &program->memories.items[m];
        if (shapes.finest[m].rank <= wide_dimensions(memory)) continue;
        before[m].rank = memory->rank;
        memcpy(before[m].sizes, memory->shape, sizeof memory->shape);
        set_shape(memory, &shapes.finest[m]);
    }
    program_split_views(program);
    const Users *users = program_users(program, scratch);
    for (int m = 0; m < program->memories.count; m++)
        if (before[m].rank > 0 && !memory_has_subscripts(program, &users[m], m))
            set_shape(&program->memories.items[m], &before[m]);
    arena_free(scratch);
}
