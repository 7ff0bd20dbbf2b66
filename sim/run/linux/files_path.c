/* Guest paths to host places, without leaving the root; see files.h. */
#define _GNU_SOURCE     /* O_PATH */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/run/linux/files.h"
#include "sim/run/linux/files_memory.h"

enum { LINKS_MAX = 40, DIRECTORY_FLAGS = O_PATH | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC };

/* ---- special names ---------------------------------------------------------------------- */

/* `base` (canonical) followed by `path`, with ".", ".." and double slashes removed as text. False:
 * too long. */
static bool join_lexically(const char *base, const char *path, char *out)
{
    size_t length = path[0] == '/' ? 0 : strlen(base);

    memcpy(out, base, length);
    while (*path != '\0') {
        size_t part = strcspn(path, "/");

        if (part == 2 && path[0] == '.' && path[1] == '.') {
            while (length > 0 && out[--length] != '/') {
            }
        } else if (part > 0 && !(part == 1 && path[0] == '.')) {
            if (length + part + 2 > PATH_MAX) {
                return false;
            }
            out[length++] = '/';
            memcpy(out + length, path, part);
            length += part;
        }
        path += part;
        path += *path == '/';
    }
    out[length] = '\0';
    return true;
}

static int descriptor_of(const char *path)
{
    static const char *const names[3] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    const char *digits = NULL;
    char *end;
    unsigned long number;
    int i;

    for (i = 0; i < 3; i++) {
        if (strcmp(path, names[i]) == 0) {
            return i;
        }
    }
    if (strncmp(path, "/dev/fd/", 8) == 0) {
        digits = path + 8;
    } else if (strncmp(path, "/proc/self/fd/", 14) == 0) {
        digits = path + 14;
    }
    if (digits == NULL || digits[0] < '0' || digits[0] > '9') {
        return -1;
    }
    number = strtoul(digits, &end, 10);
    return *end == '\0' && number < FILES_MAX ? (int)number : -1;
}

/* Recognizes a name that exists in any root. */
static bool find_special(const struct files *files, const char *base, const char *path,
                         struct place *place)
{
    const char *name = place->path;

    if (!join_lexically(base, path, place->path)) {
        return false;
    }
    place->dir_fd = AT_FDCWD;
    place->descriptor = descriptor_of(name);
    if (place->descriptor >= 0) {
        place->kind = PLACE_DESCRIPTOR;
    } else if (strcmp(name, "/dev/random") == 0 || strcmp(name, "/dev/urandom") == 0) {
        place->kind = PLACE_RANDOM;
    } else if (strcmp(name, "/dev/null") == 0 || strcmp(name, "/dev/zero") == 0 ||
               strcmp(name, "/dev/full") == 0) {
        place->kind = PLACE_DEVICE;
    } else if (strcmp(name, "/proc/self/exe") == 0) {
        place->kind = PLACE_EXE;
    } else {
        return false;
    }
    snprintf(place->name, sizeof place->name, "%s",
             place->kind == PLACE_EXE ? files->exe : name);
    return true;
}

/* ---- walking ---------------------------------------------------------------------------- */

struct walk {
    const struct files *files;
    int dir_fd;                 /* host directory that `path` names */
    char path[PATH_MAX];        /* canonical guest path of dir_fd */
    char rest[2 * PATH_MAX];    /* part not walked yet */
    unsigned links;
};

/* Makes the directory one that has `name`, if that is /dev/shm, or /dev and `rest` goes there. */
static void provide(struct walk *walk, const char *name, const char *rest)
{
    int fd = files_memory_find(walk->files->memory, walk->dir_fd, walk->path, name, rest);

    if (fd >= 0) {
        close(walk->dir_fd);
        walk->dir_fd = fd;
    }
}

static int enter(struct walk *walk, const char *name, size_t length, const char *rest)
{
    char part[NAME_MAX + 1];
    size_t at = strlen(walk->path);
    int fd;

    if (length > NAME_MAX || at + length + 2 > PATH_MAX) {
        return -ENAMETOOLONG;
    }
    memcpy(part, name, length);
    part[length] = '\0';
    provide(walk, part, rest);
    fd = openat(walk->dir_fd, part, DIRECTORY_FLAGS);
    if (fd < 0) {
        return errno == ELOOP ? -ENOTDIR : -errno;
    }
    close(walk->dir_fd);
    walk->dir_fd = fd;
    walk->path[at] = '/';
    strcpy(walk->path + at + 1, part);
    return 0;
}

/* Starts again at the root and walks to a canonical path, which has no links in it. */
static int restart(struct walk *walk, const char *canonical)
{
    char path[PATH_MAX];
    const char *at = path;
    int fd = openat(walk->files->root_fd, ".", DIRECTORY_FLAGS), err = 0;

    if (fd < 0) {
        return -errno;
    }
    if (walk->dir_fd >= 0) {
        close(walk->dir_fd);
    }
    walk->dir_fd = fd;
    strcpy(path, canonical);
    walk->path[0] = '\0';
    while (err == 0 && *at == '/') {
        size_t length = strcspn(at + 1, "/");

        const char *next = at + 1 + length;

        err = enter(walk, at + 1, length, *next != '\0' ? next : walk->rest);
        at = next;
    }
    return err;
}

