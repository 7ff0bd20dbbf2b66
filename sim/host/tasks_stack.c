/* Call stacks of threads; see tasks.h. */
#include <string.h>

#include "sim/host/tasks.h"
#include "sim/run/kernel/kernel_host.h"

enum { REG_RA = 1, REG_SP = 2, REG_FP = 8 };

struct reader { const struct machine *machine; const struct process_view *process; };

static bool read_word(void *arg, unsigned long long va, unsigned long long *value)
{
    const struct reader *reader = arg;
    uint32_t half;

    if (reader->machine->xlen == 64)
        return tasks_read(reader->machine, reader->process, va, value, sizeof *value);
    if (!tasks_read(reader->machine, reader->process, va, value, sizeof *value))
        return false;
    memcpy(&half, value, sizeof half);
    return true;
}

void tasks_walk(const struct tasks *threads, const struct machine *machine,
                const struct frames *frames, const struct task_view *thread,
                struct monitor_stack *stack)
{
    const struct process_view *process = &threads->process[thread->process];
    struct reader reader = {machine, process};
    /* registers of RV32 are held sign-extended, addresses are not */
    const uint64_t bits = machine->xlen == 64 ? UINT64_MAX : UINT32_MAX;
    const struct frames_registers at = {
        .pc = thread->reg[TASKS_PC] & bits, .ra = thread->reg[REG_RA] & bits,
        .sp = thread->reg[REG_SP] & bits, .fp = thread->reg[REG_FP] & bits,
    };

    frames_walk(frames_of(frames, process->program), &at, read_word, &reader, stack);
    for (unsigned i = 0; i < stack->depth; i++)
        stack->address[i] = kernel_host_key(machine->kernel, thread->tid, stack->address[i]);
}

void tasks_follow_modules(struct frames *frames, const struct target *target)
{
    while (frames->taken < target->modules)
        if (frames_add_module(frames, &target->module[frames->taken]->image, NULL) != ERR_OK)
            break;
}
