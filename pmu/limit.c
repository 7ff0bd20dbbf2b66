/* Limits on functions; see limit.h.
 *
 * Invariants: limits in use are limit[0..depth), in the order of their calls, each function once; a
 * limit that stands still (STILL) waits for an expired (OVER) limit inside it; PMU_LIMITED is in
 * `armed` while a limit counts. All limits count on one clock, so there is one `since`. */
#include "pmu/limit.h"

#include "pmu/abi.h"
#include "pmu/abi_metadata.h"

/* ---- counting -------------------------------------------------------------------------------- */

static uint64_t clock_now(const struct pmu *pmu)
{
    const uint64_t *events = pmu->events;

    return events[EVENT_CYCLES] - events[EVENT_CYCLES_IDLE] - events[EVENT_CYCLES_MONITOR];
}

static bool counts(const struct pmu_limit *limit)
{
    return limit->state == PROF_LIMIT_IS_COUNTING || limit->state == PROF_LIMIT_IS_ELAPSED;
}

static uint64_t counted_now(const struct pmu *pmu, const struct pmu_limit *limit)
{
    uint64_t passed = clock_now(pmu) - pmu->limits.since;

    return limit->counted + (counts(limit) ? passed : 0);
}

static void fold(struct pmu *pmu)
{
    struct pmu_limits *limits = &pmu->limits;

    for (unsigned i = 0; i < limits->depth; i++)
        limits->limit[i].counted = counted_now(pmu, &limits->limit[i]);
    limits->since = clock_now(pmu);
}

static void arm(struct pmu *pmu)
{
    const struct pmu_limits *limits = &pmu->limits;

    pmu->armed &= ~(uint32_t)PMU_LIMITED;
    for (unsigned i = 0; i < limits->depth; i++)
        if (limits->limit[i].state == PROF_LIMIT_IS_COUNTING)
            pmu->armed |= PMU_LIMITED;
}

/* ---- begin and end --------------------------------------------------------------------------- */

/* Removes the innermost limit; outer limits that stood still for it continue. */
static void pop(struct pmu_limits *limits)
{
    unsigned ended = --limits->depth;

    for (unsigned i = 0; i < ended; i++)
        if (limits->limit[i].state == PROF_LIMIT_IS_STILL && limits->limit[i].waits_for == ended)
            limits->limit[i].state = PROF_LIMIT_IS_COUNTING;
}

/* Ends the functions whose stack frames lie below sp. */
static void pop_to(struct pmu *pmu, uint64_t sp, unsigned priv)
{
    struct pmu_limits *limits = &pmu->limits;

    while (limits->depth != 0 && limits->limit[limits->depth - 1].priv == priv &&
           limits->limit[limits->depth - 1].sp < sp)
        pop(limits);
}

static bool is_inside(const struct pmu_limits *limits, uint64_t function, unsigned priv)
{
    for (unsigned i = 0; i < limits->depth; i++)
        if (limits->limit[i].function == function && limits->limit[i].priv == priv)
            return true;
    return false;
}

void pmu_limit_begin(struct pmu *pmu, const struct pmu_limit *limit)
{
    struct pmu_limits *limits = &pmu->limits;

    limits->is_used = true;
    fold(pmu);
    pop_to(pmu, limit->sp, limit->priv);
    if (is_inside(limits, limit->function, limit->priv))
        return;
    if (limits->depth == PROF_LIMITS) {
        limits->refused++;
        return;
    }
    limits->limit[limits->depth] = *limit;
    limits->limit[limits->depth++].began = pmu->events[EVENT_CYCLES];
    limits->begun++;
    arm(pmu);
}

void pmu_limit_return(struct pmu *pmu, uint64_t sp, unsigned priv)
{
    fold(pmu);
    pop_to(pmu, sp + 1, priv);
    arm(pmu);
}

/* ---- expiry ---------------------------------------------------------------------------------- */

static void raise_limit(struct pmu *pmu, unsigned number)
{
    const struct pmu_limit *limit = &pmu->limits.limit[number];
    const struct indicator indicator = {
        .iaddr = limit->function, .daddr = limit->sp, .count = limit->counted,
        .cycles = limit->cycles, .level = number, .insns = pmu_program_insns(pmu),
        .flags = MARK_ALARM | (uint64_t)IND_KIND_LIMIT << IND_KIND_SHIFT,
    };

    pmu->limits.limit[number].expired = pmu->events[EVENT_CYCLES];
    pmu->limits.expired++;
    pmu->events[EVENT_INDICATOR_INTERRUPTS]++;
    pmu_raise_indicator(pmu, &indicator);
}

/* From the inside out: a limit that already stands still was handled by the limit it waits for. */
static void tell_outer(struct pmu_limits *limits, unsigned number)
{
    uint64_t counted = limits->limit[number].counted;

    for (unsigned i = number; i-- > 0 && limits->limit[i].state != PROF_LIMIT_IS_STILL;) {
        struct pmu_limit *outer = &limits->limit[i];

        if (outer->state == PROF_LIMIT_IS_ELAPSED)
            continue;
        outer->counted -= counted < outer->counted ? counted : outer->counted;
        if (outer->state != PROF_LIMIT_IS_COUNTING)
            continue;
        outer->state = PROF_LIMIT_IS_STILL;
        outer->waits_for = (uint8_t)number;
    }
}

