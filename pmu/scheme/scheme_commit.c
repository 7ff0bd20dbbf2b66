/* Schemes that depend on the commit stage alone: on the last instruction that committed, the next
 * one, or all that commit together with the next. */
#include "pmu/scheme/scheme_model.h"

enum { WORD = 64 };                 /* a CSR */

/* ---- the last -------------------------------------------------------------------------------- */

struct last { uint64_t place; bool is_known; };

static void note_last(struct scheme_run *run, const struct scheme_cycle *cycle)
{
    struct last *last = run->state;

    *last = (struct last){cycle->insn[cycle->commits - 1].place, true};
}

static void charge_last(struct scheme_run *run, const struct scheme_cycle *cycle)
{
    const struct last *last = run->state;

    if (cycle->commits != 0)
        scheme_charge(run, cycle->insn[cycle->commits - 1].place, 1);
    else if (last->is_known)
        scheme_charge(run, last->place, 1);
}

static uint64_t two_words(const struct scheme_machine *machine)
{
    (void)machine;
    return 2 * WORD;
}

const struct scheme_model scheme_lci = {
    .state_bytes = sizeof(struct last), .sample = charge_last, .commit = note_last,
    .storage_bits = two_words,
};

/* ---- the next -------------------------------------------------------------------------------- */

/* Samples that wait for a commit. */
struct next { uint64_t samples; };

static void wait(struct scheme_run *run, const struct scheme_cycle *cycle)
{
    struct next *next = run->state;

    (void)cycle;
    next->samples++;
}

static void charge_next(struct scheme_run *run, const struct scheme_cycle *cycle)
{
    struct next *next = run->state;

    scheme_charge(run, cycle->insn[0].place, next->samples);
    next->samples = 0;
}

const struct scheme_model scheme_nci = {
    .state_bytes = sizeof(struct next), .sample = wait, .commit = charge_next,
    .storage_bits = two_words,
};

/* ---- all that commit together ---------------------------------------------------------------- */

static void charge_all(struct scheme_run *run, const struct scheme_cycle *cycle)
{
    struct next *next = run->state;

    scheme_charge_group(run, cycle, next->samples);
    next->samples = 0;
}

static unsigned group_words(const struct scheme_machine *machine)
{
    return machine->commit_width + 2;
}

static uint64_t group_bits(const struct scheme_machine *machine)
{
    return (uint64_t)group_words(machine) * WORD;
}

const struct scheme_model scheme_nci_ilp = {
    .state_bytes = sizeof(struct next), .sample = wait, .commit = charge_all,
    .storage_bits = group_bits, .sample_words = group_words, .divides_samples = true,
};
