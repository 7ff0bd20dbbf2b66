/* Control and status registers: existence, access rights, effects of reads and writes.
 *
 * csr.def has one row a register: number, name, owner, guard, rule. Registers of other owners
 * (counters, clock, profiling) exist here for permission checks and names; their values are with
 * the owner: the caller dispatches on csr_owner(). Source: Privileged Architecture 20240411, ch. 2.
 *
 * Left out: Smepmp (mseccfg), Svadu's switch (menvcfg.ADUE reads zero; sim/mem/translate/mmu.h says
 * what the hardware does), big-endian data, another XLEN in lower modes. */
#ifndef ISA_CSR_H
#define ISA_CSR_H

#include "isa/hart.h"

/* CSR_mstatus = 0x300, ... */
#define CSR(number, name, owner, guard, rule) CSR_##name = number,
enum csr {
#include "isa/csr.def"
};
#undef CSR

enum csr_owner {
    CSR_NONE,       /* does not exist: illegal instruction */
    CSR_HART,       /* csr_read / csr_write below */
    CSR_PMU,        /* pmu_csr_read / pmu_csr_write: counters, selectors, inhibit, overflow */
    CSR_CLOCK,      /* time */
    CSR_PROFILE,    /* the custom profiling registers: pmu/profile */
    CSR_INDIRECT,   /* sireg*, delegated counters, control transfer records: sim/core/indirect */
    CSR_TRIGGER,    /* debug triggers: pmu/trigger */
};

/* Effects of a write that caches of state elsewhere must follow. */
enum {
    CSR_EFFECT_NONE = 0,
    CSR_EFFECT_TRANSLATION = 1,     /* satp, pmp: cached translations are void; mstatus.{MPRV,SUM,
                                       MXR,MPP}: others apply (sim/mem/translate/mmu.h) */
    CSR_EFFECT_INTERRUPTS = 2,      /* an interrupt may be due now */
    CSR_EFFECT_FP = 4,              /* mstatus.FS or frm changed */
};

enum csr_owner csr_owner(unsigned number);
const char *csr_name(unsigned number);                  /* NULL when it does not exist */

/* Where XLEN is 32 a 64-bit register has two numbers. The one that is to be read and written for
 * `number`: itself, or the register that it is the upper half of (*is_high). */
unsigned csr_whole(unsigned number, bool *is_high);

/* Whether the hart may now access the register (privilege, read-only, counter enables, TVM, FS,
 * XLEN). */
bool csr_is_allowed(const struct hart *hart, unsigned number, bool is_write);

/* Whole registers with owner CSR_HART only, 64 bits wide. Writes are WARL: illegal field values
 * keep the old field. */
uint64_t csr_read(const struct hart *hart, unsigned number);
unsigned csr_write(struct hart *hart, unsigned number, uint64_t value);
/* The value that csrrs and csrrc modify: without the bits of mip that lines drive (section 3.1.9);
 * csr_read for all other registers. rd gets csr_read. */
uint64_t csr_read_modify(const struct hart *hart, unsigned number);

/* The extensions of this hart, as the device tree and as misa spell it (B = Zba, Zbb, Zbs), after
 * "rv64" or "rv32". */
#define HART_ISA_STRING \
    "imafdc_zicntr_zicond_zicsr_zifencei_zihpm_zba_zbb_zbs_smcntrpmf_sscofpmf_sstc"
/* After that, extensions unknown to reference simulators; and those that need records. */
#define HART_ISA_PROFILING "_sdtrig_smcdeleg_smcsrind_ssccfg_sscsrind"
#define HART_ISA_RECORDS "_smctr_ssctr"
uint64_t hart_misa(unsigned xlen);

/* State after reset: M-mode, pc = entry, a0 = hart id, a1 = device tree. FS is Off and all PMP
 * entries are off, so that nothing below M-mode can reach memory until they are set up. */
void hart_reset(struct hart *hart, uint64_t id, uint64_t entry, uint64_t device_tree);
/* Reset gives 64; 32 is for a hart that has executed nothing yet. */
void hart_set_xlen(struct hart *hart, unsigned xlen);

/* Physical memory protection (section 3.7): may `priv` access bytes [pa, pa+size)? access: 0 fetch,
 * 1 load, 2 store. */
bool pmp_allows(const struct hart *hart, uint64_t pa, unsigned size, unsigned access,
                unsigned priv);
/* pmpcfg<2n> holds entries 8n..8n+7. Locked entries and reserved encodings keep their old value. */
uint64_t pmp_read_config(const struct hart *hart, unsigned first);
void pmp_write_config(struct hart *hart, unsigned first, uint64_t value);
void pmp_write_address(struct hart *hart, unsigned entry, uint64_t value);
/* Lets every privilege access everything, for a host that loads a user-mode program. */
void pmp_open(struct hart *hart);

#endif
