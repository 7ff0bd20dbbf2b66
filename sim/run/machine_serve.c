/* The requests that engines stop for: system calls and monitors that the host serves,
 * requests of devices and of the program, and all ends of a run. */
#include <stdio.h>

#include "pmu/abi.h"
#include "sim/core/magic.h"
#include "sim/core/wait.h"
#include "sim/run/machine_internal.h"
#include "sim/run/kernel/kernel.h"
#include "sim/run/linux/process.h"

/* ---- ends ------------------------------------------------------------------------------------ */

void machine_end(struct run *run, enum result_reason reason, int exit_code)
{
    run->machine->result.reason = reason;
    run->machine->result.exit_code = exit_code;
    run->over = true;
}

void machine_end_for_good(struct run *run, enum result_reason reason, int exit_code)
{
    machine_end(run, reason, exit_code);
    run->machine->ended = true;
}

static int signal_of(uint64_t cause)
{
    switch (cause) {
    case TRAP_ILLEGAL:
        return SIGNAL_ILL;
    case TRAP_BREAKPOINT:
        return SIGNAL_TRAP;
    case TRAP_FETCH_MISALIGNED:
    case TRAP_LOAD_MISALIGNED:
    case TRAP_STORE_MISALIGNED:
        return SIGNAL_BUS;
    default:
        return SIGNAL_SEGV;
    }
}

static void describe_trap(struct run *run, const struct cpu *cpu, const char *what)
{
    struct machine *machine = run->machine;
    const struct image_symbol *symbol = image_symbol_at(machine->image, cpu->stop_pc);
    char place[96] = "";

    if (symbol != NULL)
        snprintf(place, sizeof place, " (%.60s+0x%llx)", symbol->name,
                 (unsigned long long)(cpu->stop_pc - symbol->addr));
    snprintf(machine->result.text, sizeof machine->result.text,
             "%s %s at pc 0x%llx%s, tval 0x%llx", what, trap_name(cpu->stop_cause),
             (unsigned long long)cpu->stop_pc, place, (unsigned long long)cpu->stop_tval);
}

static void end_with_trap(struct run *run, const struct cpu *cpu)
{
    describe_trap(run, cpu, "unhandled");
    machine_end_for_good(run, RESULT_TRAP, EXIT_SIGNAL + signal_of(cpu->stop_cause));
}

/* ---- stops of the engines -------------------------------------------------------------------- */

static void drop_indicator(struct cpu *cpu)
{
    uint64_t index = cpu->pmu.index;
    unsigned changed;

    cpu->pmu.index = PROF_REG_ACK;
    profile_csr_write(&cpu->pmu, &cpu->hart, CSR_PROF_DATA, 0, &changed);
    cpu->pmu.index = index;
}

static void serve_monitor(struct machine *machine, struct cpu *cpu)
{
    unsigned pending = cpu->pmu.queue_length;

    if (machine->monitor != NULL)
        machine->monitor(machine->monitor_arg, machine, cpu);
    if (pending != 0 && cpu->pmu.queue_length == pending)
        drop_indicator(cpu);
}

/* The program runs on the first hart alone. */
static void follow_process(struct machine *machine)
{
    unsigned effects = process_take_effects(machine->process);

    if (effects != 0 && machine->running == ENGINE_DETAILED)
        core_restart(machine->core[0]);
    if ((effects & PROCESS_EFFECT_TRANSLATION) != 0 && machine->fast[0] != NULL)
        fast_translation_changed(machine->fast[0]);
    if ((effects & PROCESS_EFFECT_CODE) != 0 && machine->fast[0] != NULL)
        fast_code_changed(machine->fast[0]);
}

