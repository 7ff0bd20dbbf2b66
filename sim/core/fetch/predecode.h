/* Decoded instructions of code pages, keyed by physical address, filled on demand.
 * A page that was written is dropped at fence.i (see phys_take_stale). */
#ifndef SIM_CORE_FETCH_PREDECODE_H
#define SIM_CORE_FETCH_PREDECODE_H

#include "isa/insn.h"
#include "sim/mem/phys.h"

struct predecode;

/* An instruction by its halfword offset in a page. Its first fields equal those of an instruction
 * in flight (struct uop), in order. */
struct predecode_slot {
    struct insn insn;
    uint64_t uop_flags;         /* UOP_* */
    uint8_t kind, unit;         /* of insn_info */
    uint8_t unit_class;         /* enum unit_class */
    uint8_t latency, mem_bytes; /* of insn_info */
    uint8_t state, trap, priv;  /* decoded, empty, either */
    uint32_t events;            /* EVENT_BIT mask known from the encoding alone */
    bool is_valid;
    uint8_t run;                /* predecode_run() of it; 0: not known yet, or nothing */
    uint8_t stride;             /* bytes to the slot of the next instruction; 0: not valid */
    uint8_t flags;              /* of insn_info */
};

/* Of the host. */
enum { PREDECODE_LINE_BYTES = 64 };
struct predecode_page {
    _Alignas(PREDECODE_LINE_BYTES)
    struct predecode_slot slot[PHYS_PAGE_BYTES / 2 + 1];    /* the last is never valid */
    uint64_t pa;
    bool is_marked;             /* stores to the page make it stale: it has PHYS_CODE */
};

static inline bool predecode_is_transfer(const struct predecode_slot *slot)
{
    return slot->kind == KIND_BRANCH || slot->kind == KIND_JAL || slot->kind == KIND_JALR;
}

/* The slot after one with this stride; at the end of a page, the one that is never valid. */
static inline const struct predecode_slot *predecode_next(const struct predecode_slot *slot,
                                                          unsigned stride)
{
    return (const struct predecode_slot *)(const void *)((const char *)slot + stride);
}

/* xlen: 32 or 64, of the instructions. */
struct predecode *predecode_new(struct phys *phys, unsigned xlen);
/* From now on an illegal instruction takes a whole word. */
void predecode_take_words(struct predecode *predecode);
/* From now on an FP move from an integer register is issued as a simple integer operation. */
void predecode_take_moves_as_int(struct predecode *predecode);
void predecode_free(struct predecode *predecode);
/* Room for an instruction in two pages, which is decoded each time. */
struct predecode_slot *predecode_across(struct predecode *predecode);
/* The page that contains pa, which must be RAM; NULL without memory. */
struct predecode_page *predecode_page(struct predecode *predecode, uint64_t pa);
/* The instruction at `offset` of the page. A 4-byte one at the last halfword, whose second half is
 * on another page, is left to the caller and predecode_fill; is_valid then stays false. */
const struct predecode_slot *predecode_at(struct predecode *predecode, struct predecode_page *page,
                                          unsigned offset);
/* The run of known instructions from `offset` of the page on: their number up to the first
 * transfer, or to the end of the aligned block of `block_bytes`, and whether the last of them is a
 * transfer. A run that ends for one of these reasons is the same until the page is dropped, and is
 * kept in the slot; so all cores that share decoded pages have blocks of one size. */
enum { PREDECODE_RUN_COUNT = 0x7f, PREDECODE_RUN_TRANSFER = 0x80 };
uint8_t predecode_run(struct predecode_page *page, unsigned offset, unsigned block_bytes);
/* EVENT_BIT mask of a committing instruction, as far as its encoding determines it. */
uint32_t predecode_events(const struct insn *insn);
void predecode_fill(struct predecode_slot *slot, uint32_t bits, unsigned xlen);
/* The class of a slot that predecode_fill has filled, as this core issues it. */
void predecode_place(const struct predecode *predecode, struct predecode_slot *slot);
/* Takes hints into account: the slot's instruction is filled in and lies at pa. */
void predecode_hints(const struct phys *phys, struct predecode_slot *slot, uint64_t pa);
/* The bundle hint for the instruction at pa, which is RAM; 0: none. */
uint32_t predecode_bundle(const struct phys *phys, uint64_t pa);
/* Drops the decoded instructions of pages written since. Pages stay in place, so that fetch can
 * continue with one: it calls predecode_page again after a fence.i. */
void predecode_drop_stale(struct predecode *predecode);

#endif
