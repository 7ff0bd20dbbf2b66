/* Profiling schemes; see scheme.h. Schemes that share nothing with others are in files of their own
 * (scheme_model.h); the others are here.
 *
 * A sample comes due in a cycle, the same one for all. The time-proportional schemes know at once
 * which instruction to charge, unless the pipeline is empty for lack of instructions. The others
 * wait for an instruction to commit. It is found as follows:
 *
 *   DISPATCH      the first instruction that dispatches from the sample on is tagged. When it is
 *                 squashed the sample is lost, which is known when a younger instruction commits.
 *   SOFTWARE,     the interrupt reaches the pipeline some cycles later. At commit: epc is the next
 *   CTR           instruction to commit, or, if that acts alone and is under way, the one after it.
 *                 At decode: the first instruction decoded since carries the interrupt; if it is
 *                 squashed, the next decoded one does. All decoded between the two were squashed as
 *                 well, so it is the first committing instruction that was decoded since. At fetch:
 *                 the same for fetched instructions.
 *   TIP, TEA      with the pipeline empty and not flushed, the first instruction to enter is the
 *                 next to commit.
 *   TEA           the signature of an instruction that stalls is known when it commits.
 *
 * Each sample is on its own, as if the others had not been taken: tags and interrupts under way do
 * not hinder each other. So a short period in a short run gives the result of a long period in a
 * long run. There is room for WAITING_MAX of each; a sample without room is lost to that scheme. */
#include "pmu/scheme/scheme_model.h"

#include <stdlib.h>

#include "pmu/scheme/scheme_waiting.h"

struct record { uint64_t source, target, cycles; };     /* of a control transfer */

struct schemes {
    struct scheme_settings settings;
    uint64_t number, next, random;  /* number: of the next sample; next: its cycle; random: state of
                                     * the generator */
    uint64_t due, taken[SCHEMES_MAX];
    struct scheme_run run[SCHEMES_MAX];
    struct scheme_table places, stacks, segments;
    uint64_t cycles[SCHEME_STATES];
    /* keys: for interrupts, the cycle in which one reaches the pipeline, or the first instruction
     * that carries it; for tags, id of the tagged instruction */
    struct waiting interrupts, tags;
    uint64_t untagged;              /* samples that wait for an instruction to dispatch */
    uint64_t drained;               /* samples of TIP that wait for an instruction to enter */
    struct { uint64_t drained, stalled; } stack[SCHEME_STACKS];     /* units that wait */
    struct scheme_insn last;        /* the last instruction to commit, or to trap */
    bool has_last;
    bool has_committed;
    struct scheme_insn stalled;     /* head in the last cycle without commit */
    struct record record[SCHEME_TRANSFERS_MAX];
    uint64_t records, transfer_cycle;       /* records written; cycle of the last one */
    uint64_t committed_place, committed_next;       /* by the last commit */
};

/* ---- construction ---------------------------------------------------------------------------- */

/* splitmix64 (Steele, Lea and Flood, OOPSLA 2014). */
static uint64_t random_below(struct schemes *schemes, uint64_t limit)
{
    uint64_t value = schemes->random += UINT64_C(0x9e3779b97f4a7c15);

    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return (value ^ value >> 31) % limit;
}

static void schedule(struct schemes *schemes)
{
    const struct scheme_settings *settings = &schemes->settings;

    schemes->next = ++schemes->number * settings->period;
    if (settings->dither != 0)
        schemes->next += random_below(schemes, settings->dither);
}

static bool start(struct schemes *schemes)
{
    for (unsigned id = 0; id < scheme_count(); id++) {
        const struct scheme_model *model = scheme_model(id);
        struct scheme_run *run = &schemes->run[id];

        *run = (struct scheme_run){.model = model, .schemes = schemes, .id = id};
        if (model->state_bytes != 0 && (run->state = calloc(1, model->state_bytes)) == NULL)
            return false;
    }
    return true;
}

