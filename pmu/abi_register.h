/* Part of pmu/abi.h: the registers of the index/data pair, and the fields of mhpmevent. */
#ifndef PMU_ABI_REGISTER_H
#define PMU_ABI_REGISTER_H

/* Registers of CSR_PROF_INDEX / CSR_PROF_DATA and in the memory-mapped window. */
#define PROF_REG_SEGMENT    0x000   /* + 4*i + {0 start pa, 1 bytes, 2 table pa, 3 kind} */
#define PROF_SEGMENTS       16
#define PROF_SEGMENT_TEXT   1       /* kind: 0 unused */
#define PROF_SEGMENT_DATA   2
#define PROF_REG_LATENCY    0x100   /* + b: cycles of latency bit b; reset: pmu.latency_b */
#define PROF_REG_IRANGE     0x200   /* + 4*i + {0 start, 1 end, 2 entries, 3 executed} */
#define PROF_REG_DRANGE     0x300   /* + 4*i + {0 start, 1 end, 2 entries, 3 accesses} */
#define PROF_RANGES         8       /* virtual addresses; end is exclusive */
#define PROF_REG_LOST       0x400   /* indicator interrupts lost because the queue was full */
#define PROF_REG_ACK        0x401   /* write: drop the oldest pending indicator record */
#define PROF_REG_MEASURE    0x402   /* how thresholds are measured; reset: pmu.measure, 0: every
                                     * marked instruction is measured, and each signals */
#define PROF_MEASURE_SAMPLE 1       /* measure only instructions in one slot of their issue queue;
                                     * others never exceed a threshold */
#define PROF_MEASURE_GROUP  2       /* of the instructions that commit together, only the first that
                                     * exceeds a threshold signals count and interrupt; else each
                                     * does */
#define PROF_MEASURE_PEER   4       /* only accesses that another hart's cache answered
                                     * (IND_LEVEL_PEER) can exceed a threshold */
#define PROF_MEASURE_ROTATE 8       /* with sampling: PROF_MEASURE_SLOT_SHIFT is ignored; a new slot
                                     * is drawn after as many instructions as there are slots */
#define PROF_MEASURE_SLOT_SHIFT 8   /* [15:8] the slot. In queues that do not select by position it
                                     * is the instruction's number modulo the queue's size; in the
                                     * in-order back end, modulo the width of issue; 0 in the fast
                                     * engine */
#define PROF_REG_COUNTER_FORMAT 0x403   /* of own counters; reset: pmu.counter_bits, _saturates */
#define PROF_COUNTER_BITS   0x7f        /* width 8..64; any other value means 64 */
#define PROF_COUNTER_SATURATES 0x80     /* else a counter wraps to zero */
#define PROF_REG_NEAR       0x404       /* MARK_NEAR: a counter is near its overflow when it is less
                                         * than this below its maximum; 0 = never; reset:
                                         * pmu.near */
#define PROF_REG_TRANSFERS  0x405   /* transfers that raise an indicator without a mark, while
                                     * PROF_MODE_ENABLE is 1; reset: pmu.transfers. Not the entry of
                                     * an indicator or counter-overflow interrupt, nor the return
                                     * from it, nor anything in the monitor */
#define PROF_TRANSFER_EXCEPTION 1
#define PROF_TRANSFER_INTERRUPT 2
#define PROF_TRANSFER_SYSCALL   4   /* a trap that the simulator serves returns at once */
#define PROF_TRANSFER_XRET      8
#define PROF_TRANSFER_THREAD    16  /* a write of CSR_PROF_THREAD: the scheduler switched */
#define PROF_REG_SYNC       0x410   /* write: counts in this hart's shadow frames are written to
                                     * memory, and metadata is looked up again; reads as 0 */
#define PROF_REG_USER       0x411   /* bits 31:3: counters that modes below M may program through
                                     * CSR_PROF_EVENT, if mcounteren and scounteren let them read;
                                     * not 0: CSR_PROF_USYNC and _UMODE exist too. Reset: 0; all, if
                                     * the simulator loads a Linux program. Bits 63:35 are those of
                                     * CSR_PROF_OWN; a write clears them */
#define PROF_USER_ALL       0xfffffff8

/* The counters, as mcycle (0), minstret (2) and mhpmcounter3..31; their events, as mcyclecfg,
 * minstretcfg and mhpmevent3..31; mcountinhibit; CSR_PROF_MODE. */
#define PROF_REG_COUNTER    0x500   /* + number */
#define PROF_REG_EVENT      0x520   /* + number */
#define PROF_REG_INHIBIT    0x540
#define PROF_REG_MODE       0x541

/* The memory-mapped window (setting pmu.window_base, in the device tree): register PROF_REG_x of
 * hart h is the 64-bit word at base + h * PROF_WINDOW_BYTES + 8 * x. Aligned accesses of 8 bytes,
 * or of 4 to either half; others are access faults. */
#define PROF_WINDOW_BYTES   0x8000

