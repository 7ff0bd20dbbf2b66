/* Running: harts take turns, engines stop with requests, the host serves these, limits end the run.
 *
 * One hart runs in long stretches and the clock follows it exactly. Several harts take turns in a
 * fixed order: of machine.turn_cycles in the detailed engine, longer ones in the fast engine, where
 * a reservation does not survive the end of a turn. The timers' clock moves on every ROUND_CYCLES,
 * and when a timer is due; a hart that reads the time gets that of its own cycle, or the latest
 * that any hart has read. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <time.h>

#include "sim/base/cycle.h"
#include "sim/core/pause.h"
#include "sim/core/wait.h"
#include "sim/run/machine_internal.h"

enum {
    OBSERVE_EARLY = 64,         /* instructions by which observation begins early */
    COMMITS_MAX = 8,            /* upper bound in a cycle */
};
enum {
    ALONE_INSNS = 1000000,      /* one hart: instructions between looks at the host's clock */
    ALONE_CYCLES = 100000,
    OBSERVED_SLOWER = 50,       /* traces and --check take more of the host's time */
    ROUND_CYCLES = 1000,        /* several harts: cycles between movements of the clock */
    FASTER_TURNS = 1000,        /* at most, for a hart in one round */
};

/* ---- engines --------------------------------------------------------------------------------- */

static void change_engine(struct run *run)
{
    if (machine_select_engine(run->machine))
        return;
    snprintf(run->machine->result.text, sizeof run->machine->result.text, "not enough memory");
    machine_end_for_good(run, RESULT_FAILURE, 0);
}

enum stop machine_run_hart(struct machine *machine, unsigned hart, uint64_t insns, uint64_t cycles)
{
    machine->active_hart = hart;
    if (machine->running == ENGINE_DETAILED)
        return core_run(machine->core[hart], insns, cycles, machine->skip);
    return fast_run(machine->fast[hart], insns < cycles ? insns : cycles);
}

/* ---- one hart -------------------------------------------------------------------------------- */

static uint64_t insns_left(const struct run *run)
{
    uint64_t max = run->limits->max_insns, insns = machine_insns(run->machine);

    return max == 0 ? UINT64_MAX : max > insns ? max - insns : 0;
}

static uint64_t cycles_left(const struct run *run, uint64_t cycles)
{
    uint64_t max = run->limits->max_cycles;

    return max == 0 ? UINT64_MAX : max > cycles ? max - cycles : 0;
}

/* Passes at most `cycles` of the fast engine while the hart waits, until a counter overflows or its
 * sleep ends. */
static void idle(struct cpu *cpu, uint64_t cycles)
{
    cycles = earlier(earlier(cycles, cpu_sleep_left(cpu)), pmu_quiet_cycles(&cpu->pmu, 1));
    cpu->pmu.events[EVENT_CYCLES] += cycles;
    cpu->pmu.events[EVENT_CYCLES_IDLE] += cycles;
    if (pmu_overflow(&cpu->pmu))
        cpu->hart.mip_software |= UINT64_C(1) << IRQ_LCOFI;
}

/* For a hart that waits: true if one of its counters can wake it. */
static bool overflow_wakes(const struct cpu *cpu)
{
    return (cpu->hart.mie >> IRQ_LCOFI & 1) != 0 &&
           pmu_quiet_cycles(&cpu->pmu, 1) != UINT64_MAX;
}

static void end_waiting(struct run *run)
{
    snprintf(run->machine->result.text, sizeof run->machine->result.text,
             "every hart waits for an interrupt, and none can come");
    machine_end_for_good(run, RESULT_TRAP, EXIT_SIGNAL + SIGNAL_ILL);
}

static uint64_t interval_cycles(const struct machine *machine)
{
    return machine->interval_cuts
               ? machine->cpu[machine->interval_hart].pmu.events[EVENT_CYCLES]
               : machine_cycles(machine);
}

/* Cycles until the current interval ends. Turns of several harts are cut for it only on request. */
static uint64_t interval_left(const struct machine *machine)
{
    uint64_t now = machine->interval != NULL ? interval_cycles(machine) : 0;

    if (machine->interval == NULL)
        return UINT64_MAX;
    return machine->next_interval > now ? machine->next_interval - now : 0;
}

