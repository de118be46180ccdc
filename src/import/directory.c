/* The central directory of a zip archive, checked.
 *
 * libzip trusts what the directory says of places and sizes until an entry is read; a hostile
 * file may let entries overlap, or differ from their local headers. All is checked here, once,
 * with a message that names the entry. */
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "import/archive.h"

enum {
    END_SIZE = 22,
    END64_SIZE = 56,
    LOCATOR_SIZE = 20,
    CENTRAL_SIZE = 46,
    LOCAL_SIZE = 30,
    MAX_COMMENT = 65535
};

typedef struct Reader {
    Arena *arena;
    Diagnostics *diagnostics;
    const char *place;
    const unsigned char *bytes;
    uint64_t length;
} Reader;

typedef struct Extent {
    uint64_t offset, size, count;
} Extent;

static uint64_t little(const unsigned char *bytes, int count) {
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--) value = value << 8 | bytes[i];
    return value;
}

static bool is_signature(const Reader *reader, uint64_t at, const char *signature) {
    return at + 4 <= reader->length && memcmp(reader->bytes + at, signature, 4) == 0;
}

static bool damaged(const Reader *reader, const char *what) {
    return error_at(reader->diagnostics, STATUS_INPUT, reader->place, "damaged zip archive: %s",
                    what);
}

static bool bad_entry(const Reader *reader, const char *name, const char *what) {
    return error_at(reader->diagnostics, STATUS_INPUT, reader->place,
                    "damaged zip archive: entry %s: %s", string_printable(reader->arena, name, 200),
                    what);
}

/* Place of the end record: the last one whose comment reaches exactly to the end of the file. */
static bool find_end(const Reader *reader, uint64_t *end) {
    if (reader->length < END_SIZE) return damaged(reader, "no end record (the file is cut short)");
    uint64_t last = reader->length - END_SIZE;
    for (uint64_t back = 0; back <= MAX_COMMENT && back <= last; back++) {
        uint64_t at = last - back;
        if (is_signature(reader, at, "PK\5\6") && little(reader->bytes + at + 20, 2) == back) {
            *end = at;
            return true;
        }
    }
    return damaged(reader, "no end record, so no central directory (the file is cut short, or "
                           "has other data after its end)");
}

/* Place and size of the central directory, from the zip64 end record where there is one. */
static bool find_directory(const Reader *reader, Extent *extent) {
    uint64_t end = 0;
    if (!find_end(reader, &end)) return false;
    const unsigned char *record = reader->bytes + end;
    *extent = (Extent){little(record + 16, 4), little(record + 12, 4), little(record + 10, 2)};
    uint64_t limit = end;
    if (end >= LOCATOR_SIZE && is_signature(reader, end - LOCATOR_SIZE, "PK\6\7")) {
        uint64_t at = little(reader->bytes + end - LOCATOR_SIZE + 8, 8);
        if (at > end - LOCATOR_SIZE || end - LOCATOR_SIZE - at < END64_SIZE ||
            !is_signature(reader, at, "PK\6\6")) {
            return damaged(reader, "the zip64 end record is not where its locator says");
        }
        const unsigned char *large = reader->bytes + at;
        *extent = (Extent){little(large + 48, 8), little(large + 40, 8), little(large + 32, 8)};
        limit = at;
    }
    if (extent->offset > limit || extent->size != limit - extent->offset) {
        return damaged(reader, "the central directory is not where the end record says");
    }
    if (extent->count > extent->size / CENTRAL_SIZE) {
        return damaged(reader, "the end record counts more entries than the directory holds");
    }
    return true;
}

/* Sizes and offset of 0xffffffff are in the zip64 extra field, in this order. */
static bool read_zip64(const unsigned char *extra, uint64_t length, ArchiveEntry *entry) {
    uint64_t *fields[] = {&entry->size, &entry->packed, &entry->header};
    uint64_t at = 0;
    while (length - at >= 4) {
        uint64_t size = little(extra + at + 2, 2);
        if (size > length - at - 4) return false;
        if (little(extra + at, 2) == 1) {
            uint64_t from = at + 4, to = from + size;
            for (int i = 0; i < 3; i++) {
                if (*fields[i] != 0xffffffff) continue;
                if (to - from < 8) return false;
                *fields[i] = little(extra + from, 8);
                from += 8;
            }
            return true;
        }
        at += 4 + size;
    }
    return true;
}

static bool check_method(const Reader *reader, const ArchiveEntry *entry) {
    if (entry->flags & 1) return bad_entry(reader, entry->name, "the entry is encrypted");
    if (entry->method != 0 && entry->method != 8) {
        return bad_entry(
            reader, entry->name,
            string_format(reader->arena, "unsupported compression method %d", entry->method));
    }
    if (entry->method == 0 && entry->packed != entry->size) {
        return bad_entry(reader, entry->name, "the entry is stored, but its two sizes differ");
    }
    /* Deflate cannot do better than 1032 to 1. */
    if (entry->method == 8 && entry->size / 1040 > entry->packed) {
        return bad_entry(reader, entry->name, "its stated size cannot be right");
    }
    return true;
}

