/* Building a machine and putting a program into it; running is machine_run.c's. */
#include "sim/run/machine_internal.h"

#include <stdlib.h>
#include <string.h>

#include "isa/csr.h"
#include "pmu/exact/calls.h"
#include "shadowcache/shadow.h"
#include "sim/base/cycle.h"
#include "sim/core/wait.h"
#include "sim/run/faster.h"
#include "sim/run/kernel/kernel.h"
#include "sim/run/linux/process.h"

#define MIB (UINT64_C(1) << 20)
/* Values of machine.xlen, and the memory below 4 GiB in MiB. */
enum { XLEN_AUTO, XLEN_32, XLEN_64 };
enum { MEMORY_MIB_MAX_32 = 2048 };

/* ---- time ------------------------------------------------------------------------------------ */

/* The clock follows the hart that runs, if there is one hart. With several harts it moves when all
 * have had their turns (machine_run.c), and the one that reads the time adds its cycles since. */
static uint64_t read_time(void *arg)
{
    struct machine *machine = arg;
    uint64_t now = later(machine_hart_time(machine, machine->active_hart), machine->synced_cycles);

    return devices_time(machine->devices, now - machine->synced_cycles);
}

static void sync_time(void *arg)
{
    struct machine *machine = arg;
    uint64_t now = machine_hart_time(machine, machine->active_hart);

    if (now <= machine->synced_cycles)
        return;
    devices_tick(machine->devices, now - machine->synced_cycles);
    machine->synced_cycles = now;
}

static uint64_t next_alarm(void *arg)
{
    struct machine *machine = arg;

    sync_time(machine);
    return devices_next_event(machine->devices);
}

uint64_t machine_insns(const struct machine *machine)
{
    uint64_t insns = 0;

    for (unsigned i = 0; i < machine->harts; i++)
        insns += pmu_program_insns(&machine->cpu[i].pmu);
    return insns;
}

/* A late charge may correct its estimate, so that time goes back a little. */
uint64_t machine_hart_time(const struct machine *machine, unsigned hart)
{
    uint64_t cycles = machine->cpu[hart].pmu.events[EVENT_CYCLES];

    return machine->faster == NULL
               ? cycles : cycles - faster_ahead(machine->faster, hart, machine->core[hart],
                                       &machine->cpu[hart]);
}

uint64_t machine_cycles(const struct machine *machine)
{
    uint64_t most = 0;

    for (unsigned i = 0; i < machine->harts; i++)
        most = later(most, machine_hart_time(machine, i));
    return most;
}

uint64_t machine_time_ns(const struct machine *machine)
{
    uint64_t cycles = machine_cycles(machine), mhz = machine->config.machine_clock_mhz;

    return cycles / mhz * 1000 + cycles % mhz * 1000 / mhz;
}

/* ---- construction ---------------------------------------------------------------------------- */

static bool make_harts(struct machine *machine)
{
    machine->cpu = calloc(machine->harts, sizeof machine->cpu[0]);
    machine->core = calloc(machine->harts, sizeof machine->core[0]);
    machine->fast = calloc(machine->harts, sizeof machine->fast[0]);
    if (machine->cpu == NULL || machine->core == NULL || machine->fast == NULL)
        return false;
    for (unsigned i = 0; i < machine->harts; i++)
        if (!cpu_init(&machine->cpu[i], &machine->config, &machine->phys, i))
            return false;
    return true;
}

