/* A missing line that fetch takes block by block, and the buffer of one line prefetched after it
 * (c910.by_block); see c910_refill.c. */
#ifndef SIM_CORE_MODEL_C910_C910_REFILL_H
#define SIM_CORE_MODEL_C910_C910_REFILL_H

#include <stdbool.h>
#include <stdint.h>

enum line_buffer { BUFFER_EMPTY, BUFFER_WAITS, BUFFER_FILLS };

/* A cycle is NEVER if its event is not due. */
struct c910_refill {
    uint64_t due;               /* the next cycle in which c910_refill_step has something to do */
    uint64_t wanted, wanted_at; /* a block found missing, and the cycle of its request */
    uint64_t block;             /* the first block of the line to arrive */
    uint64_t request, grant;    /* cycles of the request to memory and of its grant */
    uint64_t first;             /* cycle in which that block arrives; the others follow, one a
                                 * cycle */
    uint64_t change_at;         /* fetch is redirected in this cycle */
    uint64_t line;              /* the line in the buffer */
    uint64_t line_at;           /* cycle of its request to memory */
    uint64_t line_end;          /* cycle in which its last block arrives */
    uint32_t frame;             /* of the fetched line in the cache, valid from `first` on */
    uint8_t buffer;             /* enum line_buffer */
    bool is_from_buffer, is_dropped, is_kept;
    bool is_changing, is_flush; /* after a squash, until change_at is known */
};

#endif