/* As interval_left, while every hart waits. */
static uint64_t waiting_left(const struct machine *machine)
{
    return machine->interval_wakes ? interval_left(machine) : UINT64_MAX;
}

/* Time passes in one step until an event can wake the hart. The detailed engine accounts for its
 * own idle cycles; here only ends of the run are left. */
static void wait_alone(struct run *run)
{
    struct cpu *cpu = &run->machine->cpu[0];
    uint64_t alarm = earlier(cpu->next_alarm(cpu->time_arg), cpu_sleep_left(cpu));

    if (!cpu_sleeps(cpu) || cpu_is_interrupted(cpu))
        return;
    if (alarm == UINT64_MAX && run->limits->max_cycles == 0 && !overflow_wakes(cpu)) {
        end_waiting(run);
        return;
    }
    if (run->machine->running == ENGINE_DETAILED)
        return;
    alarm = earlier(alarm, waiting_left(run->machine));
    idle(cpu, earlier(alarm, cycles_left(run, cpu->pmu.events[EVENT_CYCLES])));
    cpu_sync_time(cpu);
}

/* Instructions until the observed part begins, or ends; 0: now. */
static uint64_t insns_to_change(const struct machine *machine)
{
    uint64_t insns = machine_insns(machine);
    uint64_t at = machine->is_observed ? machine->observe_to : machine->observe_from;

    return at > insns ? at - insns : 0;
}

/* Observation begins early, by less than a few cycles can commit, and ends late, because an exact
 * stop would cut a commit group. */
static void change_observation(struct run *run)
{
    struct machine *machine = run->machine;
    bool is_wanted = machine_insns(machine) < machine->observe_to &&
                     (machine->is_observed || insns_to_change(machine) < OBSERVE_EARLY);

    if (machine->observe == NULL || is_wanted == machine->is_observed)
        return;
    machine->is_observed = is_wanted;
    machine->observe(machine->observe_arg, is_wanted);
}

/* Cycles so few that the change cannot be missed. */
static uint64_t turn_before_change(const struct machine *machine)
{
    if (machine->observe == NULL || machine_insns(machine) >= machine->observe_to)
        return UINT64_MAX;
    return 1 + insns_to_change(machine) / COMMITS_MAX;
}

/* Remaining cycles of hart 0's sleep, or UINT64_MAX if it does not sleep. 0 for a sleep that ended
 * while the monitor interrupted it: the hart leaves it when it runs. */
static uint64_t sleep_ahead(const struct machine *machine)
{
    uint64_t left = cpu_sleep_left(&machine->cpu[0]);

    return left != 0 ? left : UINT64_MAX;
}

static uint64_t between_looks(const struct machine *machine, uint64_t unobserved)
{
    return machine->is_observed ? unobserved / OBSERVED_SLOWER : unobserved;
}

/* Cycles between looks at the host's clock and the watchdog; a sleep is passed in one stretch. */
static uint64_t stretch(const struct machine *machine)
{
    uint64_t left = sleep_ahead(machine);

    return left != UINT64_MAX ? left : earlier(between_looks(machine, ALONE_CYCLES),
                                               machine_patience(machine, 0));
}

static void run_alone(struct run *run)
{
    struct machine *machine = run->machine;
    struct cpu *cpu = &machine->cpu[0];
    uint64_t cycles = cycles_left(run, machine_hart_time(machine, 0)), insns = insns_left(run);
    enum stop stop;

    if (machine->running == ENGINE_DETAILED)
        cycles = earlier(earlier(cycles, stretch(machine)), cpu->next_alarm(cpu->time_arg));
    else
        insns = earlier(insns, between_looks(machine, ALONE_INSNS));
    cycles = earlier(earlier(cycles, turn_before_change(machine)), interval_left(machine));
    stop = machine_run_hart(machine, 0, insns, cycles);
    cpu_sync_time(cpu);
    machine_serve(run, cpu, stop);
    machine_watch(run, 0);
    if (cpu->hart.waiting && !run->over)
        wait_alone(run);
}

/* ---- several harts --------------------------------------------------------------------------- */

