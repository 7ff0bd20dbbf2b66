/* See faster.h. The charges to a routine are summed on demand, over the code of the routine in the
 * oracle's pages; these spans are noted once for each page. Only pages that may have been charged
 * since the last sum are summed again. */
#include "sim/run/faster.h"

#include <stdlib.h>

#include "pmu/exact/oracle.h"
#include "pmu/key.h"
#include "sim/base/array.h"
#include "sim/core/core.h"
#include "sim/core/profile/observe.h"

struct span {
    const struct oracle_insn *first;
    const struct oracle_causes *cause;  /* of first */
    unsigned count, speed;
    bool is_user;
    uint64_t units, idle;               /* charged to it, as summed last */
};

/* A page of the oracle with spans: span[first] and following ones. */
struct noted_page { const struct oracle_page *page; size_t first, spans; };

struct faster_hart {
    const struct oracle_page *known;    /* this page of the oracle and all made before it are
                                         * noted */
    struct span *span;
    size_t spans;
    struct noted_page *page;
    size_t pages;
    uint64_t units[FASTER_SPEEDS];      /* sums of the spans, by speed; */
    uint64_t user_units[FASTER_SPEEDS]; /* ... of those in user code; */
    uint64_t idle_units[FASTER_SPEEDS]; /* ... in WFI */
    /* Of the oracle, at the last sum */
    uint64_t looks;
    const struct oracle_page *last, *culprit;
};

bool faster_begin(struct faster *faster, unsigned harts)
{
    faster_end(faster);
    faster->hart = calloc(harts, sizeof *faster->hart);
    faster->harts = faster->hart != NULL ? harts : 0;
    return faster->hart != NULL;
}

void faster_end(struct faster *faster)
{
    for (unsigned i = 0; i < faster->harts; i++) {
        free(faster->hart[i].span);
        free(faster->hart[i].page);
    }
    free(faster->hart);
    faster->hart = NULL;
    faster->harts = 0;
}

/* ---- code ------------------------------------------------------------------------------------ */

static int speed_at(const struct faster *faster, const struct oracle_page *page, unsigned slot)
{
    return page->is_monitor ? -1 : faster->speed_of(faster->arg, page->key + 2 * slot);
}

/* Without memory the span counts as slow. */
static void add_span(struct faster_hart *hart, struct span span)
{
    struct span *more = array_grow(hart->span, hart->spans, sizeof *more);

    if (more == NULL)
        return;
    hart->span = more;
    hart->span[hart->spans++] = span;
}

/* True for addresses of user code: only these have a program in their key. */
static bool is_user(uint64_t key)
{
    return key_program(key) != 0 || key_of(UINT64_C(1) << KEY_SHIFT, key) != key;
}

static void note_page(const struct faster *faster, struct faster_hart *hart,
                      const struct oracle_page *page)
{
    unsigned from = 0;
    int speed = speed_at(faster, page, 0);

    for (unsigned slot = 1; slot <= ORACLE_SLOTS; slot++) {
        int next = slot < ORACLE_SLOTS ? speed_at(faster, page, slot) : -1;

        if (next == speed && slot < ORACLE_SLOTS)
            continue;
        if (speed >= 0)
            add_span(hart, (struct span){
                .first = &page->insn[from], .cause = &page->cause[from], .count = slot - from,
                .speed = (unsigned)speed, .is_user = is_user(page->key)});
        from = slot;
        speed = next;
    }
}

