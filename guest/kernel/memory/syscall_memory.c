/* System calls on the address space. */
#include "process/limit.h"
#include "process/process.h"
#include "profile/section.h"
#include "syscall/syscall.h"

enum {
    MAP_SHARED = 1, MAP_PRIVATE = 2, MAP_TYPE = 0xf, MAP_FIXED = 0x10, MAP_ANONYMOUS = 0x20,
    MAP_GROWSDOWN = 0x100, MAP_LOCKED = 0x2000, MAP_NORESERVE = 0x4000, MAP_POPULATE = 0x8000,
    MAP_FIXED_NOREPLACE = 0x100000, MREMAP_MAYMOVE = 1, MREMAP_FIXED = 2, MREMAP_DONTUNMAP = 4,
    MREMAP_FLAGS = 7,
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

/* Pages of a new region come at once, those of private memory to be written; what has none may get
 * it later. */
static void populate(struct space *space, const struct region *region)
{
    uint32_t prot = region->flags & REGION_SHARED ? region->prot & ~(uint32_t)PROT_WRITE
                                                  : region->prot;
    uint64_t va;

    for (va = region->start; prot != 0 && va < region->end; va += PAGE_BYTES)
        if (user_page(space, va, prot) == NULL)
            break;
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
    if (err == 0 && (arg[3] & (MAP_POPULATE | MAP_LOCKED)))
        populate(space, &region);
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

/* PROT_GROWSDOWN: from the lowest address of the stack on. */
int64_t sys_mprotect(struct thread *thread, const uint64_t arg[6])
{
    enum { GROWS_DOWN = 1 << 24, GROWS_UP = 1 << 25 };
    struct space *space = thread->process->space;
    uint64_t start = arg[0], end = start + page_up(arg[1]);
    const struct region *region;

    if ((start & PAGE_MASK) != 0 || (arg[2] & GROWS_UP) != 0)
        return -EINVAL;
    if (arg[1] == 0)
        return 0;
    if (!space_is_range(start, end - start))
        return -ENOMEM;
    if (arg[2] & GROWS_DOWN) {
        region = space_region(space, start);
        if (region == NULL || (region->flags & (REGION_STACK | REGION_GROWS)) == 0)
            return region == NULL ? -ENOMEM : -EINVAL;
        start = region->start;
    }
    return space_protect(space, start, end - start, (uint32_t)arg[2] & PROT_ALL);
}

/* Part of a mapping that goes elsewhere, and how long it becomes; from the same place, what has no
 * bytes there yet. is_kept: its pages go, the mapping stays. */
struct remap { uint64_t from, bytes, to, new_bytes; bool is_kept; };

/* `bytes` at `va`, like the region from its address `from` on. */
static int map_like(struct space *space, const struct region *region, uint64_t from, uint64_t va,
                    uint64_t bytes)
{
    struct region more = *region;

    more.offset += from - region->start;
    more.start = va;
    more.end = va + bytes;
    return space_map(space, &more);
}

static int64_t move(struct space *space, const struct remap *remap)
{
    const struct region old = *space_region(space, remap->from);
    uint64_t end = remap->from + remap->bytes, rest = remap->new_bytes - remap->bytes;
    int err = 0;

    if (rest > 0)
        err = map_like(space, &old, end, remap->to + remap->bytes, rest);
    if (err == 0 && remap->bytes > 0) {
        err = space_move(space, remap->from, remap->to, remap->bytes);
        if (err != 0 && rest > 0)
            space_unmap(space, remap->to + remap->bytes, rest);
    }
    if (err == 0 && remap->is_kept)
        err = map_like(space, &old, remap->from, remap->from, remap->bytes);
    return err != 0 ? err : (int64_t)remap->to;
}

/* 0: the mapping there may become so long. */
static int check_growth(struct thread *thread, const struct remap *remap)
{
    const struct region *region = space_region(thread->process->space, remap->from);

    if (region == NULL || remap->bytes > region->end - remap->from)
        return -EFAULT;
    if (remap->bytes == 0 && (region->flags & REGION_SHARED) == 0)
        return -EINVAL;
    return limit_allows(thread->process, region, remap->is_kept ? remap->bytes
                                                 : remap->new_bytes - remap->bytes)
               ? 0 : -ENOMEM;
}

/* To a place that the caller names, or, to have its pages elsewhere, to any. */
static int64_t move_to(struct thread *thread, struct remap *remap, bool is_fixed)
{
    struct space *space = thread->process->space;
    int err = 0;

    if (is_fixed && (!space_is_range(remap->to, remap->new_bytes) ||
                     (remap->to < remap->from + remap->bytes &&
                      remap->from < remap->to + remap->new_bytes)))
        return -EINVAL;
    if (is_fixed)
        err = space_unmap(space, remap->to, remap->new_bytes);
    if (err == 0 && remap->new_bytes < remap->bytes) {
        err = space_unmap(space, remap->from + remap->new_bytes, remap->bytes - remap->new_bytes);
        remap->bytes = remap->new_bytes;
    }
    err = err == 0 ? check_growth(thread, remap) : err;
    if (err == 0 && !is_fixed)
        remap->to = space_gap(space, remap->new_bytes);
    return err != 0 ? err : remap->to == 0 ? -ENOMEM : move(space, remap);
}

static int64_t grow(struct thread *thread, struct remap *remap, bool may_move)
{
    struct space *space = thread->process->space;
    uint64_t end = remap->from + remap->bytes, rest = remap->new_bytes - remap->bytes;
    int err = check_growth(thread, remap);

    if (err != 0)
        return err;
    if (remap->bytes != 0 && space_is_range(remap->from, remap->new_bytes) &&
        !space_is_used(space, end, rest)) {
        err = map_like(space, space_region(space, remap->from), end, end, rest);
        return err != 0 ? err : (int64_t)remap->from;
    }
    return may_move ? move_to(thread, remap, false) : -ENOMEM;
}

int64_t sys_mremap(struct thread *thread, const uint64_t arg[6])
{
    struct space *space = thread->process->space;
    struct remap remap = {arg[0], page_up(arg[1]), arg[4], page_up(arg[2]),
                          (arg[3] & MREMAP_DONTUNMAP) != 0};
    bool is_fixed = (arg[3] & MREMAP_FIXED) != 0, may_move = (arg[3] & MREMAP_MAYMOVE) != 0;
    int err = 0;

    if ((arg[3] & ~(uint64_t)MREMAP_FLAGS) != 0 || ((is_fixed || remap.is_kept) && !may_move) ||
        (remap.is_kept && remap.bytes != remap.new_bytes) || remap.new_bytes == 0 ||
        (remap.from & PAGE_MASK) != 0)
        return -EINVAL;
    if (space_region(space, remap.from) == NULL || remap.bytes >= USER_END)
        return -EFAULT;
    if (remap.new_bytes >= USER_END)
        return is_fixed ? -EINVAL : -ENOMEM;
    if (is_fixed || remap.is_kept)
        return move_to(thread, &remap, is_fixed);
    if (remap.new_bytes > remap.bytes)
        return grow(thread, &remap, may_move);
    if (remap.new_bytes < remap.bytes)
        err = space_unmap(space, remap.from + remap.new_bytes, remap.bytes - remap.new_bytes);
    return err != 0 ? err : (int64_t)remap.from;
}

int64_t sys_madvise(struct thread *thread, const uint64_t arg[6])
{
    struct space *space = thread->process->space;
    uint64_t bytes = page_up(arg[1]);

    if ((arg[0] & PAGE_MASK) != 0 || arg[2] >= 64 ||
        (KERNEL_ADVICE_KNOWN >> arg[2] & 1) == 0)
        return -EINVAL;
    if (arg[1] == 0)
        return 0;
    if (!space_is_range(arg[0], bytes))
        return -ENOMEM;
    if (KERNEL_ADVICE_DISCARDS >> arg[2] & 1)
        return space_discard(space, arg[0], bytes);
    return space_is_mapped(space, arg[0], bytes) ? 0 : -ENOMEM;
}

int64_t sys_msync(struct thread *thread, const uint64_t arg[6])
{
    enum { ASYNC = 1, SYNC = 4, ALL = 7 };
    struct space *space = thread->process->space;
    uint64_t bytes = page_up(arg[1]);

    if ((arg[0] & PAGE_MASK) != 0 || (arg[2] & ~(uint64_t)ALL) != 0 ||
        (arg[2] & (ASYNC | SYNC)) == (ASYNC | SYNC))
        return -EINVAL;
    if (bytes == 0)
        return arg[1] == 0 ? 0 : -ENOMEM;
    if (!space_is_range(arg[0], bytes))
        return -ENOMEM;
    space_sync(space, arg[0], bytes);
    return space_is_mapped(space, arg[0], bytes) ? 0 : -ENOMEM;
}
