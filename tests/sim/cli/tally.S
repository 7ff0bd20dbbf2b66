/* Calls `work` ten times: seven instructions each, two loads and a store. 103 instructions come
 * before the last one. */
        .globl _start, work, end
_start: li s0, 10
1:      jal work
        addi s0, s0, -1
        bnez s0, 1b
end:    li a0, 0
        li a7, 93
#ifdef BARE
        lla t0, tohost
        li t1, 1
        sd t1, 0(t0)
1:      j 1b
        .section .tohost, "aw"
        .globl tohost
tohost: .dword 0
        .text
#else
        ecall
#endif
        .type work, @function
work:   lla t0, words
        ld t1, 0(t0)
        ld t2, 8(t0)
        add t1, t1, t2
        sd t1, 0(t0)
        ret
        .size work, . - work
        .data
words:  .dword 0, 1
