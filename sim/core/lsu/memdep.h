/* Memory dependence prediction; see memdep.c. */
#ifndef SIM_CORE_LSU_MEMDEP_H
#define SIM_CORE_LSU_MEMDEP_H

#include <stdbool.h>
#include <stdint.h>

struct core;
struct uop;

/* Of the setting lsq.speculation. */
enum speculation {
    SPECULATE_CONSERVATIVE, SPECULATE_BLIND, SPECULATE_PREDICT, SPECULATE_WAIT_ALL,
    SPECULATE_STORE_SETS,
};

enum { WAIT_TABLE = 1024, STORE_SETS = 128 };
struct memdep {
    uint8_t wait_table[WAIT_TABLE];     /* loads that were caught passing a store, by pc */
    uint8_t store_set[WAIT_TABLE];      /* of a load or store, by its pc; 0 = none */
    uint64_t last_store[STORE_SETS];    /* sequence number of the youngest dispatched of the set */
    uint64_t cleared;                   /* cycle of the last clearing */
};

/* At dispatch: the sequence number of the store for whose issue the access waits; NEVER = none. */
uint64_t memdep_load_waits_for(struct core *core, const struct uop *uop);
uint64_t memdep_store_waits_for(struct core *core, const struct uop *uop, uint64_t seq);
/* True if the load waits until all older stores are issued. */
bool memdep_waits_for_all(const struct core *core, const struct uop *uop);
/* The youngest store before `seq` that has not been issued; NEVER = none. */
uint64_t memdep_youngest_unissued(const struct core *core, uint64_t seq);
/* The load passed the store it depended on. */
void memdep_violated(struct core *core, uint64_t load_pc, uint64_t store_pc);

#endif
