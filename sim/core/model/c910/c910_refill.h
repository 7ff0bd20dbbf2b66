/* A missing line that fetch takes block by block, and the buffer of one line that is prefetched
 * after it (c910.by_block); see c910_refill.c. */
#ifndef SIM_CORE_MODEL_C910_C910_REFILL_H
#define SIM_CORE_MODEL_C910_C910_REFILL_H

#include <stdbool.h>
#include <stdint.h>

enum line_buffer { BUFFER_EMPTY, BUFFER_WAITS, BUFFER_FILLS };

/* Cycles are NEVER while there is no such event. */
struct c910_refill {
    uint64_t due;               /* the next cycle in which c910_refill_step has something to do */
    uint64_t wanted, wanted_at; /* block that was found to be missing, and when it is asked for */
    uint64_t block;             /* that came, or comes, first */
    uint64_t request, grant;    /* memory is asked, and hears it */
    uint64_t first;             /* its cycle; the others follow, one a cycle */
    uint64_t change_at;         /* fetch goes elsewhere */
    uint64_t line;              /* in the buffer */
    uint64_t line_at;           /* memory is asked for it */
    uint64_t line_end;          /* its last block comes */
    uint32_t frame;             /* of the line in the cache, from `first` on */
    uint8_t buffer;             /* enum line_buffer */
    bool is_from_buffer, is_dropped, is_kept;
    bool is_changing, is_flush; /* a squash: its change_at is to be found out */
};

#endif