static void expire(struct pmu *pmu, unsigned number)
{
    struct pmu_limits *limits = &pmu->limits;

    raise_limit(pmu, number);
    tell_outer(limits, number);
    for (unsigned i = number + 1; i < limits->depth; i++)
        if (limits->limit[i].state < PROF_LIMIT_IS_OVER)
            limits->limit[i].counted = 0;
    limits->limit[number].state = PROF_LIMIT_IS_OVER;
}

/* True if the limit is reached, and no inner limit that is at most as large and began before can
 * still expire first. */
static bool is_due(const struct pmu *pmu, unsigned number)
{
    const struct pmu_limits *limits = &pmu->limits;
    const struct pmu_limit *limit = &limits->limit[number];
    uint64_t counted = counted_now(pmu, limit);

    if (limit->state != PROF_LIMIT_IS_COUNTING || counted < limit->cycles)
        return false;
    for (unsigned i = number + 1; i < limits->depth; i++) {
        const struct pmu_limit *inner = &limits->limit[i];

        if (inner->state == PROF_LIMIT_IS_COUNTING && inner->cycles <= limit->cycles &&
            counted_now(pmu, inner) >= counted - limit->cycles)
            return false;
    }
    return true;
}

void pmu_limits_check(struct pmu *pmu)
{
    if (pmu_limits_left(pmu) > 1)
        return;
    for (unsigned i = pmu->limits.depth; i-- > 0;)
        if (is_due(pmu, i)) {
            fold(pmu);
            expire(pmu, i);
        }
    arm(pmu);
}

uint64_t pmu_limit_counted(const struct pmu *pmu, unsigned number)
{
    return counted_now(pmu, &pmu->limits.limit[number]);
}

uint64_t pmu_limits_left(const struct pmu *pmu)
{
    const struct pmu_limits *limits = &pmu->limits;
    uint64_t left = UINT64_MAX;

    for (unsigned i = 0; i < limits->depth; i++) {
        const struct pmu_limit *limit = &limits->limit[i];
        uint64_t counted = counted_now(pmu, limit), rest = UINT64_MAX;

        if (limit->state == PROF_LIMIT_IS_COUNTING && counted < limit->cycles)
            rest = limit->cycles - counted;
        else if (is_due(pmu, i))
            rest = 1;
        left = rest < left ? rest : left;
    }
    return left;
}

/* ---- registers ------------------------------------------------------------------------------- */

static uint64_t state_word(const struct pmu_limit *limit)
{
    return limit->state | (uint64_t)limit->priv << 4 | (uint64_t)limit->waits_for << 8;
}

static uint64_t word_read(const struct pmu *pmu)
{
    unsigned number = (unsigned)pmu->limits.index / PROF_LIMIT_WORDS;
    const struct pmu_limit *limit = &pmu->limits.limit[number];
    bool is_in_use = number < pmu->limits.depth;

    switch (pmu->limits.index % PROF_LIMIT_WORDS) {
    case PROF_LIMIT_FUNCTION: return limit->function;
    case PROF_LIMIT_SP: return limit->sp;
    case PROF_LIMIT_CYCLES: return limit->cycles;
    case PROF_LIMIT_COUNTED: return is_in_use ? counted_now(pmu, limit) : limit->counted;
    case PROF_LIMIT_BEGAN: return limit->began;
    default: return state_word(limit);
    }
}

static void word_write(struct pmu *pmu, uint64_t value)
{
    struct pmu_limit *limit = &pmu->limits.limit[pmu->limits.index / PROF_LIMIT_WORDS];

    fold(pmu);
    switch (pmu->limits.index % PROF_LIMIT_WORDS) {
    case PROF_LIMIT_FUNCTION: limit->function = value; break;
    case PROF_LIMIT_SP: limit->sp = value; break;
    case PROF_LIMIT_CYCLES: limit->cycles = value; break;
    case PROF_LIMIT_COUNTED: limit->counted = value; break;
    case PROF_LIMIT_BEGAN: limit->began = value; break;
    default:
        limit->state = value & 3;
        limit->priv = value >> 4 & 3;
        limit->waits_for = value >> 8 & 0xf;
    }
    arm(pmu);
}

uint64_t pmu_limits_read(const struct pmu *pmu, unsigned csr)
{
    switch (csr) {
    case CSR_PROF_LIMITS: return pmu->limits.depth;
    case CSR_PROF_LIMIT: return pmu->limits.index;
    default: return word_read(pmu);
    }
}

bool pmu_limits_write(struct pmu *pmu, unsigned csr, uint64_t value)
{
    struct pmu_limits *limits = &pmu->limits;
    bool was_used = limits->is_used;

    if (csr == CSR_PROF_LIMIT) {
        limits->index = value % (PROF_LIMITS * PROF_LIMIT_WORDS);
    } else if (csr == CSR_PROF_LIMITS) {
        fold(pmu);
        limits->depth = value < PROF_LIMITS ? (unsigned)value : PROF_LIMITS;
        limits->is_used |= value != 0;
        arm(pmu);
    } else {
        word_write(pmu, value);
    }
    return !was_used && limits->is_used;
}
