/* Control transfer records: the buffer, its filters, and the count of cycles. */
#include "pmu/ctr.h"

#include <assert.h>
#include <string.h>

#include "isa/trap.h"

#define BIT(number) (UINT64_C(1) << (number))
#define CONTROL_U        BIT(0)
#define CONTROL_S        BIT(1)
#define CONTROL_M        BIT(2)
#define CONTROL_RASEMU   BIT(7)
#define CONTROL_STE      BIT(8)
#define CONTROL_MTE      BIT(9)
#define CONTROL_BPFRZ    BIT(11)
#define CONTROL_LCOFIFRZ BIT(12)
#define FILTERS          (UINT64_C(0xff3e) << 32)
#define MACHINE_BITS                                                                               \
    (CONTROL_U | CONTROL_S | CONTROL_M | CONTROL_RASEMU | CONTROL_STE | CONTROL_MTE |              \
     CONTROL_BPFRZ | CONTROL_LCOFIFRZ | FILTERS)
#define SUPERVISOR_BITS (MACHINE_BITS & ~(CONTROL_M | CONTROL_MTE))
#define STATUS_FROZEN BIT(31)
#define SOURCE_VALID BIT(0)
#define TARGET_MISPREDICTED BIT(0)
#define DATA_VALID BIT(15)

enum {
    CSR_SCTRCTL = 0x14e, CSR_SCTRSTATUS = 0x14f, CSR_SCTRDEPTH = 0x15f, CSR_MCTRCTL = 0x34e,
    FILTER_SHIFT = 32, CC_SHIFT = 16, MANTISSA_BITS = 12, EXPONENT_MAX = 15, DEPTH_FIELD = 7,
};
#define CC_MASK UINT64_C(0xffff)
#define DATA_BITS (UINT64_C(15) | DATA_VALID | CC_MASK << CC_SHIFT)

void ctr_init(struct ctr *ctr, unsigned depth_max)
{
    assert(depth_max <= CTR_DEPTH_MAX && (depth_max & (depth_max - 1)) == 0);
    memset(ctr, 0, sizeof *ctr);
    ctr->depth_max = ctr->depth = depth_max;
    ctr->priv = PRIV_M;
}

/* ---- cycles ---------------------------------------------------------------------------------- */

uint64_t ctr_encode_cycles(uint64_t cycles)
{
    unsigned exponent = 0;

    if (cycles >> MANTISSA_BITS != 0)
        exponent = 63 - (unsigned)__builtin_clzll(cycles) - (MANTISSA_BITS - 1);
    if (exponent > EXPONENT_MAX)
        return CC_MASK;
    uint64_t mantissa = exponent == 0 ? cycles : cycles >> (exponent - 1);
    return (uint64_t)exponent << MANTISSA_BITS | (mantissa & (BIT(MANTISSA_BITS) - 1));
}

uint64_t ctr_decode_cycles(uint64_t field)
{
    uint64_t exponent = field >> MANTISSA_BITS & EXPONENT_MAX;
    uint64_t mantissa = field & (BIT(MANTISSA_BITS) - 1);

    return exponent == 0 ? mantissa : (BIT(MANTISSA_BITS) + mantissa) << (exponent - 1);
}

static bool records(const struct ctr *ctr, unsigned priv)
{
    static const uint64_t enable[] = {[PRIV_U] = CONTROL_U, [PRIV_S] = CONTROL_S,
                                      [PRIV_M] = CONTROL_M};

    return (ctr->control & enable[priv]) != 0 && !ctr->is_frozen;
}

/* Cycles are counted while the current mode is recorded. Called before that changes. */
static void count_until(struct ctr *ctr, uint64_t now)
{
    if (records(ctr, ctr->priv) && !ctr->in_monitor)
        ctr->cycles += now - ctr->since;
    ctr->since = now;
}

static void reset_cycles(struct ctr *ctr, uint64_t now)
{
    ctr->cycles = 0;
    ctr->since = now;
    ctr->is_counting = false;
}

/* ---- the buffer ------------------------------------------------------------------------------ */

static struct ctr_record *record_at(struct ctr *ctr, unsigned entry)
{
    return &ctr->record[(ctr->write - entry - 1) & (ctr->depth - 1)];
}

static void fill(struct ctr *ctr, struct ctr_record *record, enum ctr_type type, uint64_t source,
                 uint64_t target, uint64_t now)
{
    count_until(ctr, now);
    record->source = (source & ~BIT(0)) | SOURCE_VALID;
    record->target = target;
    record->data = type | ctr_encode_cycles(ctr->cycles) << CC_SHIFT;
    if (ctr->is_counting)
        record->data |= DATA_VALID;
    ctr->is_counting = true;
    ctr->cycles = 0;
}

