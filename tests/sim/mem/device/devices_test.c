/* Clock, interrupt controllers and serial port through the bus. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/sim/mem/device/board.h"

/* ---- CLINT ----------------------------------------------------------------------------------- */

static void time_advances_with_cycles_and_keeps_the_remainder(void **state)
{
    struct machine *m = *state;
    for (unsigned i = 0; i < 25; i++) {
        devices_tick(&m->devices, 3);
    }
    assert_int_equal(get(m, CLINT_BASE + 0xbff8, 8), 7);
    devices_tick(&m->devices, 4);
    assert_int_equal(get(m, CLINT_BASE + 0xbff8, 8), 7);
    devices_tick(&m->devices, 1);
    assert_int_equal(get(m, CLINT_BASE + 0xbff8, 8), 8);
    put(m, CLINT_BASE + 0xbffc, 4, 5);
    assert_int_equal(m->devices.clint.mtime, UINT64_C(5) << 32 | 8);
    assert_int_equal(get(m, CLINT_BASE + 0xbffc, 4), 5);
}

static void the_time_between_ticks_never_goes_back_unless_the_clock_is_set(void **state)
{
    struct machine *m = *state;
    devices_tick(&m->devices, 7 * DIVIDER + 4);
    assert_int_equal(devices_time(&m->devices, 0), 7);
    assert_int_equal(devices_time(&m->devices, DIVIDER - 4), 8);
    assert_int_equal(devices_time(&m->devices, DIVIDER - 5), 8);
    assert_int_equal(m->devices.clint.mtime, 7);
    put(m, CLINT_BASE + 0xbff8, 8, 2);
    assert_int_equal(devices_time(&m->devices, DIVIDER), 3);
}

static void each_hart_has_its_comparator(void **state)
{
    struct machine *m = *state;
    assert_int_equal(get(m, CLINT_BASE + 0x4008, 8), UINT64_MAX);
    put(m, CLINT_BASE + 0x4008, 8, 5);
    devices_tick(&m->devices, 4 * DIVIDER);
    assert_false(is_raised(m, 1, IRQ_MTI));
    devices_tick(&m->devices, DIVIDER);
    assert_true(is_raised(m, 1, IRQ_MTI));
    assert_false(is_raised(m, 0, IRQ_MTI) || is_raised(m, 2, IRQ_MTI));
    put(m, CLINT_BASE + 0x4008, 4, 6);
    assert_false(is_raised(m, 1, IRQ_MTI));
    assert_int_equal(get(m, CLINT_BASE + 0x4008, 4), 6);
}

static void software_interrupts_reach_their_hart(void **state)
{
    struct machine *m = *state;
    put(m, CLINT_BASE + 4 * 2, 4, UINT32_MAX);
    assert_true(is_raised(m, 2, IRQ_MSI));
    assert_false(is_raised(m, 1, IRQ_MSI));
    assert_int_equal(get(m, CLINT_BASE + 8, 4), 1);
    put(m, CLINT_BASE + 4 * 2, 4, 0);
    assert_false(is_raised(m, 2, IRQ_MSI));
    put(m, CLINT_BASE + 4 * HARTS, 4, 1);       /* no such hart */
    assert_int_equal(get(m, CLINT_BASE + 4 * HARTS, 4), 0);
    uint64_t value;
    assert_false(phys_read(&m->phys, CLINT_BASE, 1, &value));
    assert_false(phys_read(&m->phys, CLINT_BASE + 0x4004, 8, &value));
}

/* Ticking one cycle at a time, a line must rise exactly when the prediction said. */
static void the_next_event_is_predicted_to_the_cycle(void **state)
{
    struct machine *m = *state;
    m->devices.console.in = -1;
    assert_int_equal(devices_next_event(&m->devices), UINT64_MAX);
    devices_tick(&m->devices, 7);
    put(m, CLINT_BASE + 0x4000, 8, 9);
    put(m, CLINT_BASE + 0x4010, 8, 4);
    m->hart[0].stimecmp = 5;                    /* not switched on */
    m->hart[1].menvcfg = MENVCFG_STCE;
    m->hart[1].stimecmp = 6;
    static const struct {
        unsigned hart, irq;
    } order[] = {{2, IRQ_MTI}, {1, IRQ_STI}, {0, IRQ_MTI}};
    for (unsigned i = 0; i < 3; i++) {
        uint64_t cycles = devices_next_event(&m->devices);
        devices_tick(&m->devices, cycles - 1);
        assert_false(is_raised(m, order[i].hart, order[i].irq));
        devices_tick(&m->devices, 1);
        assert_true(is_raised(m, order[i].hart, order[i].irq));
    }
    assert_int_equal(devices_next_event(&m->devices), UINT64_MAX);
}

