/* Files read and written whole. */
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads to the end, whatever size the system told: pipes have none. */
static bool read_all(Arena *arena, int file, size_t expected, size_t limit, char **bytes,
                     size_t *length) {
    size_t capacity = (expected < limit ? expected : limit) + 1, used = 0;
    char *buffer = arena_alloc(arena, capacity + 1);
    for (;;) {
        ssize_t got = read(file, buffer + used, capacity - used);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return false;
        if (got == 0) break;
        used += (size_t)got;
        if (used > limit) {
            errno = EFBIG;
            return false;
        }
        if (used == capacity) {
            capacity = capacity <= limit / 2 ? capacity * 2 + 4096 : limit + 1;
            char *moved = arena_alloc(arena, capacity + 1);
            memcpy(moved, buffer, used);
            buffer = moved;
        }
    }
    buffer[used] = '\0';
    *bytes = buffer;
    *length = used;
    return true;
}

bool file_read(Arena *arena, Diagnostics *diagnostics, const char *path, size_t limit, char **bytes,
               size_t *length) {
    size_t got;
    if (limit > SIZE_MAX / 4) limit = SIZE_MAX / 4;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    bool opened = file >= 0 && fstat(file, &status) == 0;
    bool ok = opened && read_all(arena, file, status.st_size > 0 ? (size_t)status.st_size : 0,
                                 limit, bytes, length ? length : &got);
    int error = errno;
    if (file >= 0) close(file);
    if (ok) return true;
    if (opened && error == EFBIG)
        return error_at(diagnostics, STATUS_INPUT, path,
                        "the file is larger than the limit of %zu bytes", limit);
    return error_at(diagnostics, STATUS_INPUT, path, "cannot read the file: %s", strerror(error));
}

static bool write_all(int file, const char *bytes, size_t length) {
    while (length) {
        ssize_t written = write(file, bytes, length);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

bool file_write(Diagnostics *diagnostics, const char *path, const void *bytes, size_t length) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    struct stat status;
    bool opened = file >= 0;
    bool regular = opened && fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    bool ok = opened && write_all(file, bytes, length);
    int error = errno;
    if (opened && close(file) != 0 && ok) {
        error = errno;
        ok = false;
    }
    if (ok) return true;
    if (regular) unlink(path);
    return error_at(diagnostics, STATUS_TOOL, path, "cannot write the file: %s", strerror(error));
}
