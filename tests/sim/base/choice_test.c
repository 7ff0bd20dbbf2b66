/* Settings whose choices are rows of a table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/base/config_read.h"
#include "sim/base/config_table.h"

static struct diag diag;

static void each_row_is_a_choice_of_its_setting(void **state)
{
    (void)state;
    unsigned settings = 0;
    const struct setting *setting;
    for (size_t i = 0; (setting = setting_at(i)) != NULL; i++) {
        struct config config;
        const struct choice *choice;
        char value[SETTING_TEXT];
        config_init(&config);
        if (setting->kind != SETTING_ENUM || choice_at(setting->names, 0) == NULL)
            continue;
        settings++;
        for (size_t row = 0; (choice = choice_at(setting->names, row)) != NULL; row++) {
            assert_int_equal(setting_set(setting, &config, choice->name, &diag), ERR_OK);
            assert_int_equal(setting_number(setting, &config), row);
            setting_value(setting, &config, value);
            assert_string_equal(value, choice->name);
            assert_true(*choice->meaning != '\0');
        }
    }
    assert_int_equal(settings, 2 + 2 + 4);      /* bpred, prefetchers, replacement */
}

/* Is each name a setting of a section that has the table? */
static void assert_settings(const char *names, const char *const sections[])
{
    const struct choice *choice;
    for (size_t row = 0; (choice = choice_at(names, row)) != NULL; row++)
        for (const char *at = choice->settings; *at != '\0'; at += *at == ' ') {
            char name[SETTING_TEXT];
            size_t length = strcspn(at, " ");
            bool is_found = false;
            snprintf(name, sizeof name, "%.*s", (int)length, at);
            for (unsigned i = 0; sections[i] != NULL; i++)
                is_found |= setting_find(sections[i], name) != NULL;
            if (!is_found)
                fail_msg("%s: no setting %s", choice->name, name);
            assert_true(choice_has(choice, name));
            at += length;
        }
}

static void the_settings_of_a_row_exist(void **state)
{
    (void)state;
    static const char *const bpred[] = {"bpred", NULL}, *const caches[] = {"l1i", "l1d", NULL};
    assert_settings(choices_direction + 1, bpred);
    assert_settings(choices_indirect + 1, bpred);
    assert_settings(choices_prefetch + 1, caches);
    assert_settings(choices_replacement + 1, caches);
}

static void a_name_is_found_as_a_whole(void **state)
{
    (void)state;
    const struct choice choice = {"one", "history pc_bits", "", false};
    assert_true(choice_has(&choice, "history"));
    assert_true(choice_has(&choice, "pc_bits"));
    assert_false(choice_has(&choice, "pc"));
    assert_false(choice_has(&choice, "bits"));
    assert_false(choice_has(&choice, "history pc_bits"));
    assert_null(choice_at("a|b", 0));
}

static void a_setting_of_other_choices_is_reported_with_all_of_them(void **state)
{
    (void)state;
    struct config config;
    char told[CONFIG_TEXT_BYTES];
    config_init(&config);
    assert_int_equal(config_set(&config, "bpred.kind=static", &diag), ERR_OK);
    assert_int_equal(config_set(&config, "bpred.history=20", &diag), ERR_OK);
    assert_string_equal(config_unused(&config, "bpred.history=20", told),
                        "bpred.kind = gshare|tournament|perceptron|bimode");
    assert_int_equal(config_set(&config, "bpred.kind=bimode", &diag), ERR_OK);
    assert_null(config_unused(&config, "bpred.history=20", told));
    assert_int_equal(config_set(&config, "l1d.prefetch_train=accesses", &diag), ERR_OK);
    assert_int_equal(config_set(&config, "l1d.prefetch=staged", &diag), ERR_OK);
    assert_string_equal(config_unused(&config, "l1d.prefetch_train", told),
                        "l1d.prefetch = next_line|stride|stream|best_offset");
    assert_int_equal(config_set(&config, "bpred.ittage_tables=3", &diag), ERR_OK);
    assert_string_equal(config_unused(&config, "bpred.ittage_tables", told),
                        "bpred.indirect = ittage");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_is_a_choice_of_its_setting),
        cmocka_unit_test(the_settings_of_a_row_exist),
        cmocka_unit_test(a_name_is_found_as_a_whole),
        cmocka_unit_test(a_setting_of_other_choices_is_reported_with_all_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
