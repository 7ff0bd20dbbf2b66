/* Indicators in the instruction stream (I1, I2, I5, I6, I8): the instructions that each marks,
 * counted by the program itself. The counters are those of marked instructions (3), of instructions
 * after start (4), of label 9 (5), of hints (6). */
#include "tests/programs/counted.h"
#include "tests/programs/events.h"
#include "guest/include/rvsim/indicator.h"

    .macro clear
    csrw mhpmcounter3, zero
    csrw mhpmcounter4, zero
    csrw mhpmcounter5, zero
    csrw mhpmcounter6, zero
    .endm
    # The values of the counters since `clear`; the bits of NUMBER are wrong when a value differs.
    .macro counted number, marked, toggled, labelled, hints
    csrr t1, mhpmcounter3
    csrr t2, mhpmcounter4
    csrr t3, mhpmcounter5
    csrr t4, mhpmcounter6
    demand t1, \marked, \number
    demand t2, \toggled, \number
    demand t3, \labelled, \number
    demand t4, \hints, \number
    .endm
    .macro nops n
    .rept \n
    nop
    .endr
    .endm

    .text
    function program
    li t0, SELECT(INSNS_RETIRED, MARKED, 0)
    csrw mhpmevent3, t0
    li t0, SELECT(INSNS_RETIRED, TOGGLE, 0)
    csrw mhpmevent4, t0
    li t0, SELECT(INSNS_RETIRED, LABEL, 9)
    csrw mhpmevent5, t0
    li t0, SELECT(HINT_MARKS, ALL, 0)
    csrw mhpmevent6, t0

    # While off, no instruction is marked, and nothing is counted.
    csrw CSR_PROF_MODE, zero
    clear
    prof_mark_next 31, HINT_COUNT | HINT_START
    prof_label 31, 9
    nops 40
    counted 1, 0, 0, 0, 0
    PROF_READ(t1, PROF_REG_HINT)
    demand t1, 0, 1
    li t0, PROF_MODE_ENABLE
    csrw CSR_PROF_MODE, t0

    # The next one, three, 31; hints do not count among them.
    clear
    prof_mark
    nops 4
    prof_mark_next 3, HINT_COUNT
    nop
    prof_label 2, 9             # of the next two, of which the first two more are marked
    nops 6
    prof_mark_next 31, HINT_COUNT
    nops 40
    counted 2, 1 + 3 + 31, 0, 2, 4

    # Start, stop, toggle act with the next instruction: start counts it, stop does not.
    clear
    prof_start
    nops 5                      # 5
    prof_stop                   # the hint is still counted: 6
    nops 3
    prof_toggle
    nops 2                      # 8
    prof_toggle                 # 9
    nops 7
    counted 3, 0, 9, 0, 4

    # A later hint of a kind replaces the pending hint of that kind, and that of the other kind
    # stays; flags 0 end a hint.
    clear
    prof_mark_next 20, HINT_COUNT
    nop                         # 1
    prof_label_next 4, 9, HINT_LABEL_COUNT
    prof_mark_next 2, HINT_COUNT
    nops 10                     # 4 with the label, of which 2 are marked twice: counted once
    prof_mark_next 9, HINT_COUNT
    nops 2                      # 2
    prof_cancel
    nops 10
    counted 4, 1 + 4 + 2, 0, 4, 5

    # With a reserved bit, or label 0, an encoding is no hint, but an instruction like any other.
    clear
    prof_mark_next 3, HINT_COUNT
    slti x0, x5, 0x101          # the first of the three
    sltiu x0, x5, 0x400 | 9     # the second
    sltiu x0, x5, 0x100         # the third
    nops 5
    counted 5, 3, 0, 0, 1

    # Across a trap: the handler is not marked, except by its own hint, and the rest is marked after
    # it. The ecall is one of the marked ones, but does not retire.
    la t0, handler
    csrw mtvec, t0
    clear
    prof_mark_next 5, HINT_COUNT
    prof_label 3, 9
    nop
    ecall                       # the handler: 2, and its mret has label 9
    nops 10
    counted 6, 4 + 2, 0, 2 + 1, 4

    # To user mode with mret: it is marked itself, the rest of its five are dropped. User mode
    # marks two and the ecall, and traps with two left, which nothing takes up: machine mode does
    # not go back.
    la t0, back
    csrw mtvec, t0
    li t0, -1
    csrw pmpaddr0, t0
    li t0, 0x1f
    csrw pmpcfg0, t0
    la t0, user
    csrw mepc, t0
    li t0, 0x1800
    csrc mstatus, t0
    clear
    prof_mark_next 5, HINT_COUNT
    mret
    .balign 4
