/* The devices of the machine, at the addresses Spike and QEMU's "virt" have them.
 *
 * Owns all of them and the clock. Ends of a run (HTIF, test finisher) are recorded in devices.exit
 * and sets phys->event. Interrupts appear in hart->irq_lines at once. Time passes only in
 * devices_tick. Left out: disks, network, a PCI bus, ACLINT's supervisor software interrupts. */
#ifndef SIM_MEM_DEVICES_H
#define SIM_MEM_DEVICES_H

#include <stdio.h>

#include "isa/hart.h"
#include "sim/base/config.h"
#include "sim/mem/device/device.h"
#include "sim/mem/phys.h"

#define FINISHER_BASE UINT64_C(0x100000)
#define CLINT_BASE UINT64_C(0x2000000)
#define PLIC_BASE UINT64_C(0xc000000)
#define UART_BASE UINT64_C(0x10000000)
#define FINISHER_BYTES UINT64_C(0x1000)
#define CLINT_BYTES UINT64_C(0x10000)
#define PLIC_BYTES UINT64_C(0x4000000)
#define UART_BYTES UINT64_C(0x1000)
enum { DEVICES_HARTS_MAX = 64, PLIC_SOURCES = 32, UART_IRQ = 10, UART_FIFO = 16 };

/* Files of the guest's console. The devices do not close them. */
struct console {
    FILE *out, *err;
    int in;                         /* file descriptor, never blocked on; -1 = no input */
};

/* A request of the guest to end the run. */
struct device_exit {
    bool requested;
    int code;
};

struct clint {
    struct phys_device device;
    struct hart *const *harts;
    unsigned hart_count;
    uint64_t mtime;                 /* ticks; the value of the time CSR */
    uint64_t latest;                /* largest answer of devices_time */
    uint64_t (*now)(void *arg); void *now_arg;      /* the time of an access; NULL: mtime */
    uint64_t mtimecmp[DEVICES_HARTS_MAX];
};

struct plic {
    struct phys_device device;
    struct hart *const *harts;
    unsigned contexts;              /* two a hart: M, S */
    uint32_t level, claimed;        /* a bit a source */
    uint32_t priority[PLIC_SOURCES];
    uint32_t enable[2 * DEVICES_HARTS_MAX], threshold[2 * DEVICES_HARTS_MAX];
};

struct uart {
    struct phys_device device;
    struct plic *plic;
    const struct console *console;
    uint8_t fifo[UART_FIFO];
    unsigned fifo_head, fifo_length;
    uint8_t ier, lcr, mcr, scratch, divisor[2];
    bool fifo_enabled, sent;        /* sent: the transmitter became empty since IIR was read */
};

struct htif {
    struct phys_device device;      /* not on the bus: phys.htif */
    struct phys *phys;
    const struct console *console;
    struct device_exit *exit;
    uint64_t tohost, fromhost;      /* physical addresses; fromhost 0 = none */
    bool wants_input;
};

struct finisher {
    struct phys_device device;
    struct phys *phys;
    struct device_exit *exit;
};

struct devices {
    struct phys *phys;
    struct hart *harts[DEVICES_HARTS_MAX];
    unsigned hart_count;
    uint64_t tick_cycles;           /* core cycles a tick of mtime */
    uint64_t cycle;                 /* cycles of the current tick that have passed */
    uint64_t next_poll;             /* mtime at which console input is polled next */
    /* At mtime next_look (UINT64_MAX: never) `look` is called; it returns the next such mtime.
     * is_idle: no hart does anything until then, so `look` may take its time. */
    uint64_t next_look;
    uint64_t (*look)(void *arg, bool is_idle);
    void *look_arg;
    struct console console;
    struct device_exit exit;
    struct clint clint;
    struct plic plic;
    struct uart uart;
    struct htif htif;
    struct finisher finisher;
};

/* Puts the devices on phys's bus; the structure stays where it is until devices_free. console NULL:
 * standard output and error, no input. */
void devices_init(struct devices *devices, struct phys *phys, struct hart *const *harts,
                  unsigned hart_count, const struct config *config, const struct console *console);
void devices_free(struct devices *devices);
/* Sets the addresses of the program's tohost and fromhost words (0 = no fromhost). False: not in
 * RAM. */
bool devices_set_htif(struct devices *devices, uint64_t tohost_pa, uint64_t fromhost_pa);

/* `cycles` core cycles passed: advances mtime and drives the timer lines. */
void devices_tick(struct devices *devices, uint64_t cycles);
/* The time in ticks, `cycles` core cycles after the last devices_tick; never less than an earlier
 * answer, because harts take turns. */
uint64_t devices_time(struct devices *devices, uint64_t cycles);
/* Cycles until a timer interrupt rises on any hart, or console input is polled; at least 1.
 * UINT64_MAX: no event is due. */
uint64_t devices_next_event(const struct devices *devices);

/* The single devices. */
void clint_init(struct clint *clint, struct hart *const *harts, unsigned hart_count);
void clint_update(struct clint *clint);             /* drives the MTI and STI lines from the time */
uint64_t clint_now(const struct clint *clint);      /* of an access, in ticks */
void clint_send(struct clint *clint, unsigned hart);        /* raises the hart's MSI line */
void plic_init(struct plic *plic, struct hart *const *harts, unsigned hart_count);
void plic_set_level(struct plic *plic, unsigned source, bool level);
void uart_init(struct uart *uart, struct plic *plic, const struct console *console);
void uart_poll(struct uart *uart);                  /* takes waiting input */
void htif_init(struct htif *htif, struct phys *phys, const struct console *console,
               struct device_exit *exit);
void htif_poll(struct htif *htif);
void finisher_init(struct finisher *finisher, struct phys *phys, struct device_exit *exit);
/* One waiting character, or -1: none. */
int console_get(const struct console *console);
void console_put(const struct console *console, int character);

/* The device tree of the machine, for a1 of the first program. */
struct devicetree {
    const char *bootargs;                   /* NULL = none */
    uint64_t initrd_pa, initrd_bytes;       /* bytes 0 = none */
    uint64_t reserved_pa, reserved_bytes;   /* memory no kernel may touch; bytes 0 = none */
    uint64_t below;                         /* the tree ends below this; 0 = end of RAM */
    unsigned xlen;                          /* of the harts: 32 or 64 */
};
/* Builds the tree and writes it into RAM, page-aligned. Returns its address, 0 = no room. */
uint64_t devicetree_place(const struct devicetree *tree, const struct devices *devices,
                          const struct config *config);

#endif
