/* MESI between data caches: times, events, and random accesses against a model of its own. */
#define FIXTURE_HARTS 4
#include "tests/sim/mem/memsys_fixture.h"

#include "sim/mem/cache/memshared.h"

enum { LINES = 16 };            /* as many as L1D has, so that nothing is replaced */

static uint64_t event_of(unsigned hart, unsigned event)
{
    return sys.events[hart][event];
}

static unsigned state_of(unsigned hart, uint64_t pa)
{
    const struct cache *l1d = sys.shared->hart[hart].l1d;
    uint32_t frame = cache_find(l1d, cache_block(l1d, pa));
    return frame == CACHE_NO_FRAME ? CACHE_INVALID : l1d->state[frame];
}

static bool own_of(unsigned hart, uint64_t pa, uint64_t now)
{
    return memsys_load_own(sys.mem[hart], PC, pa, now, &sys.response);
}

/* ---- times ----------------------------------------------------------------------------------- */

static void an_exclusive_line_comes_from_its_owner(void **state)
{
    (void)state;
    start();
    load_of(1, A, 0);
    assert_int_equal(state_of(1, A), CACHE_EXCLUSIVE);
    assert_load(A, 1000, 1000 + LOAD + TRANSFER, MEM_L2 | MEM_PEER);
    assert_int_equal(state_of(0, A), CACHE_SHARED);
    assert_int_equal(state_of(1, A), CACHE_SHARED);
    ASSERT_EVENT(L2_ACCESS, 0);
    ASSERT_EVENT(TRANSFER_IN, 1);
    assert_int_equal(event_of(1, EVENT_TRANSFER_OUT), 1);
    assert_int_equal(event_of(1, EVENT_L1D_WRITEBACK), 0);
}

static void a_modified_line_that_is_read_is_written_back_as_well(void **state)
{
    (void)state;
    start();
    store_of(1, A, 0);
    assert_load(A, 1000, 1000 + LOAD + TRANSFER, MEM_L2 | MEM_PEER);
    assert_int_equal(state_of(1, A), CACHE_SHARED);
    assert_int_equal(event_of(1, EVENT_L1D_WRITEBACK), 1);
}

static void a_modified_line_that_is_written_moves_as_it_is(void **state)
{
    (void)state;
    start();
    store_of(1, A, 0);
    assert_true(own_of(0, A, 1000));
    assert_int_equal(sys.response.ready, 1000 + LOAD + TRANSFER);
    assert_int_equal(state_of(0, A), CACHE_MODIFIED);
    assert_int_equal(state_of(1, A), CACHE_INVALID);
    assert_int_equal(event_of(1, EVENT_L1D_WRITEBACK), 0);
    assert_int_equal(event_of(1, EVENT_INVALIDATION_RECEIVED), 1);
    ASSERT_EVENT(INVALIDATION_SENT, 1);
    ASSERT_EVENT(UPGRADE, 0);
}

static void through_l2_the_line_is_written_back_and_then_read(void **state)
{
    (void)state;
    sys.config.coherence_transfer = 1;
    start();
    store_of(1, A, 0);
    assert_load(A, 1000, 1000 + LOAD + TRANSFER + L2, MEM_L2 | MEM_PEER);
    ASSERT_EVENT(L2_ACCESS, 1);
    ASSERT_EVENT(TRANSFER_IN, 1);
    store_of(2, A + LINE, 2000);
    assert_true(own_of(0, A + LINE, 3000));
    assert_int_equal(sys.response.ready, 3000 + LOAD + TRANSFER + L2);
    assert_int_equal(state_of(0, A + LINE), CACHE_EXCLUSIVE);
    assert_int_equal(event_of(2, EVENT_L1D_WRITEBACK), 1);
}

static void a_shared_line_comes_from_l2(void **state)
{
    (void)state;
    start();
    load_of(1, A, 0);
    load_of(2, A, 1000);
    assert_load(A, 2000, 2000 + LOAD + L2, MEM_L2);
    ASSERT_EVENT(TRANSFER_IN, 0);
    assert_true(own_of(3, A, 3000));        /* but to a writer when the others have given it up */
    assert_int_equal(sys.response.ready, 3000 + LOAD + INVALIDATE);
    assert_int_equal(event_of(3, EVENT_INVALIDATION_SENT), 3);
}

