/* See files_memory.h. */
#define _GNU_SOURCE     /* O_PATH, nftw, AT_SYMLINK_NOFOLLOW of faccessat */
#include "sim/run/linux/files_memory.h"

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH = 16 };    /* descriptors of directories that the removal keeps open */

/* top: of the host, "" before the first use; it has the folder "dev", and that "shm". */
struct files_memory { unsigned users; char top[PATH_MAX]; };

struct files_memory *files_memory_new(void)
{
    struct files_memory *memory = calloc(1, sizeof *memory);

    return memory != NULL ? files_memory_share(memory) : NULL;
}

struct files_memory *files_memory_share(struct files_memory *memory)
{
    memory->users++;
    return memory;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    remove(path);
    return 0;
}

void files_memory_drop(struct files_memory *memory)
{
    if (memory == NULL || --memory->users > 0) {
        return;
    }
    if (memory->top[0] != '\0') {
        nftw(memory->top, remove_one, DEPTH, FTW_DEPTH | FTW_PHYS);
    }
    free(memory);
}

static bool make(struct files_memory *memory)
{
    const char *place = getenv("TMPDIR");
    int fd;
    bool is_made;

    if (memory->top[0] != '\0') {
        return true;
    }
    if (snprintf(memory->top, sizeof memory->top, "%s/rvsim-shm-XXXXXX",
                 place != NULL && place[0] != '\0' ? place : "/tmp") >= (int)sizeof memory->top ||
        mkdtemp(memory->top) == NULL) {
        memory->top[0] = '\0';
        return false;
    }
    fd = open(memory->top, O_PATH | O_DIRECTORY | O_CLOEXEC);
    is_made = fd >= 0 && mkdirat(fd, "dev", 0755) == 0 && mkdirat(fd, "dev/shm", 0755) == 0;
    close(fd);
    return is_made;
}

static bool goes_to_memory(const char *rest)
{
    size_t skip = strspn(rest, "/");

    return skip > 0 && strncmp(rest + skip, "shm", 3) == 0 &&
           (rest[skip + 3] == '/' || rest[skip + 3] == '\0');
}

int files_memory_find(struct files_memory *memory, int dir_fd, const char *path, const char *name,
                      const char *rest)
{
    bool is_device = path[0] == '\0' && strcmp(name, "dev") == 0 && goes_to_memory(rest);
    bool is_memory = strcmp(path, "/dev") == 0 && strcmp(name, "shm") == 0;
    int top, fd;

    if ((!is_device && !is_memory) || faccessat(dir_fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ||
        !make(memory)) {
        return -1;
    }
    top = open(memory->top, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (top < 0 || is_device) {
        return top;
    }
    fd = openat(top, "dev", O_PATH | O_DIRECTORY | O_CLOEXEC);
    close(top);
    return fd;
}
