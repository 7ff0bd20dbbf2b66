/* The end of a run completes pending work of the profiling hardware, so that every interrupt raised
 * by earlier instructions has its record.
 *
 * No instruction of the program commits meanwhile. Instructions of the resident monitor commit, and
 * their cycles count: a run that a limit ends may be longer by them. A monitor that does not return
 * is left alone after a bound. */
#include "sim/core/wait.h"
#include "sim/run/machine_internal.h"

enum {
    FINISH_CYCLES = 10000000,   /* cycles after which a monitor counts as hung */
    TURN_CYCLES = 1000,         /* short, as several harts may wait for each other's locks */
};

static bool is_detailed(const struct machine *machine)
{
    return machine->running == ENGINE_DETAILED;
}

static bool awaits_lines(const struct machine *machine, unsigned hart)
{
    return is_detailed(machine) && core_awaits_lines(machine->core[hart]);
}

static bool is_due(const struct machine *machine, unsigned hart)
{
    return machine->cpu[hart].hart.in_monitor || awaits_lines(machine, hart) ||
           cpu_monitor_entries(&machine->cpu[hart]) != 0;
}

static void serve_for(struct run *run, unsigned hart, uint64_t cycles)
{
    struct cpu *cpu = &run->machine->cpu[hart];
    enum stop stop = machine_run_hart(run->machine, hart, UINT64_MAX, cycles);

    if (run->machine->harts == 1)
        cpu_sync_time(cpu);
    machine_serve(run, cpu, stop);
}

/* Runs cycle by cycle with an empty pipeline: no instruction of the program reaches commit. */
static void write_lines(struct run *run, unsigned hart)
{
    while (awaits_lines(run->machine, hart)) {
        serve_for(run, hart, 1);
        core_settle(run->machine->core[hart]);
    }
}

static void begin(struct run *run, unsigned hart)
{
    if (is_detailed(run->machine))
        core_settle(run->machine->core[hart]);
    write_lines(run, hart);
    run->machine->cpu[hart].ending.is_on = true;
    run->machine->cpu[hart].ending.entries_left = cpu_monitor_entries(&run->machine->cpu[hart]);
}

/* One turn of the hart's monitor, if it has work. */
static bool go_on(struct run *run, unsigned hart)
{
    struct cpu *cpu = &run->machine->cpu[hart];

    if (!cpu->hart.in_monitor && cpu->ending.entries_left == 0)
        return false;
    if (!cpu->hart.in_monitor) {
        cpu->ending.entries_left--;
        cpu->left_monitor = UINT64_MAX;
        if (cpu_monitor_entries(cpu) == 0)
            return true;
    }
    serve_for(run, hart, TURN_CYCLES);
    return true;
}

static bool take_turns(struct run *run, unsigned first, unsigned end)
{
    bool any = false;

    for (unsigned i = first; i < end; i++)
        any |= go_on(run, i);
    return any;
}

/* For the harts from `first` to `end`. */
static void finish(struct run *run, unsigned first, unsigned end)
{
    uint64_t turns = FINISH_CYCLES / TURN_CYCLES;
    bool any = false;

    for (unsigned i = first; i < end; i++)
        any |= is_due(run->machine, i);
    if (!any)
        return;
    for (unsigned i = first; i < end; i++)
        begin(run, i);
    while (turns-- != 0 && run->machine->result.reason != RESULT_FAILURE &&
           take_turns(run, first, end))
        ;
    for (unsigned i = first; i < end; i++)
        run->machine->cpu[i].ending.is_on = false;
}

void machine_finish(struct run *run)
{
    finish(run, 0, run->machine->harts);
}

bool machine_finish_hart(struct run *run, struct cpu *cpu)
{
    unsigned hart = (unsigned)(cpu - run->machine->cpu);
    uint64_t before = cpu->pmu.events[EVENT_INSNS_RETIRED];

    finish(run, hart, hart + 1);
    return cpu->pmu.events[EVENT_INSNS_RETIRED] != before;
}
