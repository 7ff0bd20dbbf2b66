/* A device on the bus: a window of physical addresses with its read and write operations.
 *
 * The window belongs to the device's own structure, which embeds this one first. Reads and writes
 * come with size 1, 2, 4 or 8, inside the window. False: an access the device refuses (wrong size,
 * misaligned), an access fault for the guest. */
#ifndef SIM_MEM_DEVICE_H
#define SIM_MEM_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

struct phys_device {
    const char *name;
    uint64_t base, size;
    bool (*read)(struct phys_device *device, uint64_t offset, unsigned size, uint64_t *value);
    bool (*write)(struct phys_device *device, uint64_t offset, unsigned size, uint64_t value);
    struct phys_device *next;       /* phys's own: in address order */
};

/* True if aligned; devices accept only aligned accesses. size: a power of two. */
static inline bool device_is_aligned(uint64_t offset, unsigned size)
{
    return (offset & (size - 1)) == 0;
}

#endif
