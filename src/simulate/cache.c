/* The cache of compiled simulators; see cache.h. */
#define _XOPEN_SOURCE 700 /* nftw */
#include "simulate/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/process.h"
#include "base/vector.h"

static const char unfinished[] = ".making-";
static const uint64_t default_limit = 2048;         /* MiB */
enum { SAFE_AGE = 600, ABANDONED_AGE = 24 * 3600 }; /* seconds */

CacheKey key_new(void) {
    return (CacheKey){{HASH_SEED, ~(uint64_t)HASH_SEED}};
}

void key_add(CacheKey *key, const void *bytes, size_t length) {
    uint64_t size = length;
    for (int i = 0; i < 2; i++) {
        key->halves[i] = hash_bytes(key->halves[i], &size, sizeof size);
        key->halves[i] = hash_bytes(key->halves[i], bytes, length);
    }
}

void key_add_string(CacheKey *key, const char *string) {
    key_add(key, string, strlen(string));
}

const char *cache_folder(Arena *arena, Diagnostics *diagnostics) {
    const char *chosen = getenv("TEPAL_CACHE"), *base = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME"), *path = NULL;
    if (chosen && *chosen)
        path = chosen;
    else if (base && *base == '/')
        path = string_format(arena, "%s/tepal", base);
    else if (home && *home == '/')
        path = string_format(arena, "%s/.cache/tepal", home);
    if (!path) {
        error_at(diagnostics, STATUS_TOOL, NULL,
                 "there is no folder for compiled simulators: set TEPAL_CACHE to one");
        return NULL;
    }
    bool made = make_folders(diagnostics, path);
    char *resolved = made ? realpath(path, NULL) : NULL;
    const char *result = resolved ? arena_string(arena, resolved) : NULL;
    free(resolved);
    if (result && access(result, W_OK | X_OK) == 0) return result;
    if (made)
        error_at(diagnostics, STATUS_TOOL, path, "cannot write to this folder: %s",
                 strerror(errno));
    note(diagnostics, "compiled simulators are kept there; set TEPAL_CACHE to another folder");
    return NULL;
}

char *cache_entry(Arena *arena, const char *cache, const char *kind, CacheKey key) {
    return string_format(arena, "%s/%s-%016llx%016llx", cache, kind,
                         (unsigned long long)key.halves[0], (unsigned long long)key.halves[1]);
}

/* The name and size of each file of an entry, in a file of the entry itself. */
static const char list_name[] = "sizes";

static bool write_list(Arena *arena, Diagnostics *diagnostics, const char *folder) {
    Text list = text_new(arena);
    DIR *stream = opendir(folder);
    for (struct dirent *item; stream && (item = readdir(stream));) {
        struct stat status;
        if (lstat(string_format(arena, "%s/%s", folder, item->d_name), &status) != 0 ||
            !S_ISREG(status.st_mode))
            continue;
        text_printf(&list, "%lld %s\n", (long long)status.st_size, item->d_name);
    }
    if (stream) closedir(stream);
    return file_write(diagnostics, string_format(arena, "%s/%s", folder, list_name),
                      text_string(&list), list.length);
}

/* True if all files are there with the sizes they had: a full disk or a cut of power may leave a
 * file empty that was written and moved. */
static bool is_whole(Arena *arena, const char *entry) {
    char *list;
    if (!file_read(arena, diagnostics_new(arena), string_format(arena, "%s/%s", entry, list_name),
                   1 << 20, &list, NULL))
        return false;
    bool whole = true;
    for (char *line = list; whole && *line;) {
        struct stat status;
        size_t length = strcspn(line, "\n"), digits = strcspn(line, " ");
        if (digits >= length) return false;
        const char *name = arena_string_of(arena, line + digits + 1, length - digits - 1);
        whole = lstat(string_format(arena, "%s/%s", entry, name), &status) == 0 &&
                status.st_size == strtoll(line, NULL, 10);
        line += length + (line[length] == '\n');
    }
    return whole && *list;
}

