/* Instructions that execute alone, one after another and between others. */
        .globl _start
_start: fence
        nop
        nop
        fence.i
        csrr a0, mcycle
        fence rw, rw
        li t0, 1
        csrw mscratch, t0
        csrr t1, mscratch
        la a1, word
        amoadd.w t2, t0, (a1)
        add t2, t1, t0
        la t0, tohost
        li t1, 1
        sd t1, 0(t0)
1:      j 1b

        .section .tohost, "aw"
        .balign 64
        .globl tohost
tohost: .dword 0
word:   .dword 0
