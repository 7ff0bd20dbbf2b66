/* Committed stores whose marks wait: a mark with a threshold acts when the store's line is written.
 *
 * core->awaited has one record for each place of the store queue, valid while store->is_awaited.
 * Stores still in the queue when the run ends are not measured. */
#ifndef SIM_CORE_PROFILE_AWAITED_H
#define SIM_CORE_PROFILE_AWAITED_H

#include "sim/core/profile/marks.h"

struct awaited {
    struct retire retire;               /* the record at commit, with its marks applied */
    struct marking marking;             /* its marking; points to the three marks here */
    struct mark hint, insn, datum;
    uint64_t committed;                 /* cycle */
};

#endif
