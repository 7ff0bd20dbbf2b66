# Regions marked by gem5's magic instructions, of a known number of instructions. a0 at the start
# chooses nothing; HTIF ends the run when no magic instruction does.
    .macro magic func
    .word 0x7b | \func << 25
    .endm
    .globl _start, begin, end
_start:
    magic 0x40              # reset
    nop
    nop
    magic 0x41              # dump: 3 instructions, itself included
    li a0, 5
    magic 0x5a              # begin of work item 5
    nop
    nop
    nop
    magic 0x5b              # end: 4 instructions
    magic 0x42              # dump and reset: 10 instructions since the reset
    nop
    magic 0x41              # 2 instructions
    magic 0x43              # a checkpoint: there are none
begin:
    li t0, 100
1:  addi t0, t0, -1
    bnez t0, 1b
end:
    magic 0x52              # the other engine
    nop
    magic 0x52              # and back
    li a0, 0
    li a1, 7
    magic 0x22              # fail with 7
1:  j 1b
    .data
    .globl tohost, fromhost
    .align 6
tohost: .dword 0
fromhost: .dword 0
