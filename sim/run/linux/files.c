/* Descriptors of a user program; see files.h. Names are resolved in files_path.c. */
#define _GNU_SOURCE     /* O_PATH */
#include "sim/run/linux/files.h"
#include "sim/base/array.h"
#include "sim/run/linux/files_memory.h"
#include "sim/run/linux/lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes the host's current directory, relative to the root, the guest's first directory. */
static void set_first_directory(struct files *files, const char *root)
{
    char base[PATH_MAX], here[PATH_MAX];
    size_t length;

    files->cwd[0] = '\0';
    if (root == NULL || realpath(root, base) == NULL || realpath(".", here) == NULL) {
        return;
    }
    length = strcmp(base, "/") == 0 ? 0 : strlen(base);
    if (strncmp(here, base, length) == 0 && here[length] == '/' && here[length + 1] != '\0') {
        strcpy(files->cwd, here + length);
    }
}

/* The guest's name for the program: its path below the root, or its host path if it lies
 * elsewhere. */
static void set_exe(struct files *files, const char *root, const char *exe)
{
    char base[PATH_MAX], full[PATH_MAX];
    size_t length;

    if (realpath(exe, full) == NULL) {
        strncpy(full, exe, sizeof full - 1);
        full[sizeof full - 1] = '\0';
    }
    files->exe = strdup(full);
    strcpy(files->exe_name, full);
    if (realpath(root == NULL ? "." : root, base) != NULL && strcmp(base, "/") != 0) {
        length = strlen(base);
        if (strncmp(full, base, length) == 0 && full[length] == '/') {
            strcpy(files->exe_name, full + length);
        }
    }
}

enum err files_init(struct files *files, const char *root, const int streams[3], const char *exe,
                    struct diag *diag)
{
    int i;