/* + 2*n + PROF_GATE_*: gates. Gate 0 is the flag that every start, stop and toggle mark changes. A
 * mark that also has a label n below PROF_GATES changes gate n. Such a gate stores the stack
 * pointer with which it was opened: while it is open, starts and stops at a lower stack pointer,
 * which belong to a recursion, leave it open. */
#define PROF_REG_GATE       0x580
#define PROF_GATES          32
#define PROF_GATE_OPEN      0       /* bit 0: open; the rest, not of gate 0: the stack pointer */
#define PROF_GATE_STARTS    1       /* start marks that the gate has seen; not for gate 0 */
#define PROF_GATE_WORDS     2

/* + 8*i + PROF_AREA_*: work areas, the counters of MARK_AREA. Item p counts in the cell at counts +
 * ((p - start) >> granule) * size; start is rounded down to its granule. An area that is empty,
 * wraps, or has misaligned counts or counts outside RAM is ignored; of several around an item the
 * first counts. An item in no area does not count. */
#define PROF_REG_AREA       0x600
#define PROF_AREAS          8
#define PROF_AREA_START     0       /* physical address of the data (or code) */
#define PROF_AREA_BYTES     1
#define PROF_AREA_GRANULE   2       /* log2 of the bytes that share a cell, 0..6 */
#define PROF_AREA_COUNTS    3       /* physical address of the first cell */
#define PROF_AREA_SIZE      4       /* bytes of a cell: 1, 2, 4, 8; the width of its counter */
#define PROF_AREA_FLAGS     5
#define PROF_AREA_SATURATES 1       /* cells stay at their largest value, else they wrap */
#define PROF_AREA_NEAR      2       /* as MARK_NEAR; the cell is cleared, and CSR_IND_COUNT has its
                                     * old value; also when a frame is merged into it */
#define PROF_AREA_WORDS     6

/* ---- limits on functions --------------------------------------------------------------------- */
/* Limits of MARK_ALARM: the cycles that a thread may spend in a function.
 *
 * A limit begins when the first instruction of a marked function commits, and ends with the return
 * that leaves it. Every hart has PROF_LIMITS limits, a stack in the order of calls: limit 0 is the
 * outermost. They belong to the running thread: at a switch the scheduler saves and restores them.
 *
 *     csrrw n, CSR_PROF_LIMITS, 0          the limits of this thread stand still: n of them
 *     CSR_PROF_LIMIT, CSR_PROF_LIMIT_DATA  their words, read or written
 *     csrw CSR_PROF_LIMITS, n              the limits of the other thread count
 *
 * While no limit counts, a switch costs one read of CSR_PROF_LIMITS. */
#define PROF_LIMITS         8
#define CSR_PROF_LIMITS     0x5c3   /* supervisor: number that count; more than PROF_LIMITS: all */
#define CSR_PROF_LIMIT      0x5c4   /* supervisor: number of the word in CSR_PROF_LIMIT_DATA:
                                     * PROF_LIMIT_WORDS * limit + PROF_LIMIT_* */
#define CSR_PROF_LIMIT_DATA 0x5c5   /* supervisor: RV32 has the lower half only */

#define PROF_LIMIT_WORDS    6
#define PROF_LIMIT_FUNCTION 0       /* virtual address of its first instruction */
#define PROF_LIMIT_SP       1       /* the stack pointer at its entry */
#define PROF_LIMIT_CYCLES   2       /* the limit */
#define PROF_LIMIT_COUNTED  3       /* cycles counted up to now */
#define PROF_LIMIT_BEGAN    4       /* mcycle at the entry */
#define PROF_LIMIT_STATE    5       /* [1:0] PROF_LIMIT_IS_*; [5:4] the privilege of the entry;
                                     * [11:8] for a limit that stands still: the inner limit it
                                     * waits for */
#define PROF_LIMIT_IS_COUNTING 0
#define PROF_LIMIT_IS_STILL    1    /* an inner limit has expired, and its function goes on */
#define PROF_LIMIT_IS_OVER     2    /* the limit has expired */
#define PROF_LIMIT_IS_ELAPSED  3    /* of elapsed time, whether the thread runs or not. It never
                                     * expires in the hart, which cannot know that time; an observer
                                     * outside compares mcycle with PROF_LIMIT_BEGAN */


/* ---- mhpmevent ------------------------------------------------------------------------------- */
/* [7:0] event code of event.def (0 counts nothing); bits 63:58 as Sscofpmf defines. */
#define PMU_FILTER_SHIFT    8       /* [10:8] PMU_FILTER_* */
#define PMU_FILTER_ALL      0
#define PMU_FILTER_MARKED   1       /* instructions marked count (or touching data marked count) */
#define PMU_FILTER_LABEL    2       /* instructions carrying label [23:16] */
#define PMU_FILTER_TOGGLE   3       /* while gate [23:16] is open; gate 0: the toggle flag */
#define PMU_FILTER_RANGE    4       /* inside instruction range [23:16] */
#define PMU_FILTER_THREAD   5       /* while the hart runs thread [47:16] (CSR_PROF_THREAD) */
#define PMU_ARGUMENT_SHIFT  16

#endif