static void push(struct ctr *ctr, enum ctr_type type, uint64_t source, uint64_t target,
                 uint64_t now)
{
    fill(ctr, &ctr->record[ctr->write], type, source, target, now);
    ctr->write = (ctr->write + 1) & (ctr->depth - 1);
}

/* The cycles of the popped call count as not recorded again. */
static void pop(struct ctr *ctr, uint64_t now)
{
    struct ctr_record *record;

    count_until(ctr, now);
    ctr->write = (ctr->write - 1) & (ctr->depth - 1);
    record = &ctr->record[ctr->write];
    ctr->cycles += ctr_decode_cycles(record->data >> CC_SHIFT & CC_MASK);
    ctr->is_counting &= (record->source & SOURCE_VALID) != 0 && (record->data & DATA_VALID) != 0;
    record->source &= ~SOURCE_VALID;
}

/* ---- transfers ------------------------------------------------------------------------------- */

static bool is_link(unsigned reg)
{
    return reg == 1 || reg == 5;
}

static enum ctr_type type_of_jalr(unsigned rd, unsigned rs1)
{
    if (is_link(rd))
        return is_link(rs1) && rs1 != rd ? CTR_SWAP : CTR_INDIRECT_CALL;
    if (is_link(rs1))
        return CTR_RETURN;
    return rd == REG_SINK ? CTR_INDIRECT_JUMP : CTR_OTHER_INDIRECT;
}

enum ctr_type ctr_type_of(const struct insn *insn, bool is_taken)
{
    switch (insn_info[insn->op].kind) {
    case KIND_BRANCH:
        return is_taken ? CTR_BRANCH_TAKEN : CTR_BRANCH_NOT_TAKEN;
    case KIND_JAL:
        if (is_link(insn->rd))
            return CTR_DIRECT_CALL;
        return insn->rd == REG_SINK ? CTR_DIRECT_JUMP : CTR_OTHER_DIRECT;
    case KIND_JALR:
        return type_of_jalr(insn->rd, insn->rs1);
    default:
        return CTR_NONE;
    }
}

/* Not-taken branches are recorded only if their filter bit is set, all other types only if theirs
 * is clear. */
static bool passes(const struct ctr *ctr, enum ctr_type type)
{
    bool bit = (ctr->control >> (FILTER_SHIFT + type) & 1) != 0;
    return bit == (type == CTR_BRANCH_NOT_TAKEN);
}

static void emulate_stack(struct ctr *ctr, enum ctr_type type, uint64_t source, uint64_t target,
                          uint64_t now)
{
    if (type == CTR_INDIRECT_CALL || type == CTR_DIRECT_CALL)
        push(ctr, type, source, target, now);
    else if (type == CTR_RETURN)
        pop(ctr, now);
    else if (type == CTR_SWAP)
        fill(ctr, record_at(ctr, 0), type, source, target, now);
}

void ctr_transfer(struct ctr *ctr, const struct insn *insn, uint64_t pc, uint64_t next_pc,
                  bool is_taken, bool is_mispredicted, uint64_t now)
{
    enum ctr_type type = ctr_type_of(insn, is_taken);
    uint64_t target = (next_pc & ~BIT(0)) | (is_mispredicted ? TARGET_MISPREDICTED : 0);

    if (type == CTR_NONE || ctr->in_monitor || !records(ctr, ctr->priv))
        return;
    if ((ctr->control & CONTROL_RASEMU) != 0)
        emulate_stack(ctr, type, pc, target, now);
    else if (passes(ctr, type))
        push(ctr, type, pc, target, now);
}

/* ---- changes of privilege -------------------------------------------------------------------- */

void ctr_set_privilege(struct ctr *ctr, unsigned priv, bool in_monitor, uint64_t now)
{
    count_until(ctr, now);
    ctr->priv = (uint8_t)priv;
    ctr->in_monitor = in_monitor;
}

/* True: the trap stops recording, and is not recorded itself. */
static bool freezes(struct ctr *ctr, uint64_t cause, uint64_t now)
{
    bool freeze =
        (cause == TRAP_BREAKPOINT && (ctr->control & CONTROL_BPFRZ) != 0) ||
        (cause == (TRAP_INTERRUPT | IRQ_LCOFI) && (ctr->control & CONTROL_LCOFIFRZ) != 0);

    if (freeze) {
        count_until(ctr, now);
        ctr->is_frozen = true;
    }
    return freeze;
}

/* True if a trap leads from a recorded mode to one that is not recorded; the modes on the way must
 * permit its record. */
