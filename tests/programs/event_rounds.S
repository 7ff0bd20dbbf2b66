/* Events of a hundred rounds of many bodies, derived instruction by instruction. */
#include "tests/programs/rounds.h"
#include "guest/include/rvsim/indicator.h"
#define UNITS 1
#define FORWARD 2
#define LATE_STORE 3
#define JUMPS 4
#define RETURNS 5
#define LINES 6
#define KINDS 7
#define DECODES 8
#define FRESH 9
#define L2_HITS 10
#define L3_HITS 11
#define L2_BANKS 12
#define L3_BANKS 13
#define UNUSED 14
#define HINTS 15
#define LIMITS 16
#define NEAR 17
#define TRIGGERS 18
#define WAITS 19
#define DATA_PAGES 20
#define CODE_PAGES 21
#define BARE_LINES 22
#define MARKED_LINES 23
#define FRAMES 24
#define FP_CHAIN 25
#define IN_VAIN 26
#define INT_UNITS 27
#define DIVISIONS 28

    .text
    .balign 128
    function program
    prepare
    .balign 128

#if BODY_IS(UNITS)
    /* Eight instructions in 32 bytes, one to each kind of unit and three to the integer units. */
1:  addi s2, s2, 1
    ld t0, 0(s1)
    sd s2, 8(s1)
    mul t1, s2, s2
    fadd.d fa0, fa1, fa2
    addi s4, s4, 1
    close_round
    expect insns_retired 100*8
    expect fetched 100*8
    expect decoded 100*8
    expect dispatched 100*8
    expect issued 100*8
    expect unit_int_busy 100*3
    expect unit_branch_busy 100
    expect unit_complex_busy 100
    expect unit_load_busy 100
    expect unit_store_busy 100
    expect unit_fp_busy 100
    expect branches 100
    expect branches_taken 100
    expect branches_mispredicted 0
    expect muldiv_insns 100
    expect fp_insns 100
    expect loads 100
    expect stores 100
    expect dcache_hit 100*2
    expect l1d_read 100
    expect l1d_write 100
    expect squashed 0
    /* integer operations and the branch 1, load 2, store 1, multiplication 3, addition 3 */
    expect exec_cycles 100*(3*1+1+2+1+3+3)
#elif BODY_IS(INT_UNITS)
    /* Two additions in one cycle, one to each unit, and one in the next, beside the branch. */
1:  addi s2, s2, 1
    addi s4, s4, 1
    close_round
    expect unit_int_busy 100*3
    expect unit_int_a_busy 100*2
    expect unit_int_b_busy 100
    expect unit_branch_busy 100
#elif BODY_IS(DIVISIONS)
    /* The units take further operations when these are complete: latency.div = 20,
     * latency.fdiv = 12. */
1:  div t1, s2, s5
    fdiv.d fa0, fa1, fa2
    mul t2, s2, s5
    close_round
    expect unit_complex_busy 100*(20+1)
    expect unit_fp_busy 100*12
    expect unit_int_busy 100
    expect unit_int_a_busy 100
    expect unit_int_b_busy 0
    expect muldiv_insns 100*2
    expect fp_insns 100
#elif BODY_IS(FP_CHAIN)
    /* Each addition needs the result of the one before. */
1:
    .rept 8
    fadd.d fa0, fa0, fa1
    .endr
    close_round
    expect fp_insns 100*8
    expect unit_fp_busy 100*8
    expect exec_cycles 100*(8*3+1+1)
#elif BODY_IS(FORWARD)
    /* The load takes the value of the store before it, which is still in the store queue. */
1:  sd s3, 0(s1)
    ld t0, 0(s1)
    close_round
    expect store_forwarded 100
    expect loads 100
    expect l1d_write 100
#elif BODY_IS(LATE_STORE)
    /* The store's address comes from two divisions; the load after it, of the same word, passes it.
     * A load that must not pass an older store never does so. */
1:  div t0, s1, s5
    div t0, t0, s5
    sd s3, 0(t0)
    ld t1, 0(s1)
    close_round
    expect order_violations 100
    expect muldiv_insns 100*2
#elif BODY_IS(JUMPS)
    /* A chain of jumps, each executed once: the target buffer knows none. */
    .rept ROUNDS
    j 2f
    nop
2:
    .endr
    expect jumps 100
    expect btb_miss 100
    expect insns_retired 100
