/* The watchdog: a hart that commits nothing for too long ends the run. */
#include <stdio.h>

#include "sim/run/machine_internal.h"

/* Cycles without a commit after which the watchdog fires. */
static uint64_t patience(const struct machine *machine)
{
    const struct config *config = &machine->config;

    return config->machine_watchdog == 0 || machine->running != ENGINE_DETAILED
               ? UINT64_MAX : (uint64_t)config->machine_watchdog + config->machine_syscall_cycles;
}

static void end_stuck(struct run *run, unsigned hart)
{
    struct machine *machine = run->machine;
    const struct core_oldest oldest = core_oldest(machine->core[hart]);
    struct disasm *disasm = disasm_open_xlen(machine->xlen);
    char insn[64] = "the next instruction";

    if (disasm != NULL && oldest.insn != NULL)
        disasm_text(disasm, oldest.insn, oldest.pc, insn, sizeof insn);
    if (disasm != NULL)
        disasm_close(disasm);
    snprintf(machine->result.text, sizeof machine->result.text, "hart %u has committed nothing for "
             "%llu cycles (machine.watchdog): %s at pc 0x%llx is %s; %s: %s", hart,
             (unsigned long long)core_stuck_cycles(machine->core[hart]), insn,
             (unsigned long long)oldest.pc, oldest.stage, event_name(oldest.event),
             event_meaning(oldest.event));
    machine_end_for_good(run, RESULT_FAILURE, 0);
}

uint64_t machine_patience(const struct machine *machine, unsigned hart)
{
    uint64_t most = patience(machine);
    uint64_t stuck = most != UINT64_MAX ? core_stuck_cycles(machine->core[hart]) : 0;

    return most > stuck ? most - stuck : 0;
}

void machine_watch(struct run *run, unsigned hart)
{
    if (!run->over && machine_patience(run->machine, hart) == 0)
        end_stuck(run, hart);
}
