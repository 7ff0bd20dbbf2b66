/* Shared by the parts of a run: machine_run.c turns the engines, which machine_engines.c makes,
 * machine_serve.c acts on stops, machine_finish.c completes pending work of the profiling
 * hardware. */
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
/* Records that the program itself has ended. */
void machine_end_for_good(struct run *run, enum result_reason reason, int exit_code);
/* Makes machine->engine the owner of the architectural state. False: no memory. */
bool machine_select_engine(struct machine *machine);
/* Runs one hart on the current engine. */
enum stop machine_run_hart(struct machine *machine, unsigned hart, uint64_t insns,
                           uint64_t cycles);
/* The program stands still. Writes the lines of its stores for which thresholds wait, and serves
 * every profiling interrupt that it raised: the resident monitor enters and returns. */
void machine_finish(struct run *run);
/* As machine_finish, for one hart during a run. True: instructions of the monitor committed. */
bool machine_finish_hart(struct run *run, struct cpu *cpu);
/* The hart's time: its cycles less those that machine->faster subtracts. */
uint64_t machine_hart_time(const struct machine *machine, unsigned hart);
/* machine_time_ns, as struct process_options asks for it. */
uint64_t machine_process_time(void *machine);
/* Cycles that this hart may still pass without a commit; machine_watch ends the run at 0. */
uint64_t machine_patience(const struct machine *machine, unsigned hart);
void machine_watch(struct run *run, unsigned hart);
/* Serves the request for which this cpu's engine stopped. */
void machine_serve(struct run *run, struct cpu *cpu, enum stop stop);

#endif
