/* Slots that the in-order core loses at issue. Machine and drawings: pipeline.h; but in this core
 * dispatch is issue, once the operands are there:
 *   issue i = f+2 or later, two a cycle; complete i + latency; commit i + latency + 1 or later
 * The first that cannot issue ends the cycle, and names the cause of its slots. */
#include "tests/programs/pipeline.h"
#define OPERAND 1
#define LOAD_USE 2
#define DIVIDER 3
#define WRITE_PORT 4
#define PAIRING 5
#define DOOR 6
#define DTLB 7
#define STORES 8
#define ROB 9

    .text
    .balign 128
    function program
    prepare
#if BODY_IS(DTLB)
    enter_pages
#endif
    .balign 128
#if !BODY_IS(STORES)
    open_round
#endif

#if BODY_IS(OPERAND) || BODY_IS(LOAD_USE)
    /* w needs what is complete in C+20; b needs a, of the cycle before.
     *   issue     C: m . | from C+1 to C+19: . . | C+20: w n | a . | b . |
     *             csrr waits: . . | C+24: csrr
     *   commit    C+21: m | w n | a | C+24: b */
#if BODY_IS(OPERAND)
    mul t2, s5, s5
    addi t3, t2, 1
    expect slots_operand 100*(39+1)
    expect lost_operand 100*(39+1)
    expect cpi_mul 100*20           /* C+1 to C+20 */
#else
    ld t2, 0(s1)                    # latency.load = 20
    addi t3, t2, 1
    expect slots_load_use 100*39
    expect lost_l1 100*39
    expect slots_operand 100
    expect lost_operand 100
    expect cpi_l1 100*20
#endif
    nop
    close_round
    expect slots_retiring 100*6
    expect slots_serial 100*(1+2+1+4)
    expect cpi_base 100*5           /* C+21 to C+24, C+27 */
    expect cpi_serial 100*2
    expect cycles 100*27
    expect cycles_no_commit 100*22

#elif BODY_IS(DIVIDER)
    /* Two divisions do not issue together, and the second waits for the divider.
     *   issue     C: d . | from C+1 to C+19: . . | C+20: d n | a . | b . | csrr waits from C+23 to
     *             C+41: . . | C+42: csrr
     *   commit    C+21: d; C+41: d n | C+42: a b */
    div t2, s5, s5
    div t3, s5, s5
    nop
    close_round
    expect slots_pairing 100
    expect lost_pairing 100
    expect slots_unit_busy 100*38
    expect lost_divider 100*38
    expect slots_operand 100
    expect lost_operand 100
    expect slots_retiring 100*6
    expect slots_serial 100*(1+38+1+4)
    expect cpi_base 100*4           /* C+21, C+41, C+42, C+45 */
    expect cpi_div 100*(20+19)
    expect cpi_serial 100*2
    expect cycles 100*45
    expect cycles_no_commit 100*41

#elif BODY_IS(WRITE_PORT)
    /* cva6.write_ports = 1: one result of an integer unit or a branch a cycle.
     *   issue     C: n . | n . | n . | C+3: a . | b . | csrr waits: . . | C+6: csrr
     *   commit    C+2: n | n | n | a | C+6: b */
    nop
    nop
    nop
    close_round
    expect slots_unit_busy 100*3
    expect lost_ports 100*3
    expect slots_operand 100        /* C+3 */
    expect lost_operand 100
    expect slots_retiring 100*6
    expect slots_serial 100*(1+2+1+4)
    expect cpi_base 100*6           /* C+2 to C+6, C+9 */
    expect cpi_int 100              /* C+1 */
    expect cpi_serial 100*2
    expect cycles 100*9
    expect cycles_no_commit 100*3

#elif BODY_IS(PAIRING)
    /* inorder.memory_ops = 1.
     *   issue     C: l . | l n | a . | b . | csrr waits: . . | C+5: csrr
     *   commit    C+3: l | l n | C+5: a b */
    ld t2, 0(s1)
    ld t3, 8(s1)
    nop
    close_round
    expect slots_pairing 100
    expect lost_pairing 100
    expect slots_operand 100
    expect lost_operand 100
    expect slots_retiring 100*6
    expect slots_serial 100*(1+2+1+4)
    expect cpi_base 100*4           /* C+3 to C+5, C+8 */
    expect cpi_l1 100*2             /* C+1, C+2 */
    expect cpi_serial 100*2
    expect cycles 100*8
    expect cycles_no_commit 100*4

