/* Debug triggers (Sdtrig): conditions on instructions, accesses and traps that raise a breakpoint
 * exception, send a signal, which counts as event TRIGGER_8 or TRIGGER_9, or open and close the
 * gate of counters with the toggle filter.
 *
 * Eight triggers, each of type mcontrol6 (or its predecessor mcontrol), icount, itrigger or
 * etrigger. mcontrol and mcontrol6 match addresses: equal, NAPOT, >=, <; for an instruction its
 * first byte, for an access all of its bytes; chains of any length. Breakpoints (action 0) come
 * before the instruction; signals (actions 8, 9) when it retires, so that a trapping instruction is
 * not counted. The trace actions also act at retirement, and switch that gate: 2 (trace on) opens
 * it as a start mark does, 3 (off) closes it, 4 (notify) changes it; in the standard they control a
 * trace unit, which does not exist here. textra limits a trigger to values of mcontext and of
 * scontext, by bytes, or to an ASID. An unsupported value leaves a disabled trigger (type 15).
 * Breakpoints in a mode that could not return from them are suppressed: M with mstatus.MIE clear, S
 * with SIE clear where breakpoints are delegated. No trigger looks at the resident monitor. Left
 * out: Debug Mode and its bit dmode, data values (select), masks, tmexttrigger, additions of the
 * hypervisor extension.
 * Source: RISC-V Debug Specification 1.0, chapter 5 (Sdtrig). */
#ifndef PMU_TRIGGER_H
#define PMU_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>

enum { TRIGGERS = 8 };

struct trigger { uint64_t data1, data2, data3; };     /* 1 and 3 as where XLEN is 64 */

struct triggers {
    struct trigger trigger[TRIGGERS];
    unsigned select;
    uint32_t scontext;              /* compared with textra */
    uint16_t mcontext;
    uint16_t asid, asid_mask;       /* of satp; the caller sets them before a call */
    bool looks_before;              /* triggers_before is needed for every instruction */
    bool looks_at_retired;          /* triggers_retired likewise */
    bool looks_at_traps;            /* triggers_trap for every trap */
    bool was_written;               /* a trigger was written by the instruction that is about to
                                     * retire */
};

/* An instruction and its data access. */
struct trigger_access {
    uint64_t pc, va;
    uint8_t insn_bytes;             /* 0: it could not be fetched */
    uint8_t access_bytes;           /* 0: none */
    bool is_load, is_store;         /* an AMO is both */
    uint8_t priv;                   /* mode in which it was fetched */
};

/* The triggers that fired. */
enum { TRIGGER_BREAKS = 1, TRIGGER_SIGNAL_8 = 2, TRIGGER_SIGNAL_9 = 4, TRIGGER_STARTS = 8,
       TRIGGER_STOPS = 16, TRIGGER_TOGGLES = 32 };

void triggers_init(struct triggers *triggers);

/* tselect, tdata1..3, tinfo, scontext, mcontext by their numbers; xlen 32 or 64. False: no such
 * register. */
bool triggers_csr_read(const struct triggers *triggers, unsigned number, unsigned xlen,
                       uint64_t *value);
bool triggers_csr_write(struct triggers *triggers, unsigned number, unsigned xlen,
                        uint64_t value);

/* Tests the triggers before the instruction executes. may_break: breakpoints are not suppressed.
 * With TRIGGER_BREAKS *tval is set: the instruction must not execute. */
unsigned triggers_before(struct triggers *triggers, const struct trigger_access *access,
                         bool may_break, uint64_t *tval);
/* The instruction of this access has retired. */
unsigned triggers_retired(struct triggers *triggers, const struct trigger_access *access);
/* A trap was taken from mode `from`; cause: as for trap_enter; may_break: for the handler's mode.
 * TRIGGER_BREAKS: the handler must trap before its first instruction. */
unsigned triggers_trap(struct triggers *triggers, uint64_t cause, unsigned from, bool may_break);

#endif