struct schemes *schemes_new(const struct scheme_settings *settings)
{
    struct schemes *schemes = calloc(1, sizeof *schemes);

    if (schemes == NULL)
        return NULL;
    schemes->settings = *settings;
    schemes->random = settings->seed;
    if (!start(schemes) || !scheme_table_init(&schemes->places, scheme_count()) ||
        !scheme_table_init(&schemes->stacks, SCHEME_STACKS) ||
        !scheme_table_init(&schemes->segments, SCHEME_SEGMENTS)) {
        schemes_free(schemes);
        return NULL;
    }
    schedule(schemes);
    return schemes;
}

void schemes_free(struct schemes *schemes)
{
    if (schemes == NULL)
        return;
    for (unsigned id = 0; id < scheme_count(); id++)
        free(schemes->run[id].state);
    scheme_table_free(&schemes->places);
    scheme_table_free(&schemes->stacks);
    scheme_table_free(&schemes->segments);
    free(schemes);
}

/* ---- charging -------------------------------------------------------------------------------- */

static void charge(struct schemes *schemes, unsigned id, uint64_t place, uint64_t units)
{
    scheme_table_at(&schemes->places, place, 0)[id] += units;
}

static void charge_samples(struct schemes *schemes, unsigned id, uint64_t place,
                           uint64_t samples)
{
    if (samples == 0)
        return;
    charge(schemes, id, place, samples * SCHEME_UNITS);
    schemes->taken[id] += samples;
}

/* Equal shares for the instructions that commit together; the first gets the remainder. */
static uint64_t share_of(unsigned index, unsigned count)
{
    uint64_t share = SCHEME_UNITS / count;

    return index == 0 ? SCHEME_UNITS - (count - 1) * share : share;
}

static void charge_group(struct schemes *schemes, unsigned id,
                         const struct scheme_cycle *cycle, uint64_t samples)
{
    for (unsigned i = 0; samples != 0 && i < cycle->commits; i++)
        charge(schemes, id, cycle->insn[i].place, samples * share_of(i, cycle->commits));
    schemes->taken[id] += samples;
}

void scheme_charge(struct scheme_run *run, uint64_t place, uint64_t samples)
{
    charge_samples(run->schemes, run->id, place, samples);
}

void scheme_charge_group(struct scheme_run *run, const struct scheme_cycle *cycle,
                         uint64_t samples)
{
    charge_group(run->schemes, run->id, cycle, samples);
}

static void charge_stack(struct schemes *schemes, unsigned which, const struct scheme_insn *insn,
                         uint64_t units)
{
    if (units == 0)
        return;
    scheme_table_at(&schemes->stacks, insn->place, insn->signature)[which] += units;
    if (which != SCHEME_STACK_TEA)
        return;
    charge(schemes, SCHEME_TEA, insn->place, units);
}

static void charge_stacks(struct schemes *schemes, unsigned which,
                          const struct scheme_cycle *cycle)
{
    for (unsigned i = 0; i < cycle->commits; i++)
        charge_stack(schemes, which, &cycle->insn[i], share_of(i, cycle->commits));
}

/* ---- states of the commit stage -------------------------------------------------------------- */

static enum scheme_state state_of(const struct schemes *schemes, const struct scheme_cycle *cycle)
{
    if (cycle->commits != 0)
        return SCHEME_COMPUTING;
    if (cycle->head != NULL)
        return SCHEME_STALLED;
    return schemes->has_last && (schemes->last.flags & SCHEME_FLUSHES) ? SCHEME_FLUSHED
                                                                      : SCHEME_DRAINED;
}

