/* Predictions by the host's wide vectors are those by any host's. On a host without them, both are
 * the latter. */
#include "tests/sim/core/bpred/drive.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/bpred/direction/corrector_train.h"
#include "sim/core/bpred/direction/lanes_wide.h"
#include "sim/core/bpred/direction/tage_train.h"

enum { BRANCHES = 20000 };

struct parts {
    struct config config;
    struct history history;
    struct tage tage;
    struct corrector corrector;
};

static void lay_out(struct parts *parts, struct arena *arena)
{
    parts->history = (struct history){0};
    tage_init(&parts->tage, &parts->config, &parts->history, arena);
    corrector_init(&parts->corrector, &parts->config, arena);
    history_place(&parts->history, arena);
}

static uint32_t random_of(uint32_t *state)
{
    *state = *state * 1103515245 + 12345;
    return *state >> 8;
}

static void assert_same_tage(struct parts *parts, uint64_t pc, struct record *record)
{
    struct record other = *record;
    bool is_wide = parts->tage.is_wide;
    bool taken = tage_predict(&parts->tage, pc, record);
    parts->tage.is_wide = false;
    assert_int_equal(tage_predict(&parts->tage, pc, &other), taken);
    parts->tage.is_wide = is_wide;
    assert_memory_equal(&other, record, sizeof other);
    if (taken)
        record->flags |= RECORD_INNER_TAKEN;
}

static FOR_WIDE_LANES bool predict_wide(const struct corrector *corrector, uint64_t pc,
                                        uint64_t history, struct record *record)
{
    return corrector_predict_by(corrector, pc, history, record, corrector_find_usual,
                                lane_ops_of_wide);
}

static void assert_same_corrector(struct parts *parts, uint64_t pc, uint64_t directions,
                                  struct record *record)
{
    struct record other = *record;
    bool taken = parts->corrector.is_wide
                     ? predict_wide(&parts->corrector, pc, directions, record)
                     : corrector_predict(&parts->corrector, pc, directions, record);
    assert_int_equal(corrector_predict(&parts->corrector, pc, directions, &other), taken);
    assert_memory_equal(&other, record, sizeof other);
}

/* Branches that mostly repeat, so that tables fill and match. */
static void branch(struct parts *parts, uint32_t *random, uint64_t *directions)
{
    struct record record;
    memset(&record, 0, sizeof record);
    uint64_t pc = PC + random_of(random) % 40 * 6;
    bool taken = random_of(random) % 8 == 0 ? random_of(random) & 1 : pc >> 2 & 1;
    record.point = parts->history.at;
    assert_same_tage(parts, pc, &record);
    assert_same_corrector(parts, pc, *directions, &record);
    corrector_train(&parts->corrector, pc, *directions, &record, taken);
    tage_train(&parts->tage, pc, &record, taken);
    history_push(&parts->history, taken);
    history_path(&parts->history, pc);
    parts->history.at.inner = (uint16_t)(taken ? parts->history.at.inner + 1 : 0) & 1023;
    *directions = *directions << 1 | taken;
}

static void assert_same(const char *const settings[])
{
    struct arena arena = {0};
    struct drive drive = {.now = 1};
    struct parts *parts = aligned_alloc(64, (sizeof *parts + 63) & ~(size_t)63);
    uint64_t directions = 0;
    uint32_t random = 1;
    assert_non_null(parts);
    memset(parts, 0, sizeof *parts);
    config_init(&drive.config);
    for (; *settings != NULL; settings++)
        drive_set(&drive, *settings);
    parts->config = drive.config;
    lay_out(parts, &arena);
    uint8_t *block = calloc(1, arena.used);
    assert_non_null(block);
    memset(&parts->tage, 0, sizeof parts->tage);
    memset(&parts->corrector, 0, sizeof parts->corrector);
    arena = (struct arena){.base = block};
    lay_out(parts, &arena);
    for (unsigned i = 0; i < BRANCHES; i++)
        branch(parts, &random, &directions);
    free(block);
    free(parts);
}

#define SAME(...) assert_same((const char *const[]){__VA_ARGS__, NULL})

static void tables_of_the_usual_sizes_are_read_alike(void **state)
{
    (void)state;
    SAME("bpred.tage_tables=12", "bpred.tage_entries=2048", "bpred.tage_tag_bits=12");
    SAME("bpred.tage_tables=6", "bpred.tage_entries=512", "bpred.tage_tag_bits=8");
}

static void tables_of_any_size_are_read_alike(void **state)
{
    (void)state;
    SAME("bpred.tage_tables=16", "bpred.tage_entries=3000", "bpred.tage_tag_bits=15",
         "bpred.corrector_entries=700");
    SAME("bpred.tage_tables=1", "bpred.tage_entries=64", "bpred.tage_tag_bits=4",
         "bpred.corrector_entries=1");
    SAME("bpred.tage_entries=65536", "bpred.corrector_entries=65536");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_the_usual_sizes_are_read_alike),
        cmocka_unit_test(tables_of_any_size_are_read_alike),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
