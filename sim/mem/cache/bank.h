/* The banks of a cache level in which one request accesses its bank several times: a miss again for
 * its place, a line when it is filled in, a hit to note which cache has the line. Each cycle of a
 * bank is free or taken. Later accesses are known ahead, so an access that is requested between
 * them gets a free cycle between them. A bank holds a limited number of reads, each until it is
 * answered; a further read waits in front of the bank.
 * A taken cycle is forgotten when a cycle BANK_WINDOW later, or a multiple of that, is taken.
 * Source: openc910, l2c/rtl/ct_l2c_tag.v (tag_ram_state, ciu_req_dp_vld), ct_l2c_cmp.v
 * (cmp_req_vld), ciu/rtl/ct_ciu_snb_sab_entry.v (L2C, L2CA, L2CW), ct_ciu_snb_sab.v.
 * Left out: the order of waiting requests (here the first to ask gets the first cycles, in the RTL
 * the oldest read); the correction of an answer when an earlier access delays the request. Private
 * to this folder. */
#ifndef SIM_MEM_BANK_H
#define SIM_MEM_BANK_H

#include <stdbool.h>
#include <stdint.h>

enum { BANK_WINDOW = 1024, BANK_READS_MAX = 64 };

struct bank {
    uint64_t taken[BANK_WINDOW];        /* cycle + 1; 0: none yet */
    uint64_t read[BANK_READS_MAX];      /* cycle in which each is answered */
};

struct banks {
    struct bank *bank;                  /* [count]; NULL: each access uses its bank once */
    uint32_t count, cycles;             /* cycles: duration of one access */
    uint32_t place, fill, share;        /* number of further accesses: for the place, the fill, the
                                         * note of the sharer */
    uint32_t lead;                      /* cycles by which the last two precede the answer */
    uint32_t look_lead;                 /* cycles from a present line's lookup to its answer */
    uint32_t reads;                     /* reads that a bank can hold; 0: any number */
};

/* False: no memory. */
bool banks_init(struct banks *banks);
void banks_free(struct banks *banks);
/* An access to the bank of a line, `accesses` times in a row, from `now` on. Returns the cycle in
 * which it has the bank (for several: the last, without the waiting in between). */
uint64_t banks_come(struct banks *banks, uint64_t block, uint64_t now, uint32_t accesses);
/* The first cycle from `now` on in which the bank has room for one more read. */
uint64_t banks_room(const struct banks *banks, uint64_t block, uint64_t now);
/* The read that the bank accepted last is answered at `now`. */
void banks_leave(struct banks *banks, uint64_t block, uint64_t now);

#endif
