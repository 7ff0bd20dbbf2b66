/* System calls of newlib programs that RISC-V Linux does not have: older forms of newer calls. */
#include <errno.h>

#include "sim/run/linux/process_internal.h"

enum { NOFOLLOW = 0x100, NEWLIB_O_CREAT = 0x200, NEWLIB_O_TRUNC = 0x400, NEWLIB_O_EXCL = 0x800,
       NEWLIB_O_APPEND = 8 };
#define CWD ((uint64_t)FILES_CWD)

/* newlib numbers its flags in the BSD way; only the access mode is as in Linux. */
static uint64_t linux_flags(uint64_t newlib)
{
    return (newlib & 3) | (newlib & NEWLIB_O_CREAT ? 0100u : 0u) |
           (newlib & NEWLIB_O_EXCL ? 0200u : 0u) | (newlib & NEWLIB_O_TRUNC ? 01000u : 0u) |
           (newlib & NEWLIB_O_APPEND ? 02000u : 0u);
}

int64_t sys_open(struct process *process, const uint64_t arg[6])
{
    uint64_t at[6] = {CWD, arg[0], linux_flags(arg[1]), arg[2]};

    return sys_openat(process, at);
}

int64_t sys_link(struct process *process, const uint64_t arg[6])
{
    uint64_t at[6] = {CWD, arg[0], CWD, arg[1]};

    return sys_linkat(process, at);
}

int64_t sys_unlink(struct process *process, const uint64_t arg[6])
{
    uint64_t at[6] = {CWD, arg[0]};

    return sys_unlinkat(process, at);
}

int64_t sys_mkdir(struct process *process, const uint64_t arg[6])
{
    uint64_t at[6] = {CWD, arg[0], arg[1]};

    return sys_mkdirat(process, at);
}

int64_t sys_access(struct process *process, const uint64_t arg[6])
{
    uint64_t at[6] = {CWD, arg[0], arg[1]};

    return sys_faccessat(process, at);
}

int64_t sys_stat(struct process *process, const uint64_t arg[6])
{
    uint64_t at[6] = {CWD, arg[0], arg[1]};

    return sys_newfstatat(process, at);
}

int64_t sys_lstat(struct process *process, const uint64_t arg[6])
{
    uint64_t at[6] = {CWD, arg[0], arg[1], NOFOLLOW};

    return sys_newfstatat(process, at);
}

int64_t sys_time(struct process *process, const uint64_t arg[6])
{
    uint64_t seconds = process->epoch_seconds + process_now_ns(process) / 1000000000;

    if (arg[0] != 0 && !vm_write(&process->vm, arg[0], &seconds, sizeof seconds)) {
        return -EFAULT;
    }
    return (int64_t)seconds;
}
