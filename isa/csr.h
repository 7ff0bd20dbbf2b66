/* Control and status registers: existence, access rights, effects of reads and writes.
 *
 * csr.def has one row a register: number, name, owner, guard, rule. Registers of other owners
 * (counters, clock, profiling) are here for permission checks and names only; the owner has their
 * values, and the caller dispatches on csr_owner(). Source: Privileged Architecture 20240411, ch.
 * 2.
 *
 * Left out: Smepmp (mseccfg), Svadu's switch (menvcfg.ADUE reads zero; sim/mem/translate/mmu.h
 * describes the hardware), big-endian data, another XLEN in lower modes. */
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

/* Effects of a write on cached state outside struct hart. */
enum {
    CSR_EFFECT_NONE = 0,
    CSR_EFFECT_TRANSLATION = 1,     /* satp, pmp: cached translations are invalid;
                                     * mstatus.{MPRV,SUM,MXR,MPP}: accesses use other cached
                                     * translations (sim/mem/translate/mmu.h) */
    CSR_EFFECT_INTERRUPTS = 2,      /* an interrupt may be due now */
    CSR_EFFECT_FP = 4,              /* mstatus.FS or frm changed */
};

enum csr_owner csr_owner(unsigned number);
const char *csr_name(unsigned number);                  /* NULL: no such register */

/* Where XLEN is 32 a 64-bit register has two numbers. Returns the number of the whole register:
 * `number` itself, or the register whose upper half it is (*is_high). */
unsigned csr_whole(unsigned number, bool *is_high);

/* True if the hart may now access the register (privilege, read-only, counter enables, TVM, FS,
 * XLEN). */
bool csr_is_allowed(const struct hart *hart, unsigned number, bool is_write);

/* For whole registers with owner CSR_HART only, 64 bits wide. Writes are WARL: illegal field values
 * keep the old field. */
uint64_t csr_read(const struct hart *hart, unsigned number);
unsigned csr_write(struct hart *hart, unsigned number, uint64_t value);
/* The value that csrrs and csrrc modify: without the bits of mip that lines drive (section 3.1.9);
 * csr_read for all other registers. rd gets csr_read. */
uint64_t csr_read_modify(const struct hart *hart, unsigned number);

/* The extensions of this hart, in the spelling of the device tree and misa (B = Zba, Zbb, Zbs),
 * after "rv64" or "rv32". */
#define HART_ISA_STRING \
    "imafdc_zicntr_zicond_zicsr_zifencei_zihpm_zba_zbb_zbs_smcntrpmf_sscofpmf_sstc"
/* Appended to that: extensions unknown to reference simulators; extensions that need control
 * transfer records. */
#define HART_ISA_PROFILING "_sdtrig_smcdeleg_smcsrind_ssccfg_sscsrind"
#define HART_ISA_RECORDS "_smctr_ssctr"
uint64_t hart_misa(unsigned xlen);

/* State after reset: M-mode, pc = entry, a0 = hart id, a1 = device tree. FS is Off and all PMP
 * entries are off, so that nothing below M-mode can reach memory until they are set up. */
void hart_reset(struct hart *hart, uint64_t id, uint64_t entry, uint64_t device_tree);
/* Reset sets 64; 32 may be set only before the hart has executed an instruction. */
void hart_set_xlen(struct hart *hart, unsigned xlen);

/* Physical memory protection (section 3.7): true if `priv` may access bytes [pa, pa+size). access:
 * 0 fetch, 1 load, 2 store. */
bool pmp_allows(const struct hart *hart, uint64_t pa, unsigned size, unsigned access,
                unsigned priv);
/* pmpcfg<2n> holds entries 8n..8n+7. Locked entries and reserved encodings keep their old value. */
uint64_t pmp_read_config(const struct hart *hart, unsigned first);
void pmp_write_config(struct hart *hart, unsigned first, uint64_t value);
void pmp_write_address(struct hart *hart, unsigned entry, uint64_t value);
/* Lets every privilege access all memory, for a host that loads a user-mode program. */
void pmp_open(struct hart *hart);

#endif
