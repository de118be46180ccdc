/* Zip archives in memory: what torch.export.save and torch.save write.
 *
 * Opening checks the whole central directory against the local headers and the file's size, so
 * that reading never leaves the file and never unpacks more than an entry's stated size. Nothing
 * is ever written to disk. */
#ifndef TEPAL_IMPORT_ARCHIVE_H
#define TEPAL_IMPORT_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/diagnostic.h"

/* One entry of the central directory. */
typedef struct ArchiveEntry {
    const char *name;
    int method;
    int flags;
    uint64_t packed, size;       /* bytes in the file, and unpacked */
    uint64_t header, start, end; /* of the local header and the data in the file */
} ArchiveEntry;

typedef struct Directory {
    int count;
    ArchiveEntry *entries;
} Directory;

/* Reads and checks the central directory. `place` is the file, for messages. */
bool directory_read(Arena *arena, Diagnostics *diagnostics, const char *place,
                    const unsigned char *bytes, size_t length, Directory *directory);

typedef struct Archive Archive;

/* The bytes must live as long as the archive. NULL with a message if it is damaged. */
Archive *archive_open(Arena *arena, Diagnostics *diagnostics, const char *place, const void *bytes,
                      size_t length);
void archive_close(Archive *archive);

/* The top folder that all entries share, with a '/', or "" where there is none. */
const char *archive_root(const Archive *archive);

int archive_count(const Archive *archive);
/* Name of an entry without the top folder. */
const char *archive_name(const Archive *archive, int index);
bool archive_has(const Archive *archive, const char *name);

/* Unpacks an entry of at most `limit` bytes; the result is zero-terminated. Twice the same entry
 * gives the same bytes. */
bool archive_read(Archive *archive, const char *name, uint64_t limit, const char **bytes,
                  size_t *length);

/* "FILE: ENTRY", the place of messages on an entry. */
const char *archive_place(const Archive *archive, const char *name);

#endif
