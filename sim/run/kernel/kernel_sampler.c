/* See kernel_sampler.h. */
#include "sim/run/kernel/kernel_sampler.h"

#include <string.h>

#include "pmu/key.h"
#include "sim/run/kernel/kernel_host.h"
#include "sim/run/load/image_program.h"

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

static uint64_t programs_bytes(void)
{
    return SAMPLER_PROGRAMS * sizeof(uint64_t);
}

/* Of libraries and of further programs, before any of them is known. */
static uint64_t tables_bytes(const struct machine *machine)
{
    enum { MEMORY_SHARE = 64, MOST = 4 << 20 };
    uint64_t bytes = machine->phys.ram_bytes / MEMORY_SHARE;

    return to_pages(sizeof(struct monitor_modules)) + to_pages(bytes < MOST ? bytes : MOST);
}

static void place_hart(struct machine *machine, unsigned hart, uint64_t frames_pa,
                       uint64_t own_pa)
{
    enum { HANDLER_MOST = 500 };        /* cycles, or events */
    const struct kernel_sampling *wanted = machine->wants->sampling;
    unsigned divider = machine->config.machine_timebase_divider;
    struct kernel_sampler area = {
        .modes = wanted->modes, .period = wanted->period, .event = wanted->event,
        .handler_most = wanted->event != 0 ? HANDLER_MOST
                        : divider < HANDLER_MOST ? HANDLER_MOST / divider : 1,
        .threads = wanted->threads, .frames_pa = frames_pa, .rules_pa = own_pa,
        .programs_pa = machine->kernel->sampler_programs_pa,
        .nodes_pa = own_pa + rules_bytes(), .nodes = KERNEL_SAMPLER_NODES,
    };

    memcpy(area.thread, wanted->thread, sizeof area.thread);
    phys_copy_in(&machine->phys, machine->kernel->sampler_pa + hart * sizeof area, &area,
                 sizeof area);
}

/* The list of tables of a program, where the kernel looks for it. */
static void list_program(struct machine *machine, uint64_t program)
{
    uint64_t number = program >> KEY_SHIFT;
    uint64_t list = frames_guest_list(&machine->kernel->sampler_frames, program);

    if (number < SAMPLER_PROGRAMS)
        phys_copy_in(&machine->phys, machine->kernel->sampler_programs_pa + number * sizeof list,
                     &list, sizeof list);
}

/* The kernel reads tables through its map of physical memory. */
static bool place_tables(struct machine *machine, uint64_t pa)
{
    if (!frames_guest_init(&machine->kernel->sampler_frames, &machine->phys, pa,
                           pa + tables_bytes(machine), KERNEL_MAP))
        return false;
    list_program(machine, 0);
    return true;
}

/* Lays out the areas, the lists of programs, the table of frames of the first one, those of others,
 * and zeroed rules and nodes for each hart. */
enum err kernel_sampler_place(struct machine *machine, uint64_t pa, uint64_t *end,
                              struct diag *diag)
{
    struct frames frames;
    uint64_t programs_pa = pa + areas_bytes(machine), frames_pa = programs_pa + programs_bytes();
    uint64_t tables_pa, own_pa;
    enum err err = frames_build(&frames, machine->image, diag);

    if (err != ERR_OK)
        return err;
    tables_pa = frames_pa + to_pages(frames.bytes);
    own_pa = tables_pa + tables_bytes(machine);
    *end = own_pa + machine->harts * (rules_bytes() + nodes_bytes());
    if (*end > PHYS_RAM_BASE + machine->phys.ram_bytes - machine->reserve_top_bytes) {
        frames_free(&frames);
        return diag_set(diag, ERR_USAGE, "%s: does not fit into memory with the trees of %u "
                        "sampled harts; raise machine.memory_mib", machine->image->path,
                        machine->harts);
    }
    machine->kernel->sampler_pa = pa;
    machine->kernel->sampler_programs_pa = programs_pa;
    if (!place_tables(machine, tables_pa)) {
        frames_free(&frames);
        return diag_no_memory(diag, "samples");
    }
    phys_copy_in(&machine->phys, frames_pa, frames.table, frames.bytes);
    for (unsigned i = 0; i < machine->harts; i++)
        place_hart(machine, i, frames_pa, own_pa + i * (rules_bytes() + nodes_bytes()));
    frames_free(&frames);
    return ERR_OK;
}

enum err kernel_sampler_add(struct machine *machine, const struct image *image, struct diag *diag)
{
    enum err err;

    if (machine->kernel == NULL || machine->kernel->sampler_pa == 0)
        return ERR_OK;
    err = frames_guest_add(&machine->kernel->sampler_frames, image, diag);
    list_program(machine, image_program(image));
    return err;
}

const struct kernel_sampler *kernel_sampler_area(const struct machine *machine, unsigned hart,
                                                 const struct kernel_sampler_node **node)
{
    const struct kernel_sampler *area = (const void *)phys_host(
        &machine->phys, machine->kernel->sampler_pa + hart * sizeof *area);

    *node = (const void *)phys_host(&machine->phys, area->nodes_pa);
    return area;
}
