/* Kinds of marks on one instruction and on one datum, together (I5); data marks that an access
 * reaches only in its second page, only in its first, in both (I4); filters on the effects of
 * marked loads and marked data (I6). Indicators are claimed and read where they wait. */
#include "tests/programs/counted.h"
#include "tests/programs/counters.h"
    watch "everything 4 count interrupt start counter=2 label=9"
    watch "ending 4 stop"
    watch "second 8 count counter granule=8"
    watch "first 8 count counter granule=8"
    watch "both 16 count counter granule=8"
    watch "shared 8 count interrupt toggle label=7 counter=1 granule=8"
    watch "reader 4 count"
    watch "range I2 reader *"

    .macro indicator number, flags, count
    csrr t0, CSR_IND_FLAGS
    li t1, \flags
    and t0, t0, t1
    sub t0, t0, t1
    demand t0, 0, \number
    csrr t0, CSR_IND_COUNT
    demand t0, \count, \number
    PROF_WRITE(PROF_REG_ACK, zero)
    .endm

    .text
    function program
    csrr t0, CSR_PROF_MODE
    ori t0, t0, PROF_MODE_CLAIM
    csrw CSR_PROF_MODE, t0

    # Seven executions: each counts, starts, has label 9; the third and the sixth interrupt, and the
    # counter clears. From the first on everything counts: a round is 4, of the last 2 and the
    # call of `ending`, whose first instruction stops before it counts.
    count 3, SELECT(INSNS_RETIRED, MARKED, 0)
    count 4, SELECT(INSNS_RETIRED, LABEL, 9)
    count 5, SELECT(INSNS_RETIRED, TOGGLE, 0)
    count 6, SELECT(INSNS_RETIRED, LABEL, 8)
    li s1, 7
1:  jal ra, everything
    addi s1, s1, -1
    bnez s1, 1b
    jal ra, ending
    counted 3, 7, 1
    counted 4, 7, 1
    counted 5, 6*5 + 2 + 3, 2
    counted 6, 0, 2
    indicator 3, MARK_COUNT | MARK_INTERRUPT | MARK_START | MARK_COUNTER | MARK_LABEL, 3
    indicator 3, MARK_COUNT | MARK_INTERRUPT | MARK_START | MARK_COUNTER | MARK_LABEL, 3
    csrr t0, CSR_IND_FLAGS
    demand t0, 0, 3

    # Accesses across pages: 5 loads and 3 stores reach the marked second page, 4 loads the marked
    # first one, 6 loads both: one event an access, one count an item.
    count 3, SELECT(MARKED_DATA, ALL, 0)
    la s2, second
    .rept 5
    ld t0, -4(s2)
    .endr
    .rept 3
    sd zero, -4(s2)
    .endr
    la s2, first
    .rept 4
    ld t0, 4(s2)
    .endr
    la s2, both
    .rept 6
    ld t0, 4(s2)
    .endr
    ld t0, 16(s2)               # after it
    counted 3, 5 + 3 + 4 + 6, 4
    accessed second, 8, 8
    accessed first, 8, 4
    accessed both, 8, 6
    accessed both+8, 8, 6

    # A datum with everything, touched by a load, a store, an atomic, LR and SC: each counts and has
    # label 7; the second and the fourth pass the limit of 1; the flag is on after five toggles, and
    # so at each odd one.
    count 3, SELECT(ATOMICS, MARKED, 0)
    count 4, SELECT(INSNS_RETIRED, LABEL, 7)
    count 5, SELECT(LOADS, LABEL, 7)
    count 6, SELECT(INSNS_RETIRED, MARKED, 0)
    la s2, shared
    ld t0, 0(s2)
    sd t0, 0(s2)
    amoadd.d t0, t0, (s2)
    lr.d t0, (s2)
    sc.d t1, t0, (s2)
    counted 3, 3, 8
    counted 4, 5, 8
    counted 5, 1, 8
    counted 6, 5, 8
    indicator 9, MARK_DATA | MARK_COUNT | MARK_INTERRUPT | MARK_TOGGLE | MARK_COUNTER, 2
    indicator 9, MARK_DATA | MARK_COUNT | MARK_INTERRUPT | MARK_TOGGLE | MARK_COUNTER, 2
    csrr t0, CSR_IND_FLAGS
    demand t0, 0, 9

    # The cache misses of the marked load, and all cache misses, by the filters marked and range.
    # CACHES: whether the engine has any.
    count 3, SELECT(DCACHE_MISS, MARKED, 0)
    count 4, SELECT(DCACHE_MISS, RANGE, 2)
    count 5, SELECT(LOADS, MARKED, 0)
    count 6, SELECT(LOADS, ALL, 0)
    la s2, lines
    la s3, other_lines
    li s1, 12
1:  jal ra, reader
    ld t0, 0(s3)                # not marked, misses too
    addi s2, s2, 256
    addi s3, s3, 256
    fence
    addi s1, s1, -1
    bnez s1, 1b
    counted 3, 12 * CACHES, 10
    counted 4, 12 * CACHES, 10
    counted 5, 12, 11
    counted 6, 24, 12
    j pass
    end_function program

    .balign 128
    function everything
    nop
    ret
    end_function everything

    .balign 128
    function ending
    nop
    ret
    end_function ending

    .balign 128
    function reader
    ld t0, 0(s2)
    ret
    end_function reader

    .data
    .balign 4096
    .skip 4096
second:
    .skip 8192 - 8
first:
    .skip 8
    .skip 4096 - 8
both:
    .skip 16
    .skip 4096 - 8
shared:
    .dword 0
    .bss
    .balign 4096
lines:
    .skip 4096
other_lines:
    .skip 4096
