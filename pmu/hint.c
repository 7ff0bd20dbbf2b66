/* Pending indicators of the instruction stream; see hint.h and isa/hint.h.
 *
 * An instruction that itself changes the pending hints (a return from a trap, a write to
 * PROF_REG_HINT) does so before it commits; the hints that mark it are kept in hint_before. */
#include "pmu/hint.h"

#include "isa/hint.h"
#include "pmu/abi.h"
#include "pmu/abi_metadata.h"

/* Opcode OP-IMM, rd = x0; funct3 and opcode alone tell slti and sltiu apart. */
#define STREAM_MASK     UINT32_C(0x00007fff)
#define STREAM_FLAGS    UINT32_C(0x00002013)
#define STREAM_LABEL    UINT32_C(0x00003013)
#define LEFT_MASK       UINT64_C(31)
#define FLAG_MARKS      (MARK_COUNT | MARK_INTERRUPT | MARK_START | MARK_STOP | MARK_TOGGLE)

enum { IMM_SHIFT = 20, LATENCY_BITS = 7 };

static unsigned imm_of(uint32_t bits)
{
    return bits >> IMM_SHIFT;
}

static unsigned count_of(uint32_t bits)
{
    return bits >> 15 & LEFT_MASK;
}

static bool flags_are_valid(uint64_t imm)
{
    return (imm & HINT_FLAGS_RESERVED) == 0;
}

static bool label_is_valid(uint64_t imm)
{
    return (imm & HINT_LABEL_RESERVED) == 0 && (imm & HINT_LABEL_MASK) != 0;
}

static bool is_valid(uint32_t bits)
{
    if ((bits & STREAM_MASK) == STREAM_FLAGS)
        return flags_are_valid(imm_of(bits));
    return (bits & STREAM_MASK) == STREAM_LABEL && label_is_valid(imm_of(bits));
}

bool hint_is(uint32_t bits, uint64_t address)
{
    return is_valid(bits) && (count_of(bits) != 0 || address % HINT_BUNDLE_BYTES == 0);
}

bool hint_is_bundle(uint32_t bits)
{
    return is_valid(bits) && count_of(bits) == 0;
}

/* ---- pending hints --------------------------------------------------------------------------- */

void hint_commit(struct pmu *pmu, uint32_t bits)
{
    uint64_t word = imm_of(bits) | (uint64_t)count_of(bits) << HINT_LEFT_SHIFT;

    if (count_of(bits) == 0)
        return;
    if ((bits & STREAM_MASK) == STREAM_LABEL)
        pmu->hint[HINT_AT_NOW].label = word;
    else
        pmu->hint[HINT_AT_NOW].flags = (word & HINT_IMM_MASK) != 0 ? word : 0;
}

static void add_flags(struct mark *mark, uint64_t imm)
{
    unsigned latency = (unsigned)imm >> HINT_LATENCY_SHIFT & LATENCY_BITS;

    mark->flags |= (uint16_t)(imm & FLAG_MARKS);
    if (latency != 0)
        mark->flags |= MARK_THRESHOLD;
    mark->latency_bits |= (uint8_t)latency;
}

static void add_label(struct mark *mark, uint64_t imm)
{
    mark->flags |= MARK_LABEL;
    mark->label = imm & HINT_LABEL_MASK;
    if ((imm & HINT_LABEL_COUNT) != 0)
        mark->flags |= MARK_COUNT;
    if ((imm & HINT_LABEL_INTERRUPT) != 0)
        mark->flags |= MARK_INTERRUPT;
}

static void add_bundle(struct mark *mark, uint32_t bits)
{
    if ((bits & STREAM_MASK) == STREAM_LABEL)
        add_label(mark, imm_of(bits));
    else
        add_flags(mark, imm_of(bits));
    mark->flags |= MARK_BUNDLE;
}

/* Decrements the number of instructions still to be marked. */
static void step(uint64_t *word)
{
    if (*word != 0)
        *word -= UINT64_C(1) << HINT_LEFT_SHIFT;
    if (*word >> HINT_LEFT_SHIFT == 0)
        *word = 0;
}

bool hint_take(struct pmu *pmu, uint32_t bundle, struct mark *mark)
{
    struct hint_pair pair = pmu->hint_moved ? pmu->hint_before : pmu->hint[HINT_AT_NOW];

    *mark = (struct mark){.flags = 0};
    if (bundle != 0)
        add_bundle(mark, bundle);
    if (pair.flags != 0)
        add_flags(mark, pair.flags);
    if (pair.label != 0)
        add_label(mark, pair.label & HINT_IMM_MASK);
    if (!pmu->hint_moved) {
        step(&pmu->hint[HINT_AT_NOW].flags);
        step(&pmu->hint[HINT_AT_NOW].label);
    }
    pmu->hint_moved = false;
    if (mark->flags == 0)
        return false;
    mark->flags |= MARK_HINT;
    return true;
}

/* ---- changes of level ------------------------------------------------------------------------ */

void hint_trap(struct pmu *pmu, unsigned place)
{
    pmu->hint[place] = pmu->hint[HINT_AT_NOW];
    pmu->hint[HINT_AT_NOW] = (struct hint_pair){0, 0};
}

static bool is_enabled(const struct pmu *pmu)
{
    return (pmu->mode & PROF_MODE_ENABLE) != 0;
}

/* The pending hints change while an instruction is about to commit. */
static void keep_for_commit(struct pmu *pmu)
{
    if (pmu->hint_moved || pmu->in_monitor)
        return;
    pmu->hint_before = pmu->hint[HINT_AT_NOW];
    pmu->hint_moved = true;
}

void hint_return(struct pmu *pmu, unsigned place)
{
    if (is_enabled(pmu)) {
        keep_for_commit(pmu);
        pmu->hint[HINT_AT_NOW] = pmu->hint[place];
    }
    pmu->hint[place] = (struct hint_pair){0, 0};
}

void hint_forget(struct pmu *pmu)
{
    pmu->hint[HINT_AT_NOW] = (struct hint_pair){0, 0};
    pmu->hint_moved = false;
}

/* ---- registers ------------------------------------------------------------------------------- */

uint64_t *hint_register(struct pmu *pmu, unsigned offset)
{
    struct hint_pair *pair = &pmu->hint[offset >> 1];

    return (offset & 1) != 0 ? &pair->label : &pair->flags;
}

static uint64_t checked(uint64_t value, bool is_label)
{
    uint64_t imm = value & HINT_IMM_MASK, left = value >> HINT_LEFT_SHIFT & LEFT_MASK;
    bool is_valid = is_label ? label_is_valid(imm) : flags_are_valid(imm) && imm != 0;

    return is_valid && left != 0 ? imm | left << HINT_LEFT_SHIFT : 0;
}

void hint_write(struct pmu *pmu, unsigned offset, uint64_t value)
{
    if (offset >> 1 == HINT_AT_NOW) {
        if (!is_enabled(pmu))
            return;
        keep_for_commit(pmu);
    }
    *hint_register(pmu, offset) = checked(value, (offset & 1) != 0);
}
