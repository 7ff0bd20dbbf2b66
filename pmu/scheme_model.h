/* A profiling scheme of its own, beside those that scheme.c has together: one object, which a row
 * of scheme.def names. It is told of samples and commits in turn, in each cycle in this order, and
 * charges instructions. Each running scheme has a struct scheme_run. */
#ifndef PMU_SCHEME_MODEL_H
#define PMU_SCHEME_MODEL_H

#include "pmu/scheme.h"
#include "pmu/scheme_cost.h"

struct scheme_run {
    const struct scheme_model *model;
    struct schemes *schemes;
    unsigned id;
    void *state;                    /* the model's own */
};

struct scheme_model {
    size_t state_bytes;             /* of run->state, zeros at first; 0: NULL */
    /* A sample is due in the cycle. The functions may be NULL: there is nothing to do then. */
    void (*sample)(struct scheme_run *run, const struct scheme_cycle *cycle);
    /* Instructions commit: cycle->insn[0] to [cycle->commits - 1]. */
    void (*commit)(struct scheme_run *run, const struct scheme_cycle *cycle);
    /* As schemes_flush. */
    void (*flush)(struct scheme_run *run, const struct scheme_insn *culprit);
    /* Bits in hardware; NULL: none. */
    uint64_t (*storage_bits)(const struct scheme_machine *machine);
    /* Words of 64 bits that a sample's handler writes; NULL: two, the cycle and an address. */
    unsigned (*sample_words)(const struct scheme_machine *machine);
    bool divides_samples;           /* one sample may be charged to several instructions */
};

/* scheme_row.c: id below scheme_count(). */
const struct scheme_model *scheme_model(unsigned id);

/* Charges this number of samples to the instruction at `place` (as in struct scheme_insn); 0:
 * nothing happens. */
void scheme_charge(struct scheme_run *run, uint64_t place, uint64_t samples);
/* They are divided in equal parts among the instructions that commit in the cycle. */
void scheme_charge_group(struct scheme_run *run, const struct scheme_cycle *cycle,
                         uint64_t samples);

#endif
