/* Programs that are a loop: a hundred more rounds of a body count the events that the body expects.
 *
 * Start, end and all events of the first, cold round cancel out between a run of ROUNDS and one of
 * ROUNDS + 100. BODY names the body; its expectations are those of a hundred rounds, derived
 * instruction by instruction, on the machine that tests/integration/events_test.sh names for it. */
#ifndef ROUNDS_H
#define ROUNDS_H

#include "tests/programs/counted.h"

#define BODY_IS(name) (BODY == name)

    /* A taken branch closes each round: 2 instructions, an integer operation and a branch. */
    .macro close_round
    addi s3, s3, -1
    bnez s3, 1b
    .endm

    /* s1: data; s3: rounds to go; s5: 1; s6: 0. Floating point is on. */
    .macro prepare
    li t0, 3 << 13                  # mstatus.FS
    csrs mstatus, t0
    la s1, data
    li s3, ROUNDS
    li s5, 1
    li s6, 0
    fence
    .endm

    /* On in S-mode, at the next instruction: the 2 MiB from 0 on are one page, `page`, again and
     * again; memory has its own addresses, in a page of 1 GiB. s1: 0; s4: size of a page. */
    .macro enter_pages
    li t0, -1
    csrw pmpaddr0, t0
    li t0, 0x1f
    csrw pmpcfg0, t0
    la t1, leaves
    la t0, page
    srli t0, t0, 2
    ori t0, t0, 0xcf                # valid, RWX, accessed, dirty
    li t2, 512
77: sd t0, 0(t1)
    addi t1, t1, 8
    addi t2, t2, -1
    bnez t2, 77b
    la t0, leaves
    la t1, middle
    srli t0, t0, 2
    ori t0, t0, 1
    sd t0, 0(t1)
    la t0, root
    srli t1, t1, 2
    ori t1, t1, 1
    sd t1, 0(t0)
    li t1, 0x80000000 >> 2 | 0xcf
    sd t1, 2*8(t0)
    srli t0, t0, 12
    li t1, 8 << 60
    or t0, t0, t1
    csrw satp, t0
    sfence.vma
    li t0, 3 << 11
    csrc mstatus, t0
    li t0, 1 << 11
    csrs mstatus, t0                # MPP = S
    la t0, 78f
    csrw mepc, t0
    li s1, 0
    li s4, 4096
    mret
    .balign 64
78:
    .endm

    /* The tables of enter_pages; `page` is the program's. */
    .macro page_tables
    .balign 4096
root:
    .skip 4096
middle:
    .skip 4096
leaves:
    .skip 4096
    .endm

#endif
