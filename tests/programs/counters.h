/* Counters of the hand-counted programs: set up and compared, for use with counted.h. */
#ifndef COUNTERS_H
#define COUNTERS_H

#include "tests/programs/events.h"

    # Counter 3..31 counts this from 0 on.
    .macro count counter, select:vararg
    li t0, \select
    csrw mhpmevent\counter, t0
    csrw mhpmcounter\counter, zero
    .endm
    # It holds the value: the bits of NUMBER are wrong when it does not.
    .macro counted counter, value, number
    csrr t1, mhpmcounter\counter
    demand t1, \value, \number
    .endm

#endif
