/* The C906's answers to the questions of fetch_port.h. Part of c906.h. */
#ifndef SIM_CORE_MODEL_C906_C906_FETCH_H
#define SIM_CORE_MODEL_C906_C906_FETCH_H

#include "sim/core/pipe/snapshot.h"

/* A transfer does not enter the target buffer if too many fetched instructions, it included, wait
 * for issue. */
#define PORT_PREDICTED
static inline void port_asks(struct core *core, const struct uop *uop) { }
static inline void port_predicted(struct core *core, const struct uop *uop,
                                  const struct prediction *prediction)
{
    uint32_t most = core_config(core)->part_btb_waiting;
    if (most != 0 && core->fetch_seq - core->dispatch_seq > most)
        core_snapshot(core, uop)->stays_out = true;
}

#endif