/* Charges `weight` units (SCHEME_UNITS or a multiple) to the event stacks of one state. */
static void stack(struct schemes *schemes, unsigned which, enum scheme_state state,
                  const struct scheme_cycle *cycle, uint64_t weight)
{
    switch (state) {
    case SCHEME_COMPUTING: charge_stacks(schemes, which, cycle); break;
    case SCHEME_STALLED: schemes->stack[which].stalled += weight; break;
    case SCHEME_FLUSHED: charge_stack(schemes, which, &schemes->last, weight); break;
    case SCHEME_DRAINED: schemes->stack[which].drained += weight; break;
    case SCHEME_STATES: break;
    }
}

static void sample_time(struct schemes *schemes, enum scheme_state state,
                        const struct scheme_cycle *cycle)
{
    uint64_t place = schemes->last.place;

    switch (state) {
    case SCHEME_COMPUTING:
        charge_group(schemes, SCHEME_TIP, cycle, 1);
        charge_samples(schemes, SCHEME_TIP_ILP, cycle->insn[0].place, 1);
        break;
    case SCHEME_DRAINED:
        schemes->drained++;
        break;
    case SCHEME_STALLED:
        place = cycle->head->place;
        /* fall through */
    case SCHEME_FLUSHED:
        charge_samples(schemes, SCHEME_TIP, place, 1);
        charge_samples(schemes, SCHEME_TIP_ILP, place, 1);
        break;
    case SCHEME_STATES:
        break;
    }
    stack(schemes, SCHEME_STACK_TEA, state, cycle, SCHEME_UNITS);
    schemes->taken[SCHEME_TEA] += state == SCHEME_COMPUTING || state == SCHEME_FLUSHED;
}

/* ---- a sample comes due ---------------------------------------------------------------------- */

static void sample(struct schemes *schemes, const struct scheme_cycle *cycle)
{
    schemes->due++;
    sample_time(schemes, state_of(schemes, cycle), cycle);
    for (unsigned id = 0; id < scheme_count(); id++)
        if (schemes->run[id].model->sample != NULL)
            schemes->run[id].model->sample(&schemes->run[id], cycle);
    schemes->untagged++;
    waiting_add(&schemes->interrupts, schemes->next + schemes->settings.interrupt_cycles, 1);
}

/* ---- control-transfer records ---------------------------------------------------------------- */

/* As ctrdata keeps it: four bits of exponent, twelve of mantissa (Smctr 1.0, section 2.4). */
static uint64_t recorded_cycles(uint64_t cycles)
{
    unsigned shift = 0;

    while (shift < 14 && cycles >> shift >= 8192)
        shift++;
    return cycles >> shift >= 8192 ? UINT64_C(8191) << 14 : cycles >> shift << shift;
}

static void record(struct schemes *schemes, uint64_t source, uint64_t target, uint64_t cycle)
{
    schemes->record[schemes->records++ % schemes->settings.transfers] = (struct record){
        .source = source, .target = target,
        .cycles = recorded_cycles(cycle - schemes->transfer_cycle),
    };
    schemes->transfer_cycle = cycle;
}

/* A trap handler is not the sequential successor of the instruction that committed before it. */
static void follow(struct schemes *schemes, const struct scheme_insn *insn, uint64_t cycle)
{
    uint64_t monitor = insn->place & SCHEME_MONITOR, pc = insn->place - monitor;

    if (schemes->has_committed && schemes->committed_next != pc)
        record(schemes, schemes->committed_place, insn->place, cycle);
    if (insn->flags & SCHEME_TAKEN)
        record(schemes, insn->place, insn->next_pc | monitor, cycle);
    schemes->has_committed = true;
    schemes->committed_place = insn->place;
    schemes->committed_next = insn->next_pc;
}

static uint64_t cycles_of_records(const struct schemes *schemes, uint64_t first)
{
    uint64_t cycles = 0;

    for (uint64_t i = first; i < schemes->records; i++)
        cycles += schemes->record[i % schemes->settings.transfers].cycles;
    return cycles;
}

/* For each sample the handler reads all records: between two records lies code without taken
 * transfers. A sample stands for one period, however far the records reach back; they determine its
 * division. */
