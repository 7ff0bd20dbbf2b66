/* What the kernel says about its own files: fstat, newfstatat, statx. The host's files are the
 * host's to describe. Source: stat(2), statx(2). */
#include "file/proc.h"
#include "syscall/syscall.h"

enum { CALL_NEWFSTATAT = 79, CALL_FSTAT = 80, CALL_STATX = 291, USER = 1000, BASIC = 0x7ff };

static uint64_t mode_of(const struct file *file)
{
    switch (file->kind) {
    case FILE_DIRECTORY: return 0040555;
    case FILE_SOCKET: return 0140777;
    case FILE_TEXT: return 0100444;
    case FILE_PIPE: return 0010600;
    default: return 0000600;            /* of eventfd and its like: no kind at all */
    }
}

/* As struct stat. */
static int64_t put_stat(const struct file *file, uint64_t inode, uint64_t va)
{
    uint64_t stat[16] = {0, inode, mode_of(file) | UINT64_C(1) << 32,
                         USER | (uint64_t)USER << 32, 0, 0, 0, PAGE_BYTES};

    return user_write(va, stat, sizeof stat) ? 0 : -EFAULT;
}

/* As struct statx. */
static int64_t put_statx(const struct file *file, uint64_t inode, uint64_t va)
{
    uint64_t statx[32] = {BASIC | (uint64_t)PAGE_BYTES << 32, 0, 1 | (uint64_t)USER << 32,
                          USER | mode_of(file) << 32, inode};

    return user_write(va, statx, sizeof statx) ? 0 : -EFAULT;
}

static bool is_empty(uint64_t path_va)
{
    char first;

    return path_va == 0 || (user_read(path_va, &first, 1) && first == 0);
}

/* The kernel's own file that a descriptor alone, its name or a name in /proc means; the caller has
 * one user of it. NULL: *err says why; 0: it is the host's. */
static struct file *own_file(struct thread *thread, uint64_t fd, uint64_t path_va, uint64_t flags,
                             uint64_t *inode, int64_t *err)
{
    enum { EMPTY_PATH = 0x1000 };
    struct file *file = (flags & EMPTY_PATH) && is_empty(path_va)
                            ? files_own(thread->process->files, fd) : NULL;

    *err = 0;
    *inode = fd + 1;
    return file != NULL ? file_hold(file) : proc_file_at(thread, fd, path_va, inode, err);
}

/* Of the file that a path means; `va`: where to; `number`: of the host's call for its own files. */
static int64_t describe(struct thread *thread, uint64_t number, const uint64_t arg[6],
                        uint64_t flags, uint64_t va,
                        int64_t (*put)(const struct file *, uint64_t, uint64_t))
{
    uint64_t inode;
    int64_t err;
    struct file *file = own_file(thread, arg[0], arg[1], flags, &inode, &err);

    if (file == NULL)
        return err != 0 ? err : syscall_forward(thread, number, arg);
    err = put(file, inode, va);
    file_drop(file);
    return err;
}

int64_t sys_fstat(struct thread *thread, const uint64_t arg[6])
{
    const struct file *file = files_own(thread->process->files, arg[0]);

    return file == NULL ? syscall_forward(thread, CALL_FSTAT, arg)
                        : put_stat(file, arg[0] + 1, arg[1]);
}

/* newfstatat(directory, path, where to, flags) */
int64_t sys_newfstatat(struct thread *thread, const uint64_t arg[6])
{
    return describe(thread, CALL_NEWFSTATAT, arg, arg[3], arg[2], put_stat);
}

/* statx(directory, path, flags, what is wanted, where to) */
int64_t sys_statx(struct thread *thread, const uint64_t arg[6])
{
    return describe(thread, CALL_STATX, arg, arg[2], arg[4], put_statx);
}
