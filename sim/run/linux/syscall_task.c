/* System calls about the program itself and its machine: end, limits, names, random numbers. */
#include <errno.h>
#include <string.h>

#include "isa/op.h"
#include "sim/run/linux/process_internal.h"

enum {
    LIMIT_COUNT = 16, LIMIT_STACK = 3, LIMIT_CORE = 4, LIMIT_FILES = 7,
    PR_SET_NAME = 15, PR_GET_NAME = 16, PR_SET_DUMPABLE = 4, PR_GET_DUMPABLE = 3,
};

int64_t sys_exit(struct process *process, const uint64_t arg[6])
{
    process->action = PROCESS_EXIT;
    process->exit_code = (int)(arg[0] & 0xff);
    return 0;
}

int64_t sys_exit_group(struct process *process, const uint64_t arg[6])
{
    return sys_exit(process, arg);
}

/* ---- limits ----------------------------------------------------------------------------- */

static int64_t put_limit(struct process *process, uint64_t resource, uint64_t va)
{
    uint64_t limit[2] = {UINT64_MAX, UINT64_MAX};

    if (resource >= LIMIT_COUNT) {
        return -EINVAL;
    }
    if (resource == LIMIT_STACK) {
        limit[0] = PROCESS_STACK_BYTES;
    } else if (resource == LIMIT_FILES) {
        limit[0] = process->files.limit;
        limit[1] = FILES_MAX;
    } else if (resource == LIMIT_CORE) {
        limit[0] = 0;
    }
    return va == 0 || vm_write(&process->vm, va, limit, sizeof limit) ? 0 : -EFAULT;
}

int64_t sys_getrlimit(struct process *process, const uint64_t arg[6])
{
    return put_limit(process, arg[0], arg[1]);
}

static int64_t set_limit(struct process *process, uint64_t resource, uint64_t va)
{
    uint64_t limit[2];

    if (va == 0 || resource >= LIMIT_COUNT)
        return 0;
    if (!vm_read(&process->vm, va, limit, sizeof limit))
        return -EFAULT;
    if (limit[0] > limit[1])
        return -EINVAL;
    if (resource == LIMIT_FILES && limit[1] > FILES_MAX)
        return -EPERM;
    if (resource == LIMIT_FILES)
        process->files.limit = (unsigned)limit[0];
    return 0;
}

/* Only the limit of descriptors has an effect; other new limits are accepted and ignored. */
int64_t sys_prlimit64(struct process *process, const uint64_t arg[6])
{
    int64_t err;

    if (arg[0] != 0 && arg[0] != GUEST_PID) {
        return -ESRCH;
    }
    err = put_limit(process, arg[1], arg[3]);
    return err != 0 ? err : set_limit(process, arg[1], arg[2]);
}

/* ---- scheduling ------------------------------------------------------------------------- */

int64_t sys_sched_getparam(struct process *process, const uint64_t arg[6])
{
    uint32_t priority = 0;

    return vm_write(&process->vm, arg[1], &priority, sizeof priority) ? 0 : -EFAULT;
}

/* One processor: the call returns the bytes it wrote. */
int64_t sys_sched_getaffinity(struct process *process, const uint64_t arg[6])
{
    uint64_t mask = 1;

    if (arg[1] < sizeof mask) {
        return -EINVAL;
    }
    return vm_write(&process->vm, arg[2], &mask, sizeof mask) ? (int64_t)sizeof mask : -EFAULT;
}

int64_t sys_getcpu(struct process *process, const uint64_t arg[6])
{
    uint32_t zero = 0;

    if ((arg[0] != 0 && !vm_write(&process->vm, arg[0], &zero, sizeof zero)) ||
        (arg[1] != 0 && !vm_write(&process->vm, arg[1], &zero, sizeof zero))) {
        return -EFAULT;
    }
    return 0;
}

/* Real, effective and saved ids are the same. */
static int64_t write_three(struct process *process, const uint64_t arg[6], uint32_t id)
{
    for (unsigned i = 0; i < 3; i++)
        if (!vm_write(&process->vm, arg[i], &id, sizeof id))
            return -EFAULT;
    return 0;
}

int64_t sys_getresuid(struct process *process, const uint64_t arg[6])
{
    return write_three(process, arg, GUEST_USER);
}

int64_t sys_getresgid(struct process *process, const uint64_t arg[6])
{
    return write_three(process, arg, GUEST_GROUP);
}

/* There is one user: each of `count` arguments must be its number, or -1, which leaves the number
 * unchanged where the call defines that. */
static int64_t check_ids(const uint64_t *arg, unsigned count, uint32_t id)
{
    for (unsigned i = 0; i < count; i++)
        if ((uint32_t)arg[i] != id && (count == 1 || (uint32_t)arg[i] != UINT32_MAX))
            return (uint32_t)arg[i] == UINT32_MAX ? -EINVAL : -EPERM;
    return 0;
}

int64_t sys_setuid(struct process *process, const uint64_t arg[6])
{
    (void)process;
    return check_ids(arg, 1, GUEST_USER);
}

int64_t sys_setreuid(struct process *process, const uint64_t arg[6])
{
    (void)process;
    return check_ids(arg, 2, GUEST_USER);
}

int64_t sys_setresuid(struct process *process, const uint64_t arg[6])
{
    (void)process;
    return check_ids(arg, 3, GUEST_USER);
}

int64_t sys_setgid(struct process *process, const uint64_t arg[6])
{
    (void)process;
    return check_ids(arg, 1, GUEST_GROUP);
}

int64_t sys_setregid(struct process *process, const uint64_t arg[6])
{
    (void)process;
    return check_ids(arg, 2, GUEST_GROUP);
}

