/* Decoded code pages; see predecode.h. Pages are found by RAM page number in one flat array. The
 * array and the pages are sparse: the host provides zeroed memory on first use. */
#include "sim/core/fetch/predecode.h"

#include <stdlib.h>
#include <string.h>

#include "isa/hint.h"
#include "isa/op.h"
#include "isa/trap.h"
#include "pmu/hint.h"
#include "sim/base/issue_plan.h"
#include "sim/core/pipe/core_types.h"
#include "sim/core/pipe/uop.h"

/* Large enough that the host zeroes pages one by one, on first touch; not aligned. */
enum { BLOCK_PAGES = 16 };
struct predecode_block {
    struct predecode_block *next;
    unsigned used;
    char memory[PREDECODE_LINE_BYTES + BLOCK_PAGES * sizeof(struct predecode_page)];
};

struct predecode {
    struct phys *phys;
    struct predecode_block *blocks;
    struct predecode_page **pages;      /* [page_count], NULL = nothing decoded */
    uint64_t page_count;
    unsigned xlen;
    bool takes_words;                   /* an illegal instruction is a whole word */
    struct predecode_slot across;       /* for predecode_across */
    bool moves_as_int;                  /* FP moves from integer registers are issued as such */
};

struct predecode *predecode_new(struct phys *phys, unsigned xlen)
{
    struct predecode *predecode = calloc(1, sizeof *predecode);
    if (predecode == NULL)
        return NULL;
    predecode->phys = phys;
    predecode->xlen = xlen;
    predecode->page_count = phys->ram_bytes >> PHYS_PAGE_BITS;
    predecode->pages = calloc(predecode->page_count, sizeof predecode->pages[0]);
    if (predecode->pages == NULL) {
        free(predecode);
        return NULL;
    }
    return predecode;
}

void predecode_free(struct predecode *predecode)
{
    struct predecode_block *block, *next;

    if (predecode == NULL)
        return;
    for (block = predecode->blocks; block != NULL; block = next) {
        next = block->next;
        free(block);
    }
    free(predecode->pages);
    free(predecode);
}

static struct predecode_page *new_page(struct predecode *predecode)
{
    const uintptr_t align = PREDECODE_LINE_BYTES;
    struct predecode_block *block = predecode->blocks;

    if (block == NULL || block->used == BLOCK_PAGES) {
        block = calloc(1, sizeof *block);
        if (block == NULL)
            return NULL;
        block->next = predecode->blocks;
        predecode->blocks = block;
    }
    return (struct predecode_page *)(((uintptr_t)block->memory + align - 1) & ~(align - 1)) +
           block->used++;
}

struct predecode_slot *predecode_across(struct predecode *predecode)
{
    return &predecode->across;
}

struct predecode_page *predecode_page(struct predecode *predecode, uint64_t pa)
{
    uint64_t number = (pa - PHYS_RAM_BASE) >> PHYS_PAGE_BITS;
    struct predecode_page *page = predecode->pages[number];
    if (page == NULL) {
        page = new_page(predecode);
        if (page == NULL)
            return NULL;
        page->pa = PHYS_RAM_BASE + (number << PHYS_PAGE_BITS);
        predecode->pages[number] = page;
    }
    if (!page->is_marked) {
        page->is_marked = true;
        phys_mark_code(predecode->phys, page->pa);
    }
    return page;
}

static uint32_t control_events(const struct insn *insn, unsigned kind)
{
    if (kind == KIND_BRANCH)
        return (uint32_t)EVENT_BIT(BRANCHES);
    if (insn_is_call(insn))
        return (uint32_t)EVENT_BIT(CALLS);
    if (insn_is_return(insn))
        return (uint32_t)EVENT_BIT(RETURNS);
    return (uint32_t)EVENT_BIT(JUMPS);
}

