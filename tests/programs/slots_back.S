/* Slots that are lost because the back end is full, by the full structure and by the event for
 * which the oldest instruction waits. pipeline.h explains how instructions pass, C, e, and the
 * drawings. */
#include "tests/programs/pipeline.h"
#define ROB 1
#define DIVIDER 2
#define L1 3
#define L2 4
#define L3 5
#define DRAM 6
#define DTLB 7
#define RENAME_INT 8
#define RENAME_FP 9
#define QUEUE_INT 10
#define QUEUE_BRANCH 11
#define QUEUE_COMPLEX 12
#define QUEUE_MEM 13
#define QUEUE_FP 14
#define PORTS 15
#define LOADS 16
#define STORES 17
#define CHECKPOINTS 18
#define ATOMIC 19
#define ATOMIC_DTLB 20

    .text
    .balign 128
    function program
    prepare
#if BODY_IS(DTLB) || BODY_IS(ATOMIC_DTLB)
    enter_pages
#endif
    .balign 128

#if BODY <= DTLB
    /* rob.entries = 8, and at the head an instruction that is complete in C+21.
     *   dispatch  C: H n | n n | n n | n n | from C+4 to C+21 full
     *             C+22: n n | n n | n a | b . | csrr waits: . . | . . | . . | C+29: csrr
     *   commit    C+22: H n | n n | n n | n n | n n | n n | n a | C+29: b
     * e = C+29: 32 cycles, 64 slots. */
#if !BODY_IS(STORES)
    open_round
#endif
#if BODY_IS(ROB)
    mul t2, s5, s5                  # issued in C+1, 20 cycles
    expect lost_rob 100*36
    expect cpi_mul 100*21           /* C+1 to C+21 */
#elif BODY_IS(DIVIDER)
    div t2, s5, s5
    expect lost_divider 100*36
    expect cpi_div 100*21
#elif BODY_IS(L1)
    ld t2, 0(s1)                    # latency.load = 20
    expect lost_l1 100*36
    expect cpi_l1 100*21
#elif BODY_IS(L2)
    ld s1, 0(s1)                    # 2 in L1, where it is not, and l2.cycles = 18
    expect lost_l2 100*36
    expect cpi_l2 100*21
#elif BODY_IS(L3)
    ld s1, 0(s1)                    # 2, 6 in L2 and l3.cycles = 12
    expect lost_l3 100*36
    expect cpi_l3 100*21
#elif BODY_IS(DRAM)
    ld t2, 0(s1)                    # 2, 6 and dram.cycles = 12
    expect lost_dram 100*36
    expect cpi_dram 100*21
#else
    /* dtlb.entries = 1, for two pages. In C+1 the first level misses; l2tlb.cycles = 18 later the
     * load goes to L1, which has the line. Until it has issued, in C+19, it waits for the TLB:
     * 15 of the 18 cycles, and 19 of those without commit. */
    ld t2, 0(s1)
    expect lost_dtlb 100*30
    expect lost_l1 100*6
    expect cpi_dtlb 100*19
    expect cpi_l1 100*2
#endif
#if BODY_IS(DRAM)
    addi s1, s1, 32                 # a line that no cache has
#elif BODY_IS(DTLB)
    xor s1, s1, s4
#else
    nop
#endif
    .rept 11
    nop
    .endr
    close_round
    expect slots_rob_full 100*36    /* 18 cycles */
    expect slots_retiring 100*16
    expect slots_serial 100*(1+6+1+4)
    expect cpi_base 100*9           /* C+22 to C+29, C+32 */
    expect cpi_serial 100*2
    expect cycles 100*32
    expect cycles_no_commit 100*23

#elif BODY_IS(RENAME_INT)
    /* rename.int_buffers = 4.
     *   dispatch  C: mul r | r r | from C+2 to C+21 no buffer
     *             C+22: r a | b . | csrr waits: . . | . . | C+26: csrr
     *   commit    C+22: mul r | r r | . . | r a | C+26: b */
    open_round
    mul t2, s5, s5
    li t3, 1
    li t4, 1
    li t5, 1
    li t6, 1
    close_round
    expect lost_rename_int 100*40
    expect slots_rename_full 100*40
    expect slots_retiring 100*8
    expect slots_serial 100*(1+4+1+4)
    expect cpi_base 100*5           /* C+22, C+23, C+25, C+26, C+29 */
    expect cpi_mul 100*21
    expect cpi_int 100              /* C+24 */
    expect cpi_serial 100*2
    expect cycles 100*29
    expect cycles_no_commit 100*24

