/* Platform-level interrupt controller: level-sensitive sources, two contexts (M, S) a hart.
 *
 * Guarantees that a source is pending while its line is high and no context has claimed it, and
 * that the source can be pending again when a claim is completed. Source: RISC-V PLIC specification
 * 1.0.0. */
#include "sim/mem/device/devices.h"

enum { PRIORITY = 0, PENDING = 0x1000, ENABLE = 0x2000, CONTEXT = 0x200000 };
enum { ENABLE_STRIDE = 0x80, CONTEXT_STRIDE = 0x1000, PRIORITY_MAX = 7 };

static uint32_t pending(const struct plic *plic)
{
    return plic->level & ~plic->claimed;
}

/* The pending source of the highest priority above the threshold, lowest number first; 0 = none. */
static unsigned best_source(const struct plic *plic, unsigned context, uint32_t threshold)
{
    uint32_t candidates = pending(plic) & plic->enable[context];
    unsigned best = 0;
    uint32_t best_priority = threshold;
    for (unsigned source = 1; source < PLIC_SOURCES; source++) {
        if ((candidates >> source & 1) && plic->priority[source] > best_priority) {
            best = source;
            best_priority = plic->priority[source];
        }
    }
    return best;
}

static void drive_lines(struct plic *plic)
{
    for (unsigned context = 0; context < plic->contexts; context++) {
        struct hart *hart = plic->harts[context / 2];
        uint64_t bit = UINT64_C(1) << (context % 2 == 0 ? IRQ_MEI : IRQ_SEI);
        bool level = best_source(plic, context, plic->threshold[context]) != 0;
        hart->irq_lines = level ? hart->irq_lines | bit : hart->irq_lines & ~bit;
    }
}

/* A claim ignores the threshold, but never yields a source of priority 0. */
static uint32_t claim(struct plic *plic, unsigned context)
{
    unsigned source = best_source(plic, context, 0);
    plic->claimed |= UINT32_C(1) << source;
    plic->claimed &= ~UINT32_C(1);
    drive_lines(plic);
    return source;
}

static void complete(struct plic *plic, unsigned context, uint32_t source)
{
    if (source < PLIC_SOURCES && (plic->enable[context] >> source & 1)) {
        plic->claimed &= ~(UINT32_C(1) << source);
        drive_lines(plic);
    }
}

void plic_set_level(struct plic *plic, unsigned source, bool level)
{
    uint32_t bit = UINT32_C(1) << source;
    uint32_t now = level ? plic->level | bit : plic->level & ~bit;
    if (now != plic->level) {
        plic->level = now;
        drive_lines(plic);
    }
}

/* Registers that are plain words; NULL = no such register. Absent sources and contexts read zero
 * and ignore writes. */
static uint32_t *register_at(struct plic *plic, uint64_t offset, uint32_t *writable)
{
    if (offset >= CONTEXT) {
        uint64_t context = (offset - CONTEXT) / CONTEXT_STRIDE;
        *writable = PRIORITY_MAX;
        return context < plic->contexts && offset % CONTEXT_STRIDE == 0
                   ? &plic->threshold[context] : NULL;
    }
    if (offset >= ENABLE) {
        uint64_t context = (offset - ENABLE) / ENABLE_STRIDE;
        *writable = ~UINT32_C(1);
        return context < plic->contexts && offset % ENABLE_STRIDE == 0
                   ? &plic->enable[context] : NULL;
    }
    *writable = PRIORITY_MAX;
    return offset >= 4 && offset / 4 < PLIC_SOURCES ? &plic->priority[offset / 4] : NULL;
}

static bool is_claim(const struct plic *plic, uint64_t offset, unsigned *context)
{
    *context = (unsigned)((offset - CONTEXT) / CONTEXT_STRIDE);
    return offset >= CONTEXT && offset % CONTEXT_STRIDE == 4 && *context < plic->contexts;
}

static bool read_plic(struct phys_device *device, uint64_t offset, unsigned size, uint64_t *value)
{
    struct plic *plic = (struct plic *)device;
    unsigned context;
    uint32_t writable;
    if (size != 4 || !device_is_aligned(offset, size)) {
        return false;
    }
    if (is_claim(plic, offset, &context)) {
        *value = claim(plic, context);
    } else if (offset == PENDING) {
        *value = pending(plic);
    } else {
        const uint32_t *word = register_at(plic, offset, &writable);
        *value = word == NULL ? 0 : *word;
    }
    return true;
}

static bool write_plic(struct phys_device *device, uint64_t offset, unsigned size, uint64_t value)
{
    struct plic *plic = (struct plic *)device;
    unsigned context;
    uint32_t writable;
    if (size != 4 || !device_is_aligned(offset, size)) {
        return false;
    }
    if (is_claim(plic, offset, &context)) {
        complete(plic, context, (uint32_t)value);
        return true;
    }
    uint32_t *word = register_at(plic, offset, &writable);
    if (word != NULL) {
        *word = (uint32_t)value & writable;
        drive_lines(plic);
    }
    return true;
}

void plic_init(struct plic *plic, struct hart *const *harts, unsigned hart_count)
{
    *plic = (struct plic){
        .device = {"plic", PLIC_BASE, PLIC_BYTES, read_plic, write_plic, NULL},
        .harts = harts,
        .contexts = 2 * hart_count,
    };
}
