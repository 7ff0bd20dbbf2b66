/* The oracle profile: the exact number of cycles of each instruction.
 *
 * Every cycle is charged at commit, as in time-proportional profiling: when n instructions commit,
 * 1/n to each; when none commits, the whole cycle to the oldest instruction in the reorder buffer;
 * when that is empty, to the instruction whose flush emptied it, or else to the next instruction to
 * enter. Charges are in units of 1/840 cycle, so that no share is rounded, and they sum up to all
 * cycles.
 *
 * A cycle without commit has one cause, the cpi_* event that it counts as; each instruction keeps
 * the cycles charged to it by cause. The rest of its time is its shares of cycles with commit.
 *
 * Instructions are told apart by thread (CSR_PROF_THREAD, whose write is the first instruction of
 * the new thread), by program, by physical and virtual page and offset. After ORACLE_PAGES pages,
 * further code of any thread counts as that of ORACLE_OTHERS, which bounds the memory. Cycles
 * without a place in memory (a fetch that faulted) are counted outside. Events of committed
 * instructions are counted for their instruction. Owned by one processor; NULL when off. A page of
 * code takes 1.4 MiB of address space, of which only used parts are resident. Source: Gottschall,
 * Eeckhout, Jahre, "TIP: Time-Proportional Instruction Profiling", MICRO 2021, section 3: its
 * Oracle. */
#ifndef PMU_EXACT_ORACLE_H
#define PMU_EXACT_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/event.h"
#include "pmu/pmu_thread.h"

enum {
    ORACLE_UNITS = 840,             /* units of a cycle: divisible by every number up to 8 */
    ORACLE_PAGE_BITS = 12,
    ORACLE_SLOTS = 1 << (ORACLE_PAGE_BITS - 1),
    ORACLE_EVENTS = 64,             /* codes of events of committed instructions are below */
    ORACLE_PAGES = 8192,
};
#define ORACLE_OTHERS UINT32_MAX        /* no thread has this number */

struct accesses; struct calls;
struct oracle_insn { uint64_t units, count; };      /* units: its time; count: its commits */
/* lost: units charged to the branch because its misprediction left the reorder buffer empty */
struct oracle_branch { uint64_t taken, not_taken, mispredicted, lost; };
/* [EVENT_x - EVENT_CPI_BASE], none of EVENT_CPI_BASE itself */
struct oracle_causes { uint64_t cycles[EVENT_CAUSES]; };

struct oracle_page {
    uint64_t pa, va, key;           /* key: of va (pmu/key.h) */
    uint32_t thread;
    bool is_monitor;                /* code of the resident monitor */
    uint64_t looked_at;             /* oracle->looks when it was looked up last */
    struct oracle_page *same_pa;    /* next with the same pa: other key or thread */
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
    uint64_t looks;                 /* look-ups of pages */
    struct oracle_page *outside;    /* slot 0: cycles without a place */
    struct oracle_page *all;
    struct oracle_page **page;      /* [pages] by physical page number */
    uint64_t base, pages, made;     /* made: number of pages of code */
    uint32_t thread;                /* thread that the hart runs */
    struct pmu_thread *scheduler;   /* of the hart, which reports its thread; NULL: not reported */
    struct pmu_listener listener;
    struct oracle_place culprit;    /* its flush emptied the buffer; page NULL: none */
    bool is_mispredicted;           /* the culprit is a mispredicted branch or jump */
    struct oracle_causes pending;   /* cycles that belong to the next instruction to enter */
    struct calls *calls;            /* receives the same charges; NULL: none */
    struct accesses *accesses;      /* receives the data accesses; NULL: none */
    uint64_t head_at, culprit_at;   /* with calls: number of head, culprit by commit */
};

/* base, bytes: physical memory. NULL: no memory. */
struct oracle *oracle_new(uint64_t base, uint64_t bytes);
void oracle_free(struct oracle *oracle);

/* Instructions now belong to the thread that the hart runs; it must outlive the oracle. */
void oracle_follow(struct oracle *oracle, struct pmu_thread *thread);

/* The place of an instruction that is not on the page found last. */
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

/* Charges cycles without commit: `empty` with an empty reorder buffer, then `stalled` with this
 * instruction at its head. */
void oracle_wait(struct oracle *oracle, struct oracle_place head, const struct oracle_causes *empty,
                 const struct oracle_causes *stalled);
/* Nothing committed, and nothing has entered the empty reorder buffer yet. */
void oracle_drain(struct oracle *oracle, const struct oracle_causes *empty);
static inline void oracle_cause(uint64_t causes[EVENT_CAUSES], unsigned event, uint64_t cycles)
{
    causes[event - EVENT_CPI_BASE] += cycles;
}

/* Charges the call tree in the same way, for the `at`th instruction. */
void oracle_charge_calls(struct calls *calls, struct oracle_place place, uint64_t at,
                         uint64_t units);

/* Charges one of the instructions that commit in a cycle. The caller divides ORACLE_UNITS; the
 * first instruction gets the remainder. */
static inline void oracle_commit(struct oracle_place place, uint64_t units)
{
    struct oracle_insn *insn = &place.page->insn[place.slot];
    insn->units += units;
    insn->count++;
}
/* events: EVENT_BIT mask of the instruction's events. */
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

/* Charges an empty reorder buffer to `place`, the last to leave. NULL: the front end is late. */
static inline void oracle_blame(struct oracle *oracle, const struct oracle_place *place,
                                bool is_mispredicted)
{
    oracle->culprit = place != NULL ? *place : (struct oracle_place){NULL, 0};
    oracle->is_mispredicted = is_mispredicted;
}

/* All units so far, including those outside and pending; units charged to no instruction. */
uint64_t oracle_total(const struct oracle *oracle);
uint64_t oracle_outside(const struct oracle *oracle);
/* All cycles without commit by cause, including those outside and pending. */
struct oracle_causes oracle_causes(const struct oracle *oracle);

#endif
