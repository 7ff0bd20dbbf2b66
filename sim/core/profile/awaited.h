/* Committed stores whose marks wait: a mark with a threshold acts when the store's line is written.
 *
 * core->awaited has one for each place of the store queue, valid while store->is_awaited. Stores
 * that are on their way when the run ends are not measured. */
#ifndef SIM_CORE_PROFILE_AWAITED_H
#define SIM_CORE_PROFILE_AWAITED_H

#include "sim/core/profile/marks.h"

struct awaited {
    struct retire retire;               /* as it was at commit, its marks applied */
    struct marking marking;             /* of it; its marks are the three here */
    struct mark hint, insn, datum;
    uint64_t committed;                 /* cycle */
};

#endif
