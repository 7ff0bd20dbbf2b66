/* Configuration: defaults, single settings, writing and reading back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/base/config_read.h"
#include "sim/base/config_table.h"

static struct diag diag;

static struct config defaults(void)
{
    struct config config;
    config_init(&config);
    return config;
}

static void assert_set_refused(const char *assignment, const char *message)
{
    struct config config = defaults(), before = config;
    assert_int_equal(config_set(&config, assignment, &diag), ERR_USAGE);
    assert_string_equal(diag.text, message);
    assert_memory_equal(&config, &before, sizeof config);
}

static void assert_set(const char *assignment, size_t offset, uint32_t value)
{
    struct config config = defaults();
    assert_int_equal(config_set(&config, assignment, &diag), ERR_OK);
    assert_int_equal(*(uint32_t *)(void *)((char *)&config + offset), value);
}

#define ASSERT_SET(assignment, field, value) \
    assert_set(assignment, offsetof(struct config, field), value)

/* ---- single settings ------------------------------------------------------------------------- */

static void defaults_are_those_of_the_table_and_consistent(void **state)
{
    (void)state;
    struct config config = defaults();
    assert_int_equal(config.rob_entries, 128);
    assert_int_equal(config.l1d_kib, 32);
    assert_int_equal(config_check(&config, &diag), ERR_OK);
}

static void numbers_are_decimal_hexadecimal_or_have_a_size_suffix(void **state)
{
    (void)state;
    ASSERT_SET("latency.load=16", latency_load, 16);
    ASSERT_SET("latency.load=0x1f", latency_load, 31);
    ASSERT_SET("l1d.kib=64", l1d_kib, 64);
    ASSERT_SET("l1d.kib=64K", l1d_kib, 64);
    ASSERT_SET("l1d.kib=1m", l1d_kib, 1024);
    ASSERT_SET("machine.memory_mib=2G", machine_memory_mib, 2048);
    ASSERT_SET("bpred.btb_entries=4K", bpred_btb_entries, 4096);
    ASSERT_SET("machine.seed=4294967295", machine_seed, UINT32_MAX);
}

static void switches_and_choices_are_words(void **state)
{
    (void)state;
    ASSERT_SET("l1i.hit_under_miss=false", l1i_hit_under_miss, 0);
    ASSERT_SET("l1i.hit_under_miss=no", l1i_hit_under_miss, 0);
    ASSERT_SET("l1i.hit_under_miss=0", l1i_hit_under_miss, 0);
    ASSERT_SET("l1i.hit_under_miss=true", l1i_hit_under_miss, 1);
    ASSERT_SET("l1i.hit_under_miss=yes", l1i_hit_under_miss, 1);
    ASSERT_SET("l1i.hit_under_miss=1", l1i_hit_under_miss, 1);
    ASSERT_SET("bpred.kind=not_taken", bpred_kind, 0);
    ASSERT_SET("bpred.kind=bimodal", bpred_kind, 2);
}

static void values_out_of_range_are_refused_with_the_range(void **state)
{
    (void)state;
    assert_set_refused("latency.load=0", "latency.load = 0: expected 1..64, in cycles");
    assert_set_refused("latency.load=65", "latency.load = 65: expected 1..64, in cycles");
    assert_set_refused("l1d.line_bytes=48",
                       "l1d.line_bytes = 48: expected 8..128, a power of two, in bytes");
    assert_set_refused("bus.bytes=3",
                       "bus.bytes = 3: expected 0, or a power of two up to 128, in bytes");
    assert_set_refused("machine.seed=4294967296",
                       "machine.seed = 4294967296: expected 0..4294967295");
    assert_set_refused("machine.seed=18446744073709551616",
                       "machine.seed = 18446744073709551616: expected 0..4294967295");
    assert_set_refused("bpred.kind=gshar", "bpred.kind = gshar: expected "
                                           "not_taken|static|bimodal|gshare|tournament|tage|"
                                           "tage_sc_l|perceptron|bimode|perfect; did you mean "
                                           "gshare?");
    assert_set_refused("lsq.partial=x", "lsq.partial = x: expected drain|any|refetch");
    assert_set_refused("l1i.hit_under_miss=2", "l1i.hit_under_miss = 2: expected true|false");
}

static void a_value_that_is_not_a_number_is_refused(void **state)
{
    (void)state;
    static const char *const words[] = {
        "", "x", "-1", "+1", "1.5", "0x", "1 2", "3x", "1KK", "1T", "0xg",
        "12345678901234567890123",
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        char assignment[64];
        struct config config = defaults();
        snprintf(assignment, sizeof assignment, "l1d.kib=%s", words[i]);
        assert_int_equal(config_set(&config, assignment, &diag), ERR_USAGE);
    }
}

