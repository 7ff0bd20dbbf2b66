/* Slots and cycles that the front end loses: instructions that do not come, instructions fetched
 * again after a squash, and instructions dispatched in vain. pipeline.h explains how instructions
 * pass, C, e, and the drawings. */
#include "tests/programs/pipeline.h"
#define BANDWIDTH 1
#define CUT 2
#define TAKEN 3
#define BTB_MISS 4
#define ICACHE 5
#define ITLB 6
#define BRANCH 7
#define ORDER 8
#define FLUSH 9
#define SLEEP 10
#define BRANCH_FTQ 11
#define ICACHE_FTQ 12
#define ORDER_AT_COMMIT 13
#define INTERRUPT 14

    .text
    .balign 128
    function program
    prepare
#if BODY_IS(ITLB)
    enter_pages
#endif
#if BODY_IS(SLEEP)
    li t0, 1 << 7
    csrw mie, t0
    li s6, 0x2004000                # mtimecmp
    li s7, 0x200bff8                # mtime
    ld s8, 0(s7)
#endif
#if BODY_IS(FLUSH)
    la t0, handler
    csrw mtvec, t0
    la s7, 4f
#endif
#if BODY_IS(INTERRUPT)
    la t0, handler
    csrw mtvec, t0
    csrsi mie, 2
    csrsi mstatus, 8
#endif
    .balign 128

#if BODY_IS(BANDWIDTH)
    /* decode.width = 1: a slot is lost in each of 16 cycles; in one of them the next to come is the
     * target of the transfer that cut the group of fetch. Each instruction commits in a cycle of
     * its own. */
1:  .rept 14
    nop
    .endr
    close_round
    expect lost_bandwidth 100*15
    expect lost_cut 100
    expect slots_frontend 100*16
    expect slots_retiring 100*16
    expect cpi_base 100*16
    expect cycles 100*16
    expect cycles_no_commit 0
    expect decode_cycles 100*16

#elif BODY_IS(CUT)
    /* The branch is the first of its block: the second is not fetched, since the next block is the
     * target's.
     *   fetch, dispatch, commit      n a | b . | */
1:  nop
    close_round
    expect lost_cut 100
    expect slots_frontend 100
    expect slots_retiring 100*3
    expect cpi_base 100*2
    expect cycles 100*2
    expect cycles_no_commit 0
    expect l1i_access 100*2
    expect l1i_hit 100*2

#elif BODY_IS(TAKEN) || BODY_IS(BTB_MISS)
    /* Eight cycles pass after a transfer until its target is fetched: bpred.taken_bubble = 8; or
     * bpred.btb_miss_stage = 8, of a target buffer without entries.
     *   fetch     f: a b |            f+9: a b
     *   dispatch  f+2: a b | . .      f+11: a b
     *   commit    f+5: a | b | f+7 to f+13: nothing */
1:  close_round
#if BODY_IS(TAKEN)
    expect lost_taken 100*16
#else
    expect btb_miss 100
    expect lost_btb_miss 100*16
#endif
    expect slots_frontend 100*16
    expect slots_retiring 100*2
    expect cpi_base 100*2
    expect cpi_fetch 100*5          /* f+7 to f+11 */
    expect cpi_int 100*2            /* f+12, f+13 */
    expect cycles 100*9
    expect cycles_no_commit 100*7

#elif BODY_IS(ICACHE) || BODY_IS(ICACHE_FTQ)
    /* Straight code of lines that no cache has: 6 cycles of L2, and 30 of memory.
     *   fetch     f: miss; f+36: n n | n n | n n | n n | f+40: miss
     *   dispatch           f+38: n n | n n | n n | n n | f+42 to f+77: nothing
     *   commit             f+41: n n | n n | n n | n n | f+45 to f+80: nothing
     * With fetch.ftq = 4 the blocks have been predicted before, and the oldest misses. */
    .rept ROUNDS
    .rept 8
    nop
    .endr
    .endr
    expect l1i_miss 100
    expect l1i_hit 100*4
    expect l1i_access 100*(1+4)     /* the first block twice: in vain, and when the line has come */
    expect lost_icache 100*36*2
    expect slots_icache 100*36*2
    expect slots_retiring 100*8
    expect cpi_base 100*4
    expect cpi_icache 100*34        /* f+45 to f+78 */
    expect cpi_int 100*2            /* f+79, f+80 */
    expect cycles 100*40
    expect cycles_no_commit 100*36

#elif BODY_IS(ITLB)
    /* itlb.entries = 1, for the page of this code and that of a return; l2tlb.cycles = 18.
     *   fetch     f: n j | f+1: miss; f+19: r | f+20: miss; f+38: a b
     *   dispatch  f+2: n j | f+21: r . | f+40: a b
     *   commit    f+5: n (and b of the round before) | f+6: j | f+24: r | f+43: a */
