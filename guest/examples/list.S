    .section .text.start, "ax"
    .global _start
_start:
    la   a0, list
    li   a1, 200            # elements to visit
next:
    ld   a0, (a0)           # the next element's address
    addi a1, a1, -1
    bnez a1, next
    li   a0, 1              # exit status 0
    la   t0, tohost
    sd   a0, 0(t0)
forever:
    j    forever

    .section .tohost, "aw"
    .global tohost, fromhost
    .balign 64
tohost:   .dword 0
fromhost: .dword 0
    .data
list:     .dword list       # a ring of one element
