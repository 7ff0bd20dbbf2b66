/* The performance monitor unit of one hart: events, counters with filters, ranges, toggle,
 * overflow, and the queue of indicator interrupts.
 * Components only add to events[]; a counter without a filter is the difference of its event from a
 * snapshot, so it costs nothing while it counts. Counters with a filter are fed by pmu_retire,
 * which engines call only while pmu->watching is not zero. A toggle or range filter on an event
 * that is not an instruction's (cycles, say) is a snapshot too, taken when the flag or the range
 * changes; other filters on such events count nothing, but EXEC_CYCLES counts with every filter.
 * Contract: when an instruction reads or writes a register here, events[] holds all that happened
 * up to the instruction before it. When the privilege changes, events[] holds all that happened in
 * the old mode: an xRET is counted before, an instruction that traps is not counted at all.
 * Unfiltered counters see the resident monitor as M-mode; filters and ranges do not see it.
 * Sources: Privileged Architecture 20240411 (Zihpm), Sscofpmf 1.0, Smcntrpmf 1.0; pmu/abi.h. */
#ifndef PMU_PMU_H
#define PMU_PMU_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/hart.h"
#include "pmu/abi_register.h"
#include "pmu/event.h"
#include "pmu/pmu_thread.h"
#include "pmu/retire.h"

/* LIMITED, OVERFLOWED: bits 0 and 1 of pmu.armed, which no programmable counter uses. */
enum { PMU_COUNTERS_MAX = 29, PMU_QUEUE = 8 };
enum { PMU_LIMITED = 1 << 0, PMU_OVERFLOWED = 1 << 1, PMU_ARMED_BESIDE = 3 };

/* Reasons why pmu_retire must see every committed instruction. */
enum pmu_watch { PMU_WATCH_FILTER = 1, PMU_WATCH_RANGE = 2, PMU_WATCH_LEFT = 4 };

struct pmu_counter {
    uint64_t value;             /* as of `snapshot` (unfiltered) or now (filtered) */
    uint64_t snapshot;          /* events[event] when value was last folded, or not active */
    uint64_t select;            /* mhpmevent */
};

/* A pair of PROF_REG_HINT registers, as isa/hint.h has them; 0: nothing. */
struct hint_pair { uint64_t flags, label; };
enum { HINT_PLACES = 4 };           /* HINT_AT_* */
/* start to executed: its registers; from, to: its bounds as addresses of the hart's program. */
struct pmu_range { uint64_t start, end, entries, executed, from, to; bool inside; };

struct pmu {
    uint64_t events[EVENT_COUNT];
    struct pmu_counter counter[32];     /* 0 cycle, 2 instret, 3.. programmable; 1 unused */
    unsigned counters;                  /* number of programmable counters */
    uint64_t inhibit;                   /* mcountinhibit */
    uint64_t cyclecfg, instretcfg;      /* Smcntrpmf */
    unsigned watching;                  /* enum pmu_watch */
    uint8_t priv;                       /* privilege for which `active` holds */
    bool in_monitor;
    bool toggle;                        /* start/toggle marks; change it with pmu_set_toggle */
    bool is_writer;                     /* the next instruction to retire writes a counter; set by
                                         * the writer */
    uint32_t active;                    /* counters that count now */
    uint32_t conditional;               /* counters that mode, toggle or ranges switch on and off */
    uint32_t fed;                       /* counters that pmu_retire feeds */
    uint32_t fed_left;                  /* with PMU_WATCH_LEFT: counters to feed next time */
    uint64_t selected[EVENT_COUNT / 64];    /* events that a counter ever selected, as bits */
    uint32_t selecting;                 /* counters that select an event other than cycles or
                                         * instructions */
    uint32_t armed;                     /* counters near overflow; LCOFI is due; a limit counts */
    /* profiling registers of pmu/abi.h */
    uint64_t mode, index, sindex, latency[3];
    uint64_t segment[PROF_SEGMENTS][4];
    uint64_t counter_format, counter_near;
    uint64_t area[PROF_AREAS][PROF_AREA_WORDS];
    struct pmu_range irange[PROF_RANGES], drange[PROF_RANGES];
    struct indicator queue[PMU_QUEUE];
    unsigned queue_head, queue_length;
    uint64_t lost, measure, transfers, user;  /* PROF_REG_* */
    uint64_t signalled_group;           /* struct retire's group that exceeded a threshold last */
    struct hint_pair hint[HINT_PLACES];     /* changed by pmu/hint.h */
    struct hint_pair hint_before;           /* with hint_moved: the pending hints that mark it */
    bool hint_moved;                        /* the instruction about to commit changed hint[0] */
    uint8_t iline_log2, dline_log2;
    struct pmu_limits limits;
    struct pmu_gate gate[PROF_GATES];
    struct pmu_thread thread;
    uint64_t monitor_events[EVENT_COUNT], entered_at[EVENT_COUNT];      /* pmu_modes.h */
    struct pmu_user *user_part;         /* pmu_modes.h; NULL: events are not divided */
};