static void a_suffix_of_a_size_is_binary_and_of_a_time_or_count_decimal(void **state)
{
    (void)state;
    ASSERT_SET("rob.entries=1K", rob_entries, 1024);
    ASSERT_SET("dram.cycles=1K", dram_cycles, 1000);
    ASSERT_SET("sampling.period=10m", sampling_period, 10000000);
    ASSERT_SET("pmu.callers=2K", pmu_callers, 2000);
}

static void a_setting_that_became_a_models_is_taken_under_its_old_name(void **state)
{
    (void)state;
    ASSERT_SET("rob.fold=3", part_fold, 3);
    assert_string_equal(config_key_now("rob.fold=3"), "c910.fold");
    assert_string_equal(config_key_now("rename.zero_idioms"), "rename.eliminates");
    assert_null(config_key_now("c910.fold=3"));
    assert_null(config_key_now("rob.entries"));
    assert_null(config_key_now("pair.after_int"));
    assert_set_refused("rob.fold=9", "c910.fold = 9: expected 1..4, in instructions");
    ASSERT_SET("fetch.halfwords=false", rsd_words, 1);
    ASSERT_SET("lsq.reuse_cycles=5", rsd_reuse_store, 5);
    assert_set_refused("inorder.load_miss=stall_on_miss", "no setting 'inorder.load_miss'; did you "
                       "mean biriscv.miss_stalls (true|false)?");
    assert_set_refused("inorder.divide_holds=integer", "inorder.divide_holds = integer: expected "
                       "divider|issue; integer is cva6.divide_holds (true|false) now");
    assert_set_refused("issue.replay=fifo",
                       "issue.replay = fifo: expected none|selective|all; fifo is "
                       "rsd.replay_queue (0..120) now");
    assert_set_refused("l1i.banks=2", "no setting 'l1i.banks' any more: nothing replaces it, as no "
                       "preset used it");
    assert_set_refused("bpred.ras_empty=reads_zero", "no setting 'bpred.ras_empty'; did you mean "
                       "cva6.empty_return (true|false)?");
}

static void a_suffix_is_refused_where_it_has_no_meaning(void **state)
{
    (void)state;
    assert_set_refused("dram.cycles=1G", "dram.cycles = 1G: expected 1..10000, in cycles");
    assert_set_refused("dram.cycles=1T", "dram.cycles = 1T: expected 1..10000, in cycles");
    assert_set_refused("machine.seed=99999999999999999G",
                       "machine.seed = 99999999999999999G: expected 0..4294967295");
    assert_set_refused("machine.memory_mib=512K",
                       "machine.memory_mib = 512K: expected 1..65536, in MiB");
}

static void an_unknown_setting_is_refused_with_the_nearest_and_its_range(void **state)
{
    (void)state;
    assert_set_refused("l1d.kb=64",
                       "no setting 'l1d.kb'; did you mean l1d.kib (1..4096)?");
    assert_set_refused("lid.kib=64",
                       "no setting 'lid.kib'; did you mean l1i.kib (1..4096)?");
    assert_set_refused("rob.history=4",
                       "no setting 'rob.history'; did you mean bpred.history (0..64)?");
    assert_set_refused("pair.after_int=0",
                       "no setting 'pair.after_int'; did you mean inorder.pairs (all|LIST)?");
    assert_set_refused("monitor.isolate_tlbs=true",
                       "no setting 'monitor.isolate_tlbs'; did you mean monitor.isolate (0..7)?");
    assert_set_refused("cva6.fold=3", "no setting 'cva6.fold'; did you mean c910.fold (1..4)?");
    assert_set_refused("zzz.qqq=4",
                       "no setting 'zzz.qqq'; `rvsim config show default` lists all");
}

static void an_override_needs_a_section_a_name_and_a_value(void **state)
{
    (void)state;
    assert_set_refused("harts", "'harts': expected section.name=value, such as l1d.kib=64");
    assert_set_refused("harts=2", "'harts=2': expected section.name=value, such as l1d.kib=64");
    assert_set_refused("a=b.c", "'a=b.c': expected section.name=value, such as l1d.kib=64");
}

/* ---- output ---------------------------------------------------------------------------------- */

static void assert_reads_back(const struct config *config)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    config_write(config, out);
    fclose(out);
    struct config again;
    memset(&again, 0xff, sizeof again);
    assert_int_equal(config_parse(&again, text, length, "written", "sim/presets", &diag), ERR_OK);
    assert_memory_equal(&again, config, sizeof again);
    free(text);
}

