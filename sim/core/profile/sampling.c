/* The input of the profiling schemes of pmu/scheme/scheme.h from the pipeline: for each cycle, the
 * committed instructions or the oldest in flight. Reads the pipeline and changes nothing in it.
 *
 * Out of order, an instruction is in flight from dispatch on. In order it can only wait for issue,
 * so it is in flight once it has arrived there: the machine waits for the oldest instruction that
 * could not issue. */
#include <stdlib.h>

#include "pmu/scheme/scheme.h"
#include "sim/core/core.h"
#include "sim/core/pipe/stage_account.h"
#include "sim/core/pipe/stage_back.h"
#include "sim/core/pipe/stage_stores.h"
#include "sim/core/privilege.h"
#include "sim/core/profile/observe.h"

struct sampling {
    struct schemes *schemes;
    uint64_t commit_seq, dispatch_seq;      /* state after the last cycle */
    uint64_t seen_cycle;            /* last cycle reported */
    bool is_masked;                 /* interrupts were off when the last cycle ended */
    bool is_flushed, has_culprit, has_head;     /* in the cycle under way */
    struct scheme_insn head;        /* of that flush */
    uint64_t store_waited[RING_MAX];        /* id of the last instruction that waited for the store
                                             * queue, by index in the ring */
    struct scheme_insn insn[];      /* [largest number of commits in a cycle] */
};

/* ---- construction ---------------------------------------------------------------------------- */

struct sampling *sampling_new(const struct config *config)
{
    const struct scheme_settings settings = {
        .period = config->sampling_period, .dither = config->sampling_dither,
        .seed = config->sampling_seed,
        .interrupt = (enum scheme_interrupt)config->sampling_interrupt,
        .interrupt_cycles = config->sampling_interrupt_cycles,
        .is_maskable = config->sampling_maskable != 0,
        .transfers = config->sampling_transfers,
    };
    size_t group = (size_t)config->commit_width * config->part_fold * 2;
    struct sampling *sampling = calloc(1, sizeof *sampling + group * sizeof sampling->insn[0]);

    if (sampling == NULL)
        return NULL;
    sampling->commit_seq = sampling->dispatch_seq = 1;
    sampling->schemes = schemes_new(&settings);
    if (sampling->schemes != NULL)
        return sampling;
    free(sampling);
    return NULL;
}

void sampling_free(struct sampling *sampling)
{
    if (sampling == NULL)
        return;
    schemes_free(sampling->schemes);
    free(sampling);
}

const struct schemes *core_schemes(const struct core *core)
{
    return core->sampling != NULL ? core->sampling->schemes : NULL;
}

/* ---- one instruction ------------------------------------------------------------------------- */

static uint16_t signature_of(const struct core *core, const struct uop *uop)
{
    uint64_t events = uop->events;
    unsigned bits = 0;

    bits |= events & EVENT_BIT(ICACHE_MISS) ? SCHEME_DR_L1 : 0u;
    bits |= events & EVENT_BIT(ITLB_MISS) ? SCHEME_DR_TLB : 0u;
    bits |= core->sampling->store_waited[uop - core->ring] == uop->id ? SCHEME_DR_SQ : 0u;
    bits |= events & EVENT_BIT(DCACHE_MISS) ? SCHEME_ST_L1 : 0u;
    bits |= events & EVENT_BIT(DTLB_MISS) ? SCHEME_ST_TLB : 0u;
    if (events & (EVENT_BIT(L2_MISS) | EVENT_BIT(L3_MISS)))
        bits |= events & EVENT_BIT(L3_HIT) ? 0u : SCHEME_ST_LLC;
    bits |= events & EVENT_BIT(ORDER_VIOLATIONS) || (uop->flags & UOP_REFETCH) ? SCHEME_FL_MO : 0u;
    bits |= uop->flags & UOP_MISPREDICTED ? SCHEME_FL_MB : 0u;
    bits |= uop->trap != TRAP_NONE || (uop->flags & UOP_FLUSH_AFTER) ? SCHEME_FL_EX : 0u;
    return (uint16_t)bits;
}

static uint16_t flags_of(const struct uop *uop)
{
    bool flushes = (uop->flags & (UOP_MISPREDICTED | UOP_FLUSH_AFTER)) != 0;

    return (uint16_t)((flushes ? SCHEME_FLUSHES : 0) |
                      (uop->flags & UOP_SERIAL ? SCHEME_SERIAL : 0) |
                      (uop->next_pc != uop->pc + uop->insn.length ? SCHEME_TAKEN : 0));
}

static uint64_t sampled_place(const struct core *core, const struct uop *uop)
{
    if (uop->insn_pa == NEVER)
        return SCHEME_NOWHERE;
    return cpu_key(core->cpu, uop->pc) | (uop->flags & UOP_MONITOR ? SCHEME_MONITOR : 0u);
}

