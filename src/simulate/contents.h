/* What the memories of a design hold at the end of a simulation: a file per memory, named by the
 * path of its instance, with a word a line in hexadecimal ($writememh). */
#ifndef TEPAL_SIMULATE_CONTENTS_H
#define TEPAL_SIMULATE_CONTENTS_H

#include <stdint.h>
#include "base/diagnostic.h"
#include "base/vector.h"

typedef struct Contents {
    const char *name; /* of the instance, without the path to it */
    size_t count;
    const uint64_t *words;
    const bool *undefined; /* words with undefined bits */
} Contents;
typedef Vector(Contents) ContentsList;

/* Reads all files of the folder. False with a STATUS_TOOL diagnostic. */
bool contents_read(Arena *arena, Diagnostics *diagnostics, const char *folder, ContentsList *list);
/* The memory of this name, or NULL. */
const Contents *contents_find(const ContentsList *list, const char *name);

#endif