static bool make_devices(struct machine *machine)
{
    struct hart *harts[DEVICES_HARTS_MAX];

    machine->devices = calloc(1, sizeof *machine->devices);
    if (machine->devices == NULL)
        return false;
    for (unsigned i = 0; i < machine->harts; i++)
        harts[i] = &machine->cpu[i].hart;
    devices_init(machine->devices, &machine->phys, harts, machine->harts, &machine->config, NULL);
    for (unsigned i = 0; i < machine->harts; i++) {
        struct cpu *cpu = &machine->cpu[i];
        cpu->peers = machine->cpu;
        cpu->peer_count = machine->harts;
        if (machine->harts > 1) {
            shadow_share_limits(cpu->ishadow);
            shadow_share_limits(cpu->dshadow);
        }
        cpu->mtime = &machine->devices->clint.mtime;
        cpu->time_arg = machine;
        cpu->read_time = read_time;
        if (machine->harts == 1) {
            cpu->sync_time = sync_time;
            cpu->next_alarm = next_alarm;
        }
    }
    machine->devices->clint.now = read_time;
    machine->devices->clint.now_arg = machine;
    return true;
}

/* The setting must be a free address. */
static enum err place_window(struct machine *machine, struct diag *diag)
{
    uint64_t base = machine->config.pmu_window_base;
    const struct phys_device *other = machine->phys.devices;

    if (base == 0)
        return ERR_OK;
    profile_window_init(&machine->window, machine->cpu, machine->harts, base);
    uint64_t end = base + machine->window.device.size;
    if (base % PROF_WINDOW_BYTES != 0)
        return diag_set(diag, ERR_USAGE, "pmu.window_base = 0x%llx; expected a multiple of 0x%x",
                        (unsigned long long)base, PROF_WINDOW_BYTES);
    if (end > PHYS_RAM_BASE)
        return diag_set(diag, ERR_USAGE, "pmu.window_base = 0x%llx: the windows of %u harts end at "
                        "0x%llx, in memory; expected an end of at most 0x%llx",
                        (unsigned long long)base, machine->harts, (unsigned long long)end,
                        (unsigned long long)PHYS_RAM_BASE);
    for (; other != NULL; other = other->next)
        if (base < other->base + other->size && other->base < end)
            return diag_set(diag, ERR_USAGE, "pmu.window_base = 0x%llx: %s is at 0x%llx..0x%llx",
                            (unsigned long long)base, other->name,
                            (unsigned long long)other->base,
                            (unsigned long long)(other->base + other->size));
    phys_add_device(&machine->phys, &machine->window.device);
    return ERR_OK;
}

enum err machine_init(struct machine *machine, const struct config *config, struct diag *diag)
{
    *machine = (struct machine){
        .config = *config,
        .harts = config->machine_harts,
        .skip = true,
        .io = {.out = stdout, .err = stderr, .in = -1, .fds = {0, 1, 2}, .log = stderr},
    };
    if (machine->config.fetch_bytes > machine->config.l1i_line_bytes)
        machine->config.fetch_bytes = machine->config.l1i_line_bytes;
    if (!phys_init(&machine->phys, config->machine_memory_mib * MIB)) {
        *machine = (struct machine){0};
        return diag_set(diag, ERR_NO_MEMORY, "cannot map %u MiB for the guest's memory",
                        config->machine_memory_mib);
    }
    machine->memshared = memshared_new(&machine->config);
    if (machine->memshared == NULL || !make_harts(machine) || !make_devices(machine)) {
        machine_free(machine);
        return diag_set(diag, ERR_NO_MEMORY, "not enough memory for %u harts",
                        config->machine_harts);
    }
    enum err err = place_window(machine, diag);
    if (err != ERR_OK)
        machine_free(machine);
    return err;
}

static void free_harts(struct machine *machine)
{
    for (unsigned i = 0; i < machine->harts; i++) {
        if (machine->core != NULL)
            core_free(machine->core[i]);
        if (machine->fast != NULL)
            fast_free(machine->fast[i]);
        if (machine->cpu != NULL) {
            calls_free(machine->cpu[i].calls);
            cpu_free(&machine->cpu[i]);
        }
    }
    free(machine->core);
    free(machine->fast);
    free(machine->cpu);
}

