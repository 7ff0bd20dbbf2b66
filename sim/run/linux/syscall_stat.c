/* System calls that describe files, in the layouts of the asm-generic interface.
 *
 * Files of the user who runs the simulator belong to the guest's user. Sockets look alike, and so
 * do inherited streams (terminal, pipe or file), because the C library sizes its buffers by the
 * kind of file. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sim/run/linux/process_internal.h"
#include "sim/run/linux/syscall_path.h"

enum {
    GUEST_AT_SYMLINK_NOFOLLOW = 0x100, GUEST_AT_EMPTY_PATH = 0x1000,
    GUEST_STATX_BASIC = 0x7ff, STREAM_BLOCK_BYTES = 4096,
};

struct guest_time { int64_t seconds; uint64_t nanoseconds; };

struct guest_stat {
    uint64_t dev, ino;
    uint32_t mode, nlink, uid, gid;
    uint64_t rdev, pad1;
    int64_t size;
    int32_t blksize, pad2;
    int64_t blocks;
    struct guest_time atime, mtime, ctime;
    uint32_t unused[2];
};
_Static_assert(sizeof(struct guest_stat) == 128, "struct stat of riscv64");

struct guest_statx_time { int64_t seconds; uint32_t nanoseconds; int32_t pad; };

struct guest_statx {
    uint32_t mask, blksize;
    uint64_t attributes;
    uint32_t nlink, uid, gid;
    uint16_t mode, pad1;
    uint64_t ino, size, blocks, attributes_mask;
    struct guest_statx_time atime, btime, ctime, mtime;
    uint32_t rdev_major, rdev_minor, dev_major, dev_minor;
    uint64_t spare[14];
};
_Static_assert(sizeof(struct guest_statx) == 256, "struct statx");

struct guest_statfs {
    uint64_t type, bsize, blocks, bfree, bavail, files, ffree;
    int32_t fsid[2];
    uint64_t namelen, frsize, flags, spare[4];
};
_Static_assert(sizeof(struct guest_statfs) == 120, "struct statfs64");

static uint32_t guest_user(uid_t uid)
{
    return uid == geteuid() ? GUEST_USER : uid;
}

static uint32_t guest_group(gid_t gid)
{
    return gid == getegid() ? GUEST_GROUP : gid;
}

int syscall_stat_file(const struct open_file *file, struct stat *st)
{
    if (!syscall_is_pipe(file) && file->kind != OPEN_SOCKET) {
        return fstat(file->fd, st) != 0 ? -errno : 0;
    }
    memset(st, 0, sizeof *st);
    st->st_mode = file->kind == OPEN_SOCKET ? S_IFSOCK | 0777 : S_IFIFO | 0600;
    st->st_nlink = 1;
    st->st_uid = geteuid();
    st->st_gid = getegid();
    st->st_blksize = STREAM_BLOCK_BYTES;
    return 0;
}

static struct guest_time guest_time(struct timespec time)
{
    return (struct guest_time){time.tv_sec, (uint64_t)time.tv_nsec};
}

static struct guest_statx_time guest_statx_time(struct timespec time)
{
    return (struct guest_statx_time){.seconds = time.tv_sec, .nanoseconds = (uint32_t)time.tv_nsec};
}

static int64_t put_stat(struct process *process, uint64_t va, const struct stat *st)
{
    struct guest_stat out = {
        .dev = st->st_dev, .ino = st->st_ino, .mode = st->st_mode, .nlink = (uint32_t)st->st_nlink,
        .uid = guest_user(st->st_uid), .gid = guest_group(st->st_gid), .rdev = st->st_rdev,
        .size = st->st_size, .blksize = (int32_t)st->st_blksize, .blocks = st->st_blocks,
        .atime = guest_time(st->st_atim), .mtime = guest_time(st->st_mtim),
        .ctime = guest_time(st->st_ctim),
    };

    return vm_write(&process->vm, va, &out, sizeof out) ? 0 : -EFAULT;
}

static int64_t put_statx(struct process *process, uint64_t va, const struct stat *st)
{
    struct guest_statx out = {
        .mask = GUEST_STATX_BASIC, .blksize = (uint32_t)st->st_blksize,
        .nlink = (uint32_t)st->st_nlink, .uid = guest_user(st->st_uid),
        .gid = guest_group(st->st_gid), .mode = (uint16_t)st->st_mode, .ino = st->st_ino,
        .size = (uint64_t)st->st_size, .blocks = (uint64_t)st->st_blocks,
        .atime = guest_statx_time(st->st_atim), .ctime = guest_statx_time(st->st_ctim),
        .mtime = guest_statx_time(st->st_mtim),
        .rdev_major = major(st->st_rdev), .rdev_minor = minor(st->st_rdev),
        .dev_major = major(st->st_dev), .dev_minor = minor(st->st_dev),
    };

    return vm_write(&process->vm, va, &out, sizeof out) ? 0 : -EFAULT;
}

/* ---- the calls -------------------------------------------------------------------------- */

