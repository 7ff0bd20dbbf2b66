/* The oracle profile: how many cycles each instruction took, exactly.
 *
 * Every cycle is charged at commit, as in time-proportional profiling: when n instructions commit,
 * 1/n to each; when none does, all of it to the oldest in the reorder buffer; when that is empty,
 * to the instruction whose flush emptied it, or else to the next one to enter. Charges are in
 * units of 1/840 cycle, so that no share is rounded, and they sum up to all cycles.
 *
 * A cycle without commit has one cause, the cpi_* event that it counts as; each instruction keeps
 * the cycles charged to it by cause. The rest of its time is its shares of cycles with
 * commit.
 *
 * Instructions are told apart by thread (CSR_PROF_THREAD, whose write is the first instruction of
 * the new thread), by physical and virtual page and offset. With ORACLE_PAGES pages made, further
 * code of any thread is that of ORACLE_OTHERS: memory has a bound whatever the program starts.
 * Cycles without a place in memory (a fetch that faulted) are counted outside. Events of committed
 * instructions are counted at the instruction that they happened to. Owned by one processor; off,
 * it is not there. Memory: 1.4 MiB of addresses for a page of code, of which what is used is there.
 * Source: Gottschall, Eeckhout, Jahre, "TIP: Time-Proportional Instruction Profiling", MICRO 2021,
 * section 3: its Oracle. */
#ifndef PMU_ORACLE_H
#define PMU_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/event.h"
#include "pmu/pmu_thread.h"

enum {
    ORACLE_UNITS = 840,             /* of a cycle: divisible by every number up to 8 */
    ORACLE_PAGE_BITS = 12,
    ORACLE_SLOTS = 1 << (ORACLE_PAGE_BITS - 1),
    ORACLE_EVENTS = 64,             /* events of committed instructions: their codes are below */
    ORACLE_PAGES = 8192,
};
#define ORACLE_OTHERS UINT32_MAX        /* a number that no thread has */

struct accesses;
struct calls;
struct oracle_insn { uint64_t units, count; };      /* time; commits */
/* lost: units charged to it because its misprediction left the reorder buffer empty */
struct oracle_branch { uint64_t taken, not_taken, mispredicted, lost; };
/* [EVENT_x - EVENT_CPI_BASE], none of EVENT_CPI_BASE itself */
struct oracle_causes { uint64_t cycles[EVENT_CAUSES]; };

struct oracle_page {
    uint64_t pa, va;
    uint32_t thread;
    bool is_monitor;                /* code of the resident monitor */
    struct oracle_page *same_pa;    /* the same memory at another address, in another thread */
    struct oracle_page *next;       /* of all pages */
    struct oracle_insn insn[ORACLE_SLOTS];
    struct oracle_branch branch[ORACLE_SLOTS];
    uint64_t event[ORACLE_SLOTS][ORACLE_EVENTS];
    struct oracle_causes cause[ORACLE_SLOTS];
};

/* One instruction. page is never NULL once oracle_at made it. */
struct oracle_place { struct oracle_page *page; uint32_t slot; };

struct oracle {
    struct oracle_page *last;       /* found before */
    struct oracle_page *outside;    /* slot 0: cycles without a place */
    struct oracle_page *all;
    struct oracle_page **page;      /* [pages] by physical page number */
    uint64_t base, pages;
    uint64_t made;                  /* how many pages of code */
    uint32_t thread;                /* that the hart runs */
    struct pmu_thread *scheduler;   /* of the hart, which tells it; NULL: nobody does */
    struct pmu_listener listener;
    struct oracle_place culprit;    /* whose flush empties the buffer; page NULL: none */
    bool is_mispredicted;           /* it is a mispredicted branch or jump */
    struct oracle_causes pending;   /* cycles that belong to the next instruction to enter */
    struct calls *calls;            /* charged with the same; NULL: none */
    struct accesses *accesses;      /* told of the data accesses; NULL: none */
    uint64_t head_at, culprit_at;   /* with calls: how many-th instruction head and culprit are */
};

/* base, bytes: physical memory. NULL: no memory. */
struct oracle *oracle_new(uint64_t base, uint64_t bytes);
void oracle_free(struct oracle *oracle);

/* Instructions are from now on those of the thread that the hart runs; it outlives the oracle. */
void oracle_follow(struct oracle *oracle, struct pmu_thread *thread);

/* The place of an instruction that was not on the page found last. */
struct oracle_place oracle_look_up(struct oracle *oracle, uint64_t va, uint64_t pa,
                                   bool is_monitor);
static inline struct oracle_place oracle_at(struct oracle *oracle, uint64_t va, uint64_t pa,
                                            bool is_monitor)
{
    const uint64_t page = ~((UINT64_C(1) << ORACLE_PAGE_BITS) - 1);
    if (((oracle->last->pa ^ pa) & page) != 0 || ((oracle->last->va ^ va) & page) != 0)
        return oracle_look_up(oracle, va, pa, is_monitor);
    return (struct oracle_place){oracle->last, (uint32_t)(pa & ~page) >> 1};
}

/* Nothing committed: for `empty` cycles with an empty reorder buffer, then for `stalled` ones with
 * this instruction at its head. */
void oracle_wait(struct oracle *oracle, struct oracle_place head, const struct oracle_causes *empty,
                 const struct oracle_causes *stalled);
/* Nothing committed, and nothing had entered the empty reorder buffer yet. */
void oracle_drain(struct oracle *oracle, const struct oracle_causes *empty);
static inline void oracle_cause(uint64_t causes[EVENT_CAUSES], unsigned event, uint64_t cycles)
{
    causes[event - EVENT_CPI_BASE] += cycles;
}

/* The same charge to the call tree, where the instruction is the `at`th. */
void oracle_charge_calls(struct calls *calls, struct oracle_place place, uint64_t at,
                         uint64_t units);

/* One of the instructions that commit in a cycle; the caller divides it: the first gets what the
 * others leave of ORACLE_UNITS. */
static inline void oracle_commit(struct oracle_place place, uint64_t units)
{
    struct oracle_insn *insn = &place.page->insn[place.slot];
    insn->units += units;
    insn->count++;
}
/* events: EVENT_BIT mask of what happened to it. */
static inline void oracle_happened(struct oracle_place place, uint64_t events)
{
    for (; events != 0; events &= events - 1)
        place.page->event[place.slot][__builtin_ctzll(events)]++;
}
static inline void oracle_branch(struct oracle_place place, bool is_taken, bool is_mispredicted)
{
    struct oracle_branch *branch = &place.page->branch[place.slot];
    branch->taken += is_taken;
    branch->not_taken += !is_taken;
    branch->mispredicted += is_mispredicted;
}

/* The last to leave: an empty reorder buffer is its doing now. NULL: the front end is late. */
static inline void oracle_blame(struct oracle *oracle, const struct oracle_place *place,
                                bool is_mispredicted)
{
    oracle->culprit = place != NULL ? *place : (struct oracle_place){NULL, 0};
    oracle->is_mispredicted = is_mispredicted;
}

/* All units so far, those outside and pending included; those charged to no instruction. */
uint64_t oracle_total(const struct oracle *oracle);
uint64_t oracle_outside(const struct oracle *oracle);
/* All cycles without commit by cause, likewise. */
struct oracle_causes oracle_causes(const struct oracle *oracle);

#endif
