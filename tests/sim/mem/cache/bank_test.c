/* Banks of L2 that accesses come back to. */
#include "tests/sim/mem/memsys_fixture.h"

/* One bank, 4 cycles an access; A and the line after it are in L2. */
static void start_with_one_bank(void)
{
    sys.config.part_bank_cycles = 4;
    start();
    for (unsigned i = 0; i < 2; i++)
        memsys_fetch(sys.mem[1], A + i * LINE, 1000 * i, &sys.response);
}

static void a_hit_comes_back_to_its_bank_to_note_which_cache_has_the_line(void **state)
{
    (void)state;
    sys.config.part_bank_share = 2;
    start_with_one_bank();
    assert_load(A, 5000, 5000 + LOAD + L2, MEM_L2);
    assert_load(A + LINE, 5000 + L2, 5000 + L2 + 2 * 4 + LOAD + L2, MEM_L2);
    ASSERT_EVENT(L2_BANK_WAIT, 1);
}

static void a_miss_comes_back_for_its_place_and_to_fill_it(void **state)
{
    (void)state;
    sys.config.part_bank_place = 1;
    sys.config.part_bank_fill = 3;
    start_with_one_bank();
    assert_load(A + 8 * LINE, 5000, 5000 + LOAD + L2 + DRAM, MEM_DRAM);
    assert_load(A, 5000 + L2, 5000 + L2 + 4 + LOAD + L2, MEM_L2);
    assert_load(A + LINE, 5000 + L2 + DRAM, 5000 + L2 + DRAM + 3 * 4 + LOAD + L2, MEM_L2);
    ASSERT_EVENT(L2_BANK_WAIT, 2);
}

/* Between an access and the one that comes back there is room. */
static void an_access_between_two_uses_of_a_bank_is_served_between_them(void **state)
{
    (void)state;
    sys.config.part_bank_fill = 1;
    start_with_one_bank();
    assert_load(A + 8 * LINE, 5000, 5000 + LOAD + L2 + DRAM, MEM_DRAM);
    assert_load(A, 5000 + 50, 5000 + 50 + LOAD + L2, MEM_L2);
    ASSERT_EVENT(L2_BANK_WAIT, 0);
}

/* Two cycles before: that access is put off, and with it the access that comes then. */
static void the_first_access_to_a_bank_is_served_first(void **state)
{
    enum { FILL = 5000 + L2 + DRAM };
    (void)state;
    sys.config.part_bank_fill = 1;
    start_with_one_bank();
    assert_load(A + 8 * LINE, 5000, FILL + LOAD, MEM_DRAM);
    assert_load(A, FILL - 2, FILL - 2 + LOAD + L2, MEM_L2);
    assert_load(A + LINE, FILL, FILL - 2 + 2 * 4 + LOAD + L2, MEM_L2);
    ASSERT_EVENT(L2_BANK_WAIT, 1);
}

static void a_miss_asks_memory_when_it_has_its_place(void **state)
{
    (void)state;
    sys.config.part_bank_place = 1;
    start_with_one_bank();
    assert_load(A, 5000 + L2, 5000 + L2 + LOAD + L2, MEM_L2);
    assert_load(A + 8 * LINE, 5000, 5000 + LOAD + L2 + 4 + DRAM, MEM_DRAM);
}

static void a_bank_holds_a_limited_number_of_reads(void **state)
{
    (void)state;
    sys.config.part_bank_reads = 1;
    start_with_one_bank();
    assert_load(A, 5000, 5000 + LOAD + L2, MEM_L2);
    assert_load(A + LINE, 5000, 5000 + LOAD + L2 + L2, MEM_L2);
    ASSERT_EVENT(L2_BANK_WAIT, 1);
}

static void an_access_comes_back_before_its_answer_has_arrived(void **state)
{
    (void)state;
    sys.config.part_bank_fill = 3;
    sys.config.part_bank_lead = 4;
    start_with_one_bank();
    assert_load(A + 8 * LINE, 5000, 5000 + LOAD + L2 + DRAM, MEM_DRAM);
    uint64_t back = 5000 + L2 + DRAM - 4;
    assert_load(A + LINE, back, back + 3 * 4 + LOAD + L2, MEM_L2);
    ASSERT_EVENT(L2_BANK_WAIT, 1);
}

static void a_line_is_in_its_bank_before_the_waiting_access_has_it(void **state)
{
    (void)state;
    sys.config.part_bank_reads = 8;
    sys.config.part_bank_look_lead = 5;
    start_with_one_bank();
    memsys_fetch(sys.mem[1], A + 8 * LINE, 5000, &sys.response);
    assert_load(A + 8 * LINE, 5020, 5000 + L2 + DRAM - 5 + L2, MEM_L2);
}

static void a_line_on_its_way_is_looked_for_when_it_is_in(void **state)
{
    (void)state;
    sys.config.part_bank_reads = 8;
    start_with_one_bank();
    memsys_fetch(sys.mem[1], A + 8 * LINE, 5000, &sys.response);
    assert_int_equal(sys.response.ready, 5000 + L2 + DRAM);
    assert_load(A + 8 * LINE, 5020, 5000 + L2 + DRAM + L2, MEM_L2);
    ASSERT_EVENT(L2_BANK_WAIT, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_hit_comes_back_to_its_bank_to_note_which_cache_has_the_line),
        CASE(a_miss_comes_back_for_its_place_and_to_fill_it),
        CASE(an_access_between_two_uses_of_a_bank_is_served_between_them),
        CASE(the_first_access_to_a_bank_is_served_first),
        CASE(a_miss_asks_memory_when_it_has_its_place),
        CASE(a_bank_holds_a_limited_number_of_reads),
        CASE(an_access_comes_back_before_its_answer_has_arrived),
        CASE(a_line_is_in_its_bank_before_the_waiting_access_has_it),
        CASE(a_line_on_its_way_is_looked_for_when_it_is_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
