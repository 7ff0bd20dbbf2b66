/* Internal to sim/host/tasks*.c: reading the guest kernel's memory. */
#ifndef SIM_HOST_TASKS_INTERNAL_H
#define SIM_HOST_TASKS_INTERNAL_H

#include <string.h>

#include "sim/host/tasks.h"

struct reader {
    const struct machine *machine;
    struct kernel_directory directory;
    struct tasks *threads;
    enum tasks_part part;
    struct diag *diag;
};

/* ---- the kernel's memory --------------------------------------------------------------------- */

static inline void read_kernel(const struct reader *reader, uint64_t at, void *bytes, size_t count)
{
    memset(bytes, 0, count);
    phys_copy_out(&reader->machine->phys, at - KERNEL_MAP, bytes, count);
}

static inline uint64_t word(const struct reader *reader, uint64_t at)
{
    uint64_t value;

    read_kernel(reader, at, &value, sizeof value);
    return value;
}

static inline uint32_t half(const struct reader *reader, uint64_t at)
{
    uint32_t value;

    read_kernel(reader, at, &value, sizeof value);
    return value;
}

/* ---- tasks_registers.c ----------------------------------------------------------------------- */

/* Takes the registers of a thread that runs on this hart in user code. */
void tasks_take_hart(struct task_view *thread, const struct hart *hart);
/* Takes the registers as the kernel saved them, and the other fields in the thread's structure. */
void tasks_take_saved(const struct reader *reader, struct task_view *thread, uint64_t at,
                      uint64_t frame);
/* Takes the registers of a thread that a hart runs: floating point from the hart; the others from
 * the hart too, or, while it is in the kernel, from the thread's frame. */
void tasks_take_running(const struct reader *reader, struct task_view *thread, uint64_t frame);
/* Takes the limits on functions: of the thread that the hart runs, from the hart; of a thread that
 * does not run, from the kernel's memory at this address. */
void tasks_take_limits(struct task_view *thread, const struct pmu *pmu);
void tasks_read_limits(const struct reader *reader, struct task_view *thread, uint64_t at);

#endif