static void read_records(struct schemes *schemes, uint64_t samples)
{
    uint64_t depth = schemes->settings.transfers;
    uint64_t first = schemes->records > depth ? schemes->records - depth : 0;
    uint64_t cycles = cycles_of_records(schemes, first + 1), units = samples * SCHEME_UNITS;

    for (uint64_t i = first + 1; i < schemes->records; i++) {
        const struct record *from = &schemes->record[(i - 1) % depth];
        const struct record *to = &schemes->record[i % depth];
        uint64_t *row = scheme_table_at(&schemes->segments, from->target, to->source);
        uint64_t share = cycles != 0 ? units * to->cycles / cycles : units;

        row[SCHEME_SEGMENT_UNITS] += share;
        row[SCHEME_SEGMENT_CYCLES] += to->cycles;
        row[SCHEME_SEGMENT_COUNT]++;
        units -= share;
        cycles -= to->cycles;
    }
}

/* ---- commit ---------------------------------------------------------------------------------- */

static bool is_late_enough(const struct schemes *schemes, const struct scheme_insn *insn,
                           const struct scheme_cycle *cycle, uint64_t from)
{
    if (schemes->settings.interrupt == SCHEME_AT_DECODE)
        return insn->decode_cycle >= from;
    if (schemes->settings.interrupt == SCHEME_AT_FETCH)
        return insn->fetch_cycle >= from;
    return cycle->cycle >= from &&
           ((insn->flags & SCHEME_SERIAL) == 0 || insn->dispatch_cycle >= from);
}

static void take_interrupts(struct schemes *schemes, const struct scheme_insn *insn,
                            const struct scheme_cycle *cycle)
{
    struct waiting *waiting = &schemes->interrupts;
    uint64_t samples = 0, from;

    if (cycle->is_masked && schemes->settings.is_maskable)
        return;
    while ((from = waiting_key(waiting)) != UINT64_MAX &&
           is_late_enough(schemes, insn, cycle, from))
        samples += waiting_take(waiting);
    if (samples == 0)
        return;
    charge_samples(schemes, SCHEME_SOFTWARE, insn->place, samples);
    read_records(schemes, samples);
    schemes->taken[SCHEME_CTR] += samples;
}

static void take_tags(struct schemes *schemes, const struct scheme_insn *insn)
{
    struct waiting *waiting = &schemes->tags;

    while (waiting_key(waiting) <= insn->id) {
        bool is_its = waiting_key(waiting) == insn->id;
        uint64_t samples = waiting_take(waiting);

        if (is_its)
            charge_samples(schemes, SCHEME_DISPATCH, insn->place, samples);
    }
}

static void retire(struct schemes *schemes, const struct scheme_insn *insn,
                   const struct scheme_cycle *cycle)
{
    uint64_t *row = scheme_table_at(&schemes->places, insn->place, 0);

    row[SCHEME_COUNTS]++;
    row[SCHEME_LATENCY] += insn->latency_cycles;
    take_tags(schemes, insn);
    take_interrupts(schemes, insn, cycle);
    follow(schemes, insn, cycle->cycle);
}

/* Charges the units of both event stacks that waited for this instruction. */
static void settle_stacks(struct schemes *schemes, const struct scheme_insn *insn, bool is_entered)
{
    for (unsigned which = 0; which < SCHEME_STACKS; which++) {
        uint64_t units = schemes->stack[which].stalled;

        schemes->stack[which].stalled = 0;
        if (is_entered) {
            units += schemes->stack[which].drained;
            schemes->stack[which].drained = 0;
        }
        charge_stack(schemes, which, insn, units);
        if (which == SCHEME_STACK_TEA)
            schemes->taken[SCHEME_TEA] += units / SCHEME_UNITS;
    }
}

