/* Lines that L2 reads by itself ahead of fetch: those after a line that fetch missed, within the
 * page (part_fetch_ahead).
 *
 * L2 notices the miss when it has looked up the line. Then it requests a line in each cycle, as if
 * a core had requested it, and ignores misses that it notices meanwhile. A line that is in L2, or
 * on its way there, is not read again.
 * Source: openc910, l2c/rtl/ct_l2c_prefetch.v (pref_state, pref_cnt); ct_ciu_regs.v, ccr2.IPRF.
 * Left out: address bits above the page's offset; the wait of the request in front of its bank.
 * Private to this folder. */
#ifndef SIM_MEM_CODE_AHEAD_H
#define SIM_MEM_CODE_AHEAD_H

#include <stdint.h>

struct memshared;
struct mem_request;

/* Upper bound of part_fetch_ahead. */
enum { CODE_AHEAD_MAX = 16 };
struct code_ahead {
    struct code_line { uint64_t pa, at, *events; } line[CODE_AHEAD_MAX];    /* oldest first */
    uint64_t idle_from;                         /* cycle in which the next miss is seen */
    unsigned count;
    uint32_t lines;                             /* of each miss; 0: off */
};

/* Only with part_fetch_ahead. run: issues the requests begun, up to `now`. begin: a fetch
 * missed. */
void code_ahead_run(struct memshared *shared, uint64_t now);
void code_ahead_begin(struct memshared *shared, const struct mem_request *request);

#endif