static int64_t stat_descriptor(const struct process *process, uint64_t fd, struct stat *st)
{
    const struct open_file *file = files_get(&process->files, fd);

    return file == NULL ? -EBADF : syscall_stat_file(file, st);
}

static int64_t stat_place(const struct process *process, const struct place *place, struct stat *st)
{
    if (place->kind == PLACE_DESCRIPTOR) {
        return stat_descriptor(process, (uint64_t)place->descriptor, st);
    }
    if (fstatat(place->dir_fd, place->name, st, AT_SYMLINK_NOFOLLOW) != 0) {
        return -errno;
    }
    return place->must_be_directory && !S_ISDIR(st->st_mode) ? -ENOTDIR : 0;
}

/* fstatat of the guest: a path, or with AT_EMPTY_PATH the descriptor itself. */
static int64_t stat_at(struct process *process, uint64_t dir_fd, uint64_t path_va, uint64_t flags,
                       struct stat *st)
{
    struct place place;
    char path[PATH_MAX];
    int64_t err = syscall_read_path(process, path_va, path);

    if (path_va == 0 && (flags & GUEST_AT_EMPTY_PATH)) {
        path[0] = '\0';
        err = 0;
    }
    if (err != 0) {
        return err;
    }
    if (path[0] == '\0' && (flags & GUEST_AT_EMPTY_PATH)) {
        if ((int)dir_fd != FILES_CWD) {
            return stat_descriptor(process, (uint32_t)dir_fd, st);
        }
        strcpy(path, ".");
    }
    err = files_resolve(&process->files, (int)dir_fd, path, !(flags & GUEST_AT_SYMLINK_NOFOLLOW),
                        &place);
    if (err == 0) {
        err = stat_place(process, &place, st);
        place_free(&place);
    }
    return err;
}

int64_t sys_newfstatat(struct process *process, const uint64_t arg[6])
{
    struct stat st;
    int64_t err = stat_at(process, arg[0], arg[1], arg[3], &st);

    return err != 0 ? err : put_stat(process, arg[2], &st);
}

int64_t sys_fstat(struct process *process, const uint64_t arg[6])
{
    struct stat st;
    int64_t err = stat_descriptor(process, arg[0], &st);

    return err != 0 ? err : put_stat(process, arg[1], &st);
}

int64_t sys_statx(struct process *process, const uint64_t arg[6])
{
    struct stat st;
    int64_t err = stat_at(process, arg[0], arg[1], arg[2], &st);

    return err != 0 ? err : put_statx(process, arg[4], &st);
}

/* ---- file systems ----------------------------------------------------------------------- */

static int64_t put_statfs(struct process *process, uint64_t va, const struct statfs *fs)
{
    struct guest_statfs out = {
        .type = (uint64_t)fs->f_type, .bsize = (uint64_t)fs->f_bsize, .blocks = fs->f_blocks,
        .bfree = fs->f_bfree, .bavail = fs->f_bavail, .files = fs->f_files, .ffree = fs->f_ffree,
        .namelen = (uint64_t)fs->f_namelen, .frsize = (uint64_t)fs->f_frsize,
    };

    return vm_write(&process->vm, va, &out, sizeof out) ? 0 : -EFAULT;
}

int64_t sys_statfs(struct process *process, const uint64_t arg[6])
{
    struct place place;
    struct statfs fs;
    int64_t err = syscall_resolve(process, (uint64_t)FILES_CWD, arg[0], true, &place);
    int fd;

    if (err != 0) {
        return err;
    }
    fd = openat(place.dir_fd, place.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    err = fd < 0 || fstatfs(fd, &fs) != 0 ? syscall_host_error() : 0;
    if (fd >= 0) {
        close(fd);
    }
    place_free(&place);
    return err != 0 ? err : put_statfs(process, arg[1], &fs);
}

int64_t sys_fstatfs(struct process *process, const uint64_t arg[6])
{
    const struct open_file *file = files_get(&process->files, arg[0]);
    struct statfs fs;

    if (file == NULL) {
        return -EBADF;
    }
    return fstatfs(file->fd, &fs) != 0 ? syscall_host_error()
                                       : put_statfs(process, arg[1], &fs);
}
