/* Shared memory of System V: segments with a key and a number. A segment is an object that has one
 * user more than it has mappings; one that was removed stays until its last mapping goes.
 * Source: shmget(2), shmop(2), shmctl(2). */
#include "process/limit.h"
#include "process/process.h"
#include "syscall/syscall.h"

enum { IPC_RMID = 0, IPC_SET = 1, IPC_STAT = 2, IPC_INFO = 3, SHM_LOCK = 11, SHM_UNLOCK = 12,
       SHM_STAT = 13, SHM_INFO = 14, SHM_STAT_ANY = 15 };
enum { IPC_CREAT = 01000, IPC_EXCL = 02000, SHM_READ_ONLY = 010000, SHM_ROUND = 020000,
       SHM_REMAP = 040000, SHM_EXEC = 0100000, MODES = 0777, SHM_REMOVED = 01000 };
enum { USER = 1000, SEGMENTS_MAX = 4096, READS = 0444, WRITES = 0222 };
#define BYTES_MAX USER_END

struct segment {
    struct list link;
    int32_t id;
    uint32_t key, mode, maker, last_user;   /* by process */
    uint64_t bytes, attached, detached, changed;    /* seconds */
    struct object *object;
    bool is_removed;
};

/* struct shmid64_ds, whose first part is struct ipc64_perm */
struct status {
    uint32_t key, user, group, maker_user, maker_group, mode;
    uint64_t sequence, unused[2];
    uint64_t bytes, attached, detached, changed;
    uint32_t maker, last_user;
    uint64_t mappings, unused_too[2];
};
_Static_assert(sizeof(struct status) == 112, "struct shmid64_ds");

static struct list segments = {&segments, &segments};
static uint32_t segment_count;
static int32_t last_id = -1;

static struct segment *segment_at(struct list *link)
{
    return container_of(link, struct segment, link);
}

static uint64_t seconds(void)
{
    uint64_t ns = 0;

    clock_read(0, &ns);
    return ns / 1000000000;
}

/* Frees what was removed and has no mapping any more. */
static void sweep(void)
{
    struct list *at = segments.next;

    while (at != &segments) {
        struct segment *segment = segment_at(at);

        at = at->next;
        if (segment->is_removed && segment->object->users == 1) {
            list_remove(&segment->link);
            segment_count--;
            object_drop(segment->object);
            memory_free(segment, sizeof *segment);
        }
    }
}

static struct segment *find(uint64_t id)
{
    struct list *at;

    sweep();
    for (at = segments.next; at != &segments; at = at->next)
        if (segment_at(at)->id == (int32_t)id)
            return segment_at(at);
    return NULL;
}

/* All processes are the owner's. wanted: rights in any of their three places. */
static bool allows(const struct segment *segment, uint64_t wanted)
{
    return ((wanted | wanted >> 3 | wanted >> 6) & ~(uint64_t)(segment->mode >> 6) & 7) == 0;
}

/* ---- making ---------------------------------------------------------------------------------- */

static int64_t make(uint32_t key, uint64_t bytes, uint64_t flags)
{
    struct segment *segment;

    if (bytes == 0 || bytes > BYTES_MAX)
        return -EINVAL;
    if (segment_count == SEGMENTS_MAX)
        return -ENOSPC;
    segment = memory_new(sizeof *segment);
    if (segment == NULL)
        return -ENOMEM;
    *segment = (struct segment){.id = ++last_id, .key = key, .mode = (uint32_t)flags & MODES,
                                .maker = current()->process->pid, .bytes = bytes,
                                .changed = seconds(), .object = object_new(0)};
    if (segment->object == NULL) {
        memory_free(segment, sizeof *segment);
        return -ENOMEM;
    }
    segment->object->users++;
    list_add(&segments, &segment->link);
    segment_count++;
    return segment->id;
}

int64_t sys_shmget(struct thread *thread, const uint64_t arg[6])
{
    uint32_t key = (uint32_t)arg[0];
    struct list *at;

    (void)thread;
    sweep();
    for (at = segments.next; key != 0 && at != &segments; at = at->next) {
        const struct segment *segment = segment_at(at);

        if (segment->key != key || segment->is_removed)
            continue;
        if ((arg[2] & (IPC_CREAT | IPC_EXCL)) == (IPC_CREAT | IPC_EXCL))
            return -EEXIST;
        if (!allows(segment, arg[2] & MODES))
            return -EACCES;
        return arg[1] > segment->bytes ? -EINVAL : segment->id;
    }
    return key != 0 && (arg[2] & IPC_CREAT) == 0 ? -ENOENT : make(key, arg[1], arg[2]);
}

/* ---- mapping --------------------------------------------------------------------------------- */

/* Where a segment goes: 0 or -errno. */
static int64_t choose_place(struct space *space, const uint64_t arg[6], uint64_t bytes,
                            uint64_t *place)
{
    uint64_t at = arg[2] & SHM_ROUND ? page_of(arg[1]) : arg[1];

    *place = at != 0 ? at : space_gap(space, bytes);
    if ((at & PAGE_MASK) != 0 || (at == 0 && (arg[1] != 0 || (arg[2] & SHM_REMAP) != 0)))
        return -EINVAL;
    if (*place == 0)
        return -ENOMEM;
    if (!space_is_range(*place, bytes))
        return -EINVAL;
    return (arg[2] & SHM_REMAP) == 0 && space_is_used(space, *place, bytes) ? -EINVAL : 0;
}

