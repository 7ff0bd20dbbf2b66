/* Shared by the parts of a run: machine_run.c turns the engines, machine_serve.c acts on stops,
 * machine_finish.c finishes what the profiling hardware has begun. */
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
/* One hart, on the engine that runs. */
enum stop machine_run_hart(struct machine *machine, unsigned hart, uint64_t insns,
                           uint64_t cycles);
/* The program stands still. The lines of its stores are written where thresholds wait for them, and
 * every profiling interrupt that it raised is served: the resident monitor enters and returns. */
void machine_finish(struct run *run);
/* The same for one hart, in the midst of a run. True: instructions of the monitor committed. */
bool machine_finish_hart(struct run *run, struct cpu *cpu);
/* How long a hart has run: its cycles, less those that machine->faster takes from them. */
uint64_t machine_hart_time(const struct machine *machine, unsigned hart);
/* Cycles that this hart may still be without a commit, and the end when there are none. */
uint64_t machine_patience(const struct machine *machine, unsigned hart);
void machine_watch(struct run *run, unsigned hart);
/* Does what the engine of this cpu stopped for. */
void machine_serve(struct run *run, struct cpu *cpu, enum stop stop);

#endif