void machine_free(struct machine *machine)
{
    kernel_free(machine);
    process_free(machine->process);
    if (machine->devices != NULL)
        devices_free(machine->devices);
    free(machine->devices);
    free_harts(machine);
    memshared_free(machine->memshared);
    image_close(&machine->own_image);
    phys_free(&machine->phys);
    *machine = (struct machine){0};
}

bool machine_track_calls(struct machine *machine, const struct calls_map *map)
{
    for (unsigned i = 0; i < machine->harts; i++) {
        struct cpu *cpu = &machine->cpu[i];

        cpu->calls = calls_new(map, pmu_program_insns(&cpu->pmu));
        if (cpu->calls == NULL)
            return false;
        if (machine->engine == ENGINE_DETAILED && machine->config.pmu_oracle)
            calls_expect_charges(cpu->calls);
        if (i != 0)
            calls_join(machine->cpu[0].calls, cpu->calls);
    }
    return true;
}

/* ---- bare metal ------------------------------------------------------------------------------ */

/* Linkers put the file's headers on the page before the text, so a program linked at the start of
 * memory begins below it. Those bytes are not loaded. */
static struct image_segment without_headers(const struct image *image, struct image_segment segment)
{
    uint64_t below = PHYS_RAM_BASE - segment.paddr;

    if (segment.bytes == image->file && below <= PHYS_PAGE_BYTES && below < segment.file_bytes) {
        segment.bytes += below;
        segment.vaddr += below;
        segment.paddr += below;
        segment.file_bytes -= below;
        segment.mem_bytes -= below;
    }
    return segment;
}

static enum err load_segments(struct machine *machine, struct diag *diag)
{
    const struct image *image = machine->image;
    uint64_t top = machine->phys.ram_bytes - machine->reserve_top_bytes;

    for (size_t i = 0; i < image->segment_count; i++) {
        const struct image_segment clipped = without_headers(image, image->segments[i]);
        const struct image_segment *segment = &clipped;
        uint64_t offset = segment->paddr - PHYS_RAM_BASE;
        if (offset > top || segment->mem_bytes > top - offset)
            return diag_set(diag, ERR_USAGE,
                            "%s: segment 0x%llx..0x%llx is not in memory (0x%llx..0x%llx)",
                            image->path, (unsigned long long)segment->paddr,
                            (unsigned long long)(segment->paddr + segment->mem_bytes),
                            (unsigned long long)PHYS_RAM_BASE,
                            (unsigned long long)(PHYS_RAM_BASE + top));
        phys_copy_in(&machine->phys, segment->paddr, segment->bytes, segment->file_bytes);
        memset(phys_host(&machine->phys, segment->paddr) + segment->file_bytes, 0,
               segment->mem_bytes - segment->file_bytes);
    }
    return ERR_OK;
}

/* The address to which the loader put the byte that the image has at `vaddr`. */
static uint64_t loaded_at(const struct image *image, uint64_t vaddr)
{
    const struct image_segment *segment = image_segment_at(image, vaddr);

    return segment != NULL ? vaddr - segment->vaddr + segment->paddr : vaddr;
}

static enum err connect_htif(struct machine *machine, struct diag *diag)
{
    const struct image *image = machine->image;
    uint64_t fromhost = image->fromhost != 0 ? loaded_at(image, image->fromhost) : 0;

    if (image->tohost == 0 ||
        devices_set_htif(machine->devices, loaded_at(image, image->tohost), fromhost))
        return ERR_OK;
    return diag_set(diag, ERR_USAGE, "%s: tohost (0x%llx) is not in memory", image->path,
                    (unsigned long long)image->tohost);
}

/* The device tree goes to the top of memory; a program that extends so far overwrites it. */
static enum err load_bare(struct machine *machine, struct diag *diag)
{
    uint64_t top = PHYS_RAM_BASE + machine->phys.ram_bytes - machine->reserve_top_bytes;
    struct devicetree tree = {
        .reserved_pa = top, .reserved_bytes = machine->reserve_top_bytes, .below = top,
        .xlen = machine->xlen,
    };
    uint64_t tree_pa = devicetree_place(&tree, machine->devices, &machine->config);
    enum err err = load_segments(machine, diag);

