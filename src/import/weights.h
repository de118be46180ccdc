/* Stored tensors: weights and constants of a model, as strided views of bytes. */
#ifndef TEPAL_IMPORT_WEIGHTS_H
#define TEPAL_IMPORT_WEIGHTS_H

#include <jansson.h>
#include "import/archive.h"
#include "import/dtype.h"

/* A constant tensor: element (i, j, ...) is number offset + i * strides[0] + j * strides[1] ... of
 * the bytes. Several tensors may share bytes; views of a constant are made without copying. All
 * elements are inside the bytes. */
typedef struct Stored {
    TensorType type;
    const unsigned char *bytes;
    int64_t offset;
    int64_t strides[MAX_RANK];
} Stored;

/* Checks that a view is inside `size` bytes. `name` is for messages. */
bool stored_check(Diagnostics *diagnostics, const char *place, const char *name,
                  const Stored *stored, uint64_t size);

/* A row-major constant. The bytes must live as long. */
Stored *stored_new(Arena *arena, Dtype dtype, int rank, const int64_t *shape, const void *bytes);
/* One number in all places: no memory but for the number. */
Stored *stored_splat(Arena *arena, Dtype dtype, int rank, const int64_t *shape, double number,
                     int64_t integer);

/* True if all elements are the same one in memory. */
bool stored_is_splat(const Stored *stored);

/* The first element, as bits and as a double. */
Bits stored_first(const Stored *stored);
double stored_first_double(const Stored *stored);

/* The elements in row-major order, in the arena. */
void *stored_dense(Arena *arena, const Stored *stored);
/* The same numbers as floats; NULL where a double between would round twice (64-bit integers). */
Stored *stored_as_float(Arena *arena, const Stored *stored, Dtype dtype);

/* Elements of a float, integer or bool tensor in row-major order, as doubles. */
double *stored_doubles(Arena *arena, const Stored *stored);

/* Where the stored tensors of an archive are. */
typedef struct Weights {
    Arena *arena;
    Diagnostics *diagnostics;
    Archive *archive;
    const char *model; /* name of the model in the archive */
    /* Raw storages with a configuration (torch 2.9 and later): the two documents. */
    json_t *configs[2];
    /* torch.save files (torch 2.6 to 2.8): names and tensors, read at once. */
    struct SavedTensors *saved[2];
} Weights;

typedef enum WeightPool { POOL_WEIGHTS, POOL_CONSTANTS } WeightPool;

/* Finds and checks a stored tensor by its name in the model's state. NULL with a message. */
const Stored *weights_find(Weights *weights, WeightPool pool, const char *name);

bool weights_open(Weights *weights);
void weights_close(Weights *weights);

#endif