#elif BODY_IS(RETURNS)
    /* Returns without calls, each executed once. The instructions on the wrong path are no
     * returns. */
    .rept ROUNDS
    la ra, 2f
    ret
    .rept 29
    nop
    .endr
2:
    .endr
    expect returns 100
    expect ras_underflow 100
    expect insns_retired 100*3
#elif BODY_IS(LINES)
    /* A line of straight code in each round: 8 instructions in 32 bytes. */
    .rept ROUNDS
    .rept 8
    nop
    .endr
    .endr
    expect insns_retired 100*8
    expect icache_miss 100
    expect l1i_miss 100
    expect l2_access 100
    expect l2_access_miss 100
    expect dram_read 100
#elif BODY_IS(KINDS)
    /* Kinds of instructions, by their encoding. */
1:  .option push
    .option rvc
    c.addi s2, 1
    c.mv t0, s2
    c.nop
    c.addi s2, -1
    .option pop
    amoadd.d t0, s2, (s1)
    lr.d t0, (s1)
    sc.d t0, t0, (s1)
    fence
    csrr t1, mscratch
    fmul.d fa0, fa1, fa2
    rem t1, s2, s5
    ld t0, 1(s1)
    jal ra, 2f
    j 3f
2:  ret
3:  close_round
    expect compressed_insns 100*4
    expect atomics 100*3
    expect serialized 100*(3+1+1)
    expect fp_insns 100
    expect muldiv_insns 100
    expect misaligned 100
    expect calls 100
    expect returns 100
    expect jumps 100
    expect loads 100
    expect insns_retired 100*(4+3+2+1+1+1+3+2)
#elif BODY_IS(DECODES)
    /* One instruction is decoded in a cycle (decode.width = 1). */
1:  nop
    nop
    close_round
    expect decoded 100*4
    expect decode_cycles 100*4
#elif BODY_IS(FRESH)
    /* A load of a line that no cache holds. */
1:  ld t0, 0(s1)
    addi s1, s1, 64
    close_round
    expect loads 100
    expect dcache_miss 100
    expect l2_miss 100
    expect l3_miss 100
    expect l1d_read 100
    expect l1d_read_miss 100
    expect l2_access 100
    expect l2_access_miss 100
    expect l3_access 100
    expect l3_access_miss 100
    expect dram_read 100
    expect bus_busy 100*8           /* dram.line_cycles */
#elif BODY_IS(IN_VAIN)
    /* An instruction that needs a load is issued as if the load hit; the load misses, and the
     * addition is issued a second time (issue.replay). The first issue counts as an issue in vain
     * and as no other event. */
1:  ld t0, 0(s1)
    add t1, t0, t0
    addi s1, s1, 64
    close_round
    expect replays 100
    expect insns_retired 100*5
    expect issued 100*5
    expect unit_int_busy 100*3
#elif BODY_IS(L2_HITS) || BODY_IS(L3_HITS)
    /* Two lines of one set of a cache of one way, each load needing the one before: the requested
     * line is never there. */
1:  ld s1, 0(s1)
    ld s1, 0(s1)
    close_round
    expect dcache_miss 100*2
#if BODY_IS(L2_HITS)
    expect l2_hit 100*2
#else
    expect l2_miss 100*2
    expect l3_hit 100*2
#endif
#elif BODY_IS(L2_BANKS) || BODY_IS(L3_BANKS)
    /* Two lines at once from one bank: the second one waits. */
1:  ld t0, 0(s1)
    ld t0, 64(s1)
    fence
    addi s1, s1, 128
    close_round
#if BODY_IS(L2_BANKS)
    expect l2_bank_wait 100
#else
    expect l3_bank_wait 100
#endif
#elif BODY_IS(UNUSED)
    /* Every second line, with a prefetch of the next one, into a cache long full of such lines. */
1:  ld t0, 0(s1)
    fence
    addi s1, s1, 128
    close_round
    expect prefetch_issued 100
    expect prefetch_unused 100
    expect prefetch_useful 0
#elif BODY_IS(HINTS)
    /* The next instruction is marked, to be counted where it takes longer than the first of
     * pmu.latency; it misses every cache. */
1:  prof_mark_next 1, HINT_LATENCY(1) | HINT_COUNT
    ld t0, 0(s1)
    fence
    addi s1, s1, 64
    close_round
    expect hint_marks 100
    expect marked_insns 100
    expect latency_exceeded 100
#elif BODY_IS(LIMITS) || BODY_IS(NEAR)
1:  jal ra, work
    close_round
    expect calls 100
