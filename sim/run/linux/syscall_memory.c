/* System calls on the address space: break, mappings, protection. */
#define _GNU_SOURCE     /* MREMAP_*, MAP_* */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "pmu/abi_kernel.h"
#include "sim/run/linux/process_internal.h"

#define PAGE_MASK ((uint64_t)PHYS_PAGE_BYTES - 1)

/* Values of the asm-generic interface. */
enum {
    GUEST_MAP_SHARED = 1, GUEST_MAP_TYPE = 0xf, GUEST_MAP_FIXED = 0x10, GUEST_MAP_ANONYMOUS = 0x20,
    GUEST_MAP_NORESERVE = 0x4000, GUEST_MAP_FIXED_NOREPLACE = 0x100000,
    GUEST_MREMAP_MAYMOVE = 1, GUEST_MREMAP_FIXED = 2,
    PROT_ALL = VM_READ | VM_WRITE | VM_EXEC,
};

static uint64_t page_up(uint64_t value)
{
    return (value + PAGE_MASK) & ~PAGE_MASK;
}

/* Moves the break; on any failure it stays, as in Linux. */
int64_t sys_brk(struct process *process, const uint64_t arg[6])
{
    uint64_t wanted = arg[0], old_end = page_up(process->brk), new_end = page_up(wanted);

    if (wanted < process->brk_start || wanted >= process->vm.map_end) {
        return (int64_t)process->brk;
    }
    if (new_end > old_end) {
        struct vm_region region = {.start = old_end, .end = new_end, .prot = VM_READ | VM_WRITE};

        if (vm_is_used(&process->vm, old_end, new_end - old_end) ||
            vm_map(&process->vm, &region) != 0) {
            return (int64_t)process->brk;
        }
    } else if (new_end < old_end && vm_unmap(&process->vm, new_end, old_end - new_end) != 0) {
        return (int64_t)process->brk;
    }
    process->brk = wanted;
    return (int64_t)wanted;
}

int syscall_attach_file(struct process *process, uint64_t fd, bool is_shared,
                        struct vm_region *region)
{
    const struct open_file *open = files_get(&process->files, fd);
    struct stat st;
    int mode;

    if (open == NULL) {
        return -EBADF;
    }
    if (open->kind == OPEN_HOST && fstat(open->fd, &st) == 0 && S_ISCHR(st.st_mode) &&
        st.st_rdev == makedev(1, 5)) {
        return 0;       /* /dev/zero: memory like any other */
    }
    mode = fcntl(open->fd, F_GETFL);
    if (open->kind == OPEN_RANDOM || mode < 0 || fstat(open->fd, &st) != 0 ||
        !S_ISREG(st.st_mode)) {
        return -ENODEV;
    }
    if ((mode & O_ACCMODE) == O_WRONLY ||
        (is_shared && (region->prot & VM_WRITE) && (mode & O_ACCMODE) != O_RDWR)) {
        return -EACCES;
    }
    region->file = malloc(sizeof *region->file);
    if (region->file == NULL) {
        return -ENOMEM;
    }
    *region->file = (struct vm_file){.fd = fcntl(open->fd, F_DUPFD_CLOEXEC, 3)};
    region->flags |= is_shared && (mode & O_ACCMODE) == O_RDWR ? VM_SHARED : 0;
    return 0;
}

/* Chooses the address of a mapping: as demanded, as hinted if free, else the highest gap. */
static int64_t choose_place(struct process *process, uint64_t hint, uint64_t bytes, uint64_t flags)
{
    bool is_fixed = (flags & (GUEST_MAP_FIXED | GUEST_MAP_FIXED_NOREPLACE)) != 0;
    uint64_t place;

    if (is_fixed && !vm_is_range(hint, bytes)) {
        return (hint & PAGE_MASK) != 0 ? -EINVAL : -ENOMEM;
    }
    if ((flags & GUEST_MAP_FIXED_NOREPLACE) && vm_is_used(&process->vm, hint, bytes)) {
        return -EEXIST;
    }
    hint &= ~PAGE_MASK;
    if (is_fixed || (hint != 0 && vm_is_range(hint, bytes) &&
                     !vm_is_used(&process->vm, hint, bytes))) {
        return (int64_t)hint;
    }
    place = vm_find_gap(&process->vm, bytes);
    return place == 0 ? -ENOMEM : (int64_t)place;
}

int64_t sys_mmap(struct process *process, const uint64_t arg[6])
{
    uint64_t bytes = page_up(arg[1]), flags = arg[3];
    bool is_shared = (flags & GUEST_MAP_TYPE) != 2 /* MAP_PRIVATE */;
    struct vm_region region = {.prot = (unsigned)arg[2] & PROT_ALL, .offset = arg[5]};
    int64_t place;
    int err = 0;

    if (arg[1] == 0 || (flags & GUEST_MAP_TYPE) == 0 || (arg[5] & PAGE_MASK) != 0) {
        return -EINVAL;
    }
    if (bytes == 0 || bytes >= VM_USER_END) {
        return -ENOMEM;
    }
    place = choose_place(process, arg[0], bytes, flags);
    if (place < 0) {
        return place;
    }
    region.start = (uint64_t)place;
    region.end = region.start + bytes;
    region.flags = flags & GUEST_MAP_NORESERVE ? VM_RESERVE : 0;
    if (!(flags & GUEST_MAP_ANONYMOUS)) {
        err = syscall_attach_file(process, arg[4], is_shared, &region);
    } else {
        region.offset = 0;
    }
    if (err == 0) {
        err = vm_map(&process->vm, &region);
    }
    if (err != 0 && region.file != NULL) {
        region.file->users++;
        vm_file_drop(region.file);
    }
    return err != 0 ? err : place;
}

