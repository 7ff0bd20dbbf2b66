/* The interface of a profiling scheme in a file of its own, outside scheme.c: one object, named by
 * a row of scheme.def. It is called for samples and then for commits of each cycle, and charges
 * instructions. Each running scheme has a struct scheme_run. */
#ifndef PMU_SCHEME_SCHEME_MODEL_H
#define PMU_SCHEME_SCHEME_MODEL_H

#include "pmu/scheme/scheme.h"
#include "pmu/scheme/scheme_cost.h"

struct scheme_run {
    const struct scheme_model *model;
    struct schemes *schemes;
    unsigned id;
    void *state;                    /* private state of the scheme */
};

struct scheme_model {
    size_t state_bytes;             /* size of run->state, zeroed; 0: NULL */
    /* A sample is due in the cycle. Each function may be NULL. */
    void (*sample)(struct scheme_run *run, const struct scheme_cycle *cycle);
    /* Instructions commit: cycle->insn[0] to [cycle->commits - 1]. */
    void (*commit)(struct scheme_run *run, const struct scheme_cycle *cycle);
    /* As schemes_flush. */
    void (*flush)(struct scheme_run *run, const struct scheme_insn *culprit);
    /* Bits in hardware; NULL: none. */
    uint64_t (*storage_bits)(const struct scheme_machine *machine);
    /* Words of 64 bits that a sample's handler writes; NULL: two, the cycle and an address. */
    unsigned (*sample_words)(const struct scheme_machine *machine);
    bool divides_samples;           /* a sample may be charged to several instructions */
};

/* In scheme_row.c; id below scheme_count(). */
const struct scheme_model *scheme_model(unsigned id);

/* Charges `samples` samples to the instruction at `place` (as in struct scheme_insn); 0 has no
 * effect. */
void scheme_charge(struct scheme_run *run, uint64_t place, uint64_t samples);
/* Divides the samples equally among the instructions that commit in the cycle. */
void scheme_charge_group(struct scheme_run *run, const struct scheme_cycle *cycle,
                         uint64_t samples);

#endif
