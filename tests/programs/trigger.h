/* Debug triggers of programs whose counts are made by hand. */
#ifndef TRIGGER_H
#define TRIGGER_H

    .macro trigger index, address, control:vararg
    li t0, \index
    csrw tselect, t0
    csrw tdata1, zero
    la t0, \address
    csrw tdata2, t0
    li t0, \control
    csrw tdata1, t0
    .endm
    .macro disable index
    li t0, \index
    csrw tselect, t0
    csrw tdata1, zero
    .endm

#endif
