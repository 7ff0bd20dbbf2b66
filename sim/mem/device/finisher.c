/* Test finisher ("sifive,test"): a word written to it ends the run. */
#include "sim/mem/device/devices.h"

enum { FINISHER_FAIL = 0x3333, FINISHER_PASS = 0x5555, FINISHER_RESET = 0x7777 };

static bool read_finisher(struct phys_device *device, uint64_t offset, unsigned size,
                          uint64_t *value)
{
    (void)device;
    *value = 0;
    return device_is_aligned(offset, size);
}

/* A failure has its code in the upper half. There is no reset: a request for one ends the run like
 * a pass. */
static bool write_finisher(struct phys_device *device, uint64_t offset, unsigned size,
                           uint64_t value)
{
    struct finisher *finisher = (struct finisher *)device;
    unsigned status = value & 0xffff;
    if (!device_is_aligned(offset, size)) {
        return false;
    }
    if (offset == 0 && size >= 2 &&
        (status == FINISHER_PASS || status == FINISHER_RESET || status == FINISHER_FAIL)) {
        int code = status == FINISHER_FAIL ? (int)(value >> 16 & 0xffff) : 0;
        *finisher->exit = (struct device_exit){true, code};
        finisher->phys->event = true;
    }
    return true;
}

void finisher_init(struct finisher *finisher, struct phys *phys, struct device_exit *exit)
{
    *finisher = (struct finisher){
        .device = {"finisher", FINISHER_BASE, FINISHER_BYTES, read_finisher, write_finisher, NULL},
        .phys = phys,
        .exit = exit,
    };
}