#elif BODY_IS(DOOR)
    /* commit.early_loads. The load misses L1, and L2 gives its value in C+20 (2, and l2.cycles =
     * 18); it commits as if it had hit. An instruction that uses the value waits in front of an
     * empty pipeline.
     *   issue     C: l . | from C+1 to C+19: . . | C+20: w n | a . | b . |
     *             csrr waits: . . | C+24: csrr
     *   commit    C+3: l; C+22: w n | a | C+24: b */
    ld s1, 0(s1)
    addi t3, s1, 1
    nop
    close_round
    expect slots_load_use 100*39
    expect lost_l2 100*39
    expect slots_operand 100
    expect lost_operand 100
    expect slots_retiring 100*6
    expect slots_serial 100*(1+2+1+4)
    expect cpi_base 100*5           /* C+3, C+22 to C+24, C+27 */
    expect cpi_l2 100*(2+17)        /* C+1, C+2; C+4 to C+20 */
    expect cpi_int 100              /* C+21 */
    expect cpi_serial 100*2
    expect cycles 100*27
    expect cycles_no_commit 100*22

#elif BODY_IS(DTLB)
    /* dtlb.entries = 1, for two pages; l2tlb.cycles = 18 after it missed the load issues.
     *   issue     from C to C+17: . . | C+18: l x | n a | b . | csrr waits: . . | . . | C+23: csrr
     *   commit    C+21: l x | n a | C+23: b */
    ld t2, 0(s1)
    xor s1, s1, s4
    nop
    close_round
    expect dtlb_miss 100
    expect dtlb_walk 0
    expect slots_load_use 100*36
    expect lost_dtlb 100*36
    expect slots_retiring 100*6
    expect slots_serial 100*(1+4+1+4)
    expect cpi_base 100*4           /* C+21 to C+23, C+26 */
    expect cpi_dtlb 100*18          /* C+1 to C+18 */
    expect cpi_l1 100*2             /* C+19, C+20 */
    expect cpi_serial 100*2
    expect cycles 100*26
    expect cycles_no_commit 100*22

#elif BODY_IS(STORES)
    /* lsq.stores = 2, lsq.drain_cycles = 20, one store a cycle. In the place of the read a fence.
     *   issue     C: s . | s . | from C+2 to C+21: full | C+22: s a | b . |
     *             fence waits from C+24 to C+43: . . | C+44: fence
     *   commit    C+2: s | s; C+24: s a | b
     *   written   C+22: s | s; C+44: s */
1:  fence
    sd s3, 0(s1)
    sd s3, 8(s1)
    sd s3, 16(s1)
    close_round
    expect slots_pairing 100*2
    expect lost_pairing 100*2
    expect slots_lsq_full 100*40
    expect lost_store 100*40
    expect slots_retiring 100*6
    expect slots_serial 100*(1+40+1+4)
    expect cpi_base 100*5           /* C+2, C+3, C+24, C+25, C+47 */
    expect cpi_store 100*(1+20)     /* C+1; C+4 to C+23 */
    expect cpi_serial 100*21        /* C+26 to C+46 */
    expect cycles 100*47
    expect cycles_no_commit 100*42

#elif BODY_IS(ROB)
    /* rob.entries = 8. Entries that commit frees are there in the next cycle.
     *   issue     C: m n | n n | n n | n n | from C+4 to C+21: full |
     *             C+22: n n | n n | n a | b . | csrr waits: . . | . . | C+28: csrr
     *   commit    C+21: m n | n n | n n | n n | n n | n n | n a | C+28: b */
    mul t2, s5, s5
    .rept 12
    nop
    .endr
    close_round
    expect slots_rob_full 100*36
    expect lost_rob 100*36
    expect slots_retiring 100*16
    expect slots_serial 100*(1+4+1+4)
    expect cpi_base 100*9           /* C+21 to C+28, C+31 */
    expect cpi_mul 100*20
    expect cpi_serial 100*2
    expect cycles 100*31
    expect cycles_no_commit 100*22
#endif
    j pass
    end_function program

    .data
    .balign 4096
data:
#if BODY_IS(DOOR)
    .dword data+1024                # the other line of the same set
    .skip 1016
    .dword data
#endif
    .skip 4096
#if BODY_IS(DTLB)
    .balign 4096
page:
    .skip 4096
    page_tables
#endif