/* Notes the pages made since the last call; they come first in the list. */
static void note_pages(const struct faster *faster, struct faster_hart *hart,
                       const struct oracle *oracle)
{
    for (const struct oracle_page *page = oracle->all; page != hart->known; page = page->next) {
        const size_t first = hart->spans;
        struct noted_page *more;

        note_page(faster, hart, page);
        if (hart->spans == first)
            continue;
        more = array_grow(hart->page, hart->pages, sizeof *more);
        if (more == NULL)               /* its spans count as slow, too */
            continue;
        hart->page = more;
        hart->page[hart->pages++] = (struct noted_page){page, first, hart->spans - first};
    }
    hart->known = oracle->all;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void sum_span(struct faster_hart *hart, struct span *span)
{
    uint64_t units = 0, idle = 0;

    for (unsigned k = 0; k < span->count; k++) {
        units += span->first[k].units;
        idle += ORACLE_UNITS * span->cause[k].cycles[EVENT_CPI_IDLE - EVENT_CPI_BASE];
    }
    hart->units[span->speed] += units - span->units;
    hart->idle_units[span->speed] += idle - span->idle;
    if (span->is_user)
        hart->user_units[span->speed] += units - idle - (span->units - span->idle);
    span->units = units;
    span->idle = idle;
}

/* Sums the pages that may have been charged since the last call: those that the oracle has looked
 * up since, and those that it charges without a look-up, its last page and the culprit's. */
static void sum_pages(struct faster_hart *hart, const struct oracle *oracle)
{
    for (size_t i = 0; i < hart->pages; i++) {
        const struct noted_page *noted = &hart->page[i];

        if (noted->page->looked_at <= hart->looks && noted->page != hart->last &&
            noted->page != hart->culprit)
            continue;
        for (size_t k = noted->first; k < noted->first + noted->spans; k++)
            sum_span(hart, &hart->span[k]);
    }
    hart->looks = oracle->looks;
    hart->last = oracle->last;
    hart->culprit = oracle->culprit.page;
}

/* ---- time ------------------------------------------------------------------------------------ */

/* The part of `units` that a speed-up saves, in whole cycles, rounded down, without overflow. */
static uint64_t saved_of(uint64_t units, uint64_t units_per_cycle, uint64_t thousandths)
{
    uint64_t divisor = thousandths * units_per_cycle;

    if (thousandths == FASTER_INFINITE)
        return units / units_per_cycle;
    return units / divisor * (thousandths - 1000) +
           units % divisor * (thousandths - 1000) / divisor;
}

/* pending: units not charged yet, by speed; NULL: none. */
static uint64_t saved(const struct faster *faster, const uint64_t units[],
                      const uint64_t pending[])
{
    uint64_t cycles = 0;

    for (unsigned i = 0; i < faster->speeds; i++)
        cycles += saved_of(units[i] + (pending != NULL ? pending[i] : 0), ORACLE_UNITS,
                           faster->thousandths[i]);
    return cycles;
}

static void sum_all(struct faster *faster, struct faster_hart *hart, const struct oracle *oracle)
{
    note_pages(faster, hart, oracle);
    sum_pages(hart, oracle);
}

struct faster_parts faster_saved(struct faster *faster, unsigned hart, const struct core *core)
{
    const struct oracle *oracle = core != NULL ? core_oracle(core) : NULL;
    struct faster_hart *of = &faster->hart[hart];

    if (oracle == NULL)
        return (struct faster_parts){0, 0, 0};
    sum_all(faster, of, oracle);
    return (struct faster_parts){.all = saved(faster, of->units, NULL),
                                 .by_user = saved(faster, of->user_units, NULL),
                                 .idle = saved(faster, of->idle_units, NULL)};
}

uint64_t faster_ahead(struct faster *faster, unsigned hart, struct core *core,
                      const struct cpu *cpu)
{
    const struct oracle *oracle = core != NULL ? core_oracle(core) : NULL;
    uint64_t pending[FASTER_SPEEDS] = {0};
    int speed;

    if (oracle == NULL)
        return 0;
    speed = faster->speed_of(faster->arg, cpu_key(cpu, core_oldest(core).pc));
    if (speed >= 0)
        pending[speed] = ORACLE_UNITS * core_stuck_cycles(core);
    sum_all(faster, &faster->hart[hart], oracle);
    return saved(faster, faster->hart[hart].units, pending);
}