int64_t sys_setresgid(struct process *process, const uint64_t arg[6])
{
    (void)process;
    return check_ids(arg, 3, GUEST_GROUP);
}

/* There are no privileges: all sets are empty. Source: capget(2). */
int64_t sys_capget(struct process *process, const uint64_t arg[6])
{
    enum { VERSION_1 = 0x19980330, VERSION_2 = 0x20071026, VERSION_3 = 0x20080522 };
    uint32_t header[2], version = VERSION_3, none[6] = {0};

    if (!vm_read(&process->vm, arg[0], header, sizeof header)) {
        return -EFAULT;
    }
    if (header[0] != VERSION_1 && header[0] != VERSION_2 && header[0] != VERSION_3) {
        return !vm_write(&process->vm, arg[0], &version, sizeof version) ? -EFAULT
               : arg[1] == 0 ? 0 : -EINVAL;
    }
    return arg[1] == 0 || vm_write(&process->vm, arg[1], none,
                                   header[0] == VERSION_1 ? sizeof none / 2 : sizeof none)
               ? 0 : -EFAULT;
}

/* ---- names and facts -------------------------------------------------------------------- */

int64_t sys_uname(struct process *process, const uint64_t arg[6])
{
    static const char names[6][65] = {"Linux", "rvsim", "6.6.0", "#1", "riscv64", "(none)"};

    return vm_write(&process->vm, arg[0], names, sizeof names) ? 0 : -EFAULT;
}

int64_t sys_sysinfo(struct process *process, const uint64_t arg[6])
{
    struct {
        uint64_t uptime, loads[3], total, free, shared, buffers, total_swap, free_swap;
        uint16_t processes, pad[3];
        uint64_t total_high, free_high;
        uint32_t unit, pad_end;
    } info = {
        .uptime = process_now_ns(process) / 1000000000,
        .total = process->vm.pages * PHYS_PAGE_BYTES,
        .free = vm_pages_left(&process->vm.table) * PHYS_PAGE_BYTES,
        .processes = 1,
        .unit = 1,
    };

    _Static_assert(sizeof info == 112, "struct sysinfo of riscv64");
    return vm_write(&process->vm, arg[0], &info, sizeof info) ? 0 : -EFAULT;
}

int64_t sys_prctl(struct process *process, const uint64_t arg[6])
{
    char name[sizeof process->name];
    int length;

    switch (arg[0]) {
    case PR_SET_NAME:
        length = vm_read_string(&process->vm, arg[1], name, sizeof name);
        if (length == -EFAULT) {
            return -EFAULT;
        }
        name[sizeof name - 1] = '\0';
        memset(process->name, 0, sizeof process->name);
        memcpy(process->name, name, strlen(name));
        return 0;
    case PR_GET_NAME:
        return vm_write(&process->vm, arg[1], process->name, sizeof process->name) ? 0 : -EFAULT;
    case PR_GET_DUMPABLE: return 1;
    case PR_SET_DUMPABLE: return 0;
    default: return -EINVAL;
    }
}

int64_t sys_getrandom(struct process *process, const uint64_t arg[6])
{
    uint64_t bytes = arg[1] < TRANSFER_BYTES ? arg[1] : TRANSFER_BYTES;

    process_random(process, process->buffer, bytes);
    return vm_write(&process->vm, arg[0], process->buffer, bytes) ? (int64_t)bytes : -EFAULT;
}

/* ---- riscv_hwprobe ---------------------------------------------------------------------- */

/* An extension exists if the decoder knows a characteristic instruction of it. */
static const struct { uint32_t bits; uint64_t bit; } probes[] = {
    {0x02b57553, 1 << 0},       /* fadd.d fa0,fa0,fa1: F and D */
    {0x00000001, 1 << 1},       /* c.nop */
    {0x20b52533, 1 << 3},       /* sh1add a0,a0,a1: Zba */
    {0x40b57533, 1 << 4},       /* andn a0,a0,a1: Zbb */
    {0x28b51533, 1 << 5},       /* bset a0,a0,a1: Zbs */
};

static uint64_t probe_extensions(void)
{
    uint64_t found = 0;
    size_t i;

    for (i = 0; i < sizeof probes / sizeof probes[0]; i++) {
        struct insn insn;

        insn_decode(&insn, probes[i].bits);
        found |= insn.op != OP_illegal ? probes[i].bit : 0;
    }
    return found;
}

/* Pairs {key, value}; an unknown key becomes -1. */
int64_t sys_riscv_hwprobe(struct process *process, const uint64_t arg[6])
{
    enum { KEY_VENDOR, KEY_ARCH, KEY_IMPLEMENTATION, KEY_BASE, KEY_EXTENSIONS, KEY_MISALIGNED };
    uint64_t i, at = arg[0];

    if (arg[4] != 0) {
        return -EINVAL;
    }
    for (i = 0; i < arg[1]; i++, at += 16) {
        uint64_t pair[2];

        if (!vm_read(&process->vm, at, pair, sizeof pair)) {
            return -EFAULT;
        }
        switch (pair[0]) {
        case KEY_VENDOR:
        case KEY_ARCH:
        case KEY_IMPLEMENTATION: pair[1] = 0; break;
        case KEY_BASE: pair[1] = 1; break;              /* IMA */
        case KEY_EXTENSIONS: pair[1] = probe_extensions(); break;
        case KEY_MISALIGNED: pair[1] = 3; break;        /* fast */
        default: pair[0] = UINT64_MAX; pair[1] = 0; break;
        }
        if (!vm_write(&process->vm, at, pair, sizeof pair)) {
            return -EFAULT;
        }
    }
    return 0;
}
