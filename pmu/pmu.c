/* Counters of one hart: values as differences of event snapshots, mode exclusion, filters, ranges,
 * overflow, and the indicator queue.
 *
 * A counter is in one of three classes, by its selector:
 *   snapshot  no filter, or a toggle/range filter on an event that is not an instruction's;
 *   fed       any other filter that can count: pmu_retire adds to its value;
 *   dead      filters that the event cannot satisfy: never counts.
 * Invariants: an inactive snapshot counter has its count in `value` alone; only active counters are
 * in `fed`; only programmable counters with OF clear are in `armed`, beside PMU_ARMED_BESIDE. Left
 * out: hypervisor modes (VSINH, VUINH read as zero). */
#include "pmu/pmu.h"
#include "pmu/gate.h"
#include "pmu/limit.h"
#include "pmu/pmu_modes.h"
#include "pmu/pmu_select.h"

#include <assert.h>
#include <string.h>

#define SELECT_OF    (UINT64_C(1) << 63)
#define SELECT_MINH  (UINT64_C(1) << 62)
#define SELECT_SINH  (UINT64_C(1) << 61)
#define SELECT_UINH  (UINT64_C(1) << 60)
#define SELECT_INH   (SELECT_MINH | SELECT_SINH | SELECT_UINH)
#define SELECT_EVENT ((UINT64_C(1) << 48) - 1)

/* A counter farther from its overflow than this cannot overflow within a run. */
#define ARM_DISTANCE (UINT64_C(1) << 48)

enum {
    COUNTER_CYCLE = 0,
    COUNTER_TIME = 1,
    COUNTER_INSTRET = 2,
    COUNTER_FIRST = 3,
    CSR_SCOUNTOVF = 0xda0,
    CSR_MCOUNTINHIBIT = 0x320,
    CSR_MCYCLECFG = 0x321,
    CSR_MINSTRETCFG = 0x322,
    CSR_MHPMEVENT = 0x320,
    CSR_MCYCLE = 0xb00,
    CSR_CYCLE = 0xc00,
};

static bool counter_exists(const struct pmu *pmu, unsigned number)
{
    return number < COUNTER_FIRST + pmu->counters && number != COUNTER_TIME;
}

static uint64_t counter_select(const struct pmu *pmu, unsigned number)
{
    if (number == COUNTER_CYCLE)
        return pmu->cyclecfg | EVENT_CYCLES;
    if (number == COUNTER_INSTRET)
        return pmu->instretcfg | EVENT_INSNS_RETIRED;
    return pmu->counter[number].select;
}

/* Events that pmu_retire can attribute to an instruction. */
static bool is_attributable(unsigned event)
{
    return event < 64 || event == EVENT_EXEC_CYCLES;
}

static bool is_gated_snapshot(uint64_t select)
{
    unsigned filter = select_filter(select);
    bool is_gate = filter == PMU_FILTER_TOGGLE || filter == PMU_FILTER_RANGE;

    return filter == PMU_FILTER_THREAD || (is_gate && !is_attributable(select_event(select)));
}

static bool is_snapshot(uint64_t select)
{
    return select_filter(select) == PMU_FILTER_ALL || is_gated_snapshot(select);
}

static bool is_in_range(const struct pmu *pmu, unsigned number)
{
    return number < PROF_RANGES && pmu->irange[number].inside;
}

static bool gate_is_open(const struct pmu *pmu, uint64_t select)
{
    if (pmu->in_monitor)
        return false;
    if (select_filter(select) == PMU_FILTER_THREAD)
        return pmu->thread.id == (uint32_t)(select >> PMU_ARGUMENT_SHIFT);
    if (select_filter(select) == PMU_FILTER_TOGGLE)
        return pmu_gate_is_open(pmu, select_argument(select));
    return is_in_range(pmu, select_argument(select));
}

static bool mode_is_counted(const struct pmu *pmu, uint64_t select)
{
    if (pmu->priv == PRIV_M || pmu->in_monitor)
        return (select & SELECT_MINH) == 0;
    return (select & (pmu->priv == PRIV_S ? SELECT_SINH : SELECT_UINH)) == 0;
}