#if BODY_IS(LIMITS)
    watch "work 4 counter=9 interrupt"
    expect count_exceeded 100/10    /* at more than 9 the counter begins anew */
    expect indicator_interrupts 100/10
#else
    watch "work 4 counter near"
    expect counter_near 1          /* more than 255 - 16, first reached after 240 rounds */
#endif
#elif BODY_IS(TRIGGERS)
    csrw tselect, zero
    la t0, work
    csrw tdata2, t0
    li t0, 6 << 60 | 8 << 12 | 1 << 6 | 4       /* mcontrol6, action 8, M, execute */
    csrw tdata1, t0
    li t0, 1
    csrw tselect, t0
    csrw tdata2, s1
    li t0, 6 << 60 | 9 << 12 | 1 << 6 | 1       /* action 9, load */
    csrw tdata1, t0
1:  jal ra, work
    jal ra, work
    ld t0, 0(s1)
    ld t0, 8(s1)
    close_round
    expect trigger_8 100*2
    expect trigger_9 100
#elif BODY_IS(WAITS)
    /* A round takes from one timer interrupt to the next, ten ticks of 100 cycles; it is pending
     * only, since interrupts are off. */
    li t0, 1 << 7
    csrw mie, t0
    li s6, 0x2004000                /* mtimecmp */
    li s7, 0x200bff8                /* mtime */
    ld s8, 0(s7)
1:  addi s8, s8, 10
    sd s8, 0(s6)
    fence
    wfi
    close_round
    expect cycles 100*10*100
    expect cycles_irq_off 100*10*100
    expect interrupts 0
    expect branches_mispredicted 0
#elif BODY_IS(DATA_PAGES) || BODY_IS(CODE_PAGES)
    /* S-mode; a page that no TLB knows in each round, for data and for code. */
    enter_pages
1:
#if BODY_IS(DATA_PAGES)
    ld t0, 8(s1)
    expect dtlb_miss 100
    expect dtlb_walk 100
#else
    jalr ra, 0(s1)
    expect itlb_miss 100
    expect itlb_walk 100
#endif
    add s1, s1, s4
    close_round
    expect walk_cache_hit 100*2     /* of three levels all but the last */
    expect traps 0
#elif BODY_IS(BARE_LINES)
    /* Lines without metadata, in a segment with metadata: each asks for 8 bytes of the table. */
1:  ld t0, 64(s1)
    fence
    addi s1, s1, 64
    close_round
    watch "data 8 counter granule=8"
    expect meta_none 100
    expect meta_hit 0
    expect meta_bytes 100*8
    expect meta_bus 100             /* shadow.bytes_per_cycle = 16 */
#elif BODY_IS(MARKED_LINES)
    /* Lines with metadata: 8 bytes of the table, 16 of the block, 8 records of 32 bytes. */
1:  ld t0, 0(s1)
    fence
    addi s1, s1, 64
    close_round
    watch "data 65536 counter granule=8"
    expect meta_hit 100
    expect meta_miss 100
    expect meta_none 0
    expect meta_bytes 100*280
    expect meta_bus 100*18          /* 280 bytes, 16 in a cycle */
#elif BODY_IS(FRAMES)
    /* Three marked lines in turn, and two shadow frames: the other two lines have displaced the
     * metadata that an access needs, which had counted. The access waits for shadow.latency. */
1:  ld s1, 0(s1)
    ld s1, 0(s1)
    ld s1, 0(s1)
    close_round
    watch "data 8 counter granule=8"
    watch "second 8 counter granule=8"
    watch "third 8 counter granule=8"
    expect meta_frame_miss 100*3
    expect meta_miss 100*3
    expect meta_writeback 100*3
    expect meta_bytes 100*3*(280+32)
    expect meta_wait 100*3*100
#endif
    j pass
    end_function program

    .balign 128
    function work
    ret
    end_function work

    .data
    .balign 4096
data:
#if BODY_IS(L2_HITS) || BODY_IS(L3_HITS)
    .dword data+1024
    .skip 1016
    .dword data
#endif
#if BODY_IS(FRAMES)
    .dword second
    .skip 120
second:
    .dword third
    .skip 120
third:
    .dword data
#endif
    .skip 65536
#if BODY_IS(DATA_PAGES) || BODY_IS(CODE_PAGES)
    .balign 4096
page:
    ret
    page_tables
#endif
