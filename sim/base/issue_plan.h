/* Issue queues, ports and pairs as tables, made from the settings.
 *
 * They come from the two lists issue.queues and issue.ports or, where a list says "auto", from the
 * short form: one queue for each kind of unit (issue.int_queue, ...), one port for each unit
 * (unit.ints, ...).
 *
 *   issue.queues = CLASSES:SIZE ...          alu+shift:8 branch:12 load+store:12 fp:8
 *   issue.ports  = CLASSES[@QUEUE,...] ...   int+branch@0 int+mul+div load store fp
 *
 *   inorder.pairs = OLDER:CLASSES ...        branch:none load+store:int+branch+mul
 *
 * CLASSES are names of unit_class.def joined by '+'. A port with @ serves only the queues with
 * these numbers, counted from 0 in the order of the list; otherwise every queue. The class of store
 * data needs a queue and a port only if store data issue separately (lsq.store_data = micro_op). A
 * pair limits the operations that may issue in the same cycle after an older one of class OLDER:
 * whole units, or "none". A class without a pair sets no limit. */
#ifndef SIM_BASE_ISSUE_PLAN_H
#define SIM_BASE_ISSUE_PLAN_H

#include "sim/base/config.h"
#include "sim/base/err.h"
#include "sim/base/unit_class.h"

struct issue_plan {
    unsigned queue_count, port_count;
    struct { uint32_t size, classes; } queue[ISSUE_QUEUES_MAX];     /* classes: bit mask */
    struct { uint32_t classes, queues; } port[ISSUE_PORTS_MAX];     /* queues: bit mask */
    uint32_t after[CLASS_COUNT];    /* classes that may issue in the same cycle after an older
                                     * operation of this class */
};

/* ERR_USAGE: a malformed list, a class without a queue, or a queue with a class that no port takes
 * from it. */
enum err issue_plan_make(const struct config *config, struct issue_plan *plan, struct diag *diag);

#endif