/* The cycle at which a hart's turn stops next: its end, or before it the end of an interval. */
static uint64_t turn_stop(struct machine *machine, unsigned hart)
{
    if (!machine->interval_cuts || hart != machine->interval_hart || machine->interval == NULL)
        return machine->turn_end;
    if (interval_left(machine) == 0)
        machine->interval(machine->interval_arg, machine);
    if (hart != machine->interval_hart)
        return machine->turn_end;
    return earlier(machine->turn_end, machine->next_interval);
}

/* Ends the turn of a hart in a routine that takes hardly any time, for instance one that waits, so
 * that the others have theirs. */
static uint64_t longest_turn(const struct machine *machine, unsigned hart)
{
    return machine->faster == NULL
               ? UINT64_MAX
               : machine->cpu[hart].pmu.events[EVENT_CYCLES] +
                     (uint64_t)FASTER_TURNS * machine->config.machine_turn_cycles;
}

/* Returns the hart's time, and tells it to the memory that harts share. */
static uint64_t begin_turn(const struct machine *machine, unsigned hart)
{
    uint64_t cycles = machine->cpu[hart].pmu.events[EVENT_CYCLES], now = cycles;

    if (machine->faster != NULL) {
        now = machine_hart_time(machine, hart);
        if (machine->core[hart] != NULL)
            memsys_set_ahead(core_memsys(machine->core[hart]), cycles - now);
    }
    return now;
}

/* One hart's turn. Stops that the host serves do not end it. The detailed engine accounts for its
 * own waiting. In the fast engine a turn is exact to the instruction, so that harts interleave
 * alike with and without observers. */
static void take_turn(struct run *run, unsigned hart)
{
    struct machine *machine = run->machine;
    struct cpu *cpu = &machine->cpu[hart];
    const uint64_t end = machine->turn_end, longest = longest_turn(machine, hart);
    uint64_t now;

    while (!run->over && (now = begin_turn(machine, hart)) < end &&
           cpu->pmu.events[EVENT_CYCLES] < longest) {
        uint64_t insns = insns_left(run);
        if (insns == 0)
            return;
        if (machine->running != ENGINE_DETAILED && cpu_sleeps(cpu) && !cpu_is_interrupted(cpu)) {
            idle(cpu, end - now);
            continue;
        }
        machine_serve(run, cpu, machine_run_hart(machine, hart, insns,
                                                 turn_stop(machine, hart) - now));
    }
}

/* True if a debugger lets only other harts run. */
static bool is_held(const struct machine *machine, unsigned hart)
{
    const struct pauses *pauses = machine->cpu[hart].pauses;

    return pauses != NULL && (pauses->held >> hart & 1) != 0;
}

static bool everybody_waits(const struct machine *machine)
{
    for (unsigned i = 0; i < machine->harts; i++)
        if (!cpu_sleeps(&machine->cpu[i]) || is_held(machine, i))
            return false;
    return true;
}

static bool some_overflow_wakes(const struct machine *machine)
{
    for (unsigned i = 0; i < machine->harts; i++)
        if (overflow_wakes(&machine->cpu[i]))
            return true;
    return false;
}

/* True if the run ends here, maybe within a hart's turn. */
static bool is_cut(const struct run *run)
{
    return run->over || insns_left(run) == 0;
}

/* Harts are left to run to the end of the turn, or turns to the end of the round. */
static bool is_in_round(const struct machine *machine)
{
    return machine->turn_hart < machine->harts || machine->turn_end < machine->round_end;
}

/* The rest of a turn, from the hart at which it was cut. */
static void finish_turn(struct run *run, bool is_detailed)
{
    struct machine *machine = run->machine;

    for (; machine->turn_hart < machine->harts; machine->turn_hart++) {
        if (!is_held(machine, machine->turn_hart))
            take_turn(run, machine->turn_hart);
        if (is_cut(run))
            return;
        if (!is_detailed)
            cpu_drop_reservation(&machine->cpu[machine->turn_hart]);
    }
    if (interval_left(machine) == 0)
        machine->interval(machine->interval_arg, machine);
}