static void waiting_for_input_is_an_event(void **state)
{
    struct machine *m = *state;
    put(m, UART_BASE + 1, 1, 1);
    put(m, PLIC_BASE + 4 * UART_IRQ, 4, 1);
    put(m, PLIC_BASE + 0x2000, 4, BIT(UART_IRQ));
    devices_tick(&m->devices, DIVIDER);
    type(m, "x");
    uint64_t cycles = devices_next_event(&m->devices);
    assert_in_range(cycles, 1, 1000000);
    devices_tick(&m->devices, cycles);
    assert_true(is_raised(m, 0, IRQ_MEI));
}

/* ---- PLIC ------------------------------------------------------------------------------------ */

static void the_highest_priority_above_the_threshold_is_claimed_first(void **state)
{
    struct machine *m = *state;
    struct plic *plic = &m->devices.plic;
    uint64_t context = 3, registers = PLIC_BASE + 0x200000 + context * 0x1000;  /* hart 1, S */
    put(m, PLIC_BASE + 4 * 3, 4, 2);
    put(m, PLIC_BASE + 4 * 5, 4, 6);
    put(m, PLIC_BASE + 4 * 7, 4, 6);
    put(m, PLIC_BASE + 4 * 9, 4, 0);
    put(m, PLIC_BASE + 0x2000 + context * 0x80, 4, BIT(3) | BIT(5) | BIT(7) | BIT(9));
    for (unsigned source = 3; source <= 9; source += 2) {
        plic_set_level(plic, source, true);
    }
    assert_true(is_raised(m, 1, IRQ_SEI));
    assert_false(is_raised(m, 1, IRQ_MEI) || is_raised(m, 0, IRQ_SEI));
    assert_int_equal(get(m, PLIC_BASE + 0x1000, 4), BIT(3) | BIT(5) | BIT(7) | BIT(9));
    assert_int_equal(get(m, registers + 4, 4), 5);
    assert_int_equal(get(m, registers + 4, 4), 7);
    put(m, registers, 4, 2);
    assert_false(is_raised(m, 1, IRQ_SEI));     /* 3 is not above the threshold */
    put(m, registers, 4, 1);
    assert_true(is_raised(m, 1, IRQ_SEI));
    assert_int_equal(get(m, registers + 4, 4), 3);
    assert_int_equal(get(m, registers + 4, 4), 0);      /* priority 0 never interrupts */
    assert_false(is_raised(m, 1, IRQ_SEI));
}

static void a_level_stays_pending_until_the_device_is_served(void **state)
{
    struct machine *m = *state;
    struct plic *plic = &m->devices.plic;
    uint64_t claim = PLIC_BASE + 0x200004;
    put(m, PLIC_BASE + 4 * 4, 4, 1);
    put(m, PLIC_BASE + 0x2000, 4, BIT(4));
    plic_set_level(plic, 4, true);
    assert_int_equal(get(m, claim, 4), 4);
    assert_false(is_raised(m, 0, IRQ_MEI));
    put(m, claim, 4, 4);
    assert_true(is_raised(m, 0, IRQ_MEI));      /* the line is still high */
    assert_int_equal(get(m, claim, 4), 4);
    put(m, PLIC_BASE + 0x2000, 4, 0);
    put(m, claim, 4, 4);                        /* not enabled here: not completed */
    put(m, PLIC_BASE + 0x2000, 4, BIT(4));
    assert_false(is_raised(m, 0, IRQ_MEI));
    plic_set_level(plic, 4, false);
    put(m, claim, 4, 4);
    assert_false(is_raised(m, 0, IRQ_MEI));
    plic_set_level(plic, 4, true);
    assert_true(is_raised(m, 0, IRQ_MEI));
}

static void plic_registers_keep_only_what_exists(void **state)
{
    struct machine *m = *state;
    put(m, PLIC_BASE + 0x2000, 4, UINT32_MAX);
    assert_int_equal(get(m, PLIC_BASE + 0x2000, 4), UINT32_MAX - 1);
    put(m, PLIC_BASE + 0, 4, 7);
    assert_int_equal(get(m, PLIC_BASE + 0, 4), 0);
    put(m, PLIC_BASE + 4 * PLIC_SOURCES, 4, 7);
    assert_int_equal(get(m, PLIC_BASE + 4 * PLIC_SOURCES, 4), 0);
    put(m, PLIC_BASE + 0x200000 + 2 * HARTS * 0x1000, 4, 7);
    assert_int_equal(get(m, PLIC_BASE + 0x200000 + 2 * HARTS * 0x1000, 4), 0);
    put(m, PLIC_BASE + 4, 4, UINT32_MAX);
    assert_int_equal(get(m, PLIC_BASE + 4, 4), 7);
    uint64_t value;
    assert_false(phys_read(&m->phys, PLIC_BASE + 4, 8, &value));
    assert_false(phys_read(&m->phys, PLIC_BASE + 6, 4, &value));
}

/* ---- UART ------------------------------------------------------------------------------------ */