static bool should_count(const struct pmu *pmu, unsigned number)
{
    uint64_t select = counter_select(pmu, number);

    if (((pmu->inhibit >> number) & 1) != 0 || select_event(select) == EVENT_NONE)
        return false;
    if (!mode_is_counted(pmu, select))
        return false;
    if (is_gated_snapshot(select))
        return gate_is_open(pmu, select);
    return is_snapshot(select) || is_attributable(select_event(select));
}

/* Adds to a counter's value and notices the wrap (Sscofpmf: only when OF was 0). */
static void counter_add(struct pmu *pmu, unsigned number, uint64_t amount)
{
    struct pmu_counter *counter = &pmu->counter[number];
    bool wrapped = counter->value + amount < counter->value;

    counter->value += amount;
    if (!wrapped || number < COUNTER_FIRST || (counter->select & SELECT_OF) != 0)
        return;
    counter->select |= SELECT_OF;
    pmu->armed &= ~(UINT32_C(1) << number);
    pmu->armed |= PMU_OVERFLOWED;
}

/* Occurrences since the snapshot. The snapshot can be one ahead while the instruction that wrote
 * the counter is not counted yet. */
static uint64_t counter_delta(const struct pmu *pmu, unsigned number)
{
    uint64_t select = counter_select(pmu, number);
    uint64_t delta = pmu->events[select_event(select)] - pmu->counter[number].snapshot;

    if (!is_snapshot(select) || (pmu->active >> number & 1) == 0 || (int64_t)delta < 0)
        return 0;
    return delta;
}

/* Brings `value` up to `now` occurrences of the counter's event. */
static void counter_fold(struct pmu *pmu, unsigned number, uint64_t now)
{
    struct pmu_counter *counter = &pmu->counter[number];
    uint64_t delta = now - counter->snapshot;

    if ((int64_t)delta <= 0)
        return;
    counter->snapshot = now;
    if ((pmu->active >> number & 1) != 0 && is_snapshot(counter_select(pmu, number)))
        counter_add(pmu, number, delta);
}

static uint64_t event_now(const struct pmu *pmu, unsigned number)
{
    return pmu->events[select_event(counter_select(pmu, number))];
}

/* The event's count as after the CSR instruction that writes now: it will be counted itself. */
static uint64_t event_after_write(const struct pmu *pmu, unsigned number)
{
    unsigned event = select_event(counter_select(pmu, number));

    return pmu->events[event] + (event == EVENT_INSNS_RETIRED);
}

static uint64_t counter_value(const struct pmu *pmu, unsigned number)
{
    return pmu->counter[number].value + counter_delta(pmu, number);
}

static void set_bit(uint32_t *mask, unsigned number, bool is_set)
{
    *mask = (*mask & ~(UINT32_C(1) << number)) | (uint32_t)is_set << number;
}

/* Reclassifies a folded counter after a change of selector, inhibit bit or mode. */
static void counter_classify(struct pmu *pmu, unsigned number)
{
    uint64_t select = counter_select(pmu, number);
    bool counts = should_count(pmu, number);
    bool near = pmu->counter[number].value > UINT64_MAX - ARM_DISTANCE;

    set_bit(&pmu->active, number, counts);
    set_bit(&pmu->fed, number, counts && !is_snapshot(select));
    set_bit(&pmu->conditional, number, (select & SELECT_INH) != 0 || is_gated_snapshot(select));
    select_note(pmu, number, select_event(select));
    if (number >= COUNTER_FIRST)
        set_bit(&pmu->armed, number, counts && near && is_snapshot(select) &&
                (select & SELECT_OF) == 0);
}

static void watch_update(struct pmu *pmu)
{
    bool has_range = false;

    for (unsigned i = 0; i < PROF_RANGES; i++)
        has_range |= pmu->irange[i].from < pmu->irange[i].to ||
                     pmu->drange[i].from < pmu->drange[i].to;
    pmu->watching = (pmu->fed != 0 ? PMU_WATCH_FILTER : 0) | (has_range ? PMU_WATCH_RANGE : 0);
}

