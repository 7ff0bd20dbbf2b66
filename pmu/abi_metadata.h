/* Part of pmu/abi.h: perfinst blocks and items in guest memory, and the flags of a mark. */
#ifndef PMU_ABI_METADATA_H
#define PMU_ABI_METADATA_H

/* ---- metadata in guest memory ---------------------------------------------------------------- */
/* A segment's translation table: one 64-bit word per line-sized block, in address order: physical
 * address of the block's perfinst block (16-byte aligned) or 0. */
#ifndef __ASSEMBLER__
struct perfinst_block {
    unsigned int items;             /* full form: item records that follow, line bytes / granule;
                                       0: the compact form, which has none */
    unsigned short flags;           /* MARK_* for every item of the block, or for those in the
                                     * bitmap; not counter, threshold, near, which need a record */
    unsigned char granule_log2;     /* bytes of an item: 1 text, 0..6 data */
    unsigned char label;            /* label that goes with flags */
    unsigned long long bitmap;      /* compact form: bit i is item i; at most 64 items; 0 = all */
};

struct perfinst_item {              /* 32 bytes */
    unsigned short flags;           /* MARK_* */
    unsigned char label;            /* 0 = none */
    unsigned char latency_bits;     /* MARK_THRESHOLD with latency_cycles 0: the threshold is the
                                     * sum of the PROF_REG_LATENCY registers whose bit is set */
    unsigned int latency_cycles;    /* MARK_THRESHOLD: signal only when slower than this; without
                                       it, MARK_ALARM: upper half of the limit, ALARM_ELAPSED */
    unsigned int limit;             /* counter: interrupt when count > limit; 0 = no limit.
                                       MARK_ALARM: cycles, their lower half */
    unsigned int interrupts;        /* raised by this item */
    unsigned long long count;       /* own counter, since it was last cleared; as wide as
                                       PROF_REG_COUNTER_FORMAT says */
    unsigned long long cleared;     /* sum of the counts cleared up to now: total = count +
                                     * cleared */
};

#endif /* __ASSEMBLER__ */

#define MARK_COUNT          0x0001  /* signal the PMU */
#define MARK_INTERRUPT      0x0002  /* signal the interrupt unit; with a limit: when it is
                                     * exceeded */
#define MARK_START          0x0004
#define MARK_STOP           0x0008
#define MARK_TOGGLE         0x0010
#define MARK_COUNTER        0x0020  /* own counter */
#define MARK_THRESHOLD      0x0040
#define MARK_LABEL          0x0080
#define MARK_ON_MISS        0x0100  /* interrupt when the line is filled */
#define MARK_BUNDLE         0x0200  /* the mark came from a bundle entry */
#define MARK_NEAR           0x0400  /* own counter: interrupt when it is near its overflow */
#define MARK_AREA           0x0800  /* the own counter is in the work area around the item
                                     * (PROF_REG_AREA), without record or limit */
#define MARK_HINT           0x1000  /* in CSR_IND_FLAGS: from a hint in the instruction stream */
#define MARK_TAKEN          0x2000  /* a branch: everything but toggle and label acts only when
                                     * taken */
#define MARK_MISPREDICTED   0x4000  /* a branch or jump: the same acts only when mispredicted */
#define MARK_ALARM          0x8000  /* the first instruction of a function begins a limit
                                     * (abi_register.h); has no counter */
#define ALARM_ELAPSED       0x80000000u /* the limit is of elapsed time: PROF_LIMIT_IS_ELAPSED */
#define MARK_DATA           0x80000000u /* in CSR_IND_FLAGS */

#endif
