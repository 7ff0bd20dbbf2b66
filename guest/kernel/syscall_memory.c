/* System calls on the address space. */
#include "limit.h"
#include "process.h"
#include "section.h"
#include "syscall.h"

enum {
    MAP_SHARED = 1, MAP_PRIVATE = 2, MAP_TYPE = 0xf, MAP_FIXED = 0x10, MAP_ANONYMOUS = 0x20,
    MAP_GROWSDOWN = 0x100, MAP_NORESERVE = 0x4000, MAP_FIXED_NOREPLACE = 0x100000,
    MREMAP_MAYMOVE = 1, MREMAP_FIXED = 2, MADV_DONTNEED = 4, MADV_FREE = 8,
};

/* Moves the break; on any failure it stays, as in Linux. */
int64_t sys_brk(struct thread *thread, const uint64_t arg[6])
{
    struct space *space = thread->process->space;
    uint64_t wanted = arg[0], from = page_up(space->brk), to = page_up(wanted);
    struct region region = {.start = from, .end = to, .prot = PROT_READ | PROT_WRITE};

    if (wanted < space->brk_start || wanted >= MAP_END)
        return (int64_t)space->brk;
    if (to > from && (!limit_allows(thread->process, &region, to - from) ||
                      space_is_used(space, from, to - from) || space_map(space, &region) != 0))
        return (int64_t)space->brk;
    if (to < from)
        space_unmap(space, to, from - to);
    space->brk = wanted;
    return (int64_t)wanted;
}

static int64_t choose_place(struct space *space, uint64_t hint, uint64_t bytes, uint64_t flags)
{
    bool is_fixed = (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) != 0;
    uint64_t place;

    if (is_fixed && !space_is_range(hint, bytes))
        return (hint & PAGE_MASK) != 0 ? -EINVAL : -ENOMEM;
    if ((flags & MAP_FIXED_NOREPLACE) && space_is_used(space, hint, bytes))
        return -EEXIST;
    hint = page_of(hint);
    if (is_fixed || (hint != 0 && space_is_range(hint, bytes) && hint + bytes <= MAP_END &&
                     !space_is_used(space, hint, bytes)))
        return (int64_t)hint;
    place = space_gap(space, bytes);
    return place == 0 ? -ENOMEM : (int64_t)place;
}

/* The object of a file, or of shared memory without one, for `place`; NULL and 0: plain zeros. */
static int64_t make_object(struct thread *thread, const uint64_t arg[6], uint64_t place,
                           struct object **object)
{
    bool is_shared = (arg[3] & MAP_TYPE) != MAP_PRIVATE;
    struct kernel_call call = {.op = KERNEL_OP_MAP_FILE,
                               .argument = {arg[4], arg[2], is_shared, place, arg[5]}};
    int64_t handle = 0;

    *object = NULL;
    if (!(arg[3] & MAP_ANONYMOUS))
        handle = syscall_host(thread, &call);
    if (handle < 0)
        return handle;
    if (handle > 0 || is_shared) {
        *object = handle > 0 && is_shared ? object_of_file(handle) : object_new(handle);
        if (*object == NULL)
            return -ENOMEM;
    }
    return 0;
}

/* Flags of the region of a call. */
static uint32_t flags_of(struct thread *thread, const uint64_t arg[6], bool has_object)
{
    enum { CALL_FCNTL = 25, F_GETFL = 3 };
    const uint64_t asked[6] = {arg[4], F_GETFL};
    uint32_t flags = arg[3] & MAP_NORESERVE ? REGION_RESERVE : 0;

    if (!has_object)
        return flags | (arg[3] & MAP_GROWSDOWN ? REGION_GROWS : 0u);
    if ((arg[3] & MAP_TYPE) == MAP_PRIVATE)
        return flags;
    flags |= REGION_SHARED;
    if (!(arg[3] & MAP_ANONYMOUS) &&
        (syscall_forward(thread, CALL_FCNTL, asked) & O_ACCMODE) == 0)
        flags |= REGION_READ_ONLY;
    return flags;
}

int64_t sys_mmap(struct thread *thread, const uint64_t arg[6])
{
    struct space *space = thread->process->space;
    uint64_t bytes = page_up(arg[1]), type = arg[3] & MAP_TYPE;
    struct region region = {.prot = (uint32_t)arg[2] & PROT_ALL, .offset = arg[5]};
    int64_t place, err;

    if (arg[1] == 0 || type == 0 || type > 3 || (arg[5] & PAGE_MASK) != 0)
        return -EINVAL;
    region.flags = type != MAP_PRIVATE ? REGION_SHARED : 0;
    if (bytes == 0 || bytes >= USER_END || !limit_allows(thread->process, &region, bytes))
        return -ENOMEM;
    place = choose_place(space, arg[0], bytes, arg[3]);
    if (place < 0)
        return place;
    err = make_object(thread, arg, (uint64_t)place, &region.object);
    if (err != 0)
        return err;
    region.start = (uint64_t)place;
    region.end = region.start + bytes;
    region.flags = flags_of(thread, arg, region.object != NULL);
    if (arg[3] & MAP_ANONYMOUS)
        region.offset = 0;
    err = space_map(space, &region);
    if (err != 0 && region.object != NULL) {
        region.object->users++;
        object_drop(region.object);
    }
    if (err == 0 && region.object != NULL && (region.prot & PROT_EXEC))
        probes_follow(space);
    return err != 0 ? err : place;
}