#elif BODY_IS(RENAME_FP)
    /* rename.fp_buffers = 4. The unit takes one a cycle; a move takes 2.
     *   dispatch  C: fadd m | m m | from C+2 to C+21 no buffer
     *             C+22: m a | b . | csrr waits: . . | . . | . . | C+27: csrr
     *   commit    C+22: fadd m | m m | . . | . . | C+26: m a | b */
    open_round
    fadd.d fa0, fa1, fa2
    fmv.d fa3, fa1
    fmv.d fa4, fa1
    fmv.d fa5, fa1
    fmv.d fa6, fa1
    nop
    close_round
    expect lost_rename_fp 100*40
    expect slots_rename_full 100*40
    expect slots_retiring 100*9
    expect slots_serial 100*(6+1+4)
    expect cpi_base 100*5
    expect cpi_fp 100*(21+2)        /* C+1 to C+21; C+24, C+25: the last move */
    expect cpi_serial 100*2
    expect cycles 100*30
    expect cycles_no_commit 100*25

#elif BODY_IS(QUEUE_INT)
    /* issue.int_queue = 2, for four that need the product, which is there in C+21.
     *   dispatch  C: mul w | w . | from C+2 to C+20 full
     *             C+21: w w | a b | csrr waits: . . | . . | . . | C+26: csrr
     *   issue     C+1: mul; C+21: w w | w w | a | C+24: b
     *   commit    C+22: mul | w w | w w | a | C+26: b */
    open_round
    mul t2, s5, s5
    .rept 4
    addi t3, t2, 1
    .endr
    close_round
    expect lost_queue_int 100*(1+38)
    expect slots_queue_full 100*39
    expect slots_retiring 100*8
    expect slots_serial 100*(6+1+4)
    expect cpi_base 100*6           /* C+22 to C+26, C+29 */
    expect cpi_mul 100*21
    expect cpi_serial 100*2
    expect cycles 100*29
    expect cycles_no_commit 100*23

#elif BODY_IS(QUEUE_BRANCH)
    /* issue.branch_queue = 1, for two that need the product, and the one that closes the round.
     *   dispatch  C: mul z | from C+1 to C+20 full
     *             C+21: z a | b . | csrr waits: . . | . . | C+25: csrr
     *   issue     C+1: mul; C+21: z | z a | C+23: b
     *   commit    C+22: mul | z | z a | C+25: b */
    open_round
    mul t2, s5, s5
    beqz t2, 3f
    beqz t2, 3f
3:  close_round
    expect branches 100*3
    expect branches_taken 100
    expect lost_queue_branch 100*40
    expect slots_queue_full 100*40
    expect slots_retiring 100*6
    expect slots_serial 100*(1+4+1+4)
    expect cpi_base 100*5           /* C+22 to C+25, C+28 */
    expect cpi_mul 100*21
    expect cpi_serial 100*2
    expect cycles 100*28
    expect cycles_no_commit 100*23

#elif BODY_IS(QUEUE_COMPLEX)
    /* issue.complex_queue = 1. In C it holds one that can issue in C+1 only; then one that needs
     * its product, until C+21. The third needs that product too, and is complete in C+42.
     *   dispatch  C: m . | m . | from C+2 to C+20 full
     *             C+21: m a | b . | csrr waits from C+23 to C+43: . . | C+44: csrr
     *   commit    C+22: m; C+42: m | m a | C+44: b */
    open_round
    mul t2, s5, s5
    mul t3, t2, t2
    mul t4, t2, t2
    close_round
    expect lost_queue_complex 100*(1+1+38)
    expect slots_queue_full 100*40
    expect slots_retiring 100*6
    expect slots_serial 100*(1+42+1+4)
    expect cpi_base 100*5           /* C+22, C+42, C+43, C+44, C+47 */
    expect cpi_mul 100*(21+19)      /* C+1 to C+21, C+23 to C+41 */
    expect cpi_serial 100*2
    expect cycles 100*47
    expect cycles_no_commit 100*42

