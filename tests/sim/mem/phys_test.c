/* Physical memory: bytes, windows, page flags, the story of code that is written over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/mem/device/device.h"
#include "sim/mem/translate/mmu.h"
#include "sim/mem/phys_touched.h"

enum { RAM_BYTES = 1 << 20 };
#define RAM_END (PHYS_RAM_BASE + RAM_BYTES)

/* Remembers the last access; refuses single bytes. */
struct recorder {
    struct phys_device device;
    uint64_t offset, value;
    unsigned size;
};

static bool recorder_read(struct phys_device *device, uint64_t offset, unsigned size,
                          uint64_t *value)
{
    struct recorder *recorder = (struct recorder *)device;
    recorder->offset = offset;
    recorder->size = size;
    *value = recorder->value;
    return size != 1;
}

static bool recorder_write(struct phys_device *device, uint64_t offset, unsigned size,
                           uint64_t value)
{
    struct recorder *recorder = (struct recorder *)device;
    recorder->offset = offset;
    recorder->size = size;
    recorder->value = value;
    return size != 1;
}

static struct recorder new_recorder(uint64_t base, uint64_t size)
{
    return (struct recorder){
        .device = {"recorder", base, size, recorder_read, recorder_write, NULL},
    };
}

struct dropped {
    uint64_t pa[8];
    unsigned count;
};

static void drop(void *arg, uint64_t page_pa)
{
    struct dropped *dropped = arg;
    dropped->pa[dropped->count++] = page_pa;
}

static struct dropped take_stale(struct phys *phys)
{
    struct dropped dropped = {0};
    phys_take_stale(phys, drop, &dropped);
    return dropped;
}

static int set_up(void **state)
{
    static struct phys phys;
    *state = &phys;
    return phys_init(&phys, RAM_BYTES) ? 0 : -1;
}

