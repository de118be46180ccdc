/* Zip archives in memory: entries are found here and unpacked by libzip. */
#include "import/archive.h"
#include <stdlib.h>
#include <string.h>
#include <zip.h>
#include "base/text.h"
#include "import/map.h"

struct Archive {
    Arena *arena;
    Diagnostics *diagnostics;
    const char *place;
    zip_t *zip;
    Directory directory;
    const char *root;
    Map names; /* without the top folder */
    const char **unpacked;
};

/* torch 2.7 and before wrote no top folder; its main entry gives such archives away. */
static const char old_marker[] = "serialized_exported_program.json";

static bool find_root(Archive *archive) {
    const Directory *directory = &archive->directory;
    archive->root = "";
    for (int i = 0; i < directory->count; i++) {
        if (strcmp(directory->entries[i].name, old_marker) == 0) return true;
    }
    if (directory->count == 0) return true;
    const char *first = directory->entries[0].name;
    const char *slash = strchr(first, '/');
    size_t length = slash ? (size_t)(slash - first) + 1 : 0;
    for (int i = 0; i < directory->count; i++) {
        const char *name = directory->entries[i].name;
        if (length == 0 || strncmp(name, first, length) != 0) {
            return error_at(archive->diagnostics, STATUS_INPUT, archive->place,
                            "the entries have several top folders (%s, %s): this is no archive "
                            "of torch.export.save",
                            string_printable(archive->arena, first, 80),
                            string_printable(archive->arena, name, 80));
        }
    }
    archive->root = arena_string_of(archive->arena, first, length);
    return true;
}

static bool index_names(Archive *archive) {
    archive->names = map_new(archive->arena);
    for (int i = 0; i < archive->directory.count; i++) {
        const char *name = archive_name(archive, i);
        if (!map_add(&archive->names, name, i)) {
            return error_at(archive->diagnostics, STATUS_INPUT, archive->place,
                            "damaged zip archive: duplicate entry %s",
                            string_printable(archive->arena, name, 200));
        }
    }
    return true;
}

static bool open_zip(Archive *archive, const void *bytes, size_t length) {
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t *source = zip_source_buffer_create(bytes, length, 0, &error);
    archive->zip = source ? zip_open_from_source(source, ZIP_RDONLY, &error) : NULL;
    if (!archive->zip) {
        if (source) zip_source_free(source);
        error_at(archive->diagnostics, STATUS_INPUT, archive->place, "damaged zip archive: %s",
                 zip_error_strerror(&error));
        zip_error_fini(&error);
        return false;
    }
    /* Two readers of one directory must agree, or an entry could be checked as one and read as
     * another. */
    bool same = zip_get_num_entries(archive->zip, 0) == archive->directory.count;
    for (int i = 0; same && i < archive->directory.count; i++) {
        const char *name = zip_get_name(archive->zip, (zip_uint64_t)i, ZIP_FL_ENC_RAW);
        same = name && strcmp(name, archive->directory.entries[i].name) == 0;
    }
    if (same) return true;
    return error_at(archive->diagnostics, STATUS_INPUT, archive->place,
                    "damaged zip archive: ambiguous central directory");
}

Archive *archive_open(Arena *arena, Diagnostics *diagnostics, const char *place, const void *bytes,
                      size_t length) {
    Archive *archive = arena_new_of(arena, Archive);
    *archive = (Archive){.arena = arena, .diagnostics = diagnostics, .place = place};
    if (!directory_read(arena, diagnostics, place, bytes, length, &archive->directory)) return NULL;
    archive->unpacked =
        arena_array(arena, (size_t)archive->directory.count, sizeof *archive->unpacked);
    if (!find_root(archive) || !index_names(archive) || !open_zip(archive, bytes, length)) {
        archive_close(archive);
        return NULL;
    }
    return archive;
}

void archive_close(Archive *archive) {
    if (archive && archive->zip) zip_discard(archive->zip);
    if (archive) archive->zip = NULL;
}

const char *archive_root(const Archive *archive) {
    return archive->root;
}

int archive_count(const Archive *archive) {
    return archive->directory.count;
}

const char *archive_name(const Archive *archive, int index) {
    return archive->directory.entries[index].name + strlen(archive->root);
}

bool archive_has(const Archive *archive, const char *name) {
    return map_find(&archive->names, name) >= 0;
}

const char *archive_place(const Archive *archive, const char *name) {
    return string_format(archive->arena, "%s: %s", archive->place,
                         string_printable(archive->arena, name, 200));
}

/* Reads to the end, so that the CRC is checked, but never more than one byte over the stated
 * size. */
static bool unpack(Archive *archive, int index, const char *place, char *bytes) {
    uint64_t size = archive->directory.entries[index].size, done = 0;
    zip_file_t *file = zip_fopen_index(archive->zip, (zip_uint64_t)index, 0);
    if (!file) {
        return error_at(archive->diagnostics, STATUS_INPUT, place, "damaged entry: %s",
                        zip_strerror(archive->zip));
    }
    zip_int64_t got = 0;
    while (done <= size && (got = zip_fread(file, bytes + done, size + 1 - done)) > 0) {
        done += (uint64_t)got;
    }
    const char *fault = NULL;
    if (got < 0) {
        bool checksum = zip_error_code_zip(zip_file_get_error(file)) == ZIP_ER_CRC;
        fault = checksum
                    ? "CRC mismatch: the data is damaged"
                    : string_format(archive->arena, "corrupt data (%s)", zip_file_strerror(file));
    } else if (done != size) {
        fault = string_format(archive->arena,
                              "entry size mismatch: it unpacks to %s bytes than the %llu that the "
                              "directory says",
                              done > size ? "more" : "fewer", (unsigned long long)size);
    }
    zip_fclose(file);
    if (fault) return error_at(archive->diagnostics, STATUS_INPUT, place, "%s", fault);
    bytes[size] = '\0';
    return true;
}

bool archive_read(Archive *archive, const char *name, uint64_t limit, const char **bytes,
                  size_t *length) {
    const char *place = archive_place(archive, name);
    int index = map_find(&archive->names, name);
    if (index < 0) {
        return error_at(archive->diagnostics, STATUS_INPUT, archive->place,
                        "entry %s is missing in the archive",
                        string_printable(archive->arena, name, 200));
    }
    uint64_t size = archive->directory.entries[index].size;
    if (size > limit) {
        return error_at(archive->diagnostics, STATUS_INPUT, place,
                        "the entry is too large: it unpacks to %llu bytes, the limit is %llu",
                        (unsigned long long)size, (unsigned long long)limit);
    }
    *length = (size_t)size;
    if (!archive->unpacked[index]) {
        char *block = arena_alloc(archive->arena, (size_t)size + 1);
        if (!unpack(archive, index, place, block)) return false;
        archive->unpacked[index] = block;
    }
    *bytes = archive->unpacked[index];
    return true;
}
