/* Physical memory: one RAM mapping with a byte of flags a page, and the devices beside it. */
#include "sim/mem/phys.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "sim/mem/device/device.h"
#include "sim/mem/translate/mmu.h"

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "RAM is kept in the guest's byte order");

/* A store to a page with one of these flags has further effects than its bytes in RAM. */
enum { STORE_DUTIES = PHYS_CODE | PHYS_HTIF };
/* Flags that decide who may hold a host pointer to the page. */
enum { POINTER_RULES = STORE_DUTIES | PHYS_MONITOR };

static void *map_pages(uint64_t bytes)
{
    void *mapping = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return mapping == MAP_FAILED ? NULL : mapping;
}

static void unmap_pages(void *mapping, uint64_t bytes)
{
    if (mapping != NULL) {
        munmap(mapping, bytes);
    }
}

static uint64_t page_count(const struct phys *phys)
{
    return phys->ram_bytes >> PHYS_PAGE_BITS;
}

/* All three are mapped, not allocated: untouched pages cost nothing. */
bool phys_init(struct phys *phys, uint64_t ram_bytes)
{
    *phys = (struct phys){.ram_bytes = ram_bytes & ~(uint64_t)(PHYS_PAGE_BYTES - 1)};
    phys->ram = map_pages(phys->ram_bytes);
    phys->page_flags = map_pages(page_count(phys));
    phys->stale = map_pages(page_count(phys) * sizeof *phys->stale);
    if (phys->ram == NULL || phys->page_flags == NULL || phys->stale == NULL) {
        phys_free(phys);
        return false;
    }
    return true;
}

void phys_free(struct phys *phys)
{
    unmap_pages(phys->ram, phys->ram_bytes);
    unmap_pages(phys->page_flags, page_count(phys));
    unmap_pages(phys->stale, page_count(phys) * sizeof *phys->stale);
    *phys = (struct phys){0};
}

/* ---- page flags ------------------------------------------------------------------------------ */

static uint64_t page_number(uint64_t pa)
{
    return (pa - PHYS_RAM_BASE) >> PHYS_PAGE_BITS;
}

static uint64_t page_address(uint64_t number)
{
    return PHYS_RAM_BASE + (number << PHYS_PAGE_BITS);
}

static void withdraw(struct phys *phys, uint64_t page_pa)
{
    for (struct mmu *mmu = phys->mmus; mmu != NULL; mmu = mmu->next) {
        mmu_withdraw(mmu, page_pa);
    }
}

void phys_set_flags(struct phys *phys, uint64_t pa, uint64_t bytes, unsigned flags)
{
    if (bytes == 0) {
        return;
    }
    for (uint64_t page = page_number(pa); page <= page_number(pa + bytes - 1); page++) {
        phys->page_flags[page] |= (uint8_t)flags;
        if (flags & POINTER_RULES) {
            withdraw(phys, page_address(page));
        }
    }
}

void phys_clear_flags(struct phys *phys, uint64_t pa, uint64_t bytes, unsigned flags)
{
    if (bytes == 0) {
        return;
    }
    for (uint64_t page = page_number(pa); page <= page_number(pa + bytes - 1); page++) {
        phys->page_flags[page] &= (uint8_t)~flags;
        if (flags & POINTER_RULES) {
            withdraw(phys, page_address(page));
        }
    }
}

void phys_mark_code(struct phys *phys, uint64_t pa)
{
    if (!(phys_flags(phys, pa) & PHYS_CODE)) {
        phys_set_flags(phys, pa, 1, PHYS_CODE);
    }
}

static void make_stale(struct phys *phys, uint64_t page)
{
    uint8_t *flags = &phys->page_flags[page];
    if (!(*flags & PHYS_CODE)) {
        return;
    }
    if (!(*flags & PHYS_STALE)) {
        phys->stale[phys->stale_pages++] = (uint32_t)page;
    }
    *flags = (uint8_t)((*flags | PHYS_STALE) & ~PHYS_CODE);
}

/* Also drops a page that was decoded again after the store that made it stale. */
void phys_take_stale(struct phys *phys, void (*drop)(void *arg, uint64_t page_pa), void *arg)
{
    for (uint64_t i = 0; i < phys->stale_pages; i++) {
        phys->page_flags[phys->stale[i]] &= (uint8_t) ~(PHYS_STALE | PHYS_CODE);
        drop(arg, page_address(phys->stale[i]));
    }
    phys->stale_pages = 0;
}

/* ---- devices --------------------------------------------------------------------------------- */

void phys_add_device(struct phys *phys, struct phys_device *device)
{
    struct phys_device **link = &phys->devices;
    while (*link != NULL && (*link)->base < device->base) {
        link = &(*link)->next;
    }
    device->next = *link;
    *link = device;
}

struct phys_device *phys_device_at(const struct phys *phys, uint64_t pa, unsigned size)
{
    struct phys_device *device = phys->devices;
    while (device != NULL && pa - device->base >= device->size) {
        device = device->next;
    }
    return device != NULL && pa - device->base + size <= device->size ? device : NULL;
}

/* ---- access ---------------------------------------------------------------------------------- */

bool phys_read(struct phys *phys, uint64_t pa, unsigned size, uint64_t *value)
{
    *value = 0;
    if (phys_is_ram(phys, pa, size)) {
        memcpy(value, phys_host(phys, pa), size);
        return true;
    }
    struct phys_device *device = phys_device_at(phys, pa, size);
    return device != NULL && device->read(device, pa - device->base, size, value);
}

static void finish_store(struct phys *phys, uint64_t pa, unsigned size, uint64_t value)
{
    make_stale(phys, page_number(pa));
    if ((phys_flags(phys, pa) & PHYS_HTIF) && phys->htif != NULL) {
        phys->htif->write(phys->htif, pa, size, value);
    }
}

bool phys_write(struct phys *phys, uint64_t pa, unsigned size, uint64_t value)
{
    if (phys_is_ram(phys, pa, size)) {
        memcpy(phys_host(phys, pa), &value, size);
        if (phys_flags(phys, pa) & STORE_DUTIES) {
            finish_store(phys, pa, size, value);
        }
        return true;
    }
    struct phys_device *device = phys_device_at(phys, pa, size);
    return device != NULL && device->write(device, pa - device->base, size, value);
}

static bool is_ram_range(const struct phys *phys, uint64_t pa, uint64_t count)
{
    uint64_t offset = pa - PHYS_RAM_BASE;
    return offset <= phys->ram_bytes && count <= phys->ram_bytes - offset;
}

bool phys_copy_in(struct phys *phys, uint64_t pa, const void *bytes, uint64_t count)
{
    if (!is_ram_range(phys, pa, count)) {
        return false;
    }
    if (count == 0) {
        return true;
    }
    memcpy(phys_host(phys, pa), bytes, count);
    for (uint64_t page = page_number(pa); page <= page_number(pa + count - 1); page++) {
        make_stale(phys, page);
    }
    if (phys->watch != NULL) {
        phys->watch->wrote(phys->watch->arg, pa, count);
    }
    return true;
}

bool phys_copy_out(const struct phys *phys, uint64_t pa, void *bytes, uint64_t count)
{
    if (!is_ram_range(phys, pa, count)) {
        return false;
    }
    if (count != 0) {
        memcpy(bytes, phys_host(phys, pa), count);
    }
    return true;
}
