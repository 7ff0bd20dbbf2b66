/* Supervisor registers after siselect, and the registers of control transfer records. */
#include "sim/core/indirect.h"

#include "isa/csr.h"
#include "sim/core/profile/observe.h"

enum {
    SELECT_COUNTER = 0x40, SELECT_RECORD = 0x200, SELECT_RECORDS = 0x100, COUNTERS = 32,
    COUNTER_CYCLE = 0, COUNTER_TIME = 1, COUNTER_INSTRET = 2,
};
#define SELECT_MINH (UINT64_C(1) << 62)

/* sireg and sireg2, sireg3 are words 0, 1, 2; sireg4.. are 3, 4, 5. */
static unsigned word_of(unsigned number)
{
    return number < CSR_sireg4 ? number - CSR_sireg : number - CSR_sireg4 + 3;
}

static uint64_t now_of(const struct cpu *cpu)
{
    return cpu->pmu.events[EVENT_CYCLES];
}

/* ---- delegated counters ---------------------------------------------------------------------- */

static bool is_delegated(const struct hart *hart, unsigned counter)
{
    return (hart->menvcfg & MENVCFG_CDE) != 0 && counter != COUNTER_TIME &&
           (hart->mcounteren >> counter & 1) != 0;
}

/* The machine-level CSR after a word: the counter or its event; *is_high: upper half. 0: none. */
static unsigned counter_csr(const struct hart *hart, unsigned counter, unsigned word,
                            bool *is_high)
{
    static const unsigned event[] = {[COUNTER_CYCLE] = CSR_mcyclecfg,
                                     [COUNTER_INSTRET] = CSR_minstretcfg};
    bool is_half = word == 3 || word == 4;

    *is_high = is_half;
    if (!is_delegated(hart, counter) || word == 2 || word == 5 ||
        (is_half && hart_xlen(hart) == 64))
        return 0;
    if (word == 0 || word == 3)
        return CSR_mcycle + counter;
    return counter <= COUNTER_INSTRET ? event[counter] : CSR_mcountinhibit + counter;
}

static bool is_event(unsigned csr)
{
    return csr < CSR_mcycle;
}

static bool counter_read(struct cpu *cpu, unsigned counter, unsigned word, uint64_t *value)
{
    bool is_high;
    unsigned csr = counter_csr(&cpu->hart, counter, word, &is_high);

    if (csr == 0 || !pmu_csr_read(&cpu->pmu, csr, value))
        return false;
    if (is_event(csr))
        *value &= ~SELECT_MINH;
    if (is_high)
        *value >>= 32;
    return true;
}

static bool counter_write(struct cpu *cpu, unsigned counter, unsigned word, uint64_t value)
{
    bool is_high;
    unsigned csr = counter_csr(&cpu->hart, counter, word, &is_high);
    uint64_t old = 0;

    if (csr == 0 || !pmu_csr_read(&cpu->pmu, csr, &old))
        return false;
    if (is_high)
        value = value << 32 | (uint32_t)old;
    if (is_event(csr))
        value = (value & ~SELECT_MINH) | (old & SELECT_MINH);
    return pmu_csr_write(&cpu->pmu, csr, value);
}

static bool inhibit_write(struct cpu *cpu, uint64_t value)
{
    uint64_t old = 0, mask = cpu->hart.mcounteren;

    pmu_csr_read(&cpu->pmu, CSR_mcountinhibit, &old);
    return pmu_csr_write(&cpu->pmu, CSR_mcountinhibit, (old & ~mask) | (value & mask));
}

/* ---- all of them ----------------------------------------------------------------------------- */

static bool is_record(const struct cpu *cpu, uint64_t select)
{
    return select - SELECT_RECORD < SELECT_RECORDS && cpu->ctr.depth_max != 0;
}

static bool alias_read(struct cpu *cpu, unsigned number, uint64_t *value)
{
    uint64_t select = cpu->hart.siselect;

    if (select - SELECT_COUNTER < COUNTERS)
        return counter_read(cpu, (unsigned)select - SELECT_COUNTER, word_of(number), value);
    if (!is_record(cpu, select))
        return false;
    *value = ctr_read(&cpu->ctr, (unsigned)select - SELECT_RECORD, word_of(number));
    return true;
}

static bool alias_write(struct cpu *cpu, unsigned number, uint64_t value)
{
    uint64_t select = cpu->hart.siselect;

    if (select - SELECT_COUNTER < COUNTERS)
        return counter_write(cpu, (unsigned)select - SELECT_COUNTER, word_of(number), value);
    if (!is_record(cpu, select))
        return false;
    ctr_write(&cpu->ctr, (unsigned)select - SELECT_RECORD, word_of(number), value);
    return true;
}

static bool is_alias(unsigned number)
{
    return number >= CSR_sireg && number <= CSR_sireg6;
}

bool indirect_read(struct cpu *cpu, unsigned number, uint64_t *value)
{
    if (is_alias(number))
        return alias_read(cpu, number, value);
    if (number != CSR_scountinhibit)
        return ctr_csr_read(&cpu->ctr, number, value);
    pmu_csr_read(&cpu->pmu, CSR_mcountinhibit, value);
    *value &= cpu->hart.mcounteren;
    return true;
}

bool indirect_write(struct cpu *cpu, unsigned number, uint64_t value, unsigned *effects)
{
    cpu->pmu.is_writer = true;
    *effects |= CPU_EFFECT_SHADOW | CSR_EFFECT_INTERRUPTS;
    if (is_alias(number))
        return alias_write(cpu, number, value);
    if (number == CSR_scountinhibit)
        return inhibit_write(cpu, value);
    if (!ctr_csr_write(&cpu->ctr, number, value, now_of(cpu)))
        return false;
    cpu_observers_changed(cpu);
    return true;
}
