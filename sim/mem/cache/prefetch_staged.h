/* A prefetcher of three stages, which finds strides by instruction, and a global one, which finds
 * the stride of all loads together. Each runs ahead of the program into L1, and further ahead into
 * L2.
 *
 *   filters    the pcs of loads that missed; one that comes twice more goes on to a detector;
 *   detectors  take three accesses of their pc. When these have committed and are as far from each
 *              other, the pc has a stream; else the detector is free;
 *   streams    wait for a miss of their pc, then run: from the second step ahead of it, one line
 *              a step or more. Those of another stride than expected stop, and after some times go;
 *   the global stream has a detector of its own, for all loads: when two times three accesses have
 *              the same stride it takes the place of all the others.
 * Both make one request in two cycles, as long as L1 has a line-fill buffer to spare; without such
 * a buffer they make requests to L2 alone. The caller brings the lines and reports the result of
 * each request.
 * The state depends on the calls alone: staged_next makes up for the cycles between two accesses.
 * Source: openc910, lsu/rtl/ct_lsu_pfu.v, ct_lsu_pfu_{pmb,sdb,pfb}_entry.v, ct_lsu_pfu_sdb_cmp.v,
 * ct_lsu_pfu_pfb_{tsm,l1sm,l2sm}.v, ct_lsu_pfu_{gsdb,gpfb}.v.
 * Left out: stores; translation of the page that a stream enters (the next one in memory is taken);
 * a detector forgets nothing on a squash. Private to this folder. */
#ifndef SIM_MEM_PREFETCH_STAGED_H
#define SIM_MEM_PREFETCH_STAGED_H

#include <stdbool.h>
#include <stdint.h>

enum {
    STAGED_FILTERS = 8, STAGED_DETECTORS = 2, STAGED_STREAMS = 8,
    STAGED_GLOBAL = STAGED_STREAMS,     /* its place among the streams */
    STAGED_SAMPLES = 3, STAGED_SEEN = 64,
};

/* Consecutive accesses, in program order. */
struct staged_sampler {
    uint64_t pa[STAGED_SAMPLES], seq[STAGED_SAMPLES];
    unsigned count;
    uint32_t kept;              /* low bits of the last stride */
};

/* heard: the number of accesses before its last one. */
struct staged_filter { uint64_t pc, heard; uint32_t hits; bool is_valid; };
struct staged_detector {
    struct staged_sampler sampler;
    uint64_t pc, heard;
    bool is_valid;
};

/* Progress of a stream in one of the two caches. */
struct staged_lane { uint64_t pa; bool is_near, is_wanted; };

struct staged_stream {
    uint64_t pc, next_pa, at;   /* expected next; cycle from which it can ask */
    int64_t stride, step;       /* of the program; of the lines */
    uint64_t heard;
    uint32_t confidence, idle;
    bool is_valid, runs, was_here;
    struct staged_lane l1, l2;
};

enum staged_search { SEARCH_STRIDE, SEARCH_CHECK, SEARCH_MONITOR };

struct prefetch_staged {
    struct staged_filter filter[STAGED_FILTERS];
    struct staged_detector detector[STAGED_DETECTORS];
    struct staged_stream stream[STAGED_STREAMS + 1];
    struct staged_sampler global;
    enum staged_search search;
    uint32_t global_confidence;
    uint64_t accesses;
    uint64_t quiet_until;       /* before this cycle no stream makes a request */
    bool may_promote;           /* a filter has enough hits to become a detector */
    uint64_t newest;            /* seq of a load, in program order */
    uint64_t free_at;           /* cycle in which the previous request is accepted */
    unsigned last;              /* stream that requested last */
    uint64_t seen[STAGED_SEEN]; /* ids of recent loads */
};

/* id: of the load, the same when it is issued again; 0 = none. seq: its place in program order;
 * loads before `committed` have committed. now: the cycle of its tag lookup. */
struct staged_load {
    uint64_t pc, pa, id, seq, committed, now;
    bool begins_miss;
};

struct staged_request {
    uint64_t pa, at;            /* at: cycle in which the caches receive it */
    unsigned stream;
    bool is_for_l1;
};

void staged_train(struct prefetch_staged *staged, const struct staged_load *load);
/* The next request, not after cycle `until`. False: none. pending: cycles until which each of
 * `count` line-fill buffers is taken. */
bool staged_next(struct prefetch_staged *staged, const uint64_t *pending, unsigned count,
                 uint64_t until, struct staged_request *request);
/* The request was taken in cycle `taken`; was_here: L1 had its line. */
void staged_done(struct prefetch_staged *staged, const struct staged_request *request,
                 uint64_t taken, bool was_here);

#endif