1:  nop
    jalr ra, 128(s1)
    close_round
    expect itlb_miss 100*2
    expect itlb_walk 0
    expect lost_itlb 100*(18*2+1+18*2)
    expect slots_icache 100*73
    expect slots_retiring 100*5
    expect cpi_base 100*4
    expect cpi_itlb 100*(15+16)     /* f+7 to f+21; f+25 to f+40 */
    expect cpi_int 100*4            /* f+22, f+23; f+41, f+42 */
    expect cycles 100*39
    expect cycles_no_commit 100*35

#elif BODY_IS(BRANCH)
    /* bpred.kind = not_taken. The branch, dispatched in C, waits for its operand and issues in C+2;
     * in C+3 it is complete, and what follows is squashed.
     *   dispatch  C: a b | x x | x x | C+3: . . | . . | . . | C+6: csrr
     *   fetch     C+4: csrr; what was fetched before goes
     *   commit    C+3: a | b | . | . | . | . | C+9: csrr */
    open_round
    close_round
    .rept 30
    nop
    .endr
    expect branches_mispredicted 100
    expect squashed 100*4
    expect slots_wrong_path 100*4
    expect lost_branch_path 100*4
    expect slots_recovery 100*6
    expect lost_branch_refill 100*6
    expect slots_retiring 100*3
    expect slots_serial 100*(1+4)
    expect cpi_base 100*3
    expect cpi_int 100*2            /* C+1, C+2 */
    expect cpi_branch 100*2         /* C+5, C+6 */
    expect cpi_serial 100*2
    expect cycles 100*9
    expect cycles_no_commit 100*6

#elif BODY_IS(BRANCH_FTQ)
    /* The same with fetch.ftq = 4: the block is predicted in C+4 and fetched in C+5.
     *   dispatch  C: a b | x x | x x | C+3: . . | . . | . . | . . | C+7: csrr
     *   commit    C+3: a | b | . | . | . | . | . | C+10: csrr */
    open_round
    close_round
    .rept 30
    nop
    .endr
    expect branches_mispredicted 100
    expect squashed 100*4
    expect slots_wrong_path 100*4
    expect lost_branch_path 100*4
    expect slots_recovery 100*8
    expect lost_branch_refill 100*8
    expect slots_retiring 100*3
    expect slots_serial 100*(1+4)
    expect cpi_base 100*3
    expect cpi_int 100*2            /* C+1, C+2 */
    expect cpi_branch 100*3         /* C+5 to C+7 */
    expect cpi_serial 100*2
    expect cycles 100*10
    expect cycles_no_commit 100*7

#elif BODY_IS(ORDER)
    /* lsq.speculation = blind. The store's address, the product, is there in C+21, when it issues;
     * the load after it, of the same word, went in C+2. A cycle later it is squashed, with all
     * that follows.
     *   dispatch  C: n mul | s l | n a | b . | csrr waits to C+21: . .
     *             C+22: . . | . . | . . | C+25: l n | a b | csrr waits: . . | . . | . . |
     *             C+30: csrr
     *   fetch     C+23: l n
     *   commit    C+3: n; C+22: mul | s; C+29: l n | C+30: a b */
    open_round
    nop
    mul t2, s1, s5
    sd s3, 0(t2)
    ld t3, 0(s1)
    nop
    close_round
    expect order_violations 100
    expect squashed 100*4
    expect slots_wrong_path 100*4
    expect lost_order_path 100*4
    expect slots_recovery 100*6
    expect lost_order_refill 100*6
    expect slots_retiring 100*8
    expect slots_serial 100*(37+6+1+4)
    expect cpi_base 100*6           /* C+3, C+22, C+23, C+29, C+30, C+33 */
    expect cpi_int 100*2            /* C+1, C+2 */
    expect cpi_mul 100*18           /* C+4 to C+21 */
    expect cpi_order 100*2          /* C+24, C+25 */
    expect cpi_l1 100*3             /* C+26 to C+28 */
    expect cpi_serial 100*2
    expect cycles 100*33
    expect cycles_no_commit 100*27

#elif BODY_IS(ORDER_AT_COMMIT)
    /* The same with recover.violation = at_commit: the load stays until it is to commit, with the
     * store in C+23.
     *   dispatch  C: n mul | s l | n a | b . | csrr waits to C+22: . .
     *             C+23: . . | . . | . . | C+26: l n | a b | csrr waits: . . | . . | . . |
     *             C+31: csrr
     *   fetch     C+24: l n
     *   commit    C+3: n; C+22: mul | s; C+30: l n | C+31: a b */
    open_round
    nop
    mul t2, s1, s5
    sd s3, 0(t2)
    ld t3, 0(s1)
    nop
    close_round
    expect order_violations 100
    expect squashed 100*4
    expect slots_wrong_path 100*4
    expect lost_order_path 100*4
    expect slots_recovery 100*6
    expect lost_order_refill 100*6
    expect slots_retiring 100*8
    expect slots_serial 100*(39+6+1+4)
    expect cpi_base 100*6           /* C+3, C+22, C+23, C+30, C+31, C+34 */
    expect cpi_int 100*2            /* C+1, C+2 */
    expect cpi_mul 100*18           /* C+4 to C+21 */
    expect cpi_order 100*3          /* C+24 to C+26 */
    expect cpi_l1 100*3             /* C+27 to C+29 */
    expect cpi_serial 100*2
    expect cycles 100*34
    expect cycles_no_commit 100*28

