/* The memory system's timing: L1I, L1D, L2, L3, memory, and the TLBs; tags only, over one RAM
 * image.
 *
 * Contract: an access is one call at cycle `now`. It returns the cycle of the response, or that the
 * access must be tried again (no miss register). All state changes (fill, replacement, occupancy)
 * happen in the call; a line on its way is present with a ready cycle. Calls come with
 * non-decreasing `now`. Banked memory may move an arrival that was already reported; a later access
 * to the line reports the new cycle. Counts go to events[]. */
#ifndef SIM_MEM_MEMSYS_H
#define SIM_MEM_MEMSYS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/config.h"

enum mem_level { MEM_L1, MEM_FORWARD, MEM_L2, MEM_L3, MEM_DRAM };
/* Added to the level: another hart's cache supplied the line, or had to write the line back
 * first. */
enum { MEM_PEER = 8 };

struct mem_response {
    uint64_t ready;         /* cycle at which the value can be used */
    uint8_t level;          /* enum mem_level that answered, and MEM_PEER */
    bool miss;              /* the access began an L1 miss */
    bool merged;            /* the access joined a miss already in flight */
    bool filled;            /* an L1 frame was (re)filled by this call: shadow frames must follow */
    bool changed;           /* other frames changed too: memsys_next_change lists them */
    uint32_t frame;         /* index of the L1 frame that holds the line: set * ways + way */
    uint64_t block;         /* physical address of the line */
};

struct memsys;      /* one hart's private caches and TLBs, with a pointer to the shared levels */
struct memshared;   /* L2, L3 and memory */

struct memshared *memshared_new(const struct config *config);
void memshared_free(struct memshared *shared);
/* events: the hart's event array (index = event code); owned by the PMU. */
struct memsys *memsys_new(const struct config *config, struct memshared *shared, uint64_t *events);
void memsys_free(struct memsys *memsys);
/* The hart's turn begins; its clock, to which `now` and answers refer, is `cycles` ahead of shared
 * time. */
void memsys_set_ahead(struct memsys *memsys, uint64_t cycles);
/* Number of L1I / L1D frames: size of the shadow frame arrays. */
uint32_t memsys_iframes(const struct memsys *memsys);
uint32_t memsys_dframes(const struct memsys *memsys);

/* One call for each line touched. False: retry next cycle. */
bool memsys_fetch(struct memsys *memsys, uint64_t pa, uint64_t now, struct mem_response *response);
/* With part_fill_match_bits, a refused load is retried at response->ready. */
bool memsys_load(struct memsys *memsys, uint64_t pc, uint64_t pa, uint64_t now,
                 struct mem_response *response);
/* For the prefetcher `staged`: the next load's id (the same on a retry), its place in program
 * order, and the place up to which all loads have committed. Without this call, each load counts as
 * new and committed. */
void memsys_order_load(struct memsys *memsys, uint64_t id, uint64_t seq, uint64_t committed);
/* As memsys_load, for a load whose line was looked up before and is missing. */
bool memsys_load_found(struct memsys *memsys, uint64_t pc, uint64_t pa, uint64_t now,
                       struct mem_response *response);
/* A load that requests the line exclusively: an atomic operation, which will write the line. */
bool memsys_load_own(struct memsys *memsys, uint64_t pc, uint64_t pa, uint64_t now,
                     struct mem_response *response);
/* Requests the line of a store to be written later, as memsys_store for a miss. False: refused. */
bool memsys_bring_line(struct memsys *memsys, uint64_t pa, uint64_t now,
                       struct mem_response *response);
/* The cycle from which the line is in the data cache, or a store has begun to take it from other
 * harts; UINT64_MAX: neither. */
uint64_t memsys_line_from(const struct memsys *memsys, uint64_t pa);
/* True if the array is occupied by a line that arrives or leaves. */
bool memsys_array_is_busy(const struct memsys *memsys, uint64_t now);
/* Writes bytes of one line, which is not in the data cache, past it. */
void memsys_write_past(struct memsys *memsys, uint64_t pa, uint32_t bytes, uint64_t now);
/* The data cache evicts the line of pa to the next level, unless it is in flight. */
void memsys_give_up(struct memsys *memsys, uint64_t pa, uint64_t now);
bool memsys_store(struct memsys *memsys, uint64_t pc, uint64_t pa, uint64_t now,
                  struct mem_response *response);
/* The cycle from which no store is on its way past the data cache. */
uint64_t memsys_written(const struct memsys *memsys);

/* The miss register that the last load took; the register stays taken from now on. 0xff: the last
 * load took none. memsys_free_register frees it from `cycle` on. */
