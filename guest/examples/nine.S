    .section .text.start, "ax"
    .global _start
_start:
    li a0, 9
    slli a0, a0, 1
    ori a0, a0, 1           # (code << 1) | 1
    la t0, tohost
    sd a0, 0(t0)
forever:
    j forever

    .section .tohost, "aw"
    .global tohost, fromhost
    .balign 64
tohost:   .dword 0
fromhost: .dword 0
