/* Loads that search the queues some stages after their issue; see c910_search.c. */
#ifndef SIM_CORE_MODEL_C910_C910_SEARCH_H
#define SIM_CORE_MODEL_C910_C910_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

enum { SEARCH_STAGES = 64, SEARCH_LOADS = 256 };
/* Cycles from the issue of a store's address to that of its data; and from the arrival of the data
 * to the issue of loads that wait for them. */
enum { C910_ADDRESS_TO_DATA = 2, C910_DATA_TO_ISSUE = 1 };
enum { COMMIT_OF_SEARCH = 2 };  /* cycles from the search to commit, beside commit.stages */

struct search_load { uint64_t seq, id, pa; uint32_t bytes; };
struct search_stage { uint64_t cycle, seq, id; };

struct c910_search {
    struct search_stage stage[SEARCH_STAGES];   /* loads on their way to the search: a ring */
    uint32_t head, tail;
    struct search_load load[SEARCH_LOADS];      /* have been at the search; some have left the core
                                                 * since */
    uint32_t load_count;
    uint64_t youngest;                  /* no load in `load` is younger */
    struct search_load waiting[SEARCH_LOADS];   /* loads that wait for a store to leave the queue */
    uint32_t waiting_count;
    uint64_t last_pop;                  /* cycle in which the last store left the queue: in order,
                                         * one a cycle */
    uint64_t committed;                 /* last cycle in which an instruction committed */
    uint64_t first, end;                /* the first that did so, and the one after the last */
    struct search_stage data[SEARCH_LOADS];     /* data of stores, each to be issued from `cycle`
                                                 * on */
    uint32_t data_count;
    uint64_t data_next;                 /* no data are issued before; NEVER: none wait */
    struct search_stage frozen[SEARCH_LOADS];   /* loads issued in `cycle` that will be issued
                                                 * again */
    uint32_t frozen_count;
};

/* The instructions from `first` to before `end` have committed in this cycle. */
static inline void c910_search_committed(struct c910_search *search, uint64_t now, uint64_t first,
                                         uint64_t end)
{
    search->committed = now;
    search->first = first;
    search->end = end;
}

#endif
