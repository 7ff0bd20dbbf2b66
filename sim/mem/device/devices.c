/* All devices together: set-up, the passing of time, the time of the next event. */
#include "sim/mem/device/devices.h"

#include <assert.h>
#include <string.h>

enum { POLL_TICKS = 10000 };    /* mtime ticks between looks at the console's input */

void devices_init(struct devices *devices, struct phys *phys, struct hart *const *harts,
                  unsigned hart_count, const struct config *config, const struct console *console)
{
    assert(hart_count <= DEVICES_HARTS_MAX);
    *devices = (struct devices){
        .phys = phys,
        .hart_count = hart_count,
        .tick_cycles = config->machine_timebase_divider,
        .next_look = UINT64_MAX,
        .console = {stdout, stderr, -1},
    };
    memcpy(devices->harts, harts, hart_count * sizeof *harts);
    if (console != NULL) {
        devices->console = *console;
    }
    clint_init(&devices->clint, devices->harts, hart_count);
    plic_init(&devices->plic, devices->harts, hart_count);
    uart_init(&devices->uart, &devices->plic, &devices->console);
    htif_init(&devices->htif, phys, &devices->console, &devices->exit);
    finisher_init(&devices->finisher, phys, &devices->exit);
    phys_add_device(phys, &devices->clint.device);
    phys_add_device(phys, &devices->plic.device);
    phys_add_device(phys, &devices->uart.device);
    phys_add_device(phys, &devices->finisher.device);
}

void devices_free(struct devices *devices)
{
    if (devices->phys != NULL) {
        devices->phys->devices = NULL;
        devices->phys->htif = NULL;
        fflush(devices->console.out);
    }
}

bool devices_set_htif(struct devices *devices, uint64_t tohost_pa, uint64_t fromhost_pa)
{
    enum { WORD_BYTES = 8 };
    struct phys *phys = devices->phys;
    if (!phys_is_ram(phys, tohost_pa, WORD_BYTES) ||
        (fromhost_pa != 0 && !phys_is_ram(phys, fromhost_pa, WORD_BYTES))) {
        return false;
    }
    devices->htif.tohost = tohost_pa;
    devices->htif.fromhost = fromhost_pa;
    phys->htif = &devices->htif.device;
    phys_set_flags(phys, tohost_pa, WORD_BYTES, PHYS_HTIF);
    return true;
}

static void poll_input(struct devices *devices)
{
    if (devices->console.in >= 0 && devices->clint.mtime >= devices->next_poll) {
        devices->next_poll = devices->clint.mtime + POLL_TICKS;
        fflush(devices->console.out);
        htif_poll(&devices->htif);
        uart_poll(&devices->uart);
    }
}

static bool everybody_waits(const struct devices *devices)
{
    for (unsigned i = 0; i < devices->hart_count; i++) {
        if (!devices->harts[i]->waiting) {
            return false;
        }
    }
    return true;
}

void devices_tick(struct devices *devices, uint64_t cycles)
{
    devices->cycle += cycles;
    if (devices->cycle < devices->tick_cycles) {
        return;
    }
    devices->clint.mtime += devices->cycle / devices->tick_cycles;
    devices->cycle %= devices->tick_cycles;
    clint_update(&devices->clint);
    poll_input(devices);
    if (devices->clint.mtime >= devices->next_look) {
        devices->next_look = devices->look(devices->look_arg, everybody_waits(devices));
    }
}

uint64_t devices_time(struct devices *devices, uint64_t cycles)
{
    struct clint *clint = &devices->clint;
    uint64_t now = clint->mtime + (devices->cycle + cycles) / devices->tick_cycles;

    clint->latest = clint->latest > now ? clint->latest : now;
    return clint->latest;
}

static uint64_t sooner(uint64_t best, uint64_t deadline, uint64_t now)
{
    return deadline > now && deadline < best ? deadline : best;
}

uint64_t devices_next_event(const struct devices *devices)
{
    uint64_t now = devices->clint.mtime, deadline = UINT64_MAX;
    for (unsigned i = 0; i < devices->hart_count; i++) {
        const struct hart *hart = devices->harts[i];
        deadline = sooner(deadline, devices->clint.mtimecmp[i], now);
        if (hart->menvcfg & MENVCFG_STCE) {
            deadline = sooner(deadline, hart->stimecmp, now);
        }
    }
    if (devices->console.in >= 0) {
        deadline = sooner(deadline, devices->next_poll, now);
    }
    deadline = sooner(deadline, devices->next_look, now);
    if (deadline == UINT64_MAX || deadline - now > UINT64_MAX / devices->tick_cycles) {
        return UINT64_MAX;
    }
    return (deadline - now) * devices->tick_cycles - devices->cycle;
}