static bool leaves_record(const struct ctr *ctr, unsigned to)
{
    uint64_t needed = (to == PRIV_M ? CONTROL_MTE : 0) | (ctr->priv == PRIV_U ? CONTROL_STE : 0);

    return needed != 0 && (ctr->control & needed) == needed;
}

void ctr_trap(struct ctr *ctr, uint64_t cause, uint64_t epc, uint64_t handler, unsigned to,
              uint64_t now)
{
    enum ctr_type type = (cause & TRAP_INTERRUPT) != 0 ? CTR_INTERRUPT : CTR_EXCEPTION;
    bool from_recorded = records(ctr, ctr->priv);

    if (ctr->in_monitor || freezes(ctr, cause, now) || (ctr->control & CONTROL_RASEMU) != 0)
        return;
    if (records(ctr, to)) {
        if (passes(ctr, type))
            push(ctr, type, from_recorded ? epc : 0, handler & ~BIT(0), now);
    } else if (from_recorded && leaves_record(ctr, to)) {
        push(ctr, type, epc, 0, now);
    }
}

void ctr_trap_return(struct ctr *ctr, uint64_t pc, uint64_t target, unsigned to, uint64_t now)
{
    if (ctr->in_monitor || !records(ctr, ctr->priv) || (ctr->control & CONTROL_RASEMU) != 0 ||
        !passes(ctr, CTR_TRAP_RETURN))
        return;
    push(ctr, CTR_TRAP_RETURN, pc, records(ctr, to) ? target & ~BIT(0) : 0, now);
}

/* ---- registers ------------------------------------------------------------------------------- */

static void write_control(struct ctr *ctr, uint64_t value, uint64_t mask, uint64_t now)
{
    ctr->control = (ctr->control & ~mask) | (value & mask);
    reset_cycles(ctr, now);
}

/* Unsupported depths leave the old one. */
static void write_depth(struct ctr *ctr, uint64_t value)
{
    unsigned depth = (unsigned)CTR_DEPTH_MIN << (value & DEPTH_FIELD);

    if (depth <= ctr->depth_max)
        ctr->depth = depth;
    ctr->write &= ctr->depth - 1;
}

static void write_status(struct ctr *ctr, uint64_t value, uint64_t now)
{
    count_until(ctr, now);
    ctr->write = (unsigned)value & (ctr->depth - 1);
    ctr->is_frozen = (value & STATUS_FROZEN) != 0;
}

bool ctr_csr_read(const struct ctr *ctr, unsigned number, uint64_t *value)
{
    switch (number) {
    case CSR_MCTRCTL:
        *value = ctr->control;
        break;
    case CSR_SCTRCTL:
        *value = ctr->control & SUPERVISOR_BITS;
        break;
    case CSR_SCTRSTATUS:
        *value = ctr->write | (ctr->is_frozen ? STATUS_FROZEN : 0);
        break;
    case CSR_SCTRDEPTH:
        *value = (uint64_t)__builtin_ctz(ctr->depth | CTR_DEPTH_MAX << 1) - 4;
        break;
    default:
        return false;
    }
    return ctr->depth_max != 0;
}

bool ctr_csr_write(struct ctr *ctr, unsigned number, uint64_t value, uint64_t now)
{
    switch (number) {
    case CSR_MCTRCTL:
        write_control(ctr, value, MACHINE_BITS, now);
        return true;
    case CSR_SCTRCTL:
        write_control(ctr, value, SUPERVISOR_BITS, now);
        return true;
    case CSR_SCTRSTATUS:
        write_status(ctr, value, now);
        return true;
    case CSR_SCTRDEPTH:
        write_depth(ctr, value);
        return true;
    default:
        return false;
    }
}

static uint64_t *word_of(struct ctr_record *record, unsigned word)
{
    uint64_t *const words[] = {&record->source, &record->target, &record->data};

    return word < 3 ? words[word] : NULL;
}

uint64_t ctr_read(const struct ctr *ctr, unsigned entry, unsigned word)
{
    struct ctr_record record;
    const uint64_t *value = word_of(&record, word);

    if (entry >= ctr->depth || value == NULL)
        return 0;
    record = ctr->record[(ctr->write - entry - 1) & (ctr->depth - 1)];
    return *value;
}

void ctr_write(struct ctr *ctr, unsigned entry, unsigned word, uint64_t value)
{
    if (entry >= ctr->depth || word > 2)
        return;
    *word_of(record_at(ctr, entry), word) = word == 2 ? value & DATA_BITS : value;
}

void ctr_clear(struct ctr *ctr, uint64_t now)
{
    memset(ctr->record, 0, sizeof ctr->record);
    reset_cycles(ctr, now);
}
