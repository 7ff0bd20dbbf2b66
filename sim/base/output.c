/* See output.h. */
#define _GNU_SOURCE              /* O_TMPFILE */
#include "sim/base/output.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PART ".XXXXXX.part"
enum { PROC_NAME = 64, NAMES = 1 << 24 };

bool output_has_no_reader(void)
{
    struct pollfd there = {.fd = STDOUT_FILENO};

    return poll(&there, 1, 0) > 0 && (there.revents & POLLERR) != 0;
}

bool output_is_stdout(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

/* The permission bits of a new file. Reading the process's mask requires setting it. */
static mode_t new_mode(void)
{
    mode_t mask = umask(0);

    umask(mask);
    return 0666 & ~mask;
}

/* A file without a name in the folder of the wanted file: nothing is left of it, however the
 * process ends. -1: the file system has none, or /proc, by which it gets its name, is not there. */
static int open_unnamed(const char *path)
{
    char *folder = strdup(path), name[PROC_NAME];
    int file = folder != NULL ? open(dirname(folder), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600) : -1;

    free(folder);
    if (file < 0)
        return -1;
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    if (access(name, F_OK) == 0)
        return file;
    close(file);
    return -1;
}

/* True if a temporary file beside the wanted one can have a name: it would get one only when it is
 * complete, too late to write the wanted file directly. */
static bool has_short_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return strlen(slash != NULL ? slash + 1 : path) + strlen(PART) <= NAME_MAX &&
           strlen(path) + sizeof PART <= PATH_MAX;
}

/* Gives the file a temporary name that is free. */
static bool name_file(const struct output *output)
{
    size_t length = strlen(output->path);
    char name[PROC_NAME];
    int result = -1;

    snprintf(name, sizeof name, "/proc/self/fd/%d", fileno(output->file));
    for (unsigned i = 0; result != 0 && i < NAMES; i++) {
        snprintf(output->temporary + length, sizeof PART, ".%06x.part",
                 ((unsigned)getpid() + i) % NAMES);
        result = linkat(AT_FDCWD, name, AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW);
        if (result != 0 && errno != EEXIST)
            break;
    }
    return result == 0;
}

static void forget(struct output *output)
{
    free(output->temporary);
    output->temporary = NULL;
}

static void remove_file(const struct output *output)
{
    if (output->temporary != NULL && !output->is_unnamed)
        unlink(output->temporary);
}

/* Opens the temporary file. False: write the wanted file directly if errno is 0, else an error. */
static bool open_beside(struct output *output)
{
    struct stat found;
    bool exists = stat(output->path, &found) == 0;
    size_t bytes = strlen(output->path) + sizeof PART;
    int file;

    errno = 0;
    if (exists && (!S_ISREG(found.st_mode) || access(output->path, W_OK) != 0))
        return false;
    output->temporary = malloc(bytes);
    if (output->temporary == NULL)
        return false;
    snprintf(output->temporary, bytes, "%s" PART, output->path);
    file = has_short_name(output->path) ? open_unnamed(output->path) : -1;
    output->is_unnamed = file >= 0;
    if (!output->is_unnamed)
        file = mkstemps(output->temporary, (int)strlen(".part"));
    if (file < 0) {
        forget(output);
        return false;
    }
    if (fchmod(file, exists ? found.st_mode & 07777 : new_mode()) == 0)
        output->file = fdopen(file, "w");
    if (output->file != NULL)
        return true;
    close(file);
    remove_file(output);
    forget(output);
    return false;
}

/* True for an ELF file other than a core: a program, a library, an object. */
static bool is_program(const char *path)
{
    unsigned char head[18] = {0};           /* e_ident, e_type */
    struct stat found;
    FILE *file = stat(path, &found) == 0 && S_ISREG(found.st_mode) ? fopen(path, "rb") : NULL;
    bool is_elf = file != NULL && fread(head, 1, sizeof head, file) == sizeof head &&
                  memcmp(head, ELFMAG, SELFMAG) == 0;

    if (file != NULL)
        fclose(file);
    return is_elf && head[head[EI_DATA] == ELFDATA2MSB ? 17 : 16] != ET_CORE;
}

static enum err spare_program(const char *path, struct diag *diag)
{
    return output_is_stdout(path) || !is_program(path)
               ? ERR_OK
               : diag_set(diag, ERR_USAGE, "%s: is a program, which the output would replace; "
                          "expected the name of another file", path);
}

enum err output_open(struct output *output, const char *path, struct diag *diag)
{
    enum err err = spare_program(path, diag);

    *output = (struct output){.file = NULL};
    return err == ERR_OK ? output_replace(output, path, diag) : err;
}

enum err output_replace(struct output *output, const char *path, struct diag *diag)
{
    *output = (struct output){.path = realpath(path, NULL)};
    if (output->path == NULL)
        output->path = strdup(path);
    if (output->path == NULL)
        return diag_no_memory(diag, path);
    if (output_is_stdout(path))
        output->file = stdout;
    else if (!open_beside(output))
        output->file = fopen(output->path, "w");
    if (output->file != NULL)
        return ERR_OK;
    free(output->path);
    output->path = NULL;
    return diag_set(diag, ERR_IO, "%s: %s", path, strerror(errno));
}

/* Opens an existing file without emptying it. */
enum err output_check(const char *path, struct diag *diag)
{
    struct output output;
    struct stat found;
    enum err err;

    err = spare_program(path, diag);
    if (err != ERR_OK)
        return err;
    if (output_is_stdout(path) || (stat(path, &found) == 0 && !S_ISDIR(found.st_mode) &&
                                   access(path, W_OK) == 0))
        return ERR_OK;
    err = output_open(&output, path, diag);
    if (err == ERR_OK) {
        bool is_new = output.temporary == NULL;

        err = output_close(&output, false, diag);
        if (is_new)
            unlink(path);
    }
    return err;
}

/* Makes sure that the system has accepted all data. False with errno 0: a write before this one
 * has failed, for a reason that is no longer known. */
static bool finish(struct output *output, bool is_complete)
{
    bool has_failed = ferror(output->file) != 0;

    errno = 0;
    if (output->file == stdout)
        return (fflush(stdout) == 0 && !has_failed) || output_has_no_reader();
    if (is_complete && output->is_unnamed && !has_failed) {
        has_failed = fflush(output->file) != 0 || !name_file(output);
        output->is_unnamed = has_failed;
    }
    return fclose(output->file) == 0 && !has_failed;
}

enum err output_close(struct output *output, bool is_complete, struct diag *diag)
{
    const char *name = output->file == stdout ? "standard output" : output->path;
    enum err err = ERR_OK;
    bool is_fine;

    if (output->file == NULL)
        return ERR_OK;
    is_fine = finish(output, is_complete);
    if (output->temporary != NULL && is_fine && is_complete)
        is_fine = rename(output->temporary, output->path) == 0;
    if (!is_fine)
        err = diag_set(diag, ERR_IO, "%s: cannot be written%s%s", name,
                       errno != 0 ? ": " : " completely", errno != 0 ? strerror(errno) : "");
    if (!is_fine || !is_complete)
        remove_file(output);
    free(output->temporary);
    free(output->path);
    *output = (struct output){.file = NULL};
    return err;
}