#elif BODY_IS(FLUSH)
    /* An illegal instruction comes to commit in C+3; it and what follows are squashed. The handler
     * has two serial instructions, m and r; after the second everything is fetched again.
     *   dispatch  C: x n | n n | n n | C+3: . . | . . | . . |
     *             C+6: m . | . . | . . | C+9: r . | . . | . . | C+12: . . | . . | . . |
     *             C+15: a b | csrr waits: . . | . . | . . | C+19: csrr
     *   fetch     C+4: m r; C+13: a b
     *   commit    C+9: m; C+12: r; C+18: a | b */
    open_round
    .4byte 0x6b
    .rept 30
    nop
    .endr
    .balign 32
4:  close_round
    expect traps 100
    expect squashed 100*6
    expect slots_wrong_path 100*6
    expect lost_flush_path 100*6
    expect slots_recovery 100*12
    expect lost_flush_refill 100*12
    expect slots_retiring 100*5
    expect slots_serial 100*(5+5+6+1+4)
    expect cpi_base 100*5           /* C+9, C+12, C+18, C+19, C+22 */
    expect cpi_int 100*(3+2)        /* C+1 to C+3: what traps is at the head; C+16, C+17 */
    expect cpi_flush 100*(3+3)      /* C+4 to C+6, C+13 to C+15 */
    expect cpi_serial 100*6
    expect cycles 100*22
    expect cycles_no_commit 100*17

#elif BODY_IS(INTERRUPT)
    /* w raises a software interrupt, which is taken in the cycle after its commit. The handler has
     * two serial instructions, v, which takes it back, and r; after r everything is fetched again.
     *   dispatch  C: w . | . . | . . | C+3: n n | C+4: . . | . . | . . |
     *             C+7: v . | . . | . . | C+10: r . | . . | . . | C+13: . . | . . | . . |
     *             C+16: n n | a b | csrr waits: . . | . . | . . | C+21: csrr
     *   fetch     C+5: v r; C+14: n n
     *   commit    C+3: w; C+10: v; C+13: r; C+19: n n | a | b */
    open_round
    csrsi mip, 2
    nop
    nop
    close_round
    expect interrupts 100
    expect traps 0
    expect squashed 100*2
    expect slots_wrong_path 100*2
    expect lost_flush_path 100*2
    expect slots_recovery 100*12
    expect lost_flush_refill 100*12
    expect slots_retiring 100*8
    expect slots_serial 100*(5+5+5+6+1+4)
    expect cpi_base 100*7           /* C+3, C+10, C+13, C+19 to C+21, C+24 */
    expect cpi_int 100*(1+2)        /* C+4; C+17, C+18 */
    expect cpi_flush 100*(3+3)      /* C+5 to C+7, C+14 to C+16 */
    expect cpi_serial 100*8
    expect cycles 100*24
    expect cycles_no_commit 100*17

#elif BODY_IS(SLEEP)
    /* A round takes from one timer interrupt, which is pending only, to the next: 1000 cycles. In T
     * the hart wakes, and fetches the instructions after WFI. The store to the device takes
     * dram.cycles = 30.
     *   dispatch  T: . . | . . | T+2: a b | i . | . . | . . | T+6: s . | to T+36: . .
     *             T+37: fence . | . . | . . | T+40: wfi . | . . | . . | T+43: . . |
     *             asleep from T+44
     *   commit    T+5: a | b i; T+37: s; T+40: fence; T+43: wfi */
1:  addi s8, s8, 10
    sd s8, 0(s6)
    fence
    wfi
    close_round
    expect interrupts 0
    expect serialized 100*3         /* the store to the device too */
    expect cycles_idle 100*(1000-44)
    expect slots_idle 100*(1000-44)*2
    expect cpi_idle 100*(1000-44)
    expect slots_recovery 100*6     /* T, T+1, T+43: the instructions after WFI are fetched again */
    expect lost_flush_refill 100*6
    expect slots_retiring 100*6
    expect slots_serial 100*(1+4+1+60+5+5)
    expect cpi_base 100*5
    expect cpi_flush 100*3          /* T to T+2 */
    expect cpi_int 100*2            /* T+3, T+4 */
    expect cpi_serial 100*(30+2+2)
    expect cycles 100*1000
    expect cycles_irq_off 100*1000
    expect cycles_no_commit 100*(1000-5)
#endif
    j pass
    end_function program

#if BODY_IS(FLUSH)
    .balign 128
handler:
    csrw mepc, s7
    mret
#elif BODY_IS(INTERRUPT)
    .balign 128
handler:
    csrci mip, 2
    mret
#endif

    .data
    .balign 4096
data:
    .skip 4096
#if BODY_IS(ITLB)
    .balign 4096
page:
    .skip 128
    ret
    page_tables
#endif