static void a_store_to_a_shared_line_waits_until_the_others_gave_it_up(void **state)
{
    (void)state;
    start();
    load_of(0, A, 0);
    load_of(1, A, 1000);
    assert_false(store_of(0, A, 2000));
    assert_int_equal(state_of(1, A), CACHE_INVALID);
    assert_false(store_of(0, A, 2000 + INVALIDATE - 1));
    assert_load(A + 8, 2010, 2010 + LOAD, MEM_L1);      /* the line can be read meanwhile */
    assert_true(store_of(0, A, 2000 + INVALIDATE));
    assert_true(store_of(0, A + 8, 2001 + INVALIDATE));
    assert_int_equal(state_of(0, A), CACHE_MODIFIED);
    ASSERT_EVENT(UPGRADE, 1);
    ASSERT_EVENT(INVALIDATION_SENT, 1);
    ASSERT_EVENT(L1D_WRITE, 2);
}

static void a_shared_line_that_nobody_else_has_any_more_is_asked_for_too(void **state)
{
    (void)state;
    start();
    load_of(0, A, 0);
    load_of(1, A, 1000);
    for (unsigned i = 1; i <= 2; i++)
        load_of(1, A + i * 8 * LINE, 1000 + 1000 * i);
    assert_int_equal(state_of(1, A), CACHE_INVALID);
    assert_false(store_of(0, A, 5000));
    assert_true(store_of(0, A, 5000 + INVALIDATE));
    ASSERT_EVENT(UPGRADE, 1);
    ASSERT_EVENT(INVALIDATION_SENT, 0);
}

static void an_exclusive_line_becomes_modified_without_a_word(void **state)
{
    (void)state;
    start();
    load_of(0, A, 0);
    assert_true(store_of(0, A, 1000));
    assert_int_equal(state_of(0, A), CACHE_MODIFIED);
    ASSERT_EVENT(UPGRADE, 0);
}

static void a_request_after_an_upgrade_waits_for_it_and_the_store_is_done(void **state)
{
    (void)state;
    start();
    load_of(0, A, 0);
    load_of(1, A, 1000);
    assert_false(store_of(0, A, 2000));
    assert_true(own_of(1, A, 2001));
    assert_int_equal(sys.response.ready, 2000 + INVALIDATE + TRANSFER);
    assert_int_equal(state_of(0, A), CACHE_INVALID);
    assert_true(store_of(0, A, 2000 + INVALIDATE));
    assert_int_equal(state_of(0, A), CACHE_INVALID);
    assert_int_equal(state_of(1, A), CACHE_MODIFIED);
    assert_true(store_of(0, A, 3000));                  /* the next one misses */
    assert_true(sys.response.miss);
}

static void an_atomic_that_hits_a_shared_line_waits_for_the_others(void **state)
{
    (void)state;
    start();
    load_of(0, A, 0);
    load_of(1, A, 1000);
    assert_true(own_of(0, A, 2000));
    assert_int_equal(sys.response.ready, 2000 + INVALIDATE);
    assert_true(store_of(0, A, 2000));
    assert_int_equal(state_of(0, A), CACHE_MODIFIED);
    ASSERT_EVENT(UPGRADE, 1);
}

static void written_through_lines_are_shared_and_taken_too(void **state)
{
    (void)state;
    sys.config.l1d_write = 1;
    start();
    load_of(0, A, 0);
    load_of(1, A, 1000);
    assert_false(store_of(0, A, 2000));
    assert_true(store_of(0, A, 2000 + INVALIDATE));
    assert_int_equal(state_of(0, A), CACHE_EXCLUSIVE);
    assert_int_equal(state_of(1, A), CACHE_INVALID);
    assert_true(load_of(1, A, 3000));
    assert_int_equal(sys.response.ready, 3000 + LOAD + TRANSFER);
    assert_int_equal(event_of(0, EVENT_L1D_WRITEBACK), 0);
}

/* ---- a model --------------------------------------------------------------------------------- */

/* MESI as the textbook has it, on whole lines, with the time of each access. */
struct model {
    char state[LINES][HARTS];           /* 'M', 'E', 'S', 'I' */
    bool in_l2[LINES];
    unsigned upgrades[HARTS], taken[HARTS], took[HARTS], in[HARTS], out[HARTS], back[HARTS];
};

/* The other caches see the access. Returns whether one of them had the line alone. */
static bool tell(struct model *model, unsigned line, unsigned hart, bool is_write, bool is_direct,
                 bool *is_found)
{
    bool alone = false;
    *is_found = false;
    for (unsigned i = 0; i < HARTS; i++) {
        char *other = &model->state[line][i];
        if (i == hart || *other == 'I')
            continue;
        *is_found = true;
        alone |= *other != 'S';
        model->in[hart] += *other != 'S';
        model->out[i] += *other != 'S';
        model->back[i] += *other == 'M' && !(is_write && is_direct);
        model->taken[i] += is_write;
        model->took[hart] += is_write;
        *other = is_write ? 'I' : 'S';
    }
    return alone;
}