int64_t sys_shmat(struct thread *thread, const uint64_t arg[6])
{
    struct space *space = thread->process->space;
    struct segment *segment = find(arg[0]);
    bool is_read = (arg[2] & SHM_READ_ONLY) != 0;
    struct region region = {
        .prot = PROT_READ | (is_read ? 0 : PROT_WRITE) | (arg[2] & SHM_EXEC ? PROT_EXEC : 0u),
        .flags = REGION_SHARED | (is_read ? REGION_READ_ONLY : 0u),
    };
    uint64_t bytes;
    int64_t err;

    if (segment == NULL)
        return -EINVAL;
    if (!allows(segment, is_read ? READS : READS | WRITES))
        return -EACCES;
    bytes = page_up(segment->bytes);
    err = choose_place(space, arg, bytes, &region.start);
    if (err == 0 && !limit_allows(thread->process, &region, bytes))
        err = -ENOMEM;
    if (err != 0)
        return err;
    region.object = segment->object;
    region.end = region.start + bytes;
    err = space_map(space, &region);
    segment->attached = seconds();
    segment->last_user = thread->process->pid;
    return err != 0 ? err : (int64_t)region.start;
}

static struct segment *segment_of(const struct region *region)
{
    struct list *at;

    for (at = segments.next; region->object != NULL && at != &segments; at = at->next)
        if (segment_at(at)->object == region->object)
            return segment_at(at);
    return NULL;
}

/* Of a mapping that was divided since, all parts. */
int64_t sys_shmdt(struct thread *thread, const uint64_t arg[6])
{
    struct space *space = thread->process->space;
    const struct region *region = arg[0] < USER_END ? space_next(space, arg[0]) : NULL;
    struct segment *segment = region != NULL ? segment_of(region) : NULL;
    uint64_t va = arg[0], end;

    if (segment == NULL || region->start - region->offset != arg[0])
        return -EINVAL;
    segment->detached = seconds();
    segment->last_user = thread->process->pid;
    end = arg[0] + page_up(segment->bytes);
    while ((region = space_next(space, va)) != NULL && region->start < end) {
        uint64_t start = region->start, bytes = region->end - start;
        int err = 0;

        va = region->end;
        if (region->object == segment->object && start - region->offset == arg[0])
            err = space_unmap(space, start, bytes);
        if (err != 0)
            return err;
    }
    sweep();
    return 0;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static int64_t tell(const struct segment *segment, uint64_t va)
{
    const struct status status = {
        .key = segment->is_removed ? 0 : segment->key, .user = USER, .group = USER,
        .maker_user = USER, .maker_group = USER,
        .mode = segment->mode | (segment->is_removed ? (uint32_t)SHM_REMOVED : 0),
        .bytes = segment->bytes, .attached = segment->attached, .detached = segment->detached,
        .changed = segment->changed, .maker = segment->maker, .last_user = segment->last_user,
        .mappings = segment->object->users - 1,
    };

    if (!allows(segment, READS))
        return -EACCES;
    return user_write(va, &status, sizeof status) ? 0 : -EFAULT;
}

/* struct shminfo64, struct shm_info; the highest number in use */
static int64_t tell_all(uint64_t command, uint64_t va)
{
    uint64_t word[9] = {BYTES_MAX, 1, SEGMENTS_MAX, SEGMENTS_MAX, BYTES_MAX / PAGE_BYTES};
    uint64_t bytes = sizeof word;
    struct list *at;

    if (command == SHM_INFO) {
        word[0] = segment_count;
        word[1] = word[2] = word[3] = word[4] = 0;
        bytes = 6 * sizeof *word;
        for (at = segments.next; at != &segments; at = at->next)
            word[1] += page_up(segment_at(at)->bytes) / PAGE_BYTES;
    }
    if (!user_write(va, word, bytes))
        return -EFAULT;
    return list_is_empty(&segments) ? 0 : segment_at(segments.before)->id;
}

static int64_t change(struct segment *segment, uint64_t va)
{
    struct status status;

    if (!user_read(va, &status, sizeof status))
        return -EFAULT;
    segment->mode = status.mode & MODES;
    segment->changed = seconds();
    return 0;
}

int64_t sys_shmctl(struct thread *thread, const uint64_t arg[6])
{
    struct segment *segment = find(arg[0]);
    uint32_t command = (uint32_t)arg[1];
    int64_t err;

    (void)thread;
    if (command == IPC_INFO || command == SHM_INFO)
        return tell_all(command, arg[2]);
    if (segment == NULL)
        return -EINVAL;
    switch (command) {
    case IPC_STAT: return tell(segment, arg[2]);
    case SHM_STAT:
    case SHM_STAT_ANY:
        err = tell(segment, arg[2]);
        return err != 0 ? err : segment->id;
    case IPC_SET: return change(segment, arg[2]);
    case IPC_RMID:
        segment->is_removed = true;
        sweep();
        return 0;
    case SHM_LOCK:
    case SHM_UNLOCK: return 0;
    default: return -EINVAL;
    }
}
