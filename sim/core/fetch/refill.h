/* A missing line that fetch takes block by block, and the buffer of one line that is prefetched
 * after it; see refill.c. Only with part_by_block: core.refill. */
#ifndef SIM_CORE_FETCH_REFILL_H
#define SIM_CORE_FETCH_REFILL_H

#include <stdbool.h>
#include <stdint.h>

struct config;
struct core;

enum line_buffer { BUFFER_EMPTY, BUFFER_WAITS, BUFFER_FILLS };

/* Cycles are NEVER while there is no such event. */
struct refill {
    uint64_t due;               /* the next cycle in which refill_step has something to do */
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

/* NULL: off, or no memory; is_on tells which. */
bool refill_is_on(const struct config *config);
struct refill *refill_new(const struct config *config);

/* In each cycle from `due` on, before instructions are fetched. */
void refill_step(struct core *core);
/* Is the block of pa, which is read for the instruction at pc, there in this cycle? Else fetch
 * waits. *frame: of its line. */
bool refill_is_ready(struct core *core, uint64_t pc, uint64_t pa, uint32_t *frame);
/* Fetch goes elsewhere. is_flush: not because of a branch. */
void refill_squash(struct core *core, bool is_flush);
/* Behind what was fetched in this cycle fetch may go elsewhere, as predicted: until it does it
 * reads the next blocks. */
void refill_ahead(struct core *core);
/* Nothing that was prefetched may be used. Off, it does nothing. */
void refill_forget(struct core *core);

#endif
