/* The oracle profile; see oracle.h. */
#include "pmu/exact/oracle.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "pmu/exact/calls.h"
#include "pmu/key.h"

#define PAGE_MASK (~((UINT64_C(1) << ORACLE_PAGE_BITS) - 1))

/* ---- pages ----------------------------------------------------------------------------------- */

/* By mmap, not calloc: calloc would reuse the memory of an earlier oracle, clear all of it, and so
 * make it resident. */
static void *map_zeros(size_t bytes)
{
    void *mapping = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return mapping == MAP_FAILED ? NULL : mapping;
}

static void unmap(void *mapping, size_t bytes)
{
    if (mapping != NULL)
        munmap(mapping, bytes);
}

struct oracle *oracle_new(uint64_t base, uint64_t bytes)
{
    struct oracle *oracle = calloc(1, sizeof *oracle);

    if (oracle == NULL)
        return NULL;
    oracle->base = base;
    oracle->pages = bytes >> ORACLE_PAGE_BITS;
    oracle->page = map_zeros(oracle->pages * sizeof oracle->page[0]);
    oracle->outside = map_zeros(sizeof *oracle->outside);
    if (oracle->page == NULL || oracle->outside == NULL) {
        oracle_free(oracle);
        return NULL;
    }
    oracle->outside->va = UINT64_MAX;       /* with pa 0: an address that no instruction has */
    oracle->last = oracle->outside;
    return oracle;
}

void oracle_free(struct oracle *oracle)
{
    if (oracle == NULL)
        return;
    if (oracle->scheduler != NULL)
        pmu_unlisten(oracle->scheduler, &oracle->listener);
    while (oracle->all != NULL) {
        struct oracle_page *page = oracle->all;

        oracle->all = page->next;
        unmap(page, sizeof *page);
    }
    unmap(oracle->outside, sizeof *oracle->outside);
    unmap(oracle->page, oracle->pages * sizeof oracle->page[0]);
    free(oracle);
}

/* The thread to which new pages belong. */
static uint32_t thread_of_new(const struct oracle *oracle)
{
    return oracle->made < ORACLE_PAGES ? oracle->thread : ORACLE_OTHERS;
}

/* Code in machine mode belongs to no program: its addresses are physical. */
static uint64_t key_at(const struct oracle *oracle, uint64_t va, uint64_t pa)
{
    const struct pmu_thread *thread = oracle->scheduler;

    return (thread != NULL && va != pa ? pmu_thread_key(thread, va) : va) & PAGE_MASK;
}

static struct oracle_page *new_page(struct oracle *oracle, uint64_t va, uint64_t pa,
                                    bool is_monitor)
{
    struct oracle_page **first = &oracle->page[(pa - oracle->base) >> ORACLE_PAGE_BITS];
    struct oracle_page *page = map_zeros(sizeof *page);

    if (page == NULL)
        return oracle->outside;
    page->pa = pa & PAGE_MASK;
    page->va = va & PAGE_MASK;
    page->key = key_at(oracle, va, pa);
    page->thread = thread_of_new(oracle);
    oracle->made++;
    page->is_monitor = is_monitor;
    page->same_pa = *first;
    page->next = oracle->all;
    *first = oracle->all = page;
    return page;
}

/* The last page found may belong to another thread, so the next look-up must not end with it. */
static void change_thread(void *arg, uint64_t before, uint64_t thread)
{
    struct oracle *oracle = arg;

    (void)before;
    oracle->thread = (uint32_t)thread;
    oracle->last = oracle->outside;
}

static void change_program(void *arg, uint64_t program)
{
    struct oracle *oracle = arg;

    (void)program;
    oracle->last = oracle->outside;
}

void oracle_follow(struct oracle *oracle, struct pmu_thread *thread)
{
    oracle->scheduler = thread;
    oracle->listener = (struct pmu_listener){.changed = change_thread, .arg = oracle,
                                             .program = change_program};
    pmu_listen(thread, &oracle->listener);
    change_thread(oracle, thread->id, thread->id);
}

/* Among the pages of the same memory, the thread's page of that key; NULL: there is none. It moves
 * to the front, as the next look-up is likely to be for it. */