uint8_t memsys_keep_register(struct memsys *memsys);
void memsys_free_register(struct memsys *memsys, uint8_t miss_register, uint64_t cycle);
/* The cycle in which the line of a kept register arrives; the bus may delay it. */
uint64_t memsys_register_arrival(const struct memsys *memsys, uint8_t miss_register);

/* Reads the word at pa from memory for fetch. L1I is busy until its arrival, the cycle returned. */
uint64_t memsys_fetch_past(struct memsys *memsys, uint64_t pa, uint64_t now);
/* As memsys_fetch_past for a load; the data cache does not see it. */
uint64_t memsys_load_past(struct memsys *memsys, uint64_t pa, uint32_t bytes, uint64_t now);
/* Cancels the last missing fetch: its line is discarded on arrival, and its frame holds the
 * previous line again, unless another level was told of its eviction. Cache and memory stay busy.
 * memsys_next_change reports the change. */
void memsys_drop_fetch(struct memsys *memsys);

/* The L1 frame that holds the line of pa now, or MEM_NO_FRAME; changes nothing. */
#define MEM_NO_FRAME UINT32_MAX
uint32_t memsys_find_iframe(const struct memsys *memsys, uint64_t pa);
uint32_t memsys_find_dframe(const struct memsys *memsys, uint64_t pa);
/* L1 frames whose line changed, but not by the answer to an access of this hart: another hart took
 * the line, or L2 or L3 evicted it. Shadow frames must follow; their metadata are lost without a
 * write-back. Call until it returns false, before the frame of a response is filled. */
struct mem_change {
    uint64_t block;         /* physical address of the line that is now in the frame */
    uint32_t frame;
    bool is_fetch;          /* a frame of L1I, else of L1D */
    bool is_filled;         /* false: the frame is empty now */
};
bool memsys_next_change(struct memsys *memsys, struct mem_change *change);
/* The level that would answer a data access to pa now; changes nothing. */
enum mem_level memsys_probe(const struct memsys *memsys, uint64_t pa);

/* TLB timing for virtual page `va` >> page_bits under address space `asid`; pte[] are the physical
 * addresses a walk reads, root first (levels = 0: Bare, never a miss). Returns the cycle at which
 * the translation is ready (now on a hit); *miss says whether it missed. Page-table reads go
 * through L2, or through L1D (walker.level). */
uint64_t memsys_itlb(struct memsys *memsys, uint64_t va, unsigned page_bits, const uint64_t *pte,
                     unsigned levels, uint64_t now, bool *miss);
uint64_t memsys_dtlb(struct memsys *memsys, uint64_t va, unsigned page_bits, const uint64_t *pte,
                     unsigned levels, uint64_t now, bool *miss);
/* True if the L1 TLB holds the translation: then no walk information is needed, and *ready is the
 * cycle, from `now` on, in which the translation is known (later than `now` while its walk is under
 * way). Updates recency. */
bool memsys_itlb_hit(struct memsys *memsys, uint64_t va, uint64_t now, uint64_t *ready);
bool memsys_dtlb_hit(struct memsys *memsys, uint64_t va, uint64_t now, uint64_t *ready);
/* The same for a page of physical memory (part_bare_cycles), with a function that fills the
 * entry. */
bool memsys_dtlb_hit_bare(struct memsys *memsys, uint64_t pa, uint64_t now, uint64_t *ready);
void memsys_dtlb_fill_bare(struct memsys *memsys, uint64_t pa, uint64_t ready);
/* Bytes of a page-table entry: 8, or 4 where XLEN is 32. */
void memsys_set_entry_bytes(struct memsys *memsys, uint32_t bytes);
void memsys_flush_tlbs(struct memsys *memsys);
void memsys_flush_icache(struct memsys *memsys);
/* Exchanges the TLBs of two memory systems with the same configuration. */
void memsys_exchange_tlbs(struct memsys *a, struct memsys *b);

/* Metadata of a shadow fill or write-back moves as shadow.traffic says; returns when it is
 * there. */
uint64_t memsys_metadata(struct memsys *memsys, uint64_t pa, uint32_t bytes, bool is_write,
                         uint64_t now);
/* The number of times that the arrival of a line in flight to the data cache has moved. */
uint64_t memsys_moves(const struct memsys *memsys);
/* The cycle in which the line at `block` arrives in that frame of the data cache; 0: the frame does
 * not have it. */
uint64_t memsys_arrival(const struct memsys *memsys, uint64_t block, uint32_t frame);
/* Delays the arrival of the line that the response filled to response->ready; its miss register is
 * taken until then. */
void memsys_delay(struct memsys *memsys, bool is_fetch, const struct mem_response *response);

#endif