static int tear_down(void **state)
{
    phys_free(*state);
    return 0;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static void memory_is_little_endian_and_starts_as_zero(void **state)
{
    struct phys *phys = *state;
    uint64_t value = 1;
    assert_true(phys_read(phys, PHYS_RAM_BASE + 64, 8, &value));
    assert_int_equal(value, 0);
    assert_true(phys_write(phys, PHYS_RAM_BASE + 64, 8, 0x1122334455667788));
    for (unsigned i = 0; i < 8; i++) {
        assert_true(phys_read(phys, PHYS_RAM_BASE + 64 + i, 1, &value));
        assert_int_equal(value, 0x88 - 0x11 * i);
    }
    assert_true(phys_write(phys, PHYS_RAM_BASE + 66, 2, 0xabcdef));
    assert_true(phys_read(phys, PHYS_RAM_BASE + 64, 8, &value));
    assert_int_equal(value, 0x11223344cdef7788);
}

static void accesses_end_where_memory_ends(void **state)
{
    struct phys *phys = *state;
    uint64_t value;
    assert_true(phys_write(phys, RAM_END - 8, 8, 1));
    assert_false(phys_write(phys, RAM_END - 4, 8, 1));
    assert_false(phys_write(phys, RAM_END, 1, 1));
    assert_false(phys_read(phys, PHYS_RAM_BASE - 1, 1, &value));
    assert_false(phys_read(phys, PHYS_RAM_BASE - 4, 8, &value));
    assert_false(phys_read(phys, 0, 8, &value));
    assert_false(phys_read(phys, UINT64_MAX - 3, 8, &value));
}

static void block_copies_are_all_or_nothing(void **state)
{
    struct phys *phys = *state;
    const char text[] = "across a page border";
    char back[sizeof text];
    uint64_t pa = PHYS_RAM_BASE + PHYS_PAGE_BYTES - 7;
    assert_true(phys_copy_in(phys, pa, text, sizeof text));
    assert_true(phys_copy_out(phys, pa, back, sizeof back));
    assert_string_equal(back, text);
    assert_false(phys_copy_in(phys, RAM_END - 4, text, sizeof text));
    assert_false(phys_copy_out(phys, PHYS_RAM_BASE - 4, back, sizeof back));
    assert_false(phys_copy_in(phys, PHYS_RAM_BASE, text, UINT64_MAX));
    assert_true(phys_copy_in(phys, RAM_END, text, 0));
    uint64_t value;
    assert_true(phys_read(phys, RAM_END - 4, 4, &value));
    assert_int_equal(value, 0);
}

/* ---- devices --------------------------------------------------------------------------------- */

static void a_device_gets_offsets_in_its_window_and_may_refuse(void **state)
{
    struct phys *phys = *state;
    uint64_t value;
    struct recorder high = new_recorder(0x20000, 0x100), low = new_recorder(0x10000, 0x100);
    struct recorder highest = new_recorder(0x30000, 0x100);
    phys_add_device(phys, &high.device);
    phys_add_device(phys, &low.device);
    phys_add_device(phys, &highest.device);
    assert_ptr_equal(phys->devices, &low.device);
    assert_ptr_equal(high.device.next, &highest.device);
    assert_true(phys_write(phys, 0x20010, 4, 77));
    assert_int_equal(high.offset, 0x10);
    assert_int_equal(high.size, 4);
    assert_true(phys_read(phys, 0x20018, 8, &value));
    assert_int_equal(value, 77);
    assert_int_equal(high.offset, 0x18);
    assert_int_equal(low.size, 0);
    assert_false(phys_write(phys, 0x10000, 1, 0));
    assert_int_equal(low.size, 1);
    assert_false(phys_read(phys, 0x100fc, 8, &value));     /* sticks out of the window */
    assert_false(phys_read(phys, 0x15000, 4, &value));
    phys->devices = NULL;
}

static void stores_to_an_htif_page_are_told_and_others_are_not(void **state)
{
    struct phys *phys = *state;
    struct recorder watcher = new_recorder(0, 0);
    phys->htif = &watcher.device;
    phys_set_flags(phys, PHYS_RAM_BASE + 0x2040, 8, PHYS_HTIF);
    phys_write(phys, PHYS_RAM_BASE + 0x1040, 8, 5);
    assert_int_equal(watcher.size, 0);
    phys_write(phys, PHYS_RAM_BASE + 0x2100, 8, 6);
    assert_int_equal(watcher.offset, PHYS_RAM_BASE + 0x2100);
    assert_int_equal(watcher.value, 6);
    phys_clear_flags(phys, PHYS_RAM_BASE + 0x2040, 8, PHYS_HTIF);
    phys_write(phys, PHYS_RAM_BASE + 0x2100, 8, 7);
    assert_int_equal(watcher.value, 6);
    phys->htif = NULL;
}

/* ---- code ------------------------------------------------------------------------------------ */

static void a_store_to_decoded_code_makes_the_page_stale_once(void **state)
{
    struct phys *phys = *state;
    uint64_t page = PHYS_RAM_BASE + 0x3000;
    phys_write(phys, page, 8, 1);
    assert_int_equal(phys->stale_pages, 0);
    phys_mark_code(phys, page + 0x123);
    phys_write(phys, page + 8, 8, 1);
    phys_write(phys, page + 16, 8, 1);
    assert_int_equal(phys->stale_pages, 1);
    assert_int_equal(phys_flags(phys, page), PHYS_STALE);
    struct dropped dropped = take_stale(phys);
    assert_int_equal(dropped.count, 1);
    assert_int_equal(dropped.pa[0], page);
    assert_int_equal(phys_flags(phys, page), 0);
    assert_int_equal(take_stale(phys).count, 0);
}

static void a_page_decoded_again_before_the_fence_is_dropped_as_well(void **state)
{
    struct phys *phys = *state;
    uint64_t page = PHYS_RAM_BASE + 0x3000;
    phys_mark_code(phys, page);
    phys_write(phys, page, 8, 1);
    phys_mark_code(phys, page);
    assert_int_equal(phys_flags(phys, page), PHYS_STALE | PHYS_CODE);
    phys_write(phys, page, 8, 2);
    phys_mark_code(phys, page);
    assert_int_equal(take_stale(phys).count, 1);
    assert_int_equal(phys_flags(phys, page), 0);
}

static void a_block_copy_makes_every_decoded_page_under_it_stale(void **state)
{
    struct phys *phys = *state;
    static const uint8_t bytes[2 * PHYS_PAGE_BYTES];
    for (unsigned i = 4; i < 10; i += 2) {
        phys_mark_code(phys, PHYS_RAM_BASE + i * PHYS_PAGE_BYTES);
    }
    phys_copy_in(phys, PHYS_RAM_BASE + 4 * PHYS_PAGE_BYTES + 4000, bytes, sizeof bytes);
    struct dropped dropped = take_stale(phys);
    assert_int_equal(dropped.count, 2);
    assert_int_equal(dropped.pa[0], PHYS_RAM_BASE + 4 * PHYS_PAGE_BYTES);
    assert_int_equal(dropped.pa[1], PHYS_RAM_BASE + 6 * PHYS_PAGE_BYTES);
    assert_int_equal(phys_flags(phys, PHYS_RAM_BASE + 8 * PHYS_PAGE_BYTES), PHYS_CODE);
}

static void flags_cover_every_page_the_range_touches(void **state)
{
    struct phys *phys = *state;
    uint64_t start = PHYS_RAM_BASE + 0x10ff8;
    phys_set_flags(phys, start, 0x1010, PHYS_MONITOR);
    for (unsigned page = 0xf; page <= 0x14; page++) {
        bool is_inside = page >= 0x10 && page <= 0x12;
        assert_int_equal(phys_flags(phys, PHYS_RAM_BASE + page * PHYS_PAGE_BYTES),
                         is_inside ? PHYS_MONITOR : 0);
    }
    phys_clear_flags(phys, start, 0x1010, PHYS_MONITOR);
    phys_set_flags(phys, start, 0, PHYS_MONITOR);
    assert_int_equal(phys_flags(phys, start), 0);
}

static void pages_that_nothing_touched_are_told_from_those_that_hold_something(void **state)
{
    struct phys *phys = *state;
    const uint64_t pages = phys->ram_bytes >> PHYS_PAGE_BITS;
    uint8_t *touched;

    phys_write(phys, PHYS_RAM_BASE, 1, 1);
    phys_write(phys, PHYS_RAM_BASE + 7 * PHYS_PAGE_BYTES + 4095, 1, 1);
    phys_write(phys, PHYS_RAM_BASE + (pages - 1) * PHYS_PAGE_BYTES, 8, 1);
    touched = phys_touched(phys);
    assert_non_null(touched);
    for (uint64_t page = 0; page < pages; page++) {
        bool is_written = page == 0 || page == 7 || page == pages - 1;

        assert_int_equal(touched[page], is_written);
        if (is_written)
            assert_false(phys_page_is_zero(phys->ram + page * PHYS_PAGE_BYTES));
    }
    free(touched);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(memory_is_little_endian_and_starts_as_zero),
        TEST(accesses_end_where_memory_ends),
        TEST(block_copies_are_all_or_nothing),
        TEST(a_device_gets_offsets_in_its_window_and_may_refuse),
        TEST(stores_to_an_htif_page_are_told_and_others_are_not),
        TEST(a_store_to_decoded_code_makes_the_page_stale_once),
        TEST(a_page_decoded_again_before_the_fence_is_dropped_as_well),
        TEST(a_block_copy_makes_every_decoded_page_under_it_stale),
        TEST(flags_cover_every_page_the_range_touches),
        TEST(pages_that_nothing_touched_are_told_from_those_that_hold_something),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
