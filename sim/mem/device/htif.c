/* Host-target interface: a store to `tohost` is a command to the host; `fromhost` has its answers.
 *
 * A command is device << 56 | command << 48 | payload. Device 0, command 0: an odd payload ends the
 * run with code payload >> 1; an even one is the address of eight doublewords with a system call,
 * of which write and exit are served, results in the first. Device 1 is the console: command 0
 * reads, 1 writes a character. `tohost` is cleared when a command is taken. Left out: the rest. */
#include <stddef.h>

#include "sim/mem/device/devices.h"

enum { DEVICE_SYSCALL = 0, DEVICE_CONSOLE = 1 };
enum { CONSOLE_READ = 0, CONSOLE_WRITE = 1 };
enum { SYSCALL_WRITE = 64, SYSCALL_EXIT = 93, SYSCALL_WORDS = 8 };
enum { GUEST_EBADF = 9, GUEST_EFAULT = 14, GUEST_ENOSYS = 38 };
#define PAYLOAD_BITS 48

static uint64_t command_of(unsigned device, unsigned command, uint64_t payload)
{
    return (uint64_t)device << 56 | (uint64_t)command << PAYLOAD_BITS | payload;
}

static void answer(struct htif *htif, uint64_t value)
{
    if (htif->fromhost != 0) {
        phys_copy_in(htif->phys, htif->fromhost, &value, sizeof value);
    }
}

static void request_exit(struct htif *htif, uint64_t code)
{
    *htif->exit = (struct device_exit){true, (int)code};
    htif->phys->event = true;
}

/* ---- system calls ---------------------------------------------------------------------------- */

static uint64_t guest_error(int code)
{
    return (uint64_t)(int64_t)-code;
}

static uint64_t call_write(struct htif *htif, const uint64_t *words)
{
    uint64_t fd = words[1], pa = words[2], count = words[3];
    if (fd != 1 && fd != 2) {
        return guest_error(GUEST_EBADF);
    }
    if (pa - PHYS_RAM_BASE > htif->phys->ram_bytes ||
        count > htif->phys->ram_bytes - (pa - PHYS_RAM_BASE)) {
        return guest_error(GUEST_EFAULT);
    }
    FILE *file = fd == 1 ? htif->console->out : htif->console->err;
    size_t written = fwrite(phys_host(htif->phys, pa), 1, count, file);
    fflush(file);
    return written;
}

static void serve_syscall(struct htif *htif, uint64_t block_pa)
{
    uint64_t words[SYSCALL_WORDS];
    if (!phys_copy_out(htif->phys, block_pa, words, sizeof words)) {
        return;
    }
    if (words[0] == SYSCALL_EXIT) {
        request_exit(htif, words[1]);
        return;
    }
    uint64_t result =
        words[0] == SYSCALL_WRITE ? call_write(htif, words) : guest_error(GUEST_ENOSYS);
    phys_copy_in(htif->phys, block_pa, &result, sizeof result);
    answer(htif, 1);
}

/* ---- commands -------------------------------------------------------------------------------- */

void htif_poll(struct htif *htif)
{
    int character = htif->wants_input ? console_get(htif->console) : -1;
    if (character >= 0) {
        htif->wants_input = false;
        answer(htif, command_of(DEVICE_CONSOLE, CONSOLE_READ, 0x100 | (uint64_t)character));
    }
}

static void serve_console(struct htif *htif, unsigned command, uint64_t payload)
{
    if (command == CONSOLE_WRITE) {
        console_put(htif->console, (int)(payload & 0xff));
    } else if (command == CONSOLE_READ) {
        htif->wants_input = true;
        htif_poll(htif);
    }
}

static void serve(struct htif *htif, uint64_t value)
{
    unsigned device = (unsigned)(value >> 56);
    unsigned command = (unsigned)(value >> PAYLOAD_BITS & 0xff);
    uint64_t payload = value & ((UINT64_C(1) << PAYLOAD_BITS) - 1);
    if (device == DEVICE_CONSOLE) {
        serve_console(htif, command, payload);
    } else if (device == DEVICE_SYSCALL && command == 0) {
        if (payload & 1) {
            request_exit(htif, payload >> 1);
        } else {
            serve_syscall(htif, payload);
        }
    }
}

/* Called after any store to a page with PHYS_HTIF; offset is the physical address. Programs store
 * the doubleword at once, or only its low word, or its high word and then the low one. A low word
 * that is stored first is taken without the high one, which is then zero in practice. */
static bool watch_store(struct phys_device *device, uint64_t offset, unsigned size, uint64_t value)
{
    struct htif *htif = (struct htif *)device;
    (void)value;
    if (offset + size <= htif->tohost || offset >= htif->tohost + sizeof(uint32_t)) {
        return true;
    }
    uint64_t tohost;
    static const uint64_t taken = 0;
    phys_copy_out(htif->phys, htif->tohost, &tohost, sizeof tohost);
    if (tohost != 0) {
        phys_copy_in(htif->phys, htif->tohost, &taken, sizeof taken);
        serve(htif, tohost);
    }
    return true;
}

void htif_init(struct htif *htif, struct phys *phys, const struct console *console,
               struct device_exit *exit)
{
    *htif = (struct htif){
        .device = {.name = "htif", .write = watch_store},
        .phys = phys,
        .console = console,
        .exit = exit,
    };
}
