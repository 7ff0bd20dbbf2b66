/* Memory whose value may differ in Spike: a set of doublewords by virtual address. */
#ifndef SIM_RUN_SPIKE_TAINT_H
#define SIM_RUN_SPIKE_TAINT_H

#include <stdbool.h>
#include <stdint.h>

struct spike_taint {
    uint64_t *entry;        /* open addressing: a doubleword's number + 1; 0 = free */
    unsigned used;
};

/* False: no memory. */
bool spike_taint_init(struct spike_taint *taint);
void spike_taint_free(struct spike_taint *taint);

/* Adds the doublewords that contain [va, va + bytes), 1 to 8 bytes. False: the set is full. */
bool spike_taint_add(struct spike_taint *taint, uint64_t va, unsigned bytes);
bool spike_taint_meets(const struct spike_taint *taint, uint64_t va, unsigned bytes);
/* The doubleword of va. */
void spike_taint_remove(struct spike_taint *taint, uint64_t va);

#endif