static struct scheme_insn facts_of(const struct core *core, const struct uop *uop)
{
    return (struct scheme_insn){
        .place = sampled_place(core, uop),
        .next_pc = cpu_key(core->cpu, uop->next_pc), .id = uop->id,
        .fetch_cycle = uop->fetch_cycle, .decode_cycle = uop->decode_cycle,
        .dispatch_cycle = uop->dispatch_cycle,
        .latency_cycles = (uint32_t)(uop->complete_cycle - uop->issue_cycle),
        .signature = signature_of(core, uop), .flags = flags_of(uop),
    };
}

/* ---- one cycle ------------------------------------------------------------------------------- */

/* The oldest instruction in flight when the commit stage looked, in cycle `now`; or NULL. */
static const struct uop *oldest(const struct core *core)
{
    const struct config *settings = core_config(core);
    const struct uop *uop = core_uop(core, core->commit_seq);

    if (!core_is_empty(core) && uop->dispatch_cycle < core->now)
        return fusion_issued(core, core->commit_seq);
    if (core->inorder == NULL || core->commit_seq >= core->decode_seq)
        return NULL;
    return uop->decode_cycle + settings->decode_stages + settings->rename_stages < core->now ? uop
                                                                                        : NULL;
}

static void note_waiting_store(const struct core *core)
{
    const struct uop *uop = core_uop(core, core->dispatch_seq);

    if (core->lost.slots == EVENT_SLOTS_LSQ_FULL && core->dispatch_seq != core->decode_seq &&
        uop->kind == KIND_STORE && store_queue_is_full(core))
        core->sampling->store_waited[uop - core->ring] = uop->id;
}

/* The first instruction dispatched in this cycle; it may have been squashed since. */
static uint64_t dispatched(const struct core *core)
{
    const struct uop *uop = core_uop(core, core->sampling->dispatch_seq);

    return uop->dispatch_cycle == core->now ? uop->id : 0;
}

static void tell(struct core *core, unsigned commits, uint64_t cycles)
{
    struct sampling *sampling = core->sampling;
    struct scheme_cycle cycle = {
        .cycle = core->now, .count = cycles, .insn = sampling->insn, .commits = commits,
        .is_masked = sampling->is_masked, .dispatched = dispatched(core),
    };
    struct scheme_insn head;
    const struct uop *uop = NULL;

    if (sampling->is_flushed) {
        cycle.head = sampling->has_head ? &sampling->head : NULL;
    } else if (commits == 0 && (uop = oldest(core)) != NULL) {
        head = facts_of(core, uop);
        cycle.head = &head;
    }
    schemes_cycle(sampling->schemes, &cycle);
    sampling->dispatch_seq = core->dispatch_seq;
    sampling->seen_cycle = core->now + cycles - 1;
    sampling->is_masked = privilege_masks_interrupts(core->hart);
}

static void tell_flush(struct sampling *sampling)
{
    schemes_flush(sampling->schemes, sampling->has_culprit ? &sampling->head : NULL);
    sampling->is_flushed = false;
}

SELDOM void sampling_step(struct core *core)
{
    struct sampling *sampling = core->sampling;
    unsigned commits = 0;

    for (; sampling->commit_seq != core->commit_seq; sampling->commit_seq++)
        sampling->insn[commits++] = facts_of(core, core_uop(core, sampling->commit_seq));
    tell(core, commits, 1);
    if (sampling->is_flushed)
        tell_flush(sampling);
    note_waiting_store(core);
}

void sampling_skip(struct core *core, uint64_t cycles)
{
    tell(core, 0, cycles);
}

/* Within a cycle the schemes receive the cycle first. */
void sampling_flush(struct core *core, uint64_t cycle, const struct uop *culprit)
{
    struct sampling *sampling = core->sampling;
    const struct uop *head = culprit;

    if (head == NULL)
        head = core_is_empty(core) ? NULL : fusion_issued(core, core->commit_seq);
    sampling->is_flushed = true;
    sampling->has_culprit = culprit != NULL;
    sampling->has_head = head != NULL;
    if (head != NULL)
        sampling->head = facts_of(core, head);
    if (cycle <= sampling->seen_cycle)
        tell_flush(sampling);
}

void sampling_wait(struct core *core, uint64_t va)
{
    const struct scheme_insn waiting = {
        .place = cpu_key(core->cpu, va), .next_pc = cpu_key(core->cpu, core->commit_pc),
        .id = core->next_id, .signature = SCHEME_FL_EX, .flags = SCHEME_FLUSHES | SCHEME_SERIAL,
    };

    schemes_wait(core->sampling->schemes, &waiting);
}
