/* Control transfer records (Smctr/Ssctr): a circular buffer of the last transfers of control, each
 * with source, target, type and the cycles since the one before; or, in RAS emulation, the calls
 * that have not returned yet.
 *
 * Implemented are all filters, external traps, freezing, RAS emulation, mispredictions and a cycle
 * count of 16 bits. Owned by one processor, which reports transfers when they retire. `now` is the
 * cycle counter that mcycle shows when nothing inhibits it; in a group of instructions that commit
 * together all have the same. Nothing is recorded in the resident monitor, nor on the way into and
 * out of it: to CTR it is Debug Mode.
 * In RAS emulation a return adds the cycles of the popped call back to the counter, so that a
 * call's count goes back to the record below it in the buffer.
 * Left out: hypervisor modes; custom bits; Smstateen.
 * Source: Privileged Architecture, "Smctr" Control Transfer Records Extension 1.0. */
#ifndef PMU_CTR_H
#define PMU_CTR_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/insn.h"

enum { CTR_DEPTH_MIN = 16, CTR_DEPTH_MAX = 256 };

/* ctrdata.TYPE; the filter bit of a type is bit 32 + type of mctrctl. */
enum ctr_type {
    CTR_NONE = 0, CTR_EXCEPTION = 1, CTR_INTERRUPT = 2, CTR_TRAP_RETURN = 3,
    CTR_BRANCH_NOT_TAKEN = 4, CTR_BRANCH_TAKEN = 5, CTR_INDIRECT_CALL = 8, CTR_DIRECT_CALL = 9,
    CTR_INDIRECT_JUMP = 10, CTR_DIRECT_JUMP = 11, CTR_SWAP = 12, CTR_RETURN = 13,
    CTR_OTHER_INDIRECT = 14, CTR_OTHER_DIRECT = 15,
};

/* ctrsource with V in bit 0, ctrtarget with MISP in bit 0, ctrdata. */
struct ctr_record { uint64_t source, target, data; };

struct ctr {
    uint64_t control;               /* mctrctl */
    unsigned depth_max;             /* 16, 32, ... 256; 0: not implemented */
    unsigned depth;                 /* chosen by sctrdepth */
    unsigned write;                 /* sctrstatus.WRPTR */
    bool is_frozen;                 /* sctrstatus.FROZEN */
    uint8_t priv;                   /* current privilege, and whether the monitor runs */
    bool in_monitor;
    bool is_counting;               /* the next record will have a valid cycle count */
    uint64_t cycles, since;         /* active cycles up to cycle `since`, from the last record on */
    struct ctr_record record[CTR_DEPTH_MAX];
};

/* depth_max: 0, or a power of two of CTR_DEPTH_MIN to CTR_DEPTH_MAX. */
void ctr_init(struct ctr *ctr, unsigned depth_max);

/* True if some privilege is recorded and nothing is frozen: transfers must be reported. */
static inline bool ctr_is_on(const struct ctr *ctr)
{
    return (ctr->control & 7) != 0 && !ctr->is_frozen;
}

/* mctrctl, sctrctl, sctrstatus, sctrdepth by their numbers. False: no such register. */
bool ctr_csr_read(const struct ctr *ctr, unsigned number, uint64_t *value);
bool ctr_csr_write(struct ctr *ctr, unsigned number, uint64_t value, uint64_t now);
/* Logical entry 0..255 (0: the youngest); word 0 ctrsource, 1 ctrtarget, 2 ctrdata, others are
 * 0. */
uint64_t ctr_read(const struct ctr *ctr, unsigned entry, unsigned word);
void ctr_write(struct ctr *ctr, unsigned entry, unsigned word, uint64_t value);
/* SCTRCLR */
void ctr_clear(struct ctr *ctr, uint64_t now);

/* The hart is in this mode from now on. */
void ctr_set_privilege(struct ctr *ctr, unsigned priv, bool in_monitor, uint64_t now);
/* A branch or jump in the current mode; `insn` is of that kind. */
void ctr_transfer(struct ctr *ctr, const struct insn *insn, uint64_t pc, uint64_t next_pc,
                  bool is_taken, bool is_mispredicted, uint64_t now);
/* A trap from the current mode, or a trap return, to another; ctr_set_privilege follows. cause: as
 * for trap_enter. */
void ctr_trap(struct ctr *ctr, uint64_t cause, uint64_t epc, uint64_t handler, unsigned to,
              uint64_t now);
void ctr_trap_return(struct ctr *ctr, uint64_t pc, uint64_t target, unsigned to, uint64_t now);

/* The type of a branch or jump. */
enum ctr_type ctr_type_of(const struct insn *insn, bool is_taken);
/* The CC field for a number of cycles, and the number it stands for. */
uint64_t ctr_encode_cycles(uint64_t cycles);
uint64_t ctr_decode_cycles(uint64_t field);

#endif
