/* Touched pages of RAM, as Linux shows them in /proc/self/pagemap (proc(5)). */
#include "sim/mem/phys_touched.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { ENTRIES = 512, PRESENT_OR_SWAPPED = 62 };    /* an entry's upper two bits */

/* The entry of the host's page at this address. */
static void note(const struct phys *phys, uint8_t *touched, uintptr_t host_page, size_t host_bytes,
                 uint64_t entry)
{
    const uintptr_t ram = (uintptr_t)phys->ram;

    for (size_t at = 0; at < host_bytes; at += PHYS_PAGE_BYTES)
        if (host_page + at - ram < phys->ram_bytes)
            touched[(host_page + at - ram) >> PHYS_PAGE_BITS] = entry >> PRESENT_OR_SWAPPED != 0;
}

static bool read_touched(const struct phys *phys, uint8_t *touched, int file)
{
    const size_t host_bytes = (size_t)sysconf(_SC_PAGESIZE);
    uint64_t entry[ENTRIES], page = (uintptr_t)phys->ram / host_bytes;
    const uint64_t end = ((uintptr_t)phys->ram + phys->ram_bytes + host_bytes - 1) / host_bytes;

    while (page < end) {
        size_t count = end - page < ENTRIES ? (size_t)(end - page) : ENTRIES;
        ssize_t bytes = pread(file, entry, count * sizeof entry[0],
                              (off_t)(page * sizeof entry[0]));

        if (bytes < (ssize_t)sizeof entry[0])
            return false;
        for (size_t i = 0; i < (size_t)bytes / sizeof entry[0]; i++)
            note(phys, touched, (uintptr_t)(page++ * host_bytes), host_bytes, entry[i]);
    }
    return true;
}

uint8_t *phys_touched(const struct phys *phys)
{
    const size_t pages = (size_t)(phys->ram_bytes >> PHYS_PAGE_BITS);
    uint8_t *touched = calloc(pages + 1, 1);
    int file;

    if (touched == NULL)
        return NULL;
    file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (file < 0 || !read_touched(phys, touched, file))
        memset(touched, 1, pages);
    if (file >= 0)
        close(file);
    return touched;
}