back:
    PROF_READ(s3, PROF_REG_HINT + 2*HINT_AT_MACHINE)
    PROF_READ(s4, PROF_REG_HINT + 2*HINT_AT_NOW)
    counted 7, 1 + 2, 0, 0, 2
    demand s3, 2 << HINT_LEFT_SHIFT | HINT_COUNT, 7
    demand s4, 0, 7

    # To supervisor mode by delegation, and back with sret: the same as with mret.
    PROF_WRITE(PROF_REG_HINT + 2*HINT_AT_MACHINE, zero)
    la t0, supervisor_handler
    csrw stvec, t0
    li t0, 1 << 8
    csrw medeleg, t0
    la t0, done
    csrw mtvec, t0
    la t0, user_again
    csrw mepc, t0
    clear
    mret
    .balign 4
done:
    counted 8, 3, 0, 0, 1

    # Bundles: seven times four instructions, of which the first is the hint; once the last alone.
    # Not at a bundle's start the same hint is an ordinary instruction. Three with a label, and one
    # more from an ordinary hint.
    clear
    li s1, 7
1:  jal ra, bundle
    addi s1, s1, -1
    bnez s1, 1b
    jal ra, bundle_end
    jal ra, not_a_bundle
    counted 9, 7*3 + 1, 0, 3 + 1, 7 + 2

    # The registers: the second instruction after a hint reads the pending hint and writes it; the
    # written value holds after the write, which itself is marked by the old value.
    clear
    li t5, PROF_REG_HINT
    li t6, 4 << HINT_LEFT_SHIFT | HINT_COUNT
    csrw CSR_PROF_INDEX, t5
    prof_mark_next 9, HINT_COUNT
    nop
    csrr s3, CSR_PROF_DATA      # eight left, seven after it
    csrw CSR_PROF_DATA, t6      # 3 marked, and 4 after it
    nops 9
    csrw CSR_PROF_DATA, t6
    csrr s4, CSR_PROF_DATA      # 4 left
    li t6, 4 << HINT_LEFT_SHIFT | 0x100     # two instructions
    csrw CSR_PROF_DATA, t6      # marked itself; it writes no hint
    csrr s5, CSR_PROF_DATA
    counted 10, 3 + 4 + 4, 0, 0, 1
    demand s3, 8 << HINT_LEFT_SHIFT | HINT_COUNT, 10
    demand s4, 4 << HINT_LEFT_SHIFT | HINT_COUNT, 10
    demand s5, 0, 10
    j pass
    end_function program

    .balign 4
handler:
    csrr t0, mepc
    addi t0, t0, 4
    csrw mepc, t0
    prof_mark_next 2, HINT_COUNT
    nops 4
    prof_label 5, 9
    mret

user:
    nop
    prof_mark_next 5, HINT_COUNT
    nops 2
    ecall

user_again:
    prof_mark_next 4, HINT_COUNT
    nop
    ecall                       # to supervisor mode
    nops 6
    unimp                       # to machine mode

    .balign 4
supervisor_handler:
    csrr t0, sepc
    addi t0, t0, 4
    csrw sepc, t0
    sret

    .balign 64
bundle:
    prof_bundle HINT_COUNT
    nop
    nop
bundle_end:
    ret

    .balign 64
    nop
not_a_bundle:
    slti x0, x0, HINT_COUNT
    nop
    nop
    prof_bundle_label 9, 0
    nop
    nop
    nop
    prof_label 1, 9
    ret
