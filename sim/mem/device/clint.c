/* Core-local interruptor: software interrupts, the clock, one comparator a hart. SiFive's layout:
 * msip at 0 + 4 * hart, mtimecmp at 0x4000 + 8 * hart, mtime at 0xbff8. */
#include <string.h>

#include "isa/trap.h"
#include "sim/mem/device/devices.h"

enum { MSIP = 0, MTIMECMP = 0x4000, MTIME = 0xbff8 };

static void drive(struct hart *hart, unsigned irq, bool level)
{
    uint64_t bit = UINT64_C(1) << irq;
    hart->irq_lines = level ? hart->irq_lines | bit : hart->irq_lines & ~bit;
}

void clint_update(struct clint *clint)
{
    for (unsigned i = 0; i < clint->hart_count; i++) {
        drive(clint->harts[i], IRQ_MTI, clint->mtime >= clint->mtimecmp[i]);
        trap_update_timer(clint->harts[i], clint->mtime);
    }
}

/* The doubleword that contains the offset, or NULL. */
static uint64_t *timer_word(struct clint *clint, uint64_t offset)
{
    if (offset - MTIME < 8) {
        return &clint->mtime;
    }
    uint64_t hart = (offset - MTIMECMP) / 8;
    return offset >= MTIMECMP && hart < clint->hart_count ? &clint->mtimecmp[hart] : NULL;
}

static bool is_msip(const struct clint *clint, uint64_t offset)
{
    return offset / 4 < clint->hart_count;
}

/* An absent register reads zero and ignores writes, as in other machines with this layout. */
static bool read_clint(struct phys_device *device, uint64_t offset, unsigned size, uint64_t *value)
{
    struct clint *clint = (struct clint *)device;
    if (size < 4 || !device_is_aligned(offset, size)) {
        return false;
    }
    *value = 0;
    const uint64_t *word = timer_word(clint, offset);
    const uint64_t now = clint_now(clint);
    if (word == &clint->mtime) {
        word = &now;
    }
    if (word != NULL) {
        memcpy(value, (const char *)word + offset % 8, size);
    } else if (is_msip(clint, offset)) {
        *value = clint->harts[offset / 4]->irq_lines >> IRQ_MSI & 1;
    }
    return true;
}

static bool write_clint(struct phys_device *device, uint64_t offset, unsigned size, uint64_t value)
{
    struct clint *clint = (struct clint *)device;
    if (size < 4 || !device_is_aligned(offset, size)) {
        return false;
    }
    uint64_t *word = timer_word(clint, offset);
    if (word != NULL) {
        memcpy((char *)word + offset % 8, &value, size);
        if (word == &clint->mtime) {
            clint->latest = 0;
        }
        clint_update(clint);
    } else if (is_msip(clint, offset)) {
        drive(clint->harts[offset / 4], IRQ_MSI, value & 1);
    }
    return true;
}

uint64_t clint_now(const struct clint *clint)
{
    return clint->now != NULL ? clint->now(clint->now_arg) : clint->mtime;
}

void clint_send(struct clint *clint, unsigned hart)
{
    drive(clint->harts[hart], IRQ_MSI, true);
}

void clint_init(struct clint *clint, struct hart *const *harts, unsigned hart_count)
{
    *clint = (struct clint){
        .device = {"clint", CLINT_BASE, CLINT_BYTES, read_clint, write_clint, NULL},
        .harts = harts,
        .hart_count = hart_count,
    };
    memset(clint->mtimecmp, 0xff, sizeof clint->mtimecmp);     /* no interrupt out of reset */
}
