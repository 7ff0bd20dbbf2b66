/* Random accesses of four harts, close after each other, with caches so small that lines are
 * always on their way out. After each access a checker looks at every line:
 * - a cache that has it exclusive or modified has it alone;
 *   - no cache has it twice, or in a set that is not its own;
 *   - an inclusive L2 has what an L1 has, an exclusive one has not;
 * - a modified line is modified somewhere, or was written to memory. It is run over inclusion,
 * transfer, write policy, prefetching and kinds of memory. */
#define FIXTURE_HARTS 4
#include "tests/sim/mem/memsys_fixture.h"

#include "sim/mem/cache/l1.h"

enum { LINES = 96, STEPS = 6000 };

enum { LEVEL_NON_INCLUSIVE, LEVEL_INCLUSIVE, LEVEL_EXCLUSIVE };

static unsigned state_in(const struct cache *cache, uint64_t pa)
{
    uint32_t frame = cache_find(cache, cache_block(cache, pa));
    return frame == CACHE_NO_FRAME ? CACHE_INVALID : cache->state[frame];
}

static const struct cache *l2(void)
{
    return &sys.shared->level[0].cache;
}

static uint64_t written(void)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < HARTS; i++)
        sum += sys.events[i][EVENT_DRAM_WRITE];
    return sum;
}

/* A line that one cache has alone is in no other. Returns whether it is modified anywhere. */
static bool check_owner(uint64_t pa)
{
    unsigned owners = 0, copies = 0;
    bool is_modified = state_in(l2(), pa) == CACHE_MODIFIED;
    for (unsigned i = 0; i < HARTS; i++) {
        unsigned line = state_in(sys.shared->hart[i].l1d, pa);
        copies += line != CACHE_INVALID;
        owners += line == CACHE_EXCLUSIVE || line == CACHE_MODIFIED;
        is_modified |= line == CACHE_MODIFIED;
    }
    assert_true(owners == 0 || copies == 1);
    return is_modified;
}

static void check_inclusion(uint64_t pa)
{
    bool is_below = state_in(l2(), pa) != CACHE_INVALID, is_above = false;
    for (unsigned i = 0; i < HARTS; i++)
        is_above |= state_in(sys.shared->hart[i].l1d, pa) != CACHE_INVALID ||
                    state_in(sys.shared->hart[i].l1i, pa) != CACHE_INVALID;
    if (sys.config.l2_inclusion == LEVEL_INCLUSIVE)
        assert_true(is_below || !is_above);
    if (sys.config.l2_inclusion == LEVEL_EXCLUSIVE)
        assert_false(is_below && is_above);
}

static void check_caches(void)
{
    assert_true(cache_is_sane(l2()));
    for (unsigned i = 0; i < HARTS; i++)
        assert_true(cache_is_sane(sys.shared->hart[i].l1d) &&
                    cache_is_sane(sys.shared->hart[i].l1i));
}

/* One access, which may be refused. */
static void access(uint64_t draw, uint64_t now)
{
    unsigned hart = draw % HARTS;
    uint64_t pa = A + (draw >> 8) % LINES * LINE + (draw >> 20) % 8 * 8;
    struct mem_change change;
    struct mem_response response = {.ready = now};
    switch ((draw >> 4) % 8) {
    case 0:
        memsys_fetch(sys.mem[hart], pa, now, &response);
        break;
    case 1:
        if (memsys_load_own(sys.mem[hart], PC, pa, now, &response))
            memsys_store(sys.mem[hart], PC, pa, now, &response);
        break;
    case 2: case 3: case 4:
        memsys_store(sys.mem[hart], PC, pa, now, &response);
        break;
    default:
        memsys_load(sys.mem[hart], PC + (draw >> 30) % 4 * 4, pa, now, &response);
    }
    assert_true(response.ready >= now && response.ready < now + 100000);
    while (memsys_next_change(sys.mem[hart], &change))
        ;
}

/* When no cache asks for lines any more, every line comes, and every miss register becomes free. */
static void assert_quiet(uint64_t now)
{
    const struct cache *caches[2 * HARTS + 1] = {l2()};
    for (unsigned i = 0; i < HARTS; i++) {
        caches[2 * i + 1] = sys.shared->hart[i].l1d;
        caches[2 * i + 2] = sys.shared->hart[i].l1i;
    }
    for (unsigned i = 0; i <= 2 * HARTS; i++) {
        for (uint32_t frame = 0; frame < caches[i]->frames; frame++)
            assert_true(caches[i]->ready[frame] <= now);
        for (uint32_t n = 0; n < caches[i]->miss_registers; n++)
            assert_true(caches[i]->pending[n] <= now);
    }
}

static void run(uint64_t seed)
{
    bool was_modified[LINES] = {false};
    uint64_t now = 1000, writes = 0;
    start();
    for (unsigned step = 0; step < STEPS; step++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        now += (seed >> 60) * (step % 512 < 256 ? 1 : 8);
        access(seed >> 12, now);
        unsigned lost = 0;
        for (unsigned line = 0; line < LINES; line++) {
            bool is_modified = check_owner(A + line * LINE);
            check_inclusion(A + line * LINE);
            lost += was_modified[line] && !is_modified;
            was_modified[line] = is_modified;
        }
        assert_true(lost <= written() - writes);
        writes = written();
        if (step % 64 == 0)
            check_caches();
    }
    assert_quiet(now + 1000000);
    assert_true(sys.config.l1d_write != 0 || writes > 100);
}

/* All values of the settings that this fixture varies. */
static void configure(unsigned n)
{
    struct config *config = &sys.config;
    static const unsigned inclusions[] = {LEVEL_NON_INCLUSIVE, LEVEL_INCLUSIVE, LEVEL_EXCLUSIVE};
    config->l2_kib = 4;                                 /* 64 lines for four L1s of 16 + 16 */
    config->l2_inclusion = inclusions[n % 3];
    config->coherence_transfer = n / 3 % 2;
    config->dram_kind = n / 6 % 2;
    config->dram_write_high = n / 6 % 2 * 8;
    config->dram_write_low = n / 6 % 2 * 2;
    config->l1d_prefetch = n / 12 % 2 != 0 ? PREFETCH_STREAM : PREFETCH_NONE;
    config->l1d_prefetch_into = n / 12 % 2;
    config->l1d_replacement = n % 3;
    config->l1d_write = n / 24;
}

static void under_random_accesses_a_line_has_one_owner_and_no_write_is_lost(void **state)
{
    for (unsigned n = 0; n < 30; n++) {
        set_up(state);
        configure(n);
        run(n + 1);
        tear_down(state);
    }
    memset(&sys, 0, sizeof sys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(under_random_accesses_a_line_has_one_owner_and_no_write_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
