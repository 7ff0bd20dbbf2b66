/* Three harts, a megabyte and the devices, for the tests of devices; the bus as a guest sees it. */
#ifndef TESTS_SIM_MEM_BOARD_H
#define TESTS_SIM_MEM_BOARD_H

#include <unistd.h>

#include "isa/csr.h"
#include "sim/mem/device/devices.h"

#define BIT(n) (UINT64_C(1) << (n))
enum { HARTS = 3, DIVIDER = 10 };

struct machine {
    struct phys phys;
    struct hart hart[HARTS];
    struct hart *harts[HARTS];
    struct config config;
    struct devices devices;
    struct console console;
    int input;                  /* bytes written here can be read by the guest */
};

static inline int set_up(void **state)
{
    static struct machine m;
    int ends[2];
    m = (struct machine){0};
    m.config.machine_timebase_divider = DIVIDER;
    m.config.machine_clock_mhz = 1000;
    m.config.pmu_ctr_depth = 32;
    *state = &m;
    if (!phys_init(&m.phys, 1 << 20) || pipe(ends) != 0) {
        return -1;
    }
    for (unsigned i = 0; i < HARTS; i++) {
        hart_reset(&m.hart[i], i, 0, 0);
        m.harts[i] = &m.hart[i];
    }
    m.console = (struct console){tmpfile(), tmpfile(), ends[0]};
    m.input = ends[1];
    devices_init(&m.devices, &m.phys, m.harts, HARTS, &m.config, &m.console);
    return 0;
}

static inline int tear_down(void **state)
{
    struct machine *m = *state;
    devices_free(&m->devices);
    phys_free(&m->phys);
    fclose(m->console.out);
    fclose(m->console.err);
    close(m->console.in);
    close(m->input);
    return 0;
}

static inline uint64_t get(struct machine *m, uint64_t pa, unsigned size)
{
    uint64_t value;
    assert_true(phys_read(&m->phys, pa, size, &value));
    return value;
}

static inline void put(struct machine *m, uint64_t pa, unsigned size, uint64_t value)
{
    assert_true(phys_write(&m->phys, pa, size, value));
}

static inline void type(struct machine *m, const char *text)
{
    assert_int_equal(write(m->input, text, strlen(text)), strlen(text));
}

/* All output to the file so far. */
static inline void assert_printed(FILE *file, const char *expected)
{
    char text[256];
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    assert_string_equal(text, expected);
}

static inline bool is_raised(const struct machine *m, unsigned hart, unsigned irq)
{
    return m->hart[hart].irq_lines >> irq & 1;
}

#endif
