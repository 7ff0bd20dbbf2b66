/* Debug triggers that start, stop and toggle counting (the trace actions), and triggers that are
 * limited to a context, to bytes of it, or to an address space: counts made by hand. */
#include "tests/programs/counted.h"
#include "tests/programs/events.h"
#include "tests/programs/trigger.h"
#define EXECUTE 4
#define MODE_M 64
#define TRACE(action) ((action) << 12)      /* 2 on, 3 off, 4 notify: toggle */
#define SIGNAL_8 (8 << 12)
#define MCONTROL6 (6 << (__riscv_xlen - 4))
#define SVALUE(value) ((value) << 2)
#define IN_CONTEXT 1
#define IN_SPACE 2
#if __riscv_xlen == 64
#define MVALUE(value) ((value) << 51)
#define IN_MACHINE_CONTEXT (4 << 48)
#define IGNORE_BYTE(byte) (1 << (36 + (byte)))
#define SPACE_SHIFT 44
#else
#define MVALUE(value) ((value) << 26)
#define IN_MACHINE_CONTEXT (4 << 23)
#define IGNORE_BYTE(byte) (1 << (18 + (byte)))
#define SPACE_SHIFT 22
#endif
#define CSR_SCONTEXT 0x5a8
#define CSR_TDATA3 0x7a3
#define CSR_MCONTEXT 0x7a8

    .macro gated counter, event
    li t0, \event | PMU_FILTER_TOGGLE << PMU_FILTER_SHIFT
    csrw mhpmevent\counter, t0
    csrw mhpmcounter\counter, zero
    .endm
    .macro counted counter, value, number
    csrr t1, mhpmcounter\counter
    demand t1, \value, \number
    .endm
    # trigger_8 counts three calls of `here` under these conditions
    .macro limited value, number, condition:vararg
    li t0, \condition
    csrw CSR_TDATA3, t0
    csrw mhpmcounter3, zero
    jal ra, here
    jal ra, here
    jal ra, here
    counted 3, \value, \number
    .endm

    .text
    function program
    # A round counts from `begin` on, with it, up to `end`, without it: 2 of `begin`, a call and 3
    # of `plain`, 4 nops, the call of `end`: 11, one of them a store, two of them calls.
    gated 3, EVENT_INSNS_RETIRED
    gated 4, EVENT_STORES
    gated 5, EVENT_CALLS
    trigger 0, begin, MCONTROL6 | MODE_M | EXECUTE | TRACE(2)
    trigger 1, end, MCONTROL6 | MODE_M | EXECUTE | TRACE(3)
    li s1, 12
1:  jal ra, begin
    jal ra, plain
    nop
    nop
    nop
    nop
    jal ra, end
    nop
    jal ra, plain
    addi s1, s1, -1
    bnez s1, 1b
    counted 3, 12*11, 1
    counted 4, 12, 1
    counted 5, 12*2, 1
    disable 0
    disable 1

    # Toggled by each execution of `turn`: on by the first, which counts, off by the second. 7
    # calls: three times from one to the next, 2 + 6 nops + 2 of the loop + the next call; then
    # 2 + 6 + 2 up to the instruction that removes the counter's event.
    trigger 2, turn, MCONTROL6 | MODE_M | EXECUTE | TRACE(4)
    gated 3, EVENT_INSNS_RETIRED
    li s1, 7
2:  jal ra, turn
    nop
    nop
    nop
    nop
    nop
    nop
    addi s1, s1, -1
    bnez s1, 2b
    csrw mhpmevent3, zero
    counted 3, 3*(2+6+2+1) + 2+6+2, 2
    jal ra, turn                        # off
    disable 2

    # Limits. Without limits, and with contexts that are ignored: 3.
    li t0, EVENT_TRIGGER_8
    csrw mhpmevent3, t0
    trigger 3, here, MCONTROL6 | MODE_M | EXECUTE | SIGNAL_8
    limited 3, 4, 0
    limited 3, 4, SVALUE(0x1234)
    # scontext, as a whole and without one of its bytes.
    limited 0, 8, SVALUE(0x1234) | IN_CONTEXT
    li t0, 0x1234
    csrw CSR_SCONTEXT, t0
    limited 3, 8, SVALUE(0x1234) | IN_CONTEXT
    limited 0, 8, SVALUE(0x1235) | IN_CONTEXT
    limited 3, 8, SVALUE(0x1235) | IN_CONTEXT | IGNORE_BYTE(0)
    limited 0, 8, SVALUE(0x1235) | IN_CONTEXT | IGNORE_BYTE(1)
    limited 3, 8, SVALUE(0x7734) | IN_CONTEXT | IGNORE_BYTE(1)
    # The address space of satp, in whatever mode.
    limited 0, 16, SVALUE(0x65) | IN_SPACE
    li t0, 0x65 << SPACE_SHIFT
    csrw satp, t0
    limited 3, 16, SVALUE(0x65) | IN_SPACE
    limited 0, 16, SVALUE(0x64) | IN_SPACE
    csrw satp, zero
    limited 3, 16, IN_SPACE
    # mcontext, alone and beside scontext.
    limited 0, 32, MVALUE(0x2a) | IN_MACHINE_CONTEXT
    li t0, 0x2a
    csrw CSR_MCONTEXT, t0
    limited 3, 32, MVALUE(0x2a) | IN_MACHINE_CONTEXT
    limited 3, 32, MVALUE(0x2a) | IN_MACHINE_CONTEXT | SVALUE(0x1234) | IN_CONTEXT
    limited 0, 32, MVALUE(0x2a) | IN_MACHINE_CONTEXT | SVALUE(0x1233) | IN_CONTEXT
    limited 0, 32, MVALUE(0x2b) | IN_MACHINE_CONTEXT | SVALUE(0x1234) | IN_CONTEXT
    # Each trigger has its own.
    csrr t1, CSR_TDATA3
    disable 4
    csrr t2, CSR_TDATA3
    demand t2, 0, 64
    snez t1, t1
    demand t1, 1, 64
    j pass
    end_function program

    function begin
    nop
    ret
    end_function begin

    function end
    nop
    ret
    end_function end

    function plain
    sw s1, -8(sp)
    nop
    ret
    end_function plain

    function turn
    nop
    ret
    end_function turn

    function here
    ret
    end_function here
