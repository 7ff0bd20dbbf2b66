# Two programs of the same addresses, without a C library: each executes its loop ROUNDS times, of
# two instructions. With FORKS the program forks first, its child executes the file "child", and the
# parent waits for it; SPAWNS: that child forks once more, without execve, and both run the loop.
    .text
    .global _start
_start:
#ifdef FORKS
    li a0, 17                   # SIGCHLD
    li a1, 0
    li a2, 0
    li a3, 0
    li a4, 0
    li a7, 220                  # clone
    ecall
    bnez a0, parent
    la a0, child
    la a1, arguments
    li a2, 0
    li a7, 221                  # execve
    ecall
    ebreak
parent:
#endif
#ifdef SPAWNS
    li a0, 17
    li a1, 0
    li a2, 0
    li a3, 0
    li a4, 0
    li a7, 220
    ecall
#endif
    li t0, ROUNDS
    .type loop, @function
NAME:
    addi t0, t0, -1
    bnez t0, NAME
#if defined FORKS || defined SPAWNS
    li a0, -1
    li a1, 0
    li a2, 0
    li a3, 0
    li a7, 260                  # wait4
    ecall
#endif
    li a0, 0
    li a7, 94                   # exit_group
    ecall
    .data
child: .asciz "child"
    .balign 8
arguments: .dword child, 0