/* Returns the time from the access to the value, or to the end of the store's wait. */
static unsigned expect(struct model *model, unsigned line, unsigned hart, bool is_write,
                       bool is_direct)
{
    char *mine = &model->state[line][hart];
    bool is_found, was_alone;
    if (*mine != 'I' && !(is_write && *mine == 'S')) {
        *mine = is_write ? 'M' : *mine;
        return LOAD;
    }
    bool is_upgrade = *mine == 'S';
    was_alone = tell(model, line, hart, is_write, is_direct, &is_found);
    model->upgrades[hart] += is_upgrade;
    *mine = is_write ? 'M' : is_found ? 'S' : 'E';
    if (is_upgrade)
        return INVALIDATE;
    unsigned after = L2 + (model->in_l2[line] ? 0 : DRAM);
    model->in_l2[line] = true;
    if (was_alone)
        return LOAD + TRANSFER + (is_direct ? 0 : L2);
    return LOAD + (is_write && is_found && after < INVALIDATE ? INVALIDATE : after);
}

static void compare(const struct model *model, unsigned line)
{
    static const char letter[] = {
        [CACHE_INVALID] = 'I', [CACHE_SHARED] = 'S', [CACHE_EXCLUSIVE] = 'E',
        [CACHE_MODIFIED] = 'M',
    };
    for (unsigned i = 0; i < HARTS; i++) {
        assert_int_equal(letter[state_of(i, A + line * LINE)], model->state[line][i]);
        assert_int_equal(event_of(i, EVENT_UPGRADE), model->upgrades[i]);
        assert_int_equal(event_of(i, EVENT_INVALIDATION_RECEIVED), model->taken[i]);
        assert_int_equal(event_of(i, EVENT_INVALIDATION_SENT), model->took[i]);
        assert_int_equal(event_of(i, EVENT_TRANSFER_IN), model->in[i]);
        assert_int_equal(event_of(i, EVENT_TRANSFER_OUT), model->out[i]);
        assert_int_equal(event_of(i, EVENT_L1D_WRITEBACK), model->back[i]);
    }
}

/* Returns the time the access took; a store is tried until it is taken. */
static uint64_t access_line(unsigned kind, unsigned hart, uint64_t pa, uint64_t now)
{
    uint64_t at = now;
    if (kind == 0) {
        assert_true(load_of(hart, pa, now));
        return sys.response.ready - now;
    }
    if (kind == 1) {                    /* an atomic */
        assert_true(own_of(hart, pa, now));
        uint64_t ready = sys.response.ready;
        assert_true(store_of(hart, pa, now));
        return ready - now;
    }
    while (!store_of(hart, pa, at))
        at++;
    return at != now ? at - now : sys.response.ready - now;
}

static void run_random(void **state, bool is_direct)
{
    static struct model model;
    uint64_t seed = 1 + is_direct;
    memset(&model, 0, sizeof model);
    memset(model.state, 'I', sizeof model.state);
    set_up(state);
    sys.config.coherence_transfer = !is_direct;
    start();
    for (unsigned i = 1; i <= 20000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        unsigned draw = (unsigned)(seed >> 33);
        unsigned hart = draw % HARTS, line = draw / 8 % LINES, kind = draw / 256 % 3;
        unsigned cycles = expect(&model, line, hart, kind != 0, is_direct);
        uint64_t pa = A + line * LINE + draw / 4096 % 8 * 8;
        assert_int_equal(access_line(kind, hart, pa, i * UINT64_C(1000)), cycles);
        compare(&model, line);
    }
    for (unsigned i = 0; i < HARTS; i++)
        assert_true(model.upgrades[i] > 100 && model.in[i] > 100 && model.back[i] > 100);
    tear_down(state);
}

static void random_accesses_agree_with_the_model(void **state)
{
    run_random(state, true);
    run_random(state, false);
    memset(&sys, 0, sizeof sys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(an_exclusive_line_comes_from_its_owner),
        CASE(a_modified_line_that_is_read_is_written_back_as_well),
        CASE(a_modified_line_that_is_written_moves_as_it_is),
        CASE(through_l2_the_line_is_written_back_and_then_read),
        CASE(a_shared_line_comes_from_l2),
        CASE(a_store_to_a_shared_line_waits_until_the_others_gave_it_up),
        CASE(a_shared_line_that_nobody_else_has_any_more_is_asked_for_too),
        CASE(an_exclusive_line_becomes_modified_without_a_word),
        CASE(a_request_after_an_upgrade_waits_for_it_and_the_store_is_done),
        CASE(an_atomic_that_hits_a_shared_line_waits_for_the_others),
        CASE(written_through_lines_are_shared_and_taken_too),
        CASE(random_accesses_agree_with_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
