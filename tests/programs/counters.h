/* Counters of the hand-counted programs: set up and compared, for use with counted.h. */
#ifndef COUNTERS_H
#define COUNTERS_H

#include "tests/programs/events.h"

    # Counter 3..31 counts this event from 0 on.
    .macro count counter, select:vararg
    li t0, \select
    csrw mhpmevent\counter, t0
    csrw mhpmcounter\counter, zero
    .endm
    # The counter must hold the value; else the bits of NUMBER are wrong.
    .macro counted counter, value, number
    csrr t1, mhpmcounter\counter
    demand t1, \value, \number
    .endm

#endif
