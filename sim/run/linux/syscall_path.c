/* System calls that name files: making, linking, removing, and their attributes.
 *
 * Every name goes through files_resolve, and the host gets one component in an open directory
 * that it must not follow. Special names can be opened and asked about, never changed. */
#define _GNU_SOURCE     /* O_TMPFILE, renameat2 */
#include "sim/run/linux/syscall_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    GUEST_AT_SYMLINK_NOFOLLOW = 0x100, GUEST_AT_REMOVEDIR = 0x200, GUEST_AT_SYMLINK_FOLLOW = 0x400,
    GUEST_AT_EMPTY_PATH = 0x1000,
};
#define GUEST_UTIME_NOW ((INT64_C(1) << 30) - 1)
#define GUEST_UTIME_OMIT ((INT64_C(1) << 30) - 2)

int64_t syscall_read_path(struct process *process, uint64_t va, char path[PATH_MAX])
{
    int length = vm_read_string(&process->vm, va, path, PATH_MAX);

    return length < 0 ? length : 0;
}

int64_t syscall_resolve(struct process *process, uint64_t dir_fd, uint64_t va, bool is_followed,
                        struct place *place)
{
    char path[PATH_MAX];
    int64_t err = syscall_read_path(process, va, path);

    return err != 0 ? err
                    : files_resolve(&process->files, (int)dir_fd, path, is_followed, place);
}

/* As syscall_resolve, for a call that changes the file. */
static int64_t resolve_change(struct process *process, uint64_t dir_fd, uint64_t va,
                              bool is_followed, struct place *place)
{
    int64_t err = syscall_resolve(process, dir_fd, va, is_followed, place);

    if (err == 0 && place->kind != PLACE_FILE) {
        return -EPERM;
    }
    return err;
}

/* Ends a call: frees the place and returns the result. */
static int64_t finish(struct place *place, int result)
{
    int64_t outcome = result < 0 ? syscall_host_error() : 0;

    place_free(place);
    return outcome;
}

/* ---- making and removing ---------------------------------------------------------------- */

int64_t sys_mkdirat(struct process *process, const uint64_t arg[6])
{
    struct place place;
    int64_t err = resolve_change(process, arg[0], arg[1], false, &place);

    if (err == 0 && strcmp(place.name, ".") == 0) {
        place_free(&place);
        return -EEXIST;
    }
    return err != 0 ? err
                    : finish(&place, mkdirat(place.dir_fd, place.name,
                                             (mode_t)arg[2] & 07777 & ~process->files.umask));
}

/* A file, a named pipe, or a socket's name; no device. */
int64_t sys_mknodat(struct process *process, const uint64_t arg[6])
{
    mode_t mode = (mode_t)arg[2], kind = (mode & S_IFMT) == 0 ? S_IFREG : mode & S_IFMT;
    struct place place;
    int64_t err = resolve_change(process, arg[0], arg[1], false, &place);

    if (err == 0 && kind != S_IFREG && kind != S_IFIFO && kind != S_IFSOCK) {
        place_free(&place);
        return -EPERM;
    }
    return err != 0 ? err
                    : finish(&place, mknodat(place.dir_fd, place.name,
                                             kind | (mode & 07777 & ~process->files.umask), 0));
}

int64_t sys_unlinkat(struct process *process, const uint64_t arg[6])
{
    struct place place;
    int64_t err = resolve_change(process, arg[0], arg[1], false, &place);
    bool is_directory = (arg[2] & GUEST_AT_REMOVEDIR) != 0;

    if (err == 0 && place.must_be_directory && !is_directory) {
        place_free(&place);
        return -ENOTDIR;
    }
    return err != 0 ? err
                    : finish(&place, unlinkat(place.dir_fd, place.name,
                                              is_directory ? AT_REMOVEDIR : 0));
}

int64_t sys_symlinkat(struct process *process, const uint64_t arg[6])
{
    char target[PATH_MAX];
    struct place place;
    int64_t err = syscall_read_path(process, arg[0], target);

    err = err != 0 ? err : resolve_change(process, arg[1], arg[2], false, &place);
    return err != 0 ? err : finish(&place, symlinkat(target, place.dir_fd, place.name));
}

int64_t sys_linkat(struct process *process, const uint64_t arg[6])
{
    struct place from, to;
    int64_t err = resolve_change(process, arg[0], arg[1],
                                 (arg[4] & GUEST_AT_SYMLINK_FOLLOW) != 0, &from);

    if (err != 0) {
        return err;
    }
    err = resolve_change(process, arg[2], arg[3], false, &to);
    if (err == 0) {
        err = finish(&to, linkat(from.dir_fd, from.name, to.dir_fd, to.name, 0));
    }
    place_free(&from);
    return err;
}