static int go_up(struct walk *walk)
{
    char parent[PATH_MAX];
    char *slash;

    strcpy(parent, walk->path);
    slash = strrchr(parent, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
    return restart(walk, parent);
}

/* If `name` is a symbolic link, puts its target in front of the rest. 1: it was one. */
static int expand_link(struct walk *walk, const char *name)
{
    char target[PATH_MAX], rest[2 * PATH_MAX];
    ssize_t length = readlinkat(walk->dir_fd, name, target, sizeof target - 1);

    if (length < 0) {
        return errno == EINVAL || errno == ENOENT ? 0 : -errno;
    }
    if (++walk->links > LINKS_MAX) {
        return -ELOOP;
    }
    target[length] = '\0';
    if (snprintf(rest, sizeof rest, "%s%s", target, walk->rest) >= PATH_MAX) {
        return -ENAMETOOLONG;
    }
    strcpy(walk->rest, rest);
    if (target[0] == '/') {
        int err = restart(walk, "");

        return err != 0 ? err : 1;
    }
    return 1;
}

/* Removes the first component from the rest; "" if there is none. */
static int take_component(struct walk *walk, char name[NAME_MAX + 1])
{
    size_t skip = strspn(walk->rest, "/"), length = strcspn(walk->rest + skip, "/");

    if (length > NAME_MAX) {
        return -ENAMETOOLONG;
    }
    memcpy(name, walk->rest + skip, length);
    name[length] = '\0';
    memmove(walk->rest, walk->rest + skip + length, strlen(walk->rest + skip + length) + 1);
    return 0;
}

static bool is_last(const struct walk *walk)
{
    return walk->rest[strspn(walk->rest, "/")] == '\0';
}

/* Walks one component. 1: it is the last, and in place->name. */
static int walk_step(struct walk *walk, bool is_followed, struct place *place)
{
    char name[NAME_MAX + 1];
    int err = take_component(walk, name);

    if (err != 0) {
        return err;
    }
    if (name[0] == '\0' || strcmp(name, ".") == 0) {
        strcpy(place->name, ".");
        return is_last(walk) ? 1 : 0;
    }
    if (strcmp(name, "..") == 0) {
        strcpy(place->name, ".");
        err = go_up(walk);
        return err != 0 ? err : is_last(walk) ? 1 : 0;
    }
    place->must_be_directory = walk->rest[0] == '/';
    if (!is_last(walk) || is_followed || place->must_be_directory) {
        err = expand_link(walk, name);
        if (err != 0) {
            return err < 0 ? err : 0;
        }
    }
    if (is_last(walk)) {
        provide(walk, name, "");
        strcpy(place->name, name);
        return 1;
    }
    return enter(walk, name, strlen(name), walk->rest);
}

static int finish(struct walk *walk, struct place *place)
{
    bool is_directory_itself = strcmp(place->name, ".") == 0;

    if (strlen(walk->path) + strlen(place->name) + 2 > PATH_MAX) {
        return -ENAMETOOLONG;
    }
    place->dir_fd = walk->dir_fd;
    place->kind = PLACE_FILE;
    strcpy(place->path, walk->path);
    if (!is_directory_itself) {
        strcat(place->path, "/");
        strcat(place->path, place->name);
    }
    return 0;
}

/* The canonical path at which `path` starts. */
static int find_base(const struct files *files, int dir_fd, const char *path, const char **base)
{
    const struct open_file *file;

    *base = path[0] == '/' ? "" : files->cwd;
    if (path[0] == '\0') {
        return -ENOENT;
    }
    if (strlen(path) >= PATH_MAX) {
        return -ENAMETOOLONG;
    }
    if (path[0] == '/' || dir_fd == FILES_CWD) {
        return 0;
    }
    file = dir_fd < 0 ? NULL : files_get(files, (uint64_t)dir_fd);
    if (file == NULL) {
        return -EBADF;
    }
    *base = file->path;
    return file->path == NULL ? -ENOTDIR : 0;
}

int files_resolve(const struct files *files, int dir_fd, const char *path, bool is_followed,
                  struct place *place)
{
    struct walk walk = {.files = files, .dir_fd = -1};
    const char *base;
    int err = find_base(files, dir_fd, path, &base);

    place->must_be_directory = false;
    if (err != 0) {
        return err;
    }
    if (find_special(files, base, path, place)) {
        return 0;
    }
    strcpy(walk.rest, path);
    err = restart(&walk, base);
    while (err == 0) {
        err = walk_step(&walk, is_followed, place);
    }
    err = err == 1 ? finish(&walk, place) : err;
    if (err != 0 && walk.dir_fd >= 0) {
        close(walk.dir_fd);
    }
    return err;
}

void place_free(struct place *place)
{
    if (place->dir_fd >= 0) {
        close(place->dir_fd);
    }
    place->dir_fd = -1;
}
