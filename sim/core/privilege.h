/* Effects of a hart's privilege on its accesses and interrupts, for the stages. */
#ifndef SIM_CORE_PRIVILEGE_H
#define SIM_CORE_PRIVILEGE_H

#include "isa/hart.h"

/* The privilege that loads and stores are checked with (mstatus.MPRV). */
static inline unsigned privilege_of_data(const struct hart *hart)
{
    if (!hart->in_monitor && (hart->mstatus >> 17 & 1))
        return hart->mstatus >> 11 & 3;
    return hart->priv;
}

/* At the privilege the hart is in. */
static inline bool privilege_masks_interrupts(const struct hart *hart)
{
    if (hart->priv == PRIV_M)
        return (hart->mstatus >> 3 & 1) == 0;
    return hart->priv == PRIV_S && (hart->mstatus >> 1 & 1) == 0;
}

/* A page that the translation cache refuses may be divided by PMP regions: look at each access. */
static inline bool privilege_checks_pmp(const struct hart *hart)
{
    return hart->pmp_active != 0 && !hart->in_monitor;
}

static inline bool privilege_is_paged(const struct hart *hart, unsigned priv)
{
    return hart->satp >> 60 != 0 && priv != PRIV_M;
}

#endif