uint32_t predecode_events(const struct insn *insn)
{
    const struct insn_info *info = &insn_info[insn->op];
    uint32_t events = insn->length == 2 ? (uint32_t)EVENT_BIT(COMPRESSED_INSNS) : 0;
    switch (info->kind) {
    case KIND_BRANCH:
    case KIND_JAL:
    case KIND_JALR:
        return events | control_events(insn, info->kind);
    case KIND_LOAD:
        return events | (uint32_t)EVENT_BIT(LOADS);
    case KIND_STORE:
        return events | (uint32_t)EVENT_BIT(STORES);
    case KIND_LR:
    case KIND_SC:
    case KIND_AMO:
        return events | (uint32_t)(EVENT_BIT(ATOMICS) | EVENT_BIT(SERIALIZED));
    case KIND_FP:
        return events | (uint32_t)EVENT_BIT(FP_INSNS);
    case KIND_ALU:
        if (info->latency == LAT_MUL || info->latency == LAT_DIV)
            events |= (uint32_t)EVENT_BIT(MULDIV_INSNS);
        return events;
    default:
        return events | (uint32_t)EVENT_BIT(SERIALIZED);
    }
}

static bool is_shift(unsigned row)
{
    switch (row) {
    case OP_slli: case OP_srli: case OP_srai: case OP_sll: case OP_srl: case OP_sra:
    case OP_slliw: case OP_srliw: case OP_sraiw: case OP_sllw: case OP_srlw: case OP_sraw:
    case OP_rol: case OP_ror: case OP_rori: case OP_rolw: case OP_rorw: case OP_roriw:
        return true;
    default:
        return false;
    }
}

static uint8_t class_of(const struct insn_info *info)
{
    static const uint8_t fp_class[LAT_COUNT] = {
        [LAT_FADD] = CLASS_FADD, [LAT_FMUL] = CLASS_FMUL, [LAT_FMA] = CLASS_FMA,
        [LAT_FDIV] = CLASS_FDIV, [LAT_FSQRT] = CLASS_FDIV, [LAT_FMISC] = CLASS_FMISC,
        [LAT_FMV_F] = CLASS_FMISC, [LAT_FCVT_X] = CLASS_FMISC, [LAT_FCVT_F] = CLASS_FMISC,
    };
    switch (info->unit) {
    case UNIT_BRANCH: return CLASS_BRANCH;
    case UNIT_COMPLEX: return info->latency == LAT_DIV ? CLASS_DIV : CLASS_MUL;
    case UNIT_LOAD: return CLASS_LOAD;
    case UNIT_STORE: return CLASS_STORE;
    case UNIT_FP: return fp_class[info->latency];
    default: return is_shift(info->row) ? CLASS_SHIFT : CLASS_ALU;
    }
}

/* Instructions with effects outside the register file act alone, at the head of the reorder
 * buffer. */
static bool acts_at_head(unsigned kind)
{
    return kind >= KIND_LR && kind != KIND_FP;
}

static bool is_iterative(unsigned latency)
{
    return latency == LAT_DIV || latency == LAT_FDIV || latency == LAT_FSQRT;
}

static bool converts(const struct insn *insn, unsigned latency)
{
    return latency == LAT_FCVT_X || latency == LAT_FCVT_F || insn->op == OP_fcvt_s_d ||
           insn->op == OP_fcvt_d_s;
}

static bool links(const struct insn *insn, unsigned kind)
{
    return (kind == KIND_JAL || kind == KIND_JALR) && insn->rd != REG_SINK;
}

static uint64_t flags_known(const struct insn *insn, const struct insn_info *info)
{
    return (acts_at_head(info->kind) ? UOP_SERIAL : 0u) |
           (is_iterative(info->latency) ? UOP_ITERATIVE : 0u) |
           (links(insn, info->kind) ? UOP_LINKS : 0u) |
           (insn->op == OP_auipc ? UOP_READS_PC : 0u) |
           (converts(insn, info->latency) ? UOP_CONVERTS : 0u) |
           (info->flags & INSN_IS_FP ? UOP_FP : 0u) |
           (info->kind != KIND_ALU ? UOP_SPECIAL : 0u) |
           (info->kind == KIND_LOAD || info->kind == KIND_STORE ? UOP_ACCESSES : 0u);
}

/* In a hint the field of a source is its extent, so it waits for no register. */
void predecode_take_words(struct predecode *predecode)
{
    predecode->takes_words = true;
}

void predecode_take_moves_as_int(struct predecode *predecode)
{
    predecode->moves_as_int = true;
}