#elif BODY_IS(QUEUE_MEM)
    /* issue.mem_queue = 2, for three whose address is the product; one a cycle issues.
     *   dispatch  C: mul l | l . | from C+2 to C+20 full
     *             C+21: l n | a b | csrr waits from C+23 to C+26: . . | C+27: csrr
     *   issue     C+1: mul; C+21: l | l n | l a | C+24: b
     *   commit    C+22: mul | . . | l | l | l n | C+27: a b */
    open_round
    mul t2, s1, s5
    ld t3, 0(t2)
    ld t4, 0(t2)
    ld t5, 0(t2)
    nop
    close_round
    expect lost_queue_mem 100*(1+38)
    expect slots_queue_full 100*39
    expect slots_retiring 100*8
    expect slots_serial 100*(8+1+4)
    expect cpi_base 100*6           /* C+22, C+24 to C+27, C+30 */
    expect cpi_mul 100*21
    expect cpi_l1 100               /* C+23 */
    expect cpi_serial 100*2
    expect cycles 100*30
    expect cycles_no_commit 100*24

#elif BODY_IS(QUEUE_FP)
    /* issue.fp_queue = 1, for two that convert the product, in 2 cycles.
     *   dispatch  C: mul f | from C+1 to C+20 full
     *             C+21: f a | b . | csrr waits: . . | . . | . . | C+26: csrr
     *   issue     C+1: mul; C+21: f | f a | C+23: b
     *   commit    C+22: mul | . . | f | f a | C+26: b */
    open_round
    mul t2, s5, s5
    fcvt.d.l fa0, t2
    fcvt.d.l fa1, t2
    close_round
    expect lost_queue_fp 100*40
    expect slots_queue_full 100*40
    expect slots_retiring 100*6
    expect slots_serial 100*(1+6+1+4)
    expect cpi_base 100*5           /* C+22, C+24, C+25, C+26, C+29 */
    expect cpi_mul 100*21
    expect cpi_fp 100               /* C+23 */
    expect cpi_serial 100*2
    expect cycles 100*29
    expect cycles_no_commit 100*24

#elif BODY_IS(PORTS)
    /* unit.ints = 1, issue.int_queue = 2: of two that are ready one issues, and one enters.
     *   dispatch  C: n n | n . | n . | n . | a b | csrr waits from C+5 to C+8: . . | C+9: csrr
     *   issue     C+1: n | n | n | n | n | C+6: a | b
     *   commit    C+3: n | n | n | n | n | C+8: a | b */
    open_round
    .rept 5
    nop
    .endr
    close_round
    expect lost_ports 100*3
    expect slots_queue_full 100*3
    expect slots_retiring 100*8
    expect slots_serial 100*(8+1+4)
    expect cpi_base 100*8           /* C+3 to C+9, C+12 */
    expect cpi_int 100*2            /* C+1, C+2 */
    expect cpi_serial 100*2
    expect cycles 100*12
    expect cycles_no_commit 100*4

#elif BODY_IS(LOADS)
    /* lsq.loads = 2, which loads keep until they commit, after the product.
     *   dispatch  C: mul l | l . | from C+2 to C+21 full
     *             C+22: l n | a b | csrr waits: . . | . . | . . | C+27: csrr
     *   commit    C+22: mul l | l | . . | . . | C+26: l n | a b */
    open_round
    mul t2, s5, s5
    ld t3, 0(s1)
    ld t4, 0(s1)
    ld t5, 0(s1)
    nop
    close_round
    expect lost_load_queue 100*(1+40)
    expect slots_lsq_full 100*41
    expect slots_retiring 100*8
    expect slots_serial 100*(6+1+4)
    expect cpi_base 100*5           /* C+22, C+23, C+26, C+27, C+30 */
    expect cpi_mul 100*21
    expect cpi_l1 100*2             /* C+24, C+25 */
    expect cpi_serial 100*2
    expect cycles 100*30
    expect cycles_no_commit 100*25

