/* Rows of the reorder buffer, and writes of CSRs after which all is fetched again. */
#include "tests/sim/core/rig.h"

/* Instructions that commit in one cycle, at most, after a division that holds all up. */
static uint64_t most_in_a_cycle(const char *rows)
{
    const char *const settings[] = {"decode.width=2", "dispatch.width=2", "commit.width=4", rows};
    struct rig *rig = rig_new();
    uint64_t most = 0, before = 0;
    for (unsigned i = 0; i < sizeof settings / sizeof settings[0]; i++)
        rig_set(rig, settings[i]);
    emit(rig, addi(5, 0, 20));
    emit(rig, divide(12, 6, 7));
    for (unsigned i = 0; i < 16; i++)
        emit(rig, add(14, 9, 13));
    emit(rig, addi(5, 5, -1));
    emit(rig, bne(5, 0, -4 * 18));
    rig_start(rig);
    while (before < 300) {
        core_run(rig->core, 1000, 1, false);
        uint64_t now = event(rig, EVENT_INSNS_RETIRED);
        most = now - before > most ? now - before : most;
        before = now;
        assert_true(core_is_sane(rig->core));
    }
    rig_free(rig);
    return most;
}

static void a_row_commits_at_a_time(void **state)
{
    (void)state;
    assert_int_equal(most_in_a_cycle("commit.rows=false"), 4);
    assert_int_equal(most_in_a_cycle("commit.rows=true"), 2);
}

enum { MSCRATCH = 0x340, MTVAL = 0x343, MCOUNTEREN = 0x306, WRITE = 1, SET = 2, CLEAR = 3 };

static uint32_t csr(unsigned number, unsigned action, unsigned from)
{
    return number << 20 | from << 15 | action << 12 | 14 << 7 | 0x73;
}

static uint64_t cycles_with(uint32_t word, const char *setting)
{
    const uint32_t body[] = {word, add(13, 9, 13), add(13, 9, 13)};
    return warm_cycles(SETTINGS(setting), body, 3);
}

static void after_a_write_all_is_fetched_again(void **state)
{
    (void)state;
    const char *off = "recover.csr_writes=false", *on = "recover.csr_writes=true";
    const uint32_t flushing[] = {csr(MCOUNTEREN, WRITE, 0), csr(MCOUNTEREN, SET, 8),
                                 csr(MCOUNTEREN, CLEAR, 8)};
    const uint32_t others[] = {csr(MCOUNTEREN, SET, 0), csr(MCOUNTEREN, CLEAR, 0),
                               csr(MSCRATCH, WRITE, 0), csr(MTVAL, SET, 8)};
    for (unsigned i = 0; i < 3; i++)
        assert_true(cycles_with(flushing[i], on) > cycles_with(flushing[i], off) + 100);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(cycles_with(others[i], on), cycles_with(others[i], off));
}

static void after_any_csr_instruction_all_is_fetched_again(void **state)
{
    (void)state;
    const uint32_t reading = csr(MSCRATCH, SET, 0);
    uint64_t off = cycles_with(reading, "recover.csr_writes=false");
    uint64_t on = cycles_with(reading, "recover.csr_writes=any");
    assert_true(on > off + 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_commits_at_a_time),
        cmocka_unit_test(after_a_write_all_is_fetched_again),
        cmocka_unit_test(after_any_csr_instruction_all_is_fetched_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
