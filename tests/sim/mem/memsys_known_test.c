/* Known lines: an access to one answers at once, and would have changed nothing but counts. */
#include "sim/mem/memsys_known.h"
#include "tests/sim/mem/memsys_fixture.h"

enum { STEPS = 30000, LINES = 24 };

static uint32_t seed;

static uint32_t draw(uint32_t below)
{
    seed = seed * UINT32_C(1664525) + UINT32_C(1013904223);
    return (uint32_t)((uint64_t)seed * below >> 32);
}

static void take_changes(unsigned hart)
{
    struct mem_change change;
    while (memsys_next_change(sys.mem[hart], &change))
        continue;
}

/* True if the line was known. */
static bool access_line(unsigned hart, uint64_t pa, uint64_t now, bool is_fetch)
{
    struct memsys *mem = sys.mem[hart];
    const struct known_lines *known = is_fetch ? memsys_known_code(mem) : memsys_known_data(mem);
    static uint64_t counts[HARTS][EVENT_COUNT];
    uint32_t frame = 0, again;
    bool is_known = known_lines_find(known, pa, &frame);
    uint64_t moves = memsys_moves(mem);
    memcpy(counts, sys.events, sizeof counts);
    bool is_answered = is_fetch ? memsys_fetch(mem, pa, now, &sys.response)
                                : load_of(hart, pa, now);
    if (!is_known)
        return false;
    assert_true(known->is_kept);
    assert_true(is_answered);
    assert_int_equal(sys.response.ready, now + known->hit_cycles);
    assert_int_equal(sys.response.level, MEM_L1);
    assert_int_equal(sys.response.frame, frame);
    assert_int_equal(sys.response.block, pa >> known->line_shift << known->line_shift);
    assert_false(sys.response.miss || sys.response.merged || sys.response.filled ||
                 sys.response.changed);
    counts[hart][is_fetch ? EVENT_L1I_ACCESS : EVENT_L1D_READ]++;
    counts[hart][EVENT_L1I_HIT] += is_fetch;
    assert_memory_equal(counts, sys.events, sizeof counts);
    assert_int_equal(memsys_moves(mem), moves);
    assert_true(known_lines_find(known, pa, &again));   /* it still is the set's last one */
    return true;
}

/* Any accesses of two harts, often to a line used before. Returns how many were to known lines. */
static unsigned access_at_random(bool is_fetch)
{
    unsigned known = 0;
    uint64_t now = 1, pa = A;
    start();
    for (unsigned step = 0; step < STEPS; step++) {
        unsigned hart = draw(HARTS), kind = draw(64);
        uint32_t frame;
        now += draw(4) == 0 ? draw(300) : draw(3);
        if (draw(3) == 0)
            pa = A + draw(LINES) * LINE + draw(LINE / 8) * 8;
        if (kind < 6)
            store_of(hart, pa, now);
        else if (kind < 10)
            load_of(hart, pa, now);
        else if (kind == 10)
            memsys_flush_icache(sys.mem[hart]);
        else if (kind == 11)
            memsys_give_up(sys.mem[hart], pa, now);
        else if (kind < 32 && is_fetch)
            memsys_fetch_at_once(sys.mem[hart], pa, now, &frame);
        else
            known += access_line(hart, pa, now, is_fetch);
        if (draw(4) == 0)
            take_changes(hart);
    }
    return known;
}

static void a_known_line_of_data_answers_at_once(void **state)
{
    (void)state;
    assert_true(access_at_random(false) > 1000);
}

static void a_known_line_of_code_answers_at_once(void **state)
{
    (void)state;
    sys.config.l2_inclusion = 1;                /* what L2 loses, both first levels lose */
    sys.config.l2_kib = 2;
    assert_true(access_at_random(true) > 500);
}

static void code_known_to_a_cache_that_blocks_answers_at_once(void **state)
{
    (void)state;
    sys.config.l1i_hit_under_miss = 0;
    assert_true(access_at_random(true) > 500);
}

static void data_known_beside_a_prefetcher_answer_at_once(void **state)
{
    (void)state;
    sys.config.l1d_prefetch = PREFETCH_NEXT_LINE;
    sys.config.l1d_prefetch_into = 1;           /* L1 */
    assert_true(access_at_random(false) > 1000);
}

static void lines_of_every_policy_are_known(void **state)
{
    struct diag diag;
#define REPLACEMENT(id, name, meaning) + 1
    const uint32_t policies = 0
#include "sim/base/replacement.def"
        ;
#undef REPLACEMENT
    for (uint32_t policy = 0; policy < policies; policy++) {
        tear_down(state);
        set_up(state);
        sys.config.l1i_replacement = sys.config.l1d_replacement = policy;
        if (config_check(&sys.config, &diag) != ERR_OK)
            continue;                           /* it needs more sets */
        assert_true(access_at_random(policy % 2 == 0) > 200);
    }
}

static void sets_of_any_number_have_known_lines(void **state)
{
    (void)state;
    sys.config.l1i_kib = 3;
    sys.config.l1i_ways = 16;                   /* three sets */
    assert_true(access_at_random(true) > 200);
}

static void a_cache_with_ports_has_no_known_lines(void **state)
{
    (void)state;
    sys.config.l1d_ports = 1;
    assert_int_equal(access_at_random(false), 0);
    assert_false(memsys_known_data(sys.mem[0])->is_kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_known_line_of_data_answers_at_once),
        CASE(a_known_line_of_code_answers_at_once),
        CASE(code_known_to_a_cache_that_blocks_answers_at_once),
        CASE(data_known_beside_a_prefetcher_answer_at_once),
        CASE(lines_of_every_policy_are_known),
        CASE(sets_of_any_number_have_known_lines),
        CASE(a_cache_with_ports_has_no_known_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
