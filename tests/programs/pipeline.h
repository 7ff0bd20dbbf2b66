/* Programs of which every cycle is drawn by hand, on the machine of two_wide.ini.
 *
 * How an instruction passes, in cycles:
 *   fetch f, decode f+1, dispatch f+2 or later      two a cycle, of one aligned block of 8 bytes
 *   dispatch d, issue i = d+1 or later              when its operands are there, and its unit free
 *   complete i + latency                            what depends on it can issue in this cycle
 *   commit i + latency + 1 or later                 two a cycle, in order
 * In a cycle commit comes before issue, and issue before dispatch: places that the first two free
 * are there for the third in the same cycle.
 *
 * `open_round` reads a CSR. It is serial: it dispatches in the cycle e in which the last one before
 * it commits, no younger instruction dispatches until it commits, in e+3. So each round begins in a
 * cycle C, the commit of that read, with nothing in flight, and with at least eight instructions
 * waiting to dispatch; it ends in e+3, the C of the next one.
 * Of the e+3 - C cycles every one, and of their slots, twice as many, every one is charged below:
 * events that are not named there do not occur. Of the read itself always
 *   slots_retiring 1; slots_serial 1 in e beside it, and 4 in e+1 and e+2
 *   cpi_base 1 in e+3; cpi_serial 2 in e+1 and e+2
 * In drawings `.` is a slot that is lost, | ends a cycle. */
#ifndef PIPELINE_H
#define PIPELINE_H

#include "tests/programs/rounds.h"

    .macro open_round
1:  csrr t1, sscratch
    .endm

#endif
