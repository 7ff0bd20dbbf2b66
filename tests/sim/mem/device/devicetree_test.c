/* The device tree, read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <libfdt.h>

#include "tests/sim/mem/device/board.h"

#define ISA "rv64" HART_ISA_STRING HART_ISA_PROFILING HART_ISA_RECORDS

static uint32_t cell_of(const void *tree, const char *path, const char *property, unsigned index)
{
    int length = 0;
    const void *value = fdt_getprop(tree, fdt_path_offset(tree, path), property, &length);
    assert_non_null(value);
    assert_in_range(4 * index + 4, 0, length);
    return fdt32_ld((const fdt32_t *)value + index);
}

static const char *text_of(const void *tree, const char *path, const char *property)
{
    const char *value = fdt_getprop(tree, fdt_path_offset(tree, path), property, NULL);
    return value == NULL ? "" : value;
}

static void the_device_tree_says_what_is_there(void **state)
{
    struct machine *m = *state;
    const struct devicetree options = {
        .bootargs = "console=ttyS0",
        .initrd_pa = PHYS_RAM_BASE + 0x1000,
        .initrd_bytes = 0x800,
        .reserved_pa = PHYS_RAM_BASE + 0xf0000,
        .reserved_bytes = 0x10000,
        .below = PHYS_RAM_BASE + 0xf0000,
    };
    uint64_t pa = devicetree_place(&options, &m->devices, &m->config);
    assert_in_range(pa, PHYS_RAM_BASE, options.below - 1);
    assert_int_equal(pa % PHYS_PAGE_BYTES, 0);
    const void *tree = phys_host(&m->phys, pa);
    assert_int_equal(fdt_check_full(tree, options.below - pa), 0);
    assert_in_range(pa + fdt_totalsize(tree), pa, options.below);
    assert_string_equal(text_of(tree, "/chosen", "bootargs"), "console=ttyS0");
    assert_string_equal(text_of(tree, "/chosen", "stdout-path"), "/soc/serial@10000000");
    assert_int_equal(cell_of(tree, "/chosen", "linux,initrd-end", 1), PHYS_RAM_BASE + 0x1800);
    assert_int_equal(cell_of(tree, "/cpus", "timebase-frequency", 0), 100000000);
    assert_int_equal(cell_of(tree, "/memory@80000000", "reg", 3), 1 << 20);
    assert_int_equal(cell_of(tree, "/reserved-memory/monitor@800f0000", "reg", 1), 0x800f0000);
    assert_string_equal(text_of(tree, "/cpus/cpu@2", "riscv,isa"), ISA);
    uint32_t hart1 = cell_of(tree, "/cpus/cpu@1/interrupt-controller", "phandle", 0);
    assert_int_equal(cell_of(tree, "/soc/plic@c000000", "interrupts-extended", 4), hart1);
    assert_int_equal(cell_of(tree, "/soc/plic@c000000", "interrupts-extended", 7), IRQ_SEI);
    assert_int_equal(cell_of(tree, "/soc/clint@2000000", "interrupts-extended", 5), IRQ_MSI);
    assert_int_equal(cell_of(tree, "/soc/serial@10000000", "interrupts", 0), UART_IRQ);
    assert_int_equal(fdt_path_offset(tree, "/cpus/cpu@3"), -FDT_ERR_NOTFOUND);
}

/* The list must spell the same extensions as the string. */
static void the_isa_is_spelled_twice_alike(void **state)
{
    struct machine *m = *state;
    uint64_t pa = devicetree_place(&(struct devicetree){0}, &m->devices, &m->config);
    const void *tree = phys_host(&m->phys, pa);
    int node = fdt_path_offset(tree, "/cpus/cpu@0"), length;
    char spelled[256] = "rv64";
    const char *list = fdt_getprop(tree, node, "riscv,isa-extensions", &length);
    for (const char *name = list; name < list + length; name += strlen(name) + 1) {
        strcat(spelled, strlen(name) > 1 ? "_" : "");
        strcat(spelled, name);
    }
    assert_string_equal(spelled, ISA);
    for (const char *letter = HART_ISA_STRING; *letter != '_'; letter++) {
        assert_true(hart_misa(64) >> (*letter - 'a') & 1);
    }
}

static void the_profiling_window_is_there_when_it_is_set(void **state)
{
    struct machine *m = *state;
    struct config config = m->config;
    uint64_t pa = devicetree_place(&(struct devicetree){0}, &m->devices, &config);
    assert_true(fdt_node_offset_by_compatible(phys_host(&m->phys, pa), -1,
                                              "rvsim,profiling-window") < 0);
    config.pmu_window_base = 0x20000000;
    pa = devicetree_place(&(struct devicetree){0}, &m->devices, &config);
    const void *tree = phys_host(&m->phys, pa);
    assert_string_equal(text_of(tree, "/soc/profiling@20000000", "compatible"),
                        "rvsim,profiling-window");
    assert_int_equal(cell_of(tree, "/soc/profiling@20000000", "reg", 1), 0x20000000);
    assert_int_equal(cell_of(tree, "/soc/profiling@20000000", "reg", 3), 3 * 0x8000);
}

static void a_tree_without_room_is_refused(void **state)
{
    struct machine *m = *state;
    const struct devicetree options = {.below = PHYS_RAM_BASE + 0x100};
    assert_int_equal(devicetree_place(&options, &m->devices, &m->config), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_device_tree_says_what_is_there),
        TEST(the_isa_is_spelled_twice_alike),
        TEST(the_profiling_window_is_there_when_it_is_set),
        TEST(a_tree_without_room_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
