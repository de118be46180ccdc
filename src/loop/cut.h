/* A memory that is being cut into banks. Private to src/loop.
 *
 * partition.c splits loops and makes the banks, bank_access.c rewrites the accesses. */
#ifndef TEPAL_LOOP_CUT_H
#define TEPAL_LOOP_CUT_H

#include "loop/partition.h"

/* What happens to one memory. */
typedef struct Cut {
    Program *program;
    int memory, rank;
    int factors[MAX_RANK];     /* per dimension */
    int banks;                 /* in all */
    int first_bank;            /* index of bank 0 */
    int64_t weights[MAX_RANK]; /* strides of the dimensions, in a bank */
} Cut;

/* An access of a cut memory: in each dimension, subscript = factor x place + bank + factor x carry
 * of `bank`. All dimensions are cut at once, as a computed address has no subscripts any more. */
typedef struct Target {
    Affine banks[MAX_RANK]; /* B */
    bool carries[MAX_RANK]; /* B leaves 0 .. factor-1 */
    Affine address;         /* in the bank, without what B carries over */
} Target;

/* partition.c: True if the operation accesses the memory. */
bool cut_accesses(const Cut *cut, const Operation *operation);
/* Where an access of the memory goes; false if it has no subscripts. */
bool cut_target(const Cut *cut, const Nest *nest, int operation, Target *target);

/* bank_access.c: the nest accesses banks in place of the memory. */
void cut_body(const Cut *cut, Nest *nest);

#endif
