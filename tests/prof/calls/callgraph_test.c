/* Callers and exports out of stacks. */
#include "tests/prof/made.h"

#include "prof/calls/callgraph.h"
#include "prof/export/export.h"

static struct diag diag;

/* compare is entered from sort and from main; sort calls itself; a marked call, a marked return. */
static const struct made_record stacks[] = {
    {MADE_AT(COMPARE, 0), 3, 42, {MADE_AT(COMPARE, 4), MADE_RETURN_TO(SORT), MADE_RETURN_TO(MAIN),
                                  MADE_RETURN_TO(START)}, 0},
    {MADE_AT(COMPARE, 0), 1, 14, {MADE_AT(COMPARE, 4), MADE_RETURN_TO(MAIN)}, 0},
    {MADE_AT(COMPARE, 8), 2, 2, {MADE_AT(COMPARE, 12), MADE_RETURN_TO(SORT), MADE_RETURN_TO(SORT),
                                 MADE_RETURN_TO(SORT)}, MONITOR_WALK_TRUNCATED},
    {MADE_AT(MAIN, MADE_CALL), 5, 5, {MADE_AT(SORT, 0), MADE_RETURN_TO(MAIN)}, 0},
    {MADE_AT(SORT, MADE_RETURN), 6, 6, {MADE_AT(MAIN, MADE_SHORT_CALL + 2)}, 0},
};

static void with_stacks(void (*check)(const struct profile *profile, const struct symbols *symbols))
{
    struct profile profile = {.program = "app"};
    struct symbols *symbols = made_symbols();

    made_records(&profile, stacks, sizeof stacks / sizeof stacks[0]);
    check(&profile, symbols);
    profile_free(&profile);
    symbols_free(symbols);
}

struct expected {
    unsigned routine, caller;
    enum callgraph_kind kind;
    uint64_t interrupts, executions;
};

static void check_callers(const struct profile *profile, const struct symbols *symbols)
{
    static const struct expected expected[] = {
        {SORT, MAIN, CALLGRAPH_RETURN, 6, 6}, {SORT, MAIN, CALLGRAPH_CALL, 5, 5},
        {COMPARE, SORT, CALLGRAPH_ENTRY, 3, 42}, {COMPARE, MAIN, CALLGRAPH_ENTRY, 1, 14},
        {COMPARE, SORT, CALLGRAPH_INSIDE, 2, 2},
    };
    struct callgraph graph;

    assert_int_equal(callgraph_build(&graph, profile, symbols, &diag), ERR_OK);
    assert_int_equal(graph.callers, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(graph.caller[i].routine, MADE_AT(expected[i].routine, 0));
        assert_int_equal(graph.caller[i].caller, MADE_AT(expected[i].caller, 0));
        assert_int_equal(graph.caller[i].kind, expected[i].kind);
        assert_int_equal(graph.caller[i].interrupts, expected[i].interrupts);
        assert_int_equal(graph.caller[i].executions, expected[i].executions);
    }
    callgraph_free(&graph);
}

static void callers_depend_on_what_the_marked_instruction_does(void **state)
{
    (void)state;
    with_stacks(check_callers);
}

static void check_sites(const struct profile *profile, const struct symbols *symbols)
{
    struct callgraph graph;

    assert_int_equal(callgraph_build(&graph, profile, symbols, &diag), ERR_OK);
    assert_int_equal(graph.path[0].frame[1].address, MADE_AT(SORT, MADE_CALL));
    assert_int_equal(graph.path[4].frame[1].address, MADE_AT(MAIN, MADE_SHORT_CALL));
    callgraph_free(&graph);
}

static void frames_are_at_the_calls_long_and_short(void **state)
{
    (void)state;
    with_stacks(check_sites);
}

static void check_folded(const struct profile *profile, const struct symbols *symbols)
{
    char *text = NULL;
    size_t bytes;

    MADE_TEXT(text, bytes, export_folded(profile, symbols, out, &diag));
    assert_string_equal(text, "[truncated];sort;sort;sort;compare 2\n"
                              "_start;main;sort;compare 3\n"
                              "main;compare 1\n"
                              "main;sort 11\n");
    free(text);
}

static void folded_stacks_are_sorted_and_added_up(void **state)
{
    (void)state;
    with_stacks(check_folded);
}

/* Body lines after "fn=(n) NAME" up to the next blank line. */
static void assert_function(const char *text, const char *head, const char *body)
{
    const char *at = strstr(text, head), *end;
    char *part;

    assert_non_null(at);
    at += strlen(head);
    end = strstr(at, "\n\n");
    part = end != NULL ? strndup(at, (size_t)(end + 1 - at)) : strdup(at);
    assert_string_equal(part, body);
    free(part);
}

static void check_callgrind(const struct profile *profile, const struct symbols *symbols)
{
    char *text = NULL;
    size_t bytes;

    MADE_TEXT(text, bytes, export_callgrind(profile, symbols, out, &diag));
    assert_memory_equal(text, "# callgrind format\nversion: 1\n", 30);
    assert_function(text, "\nfn=(1) _start\n", "cob=(1)\ncfi=(1)\ncfn=(2) main\ncalls=3 0x1040 0\n"
                                               "0x1010 0 42 3\n");
    assert_function(text, "\nfn=(2)\n", "cob=(1)\ncfi=(1)\ncfn=(3) sort\ncalls=5 0x1080 0\n"
                                        "0x1050 0 42 3\n"
                                        "cob=(1)\ncfi=(1)\ncfn=(4) compare\ncalls=14 0x10c0 0\n"
                                        "0x1050 0 14 1\n"
                                        "cob=(1)\ncfi=(1)\ncfn=(3)\ncalls=6 0x1080 0\n"
                                        "0x1060 0 6 6\n");
    /* A recursion counts once: two of the interrupts, not four. */
    assert_function(text, "\nfn=(3)\n", "cob=(1)\ncfi=(1)\ncfn=(3)\ncalls=2 0x1080 0\n"
                                        "0x1090 0 2 2\n"
                                        "cob=(1)\ncfi=(1)\ncfn=(4)\ncalls=42 0x10c0 0\n"
                                        "0x1090 0 44 5\n");
    free(text);
}

static void callgrind_has_the_calls_with_their_inclusive_costs(void **state)
{
    (void)state;
    with_stacks(check_callgrind);
}

static void no_stacks_make_no_callers(void **state)
{
    struct profile profile = {.program = "app"};
    struct symbols *symbols = made_symbols();
    struct callgraph graph;
    char *text = NULL;
    size_t bytes;

    (void)state;
    assert_int_equal(callgraph_build(&graph, &profile, symbols, &diag), ERR_OK);
    assert_int_equal(graph.callers, 0);
    callgraph_free(&graph);
    MADE_TEXT(text, bytes, export_folded(&profile, symbols, out, &diag));
    assert_string_equal(text, "");
    free(text);
    symbols_free(symbols);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callers_depend_on_what_the_marked_instruction_does),
        cmocka_unit_test(frames_are_at_the_calls_long_and_short),
        cmocka_unit_test(folded_stacks_are_sorted_and_added_up),
        cmocka_unit_test(callgrind_has_the_calls_with_their_inclusive_costs),
        cmocka_unit_test(no_stacks_make_no_callers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