static void a_written_configuration_reads_back_identically(void **state)
{
    (void)state;
    struct config config = defaults();
    assert_reads_back(&config);
    assert_int_equal(config_load(&config, "fig2", "sim/presets", &diag), ERR_OK);
    assert_reads_back(&config);
}

struct bounds { struct config config; bool high; };

/* Sets the row to the end of its range. */
static void set_bound(void *arg, const struct config_row *row)
{
    struct bounds *bounds = arg;
    char assignment[128], end[64];
    const char *range = row->range, *dots = strstr(range, ".."), *bar = strrchr(range, '|');
    const char *up_to = strstr(range, "up to ");
    if (bar != NULL)
        snprintf(end, sizeof end, "%.*s", bounds->high ? 60 : (int)strcspn(range, "|"),
                 bounds->high ? bar + 1 : range);
    else if (up_to != NULL)
        snprintf(end, sizeof end, "%s", bounds->high ? up_to + 6 : "0");
    else
        snprintf(end, sizeof end, "%llu", strtoull(bounds->high ? dots + 2 : range, NULL, 10));
    snprintf(assignment, sizeof assignment, "%s=%s", row->key, end);
    assert_int_equal(config_set(&bounds->config, assignment, &diag), ERR_OK);
}

static void the_ends_of_every_range_are_accepted_and_read_back(void **state)
{
    (void)state;
    for (int high = 0; high < 2; high++) {
        struct bounds bounds = {defaults(), high != 0};
        struct config before = bounds.config;
        config_visit(&before, set_bound, &bounds);
        assert_memory_not_equal(&bounds.config, &before, sizeof before);
        assert_reads_back(&bounds.config);
    }
}

struct visited { unsigned count; bool found; };

static void a_choice_is_asked_for_by_its_name(void **state)
{
    (void)state;
    struct config config;
    config_init(&config);
    assert_true(config_is(&config, "bpred.kind", "gshare"));
    assert_false(config_is(&config, "bpred.kind", "static"));
    assert_int_equal(config_set(&config, "bpred.kind=static", NULL), ERR_OK);
    assert_true(config_is(&config, "bpred.kind", "static"));
}

/* ---- settings of one back end ---------------------------------------------------------------- */

static void a_setting_of_the_other_back_end_is_told_of(void **state)
{
    (void)state;
    struct config config;
    char told[CONFIG_TEXT_BYTES];
    config_init(&config);
    assert_int_equal(config_set(&config, "issue.int_queue=5", NULL), ERR_OK);
    assert_int_equal(config_set(&config, "lsq.store_data=separate", NULL), ERR_OK);
    assert_int_equal(config_set(&config, "inorder.pairs=int:load", NULL), ERR_OK);
    assert_null(config_unused(&config, "issue.int_queue=5", told));
    assert_string_equal(config_unused(&config, "inorder.pairs", told),
                        "core.kind = in_order");
    config.core_kind = 1;
    assert_string_equal(config_unused(&config, "issue.int_queue = 5", told),
                        "core.kind = out_of_order");
    assert_string_equal(config_unused(&config, "lsq.store_data=separate", told),
                        "core.kind = out_of_order");
    assert_null(config_unused(&config, "inorder.pairs=int:load", told));
    assert_null(config_unused(&config, "issue.fp_queue=24", told));       /* the default */
    assert_null(config_unused(&config, "lsq.stores=5", told));
    assert_null(config_unused(&config, "lsq.store", told));
}

static void a_setting_that_needs_another_is_told_of(void **state)
{
    (void)state;
    struct config config;
    char told[CONFIG_TEXT_BYTES];
    config_init(&config);
    config.bus_beat_cycles = config.l2_cycles = 5;
    config.bpred_loop_entries = config.fetch_miss_delay = 1;
    assert_string_equal(config_unused(&config, "bus.beat_cycles=5", told),
                        "bus.bytes");
    assert_string_equal(config_unused(&config, "bpred.loop_entries", told),
                        "bpred.kind = tage_sc_l");
    assert_null(config_unused(&config, "l2.cycles", told));
    assert_null(config_unused(&config, "fetch.miss_delay", told));
    config.bus_bytes = 16;
    config.fetch_ftq = 4;
    config.l2_kib = 0;
    assert_int_equal(config_set(&config, "bpred.kind=tage_sc_l", NULL), ERR_OK);
    assert_null(config_unused(&config, "bus.beat_cycles=5", told));
    assert_null(config_unused(&config, "bpred.loop_entries", told));
    assert_string_equal(config_unused(&config, "l2.cycles", told), "l2.kib");
    assert_null(config_unused(&config, "l2.kib", told));
    config.fetch_ftq_prefetch = config.fetch_ftq = 0;
    assert_null(config_unused(&config, "fetch.ftq_prefetch", told));    /* off, not the default */
    config.fetch_ftq = 4;
    assert_string_equal(config_unused(&config, "fetch.miss_delay", told), "fetch.ftq = 0");
}