/* The hart idles as long as the system call sleeps, rounded up to whole cycles. */
static void sleep_in_call(const struct machine *machine, struct cpu *cpu)
{
    enum { NS_PER_US = 1000 };
    uint64_t ns = process_take_sleep_ns(machine->process), mhz = machine->config.machine_clock_mhz;
    uint64_t us = ns / NS_PER_US, rest = ns % NS_PER_US;

    if (ns != 0)
        cpu_sleep(cpu, us > UINT64_MAX / 2 / mhz ? UINT64_MAX / 2
                       : us * mhz + (rest * mhz + NS_PER_US - 1) / NS_PER_US);
}

static void serve_process(struct run *run, struct cpu *cpu)
{
    struct machine *machine = run->machine;

    switch (process_trap(machine->process, cpu)) {
    case PROCESS_CONTINUE:
        follow_process(machine);
        sleep_in_call(machine, cpu);
        break;
    case PROCESS_EXIT:
        machine_end_for_good(run, RESULT_EXIT, process_exit_code(machine->process));
        break;
    case PROCESS_HAND_OVER:
        snprintf(machine->result.text, sizeof machine->result.text, "%s",
                 process_text(machine->process));
        machine_end_for_good(run, RESULT_HAND_OVER, 0);
        break;
    case PROCESS_KILLED:
        snprintf(machine->result.text, sizeof machine->result.text, "%s",
                 process_text(machine->process));
        machine_end_for_good(run, RESULT_TRAP, EXIT_SIGNAL + process_signal(machine->process));
        break;
    }
}

static void serve_host_call(struct run *run, struct cpu *cpu)
{
    if ((cpu->stop_cause & TRAP_INTERRUPT) != 0)
        serve_monitor(run->machine, cpu);
    else if (run->machine->process != NULL)
        serve_process(run, cpu);
    else
        end_with_trap(run, cpu);
}

static void serve_magic(struct run *run, struct cpu *cpu)
{
    struct machine *machine = run->machine;
    unsigned number = cpu->magic.number;

    if (number == CPU_MAGIC_EXIT)
        machine_end_for_good(run, RESULT_EXIT, 0);
    else if (number == CPU_MAGIC_FAIL)
        machine_end_for_good(run, RESULT_EXIT, (int)(cpu->magic.a1 & 0xff));
    else if (machine->magic != NULL)
        machine->magic(machine->magic_arg, cpu);
    cpu->magic.number = 0;
}

static void serve_event(struct run *run)
{
    const struct device_exit *exit = &run->machine->devices->exit;

    run->machine->phys.event = false;
    for (unsigned i = 0; i < run->machine->harts; i++)
        if (run->machine->cpu[i].magic.number != 0)
            serve_magic(run, &run->machine->cpu[i]);
    if (run->machine->kernel != NULL && kernel_serve(run->machine))
        run->over = true;
    if (exit->requested)
        machine_end_for_good(run, RESULT_EXIT, exit->code);
}

/* Interrupts raised before the marker are served first; after the resident monitor the hart reaches
 * the marker a second time. */
static void serve_marker(struct run *run, struct cpu *cpu)
{
    struct machine *machine = run->machine;

    if (machine->at_stop == NULL)
        machine_end(run, RESULT_HALTED, 0);
    else if (!machine_finish_hart(run, cpu) && !run->over)
        machine->at_stop(machine->at_stop_arg);
}

void machine_serve(struct run *run, struct cpu *cpu, enum stop stop)
{
    switch (stop) {
    case STOP_HOST_CALL:
        serve_host_call(run, cpu);
        if (run->machine->served != NULL)
            run->machine->served(run->machine->served_arg, cpu);
        break;
    case STOP_EVENT:
        serve_event(run);
        break;
    case STOP_MARKER:
        serve_marker(run, cpu);
        break;
    case STOP_MONITOR_FAULT:
        describe_trap(run, cpu, "the resident monitor trapped:");
        machine_end_for_good(run, RESULT_FAILURE, 0);
        break;
    case STOP_TRAP:
        end_with_trap(run, cpu);
        break;
    default:
        break;
    }
}
