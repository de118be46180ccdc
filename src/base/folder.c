/* Folders made and removed. */
#include "base/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool remove_entry(int folder, const char *name);

/* Takes over `file`, a folder that is open. */
static bool remove_content(int file) {
    DIR *stream = fdopendir(file);
    if (!stream) {
        close(file);
        return false;
    }
    bool ok = true;
    for (struct dirent *entry; (entry = readdir(stream));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (!remove_entry(file, entry->d_name)) ok = false;
    }
    closedir(stream);
    return ok;
}

static bool remove_entry(int folder, const char *name) {
    if (unlinkat(folder, name, 0) == 0 || errno == ENOENT) return true;
    if (errno != EISDIR && errno != EPERM) return false;
    int file = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return file >= 0 && remove_content(file) && unlinkat(folder, name, AT_REMOVEDIR) == 0;
}

bool remove_tree(const char *path) {
    return remove_entry(AT_FDCWD, path);
}

static bool make_folder(const char *path) {
    if (mkdir(path, 0777) == 0) return true;
    struct stat status;
    if (errno != EEXIST) return false;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) return true;
    errno = ENOTDIR;
    return false;
}

bool make_folders(Diagnostics *diagnostics, const char *path) {
    char *copy = strdup(path);
    bool ok = copy != NULL;
    for (char *end = copy; ok && *end;) {
        end += strspn(end, "/");
        end += strcspn(end, "/");
        char kept = *end;
        *end = '\0';
        ok = make_folder(copy);
        *end = kept;
    }
    int error = errno;
    free(copy);
    if (ok) return true;
    return error_at(diagnostics, STATUS_TOOL, path, "cannot make the folder: %s", strerror(error));
}
