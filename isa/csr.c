/* Control and status registers kept in struct hart: permission, reading, writing.
 * The table is csr.def; registers with rule RULE have a case in read_rule and write_rule. */
#include "isa/csr.h"

#include <stddef.h>
#include <string.h>

#include "isa/trap.h"

#define IRQ(name) (UINT64_C(1) << IRQ_##name)
#define ALL UINT64_MAX
#define SUPERVISOR_IRQS (IRQ(SSI) | IRQ(STI) | IRQ(SEI) | IRQ(LCOFI) | IRQ(INDICATOR))
#define MACHINE_IRQS (IRQ(MSI) | IRQ(MTI) | IRQ(MEI))
#define ALL_IRQS (SUPERVISOR_IRQS | MACHINE_IRQS)
/* Exceptions that may be delegated: every exception but the call from M-mode. */
#define MEDELEG_MASK (UINT64_C(0xb3ff))      /* 0..9 and the page faults 12, 13, 15 */

#define SSTATUS_MASK                                                                               \
    (MSTATUS_SIE | MSTATUS_SPIE | MSTATUS_SPP | MSTATUS_FS | MSTATUS_SUM | MSTATUS_MXR)
#define MSTATUS_MASK                                                                               \
    (SSTATUS_MASK | MSTATUS_MIE | MSTATUS_MPIE | MSTATUS_MPP | MSTATUS_MPRV | MSTATUS_TVM |        \
     MSTATUS_TW | MSTATUS_TSR)

enum guard { GUARD_ALWAYS, GUARD_FP, GUARD_COUNTER, GUARD_TVM, GUARD_SSTC, GUARD_DELEGATION,
             GUARD_MONITOR };
enum rule { RULE_OWNER, RULE_ZERO, RULE_WORD, RULE_VECTOR, RULE_RULE, RULE_HIGH };

struct csr_info {
    const char *name;
    uint8_t owner, guard, rule, effect;
    uint16_t offset;            /* of the word in struct hart; HIGH: number of the whole register */
    uint64_t writable;
};

#define OWNER .rule = RULE_OWNER
#define ZERO .rule = RULE_ZERO
#define RULE .rule = RULE_RULE
#define WORD(field, mask) \
    .rule = RULE_WORD, .offset = offsetof(struct hart, field), .writable = mask
