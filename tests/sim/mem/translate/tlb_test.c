/* Translation lookaside buffers: page sizes, recency, both levels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/mem/translate/tlb.h"

enum { PAGE = 12, MEGAPAGE = 21, GIGAPAGE = 30 };

static struct tlb tlb;
static struct tlb_l2 l2;

static void make(uint32_t entries)
{
    assert_true(tlb_init(&tlb, entries, 0));
}

static void make_l2(uint32_t entries)
{
    assert_true(tlb_l2_init(&l2, entries, 4));
}

static int tear_down(void **state)
{
    (void)state;
    tlb_free(&tlb);
    tlb_l2_free(&l2);
    return 0;
}

static void a_new_buffer_translates_nothing(void **state)
{
    (void)state;
    make(4);
    assert_null(tlb_use(&tlb, 0));
    assert_null(tlb_use(&tlb, UINT64_MAX));
}

static void an_entry_covers_its_page_and_no_byte_more(void **state)
{
    (void)state;
    make(4);
    tlb_fill(&tlb, 0x12345678, PAGE, 0);
    assert_non_null(tlb_use(&tlb, 0x12345000));
    assert_non_null(tlb_use(&tlb, 0x12345fff));
    assert_null(tlb_use(&tlb, 0x12344fff));
    assert_null(tlb_use(&tlb, 0x12346000));
}

static void pages_of_every_size_live_together(void **state)
{
    (void)state;
    make(4);
    tlb_fill(&tlb, UINT64_C(0x40000000), GIGAPAGE, 0);
    tlb_fill(&tlb, UINT64_C(0x80200000), MEGAPAGE, 0);
    tlb_fill(&tlb, UINT64_C(0x80400000), PAGE, 0);
    assert_non_null(tlb_use(&tlb, UINT64_C(0x7fffffff)));
    assert_non_null(tlb_use(&tlb, UINT64_C(0x803fffff)));
    assert_non_null(tlb_use(&tlb, UINT64_C(0x80400fff)));
    assert_null(tlb_use(&tlb, UINT64_C(0x80401000)));
    assert_null(tlb_use(&tlb, UINT64_C(0x801fffff)));
}

static void addresses_of_the_upper_half_are_told_apart_from_the_lower(void **state)
{
    (void)state;
    make(4);
    tlb_fill(&tlb, UINT64_C(0xffffffc000001000), PAGE, 0);
    assert_non_null(tlb_use(&tlb, UINT64_C(0xffffffc000001234)));
    assert_null(tlb_use(&tlb, UINT64_C(0x0000004000001234)));
}

static void the_least_recently_used_entry_is_replaced(void **state)
{
    (void)state;
    make(3);
    for (uint64_t page = 1; page <= 3; page++)
        tlb_fill(&tlb, page << PAGE, PAGE, 0);
    assert_non_null(tlb_use(&tlb, 1 << PAGE));
    tlb_fill(&tlb, 4 << PAGE, PAGE, 0);
    assert_null(tlb_use(&tlb, 2 << PAGE));
    assert_non_null(tlb_use(&tlb, 1 << PAGE));
    assert_non_null(tlb_use(&tlb, 3 << PAGE));
    assert_non_null(tlb_use(&tlb, 4 << PAGE));
}

static void a_buffer_of_one_entry_holds_the_last_page(void **state)
{
    (void)state;
    make(1);
    tlb_fill(&tlb, 0x1000, PAGE, 0);
    tlb_fill(&tlb, 0x2000, PAGE, 0);
    assert_null(tlb_use(&tlb, 0x1000));
    assert_non_null(tlb_use(&tlb, 0x2000));
}

static void an_entry_remembers_when_its_walk_ends(void **state)
{
    (void)state;
    make(2);
    tlb_fill(&tlb, 0x1000, PAGE, 77);
    assert_int_equal(tlb_use(&tlb, 0x1000)->ready, 77);
}

static void a_flush_forgets_everything_and_the_buffer_fills_again(void **state)
{
    (void)state;
    make(2);
    for (unsigned round = 0; round < 3; round++) {
        tlb_fill(&tlb, 0x1000, PAGE, 0);
        tlb_fill(&tlb, UINT64_C(0x40000000), GIGAPAGE, 0);
        tlb_fill(&tlb, 0x3000, PAGE, 0);
        assert_non_null(tlb_use(&tlb, 0x3000));
        tlb_flush(&tlb);
        assert_null(tlb_use(&tlb, 0x3000));
        assert_null(tlb_use(&tlb, UINT64_C(0x40000000)));
    }
}

/* A working set as large as the buffer always hits, one page more never (LRU, in a circle). */
static void capacity_is_exactly_the_number_of_entries(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {2, 32, 48, 1000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        make(sizes[i]);
        for (uint32_t pages = sizes[i]; pages <= sizes[i] + 1; pages++) {
            uint32_t misses = 0;
            tlb_flush(&tlb);
            for (uint64_t n = 0; n < 3u * pages; n++) {
                uint64_t va = n % pages << PAGE;
                if (tlb_use(&tlb, va) == NULL) {
                    misses++;
                    tlb_fill(&tlb, va, PAGE, 0);
                }
            }
            assert_int_equal(misses, pages == sizes[i] ? pages : 3 * pages);
        }
        tlb_free(&tlb);
    }
}