/* The local header must be inside the file and name the same entry; the data follows it. */
static bool check_local(const Reader *reader, uint64_t limit, ArchiveEntry *entry) {
    if (limit < LOCAL_SIZE || entry->header > limit - LOCAL_SIZE) {
        return bad_entry(reader, entry->name, "the entry lies outside the file");
    }
    if (!is_signature(reader, entry->header, "PK\3\4")) {
        return bad_entry(reader, entry->name, "its local header is not found");
    }
    const unsigned char *local = reader->bytes + entry->header;
    uint64_t name_length = little(local + 26, 2);
    entry->start = entry->header + LOCAL_SIZE + name_length + little(local + 28, 2);
    if (entry->start > limit || entry->packed > limit - entry->start) {
        return bad_entry(reader, entry->name, "the entry lies outside the file");
    }
    entry->end = entry->start + entry->packed;
    if (name_length != strlen(entry->name) ||
        memcmp(local + LOCAL_SIZE, entry->name, name_length) != 0 ||
        little(local + 8, 2) != (uint64_t)entry->method) {
        return bad_entry(reader, entry->name, "its local header differs from the directory");
    }
    return true;
}

static bool check_name(const Reader *reader, const char *name, uint64_t length) {
    if (strlen(name) != length || length == 0) {
        return bad_entry(reader, name, "bad entry name (it is empty or holds a NUL character)");
    }
    bool climbs = strcmp(name, "..") == 0 || string_starts(name, "../") ||
                  string_ends(name, "/..") || strstr(name, "/../");
    if (name[0] == '/' || strchr(name, '\\') || climbs) {
        return bad_entry(reader, name, "unsafe entry name (it leaves the archive's folder)");
    }
    return true;
}

static int by_header(const void *left, const void *right) {
    uint64_t a = (*(const ArchiveEntry *const *)left)->header;
    uint64_t b = (*(const ArchiveEntry *const *)right)->header;
    return (a > b) - (a < b);
}

static bool check_overlap(const Reader *reader, const Directory *directory) {
    size_t count = (size_t)directory->count;
    const ArchiveEntry **sorted = arena_array(reader->arena, count, sizeof *sorted);
    for (size_t i = 0; i < count; i++) sorted[i] = &directory->entries[i];
    if (count) qsort(sorted, count, sizeof *sorted, by_header);
    for (size_t i = 1; i < count; i++) {
        if (sorted[i]->header < sorted[i - 1]->end) {
            return bad_entry(reader, sorted[i]->name, "its bytes overlap those of another entry");
        }
    }
    return true;
}

/* Reads one record of the directory at `*at` and moves on. */
static bool read_entry(const Reader *reader, const Extent *extent, uint64_t *at,
                       ArchiveEntry *entry) {
    uint64_t end = extent->offset + extent->size;
    if (end - *at < CENTRAL_SIZE || !is_signature(reader, *at, "PK\1\2")) {
        return damaged(reader,
                       "the central directory holds fewer entries than the end record says");
    }
    const unsigned char *record = reader->bytes + *at;
    uint64_t name = little(record + 28, 2), extra = little(record + 30, 2);
    uint64_t total = CENTRAL_SIZE + name + extra + little(record + 32, 2);
    if (total > end - *at) return damaged(reader, "an entry leaves the central directory");
    *entry = (ArchiveEntry){
        .name = arena_string_of(reader->arena, (const char *)record + CENTRAL_SIZE, (size_t)name),
        .flags = (int)little(record + 8, 2),
        .method = (int)little(record + 10, 2),
        .packed = little(record + 20, 4),
        .size = little(record + 24, 4),
        .header = little(record + 42, 4),
    };
    *at += total;
    if (!check_name(reader, entry->name, name)) return false;
    if (!read_zip64(record + CENTRAL_SIZE + name, extra, entry)) {
        return bad_entry(reader, entry->name, "bad zip64 field");
    }
    return check_method(reader, entry) && check_local(reader, extent->offset, entry);
}

bool directory_read(Arena *arena, Diagnostics *diagnostics, const char *place,
                    const unsigned char *bytes, size_t length, Directory *directory) {
    Reader reader = {arena, diagnostics, place, bytes, length};
    Extent extent;
    if (!find_directory(&reader, &extent)) return false;
    if (extent.count > INT32_MAX) return damaged(&reader, "too many entries");
    directory->count = (int)extent.count;
    directory->entries = arena_array(arena, (size_t)extent.count, sizeof *directory->entries);
    uint64_t at = extent.offset;
    for (int i = 0; i < directory->count; i++) {
        if (!read_entry(&reader, &extent, &at, &directory->entries[i])) return false;
    }
    if (at != extent.offset + extent.size) {
        return damaged(&reader,
                       "the central directory holds more entries than the end record says");
    }
    return check_overlap(&reader, directory);
}