static void the_serial_port_prints_and_reads(void **state)
{
    struct machine *m = *state;
    assert_int_equal(get(m, UART_BASE + 5, 1), 0x60);
    put(m, UART_BASE, 1, 'h');
    put(m, UART_BASE, 1, 'i');
    assert_printed(m->console.out, "hi");
    type(m, "abc");
    for (const char *expected = "abc"; *expected != '\0'; expected++) {
        assert_int_equal(get(m, UART_BASE + 5, 1), 0x61);
        assert_int_equal(get(m, UART_BASE, 1), *expected);
    }
    assert_int_equal(get(m, UART_BASE + 5, 1), 0x60);
}

static void divisor_and_scratch_do_not_disturb_the_data(void **state)
{
    struct machine *m = *state;
    put(m, UART_BASE + 3, 1, 0x83);
    put(m, UART_BASE, 1, 0x12);
    put(m, UART_BASE + 1, 1, 0x34);
    assert_int_equal(get(m, UART_BASE, 1), 0x12);
    assert_int_equal(get(m, UART_BASE + 1, 1), 0x34);
    put(m, UART_BASE + 3, 1, 3);
    assert_int_equal(get(m, UART_BASE + 1, 1), 0);
    put(m, UART_BASE + 7, 1, 0x5a);
    assert_int_equal(get(m, UART_BASE + 7, 1), 0x5a);
    assert_printed(m->console.out, "");
}

static void serial_interrupts_identify_themselves(void **state)
{
    struct machine *m = *state;
    put(m, PLIC_BASE + 4 * UART_IRQ, 4, 1);
    put(m, PLIC_BASE + 0x2000, 4, BIT(UART_IRQ));
    assert_int_equal(get(m, UART_BASE + 2, 1), 1);
    put(m, UART_BASE + 2, 1, 1);
    assert_int_equal(get(m, UART_BASE + 2, 1), 0xc1);
    put(m, UART_BASE + 1, 1, 3);
    assert_true(is_raised(m, 0, IRQ_MEI));
    type(m, "z");
    uart_poll(&m->devices.uart);
    assert_int_equal(get(m, UART_BASE + 2, 1), 0xc4);      /* received data comes first */
    assert_int_equal(get(m, UART_BASE, 1), 'z');
    assert_int_equal(get(m, UART_BASE + 2, 1), 0xc2);      /* transmitter empty, now acknowledged */
    assert_int_equal(get(m, UART_BASE + 2, 1), 0xc1);
    assert_int_equal(get(m, PLIC_BASE + 0x200004, 4), 0);
    assert_false(is_raised(m, 0, IRQ_MEI));
    put(m, UART_BASE, 1, '!');
    assert_int_equal(get(m, PLIC_BASE + 0x200004, 4), UART_IRQ);
}

static void loop_back_returns_data_and_modem_lines(void **state)
{
    struct machine *m = *state;
    assert_int_equal(get(m, UART_BASE + 6, 1), 0xb0);
    put(m, UART_BASE + 4, 1, 0x1a);
    assert_int_equal(get(m, UART_BASE + 6, 1), 0x90);      /* RTS as CTS, OUT2 as DCD */
    put(m, UART_BASE, 1, 'q');
    assert_int_equal(get(m, UART_BASE + 5, 1), 0x61);
    assert_int_equal(get(m, UART_BASE, 1), 'q');
    assert_printed(m->console.out, "");
}

static void the_receive_fifo_holds_sixteen_and_loses_nothing_on_the_host(void **state)
{
    struct machine *m = *state;
    const char *text = "the quick brown fox jumps";
    put(m, UART_BASE + 2, 1, 1);
    type(m, text);
    uart_poll(&m->devices.uart);
    assert_int_equal(m->devices.uart.fifo_length, UART_FIFO);
    for (size_t i = 0; i < strlen(text); i++) {
        assert_int_equal(get(m, UART_BASE + 5, 1), 0x61);
        assert_int_equal(get(m, UART_BASE, 1), text[i]);
    }
    type(m, "gone");
    uart_poll(&m->devices.uart);
    put(m, UART_BASE + 2, 1, 3);
    assert_int_equal(get(m, UART_BASE + 5, 1), 0x60);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(time_advances_with_cycles_and_keeps_the_remainder),
        TEST(the_time_between_ticks_never_goes_back_unless_the_clock_is_set),
        TEST(each_hart_has_its_comparator),
        TEST(software_interrupts_reach_their_hart),
        TEST(the_next_event_is_predicted_to_the_cycle),
        TEST(waiting_for_input_is_an_event),
        TEST(the_highest_priority_above_the_threshold_is_claimed_first),
        TEST(a_level_stays_pending_until_the_device_is_served),
        TEST(plic_registers_keep_only_what_exists),
        TEST(the_serial_port_prints_and_reads),
        TEST(divisor_and_scratch_do_not_disturb_the_data),
        TEST(serial_interrupts_identify_themselves),
        TEST(loop_back_returns_data_and_modem_lines),
        TEST(the_receive_fifo_holds_sixteen_and_loses_nothing_on_the_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
