/* The contract between profiling hardware, guest software and host tools: register numbers,
 * in-memory formats, flags. Included by guest code (also from assembly for the numbers), so: no
 * dependencies, fixed-width fields, little-endian. Codes here are ABI: append, never renumber. */
#ifndef PMU_ABI_H
#define PMU_ABI_H

/* ---- custom CSRs ----------------------------------------------------------------------------- */
#define CSR_PROF_MODE       0x7c0   /* mode register, PROF_MODE_* */
#define CSR_PROF_SMODE      0x5c0   /* supervisor alias of it */
#define CSR_MON_VECTOR      0x7c1   /* monitor entry; 0 = no monitor */
#define CSR_MON_EPC         0x7c2   /* pc the monitor returns to */
#define CSR_MON_CAUSE       0x7c3   /* PROF_CAUSE_* */
#define CSR_MON_STATUS      0x7c4   /* [1:0] interrupted privilege, bit 8: last probe faulted */
#define CSR_MON_SCRATCH     0x7c5
#define CSR_PROF_INDEX      0x7c6   /* which PROF_REG_* the next CSR_PROF_DATA access means */
#define CSR_PROF_DATA       0x7c7
#define CSR_PROF_DATAH      0x7c8   /* RV32: upper halves of 64-bit registers, these three */
#define CSR_IND_IADDR       0xfc0   /* read-only: what the oldest pending indicator carries */
#define CSR_IND_DADDR       0xfc1
#define CSR_IND_COUNT       0xfc2   /* value of the counter before it was cleared */
#define CSR_IND_CYCLES      0xfc3   /* latency: issue to completion, or of the data access */
#define CSR_IND_FLAGS       0xfc4   /* MARK_* of the mark; bit 31: it was a data mark */
#define CSR_PROF_LINES      0xfc5   /* [7:0] log2 of the I-line bytes, [15:8] of the D-line bytes */
#define CSR_IND_COUNTH      0xfc6
#define CSR_IND_CYCLESH     0xfc7

#define PROF_MODE_ENABLE    1       /* marks are looked at */
#define PROF_MODE_CLAIM     2       /* indicators go to mip.24 even when there is a monitor */

#define PROF_CAUSE_INDICATOR 24
#define PROF_CAUSE_LCOFI     13

/* Registers behind CSR_PROF_INDEX / CSR_PROF_DATA. */
#define PROF_REG_SEGMENT    0x000   /* + 4*i + {0 start pa, 1 bytes, 2 table pa, 3 kind} */
#define PROF_SEGMENTS       16
#define PROF_SEGMENT_TEXT   1       /* kind: 0 unused */
#define PROF_SEGMENT_DATA   2
#define PROF_REG_LATENCY    0x100   /* + b: cycles of latency bit b; reset 10, 50, 100 */
#define PROF_REG_IRANGE     0x200   /* + 4*i + {0 start, 1 end, 2 entries, 3 executed} */
#define PROF_REG_DRANGE     0x300   /* + 4*i + {0 start, 1 end, 2 entries, 3 accesses} */
#define PROF_RANGES         8       /* virtual addresses; end is the first one behind */
#define PROF_REG_LOST       0x400   /* indicator interrupts lost because the queue was full */
#define PROF_REG_ACK        0x401   /* write: drop the oldest pending indicator record */

/* ---- mhpmevent ------------------------------------------------------------------------------- */
/* [7:0] event code of event.def (0 counts nothing); bits 63:58 as Sscofpmf defines. */
#define PMU_FILTER_SHIFT    8       /* [10:8] PMU_FILTER_* */
#define PMU_FILTER_ALL      0
#define PMU_FILTER_MARKED   1       /* instructions marked count (or touching data marked count) */
#define PMU_FILTER_LABEL    2       /* instructions carrying label [23:16] */
#define PMU_FILTER_TOGGLE   3       /* while the toggle flag is set */
#define PMU_FILTER_RANGE    4       /* inside instruction range [23:16] */
#define PMU_ARGUMENT_SHIFT  16

/* ---- metadata in guest memory ---------------------------------------------------------------- */
/* A segment's translation table: one 64-bit word per line-sized block, in address order: physical
 * address of the block's perfinst block (16-byte aligned) or 0. */
#ifndef __ASSEMBLER__
struct perfinst_block {
    unsigned int items;             /* item records that follow: line bytes / granule, or 0 */
    unsigned short flags;           /* MARK_* that hold for every item of the block: not the
                                       counter and the threshold, which need an item */
    unsigned char granule_log2;     /* bytes of an item: 1 text, 0..6 data */
    unsigned char label;            /* label that goes with flags */
    unsigned long long reserved;
};