static void with_ways_pages_compete_within_their_set(void **state)
{
    (void)state;
    assert_true(tlb_init(&tlb, 8, 2));          /* four sets of two */
    for (uint64_t page = 0; page < 3; page++)
        tlb_fill(&tlb, page * 4 << PAGE, PAGE, 0);
    tlb_fill(&tlb, 1 << PAGE, PAGE, 0);
    assert_null(tlb_use(&tlb, 0));
    assert_non_null(tlb_use(&tlb, 4 << PAGE));
    assert_non_null(tlb_use(&tlb, 8 << PAGE));
    assert_non_null(tlb_use(&tlb, 1 << PAGE));
    tlb_use(&tlb, 4 << PAGE);
    tlb_fill(&tlb, 12 << PAGE, PAGE, 0);
    assert_null(tlb_use(&tlb, 8 << PAGE));
    assert_non_null(tlb_use(&tlb, 4 << PAGE));
}

/* ---- second level ---------------------------------------------------------------------------- */

static void the_second_level_has_four_ways_with_lru(void **state)
{
    (void)state;
    make_l2(16);
    for (uint64_t page = 0; page < 4; page++)
        tlb_l2_fill(&l2, page * 4 << PAGE, PAGE, 0);
    assert_non_null(tlb_l2_use(&l2, 0, PAGE));
    tlb_l2_fill(&l2, 16 << PAGE, PAGE, 0);
    assert_non_null(tlb_l2_use(&l2, 0, PAGE));
    assert_null(tlb_l2_use(&l2, 4 << PAGE, PAGE));
    assert_non_null(tlb_l2_use(&l2, 8 << PAGE, PAGE));
    assert_non_null(tlb_l2_use(&l2, 12 << PAGE, PAGE));
    assert_non_null(tlb_l2_use(&l2, 16 << PAGE, PAGE));
}

static void the_second_level_tells_page_sizes_apart(void **state)
{
    (void)state;
    make_l2(4);
    tlb_l2_fill(&l2, 0, PAGE, 0);
    assert_null(tlb_l2_use(&l2, 0, MEGAPAGE));
    assert_non_null(tlb_l2_use(&l2, 0, PAGE));
}

static void the_second_level_forgets_on_a_flush(void **state)
{
    (void)state;
    make_l2(4);
    tlb_l2_fill(&l2, 0x1000, PAGE, 0);
    tlb_l2_flush(&l2);
    assert_null(tlb_l2_use(&l2, 0x1000, PAGE));
}

static void a_second_level_of_no_entries_never_hits(void **state)
{
    (void)state;
    make_l2(0);
    tlb_l2_fill(&l2, 0x1000, PAGE, 0);
    assert_null(tlb_l2_use(&l2, 0x1000, PAGE));
    tlb_l2_flush(&l2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_new_buffer_translates_nothing, tear_down),
        cmocka_unit_test_teardown(an_entry_covers_its_page_and_no_byte_more, tear_down),
        cmocka_unit_test_teardown(pages_of_every_size_live_together, tear_down),
        cmocka_unit_test_teardown(addresses_of_the_upper_half_are_told_apart_from_the_lower,
                                  tear_down),
        cmocka_unit_test_teardown(the_least_recently_used_entry_is_replaced, tear_down),
        cmocka_unit_test_teardown(a_buffer_of_one_entry_holds_the_last_page, tear_down),
        cmocka_unit_test_teardown(an_entry_remembers_when_its_walk_ends, tear_down),
        cmocka_unit_test_teardown(a_flush_forgets_everything_and_the_buffer_fills_again,
                                  tear_down),
        cmocka_unit_test_teardown(capacity_is_exactly_the_number_of_entries, tear_down),
        cmocka_unit_test_teardown(with_ways_pages_compete_within_their_set, tear_down),
        cmocka_unit_test_teardown(the_second_level_has_four_ways_with_lru, tear_down),
        cmocka_unit_test_teardown(the_second_level_tells_page_sizes_apart, tear_down),
        cmocka_unit_test_teardown(the_second_level_forgets_on_a_flush, tear_down),
        cmocka_unit_test_teardown(a_second_level_of_no_entries_never_hits, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
