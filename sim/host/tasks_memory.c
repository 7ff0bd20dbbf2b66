/* The memory of a process and its locks, as tasks.h has them. */
#include <string.h>

#include "sim/host/tasks.h"
#include "sim/run/linux/vm.h"

/* ---- memory ---------------------------------------------------------------------------------- */

enum { LEVELS = 3, LEVEL_BITS = 9, PTE_PPN_SHIFT = 10 };
#define PTE_PPN ((UINT64_C(1) << 44) - 1)

/* The page-table entry that translates va; 0: none. *bytes: the size that it maps, or the number of
 * bytes from va on without an entry. */
static uint64_t entry_of(const struct phys *phys, uint64_t root_pa, uint64_t va, uint64_t *bytes)
{
    uint64_t table = root_pa, entry = 0;

    for (unsigned level = LEVELS; level-- > 0;) {
        unsigned shift = PHYS_PAGE_BITS + LEVEL_BITS * level;
        uint64_t index = va >> shift & ((1 << LEVEL_BITS) - 1);

        *bytes = UINT64_C(1) << shift;
        if (!phys_copy_out(phys, table + index * sizeof entry, &entry, sizeof entry) ||
            (entry & VM_PTE_VALID) == 0)
            return 0;
        if ((entry & (VM_PTE_READ | VM_PTE_WRITE | VM_PTE_EXEC)) != 0)
            return entry;
        table = (entry >> PTE_PPN_SHIFT & PTE_PPN) << PHYS_PAGE_BITS;
    }
    return 0;
}

static unsigned prot_of(uint64_t entry)
{
    return (entry & VM_PTE_READ ? VM_READ : 0u) | (entry & VM_PTE_WRITE ? VM_WRITE : 0u) |
           (entry & VM_PTE_EXEC ? VM_EXEC : 0u);
}

static bool physical_piece(const struct machine *machine, uint64_t va, struct piece_view *piece)
{
    uint64_t end = PHYS_RAM_BASE + machine->phys.ram_bytes;

    *piece = (struct piece_view){va > PHYS_RAM_BASE ? va : PHYS_RAM_BASE, end,
                                 VM_READ | VM_WRITE | VM_EXEC};
    return va < end;
}

bool tasks_piece(const struct machine *machine, const struct process_view *process, uint64_t va,
                   struct piece_view *piece)
{
    uint64_t bytes, entry;

    if (process->root_pa == 0)
        return machine->process == NULL && physical_piece(machine, va, piece);
    *piece = (struct piece_view){0};
    for (; va < VM_USER_END; va = (va & ~(bytes - 1)) + bytes) {
        entry = entry_of(&machine->phys, process->root_pa, va, &bytes);
        if ((entry & VM_PTE_USER) == 0 || (piece->end != 0 && prot_of(entry) != piece->prot)) {
            if (piece->end != 0)
                return true;
            continue;
        }
        if (piece->end == 0)
            *piece = (struct piece_view){va, va, prot_of(entry)};
        piece->end = (va & ~(bytes - 1)) + bytes;
    }
    return piece->end != 0;
}

bool tasks_translate(const struct machine *machine, const struct process_view *process,
                     uint64_t va, uint64_t *pa)
{
    uint64_t bytes, entry;

    *pa = va;
    if (process->root_pa == 0)
        return machine->process == NULL;
    entry = va < VM_USER_END ? entry_of(&machine->phys, process->root_pa, va, &bytes) : 0;
    if (entry == 0)
        return false;
    *pa = (entry >> PTE_PPN_SHIFT & PTE_PPN) << PHYS_PAGE_BITS;
    *pa = (*pa & ~(bytes - 1)) | (va & (bytes - 1));
    return true;
}

bool tasks_read(const struct machine *machine, const struct process_view *process, uint64_t va,
                  void *bytes, size_t count)
{
    char *to = bytes;

    while (count != 0) {
        uint64_t pa, part = PHYS_PAGE_BYTES - va % PHYS_PAGE_BYTES;

        part = part < count ? part : count;
        if (!tasks_translate(machine, process, va, &pa) ||
            !phys_copy_out(&machine->phys, pa, to, part))
            return false;
        va += part;
        to += part;
        count -= part;
    }
    return true;
}

/* ---- locks ----------------------------------------------------------------------------------- */

/* glibc's pthread_mutex_t: lock, count, owner, users, kind. */
enum { MUTEX_OWNER = 2, MUTEX_USERS = 3, MUTEX_KIND = 4, MUTEX_WORDS = 5, MUTEX_KINDS = 0x200 };
enum { LOCK_TID_MASK = 0x3fffffff };

static bool is_peer(const struct tasks *threads, const struct task_view *thread, uint32_t tid)
{
    const struct task_view *other = tasks_find(threads, tid);

    return other != NULL && other->process == thread->process && other != thread;
}

struct tasks_lock tasks_lock(const struct tasks *threads, const struct machine *machine,
                                 const struct task_view *thread)
{
    const struct process_view *process = &threads->process[thread->process];
    struct tasks_lock lock = {.address = thread->futex};
    uint32_t word[MUTEX_WORDS] = {0}, holder;

    if (thread->state != KERNEL_THREAD_BLOCKED || thread->reason != KERNEL_REASON_LOCK)
        return lock;
    lock.wait = TASKS_WAITS_LOCK;
    if (!tasks_read(machine, process, lock.address, word, sizeof word[0]))
        return lock;
    holder = word[0] & LOCK_TID_MASK;
    if (is_peer(threads, thread, holder)) {
        lock.holder = holder;
        if (tasks_find(threads, holder)->clear_tid == lock.address)
            lock.wait = TASKS_WAITS_END;
        return lock;
    }
    if (tasks_read(machine, process, lock.address, word, sizeof word) && word[0] != 0 &&
        word[MUTEX_USERS] != 0 && (word[MUTEX_KIND] & ~127u) < MUTEX_KINDS &&
        is_peer(threads, thread, word[MUTEX_OWNER]))
        lock.holder = word[MUTEX_OWNER];
    return lock;
}