static struct oracle_page *find_page(struct oracle_page **first, uint64_t key, uint32_t thread)
{
    for (struct oracle_page **link = first, *page; (page = *link) != NULL; link = &page->same_pa)
        if (page->key == key && page->thread == thread) {
            *link = page->same_pa;
            page->same_pa = *first;
            *first = page;
            return page;
        }
    return NULL;
}

struct oracle_place oracle_look_up(struct oracle *oracle, uint64_t va, uint64_t pa,
                                   bool is_monitor)
{
    uint64_t number = (pa - oracle->base) >> ORACLE_PAGE_BITS, key = key_at(oracle, va, pa);
    struct oracle_page *page;

    if (pa < oracle->base || number >= oracle->pages)
        return (struct oracle_place){oracle->outside, 0};
    page = find_page(&oracle->page[number], key, oracle->thread);
    if (page == NULL && oracle->made >= ORACLE_PAGES)
        page = find_page(&oracle->page[number], key, ORACLE_OTHERS);
    if (page == NULL)
        page = new_page(oracle, va, pa, is_monitor);
    if (page == oracle->outside)
        return (struct oracle_place){page, 0};
    oracle->last = page;
    page->looked_at = ++oracle->looks;
    return (struct oracle_place){page, (uint32_t)(pa & ~PAGE_MASK) >> 1};
}

/* ---- cycles without commit ------------------------------------------------------------------- */

static uint64_t add(struct oracle_causes *to, const struct oracle_causes *from)
{
    uint64_t cycles = 0;

    for (unsigned cause = 0; cause < EVENT_CAUSES; cause++) {
        to->cycles[cause] += from->cycles[cause];
        cycles += from->cycles[cause];
    }
    return cycles;
}

/* Charges an instruction; returns the units. */
static uint64_t charge(const struct oracle *oracle, struct oracle_place place, uint64_t at,
                       const struct oracle_causes *causes)
{
    uint64_t units = add(&place.page->cause[place.slot], causes) * ORACLE_UNITS;

    place.page->insn[place.slot].units += units;
    if (oracle->calls != NULL && units != 0 && calls_event(oracle->calls) == EVENT_NONE)
        oracle_charge_calls(oracle->calls, place, at, units);
    return units;
}

static void charge_culprit(struct oracle *oracle, const struct oracle_causes *causes)
{
    struct oracle_place culprit = oracle->culprit;
    uint64_t units = charge(oracle, culprit, oracle->culprit_at, causes);

    if (oracle->is_mispredicted)
        culprit.page->branch[culprit.slot].lost += units;
}

void oracle_charge_calls(struct calls *calls, struct oracle_place place, uint64_t at,
                         uint64_t units)
{
    if (place.page->is_monitor)
        calls_charge_monitor(calls, units);
    else
        calls_charge(calls, at, place.page->key + 2 * place.slot, units);
}

void oracle_wait(struct oracle *oracle, struct oracle_place head, const struct oracle_causes *empty,
                 const struct oracle_causes *stalled)
{
    oracle_drain(oracle, empty);
    add(&oracle->pending, stalled);
    charge(oracle, head, oracle->head_at, &oracle->pending);
    oracle->pending = (struct oracle_causes){.cycles = {0}};
}

void oracle_drain(struct oracle *oracle, const struct oracle_causes *empty)
{
    if (oracle->culprit.page != NULL)
        charge_culprit(oracle, empty);
    else
        add(&oracle->pending, empty);
}

/* ---- sums ------------------------------------------------------------------------------------ */

uint64_t oracle_outside(const struct oracle *oracle)
{
    struct oracle_causes none = {.cycles = {0}};

    return oracle->outside->insn[0].units + add(&none, &oracle->pending) * ORACLE_UNITS;
}


uint64_t oracle_total(const struct oracle *oracle)
{
    uint64_t units = oracle_outside(oracle);

    for (const struct oracle_page *page = oracle->all; page != NULL; page = page->next)
        for (unsigned slot = 0; slot < ORACLE_SLOTS; slot++)
            units += page->insn[slot].units;
    return units;
}

struct oracle_causes oracle_causes(const struct oracle *oracle)
{
    struct oracle_causes causes = oracle->pending;

    add(&causes, &oracle->outside->cause[0]);
    for (const struct oracle_page *page = oracle->all; page != NULL; page = page->next)
        for (unsigned slot = 0; slot < ORACLE_SLOTS; slot++)
            if (page->insn[slot].units != 0)
                add(&causes, &page->cause[slot]);
    return causes;
}