    if (err == ERR_OK)
        err = connect_htif(machine, diag);
    for (unsigned i = 0; i < machine->harts && err == ERR_OK; i++) {
        hart_reset(&machine->cpu[i].hart, i, machine->image->entry, tree_pa);
        hart_set_xlen(&machine->cpu[i].hart, machine->xlen);
        cpu_privilege_changed(&machine->cpu[i]);
    }
    return err;
}

/* ---- Linux programs -------------------------------------------------------------------------- */

uint64_t machine_process_time(void *machine)
{
    return machine_time_ns(machine);
}

/* The program runs on the first hart; the others sleep for ever. */
static enum err load_process(struct machine *machine, const struct program *program,
                             struct diag *diag)
{
    const struct process_options options = {
        .argc = program->argc,
        .argv = program->argv,
        .env = program->env,
        .root = program->root,
        .fds = {machine->io.fds[0], machine->io.fds[1], machine->io.fds[2]},
        .seed = machine->config.machine_seed,
        .reserve_top_bytes = machine->reserve_top_bytes,
        .time_ns = machine_process_time,
        .time_arg = machine,
        .epoch_seconds = program->epoch_seconds,
        .outside = program->outside,
        .log = machine->io.log,
        .trace = machine->io.trace_syscalls,
        .may_hand_over = program->may_hand_over,
    };
    if (machine->image->interpreter != 0)
        return diag_set(diag, ERR_USAGE, "%s: dynamically linked; link it with -static, or let "
                        "the guest kernel run it (--os kernel)", machine->image->path);
    enum err err = process_new(&machine->process, &machine->cpu[0], &machine->phys, machine->image,
                               &options, diag);

    for (unsigned i = 1; i < machine->harts; i++) {
        machine->cpu[i].hart.waiting = true;
        machine->cpu[i].sleeps_until = CPU_PARKED;
    }
    if (err == ERR_OK)
        cpu_privilege_changed(&machine->cpu[0]);
    return err;
}

/* The program decides the width of the registers, unless the configuration sets it. */
static enum err choose_xlen(struct machine *machine, struct diag *diag)
{
    static const unsigned chosen[] = {[XLEN_32] = 32, [XLEN_64] = 64};
    const struct image *image = machine->image;
    unsigned wanted = chosen[machine->config.machine_xlen];

    machine->xlen = image->xlen;
    if (wanted != 0 && wanted != image->xlen)
        return diag_set(diag, ERR_USAGE, "%s: a %u-bit program, but machine.xlen = %u", image->path,
                        image->xlen, wanted);
    if (image->xlen == 32 && machine->config.machine_memory_mib > MEMORY_MIB_MAX_32)
        return diag_set(diag, ERR_USAGE, "%s: a 32-bit program, but machine.memory_mib = %u; "
                        "32-bit addresses reach %d MiB", image->path,
                        machine->config.machine_memory_mib, MEMORY_MIB_MAX_32);
    return ERR_OK;
}

enum err machine_load(struct machine *machine, const struct program *program, struct diag *diag)
{
    enum err err = ERR_OK;

    machine->image = program->image;
    if (machine->image == NULL) {
        machine->image = &machine->own_image;
        err = image_open(&machine->own_image, program->path, diag);
    }
    if (err == ERR_OK)
        err = choose_xlen(machine, diag);
    if (err != ERR_OK)
        return err;
    machine->devices->console = (struct console){
        .out = machine->io.out, .err = machine->io.err, .in = machine->io.in,
    };
    if (!machine->image->is_linux)
        return load_bare(machine, diag);
    if (program->kernel != NULL && kernel_is_wanted(machine->image, program->os))
        return kernel_load(machine, program, diag);
    return load_process(machine, program, diag);
}