int64_t sys_munmap(struct thread *thread, const uint64_t arg[6])
{
    uint64_t bytes = page_up(arg[1]);

    return space_is_range(arg[0], bytes) ? space_unmap(thread->process->space, arg[0], bytes)
                                         : -EINVAL;
}

int64_t sys_mprotect(struct thread *thread, const uint64_t arg[6])
{
    uint64_t bytes = page_up(arg[1]);

    if ((arg[0] & PAGE_MASK) != 0)
        return -EINVAL;
    if (arg[1] == 0)
        return 0;
    return space_is_range(arg[0], bytes)
               ? space_protect(thread->process->space, arg[0], bytes, (uint32_t)arg[2] & PROT_ALL)
               : -ENOMEM;
}

static int64_t move(struct space *space, uint64_t from, uint64_t old_bytes, uint64_t to,
                    uint64_t new_bytes)
{
    uint64_t kept = old_bytes < new_bytes ? old_bytes : new_bytes;
    struct region tail = *space_region(space, from);
    int err = 0;

    if (new_bytes > old_bytes) {
        tail.offset += from + old_bytes - tail.start;
        tail.start = to + old_bytes;
        tail.end = to + new_bytes;
        err = space_map(space, &tail);
    }
    if (err == 0)
        err = space_move(space, from, to, kept);
    if (err == 0 && old_bytes > kept)
        err = space_unmap(space, from + kept, old_bytes - kept);
    return err != 0 ? err : (int64_t)to;
}

static int64_t grow(struct space *space, const struct region *region, uint64_t end,
                    uint64_t bytes, int64_t result)
{
    struct region more = *region;
    int err;

    more.offset += end - region->start;
    more.start = end;
    more.end = end + bytes;
    err = space_map(space, &more);
    return err != 0 ? err : result;
}

int64_t sys_mremap(struct thread *thread, const uint64_t arg[6])
{
    struct space *space = thread->process->space;
    uint64_t from = arg[0], old_bytes = page_up(arg[1]), new_bytes = page_up(arg[2]), to = arg[4];
    const struct region *region;

    if (!space_is_range(from, old_bytes) || new_bytes == 0 || (arg[3] & ~UINT64_C(3)) != 0)
        return -EINVAL;
    region = space_region(space, from);
    if (region == NULL || from + old_bytes > region->end)
        return -EFAULT;
    if (arg[3] & MREMAP_FIXED) {
        if (!(arg[3] & MREMAP_MAYMOVE) || !space_is_range(to, new_bytes) ||
            (to < from + old_bytes && from < to + new_bytes))
            return -EINVAL;
        if (space_unmap(space, to, new_bytes) != 0)
            return -ENOMEM;
        return move(space, from, old_bytes, to, new_bytes);
    }
    if (new_bytes == old_bytes)
        return (int64_t)from;
    if (new_bytes < old_bytes)
        return space_unmap(space, from + new_bytes, old_bytes - new_bytes) == 0 ? (int64_t)from
                                                                                 : -ENOMEM;
    if (!limit_allows(thread->process, region, new_bytes - old_bytes))
        return -ENOMEM;
    if (space_is_range(from, new_bytes) &&
        !space_is_used(space, from + old_bytes, new_bytes - old_bytes))
        return grow(space, region, from + old_bytes, new_bytes - old_bytes, (int64_t)from);
    to = arg[3] & MREMAP_MAYMOVE ? space_gap(space, new_bytes) : 0;
    return to == 0 ? -ENOMEM : move(space, from, old_bytes, to, new_bytes);
}

int64_t sys_madvise(struct thread *thread, const uint64_t arg[6])
{
    uint64_t bytes = page_up(arg[1]);

    if ((arg[0] & PAGE_MASK) != 0)
        return -EINVAL;
    if (arg[1] == 0 || (arg[2] != MADV_DONTNEED && arg[2] != MADV_FREE))
        return 0;
    return space_is_range(arg[0], bytes) ? space_discard(thread->process->space, arg[0], bytes)
                                         : -ENOMEM;
}

int64_t sys_msync(struct thread *thread, const uint64_t arg[6])
{
    uint64_t bytes = page_up(arg[1]);

    if (!space_is_range(arg[0], bytes))
        return arg[1] == 0 ? 0 : -EINVAL;
    space_sync(thread->process->space, arg[0], bytes);
    return 0;
}
