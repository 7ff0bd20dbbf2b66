/* Loop buffer: a short loop, once it has gone round a few times, is fed to decode from the
 * instruction buffer; the instruction cache rests and taken branches inside cost nothing.
 *
 * Holds one loop: the addresses from the target of a backward jump to that jump, within one page.
 * It is left when fetch goes anywhere else. Source: the loop stream detector of Intel's Core
 * ("Intel 64 and IA-32 Architectures Optimization Reference Manual", 2.6.2 LSD), LBUF of the
 * C910. */
#ifndef SIM_CORE_LOOP_BUFFER_H
#define SIM_CORE_LOOP_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

enum { LOOP_TRUST = 2, LOOP_PAGE_BITS = 12 };

struct loop_buffer {
    uint64_t start, end;        /* target and address of the jump back */
    uint32_t rounds;            /* times it was taken in a row */
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

/* A jump was predicted taken. bytes: the longest loop that fits. */
static inline void loop_buffer_jump(struct loop_buffer *loop, uint64_t pc, uint64_t target,
                                    uint64_t bytes)
{
    if (pc == loop->end && target == loop->start) {
        loop->is_active = ++loop->rounds >= LOOP_TRUST;
    } else if (target <= pc && pc - target < bytes &&
               pc >> LOOP_PAGE_BITS == target >> LOOP_PAGE_BITS) {
        *loop = (struct loop_buffer){.start = target, .end = pc, .rounds = 1};
    } else if (!loop_buffer_has(loop, target)) {
        *loop = (struct loop_buffer){.start = UINT64_MAX};
    }
}

#endif
