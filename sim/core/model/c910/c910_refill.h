/* A missing line that fetch takes block by block, and the buffer of one line prefetched after it
 * (c910.by_block); see c910_refill.c. */
#ifndef SIM_CORE_MODEL_C910_C910_REFILL_H
#define SIM_CORE_MODEL_C910_C910_REFILL_H

#include <stdbool.h>
#include <stdint.h>

enum line_buffer { BUFFER_EMPTY, BUFFER_WAITS, BUFFER_FILLS };

/* Cycles are NEVER if there is no such event. */
struct c910_refill {
    uint64_t due;               /* the next cycle in which c910_refill_step has something to do */
    uint64_t wanted, wanted_at; /* block found missing, and the cycle of its request */
    uint64_t block;             /* the first block to arrive */
    uint64_t request, grant;    /* cycles of the request to memory and of its grant */
    uint64_t first;             /* its cycle; the others follow, one a cycle */
    uint64_t change_at;         /* fetch goes elsewhere */
    uint64_t line;              /* in the buffer */
    uint64_t line_at;           /* cycle of the request to memory */
    uint64_t line_end;          /* arrival of its last block */
    uint32_t frame;             /* of the line in the cache, from `first` on */
    uint8_t buffer;             /* enum line_buffer */
    bool is_from_buffer, is_dropped, is_kept;
    bool is_changing, is_flush; /* a squash: its change_at is to be found out */
};

#endif