/* The instruction arrives for which samples of an empty pipeline waited. */
static void enter(struct schemes *schemes, const struct scheme_insn *insn)
{
    charge_samples(schemes, SCHEME_TIP, insn->place, schemes->drained);
    charge_samples(schemes, SCHEME_TIP_ILP, insn->place, schemes->drained);
    schemes->drained = 0;
}

static void tell_models(struct schemes *schemes, const struct scheme_cycle *cycle)
{
    for (unsigned id = 0; id < scheme_count(); id++)
        if (schemes->run[id].model->commit != NULL)
            schemes->run[id].model->commit(&schemes->run[id], cycle);
}

static void commit(struct schemes *schemes, const struct scheme_cycle *cycle)
{
    const struct scheme_insn *first = &cycle->insn[0];

    enter(schemes, first);
    settle_stacks(schemes, first, true);
    tell_models(schemes, cycle);
    for (unsigned i = 0; i < cycle->commits; i++)
        retire(schemes, &cycle->insn[i], cycle);
    schemes->last = cycle->insn[cycle->commits - 1];
    schemes->has_last = true;
}

/* ---- cycles ---------------------------------------------------------------------------------- */

void schemes_cycle(struct schemes *schemes, const struct scheme_cycle *cycle)
{
    enum scheme_state state = state_of(schemes, cycle);

    while (schemes->next < cycle->cycle)
        schedule(schemes);
    schemes->cycles[state] += cycle->count;
    stack(schemes, SCHEME_STACK_TRUTH, state, cycle, cycle->count * SCHEME_UNITS);
    if (cycle->commits == 0 && cycle->head != NULL)
        schemes->stalled = *cycle->head;
    for (; schemes->next - cycle->cycle < cycle->count; schedule(schemes))
        sample(schemes, cycle);
    if (cycle->dispatched != 0) {
        waiting_add(&schemes->tags, cycle->dispatched, schemes->untagged);
        schemes->untagged = 0;
    }
    if (cycle->commits != 0)
        commit(schemes, cycle);
}

void schemes_flush(struct schemes *schemes, const struct scheme_insn *culprit)
{
    for (unsigned id = 0; id < scheme_count(); id++)
        if (schemes->run[id].model->flush != NULL)
            schemes->run[id].model->flush(&schemes->run[id], culprit);
    if (culprit != NULL) {
        struct scheme_insn trapped = *culprit;

        trapped.flags |= SCHEME_FLUSHES;
        enter(schemes, &trapped);
        settle_stacks(schemes, &trapped, true);
        schemes->last = trapped;
    } else {
        settle_stacks(schemes, &schemes->stalled, false);
    }
    schemes->has_last = culprit != NULL;
}

void schemes_wait(struct schemes *schemes, const struct scheme_insn *waiting)
{
    const struct scheme_cycle cycle = {.insn = waiting, .commits = 1};
    bool is_first = schemes->last.id == 0;

    if (schemes->has_last && schemes->last.place == waiting->place)
        return;
    if (is_first)
        tell_models(schemes, &cycle);
    schemes->last = *waiting;
    schemes->has_last = true;
}

/* ---- results --------------------------------------------------------------------------------- */

uint64_t schemes_due(const struct schemes *schemes) { return schemes->due; }

uint64_t schemes_taken(const struct schemes *schemes, unsigned id)
{
    return schemes->taken[id];
}

uint64_t schemes_cycles(const struct schemes *schemes, enum scheme_state state)
{
    return schemes->cycles[state];
}

const struct scheme_table *schemes_places(const struct schemes *schemes)
{
    return &schemes->places;
}

const struct scheme_table *schemes_stacks(const struct schemes *schemes)
{
    return &schemes->stacks;
}

const struct scheme_table *schemes_segments(const struct schemes *schemes)
{
    return &schemes->segments;
}

bool schemes_have_failed(const struct schemes *schemes)
{
    return schemes->places.has_failed || schemes->stacks.has_failed ||
           schemes->segments.has_failed;
}
