/* Part of pmu/abi.h: the resident monitor's buffer and records. */
#ifndef PMU_ABI_MONITOR_H
#define PMU_ABI_MONITOR_H

/* ---- the monitor's buffer, at the start of its data area ------------------------------------- */
#define MONITOR_MAGIC       0x314e4f4d44565352ull   /* "RSVDMON1" */
#define MONITOR_DEPTH_MAX   62
#define MONITOR_STACK_BYTES 3968    /* and 128 for struct monitor_hart: a page for each hart */
#define MONITOR_RULES       256     /* struct monitor_rule of each hart: 16 KiB */
#define MONITOR_MODULES     255     /* libraries with a table of frames */
#define MONITOR_SAMPLING_COUNTER 3  /* the mhpmcounter whose overflows are samples */
#define MONITOR_NO_STACKS       1   /* header: samples of a counter overflow have no call stack */
#define MONITOR_WALK_OK         0   /* reached the end of the stack */
#define MONITOR_WALK_TRUNCATED  1   /* deeper than MONITOR_DEPTH_MAX */
#define MONITOR_WALK_BROKEN     2   /* a frame that no information tells how to leave, or unreadable
                                     * memory */

#ifndef __ASSEMBLER__
struct monitor_header {
    unsigned long long magic;
    unsigned long long slots;       /* capacity of the table, a power of two */
    unsigned long long used;
    unsigned long long interrupts;  /* total */
    unsigned long long dropped;     /* not stored: table full */
    unsigned long long lock;        /* 1 while a hart changes header or records */
    unsigned long long period;      /* sampling: events until MONITOR_SAMPLING_COUNTER overflows;
                                       0: its owner restarts it */
    unsigned long long flags;       /* MONITOR_* */
};

/* The target of CSR_MON_SCRATCH at entry; one for each hart, made by the installer of the monitor.
 * MONITOR_STACK_BYTES of stack lie below it. The monitor's code may lie at any address, so it must
 * be position independent. */
struct monitor_hart {
    unsigned long long header;      /* address of struct monitor_header */
    unsigned long long insns;       /* CSR_IND_INSNS of the last record */
    unsigned long long throttled;   /* samples left out: they came faster than the monitor */
    unsigned long long callers;     /* address of struct monitor_callers; 0: none are marked */
    unsigned long long rules;       /* address of MONITOR_RULES zeroed structs monitor_rule; 0: each
                                       walk reads the code anew */
    unsigned long long frames;      /* address of struct monitor_frames; 0: none */
    unsigned long long modules;     /* address of struct monitor_modules; 0: none */
    unsigned long long paced;       /* `insns` when a period was last shorter than the monitor */
    unsigned long long stretch;     /* log2 of the periods until the next sample, if the monitor's
                                       way out fills fewer */
};

/* The tables of frames of libraries that the program has mapped up to now, RV64 only; the host adds
 * tables while the program runs. */
struct monitor_modules {
    unsigned long long count;
    unsigned long long frames[MONITOR_MODULES];     /* addresses of struct monitor_frames */
};

/* The table of frames of a program: how to leave the frame of each instruction. Made by the
 * installer of the monitor. Followed by `rows` structs monitor_row in order of pc, the first with
 * pc 0, then by structs monitor_frame, the first of which is empty. */
struct monitor_frames {
    unsigned long long base;        /* address of pc 0 */
    unsigned long long bytes;       /* of code, from base on */
    unsigned rows, xlen;
};

/* The frame of this index holds from base + pc to the next row. */
struct monitor_row { unsigned pc, frame; };

/* Offsets as in struct monitor_rule. */
struct monitor_frame {
    int sp, ra, fp;
    unsigned flags;                 /* UNWIND_RULE_*; 0: unknown */
};

/* How to leave the frame of the code at a pc (pmu/unwind/unwind_rule.h), as found by an earlier
 * walk. */
struct monitor_rule {
    unsigned long long tag;         /* pc; bit 0: after a call */
    unsigned long long code;        /* hash of the doublewords of code from which the rule was
                                     * made */
    int line[8];                    /* their offsets from the doubleword of pc, which itself is
                                     * first and left out; 0: no more */
    int sp, ra, fp;                 /* offsets: the caller's sp; the addresses where its ra and s0
                                     * are saved */
    unsigned flags;                 /* UNWIND_RULE_*; 0: free */
};

/* Callers that the monitor marks as it finds them: each call gets an own counter and an interrupt.
 * Followed by `sites` structs monitor_site, open-addressed by va (pmu/monitor/monitor_mark.h). */
struct monitor_callers {
    unsigned long long limit;       /* of the counters: interrupt when exceeded; 0: each time */
    unsigned long long next, end;   /* zeroed memory for future perfinst blocks */
    unsigned long long sites, used; /* capacity, a power of two; number of marked calls */
    unsigned long long full;        /* callers without room for a mark, or outside all text
                                     * segments */
};

/* va: of the call, 0 if the slot is free; item: physical address of its item. */
struct monitor_site { unsigned long long va, item; };

struct monitor_record {             /* one distinct (kind, iaddr, stack); for traps and returns from
                                     * them also count; 560 bytes */
    unsigned long long hash;        /* 0 = free */
    unsigned long long samples;     /* interrupts with this stack */
    unsigned long long count_sum;   /* sum of CSR_IND_COUNT; for a trap or the return from one:
                                     * CSR_IND_COUNT itself */
    unsigned long long cycles_sum;  /* sum of CSR_IND_CYCLES */
    unsigned long long daddr_last;
    unsigned int flags;             /* of the mark */
    unsigned short depth;           /* entries of stack */
    unsigned short walk;            /* MONITOR_WALK_* */
    unsigned long long iaddr;
    unsigned long long insns_sum;   /* instructions executed since the previous interrupt, summed */
    unsigned long long stack[62];   /* [0] = interrupted pc, then return addresses, leaf first; for
                                     * code interrupted by a signal: its address + 1 */
};
#endif /* __ASSEMBLER__ */

#endif
