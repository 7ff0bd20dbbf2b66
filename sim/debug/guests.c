/* See guests.h. */
#include "sim/debug/guests.h"

#include <stdlib.h>
#include <string.h>

#include "isa/csr.h"
#include "sim/core/csr_access.h"
#include "sim/run/kernel/kernel_host.h"

enum { X_COUNT = 32, PROCESSES_MAX = 4096 };

/* ---- the kernel's memory --------------------------------------------------------------------- */

static const struct kernel_layout *layout_of(const struct machine *machine)
{
    const struct kernel_host *kernel = machine->kernel;

    return kernel != NULL && kernel->layout.processes != 0 ? &kernel->layout : NULL;
}

static bool read_bytes(const struct machine *machine, uint64_t address, void *bytes, size_t count)
{
    struct phys *phys = (struct phys *)(uintptr_t)&machine->phys;
    uint64_t pa = address - KERNEL_MAP;

    return phys_is_ram(phys, pa, 1) && phys_is_ram(phys, pa + count - 1, 1) &&
           phys_copy_out(phys, pa, bytes, count);
}

/* 0: it cannot be read. */
static uint64_t read_word(const struct machine *machine, uint64_t address)
{
    uint64_t word;

    return read_bytes(machine, address, &word, sizeof word) ? word : 0;
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* A member of a list that is being changed may lead nowhere. */
static bool read_thread(const struct machine *machine, uint64_t at, uint64_t root,
                        struct guest *guest)
{
    const struct kernel_layout *layout = layout_of(machine);

    *guest = (struct guest){.at = at, .root = root};
    return read_bytes(machine, at + layout->thread_tid, &guest->tid, sizeof guest->tid) &&
           read_bytes(machine, at + layout->thread_state, &guest->state, sizeof guest->state) &&
           read_bytes(machine, at + layout->thread_name, guest->name, KERNEL_NAME_BYTES) &&
           guest->tid != 0 && guest->state < KERNEL_THREAD_DEAD;
}

static unsigned list_process(const struct machine *machine, uint64_t process, struct guest *guest,
                             unsigned room)
{
    const struct kernel_layout *layout = layout_of(machine);
    uint64_t head = process + layout->process_threads;
    uint64_t space = read_word(machine, process + layout->process_space);
    uint64_t root = space != 0 ? read_word(machine, space + layout->space_root) : 0;
    unsigned count = 0;

    for (uint64_t at = read_word(machine, head); at != head && at != 0 && count < room;
         at = read_word(machine, at))
        count += read_thread(machine, at - layout->thread_link, root, &guest[count]);
    return count;
}

unsigned guests_list(const struct machine *machine, struct guest *guest, unsigned room)
{
    const struct kernel_layout *layout = layout_of(machine);
    unsigned count = 0, processes = 0;

    if (layout == NULL)
        return 0;
    for (uint64_t at = read_word(machine, layout->processes);
         at != layout->processes && at != 0 && processes < PROCESSES_MAX; processes++) {
        count += list_process(machine, at - layout->process_link, guest + count, room - count);
        at = read_word(machine, at);
    }
    return count;
}

bool guests_find(const struct machine *machine, uint32_t tid, struct guest *guest)
{
    struct guest *all = calloc(GUESTS_MAX, sizeof *all);
    unsigned count = all != NULL && tid != 0 ? guests_list(machine, all, GUESTS_MAX) : 0;
    bool is_found = false;

    for (unsigned i = 0; i < count && !is_found; i++) {
        is_found = all[i].tid == tid;
        *guest = all[i];
    }
    free(all);
    return is_found;
}

/* ---- one thread ------------------------------------------------------------------------------ */

uint32_t guests_on(const struct machine *machine, unsigned hart)
{
    uint64_t number, modify;

    if (layout_of(machine) == NULL ||
        !cpu_csr_read(&machine->cpu[hart], CSR_prof_thread, &number, &modify))
        return 0;
    return (uint32_t)number;
}

bool guests_is_inside(const struct machine *machine, const struct hart *view)
{
    const struct kernel_layout *layout = layout_of(machine);

    return layout != NULL && view->priv == PRIV_S && !view->in_monitor &&
           (view->pc < layout->entry || view->pc >= layout->entered) &&
           (view->pc < layout->leave || view->pc >= layout->left);
}

bool guests_registers(const struct machine *machine, const struct guest *guest, struct hart *view)
{
    const struct kernel_layout *layout = layout_of(machine);
    uint64_t frame = read_word(machine, guest->at + layout->thread_frame), word[X_COUNT];

    *view = (struct hart){.pc = 0};
    if (frame == 0 || !read_bytes(machine, frame, word, sizeof word) ||
        !read_bytes(machine, guest->at + layout->thread_fp, &view->reg[REG_F0],
                    X_COUNT * sizeof word[0]))
        return false;
    view->pc = word[0];
    memcpy(&view->reg[1], &word[1], (X_COUNT - 1) * sizeof word[0]);
    return true;
}

uint64_t guests_satp(const struct guest *guest)
{
    return (uint64_t)SATP_SV39 << SATP_MODE_SHIFT | guest->root >> 12;
}
