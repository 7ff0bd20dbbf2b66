/* The memory-mapped profiling registers. */
#include "sim/core/profile/profile_window.h"

#include "pmu/profile.h"

enum { WORD_BYTES = 8, HALF_BYTES = 4, HALF_BITS = 32 };

static bool is_word_or_half(uint64_t offset, unsigned size)
{
    return (size == WORD_BYTES || size == HALF_BYTES) && device_is_aligned(offset, size);
}

static struct cpu *cpu_at(const struct phys_device *device, uint64_t offset)
{
    const struct profile_window *window = (const struct profile_window *)(const void *)device;
    return &window->cpus[offset / PROF_WINDOW_BYTES];
}

static uint64_t index_at(uint64_t offset)
{
    return offset % PROF_WINDOW_BYTES / WORD_BYTES;
}

static unsigned shift_of(uint64_t offset, unsigned size)
{
    return size == HALF_BYTES && offset % WORD_BYTES != 0 ? HALF_BITS : 0;
}

static bool read_word(struct phys_device *device, uint64_t offset, unsigned size, uint64_t *value)
{
    if (!is_word_or_half(offset, size))
        return false;
    *value = profile_register_read(&cpu_at(device, offset)->pmu, index_at(offset)) >>
             shift_of(offset, size);
    if (size == HALF_BYTES)
        *value = (uint32_t)*value;
    return true;
}

static bool write_word(struct phys_device *device, uint64_t offset, unsigned size, uint64_t value)
{
    struct cpu *cpu = cpu_at(device, offset);
    unsigned changed = 0, shift = shift_of(offset, size);

    if (!is_word_or_half(offset, size))
        return false;
    if (size == HALF_BYTES) {
        uint64_t mask = (uint64_t)UINT32_MAX << shift;
        uint64_t old = profile_register_read(&cpu->pmu, index_at(offset));
        value = (old & ~mask) | (value << shift & mask);
    }
    profile_register_write(&cpu->pmu, &cpu->hart, index_at(offset), value, &changed);
    cpu->late_effects |= cpu_profile_effects(cpu, changed);
    return true;
}

void profile_window_init(struct profile_window *window, struct cpu *cpus, unsigned harts,
                         uint64_t base)
{
    *window = (struct profile_window){
        .device = {.name = "profiling", .base = base,
                   .size = (uint64_t)harts * PROF_WINDOW_BYTES,
                   .read = read_word, .write = write_word},
        .cpus = cpus,
        .harts = harts,
    };
}
