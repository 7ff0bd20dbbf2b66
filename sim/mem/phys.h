/* Physical memory and the device bus: one RAM image, device windows, flags of each page.
 *
 * RAM is one anonymous mapping (pages appear when touched). Both engines and every device read and
 * write through here; caches of sim/mem/memsys.h hold tags only. Page flags send accesses with rare
 * duties (predecoded code, HTIF words, monitor memory) to a slow path that ordinary accesses never
 * take. */
#ifndef SIM_MEM_PHYS_H
#define SIM_MEM_PHYS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PHYS_RAM_BASE UINT64_C(0x80000000)
enum { PHYS_PAGE_BITS = 12, PHYS_PAGE_BYTES = 1 << PHYS_PAGE_BITS };

enum phys_page_flag {
    PHYS_CODE = 1,      /* an engine holds decoded instructions of this page */
    PHYS_STALE = 2,     /* written since it was decoded; see phys_take_stale */
    PHYS_HTIF = 4,      /* contains tohost/fromhost: stores are examined */
    PHYS_MONITOR = 8,   /* the resident monitor's: any other access is a fault */
    PHYS_META_DATA = 16,/* a datum in this page is marked */
};

/* Called after everything the host writes (phys_copy_in): system calls, devices. */
struct phys_watch { void *arg; void (*wrote)(void *arg, uint64_t pa, uint64_t bytes); };

struct phys_device;     /* see device.h: base, size, read/write operations */
struct mmu;             /* see mmu.h */

struct phys {
    uint8_t *ram;
    uint64_t ram_bytes;             /* whole pages */
    uint8_t *page_flags;            /* one byte a RAM page */
    struct phys_device *devices;    /* singly linked, in address order */
    struct phys_device *htif;       /* called for stores to pages with PHYS_HTIF; offset = pa */
    struct mmu *mmus;      /* these hold host pointers, which are dropped when a page gets a flag */
    uint64_t stale_pages;           /* number of pages with PHYS_STALE */
    uint32_t *stale;                /* [stale_pages] their numbers, in the order of the stores */
    const struct phys_watch *watch; /* NULL = none */
    bool event;                     /* a device or HTIF wants the machine's attention */
};

/* False: no memory. */
bool phys_init(struct phys *phys, uint64_t ram_bytes);
void phys_free(struct phys *phys);

static inline bool phys_is_ram(const struct phys *phys, uint64_t pa, unsigned size)
{
    return pa - PHYS_RAM_BASE < phys->ram_bytes && pa - PHYS_RAM_BASE + size <= phys->ram_bytes;
}

static inline uint8_t *phys_host(const struct phys *phys, uint64_t pa)
{
    return phys->ram + (pa - PHYS_RAM_BASE);
}

static inline uint8_t phys_flags(const struct phys *phys, uint64_t pa)
{
    return phys->page_flags[(pa - PHYS_RAM_BASE) >> PHYS_PAGE_BITS];
}

/* Sets flags of every page that [pa, pa+bytes) touches, and withdraws the host pointers to it. */
void phys_set_flags(struct phys *phys, uint64_t pa, uint64_t bytes, unsigned flags);
void phys_clear_flags(struct phys *phys, uint64_t pa, uint64_t bytes, unsigned flags);

void phys_add_device(struct phys *phys, struct phys_device *device);
/* The device whose window contains all the bytes, or NULL. */
struct phys_device *phys_device_at(const struct phys *phys, uint64_t pa, unsigned size);

/* size: 1, 2, 4 or 8 bytes within one page. False: nothing there (access fault). Device registers
 * have their side effects. */
bool phys_read(struct phys *phys, uint64_t pa, unsigned size, uint64_t *value);
bool phys_write(struct phys *phys, uint64_t pa, unsigned size, uint64_t value);

/* Host-side block copies into and out of RAM (loader, system calls); written code pages are stale.
 * False when the range is not all RAM. */
bool phys_copy_in(struct phys *phys, uint64_t pa, const void *bytes, uint64_t count);
bool phys_copy_out(const struct phys *phys, uint64_t pa, void *bytes, uint64_t count);

/* An engine that decodes from a page calls phys_mark_code, which removes the host pointers for
 * stores to the page from the translation caches of all harts. The first store after that makes the
 * page stale and clears PHYS_CODE. At fence.i, and after the host changed memory, engines drop the
 * decoded instructions of stale pages: phys_take_stale calls `drop` for each, then forgets. */
void phys_mark_code(struct phys *phys, uint64_t pa);
void phys_take_stale(struct phys *phys, void (*drop)(void *arg, uint64_t page_pa), void *arg);

#endif