/* Switches counters on and off whose condition (mode, toggle, range) may have changed. */
static void conditional_update(struct pmu *pmu)
{
    for (uint32_t rest = pmu->conditional; rest != 0; rest &= rest - 1) {
        unsigned number = (unsigned)__builtin_ctz(rest);
        counter_fold(pmu, number, event_now(pmu, number));
        counter_classify(pmu, number);
    }
    watch_update(pmu);
}

static void counters_reconfigure(struct pmu *pmu, uint32_t which)
{
    for (uint32_t rest = which; rest != 0; rest &= rest - 1)
        counter_classify(pmu, (unsigned)__builtin_ctz(rest));
    watch_update(pmu);
}

static uint32_t all_counters(const struct pmu *pmu)
{
    uint64_t mask = (UINT64_C(1) << (COUNTER_FIRST + pmu->counters)) - 1;
    return (uint32_t)mask & ~(UINT32_C(1) << COUNTER_TIME);
}

void pmu_init(struct pmu *pmu, unsigned counters, unsigned iline_bytes, unsigned dline_bytes)
{
    static const uint64_t latency_reset[3] = {10, 50, 100};

    assert(counters <= PMU_COUNTERS_MAX && iline_bytes != 0 && dline_bytes != 0);
    memset(pmu, 0, sizeof *pmu);
    pmu->counters = counters;
    pmu->priv = PRIV_M;
    pmu->iline_log2 = (uint8_t)__builtin_ctz(iline_bytes);
    pmu->dline_log2 = (uint8_t)__builtin_ctz(dline_bytes);
    memcpy(pmu->latency, latency_reset, sizeof pmu->latency);
    counters_reconfigure(pmu, all_counters(pmu));
}

/* ---- registers ------------------------------------------------------------------------------- */

static uint64_t overflow_bits(const struct pmu *pmu)
{
    uint64_t bits = 0;

    for (unsigned i = COUNTER_FIRST; counter_exists(pmu, i); i++)
        bits |= (pmu->counter[i].select >> 63) << i;
    return bits;
}

static bool is_counter_csr(unsigned number)
{
    return (number >= CSR_MCYCLE && number < CSR_MCYCLE + 32) ||
           (number >= CSR_CYCLE && number < CSR_CYCLE + 32);
}

bool pmu_csr_read(struct pmu *pmu, unsigned number, uint64_t *value)
{
    unsigned index = number & 31;

    if (is_counter_csr(number)) {
        *value = counter_exists(pmu, index) ? counter_value(pmu, index) : 0;
        return index != COUNTER_TIME;
    }
    if (number == CSR_SCOUNTOVF)
        *value = overflow_bits(pmu);
    else if (number == CSR_MCOUNTINHIBIT)
        *value = pmu->inhibit;
    else if (number == CSR_MCYCLECFG)
        *value = pmu->cyclecfg;
    else if (number == CSR_MINSTRETCFG)
        *value = pmu->instretcfg;
    else if (number > CSR_MINSTRETCFG && number < CSR_MHPMEVENT + 32)
        *value = counter_exists(pmu, index) ? pmu->counter[index].select : 0;
    else
        return false;
    return true;
}

static void counter_write(struct pmu *pmu, unsigned number, uint64_t value)
{
    if (!counter_exists(pmu, number))
        return;
    counter_fold(pmu, number, event_after_write(pmu, number));
    pmu->counter[number].snapshot = event_after_write(pmu, number);
    pmu->counter[number].value = value;
    counters_reconfigure(pmu, UINT32_C(1) << number);
}

/* Replaces one configuration field of a counter; earlier occurrences count under the old field. */
static void select_write(struct pmu *pmu, unsigned number, uint64_t *field, uint64_t value)
{
    if (!counter_exists(pmu, number))
        return;
    counter_fold(pmu, number, event_after_write(pmu, number));
    *field = value;
    pmu->counter[number].snapshot = event_after_write(pmu, number);
    counters_reconfigure(pmu, UINT32_C(1) << number);
}