/* Runs every hart to the end of the round, or until the run ends. */
static void finish_round(struct run *run)
{
    struct machine *machine = run->machine;
    bool is_detailed = machine->running == ENGINE_DETAILED;

    while (is_in_round(machine)) {
        if (machine->turn_hart == machine->harts) {
            uint64_t left = machine->round_end - machine->turn_end;

            machine->turn_end += is_detailed ? earlier(machine->config.machine_turn_cycles, left)
                                             : left;
            machine->turn_hart = 0;
        }
        finish_turn(run, is_detailed);
        if (is_cut(run))
            return;
    }
}

static void begin_round(struct run *run)
{
    struct machine *machine = run->machine;
    uint64_t alarm = earlier(devices_next_event(machine->devices), sleep_ahead(machine));
    uint64_t cycles = earlier(alarm, ROUND_CYCLES);

    if (everybody_waits(machine) && !some_overflow_wakes(machine)) {
        if (alarm == UINT64_MAX && run->limits->max_cycles == 0) {
            end_waiting(run);
            return;
        }
        cycles = earlier(alarm, waiting_left(machine));
    }
    machine->round_cycles = earlier(cycles, cycles_left(run, machine->turn_end));
    machine->round_end = machine->turn_end + machine->round_cycles;
}

/* A round that the end of a run cuts is finished by the next run: each hart gets its turn and the
 * clock moves as in one run, however short the runs are. */
static void run_together(struct run *run)
{
    struct machine *machine = run->machine;

    if (!is_in_round(machine))
        begin_round(run);
    if (run->over)
        return;
    finish_round(run);
    if (is_in_round(machine))
        return;
    devices_tick(machine->devices, machine->round_cycles);
    machine->synced_cycles += machine->round_cycles;
    for (unsigned i = 0; i < machine->harts; i++)
        machine_watch(run, i);
}

/* ---- the run --------------------------------------------------------------------------------- */

static double host_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void check_limits(struct run *run)
{
    struct machine *machine = run->machine;
    double now;

    if (run->over)
        return;
    if (interval_left(machine) == 0)
        machine->interval(machine->interval_arg, machine);
    if (machine->halt) {
        machine_end(run, RESULT_HALTED, 0);
        return;
    }
    if (insns_left(run) == 0) {
        machine_end(run, RESULT_MAX_INSNS, 0);
        return;
    }
    if (run->limits->max_cycles != 0 && machine_cycles(machine) >= run->limits->max_cycles) {
        machine_end(run, RESULT_MAX_CYCLES, 0);
        return;
    }
    if (machine->stop_request != NULL && *machine->stop_request != 0) {
        machine_end(run, RESULT_INTERRUPTED, EXIT_SIGNAL + *machine->stop_request);
        return;
    }
    now = host_seconds();
    if (run->limits->timeout_seconds > 0 && now - run->started >= run->limits->timeout_seconds)
        machine_end(run, RESULT_TIMEOUT, 0);
    if (machine->progress != NULL && now >= machine->next_progress) {
        machine->next_progress = now + 0.1;
        machine->progress(machine->progress_arg, machine);
    }
}

/* True if pending profiling work must be completed after this end. An observer that halts a run
 * sees the state as it is; the end of a region (at_stop) counts as a limit. */
static bool is_finished(const struct machine *machine)
{
    enum result_reason reason = machine->result.reason;

    return reason != RESULT_FAILURE && reason != RESULT_HAND_OVER &&
           (reason != RESULT_HALTED || machine->at_stop != NULL);
}

void machine_run(struct machine *machine, const struct limits *limits)
{
    struct run run = {.machine = machine, .limits = limits, .started = host_seconds()};

    if (machine->ended)
        return;
    machine->result = (struct result){.reason = RESULT_EXIT};
    machine->halt = false;
    change_engine(&run);
    if (machine->next_progress == 0)
        machine->next_progress = run.started + 0.1;
    for (check_limits(&run); !run.over; check_limits(&run)) {
        if (machine->running != machine->engine)
            change_engine(&run);
        change_observation(&run);
        if (machine->harts == 1)
            run_alone(&run);
        else
            run_together(&run);
    }
    if (is_finished(machine))
        machine_finish(&run);
    if (machine->running == ENGINE_DETAILED)
        for (unsigned i = 0; i < machine->harts; i++)
            core_settle(machine->core[i]);
}
