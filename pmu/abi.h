/* The contract between profiling hardware, guest software and host tools: register numbers,
 * in-memory formats, flags. Included by guest code (also from assembly for the numbers), so: no
 * dependencies, fixed-width fields, little-endian. Codes here and in the parts it includes are
 * ABI: append, never renumber. */
#ifndef PMU_ABI_H
#define PMU_ABI_H

#include "isa/hint.h"
#include "pmu/abi_metadata.h"
#include "pmu/abi_monitor.h"
#include "pmu/abi_register.h"

/* ---- custom CSRs ----------------------------------------------------------------------------- */
#define CSR_PROF_MODE       0x7c0   /* mode register, PROF_MODE_* */
#define CSR_PROF_SMODE      0x5c0   /* supervisor alias of CSR_PROF_MODE */
/* Supervisor: the number of the thread that runs on this hart, written by the scheduler at each
 * switch. 0 while the idle thread runs, and before the first switch. */
#define CSR_PROF_THREAD     0x5c1
/* Supervisor, bit 0: the flag that start, stop and toggle marks change. A scheduler may save it for
 * each thread. */
#define CSR_PROF_TOGGLE     0x5c2
/* Supervisor: the index/data pair for a scheduler. It reaches the registers that can belong to a
 * thread: thresholds, ranges, pending hints, gates, and counters 3..31 with their events. */
#define CSR_PROF_SINDEX     0x5c6
#define CSR_PROF_SDATA      0x5c7
#define CSR_PROF_SDATAH     0x5c8   /* RV32 */
/* Supervisor: the registers of that pair that the running thread uses, so that a scheduler saves no
 * others. Read: [31:0] open gates; bit 32: hints pending in HINT_AT_SUPERVISOR; [63:35]: counters
 * 3..31, by their number plus 32, that were programmed through CSR_PROF_EVENT. A write sets the
 * last part. RV32 has the lower half only. */
#define CSR_PROF_OWN        0x5c9
#define PROF_OWN_HINTS      (1ull << 32)
#define PROF_OWN_COUNTER    32
#define PROF_OWN_COUNTERS   0xfffffff800000000ull
/* For programs in user mode, as far as PROF_REG_USER permits; rvsim/counter.h uses them. */
#define CSR_PROF_USYNC      0x801   /* write: as PROF_REG_SYNC; reads as 0 */
#define CSR_PROF_UMODE      0x802   /* bit PROF_MODE_ENABLE of CSR_PROF_MODE */
#define CSR_PROF_EVENT      0x800   /* + 3..31: mhpmevent3..31; RV32: + 0x80 has the upper half */
#define CSR_MON_VECTOR      0x7c1   /* monitor entry; 0 = no monitor */
#define CSR_MON_EPC         0x7c2   /* pc the monitor returns to */
#define CSR_MON_CAUSE       0x7c3   /* PROF_CAUSE_* */
#define CSR_MON_STATUS      0x7c4   /* [1:0] interrupted privilege, bit 8: last probe faulted,
                                       bit 9: a waiting WFI (at CSR_MON_EPC) was interrupted; the
                                       monitor's return resumes the wait */
#define CSR_MON_SCRATCH     0x7c5
#define CSR_PROF_INDEX      0x7c6   /* number of the PROF_REG_* that CSR_PROF_DATA accesses */
#define CSR_PROF_DATA       0x7c7
#define CSR_PROF_DATAH      0x7c8   /* RV32: upper half of CSR_PROF_DATA */
#define CSR_IND_IADDR       0xfc0   /* read-only: fields of the oldest pending indicator */
#define CSR_IND_DADDR       0xfc1
#define CSR_IND_COUNT       0xfc2   /* value of the counter before it was cleared */
#define CSR_IND_CYCLES      0xfc3   /* latency in cycles. Mark of code: from issue to completion;
                                       mark of data: of the access; threshold of a store: from
                                       commit until its line is written */
