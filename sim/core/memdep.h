/* Memory dependence prediction; see memdep.c. */
#ifndef SIM_CORE_MEMDEP_H
#define SIM_CORE_MEMDEP_H

#include <stdbool.h>
#include <stdint.h>

struct core;
struct uop;

/* Of the setting lsq.speculation. */
enum speculation {
    SPECULATE_CONSERVATIVE, SPECULATE_BLIND, SPECULATE_PREDICT, SPECULATE_WAIT_ALL,
    SPECULATE_STORE_SETS,
};

/* At dispatch: the sequence number of the store whose issue the access waits for; NEVER = none. */
uint64_t memdep_load_waits_for(struct core *core, const struct uop *uop);
uint64_t memdep_store_waits_for(struct core *core, const struct uop *uop, uint64_t seq);
/* The load waits until no older store is unissued. */
bool memdep_waits_for_all(const struct core *core, const struct uop *uop);
uint64_t memdep_youngest_unissued(const struct core *core);
/* The load passed the store it depended on. */
void memdep_violated(struct core *core, uint64_t load_pc, uint64_t store_pc);

#endif
