/* The state of the C910's model. */
#ifndef SIM_CORE_MODEL_C910_C910_STATE_H
#define SIM_CORE_MODEL_C910_C910_STATE_H

#include "sim/core/model/c910/c910_front.h"
#include "sim/core/model/c910/c910_loop.h"
#include "sim/core/model/c910/c910_queues.h"
#include "sim/core/model/c910/c910_refill.h"
#include "sim/core/model/c910/c910_search.h"
#include "sim/core/model/c910/c910_writes.h"

struct model {
    struct c910_front front;
    struct c910_loop loop;
    struct c910_refill refill;
    struct c910_queues queues;
    struct c910_search search;
    struct c910_writes writes;
};

#endif