#elif BODY_IS(STORES)
    /* lsq.stores = 2, and lsq.drain_cycles = 20 from the commit of a store to its write into the
     * cache. In the place of the read a fence, as long, which dispatches when all is written.
     *   dispatch  C: s s | . . | . . | from C+3, when one has committed, to C+22: full
     *             C+23: s a | b . | fence waits from C+25 to C+45: . . | C+46: fence
     *   issue     C+1: s | s
     *   commit    C+3: s | s; C+26: s a | b
     *   written   C+23: s | s; C+46: s */
1:  fence
    sd s3, 0(s1)
    sd s3, 8(s1)
    sd s3, 16(s1)
    close_round
    expect lost_load_queue 100*4    /* C+1, C+2: both in the queue have to issue and to commit */
    expect lost_store 100*40
    expect slots_lsq_full 100*44
    expect slots_retiring 100*6
    expect slots_serial 100*(1+42+1+4)
    expect cpi_base 100*5           /* C+3, C+4, C+26, C+27, C+49 */
    expect cpi_store 100*(2+21)     /* C+1, C+2; C+5 to C+25: at the door, and then at the head */
    expect cpi_serial 100*(19+2)    /* C+28 to C+46 at the door, and 2 */
    expect cycles 100*49
    expect cycles_no_commit 100*44

#elif BODY_IS(CHECKPOINTS)
    /* recover.checkpoints = 1, for two branches that need the product. A branch gives its
     * checkpoint back when it issues; so the cycles are those of QUEUE_BRANCH, but here renaming
     * waits. */
    open_round
    mul t2, s5, s5
    beqz t2, 3f
    beqz t2, 3f
3:  close_round
    expect lost_checkpoint 100*40
    expect slots_rename_full 100*40
    expect slots_retiring 100*6
    expect slots_serial 100*(1+4+1+4)
    expect cpi_base 100*5
    expect cpi_mul 100*21
    expect cpi_serial 100*2
    expect cycles 100*28
    expect cycles_no_commit 100*23

#elif BODY_IS(ATOMIC)
    /* An atomic is serial like the read, and waits for L1D.
     *   dispatch  C: l . | . . | . . | C+3: n a | b . | csrr waits: . . | . . | C+7: csrr
     *   commit    C+3: l; C+6: n a | b */
    open_round
    amoadd.d t2, s5, (s1)
    nop
    close_round
    expect serialized 100*2
    expect dcache_hit 100
    expect slots_retiring 100*5
    expect slots_serial 100*(5+1+4+1+4)
    expect cpi_base 100*4           /* C+3, C+6, C+7, C+10 */
    expect cpi_l1 100*2             /* C+1, C+2 */
    expect cpi_int 100*2            /* C+4, C+5 */
    expect cpi_serial 100*2
    expect cycles 100*10
    expect cycles_no_commit 100*6

#elif BODY_IS(ATOMIC_DTLB)
    /* dtlb.entries = 1, for two pages; l2tlb.cycles = 18, in which the atomic does not issue yet.
     *   dispatch  C: l . | to C+20: . . | C+21: x a | b . | csrr waits: . . | . . | C+25: csrr
     *   commit    C+21: l; C+24: x a | b */
    open_round
    amoadd.d t2, s5, (s1)
    xor s1, s1, s4
    close_round
    expect dtlb_miss 100
    expect dtlb_walk 0
    expect exec_cycles 100*(2+2+3)  /* of both that are serial, and of x, a and b */
    expect slots_retiring 100*5
    expect slots_serial 100*(1+40+1+4+1+4)
    expect cpi_base 100*4           /* C+21, C+24, C+25, C+28 */
    expect cpi_dtlb 100*18          /* C+1 to C+18 */
    expect cpi_l1 100*2             /* C+19, C+20 */
    expect cpi_int 100*2            /* C+22, C+23 */
    expect cpi_serial 100*2
    expect cycles 100*28
    expect cycles_no_commit 100*24
#endif
    j pass
    end_function program

    .data
    .balign 4096
data:
#if BODY_IS(L2) || BODY_IS(L3)
    .dword data+1024                # the other line of the same set
    .skip 1016
    .dword data
#endif
    .skip 65536
#if BODY_IS(DTLB) || BODY_IS(ATOMIC_DTLB)
    .balign 4096
page:
    .skip 4096
    page_tables
#endif
