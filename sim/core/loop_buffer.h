/* Loop buffer: a short loop, once it has gone round a few times, is fed to decode from a buffer;
 * the instruction cache rests and the taken branch back costs no bubble. A cycle still ends at it.
 *
 * Holds one loop: the addresses from the target of a backward branch to that branch, within one
 * page. Only branches may be inside, and of those that do not close it as many as are allowed; a
 * jump, call or return is not held. It is left when fetch goes anywhere else. Sources: LBUF of the
 * C910; loop stream detector ("Intel 64 and IA-32 Architectures Optimization Reference Manual",
 * 2.6.2). */
#ifndef SIM_CORE_LOOP_BUFFER_H
#define SIM_CORE_LOOP_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

enum { LOOP_TRUST = 2, LOOP_PAGE_BITS = 12 };

struct loop_buffer {
    uint64_t start, end;        /* target and address of the branch back */
    uint32_t rounds;            /* times it was taken in a row */
    uint32_t branches;          /* others seen inside in this round */
    bool is_active;
};

static inline bool loop_buffer_has(const struct loop_buffer *loop, uint64_t pc)
{
    return loop->start <= pc && pc <= loop->end;
}

/* Does the buffer go on supplying at pc? If not, it is left. */
static inline bool loop_buffer_supplies(struct loop_buffer *loop, uint64_t pc)
{
    return loop->is_active = loop->is_active && loop_buffer_has(loop, pc);
}

static inline void loop_buffer_clear(struct loop_buffer *loop)
{
    *loop = (struct loop_buffer){.start = UINT64_MAX};
}

/* A branch was predicted, taken or not. bytes: the longest loop that fits; others: branches allowed
 * beside the one that closes it. */
static inline void loop_buffer_branch(struct loop_buffer *loop, uint64_t pc, uint64_t target,
                                      bool taken, uint32_t bytes, uint32_t others)
{
    if (pc == loop->end && target == loop->start) {
        if (taken && loop->branches <= others)
            loop->is_active = ++loop->rounds >= LOOP_TRUST;
        else if (taken)
            loop->rounds = 0;
        loop->branches = 0;
    } else if (taken && target <= pc && pc - target < bytes &&
               pc >> LOOP_PAGE_BITS == target >> LOOP_PAGE_BITS) {
        *loop = (struct loop_buffer){.start = target, .end = pc, .rounds = 1};
    } else if (taken && !loop_buffer_has(loop, target)) {
        loop_buffer_clear(loop);
    } else {
        loop->branches++;
    }
}

#endif
