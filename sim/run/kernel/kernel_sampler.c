/* See kernel_sampler.h. */
#include "sim/run/kernel/kernel_sampler.h"

#include <string.h>

#include "sim/run/frames/frames.h"
#include "sim/run/kernel/kernel_host.h"

static uint64_t to_pages(uint64_t bytes)
{
    return (bytes + PHYS_PAGE_BYTES - 1) & ~(uint64_t)(PHYS_PAGE_BYTES - 1);
}

static uint64_t areas_bytes(const struct machine *machine)
{
    return to_pages(machine->harts * sizeof(struct kernel_sampler));
}

static uint64_t rules_bytes(void)
{
    return to_pages(MONITOR_RULES * sizeof(struct monitor_rule));
}

static uint64_t nodes_bytes(void)
{
    return to_pages(KERNEL_SAMPLER_NODES * sizeof(struct kernel_sampler_node));
}

static void place_hart(struct machine *machine, unsigned hart, uint64_t frames_pa,
                       uint64_t own_pa)
{
    const struct kernel_sampling *wanted = machine->wants->sampling;
    struct kernel_sampler area = {
        .modes = wanted->modes, .period = wanted->period, .event = wanted->event,
        .threads = wanted->threads, .frames_pa = frames_pa, .rules_pa = own_pa,
        .nodes_pa = own_pa + rules_bytes(), .nodes = KERNEL_SAMPLER_NODES,
    };

    memcpy(area.thread, wanted->thread, sizeof area.thread);
    phys_copy_in(&machine->phys, machine->kernel->sampler_pa + hart * sizeof area, &area,
                 sizeof area);
}

/* Lays out the areas, the table of frames, and zeroed rules and nodes for each hart. */
enum err kernel_sampler_place(struct machine *machine, uint64_t pa, uint64_t *end,
                              struct diag *diag)
{
    struct frames frames;
    uint64_t frames_pa = pa + areas_bytes(machine), own_pa;
    enum err err = frames_build(&frames, machine->image, diag);

    if (err != ERR_OK)
        return err;
    own_pa = frames_pa + to_pages(frames.bytes);
    *end = own_pa + machine->harts * (rules_bytes() + nodes_bytes());
    if (*end > PHYS_RAM_BASE + machine->phys.ram_bytes - machine->reserve_top_bytes) {
        frames_free(&frames);
        return diag_set(diag, ERR_USAGE, "%s: does not fit into memory with the trees of %u "
                        "sampled harts; raise machine.memory_mib", machine->image->path,
                        machine->harts);
    }
    machine->kernel->sampler_pa = pa;
    phys_copy_in(&machine->phys, frames_pa, frames.table, frames.bytes);
    for (unsigned i = 0; i < machine->harts; i++)
        place_hart(machine, i, frames_pa, own_pa + i * (rules_bytes() + nodes_bytes()));
    frames_free(&frames);
    return ERR_OK;
}

const struct kernel_sampler *kernel_sampler_area(const struct machine *machine, unsigned hart,
                                                 const struct kernel_sampler_node **node)
{
    const struct kernel_sampler *area = (const void *)phys_host(
        &machine->phys, machine->kernel->sampler_pa + hart * sizeof *area);

    *node = (const void *)phys_host(&machine->phys, area->nodes_pa);
    return area;
}