/* An entry exists whole or not at all. */
static void remove_entry(Arena *arena, const char *entry) {
    size_t folder = (size_t)(strrchr(entry, '/') - entry);
    char *away =
        string_format(arena, "%.*s/%sold-%ld", (int)folder, entry, unfinished, (long)getpid());
    if (rename(entry, away) == 0) remove_tree(away);
}

bool cache_has(Arena *arena, const char *entry) {
    if (access(entry, F_OK) != 0) return false;
    if (!is_whole(arena, entry)) {
        remove_entry(arena, entry);
        return false;
    }
    utimensat(AT_FDCWD, entry, NULL, 0);
    return true;
}

bool cache_begin(Arena *arena, Diagnostics *diagnostics, const char *cache, char **folder) {
    *folder = string_format(arena, "%s/%sXXXXXX", cache, unfinished);
    if (!mkdtemp(*folder))
        return error_at(diagnostics, STATUS_TOOL, cache, "cannot make a folder in it: %s",
                        strerror(errno));
    cleanup_register(*folder);
    return true;
}

void cache_abandon(const char *folder) {
    remove_tree(folder);
    cleanup_forget(folder);
}

/* --- room --- */

typedef struct Entry {
    char *path;
    time_t used;
    uint64_t size;
} Entry;

static uint64_t tree_size; /* nftw takes no context */

static int add_size(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)path, (void)kind, (void)place;
    tree_size += (uint64_t)status->st_blocks * 512;
    return 0;
}

static int by_use(const void *a, const void *b) {
    const Entry *left = a, *right = b;
    return (left->used > right->used) - (left->used < right->used);
}

/* Bytes that all entries may take. */
static uint64_t size_limit(void) {
    const char *chosen = getenv("TEPAL_CACHE_LIMIT");
    char *end;
    unsigned long long limit = chosen ? strtoull(chosen, &end, 10) : 0;
    bool valid = chosen && end != chosen && !*end && limit < UINT64_MAX >> 20;
    return (valid ? limit : default_limit) << 20;
}

/* Removes what killed processes left, and entries beyond the limit. Entries of the last minutes
 * may be about to be used. */
static void make_room(const char *cache) {
    Arena *arena = arena_new();
    Vector(Entry) entries = {0};
    uint64_t total = 0, limit = size_limit();
    time_t now = time(NULL);
    DIR *stream = opendir(cache);
    for (struct dirent *item; stream && (item = readdir(stream));) {
        bool partial = string_starts(item->d_name, unfinished);
        if (item->d_name[0] == '.' && !partial) continue;
        char *path = string_format(arena, "%s/%s", cache, item->d_name);
        struct stat status;
        if (lstat(path, &status) != 0 || !S_ISDIR(status.st_mode)) continue;
        if (partial) {
            if (now - status.st_mtime > ABANDONED_AGE) remove_tree(path);
            continue;
        }
        tree_size = 0;
        nftw(path, add_size, 8, FTW_PHYS);
        total += tree_size;
        vector_push(arena, &entries, (Entry){path, status.st_mtime, tree_size});
    }
    if (stream) closedir(stream);
    if (entries.count) qsort(entries.items, (size_t)entries.count, sizeof(Entry), by_use);
    for (int i = 0; i < entries.count && total > limit; i++) {
        if (now - entries.items[i].used < SAFE_AGE) break;
        remove_entry(arena, entries.items[i].path);
        total -= entries.items[i].size;
    }
    arena_free(arena);
}

bool cache_finish(Arena *arena, Diagnostics *diagnostics, const char *cache, const char *folder,
                  const char *entry) {
    if (!write_list(arena, diagnostics, folder)) {
        cache_abandon(folder);
        return false;
    }
    if (rename(folder, entry) != 0) {
        int error = errno;
        remove_tree(folder);
        cleanup_forget(folder);
        if (error != EEXIST && error != ENOTEMPTY)
            return error_at(diagnostics, STATUS_TOOL, entry, "cannot be made: %s", strerror(error));
        return true;
    }
    cleanup_forget(folder);
    make_room(cache);
    return true;
}
