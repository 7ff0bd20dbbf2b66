/* The file of a profile: written profiles read back the same, wrong ones are refused. */
#include "prof/profile/cost.h"
#include "prof/profile/profile_file.h"
#include "prof/profile/profile_select.h"
#include "tests/prof/made.h"

static struct diag diag;

static char *written(const struct profile *profile, bool everything)
{
    struct symbols *symbols = made_symbols();
    char *text = NULL;
    size_t bytes;

    MADE_TEXT(text, bytes, profile_write(profile, symbols, out, everything, &diag));
    symbols_free(symbols);
    return text;
}

static void a_written_profile_reads_back_the_same(void **state)
{
    struct profile profile, again;
    char *text, *text_again;

    (void)state;
    made_profile(&profile);
    text = written(&profile, true);
    assert_int_equal(profile_read_memory(&again, "x.prof", text, strlen(text), &diag), ERR_OK);
    text_again = written(&again, true);
    assert_string_equal(text, text_again);
    assert_int_equal(again.instructions, UINT64_C(1) << 53);
    assert_string_equal(again.command[2], "a \"quoted\" name");
    assert_string_equal(again.text, "a line\twith a tab");
    assert_int_equal(again.setting[1].kind, PROFILE_BOOL);
    assert_string_equal(again.setting[2].value, "gshare");
    assert_true(again.mark[0].has_counter);
    assert_false(again.mark[1].has_counter);
    assert_true(again.range[1].is_data);
    assert_int_equal(again.record[1].stack[1], MADE_RETURN_TO(MAIN));
    assert_int_equal(profile_event(&again, "cycles"), 3000);
    assert_int_equal(profile_event(&again, "no such event"), 0);
    assert_int_equal(profile_walks(&again, MONITOR_WALK_BROKEN), 1);
    assert_int_equal(again.costs, 3);
    assert_true(again.cost[0].is_transfer && !again.cost[1].is_transfer);
    assert_int_equal(again.cost[0].lost, 420);
    assert_int_equal(again.cost[0].events, 2);
    assert_int_equal(again.cost[0].event[1].event, 1);
    assert_int_equal(again.cost[0].event[1].count, UINT64_C(1) << 53);
    assert_int_equal(again.cost[1].events, 0);
    assert_int_equal(again.cost[2].units, UINT64_C(1) << 53);
    assert_true(again.cost[2].is_monitor);
    free(text);
    free(text_again);
    profile_free(&profile);
    profile_free(&again);
}

static void statistics_leave_out_what_only_reports_need(void **state)
{
    struct profile profile;
    char *text;

    (void)state;
    made_profile(&profile);
    text = written(&profile, false);
    assert_null(strstr(text, "\"records\""));
    assert_null(strstr(text, "crc32:12345678"));
    assert_null(strstr(text, "\"bias\""));
    assert_non_null(strstr(text, "\"host\""));
    assert_non_null(strstr(text, "\"instructions\": 9007199254740992"));
    assert_null(strstr(text, "0x8000\",\n      \"size\""));   /* that mark only interrupts */
    free(text);
    text = written(&profile, true);
    assert_null(strstr(text, "\"host\""));                  /* so that a profile is reproducible */
    free(text);
    profile_free(&profile);
}