#define CSR_IND_FLAGS       0xfc4   /* MARK_* of the mark; bit 31: it was a data mark */
#define CSR_PROF_LINES      0xfc5   /* [7:0] log2 of the I-line bytes, [15:8] of the D-line bytes */
#define CSR_IND_COUNTH      0xfc6
#define CSR_IND_CYCLESH     0xfc7
#define CSR_IND_LEVEL       0xfc8   /* IND_LEVEL_*: source of the accessed data */
#define IND_LEVEL_NONE      0       /* no access, or no caches (fast engine) */
#define IND_LEVEL_L1        1
#define IND_LEVEL_QUEUE     2       /* the store queue */
#define IND_LEVEL_L2        3
#define IND_LEVEL_L3        4
#define IND_LEVEL_MEMORY    5
#define IND_LEVEL_PEER      6       /* another hart's cache, which had the line alone */
#define CSR_IND_INSNS       0xfc9   /* CSR_PROF_INSNS after the instruction */
#define CSR_PROF_INSNS      0xfca   /* read-only: instructions committed by this hart, without those
                                     * of the monitor */
#define CSR_IND_INSNSH      0xfcb
#define CSR_PROF_INSNSH     0xfcc
#define CSR_MON_PLACE       0xfcd   /* read-only: the key of CSR_MON_EPC (pmu/key.h); the monitor
                                     * reads keys from CSR_IND_IADDR and _DADDR, too */

#define IND_KIND_SHIFT      16      /* CSR_IND_FLAGS [19:16]: reason of the indicator */
#define IND_KIND(flags)     ((flags) >> IND_KIND_SHIFT & 0xf)
#define IND_KIND_MARK       0       /* by a mark */
/* Kinds 1..4 and 8 are requested by PROF_REG_TRANSFERS. */
#define IND_KIND_EXCEPTION  1       /* iaddr: its pc, daddr: xtval, count: the cause */
#define IND_KIND_INTERRUPT  2       /* iaddr: the interrupted pc, count: the cause */
#define IND_KIND_SYSCALL    3       /* an ecall; count: cause, and a7 from IND_NUMBER_SHIFT on */
#define IND_KIND_XRET       4       /* iaddr: pc of the mret or sret, daddr: its target; count: as
                                       of the trap in mcause or scause, plus IND_COUNT_INTERRUPT if
                                       that was an interrupt */
#define IND_KIND_NEAR       5       /* an own counter is near its overflow */
#define IND_KIND_LIMIT      6       /* a limit on a function has expired (abi_register.h): iaddr is
                                       the function, daddr the sp of its entry, count the cycles
                                       that it has run, cycles the limit, level its number */
#define IND_KIND_THREAD     8       /* a write of CSR_PROF_THREAD: iaddr: its pc, daddr: the thread
                                       that runs from now on, count: 1 */

#define IND_CAUSE(count)    ((count) & 0xffff)
#define IND_NUMBER_SHIFT    16      /* CSR_IND_COUNT [47:16] of an ecall from U or S: number of the
                                     * system call, the low half of a7 */
#define IND_NUMBER(count)   ((count) >> IND_NUMBER_SHIFT & 0xffffffff)
#define IND_COUNT_INTERRUPT (1ull << 48)

#define PROF_MODE_ENABLE    1       /* marks act */
#define PROF_MODE_CLAIM     2       /* indicators go to mip.24 even if there is a monitor */
#define PROF_MODE_USER_DATA 4       /* marks on data act on accesses in user mode alone */
#define PROF_MODE_MASKABLE  0x10    /* a counter overflow enters the monitor only while the running
                                     * mode has its interrupts enabled, like a timer's */

#define PROF_CAUSE_INDICATOR 24
#define PROF_CAUSE_LCOFI     13

/* ---- custom-0 instructions, R-type, opcode 0x0b ---------------------------------------------- */
#define PROF_F3_RDAC        0       /* rd = count of the datum at virtual address rs1 */
#define PROF_F3_RDAC_CLEAR  1
#define PROF_F3_RDIC        2       /* rd = count of the instruction at virtual address rs1 */
#define PROF_F3_RDIC_CLEAR  3
#define PROF_F3_MRET        4       /* return from the monitor (monitor only) */
#define PROF_F3_PROBE       5       /* rd = doubleword (RV32: word) at rs1, a multiple of its size,
                                       as the interrupted code sees it; on a fault rd = 0 and
                                       CSR_MON_STATUS bit 8 is 1 (monitor only) */
#define PROF_F3_LOCATE      6       /* rd = physical address of the instruction at rs1 as the
                                       interrupted code sees it; faults like PROBE (monitor only) */

#endif