static void inhibit_write(struct pmu *pmu, uint64_t value)
{
    uint32_t changed = (uint32_t)(pmu->inhibit ^ value) & all_counters(pmu);

    for (uint32_t rest = changed; rest != 0; rest &= rest - 1) {
        unsigned number = (unsigned)__builtin_ctz(rest);
        counter_fold(pmu, number, event_after_write(pmu, number));
    }
    pmu->inhibit = value & all_counters(pmu);
    counters_reconfigure(pmu, changed);
}

bool pmu_csr_write(struct pmu *pmu, unsigned number, uint64_t value)
{
    unsigned index = number & 31;

    if (number >= CSR_MCYCLE && number < CSR_MCYCLE + 32 && index != COUNTER_TIME)
        counter_write(pmu, index, value);
    else if (number == CSR_MCOUNTINHIBIT)
        inhibit_write(pmu, value);
    else if (number == CSR_MCYCLECFG)
        select_write(pmu, COUNTER_CYCLE, &pmu->cyclecfg, value & SELECT_INH);
    else if (number == CSR_MINSTRETCFG)
        select_write(pmu, COUNTER_INSTRET, &pmu->instretcfg, value & SELECT_INH);
    else if (number > CSR_MINSTRETCFG && number < CSR_MHPMEVENT + 32)
        select_write(pmu, index, &pmu->counter[index].select,
                     value & (SELECT_OF | SELECT_INH | SELECT_EVENT));
    else
        return false;
    return true;
}

void pmu_written_outside(struct pmu *pmu)
{
    for (unsigned i = 0; i < COUNTER_FIRST + pmu->counters; i++)
        if (pmu->counter[i].snapshot > event_now(pmu, i))
            pmu->counter[i].snapshot = event_now(pmu, i);
}

void pmu_program(struct pmu *pmu, unsigned number, uint64_t select, uint64_t value)
{
    pmu_csr_write(pmu, CSR_MHPMEVENT + number, select);
    pmu_csr_write(pmu, CSR_MCYCLE + number, value);
    pmu_written_outside(pmu);
}

/* ---- changes of the hart, and events --------------------------------------------------------- */

void pmu_set_privilege(struct pmu *pmu, unsigned priv, bool in_monitor)
{
    pmu_count_modes(pmu);
    if (pmu->in_monitor != in_monitor)
        pmu_switch_monitor(pmu);
    pmu->priv = (uint8_t)priv;
    pmu->in_monitor = in_monitor;
    if (pmu->conditional != 0)
        conditional_update(pmu);
}

void pmu_set_toggle(struct pmu *pmu, bool toggle)
{
    if (pmu->toggle == toggle)
        return;
    pmu->toggle = toggle;
    conditional_update(pmu);
}

void pmu_ranges_changed(struct pmu *pmu)
{
    conditional_update(pmu);
}

static void bump(struct pmu *pmu, uint64_t *count)
{
    if (++*count == 0)
        pmu->armed |= PMU_OVERFLOWED;
}

/* One instruction or access, inside the range or not. True: `inside` changed. */
static bool range_step(struct pmu *pmu, struct pmu_range *range, bool inside)
{
    bool changed = inside != range->inside;

    range->inside = inside;
    if (inside) {
        bump(pmu, &range->executed);
        if (changed)
            bump(pmu, &range->entries);
    }
    return changed;
}

static void ranges_step(struct pmu *pmu, const struct retire *retire)
{
    bool changed = false;

    for (unsigned i = 0; i < PROF_RANGES; i++) {
        struct pmu_range *range = &pmu->irange[i];
        changed |= range_step(pmu, range, retire->pc >= range->from && retire->pc < range->to);
    }
    for (unsigned i = 0; i < PROF_RANGES && retire->access_bytes != 0; i++) {
        struct pmu_range *range = &pmu->drange[i];
        uint64_t last = retire->va + retire->access_bytes - 1;
        range_step(pmu, range, last >= range->from && retire->va < range->to);
    }
    if (changed && pmu->conditional != 0)
        conditional_update(pmu);
}