void pmu_init(struct pmu *pmu, unsigned counters, unsigned iline_bytes, unsigned dline_bytes);

/* CSRs with owner CSR_PMU. The caller has checked csr_is_allowed, and masks scountovf with
 * mcounteren below M. False: no such register. */
bool pmu_csr_read(struct pmu *pmu, unsigned number, uint64_t *value);
bool pmu_csr_write(struct pmu *pmu, unsigned number, uint64_t value);
/* Registers written between two instructions, so that the next instruction counts. pmu_program
 * makes counter `number` (3 and up) count by `select` (mhpmevent) from `value` on. */
void pmu_program(struct pmu *pmu, unsigned number, uint64_t select, uint64_t value);
void pmu_written_outside(struct pmu *pmu);
/* CSRs with owner CSR_PROFILE (abi.h); the monitor's are in the hart. *changed: PMU_CHANGED_*.
 * PROF_REG_ACK lowers the hart's IRQ_INDICATOR line when the queue becomes empty. */
enum { PMU_CHANGED_MODE = 1, PMU_CHANGED_SEGMENTS = 2, PMU_CHANGED_QUEUE = 4 };
bool profile_csr_read(struct pmu *pmu, const struct hart *hart, unsigned number, uint64_t *value);
bool profile_csr_write(struct pmu *pmu, struct hart *hart, unsigned number, uint64_t value,
                       unsigned *changed);

/* The hart's privilege (or being in the monitor) changed: counters that exclude a mode fold. */
void pmu_set_privilege(struct pmu *pmu, unsigned priv, bool in_monitor);

/* The next instruction to retire is a trap return, and the hart is already in the mode that it
 * returns to. `fed`: pmu->fed before that, the counters in which the return counts. */
static inline void pmu_left(struct pmu *pmu, uint32_t fed)
{
    pmu->fed_left = fed;
    if (fed != pmu->fed)
        pmu->watching |= PMU_WATCH_LEFT;
}

/* Feeds filtered counters and ranges; needed only while pmu->watching. They do not see an
 * instruction that wrote registers here (is_writer, which the engine clears after it).
 * pmu_retire_written: for a store with RETIRE_WRITTEN; `before` is the record given to
 * pmu_retire. */
void pmu_retire(struct pmu *pmu, const struct retire *retire);
void pmu_retire_written(struct pmu *pmu, const struct retire *retire, const struct retire *before);
void pmu_set_toggle(struct pmu *pmu, bool toggle);      /* tested by PMU_FILTER_TOGGLE */
/* A range register was written: determines again what must be watched (profile.c). */
void pmu_ranges_changed(struct pmu *pmu);
/* A write of CSR_PROF_THREAD. */
void pmu_set_thread(struct pmu *pmu, uint64_t id);
/* The hart goes on with code of this program (pmu/key.h). */
void pmu_set_program(struct pmu *pmu, uint64_t program);
/* A bound was set: the next instruction or access inside is an entry. A range whose bounds are keys
 * of another program than the hart's is empty. */
void pmu_range_set(const struct pmu *pmu, struct pmu_range *range);
/* Checks for overflow since the last check, and limits; sets OF and returns true when LCOFI must be
 * raised: a programmable counter or range register wrapped. Cheap enough for each commit group. */
bool pmu_check_overflow(struct pmu *pmu);
static inline bool pmu_overflow(struct pmu *pmu)
{
    return pmu->armed != 0 && pmu_check_overflow(pmu);
}

/* Cycles in WFI until the earliest counter overflow, if an event occurs `most` times a cycle. */
uint64_t pmu_quiet_cycles(const struct pmu *pmu, uint64_t most);
/* Queues an indicator; if the queue is full, counts it in `lost`. The caller counts the event. */
void pmu_raise_indicator(struct pmu *pmu, const struct indicator *indicator);

/* Instructions committed up to now, without those of the resident monitor. */
static inline uint64_t pmu_program_insns(const struct pmu *pmu)
{
    return pmu->events[EVENT_INSNS_RETIRED] - pmu->events[EVENT_INSNS_MONITOR];
}

#endif
