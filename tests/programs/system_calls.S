/* A Linux program that spends its time in system calls that the host serves, on the machine of
 * two_wide.ini; pipeline.h explains how instructions pass, and the drawings. In d, when the one
 * before it commits, the call dispatches, alone; in d+3 it comes to commit and traps. The host
 * takes machine.syscall_cycles = 200, and in d+204 the instructions after the call are fetched.
 *   dispatch  d: call . | . . | . . | d+3: . . | from d+4 to d+205: . . | d+206: a b | n . | . . |
 *             . . | d+210: call
 *   commit    d+209: a | b n */
#include "tests/programs/rounds.h"
    .text
    .balign 128
    .global _start
_start:
    li s3, ROUNDS
    li a7, 172                      # getpid
    .balign 128
1:  nop
    ecall
    close_round
    expect slots_wrong_path 100     /* the call itself: it traps, and does not commit */
    expect lost_flush_path 100
    expect squashed 100
    expect lost_syscall 100*201*2   /* d+4 to d+204 */
    expect lost_flush_refill 100*4  /* d+3, and d+205: what comes is on its way */
    expect slots_recovery 100*(201*2+4)
    expect slots_retiring 100*3
    expect slots_serial 100*(5+1+4)
    expect cpi_base 100*2
    expect cpi_int 100*2            /* d+207, d+208 */
    expect cpi_serial 100*3         /* d+1 to d+3 */
    expect cpi_syscall 100*201
    expect cpi_flush 100*2          /* d+205, d+206 */
    expect cycles 100*210
    expect cycles_no_commit 100*208
    expect insns_retired 100*3
    li a0, 0
    li a7, 93                       # exit
    ecall