/* Each part of "a|b". */
static void assert_values(const char *key, const char *values)
{
    const struct setting *setting = setting_find_key(key, strlen(key));
    struct config config;
    config_init(&config);
    while (*values != '\0') {
        char value[SETTING_TEXT];
        size_t length = strcspn(values, "|");
        snprintf(value, sizeof value, "%.*s", (int)length, values);
        assert_int_equal(setting_set(setting, &config, value, NULL), ERR_OK);
        values += length + (values[length] == '|');
    }
}

static void values_that_are_needed_are_values(void **state)
{
    (void)state;
#define NEEDS(key, other, values) assert_values(other, values);
#include "sim/base/needs.def"
#undef NEEDS
}

/* A name that no longer exists would never be reported. */
static void tables_of_unused_settings_name_settings_that_exist(void **state)
{
    static const char *const keys[] = {
#define BACK_END(kind, key) key,
#include "sim/base/back_end.def"
#undef BACK_END
#define NEEDS(key, other, values) key, other,
#include "sim/base/needs.def"
#undef NEEDS
    };
    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char section[SETTING_TEXT], *point;
        snprintf(section, sizeof section, "%s", keys[i]);
        point = strchr(section, '.');
        assert_non_null(point);
        *point = '\0';
        assert_true(setting_has_section(section));
        assert_true(point[1] == '\0' || setting_find(section, point + 1) != NULL);
    }
}

static void look(void *arg, const struct config_row *row)
{
    struct visited *visited = arg;
    visited->count++;
    if (strcmp(row->key, "bpred.kind") == 0) {
        visited->found = true;
        assert_string_equal(row->value, "gshare");
        assert_string_equal(row->range, choices_direction + 1);
    }
    assert_true(*row->help != '\0');
}

static void a_visit_sees_every_setting_once(void **state)
{
    (void)state;
    const unsigned rows = 0
#define CONFIG_INT(section, name, def, min, max, unit, help) + 1
#define CONFIG_POW2(section, name, def, min, max, unit, help) + 1
#define CONFIG_BOOL(section, name, def, help) + 1
#define CONFIG_ENUM(section, name, def, names, help) + 1
#define CONFIG_TEXT(section, name, def, help) + 1
#define PART_INT(section, name, part, min, max, unit, help) + 1
#define PART_POW2(section, name, part, min, max, unit, help) + 1
#define PART_BOOL(section, name, part, help) + 1
#define PART_ENUM(section, name, part, names, help) + 1
#include "sim/base/config.def"
        ;
    struct config config = defaults();
    struct visited visited = {0};
    config_visit(&config, look, &visited);
    assert_true(visited.found);
    assert_int_equal(visited.count, rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_table_and_consistent),
        cmocka_unit_test(numbers_are_decimal_hexadecimal_or_have_a_size_suffix),
        cmocka_unit_test(switches_and_choices_are_words),
        cmocka_unit_test(values_out_of_range_are_refused_with_the_range),
        cmocka_unit_test(a_value_that_is_not_a_number_is_refused),
        cmocka_unit_test(a_suffix_of_a_size_is_binary_and_of_a_time_or_count_decimal),
        cmocka_unit_test(a_setting_that_became_a_models_is_taken_under_its_old_name),
        cmocka_unit_test(a_suffix_is_refused_where_it_has_no_meaning),
        cmocka_unit_test(an_unknown_setting_is_refused_with_the_nearest_and_its_range),
        cmocka_unit_test(an_override_needs_a_section_a_name_and_a_value),
        cmocka_unit_test(a_written_configuration_reads_back_identically),
        cmocka_unit_test(the_ends_of_every_range_are_accepted_and_read_back),
        cmocka_unit_test(a_choice_is_asked_for_by_its_name),
        cmocka_unit_test(a_setting_of_the_other_back_end_is_told_of),
        cmocka_unit_test(a_setting_that_needs_another_is_told_of),
        cmocka_unit_test(tables_of_unused_settings_name_settings_that_exist),
        cmocka_unit_test(values_that_are_needed_are_values),
        cmocka_unit_test(a_visit_sees_every_setting_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