#define WORD_IRQ(field, mask) WORD(field, mask), .effect = CSR_EFFECT_INTERRUPTS
#define HIGH(of) .rule = RULE_HIGH, .offset = CSR_##of
#define VECTOR(field) .rule = RULE_VECTOR, .offset = offsetof(struct hart, field)
#define CSR(number, id, own, guarded, ...) \
    [number] = {.name = #id, .owner = CSR_##own, .guard = GUARD_##guarded, __VA_ARGS__},
static const struct csr_info info[4096] = {
#include "isa/csr.def"
};
#undef CSR

static uint64_t word_at(const struct hart *hart, size_t offset)
{
    uint64_t value;
    memcpy(&value, (const char *)hart + offset, sizeof value);
    return value;
}

static void set_word_at(struct hart *hart, size_t offset, uint64_t value)
{
    memcpy((char *)hart + offset, &value, sizeof value);
}

/* ---- permission ------------------------------------------------------------------------------ */

enum csr_owner csr_owner(unsigned number)
{
    return number < 4096 ? (enum csr_owner)info[number].owner : CSR_NONE;
}

const char *csr_name(unsigned number)
{
    return number < 4096 ? info[number].name : NULL;
}

unsigned csr_whole(unsigned number, bool *is_high)
{
    *is_high = number < 4096 && info[number].rule == RULE_HIGH;
    return *is_high ? info[number].offset : number;
}

static bool is_counter_enabled(const struct hart *hart, unsigned index)
{
    uint64_t bit = UINT64_C(1) << index;
    return hart->priv == PRIV_M || ((hart->mcounteren & bit) &&
                                    (hart->priv == PRIV_S || (hart->scounteren & bit)));
}

static bool is_guard_open(const struct hart *hart, unsigned number)
{
    switch (info[number].guard) {
    case GUARD_FP:
        return !hart_fp_is_off(hart);
    case GUARD_COUNTER:
        return is_counter_enabled(hart, number & 31);
    case GUARD_TVM:
        return hart->priv == PRIV_M || !(hart->mstatus & MSTATUS_TVM);
    case GUARD_SSTC:
        return hart->priv == PRIV_M ||
               ((hart->menvcfg & MENVCFG_STCE) && is_counter_enabled(hart, CSR_time & 31));
    case GUARD_DELEGATION:
        return (hart->menvcfg & MENVCFG_CDE) != 0;
    case GUARD_MONITOR:
        return hart->in_monitor || hart->monitor_vector == 0;
    default:
        return true;
    }
}

bool csr_is_allowed(const struct hart *hart, unsigned number, bool is_write)
{
    if (csr_owner(number) == CSR_NONE) {
        return false;
    }
    unsigned lowest = number >> 8 & 3;
    bool is_read_only = (number >> 10 & 3) == 3;
    bool exists = info[number].rule != RULE_HIGH || hart_xlen(hart) == 32;
    return exists && hart->priv >= lowest && !(is_write && is_read_only) &&
           is_guard_open(hart, number);
}

/* ---- reading --------------------------------------------------------------------------------- */

static uint64_t read_mstatus(const struct hart *hart)
{
    bool is_dirty = (hart->mstatus & MSTATUS_FS) == MSTATUS_FS;
    if (hart_xlen(hart) == 32) {
        return hart->mstatus | (is_dirty ? MSTATUS_SD_32 : 0);
    }
    return hart->mstatus | MSTATUS_UXL | MSTATUS_SXL | (is_dirty ? MSTATUS_SD : 0);
}

/* RV32: mode in bit 31, ASID of nine bits from 22 on, page number below (section 10.1.11). */
enum { SATP32_MODE_SHIFT = 31, SATP32_ASID_SHIFT = 22 };
#define SATP32_PPN ((UINT64_C(1) << SATP32_ASID_SHIFT) - 1)

static uint64_t read_satp(const struct hart *hart)
{
    uint64_t satp = hart->satp;
    if (hart_xlen(hart) == 64) {
        return satp;
    }
    return satp >> SATP_MODE_SHIFT << SATP32_MODE_SHIFT |
           (satp >> SATP_ASID_SHIFT & SATP32_ASID) << SATP32_ASID_SHIFT | (satp & SATP32_PPN);
}

static uint64_t satp_of_32(uint64_t value)
{
    return (value >> SATP32_MODE_SHIFT & SATP_SV32) << SATP_MODE_SHIFT |
           (value >> SATP32_ASID_SHIFT & SATP32_ASID) << SATP_ASID_SHIFT | (value & SATP32_PPN);
}

static uint64_t read_rule(const struct hart *hart, unsigned number)
{
    switch (number) {
    case CSR_fflags:
        return hart->fflags;
    case CSR_frm:
        return hart->frm;
    case CSR_fcsr:
        return (uint64_t)hart->frm << 5 | hart->fflags;
    case CSR_mstatus:
        return read_mstatus(hart);
    case CSR_sstatus:
        return read_mstatus(hart) & (SSTATUS_MASK | MSTATUS_UXL | MSTATUS_SD | MSTATUS_SD_32);
    case CSR_mip:
        return trap_mip(hart);
    case CSR_sip:
        return trap_mip(hart) & hart->mideleg;
    case CSR_sie:
        return hart->mie & hart->mideleg;
    case CSR_satp:
        return read_satp(hart);
    case CSR_menvcfg:
        return hart->menvcfg;
    case CSR_pmpcfg0:
    case CSR_pmpcfg2:
        return pmp_read_config(hart, (number - CSR_pmpcfg0) * 4);
    default:
        return hart->pmpaddr[number - CSR_pmpaddr0];
    }
}

uint64_t csr_read(const struct hart *hart, unsigned number)
{
    switch (info[number].rule) {
    case RULE_WORD:
    case RULE_VECTOR:
        return word_at(hart, info[number].offset);
    case RULE_RULE:
        return read_rule(hart, number);
    default:
        return 0;
    }
}

uint64_t csr_read_modify(const struct hart *hart, unsigned number)
{
    if (number == CSR_mip) {
        return hart->mip_software | (hart->irq_lines & ~IRQ(SEI));
    }
    return csr_read(hart, number);
}

/* ---- writing --------------------------------------------------------------------------------- */

static uint64_t merge(uint64_t old, uint64_t value, uint64_t mask)
{
    return (old & ~mask) | (value & mask);
}

static unsigned write_mstatus(struct hart *hart, uint64_t value, uint64_t mask)
{
    uint64_t old = hart->mstatus;
    if ((value & MSTATUS_MPP) >> MSTATUS_MPP_SHIFT == 2) {     /* reserved privilege */
        mask &= ~MSTATUS_MPP;
    }
    hart->mstatus = merge(old, value, mask);
    uint64_t changed = old ^ hart->mstatus;
    unsigned effects = CSR_EFFECT_NONE;
    if (changed & (MSTATUS_MPRV | MSTATUS_MPP | MSTATUS_SUM | MSTATUS_MXR)) {
        effects |= CSR_EFFECT_TRANSLATION;
    }
    if (changed & (MSTATUS_SIE | MSTATUS_MIE)) {
        effects |= CSR_EFFECT_INTERRUPTS;
    }
    return effects | (changed & MSTATUS_FS ? CSR_EFFECT_FP : 0u);
}

/* SEIP, STIP and SSIP have a bit set by software beside the line. LCOFIP is one bit, set by
 * hardware and by software, and cleared only by software. With Sstc, STIP is the comparator's
 * output. */
static unsigned write_mip(struct hart *hart, uint64_t value, uint64_t mask)
{
    if (hart->menvcfg & MENVCFG_STCE) {
        mask &= ~IRQ(STI);
    }
    hart->mip_software = merge(hart->mip_software, value, mask);
    if ((mask & IRQ(LCOFI)) && !(value & IRQ(LCOFI))) {
        hart->irq_lines &= ~IRQ(LCOFI);
    }
    return CSR_EFFECT_INTERRUPTS;
}

static unsigned write_menvcfg(struct hart *hart, uint64_t value)
{
    uint64_t old = hart->menvcfg;
    hart->menvcfg = value & (MENVCFG_FIOM | MENVCFG_CDE | MENVCFG_STCE);
    if ((old ^ hart->menvcfg) & MENVCFG_STCE) {     /* STIP changes its owner */
        hart->mip_software &= ~IRQ(STI);
        hart->irq_lines &= ~IRQ(STI);
    }
    return CSR_EFFECT_INTERRUPTS;
}

static unsigned write_satp(struct hart *hart, uint64_t value)
{
    uint64_t mode = value >> SATP_MODE_SHIFT;
    if (hart_xlen(hart) == 32) {    /* both modes exist */
        hart->satp = satp_of_32(value);
        return CSR_EFFECT_TRANSLATION;
    }
    if (mode == SATP_BARE || mode == SATP_SV39 || mode == SATP_SV48) {
        hart->satp = value;
        return CSR_EFFECT_TRANSLATION;
    }
    return CSR_EFFECT_NONE;
}

static unsigned write_fp(struct hart *hart, unsigned number, uint64_t value)
{
    if (number == CSR_frm) {
        hart->frm = value & 7;
    } else {
        hart->fflags = value & 31;
    }
    if (number == CSR_fcsr) {
        hart->frm = value >> 5 & 7;
    }
    hart_fp_dirty(hart);
    return CSR_EFFECT_FP;
}

static unsigned write_vector(struct hart *hart, size_t offset, uint64_t value)
{
    uint64_t mode = value & 2 ? word_at(hart, offset) & 3 : value & 3;
    set_word_at(hart, offset, (value & ~UINT64_C(3)) | mode);
    return CSR_EFFECT_NONE;
}

static unsigned write_pmp(struct hart *hart, unsigned number, uint64_t value)
{
    if (number >= CSR_pmpaddr0) {
        pmp_write_address(hart, number - CSR_pmpaddr0, value);
    } else {
        pmp_write_config(hart, (number - CSR_pmpcfg0) * 4, value);
    }
    return CSR_EFFECT_TRANSLATION;
}

static unsigned write_rule(struct hart *hart, unsigned number, uint64_t value)
{
    switch (number) {
    case CSR_fflags:
    case CSR_frm:
    case CSR_fcsr:
        return write_fp(hart, number, value);
    case CSR_mstatus:
        return write_mstatus(hart, value, MSTATUS_MASK);
    case CSR_sstatus:
        return write_mstatus(hart, value, SSTATUS_MASK);
    case CSR_mip:
        return write_mip(hart, value, IRQ(SSI) | IRQ(STI) | IRQ(SEI) | IRQ(LCOFI));
    case CSR_sip:
        return write_mip(hart, value, (IRQ(SSI) | IRQ(LCOFI)) & hart->mideleg);
    case CSR_sie:
        hart->mie = merge(hart->mie, value, SUPERVISOR_IRQS & hart->mideleg);
        return CSR_EFFECT_INTERRUPTS;
    case CSR_satp:
        return write_satp(hart, value);
    case CSR_menvcfg:
        return write_menvcfg(hart, value);
    default:
        return write_pmp(hart, number, value);
    }
}

unsigned csr_write(struct hart *hart, unsigned number, uint64_t value)
{
    const struct csr_info *csr = &info[number];
    switch (csr->rule) {
    case RULE_WORD:
        set_word_at(hart, csr->offset, merge(word_at(hart, csr->offset), value, csr->writable));
        return csr->effect;
    case RULE_VECTOR:
        return write_vector(hart, csr->offset, value);
    case RULE_RULE:
        return write_rule(hart, number, value);
    default:
        return CSR_EFFECT_NONE;
    }
}

/* ---- reset ----------------------------------------------------------------------------------- */

uint64_t hart_misa(unsigned xlen)
{
    uint64_t misa = xlen == 32 ? UINT64_C(1) << 30 : UINT64_C(2) << 62;
    for (const char *letter = "ABCDFIMSU"; *letter != '\0'; letter++) {
        misa |= UINT64_C(1) << (*letter - 'A');
    }
    return misa;
}

void hart_reset(struct hart *hart, uint64_t id, uint64_t entry, uint64_t device_tree)
{
    memset(hart, 0, sizeof *hart);
    hart->id = id;
    hart->pc = entry;
    hart->priv = PRIV_M;
    hart->misa = hart_misa(hart_xlen(hart));
    hart->reg[10] = id;
    hart->reg[11] = device_tree;
}

void hart_set_xlen(struct hart *hart, unsigned xlen)
{
    hart->unused_bits = (uint8_t)(64 - xlen);
    hart->misa = hart_misa(xlen);
    hart->reg[11] = hart_value(hart, hart->reg[11]);
}
