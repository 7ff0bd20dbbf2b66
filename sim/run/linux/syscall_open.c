/* System calls that open files: by name (see syscall_path.c), and without one.
 *
 * A guest kernel keeps the bytes of named pipes itself: opening one only looks it up. */
#define _GNU_SOURCE     /* O_PATH, memfd_create */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/run/linux/syscall_path.h"

enum { GUEST_O_CLOEXEC = 02000000 };

static int64_t open_special(struct process *process, const struct place *place, uint64_t flags)
{
    struct open_file *file;
    int host = (syscall_host_flags(flags) & (O_ACCMODE | O_NONBLOCK)) | O_CLOEXEC | O_NOCTTY;
    int fd;

    if (place->kind == PLACE_DESCRIPTOR) {
        file = files_get(&process->files, (uint64_t)place->descriptor);
        return file == NULL ? -ENOENT
                            : files_add(&process->files, file, 0, (flags & GUEST_O_CLOEXEC) != 0);
    }
    if (place->kind == PLACE_EXE && (host & O_ACCMODE) != O_RDONLY) {
        return -ETXTBSY;
    }
    fd = open(place->kind == PLACE_RANDOM ? "/dev/null" : place->name, host);
    if (fd < 0) {
        return syscall_host_error();
    }
    return files_open(&process->files, place->kind == PLACE_RANDOM ? OPEN_RANDOM : OPEN_HOST, fd,
                      place->path, (flags & GUEST_O_CLOEXEC) != 0);
}

/* Notes which named pipe it is. */
static bool is_pipe_of_guest(struct process *process, const struct place *place, int host)
{
    struct stat st;

    if (!process->vm.is_guest || (host & (O_PATH | O_DIRECTORY)) != 0 ||
        (host & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL) ||
        fstatat(place->dir_fd, place->name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISFIFO(st.st_mode)) {
        return false;
    }
    process->pipe_device = st.st_dev;
    process->pipe_inode = st.st_ino;
    return true;
}

static int64_t open_pipe(struct process *process, const struct place *place, uint64_t flags)
{
    static const int needed[4] = {R_OK, W_OK, R_OK | W_OK, 0};
    int fd = -1;

    if (faccessat(place->dir_fd, place->name, needed[flags & O_ACCMODE], 0) == 0) {
        fd = openat(place->dir_fd, place->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    }
    if (fd < 0) {
        process->pipe_inode = 0;
        return syscall_host_error();
    }
    return files_open(&process->files, OPEN_GUEST, fd, place->path,
                      (flags & GUEST_O_CLOEXEC) != 0);
}

static int64_t open_place(struct process *process, const struct place *place, uint64_t flags,
                          mode_t mode)
{
    int host = syscall_host_flags(flags) | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, fd;

    if (place->kind != PLACE_FILE) {
        return open_special(process, place, flags);
    }
    if (place->must_be_directory) {
        if (host & O_CREAT) {
            return -EISDIR;
        }
        host |= O_DIRECTORY;
    }
    if (is_pipe_of_guest(process, place, host)) {
        return open_pipe(process, place, flags);
    }
    fd = openat(place->dir_fd, place->name, host, mode & 07777 & ~process->files.umask);
    if (fd < 0) {
        return syscall_host_error();
    }
    return files_open(&process->files, OPEN_HOST, fd, place->path,
                      (flags & GUEST_O_CLOEXEC) != 0);
}

int64_t sys_openat(struct process *process, const uint64_t arg[6])
{
    int host = syscall_host_flags(arg[2]);
    bool is_new = (host & O_CREAT) && (host & O_EXCL);
    struct place place;
    int64_t result = syscall_resolve(process, arg[0], arg[1], !(host & O_NOFOLLOW) && !is_new,
                                     &place);

    if (result == 0) {
        result = open_place(process, &place, arg[2], (mode_t)arg[3]);
        place_free(&place);
    }
    return result;
}

int64_t sys_memfd_create(struct process *process, const uint64_t arg[6])
{
    enum { CLOEXEC = 1, SEALING = 2 };
    char name[NAME_MAX];
    int length = vm_read_string(&process->vm, arg[0], name, sizeof name), fd;

    if (length < 0) {
        return length == -ENAMETOOLONG ? -EINVAL : length;
    }
    if ((arg[1] & ~UINT64_C(3)) != 0) {
        return -EINVAL;
    }
    fd = memfd_create(name, MFD_CLOEXEC | (arg[1] & SEALING ? MFD_ALLOW_SEALING : 0));
    return fd < 0 ? syscall_host_error()
                  : files_open(&process->files, OPEN_HOST, fd, NULL, (arg[1] & CLOEXEC) != 0);
}