/* Replaces the first `from` of a good file by `to` and expects the message. */
static void refuses(const char *from, const char *to, const char *message)
{
    struct profile profile, again;
    char *text, *changed = NULL, *at;
    size_t bytes;
    FILE *out = open_memstream(&changed, &bytes);

    made_profile(&profile);
    text = written(&profile, true);
    at = strstr(text, from);
    assert_non_null(at);
    fprintf(out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    fclose(out);
    assert_int_equal(profile_read_memory(&again, "x.prof", changed, bytes, &diag), ERR_USAGE);
    assert_string_equal(diag.text, message);
    free(text);
    free(changed);
    profile_free(&profile);
}

/* A file cut off after any byte: the diagnosis says how much there is. The last byte is a
 * newline. */
static void a_file_cut_off_is_said_to_be(void **state)
{
    struct profile profile, again;
    char *text, message[100];
    size_t bytes, lines = 1;

    (void)state;
    made_profile(&profile);
    text = written(&profile, true);
    bytes = strlen(text) - 2;
    for (size_t i = 1; i <= bytes; i++) {
        lines += text[i - 1] == '\n';
        snprintf(message, sizeof message, "x.prof: the file was cut off: it ends after %zu bytes "
                 "in line %zu", i, lines);
        assert_int_equal(profile_read_memory(&again, "x.prof", text, i, &diag), ERR_USAGE);
        assert_memory_equal(diag.text, message, strlen(message));
    }
    assert_non_null(strstr(diag.text, ", in its member profilers"));
    assert_int_equal(profile_read_memory(&again, "x.prof", text, 0, &diag), ERR_USAGE);
    assert_string_equal(diag.text, "x.prof: the file is empty; expected JSON as `rvsim --profile` "
                                   "writes it");
    free(text);
    profile_free(&profile);
}

static void wrong_files_are_refused_with_file_and_key(void **state)
{
    (void)state;
    refuses("{", "", "x.prof: the file: expected JSON as `rvsim --profile` writes it");
    refuses("\"schema\": 1", "\"schema\" 1",
            "x.prof: line 2: expected JSON as `rvsim --profile` writes it");
    refuses("\"schema\": 1", "\"schema\": 2", "x.prof: has schema 2, as another version "
            "of rvsim writes it; expected schema 1");
    refuses("\"schema\": 1", "\"schema\": 1, \"colour\": 3", "x.prof: unknown key 'colour'");
    refuses("\"reason\": \"trap\"", "\"reason\": 3", "x.prof: reason: expected a text");
    refuses("\"reason\": \"trap\",", "", "x.prof: reason: expected a text");
    refuses("\"cycles\": 3000", "\"cycles\": 3000.5",
            "x.prof: cycles: expected a whole number, not negative");
    refuses("\"cycles\": 3000", "\"cycles\": 1e300",
            "x.prof: cycles: expected a whole number, not negative");
    refuses("\"bias\": \"0x10000000\"", "\"bias\": \"10000000\"",
            "x.prof: bias: expected an address as text, such as \"0x80000000\"");
    refuses("\"bias\": \"0x10000000\"", "\"bias\": \"0x1ffffffffffffffff\"",
            "x.prof: bias: expected an address as text, such as \"0x80000000\"");
    refuses("\"kind\": \"code\"", "\"kind\": \"text\"", "x.prof: kind: expected code or data");
    refuses("\"is_data\": false", "\"is_data\": 0", "x.prof: is_data: expected true or false");
    refuses("\"stack\": [\"0x10c4\", \"0x1094\"]", "\"stack\": []",
            "x.prof: stack: expected 1 to 62 addresses");
    refuses("\"threads\": [", "\"threads\": [[1], ",
            "x.prof: threads: expected arrays of a thread and its counts");
    refuses("\"threads\": [", "\"threads\": [[1, 2, 3, 4, 5, 6], ",
            "x.prof: threads: expected arrays of a thread and its counts");
    refuses("\"ranges\": [", "\"ranges\": [3, ", "x.prof: name: expected a text");
}

static void parts_of_threads_come_back_and_can_be_selected(void **state)
{
    static struct profile_cost_event lost[] = {{0, 4}}, hit[] = {{0, 1}, {1, 2}};
    static struct profile_cost cost[] = {
        {MADE_AT(SORT, 4), 9, false, false, 3, 840, 0, 0, 0, lost, 1},
        {MADE_AT(SORT, 4), 5, false, false, 7, 1680, 0, 0, 0, hit, 2},
        {MADE_AT(COMPARE, 0), 5, false, false, 1, 420, 0, 0, 0, NULL, 0}};
    struct profile profile, again;
    char *text;

    (void)state;
    made_profile(&profile);
    profile.thread_cost = cost;
    profile.thread_costs = 3;
    assert_true(profile_sum_costs(&profile));
    assert_int_equal(profile.costs, 2);
    text = written(&profile, true);
    assert_int_equal(profile_read_memory(&again, "x.prof", text, strlen(text), &diag), ERR_OK);
    assert_int_equal(again.costs, 2);
    assert_int_equal(again.thread_costs, 3);
    assert_int_equal(cost_at(&again, MADE_AT(SORT, 4))->count, 10);
    assert_int_equal(cost_at(&again, MADE_AT(SORT, 4))->event[0].count, 5);
    assert_int_equal(profile_select_thread(&again, 7, &diag), ERR_USAGE);
    assert_string_equal(diag.text, "the profile has no thread 7, but 2 from 5 to 9");
    assert_int_equal(profile_select_thread(&again, 9, &diag), ERR_OK);
    assert_int_equal(again.costs, 1);
    assert_int_equal(again.cost[0].units, 840);
    assert_int_equal(again.mark[0].count, 5);
    assert_int_equal(again.mark[0].interrupts, 2);
    assert_int_equal(again.mark[1].interrupts, 0);
    assert_int_equal(again.records, 0);
    free(text);
    profile_free(&profile);
    profile_free(&again);
}

static void a_file_that_is_not_there_is_named(void **state)
{
    struct profile profile;

    (void)state;
    assert_int_equal(profile_read(&profile, "no/such.prof", &diag), ERR_IO);
    assert_string_equal(diag.text, "no/such.prof: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_written_profile_reads_back_the_same),
        cmocka_unit_test(statistics_leave_out_what_only_reports_need),
        cmocka_unit_test(a_file_cut_off_is_said_to_be),
        cmocka_unit_test(wrong_files_are_refused_with_file_and_key),
        cmocka_unit_test(parts_of_threads_come_back_and_can_be_selected),
        cmocka_unit_test(a_file_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