    memset(files, 0, offsetof(struct files, open));
    files->umask = 022;
    files->root_fd = -1;
    files->locks = locks_new();
    files->memory = files_memory_new();
    files->limit = FILES_LIMIT;
    files->bytes_limit = UINT64_MAX;
    if (files->locks == NULL || files->memory == NULL) {
        files_free(files);
        return diag_no_memory(diag, NULL);
    }
    files->root_fd = open(root == NULL ? "." : root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (files->root_fd < 0) {
        diag_set(diag, ERR_USAGE, "root directory %s: %s", root == NULL ? "." : root,
                 strerror(errno));
        files_free(files);
        return ERR_USAGE;
    }
    set_first_directory(files, root);
    set_exe(files, root, exe);
    for (i = 0; i < 3; i++) {
        if (streams[i] >= 0 && files_open(files, OPEN_STREAM, streams[i], NULL, false) != i) {
            files_free(files);
            return diag_no_memory(diag, NULL);
        }
    }
    return ERR_OK;
}

static void forget_entries(struct open_file *file)
{
    size_t i;

    for (i = 0; i < file->entry_count; i++) {
        free(file->entries[i].name);
    }
    free(file->entries);
    file->entries = NULL;
    file->entry_count = file->entry_next = 0;
}

void files_release(struct files *files, struct open_file *file)
{
    if (--file->users > 0) {
        return;
    }
    locks_forget(files->locks, file, 0, 0);
    forget_entries(file);
    if (file->kind != OPEN_STREAM && file->fd >= 0) {
        close(file->fd);
    }
    free(file->path);
    free(file);
}

void files_free(struct files *files)
{
    unsigned i;

    if (files->locks != NULL) {
        locks_forget(files->locks, files, 0, 0);
    }
    for (i = 0; i < files->end; i++) {
        if (files->open[i] != NULL) {
            files_release(files, files->open[i]);
            files->open[i] = NULL;
        }
    }
    if (files->root_fd >= 0) {
        close(files->root_fd);
    }
    files->root_fd = -1;
    free(files->exe);
    files->exe = NULL;
    locks_drop(files->locks);
    files->locks = NULL;
    files_memory_drop(files->memory);
    files->memory = NULL;
}

bool files_clone(struct files *files, const struct files *from)
{
    unsigned i;

    memcpy(files, from, offsetof(struct files, open));
    memcpy(files->open, from->open, from->end * sizeof from->open[0]);
    memcpy(files->is_cloexec, from->is_cloexec, from->end * sizeof from->is_cloexec[0]);
    files->locks->users++;
    files_memory_share(files->memory);
    files->root_fd = fcntl(from->root_fd, F_DUPFD_CLOEXEC, 3);
    files->exe = from->exe != NULL ? strdup(from->exe) : NULL;
    for (i = 0; i < files->end; i++) {
        if (files->open[i] != NULL) {
            files->open[i]->users++;
        }
    }
    return files->root_fd >= 0 && files->exe != NULL;
}

void files_exec(struct files *files, const char *exe, const char *name)
{
    char *copy = strdup(exe);
    unsigned i;

    for (i = 0; i < files->end; i++) {
        if (files->open[i] != NULL && files->is_cloexec[i]) {
            files_close(files, i);
        }
    }
    if (copy != NULL) {
        free(files->exe);
        files->exe = copy;
    }
    snprintf(files->exe_name, sizeof files->exe_name, "%s", name);
}

struct open_file *files_get(const struct files *files, uint64_t fd)
{
    return fd < files->end ? files->open[fd] : NULL;
}

int files_add(struct files *files, struct open_file *file, int from, bool is_cloexec)
{
    unsigned fd;

    for (fd = (unsigned)from; fd < files->limit; fd++) {
        if (fd >= files->end || files->open[fd] == NULL) {
            while (files->end <= fd)
                files->open[files->end++] = NULL;
            files->open[fd] = file;
            files->is_cloexec[fd] = is_cloexec;
            file->users++;
            return (int)fd;
        }
    }
    return -EMFILE;
}

int files_open(struct files *files, enum open_kind kind, int host_fd, const char *path,
               bool is_cloexec)
{
    struct open_file *file = calloc(1, sizeof *file);
    int fd;

    if (file == NULL) {
        if (kind != OPEN_STREAM) {
            close(host_fd);
        }
        return -ENOMEM;
    }
    *file = (struct open_file){.kind = kind, .fd = host_fd, .users = 1};
    file->path = path == NULL ? NULL : strdup(path);
    fd = files_add(files, file, 0, is_cloexec);
    files_release(files, file);
    return fd;
}

/* A process that closes any descriptor of a file loses its locks on it. */
static void forget_locks(struct files *files, const struct open_file *file)
{
    struct stat st;

    if (files->locks->count > 0 && fstat(file->fd, &st) == 0) {
        locks_forget(files->locks, files, st.st_dev, st.st_ino);
    }
}

int files_close(struct files *files, uint64_t fd)
{
    struct open_file *file = files_get(files, fd);

    if (file == NULL) {
        return -EBADF;
    }
    forget_locks(files, file);
    files->open[fd] = NULL;
    files_release(files, file);
    return 0;
}

/* ---- directories ------------------------------------------------------------------------ */

static int compare_entries(const void *a, const void *b)
{
    const struct directory_entry *x = a, *y = b;

    return strcmp(x->name, y->name);
}

static int add_entry(struct open_file *file, const struct dirent *entry)
{
    struct directory_entry *grown = array_grow(file->entries, file->entry_count, sizeof *grown);

    if (grown == NULL) {
        return -ENOMEM;
    }
    file->entries = grown;
    file->entries[file->entry_count] = (struct directory_entry){
        .ino = entry->d_ino, .type = entry->d_type, .name = strdup(entry->d_name)};
    if (file->entries[file->entry_count].name == NULL) {
        return -ENOMEM;
    }
    file->entry_count++;
    return 0;
}

int files_list(struct open_file *file)
{
    int fd = openat(file->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;

    if (directory == NULL) {
        err = -errno;
        if (fd >= 0) {
            close(fd);
        }
        return err;
    }
    forget_entries(file);
    while (err == 0 && (entry = readdir(directory)) != NULL) {
        err = add_entry(file, entry);
    }
    closedir(directory);
    if (err != 0) {
        forget_entries(file);
    } else if (file->entry_count > 0) {
        qsort(file->entries, file->entry_count, sizeof *file->entries, compare_entries);
    }
    return err;
}
