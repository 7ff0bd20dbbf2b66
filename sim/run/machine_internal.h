/* Shared by the parts of a run: machine_run.c turns the engines, machine_serve.c acts on stops. */
#ifndef SIM_RUN_MACHINE_INTERNAL_H
#define SIM_RUN_MACHINE_INTERNAL_H

#include "sim/run/machine.h"

enum { SIGNAL_ILL = 4, SIGNAL_TRAP = 5, SIGNAL_BUS = 7, SIGNAL_SEGV = 11, EXIT_SIGNAL = 128 };

/* Host state for limits. */
struct run {
    struct machine *machine;
    const struct limits *limits;
    double started;
    bool over;
};

void machine_end(struct run *run, enum result_reason reason, int exit_code);
/* The program itself ended. */
void machine_end_for_good(struct run *run, enum result_reason reason, int exit_code);
/* Does what the engine of this cpu stopped for. */
void machine_serve(struct run *run, struct cpu *cpu, enum stop stop);

#endif
