/* The state of a core between two cycles for an observer: reads, and changes nothing. */
#ifndef SIM_CORE_LOOK_H
#define SIM_CORE_LOOK_H

#include "sim/core/bpred/bpred_look.h"
#include "sim/core/core.h"

/* An instruction in flight. record: its stages up to now; times that are not known yet are 0. */
struct core_look_insn {
    struct core_trace_record record;
    unsigned queue;                 /* issue queue it is in; CORE_LOOK_NO_QUEUE: none */
    unsigned cause;                 /* in-order core: CPI_* event of its wait to issue; 0 */
};
enum { CORE_LOOK_NO_QUEUE = 0xff, CORE_LOOK_QUEUES = 16 };

struct core_look_place { uint32_t used, size; };
struct core_look {
    uint64_t now;                   /* cycles up to now: the next one has this number */
    uint64_t next_pc;               /* of the instruction that commits next */
    uint64_t fetch_pc;
    struct core_look_place fetched;     /* and not decoded */
    struct core_look_place rob, loads, stores;
    struct core_look_place queue[CORE_LOOK_QUEUES];
    unsigned queues;                /* 0: in-order core */
    struct bpred_seen bpred;
};

void core_look(const struct core *core, struct core_look *look);
/* Of it `now` and `next_pc` alone, quickly. */
uint64_t core_look_now(const struct core *core);
uint64_t core_look_next_pc(const struct core *core);
/* The oldest `max` instructions in flight, the oldest first; producers are known for an observed
 * core. */
size_t core_look_insns(const struct core *core, struct core_look_insn *insn, size_t max);

#endif