int64_t sys_munmap(struct process *process, const uint64_t arg[6])
{
    uint64_t bytes = page_up(arg[1]);

    return vm_is_range(arg[0], bytes) ? vm_unmap(&process->vm, arg[0], bytes) : -EINVAL;
}

int64_t sys_mprotect(struct process *process, const uint64_t arg[6])
{
    uint64_t bytes = page_up(arg[1]);

    if ((arg[0] & PAGE_MASK) != 0) {
        return -EINVAL;
    }
    if (arg[1] == 0) {
        return 0;
    }
    return vm_is_range(arg[0], bytes)
               ? vm_protect(&process->vm, arg[0], bytes, (unsigned)arg[2] & PROT_ALL)
               : -ENOMEM;
}

/* Extends in place the region that ends at `end`. */
static int grow(struct process *process, const struct vm_region *region, uint64_t end,
                uint64_t bytes)
{
    struct vm_region more = *region;

    more.offset += end - region->start;
    more.start = end;
    more.end = end + bytes;
    return vm_map(&process->vm, &more);
}

static int64_t move(struct process *process, uint64_t from, uint64_t old_bytes, uint64_t to,
                    uint64_t new_bytes)
{
    uint64_t kept = old_bytes < new_bytes ? old_bytes : new_bytes;
    int err = 0;

    if (new_bytes > old_bytes) {
        const struct vm_region *region = vm_region_at(&process->vm, from);
        struct vm_region tail = *region;

        tail.offset += from + old_bytes - region->start;
        tail.start = to + old_bytes;
        tail.end = to + new_bytes;
        err = vm_map(&process->vm, &tail);
    }
    if (err == 0) {
        err = vm_move(&process->vm, from, to, kept);
    }
    if (err == 0 && old_bytes > kept) {
        err = vm_unmap(&process->vm, from + kept, old_bytes - kept);
    }
    return err != 0 ? err : (int64_t)to;
}

/* The old range must be within one region; MREMAP_DONTUNMAP and old size 0 are not supported. */
int64_t sys_mremap(struct process *process, const uint64_t arg[6])
{
    uint64_t from = arg[0], old_bytes = page_up(arg[1]), new_bytes = page_up(arg[2]), to = arg[4];
    const struct vm_region *region;

    if (!vm_is_range(from, old_bytes) || new_bytes == 0 || (arg[3] & ~UINT64_C(3)) != 0) {
        return -EINVAL;
    }
    region = vm_region_at(&process->vm, from);
    if (region == NULL || from + old_bytes > region->end || (region->flags & VM_LOADED)) {
        return -EFAULT;
    }
    if (arg[3] & GUEST_MREMAP_FIXED) {
        if (!(arg[3] & GUEST_MREMAP_MAYMOVE) || !vm_is_range(to, new_bytes) ||
            (to < from + old_bytes && from < to + new_bytes)) {
            return -EINVAL;
        }
        if (vm_unmap(&process->vm, to, new_bytes) != 0) {
            return -ENOMEM;
        }
        return move(process, from, old_bytes, to, new_bytes);
    }
    if (new_bytes <= old_bytes) {
        return new_bytes == old_bytes || vm_unmap(&process->vm, from + new_bytes,
                                                  old_bytes - new_bytes) == 0
                   ? (int64_t)from
                   : -ENOMEM;
    }
    if (vm_is_range(from, new_bytes) &&
        !vm_is_used(&process->vm, from + old_bytes, new_bytes - old_bytes)) {
        int err = grow(process, region, from + old_bytes, new_bytes - old_bytes);

        return err != 0 ? err : (int64_t)from;
    }
    to = arg[3] & GUEST_MREMAP_MAYMOVE ? vm_find_gap(&process->vm, new_bytes) : 0;
    return to == 0 ? -ENOMEM : move(process, from, old_bytes, to, new_bytes);
}

/* The program's own segments keep their pages, which get the file's contents again. */
static void reload(struct process *process, uint64_t from, uint64_t bytes)
{
    const struct vm_region *region;
    uint64_t pa;

    for (uint64_t va = from; va < from + bytes; va += PHYS_PAGE_BYTES) {
        region = vm_region_at(&process->vm, va);
        if (region != NULL && (region->flags & VM_LOADED) && vm_translate(&process->vm, va, &pa)) {
            process_reload(process, va, pa);
        }
    }
}

int64_t sys_madvise(struct process *process, const uint64_t arg[6])
{
    uint64_t bytes = page_up(arg[1]);
    int err;

    if ((arg[0] & PAGE_MASK) != 0 || arg[2] >= 64 || (KERNEL_ADVICE_KNOWN >> arg[2] & 1) == 0) {
        return -EINVAL;
    }
    if (arg[1] == 0 || (KERNEL_ADVICE_DISCARDS >> arg[2] & 1) == 0) {
        return 0;
    }
    err = vm_is_range(arg[0], bytes) ? vm_discard(&process->vm, arg[0], bytes) : -ENOMEM;
    if (err == 0) {
        reload(process, arg[0], bytes);
    }
    return err;
}

int64_t sys_msync(struct process *process, const uint64_t arg[6])
{
    uint64_t bytes = page_up(arg[1]);

    if (!vm_is_range(arg[0], bytes)) {
        return arg[1] == 0 ? 0 : -EINVAL;
    }
    vm_sync(&process->vm, arg[0], bytes);
    return 0;
}

int64_t sys_riscv_flush_icache(struct process *process, const uint64_t arg[6])
{
    (void)arg;
    process->effects |= PROCESS_EFFECT_CODE;
    return 0;
}