void predecode_place(const struct predecode *predecode, struct predecode_slot *slot)
{
    if (predecode->moves_as_int && slot->latency == LAT_FMV_F)
        slot->unit_class = CLASS_ALU;
}

void predecode_fill(struct predecode_slot *slot, uint32_t bits, unsigned xlen)
{
    insn_decode_xlen(&slot->insn, bits, xlen);
    if (insn_is_hint_mark(&slot->insn))
        slot->insn.rs1 = 0;
    const struct insn_info *info = &insn_info[slot->insn.op];
    slot->uop_flags = flags_known(&slot->insn, info);
    slot->kind = info->kind;
    slot->unit = info->unit;
    slot->unit_class = class_of(info);
    slot->latency = info->latency;
    slot->flags = info->flags;
    slot->mem_bytes = info->mem_bytes;
    slot->state = UOP_FETCHED;
    slot->trap = TRAP_NONE;
    slot->events = predecode_events(&slot->insn);
    slot->is_valid = true;
    slot->run = 0;
    slot->stride = (uint8_t)(slot->insn.length / 2u * sizeof *slot);
}

uint32_t predecode_bundle(const struct phys *phys, uint64_t pa)
{
    uint32_t bits;
    memcpy(&bits, phys_host(phys, pa & ~(uint64_t)(HINT_BUNDLE_BYTES - 1)), sizeof bits);
    return hint_is_bundle(bits) ? bits : 0;
}

void predecode_hints(const struct phys *phys, struct predecode_slot *slot, uint64_t pa)
{
    if (hint_is(slot->insn.bits, pa))
        slot->uop_flags |= UOP_HINT;
    else if (predecode_bundle(phys, pa) != 0)
        slot->uop_flags |= UOP_BUNDLED;
}

/* This page does not determine an instruction that reaches into the next page. */
SELDOM static void decode_slot(const struct predecode *predecode,
                               const struct predecode_page *page, unsigned offset,
                               struct predecode_slot *slot)
{
    const uint8_t *bytes = phys_host(predecode->phys, page->pa + offset);
    uint32_t bits = (uint32_t)(bytes[0] | bytes[1] << 8);
    if (insn_length(bits) == 4) {
        if (offset + 4 > PHYS_PAGE_BYTES)
            return;
        bits |= (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    }
    predecode_fill(slot, bits, predecode->xlen);
    predecode_place(predecode, slot);
    if (predecode->takes_words && slot->kind == KIND_ILLEGAL && offset % 4 == 0) {
        slot->insn.length = 4;
        slot->stride = 2 * sizeof *slot;
    }
    predecode_hints(predecode->phys, slot, page->pa + offset);
}

const struct predecode_slot *predecode_at(struct predecode *predecode, struct predecode_page *page,
                                          unsigned offset)
{
    struct predecode_slot *slot = &page->slot[offset >> 1];
    if (!slot->is_valid)
        decode_slot(predecode, page, offset, slot);
    return slot;
}

uint8_t predecode_run(struct predecode_page *page, unsigned offset, unsigned block_bytes)
{
    struct predecode_slot *first = &page->slot[offset >> 1];
    const struct predecode_slot *slot = first;
    unsigned left = block_bytes - offset % block_bytes;
    uint8_t run = 0;
    while (slot->is_valid && slot->insn.length <= left) {
        run++;
        left -= slot->insn.length;
        if (predecode_is_transfer(slot))
            return first->run = run | PREDECODE_RUN_TRANSFER;
        slot = predecode_next(slot, slot->stride);
    }
    if (left == 0 || slot->is_valid)
        first->run = run;
    return run;
}

static void drop_page(void *arg, uint64_t page_pa)
{
    struct predecode *predecode = arg;
    struct predecode_page *page = predecode->pages[(page_pa - PHYS_RAM_BASE) >> PHYS_PAGE_BITS];
    if (page == NULL)
        return;
    for (unsigned i = 0; i < PHYS_PAGE_BYTES / 2; i++)
        page->slot[i].is_valid = false, page->slot[i].stride = page->slot[i].run = 0;
    page->is_marked = false;
}

void predecode_drop_stale(struct predecode *predecode)
{
    if (predecode->phys->stale_pages != 0)
        phys_take_stale(predecode->phys, drop_page, predecode);
}