struct perfinst_item {              /* 32 bytes */
    unsigned short flags;           /* MARK_* */
    unsigned char label;            /* 0 = none */
    unsigned char latency_bits;     /* MARK_THRESHOLD with latency_cycles 0: the sum of the
                                       PROF_REG_LATENCY registers whose bit is set */
    unsigned int latency_cycles;    /* MARK_THRESHOLD: signal only when slower than this */
    unsigned int limit;             /* counter: interrupt when count > limit; 0 = no limit */
    unsigned int interrupts;        /* raised by this item */
    unsigned long long count;       /* own counter, since it was last cleared */
    unsigned long long cleared;     /* sum of the counts cleared so far: total = count + cleared */
};

#endif /* __ASSEMBLER__ */

#define MARK_COUNT          0x0001  /* signal the PMU */
#define MARK_INTERRUPT      0x0002  /* signal the interrupt unit; with a limit: when it is passed */
#define MARK_START          0x0004
#define MARK_STOP           0x0008
#define MARK_TOGGLE         0x0010
#define MARK_COUNTER        0x0020  /* own counter */
#define MARK_THRESHOLD      0x0040
#define MARK_LABEL          0x0080
#define MARK_ON_MISS        0x0100  /* interrupt when the line is filled */
#define MARK_BUNDLE         0x0200  /* the mark came from a bundle entry */
#define MARK_DATA           0x80000000u /* in CSR_IND_FLAGS */

/* ---- custom-0 instructions, R-type, opcode 0x0b ---------------------------------------------- */
#define PROF_F3_RDAC        0       /* rd = count of the datum at virtual address rs1 */
#define PROF_F3_RDAC_CLEAR  1
#define PROF_F3_RDIC        2       /* rd = count of the instruction at virtual address rs1 */
#define PROF_F3_RDIC_CLEAR  3
#define PROF_F3_MRET        4       /* return from the monitor (monitor only) */
#define PROF_F3_PROBE       5       /* rd = doubleword at rs1 as the interrupted code sees it; on a
                                       fault rd = 0 and CSR_MON_STATUS bit 8 is 1 (monitor only) */

/* ---- the monitor's buffer, at the start of its data area ------------------------------------- */
#define MONITOR_MAGIC       0x314e4f4d44565352ull   /* "RSVDMON1" */
#define MONITOR_DEPTH_MAX   62
#define MONITOR_STACK_BYTES 3968    /* and 128 for struct monitor_hart: a page for each hart */
#define MONITOR_WALK_OK         0   /* reached the end of the frame chain */
#define MONITOR_WALK_TRUNCATED  1   /* deeper than MONITOR_DEPTH_MAX */
#define MONITOR_WALK_BROKEN     2   /* unreadable, misaligned or not ascending frame */

#ifndef __ASSEMBLER__
struct monitor_header {
    unsigned long long magic;
    unsigned long long slots;       /* capacity of the table, a power of two */
    unsigned long long used;
    unsigned long long interrupts;  /* taken in all */
    unsigned long long dropped;     /* not stored: table full */
    unsigned long long lock;        /* 1 while a hart changes header or records */
    unsigned long long reserved[2];
};

/* Where CSR_MON_SCRATCH points at entry; one for each hart, made by whoever installs the monitor.
 * Below it lie MONITOR_STACK_BYTES of stack. The monitor's code may lie at any address: it must be
 * position independent. */
struct monitor_hart {
    unsigned long long header;      /* address of struct monitor_header */
    unsigned long long insns;       /* minstret when the monitor was left last */
    unsigned long long saved_sp;    /* the monitor's own */
    unsigned long long reserved[5];
};

struct monitor_record {             /* one distinct (iaddr, stack); 560 bytes */
    unsigned long long hash;        /* 0 = free */
    unsigned long long samples;     /* interrupts with this stack */
    unsigned long long count_sum;   /* sum of CSR_IND_COUNT */
    unsigned long long cycles_sum;  /* sum of CSR_IND_CYCLES */
    unsigned long long daddr_last;
    unsigned int flags;             /* of the mark */
    unsigned short depth;           /* entries of stack */
    unsigned short walk;            /* MONITOR_WALK_* */
    unsigned long long iaddr;
    unsigned long long insns_sum;   /* instructions executed since the previous interrupt, summed */
    unsigned long long stack[62];   /* [0] = interrupted pc, then return addresses, leaf first */
};
#endif /* __ASSEMBLER__ */

#endif