static bool filter_passes(const struct pmu *pmu, uint64_t select, const struct retire *retire)
{
    switch (select_filter(select)) {
    case PMU_FILTER_MARKED:
        return retire->is_marked;
    case PMU_FILTER_LABEL:
        return retire->label != 0 && retire->label == select_argument(select);
    case PMU_FILTER_TOGGLE:
        return pmu_gate_is_open(pmu, select_argument(select));
    case PMU_FILTER_RANGE:
        return is_in_range(pmu, select_argument(select));
    default:
        return false;
    }
}

/* before: the instruction's part that a counter has already counted at an earlier pass; or NULL. */
static void feed(struct pmu *pmu, uint32_t counters, const struct retire *retire,
                 const struct retire *before)
{
    for (; counters != 0; counters &= counters - 1) {
        unsigned number = (unsigned)__builtin_ctz(counters);
        uint64_t select = pmu->counter[number].select;
        unsigned event = select_event(select), filter = select_filter(select);
        bool is_again = before != NULL && (filter != PMU_FILTER_MARKED || before->is_marked);
        uint64_t events = retire->events & ~(is_again ? before->events : 0);

        if (!filter_passes(pmu, select, retire) || (is_again && event == EVENT_EXEC_CYCLES))
            continue;
        counter_add(pmu, number, event == EVENT_EXEC_CYCLES ? retire->latency_cycles
                                                            : (events >> event) & 1);
    }
}

void pmu_retire(struct pmu *pmu, const struct retire *retire)
{
    unsigned watching = pmu->watching;

    pmu->watching &= ~(unsigned)PMU_WATCH_LEFT;
    if (pmu->in_monitor || pmu->is_writer)
        return;
    if ((watching & PMU_WATCH_RANGE) != 0)
        ranges_step(pmu, retire);
    feed(pmu, (watching & PMU_WATCH_LEFT) != 0 ? pmu->fed_left : pmu->fed, retire, NULL);
}

void pmu_retire_written(struct pmu *pmu, const struct retire *retire, const struct retire *before)
{
    feed(pmu, pmu->fed, retire, before);
}

bool pmu_check_overflow(struct pmu *pmu)
{
    for (uint32_t rest = pmu->armed & ~(uint32_t)PMU_ARMED_BESIDE; rest != 0; rest &= rest - 1) {
        unsigned number = (unsigned)__builtin_ctz(rest);
        counter_fold(pmu, number, event_now(pmu, number));
    }
    pmu_limits_check(pmu);
    bool overflowed = (pmu->armed & PMU_OVERFLOWED) != 0;
    pmu->armed &= ~(uint32_t)PMU_OVERFLOWED;
    return overflowed;
}

/* True if the event also occurs in a hart that waits for an interrupt. */
static bool goes_on_in_wait(unsigned event)
{
    return event == EVENT_CYCLES || event == EVENT_CYCLES_IDLE || event == EVENT_CYCLES_IRQ_OFF ||
           event == EVENT_CYCLES_NO_COMMIT || event == EVENT_SLOTS_IDLE || event == EVENT_CPI_IDLE;
}

uint64_t pmu_quiet_cycles(const struct pmu *pmu, uint64_t most)
{
    uint64_t cycles = UINT64_MAX;

    for (uint32_t rest = pmu->armed & ~(uint32_t)PMU_ARMED_BESIDE; rest != 0; rest &= rest - 1) {
        unsigned number = (unsigned)__builtin_ctz(rest);
        uint64_t left = (UINT64_MAX - counter_value(pmu, number)) / most + 1;
        if (goes_on_in_wait(select_event(counter_select(pmu, number))) && left < cycles)
            cycles = left;
    }
    return cycles;
}

void pmu_raise_indicator(struct pmu *pmu, const struct indicator *indicator)
{
    if (pmu->queue_length == PMU_QUEUE) {
        pmu->lost++;
        return;
    }
    pmu->queue[(pmu->queue_head + pmu->queue_length) % PMU_QUEUE] = *indicator;
    pmu->queue_length++;
}