int64_t sys_renameat2(struct process *process, const uint64_t arg[6])
{
    struct place from, to;
    int64_t err = resolve_change(process, arg[0], arg[1], false, &from);

    if (err != 0) {
        return err;
    }
    err = resolve_change(process, arg[2], arg[3], false, &to);
    if (err == 0) {
        err = finish(&to, renameat2(from.dir_fd, from.name, to.dir_fd, to.name,
                                    (unsigned)arg[4]));
    }
    place_free(&from);
    return err;
}

int64_t sys_truncate(struct process *process, const uint64_t arg[6])
{
    struct place place;
    int64_t err = resolve_change(process, (uint64_t)FILES_CWD, arg[0], true, &place);
    int fd;

    if (err == 0 && arg[1] > process->files.bytes_limit && (int64_t)arg[1] >= 0) {
        place_free(&place);
        err = -EFBIG;
    }
    if (err != 0) {
        return err;
    }
    fd = openat(place.dir_fd, place.name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    err = fd < 0 || ftruncate(fd, (off_t)arg[1]) != 0 ? syscall_host_error() : 0;
    if (fd >= 0) {
        close(fd);
    }
    place_free(&place);
    return err;
}

/* ---- attributes ------------------------------------------------------------------------- */

static int64_t access_place(struct process *process, const struct place *place, int mode)
{
    if (place->kind == PLACE_DESCRIPTOR) {
        return files_get(&process->files, (uint64_t)place->descriptor) == NULL ? -ENOENT : 0;
    }
    return faccessat(place->dir_fd, place->name, mode, AT_SYMLINK_NOFOLLOW) != 0
               ? syscall_host_error()
               : 0;
}

int64_t sys_faccessat2(struct process *process, const uint64_t arg[6])
{
    struct place place;
    int64_t err = syscall_resolve(process, arg[0], arg[1], !(arg[3] & GUEST_AT_SYMLINK_NOFOLLOW),
                                  &place);

    if (err == 0) {
        err = access_place(process, &place, (int)arg[2] & 7);
        place_free(&place);
    }
    return err;
}

int64_t sys_faccessat(struct process *process, const uint64_t arg[6])
{
    uint64_t with_flags[6] = {arg[0], arg[1], arg[2], 0};

    return sys_faccessat2(process, with_flags);
}

int64_t sys_fchmodat2(struct process *process, const uint64_t arg[6])
{
    struct place place;
    int64_t err = resolve_change(process, arg[0], arg[1], !(arg[3] & GUEST_AT_SYMLINK_NOFOLLOW),
                                 &place);

    return err != 0 ? err
                    : finish(&place, fchmodat(place.dir_fd, place.name, (mode_t)arg[2] & 07777,
                                              AT_SYMLINK_NOFOLLOW));
}

int64_t sys_fchmodat(struct process *process, const uint64_t arg[6])
{
    uint64_t with_flags[6] = {arg[0], arg[1], arg[2], 0};

    return sys_fchmodat2(process, with_flags);
}

/* A file that may be changed through its descriptor, or NULL: the guest must not change the
 * inherited streams. */
static const struct open_file *own_file(const struct process *process, uint64_t fd)
{
    const struct open_file *file = files_get(&process->files, fd);

    return file != NULL && file->kind == OPEN_HOST ? file : NULL;
}

int64_t sys_fchmod(struct process *process, const uint64_t arg[6])
{
    const struct open_file *file = own_file(process, arg[0]);

    if (file == NULL) {
        return files_get(&process->files, arg[0]) == NULL ? -EBADF : -EPERM;
    }
    return fchmod(file->fd, (mode_t)arg[1] & 07777) != 0 ? syscall_host_error() : 0;
}

static uid_t host_user(uint64_t uid)
{
    return (uint32_t)uid == GUEST_USER ? geteuid() : (uid_t)uid;
}

static gid_t host_group(uint64_t gid)
{
    return (uint32_t)gid == GUEST_GROUP ? getegid() : (gid_t)gid;
}

int64_t sys_fchownat(struct process *process, const uint64_t arg[6])
{
    struct place place;
    int64_t err = resolve_change(process, arg[0], arg[1], !(arg[4] & GUEST_AT_SYMLINK_NOFOLLOW),
                                 &place);

    return err != 0 ? err
                    : finish(&place, fchownat(place.dir_fd, place.name, host_user(arg[2]),
                                              host_group(arg[3]), AT_SYMLINK_NOFOLLOW));
}

int64_t sys_fchown(struct process *process, const uint64_t arg[6])
{
    const struct open_file *file = own_file(process, arg[0]);

    if (file == NULL) {
        return files_get(&process->files, arg[0]) == NULL ? -EBADF : -EPERM;
    }
    return fchown(file->fd, host_user(arg[1]), host_group(arg[2])) != 0 ? syscall_host_error() : 0;
}

/* Times in the host's format; "now" is guest time. */
static int64_t read_times(struct process *process, uint64_t va, struct timespec times[2])
{
    uint64_t now = process_now_ns(process);
    int64_t guest[4] = {0, GUEST_UTIME_NOW, 0, GUEST_UTIME_NOW};
    unsigned i;

    if (va != 0 && !vm_read(&process->vm, va, guest, sizeof guest)) {
        return -EFAULT;
    }
    for (i = 0; i < 2; i++) {
        times[i] = (struct timespec){.tv_sec = guest[2 * i], .tv_nsec = guest[2 * i + 1]};
        if (guest[2 * i + 1] == GUEST_UTIME_NOW) {
            times[i].tv_sec = (time_t)(process->epoch_seconds + now / 1000000000);
            times[i].tv_nsec = (long)(now % 1000000000);
        } else if (guest[2 * i + 1] == GUEST_UTIME_OMIT) {
            times[i].tv_nsec = UTIME_OMIT;
        }
    }
    return 0;
}

int64_t sys_utimensat(struct process *process, const uint64_t arg[6])
{
    struct timespec times[2];
    struct place place;
    int64_t err = read_times(process, arg[2], times);

    if (err != 0) {
        return err;
    }
    if (arg[1] == 0) {
        const struct open_file *file = own_file(process, arg[0]);

        return file == NULL ? -EBADF
               : futimens(file->fd, times) != 0 ? syscall_host_error() : 0;
    }
    err = resolve_change(process, arg[0], arg[1], !(arg[3] & GUEST_AT_SYMLINK_NOFOLLOW), &place);
    return err != 0 ? err
                    : finish(&place, utimensat(place.dir_fd, place.name, times,
                                               AT_SYMLINK_NOFOLLOW));
}

/* ---- links and directories -------------------------------------------------------------- */

static int64_t read_link(struct process *process, const struct place *place, char text[PATH_MAX])
{
    const struct open_file *file;
    ssize_t length;

    switch (place->kind) {
    case PLACE_EXE:
        strcpy(text, process->files.exe_name);
        return (int64_t)strlen(text);
    case PLACE_DESCRIPTOR:
        file = files_get(&process->files, (uint64_t)place->descriptor);
        return file == NULL ? -ENOENT
                            : snprintf(text, PATH_MAX, "%s",
                                       file->path == NULL ? "pipe:[1]" : file->path);
    case PLACE_FILE:
        length = readlinkat(place->dir_fd, place->name, text, PATH_MAX);
        return length < 0 ? syscall_host_error() : length;
    default: return -EINVAL;
    }
}

int64_t sys_readlinkat(struct process *process, const uint64_t arg[6])
{
    char text[PATH_MAX];
    struct place place;
    int64_t length = syscall_resolve(process, arg[0], arg[1], false, &place);

    if (length != 0) {
        return length;
    }
    length = read_link(process, &place, text);
    place_free(&place);
    if (length < 0) {
        return length;
    }
    if (arg[3] == 0) {
        return -EINVAL;
    }
    length = (uint64_t)length > arg[3] ? (int64_t)arg[3] : length;
    return vm_write(&process->vm, arg[2], text, (uint64_t)length) ? length : -EFAULT;
}

int64_t sys_getcwd(struct process *process, const uint64_t arg[6])
{
    const char *cwd = process->files.cwd[0] == '\0' ? "/" : process->files.cwd;
    uint64_t bytes = strlen(cwd) + 1;

    if (bytes > arg[1]) {
        return -ERANGE;
    }
    return vm_write(&process->vm, arg[0], cwd, bytes) ? (int64_t)bytes : -EFAULT;
}

int64_t sys_chdir(struct process *process, const uint64_t arg[6])
{
    struct place place;
    int64_t err = syscall_resolve(process, (uint64_t)FILES_CWD, arg[0], true, &place);
    int fd;

    if (err != 0) {
        return err;
    }
    if (place.kind != PLACE_FILE) {
        return -ENOTDIR;
    }
    fd = openat(place.dir_fd, place.name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    err = fd < 0 || faccessat(fd, ".", X_OK, 0) != 0 ? syscall_host_error() : 0;
    if (fd >= 0) {
        close(fd);
    }
    place_free(&place);
    if (err == 0) {
        strcpy(process->files.cwd, place.path);
    }
    return err;
}

int64_t sys_fchdir(struct process *process, const uint64_t arg[6])
{
    const struct open_file *file = files_get(&process->files, arg[0]);
    struct stat st;

    if (file == NULL) {
        return -EBADF;
    }
    if (file->path == NULL || fstat(file->fd, &st) != 0 || !S_ISDIR(st.st_mode)) {
        return -ENOTDIR;
    }
    strcpy(process->files.cwd, file->path);
    return 0;
}

int64_t sys_umask(struct process *process, const uint64_t arg[6])
{
    unsigned old = process->files.umask;

    process->files.umask = (unsigned)arg[0] & 0777;
    return old;
}
