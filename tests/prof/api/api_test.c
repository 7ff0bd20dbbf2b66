/* Tables of costs: buckets, sums, stacks, addition, files, groups. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "prof/api/api.h"

static struct diag diag;

static void charge(struct api *api, const char *function, const char *cost, uint64_t n)
{
    assert_int_equal(api_charge(api, function, cost, n, &diag), ERR_OK);
}

/* floor(log2 n), counted out */
static unsigned log2_of(uint64_t n)
{
    unsigned power = 0;

    while (n >= 2) {
        n /= 2;
        power++;
    }
    return power;
}

static void a_bucket_is_the_floor_of_the_logarithm(void **state)
{
    (void)state;
    for (unsigned power = 0; power < 64; power++) {
        uint64_t n = (uint64_t)1 << power;

        assert_int_equal(api_bucket_of(n), power);
        assert_int_equal(api_bucket_of(n | (n - 1)), power);
        assert_int_equal(api_bucket_of(n + n / 3), log2_of(n + n / 3));
    }
    assert_int_equal(api_bucket_of(0), API_ZERO);
}

static void expect_total(const struct api_row *row, uint64_t count, uint64_t sum, uint64_t squares)
{
    struct api_bucket total = api_row_total(row);

    assert_int_equal(total.count, count);
    assert_int_equal(total.sum, sum);
    assert_int_equal(total.squares, squares);
}

/* P6: 100 rounds of A, B, C(1 .. 3). */
static void the_table_of_the_example_is_right(void **state)
{
    static const struct { const char *function; uint64_t n; unsigned bucket; } call[] = {
        {"A", 3, 1}, {"B", 107, 6}, {"C", 819, 9}, {"A", 7, 2}, {"B", 120, 6}, {"C", 1560, 10},
        {"A", 22, 4}, {"B", 115, 6}, {"C", 1800, 10},
    };
    static const struct { const char *function; unsigned bucket; uint64_t count; } table[] = {
        {"A", 1, 100}, {"A", 2, 100}, {"A", 4, 100}, {"B", 6, 300}, {"C", 9, 100}, {"C", 10, 200},
    };
    struct api api = {.table.rows = 0};
    uint64_t all = 0;

    (void)state;
    for (unsigned round = 0; round < 100; round++)
        for (unsigned i = 0; i < 9; i++)
            charge(&api, call[i].function, "allocated", call[i].n);
    for (unsigned i = 0; i < 6; i++) {
        const struct api_row *row =
            api_find(&api.table, table[i].function, "allocated", API_INCLUSIVE);

        assert_int_equal(row->bucket[table[i].bucket].count, table[i].count);
        all += table[i].count;
    }
    assert_int_equal(all, 900);
    expect_total(api_find(&api.table, "A", "allocated", API_INCLUSIVE), 300, 3200,
                 100 * (9 + 49 + 484));
    expect_total(api_find(&api.table, "A", "allocated", API_EXCLUSIVE), 300, 3200, 54200);
    api_free(&api);
}

static void mean_and_deviation_come_from_the_sums(void **state)
{
    struct api api = {.table.rows = 0};
    struct api_bucket total;

    (void)state;
    charge(&api, "f", "cycles", 2);
    charge(&api, "f", "cycles", 4);
    charge(&api, "f", "cycles", 9);
    total = api_row_total(api_find(&api.table, "f", "cycles", API_INCLUSIVE));
    assert_true(fabs(api_mean(&total) - 5) < 1e-12);
    assert_true(fabs(api_deviation(&total) - sqrt(26.0 / 3)) < 1e-12);
    for (unsigned i = 0; i < 1000; i++)
        charge(&api, "same", "cycles", 4000000000);
    total = api_row_total(api_find(&api.table, "same", "cycles", API_INCLUSIVE));
    charge(&api, "wide", "cycles", UINT32_MAX + (uint64_t)1);
    assert_true(isnan(api_deviation(&total)));
    assert_true(api_mean(&total) == 4e9);
    total = api_row_total(api_find(&api.table, "wide", "cycles", API_INCLUSIVE));
    assert_true(total.squares == UINT64_MAX);
    api_free(&api);
}

static void a_stack_charges_each_function_once_and_its_leaf_alone(void **state)
{
    struct api api = {.table.rows = 0};

    (void)state;
    charge(&api, "main;f;g;f;g", "allocated", 16);
    charge(&api, "main;f", "allocated", 8);
    charge(&api, "main", "allocated", 4);
    expect_total(api_find(&api.table, "main", "allocated", API_INCLUSIVE), 3, 28, 336);
    expect_total(api_find(&api.table, "main", "allocated", API_EXCLUSIVE), 1, 4, 16);
    expect_total(api_find(&api.table, "f", "allocated", API_INCLUSIVE), 2, 24, 320);
    expect_total(api_find(&api.table, "f", "allocated", API_EXCLUSIVE), 1, 8, 64);
    expect_total(api_find(&api.table, "g", "allocated", API_INCLUSIVE), 1, 16, 256);
    expect_total(api_find(&api.stacks, "main;f", "allocated", API_EXCLUSIVE), 1, 8, 64);
    assert_null(api_find(&api.table, "g", "cycles", API_INCLUSIVE));
    api_free(&api);
}

/* ---- addition and files ---------------------------------------------------------------------- */

static uint64_t seed = 1;
static uint64_t draw(uint64_t below)
{
    seed = seed * 6364136223846793005 + 1442695040888963407;
    return (seed >> 33) % below;
}

static void charge_at_random(struct api *api)
{
    static const char *const function[] = {"f", "g", "main;f", "main;g;f", "a<b>;f"};
    static const char *const cost[] = {"allocated", "cycles", "insns_retired"};
    uint64_t n = (uint64_t)1 << draw(31) | draw(1000);
    const char *f = function[draw(5)], *c = cost[draw(3)];

    charge(api, f, c, draw(9) == 0 ? 0 : n);
}

static char *text_of(const struct api *api, enum err (*write)(const struct api *api, FILE *out,
                                                              struct diag *diag))
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    assert_int_equal(write(api, out, &diag), ERR_OK);
    fclose(out);
    return text;
}

static bool has_same_rows(const struct api_table *a, const struct api_table *b)
{
    for (size_t i = 0; i < a->rows; i++) {
        const struct api_row *row = &a->row[i];
        const struct api_row *other = api_find(b, a->function.text[row->function],
                                               a->cost.text[row->cost], row->scope);

        if (other == NULL || memcmp(row->bucket, other->bucket, sizeof row->bucket) != 0)
            return false;
    }
    return a->rows == b->rows;
}

static void tables_add_in_any_order(void **state)
{
    struct api part[3] = {{.table.rows = 0}}, forward = {.table.rows = 0}, back = forward;

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        for (unsigned j = 0; j < 500; j++)
            charge_at_random(&part[i]);
    charge(&part[0], "f", "cycles", UINT64_MAX - 5);
    charge(&part[2], "f", "cycles", UINT64_MAX - 5);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(api_merge(&forward, &part[i], &diag), ERR_OK);
        assert_int_equal(api_merge(&back, &part[2 - i], &diag), ERR_OK);
    }
    assert_true(has_same_rows(&forward.table, &back.table));
    assert_true(has_same_rows(&forward.stacks, &back.stacks));
    assert_false(has_same_rows(&forward.table, &part[0].table));
    for (unsigned i = 0; i < 3; i++)
        api_free(&part[i]);
    api_free(&forward);
    api_free(&back);
}

static void write_file(char *path, const char *text)
{
    FILE *out = fdopen(mkstemp(path), "w");

    fputs(text, out);
    fclose(out);
}

static enum err read_text(struct api *api, const char *text)
{
    char path[] = "/tmp/api_test.XXXXXX";
    enum err err;

    write_file(path, text);
    err = api_read(api, path, &diag);
    remove(path);
    return err;
}

static void written_costs_read_back_the_same(void **state)
{
    struct api api = {.table.rows = 0}, again = api;
    char *text, *second;

    (void)state;
    for (unsigned i = 0; i < 500; i++)
        charge_at_random(&api);
    text = text_of(&api, api_write_json);
    assert_int_equal(read_text(&again, text), ERR_OK);
    second = text_of(&again, api_write_json);
    assert_string_equal(text, second);
    assert_true(has_same_rows(&api.stacks, &again.stacks));
    free(text);
    free(second);
    api_free(&api);
    api_free(&again);
}

static void expect_refused(const char *text, const char *message)
{
    struct api api = {.table.rows = 0};

    assert_int_equal(read_text(&api, text), ERR_USAGE);
    assert_string_equal(strchr(diag.text, ':') + 1, message);
    api_free(&api);
}

static void wrong_files_are_told_with_their_line(void **state)
{
    (void)state;
    expect_refused("function,cost,n\nf,allocated,3\nf,allocatd,3\n",
                   "3: expected allocated, cycles or an event, found 'allocatd'; did you mean "
                   "allocated?");
    expect_refused("f,cycles\n", "1: expected function,cost,n");
    expect_refused("f,cycles,-1\n", "1: expected a number, found '-1'");
    expect_refused("f;;g,cycles,1\n",
                   "1: expected a function, or a stack root;caller;leaf, found 'f;;g'");
    expect_refused("{\"schema\": 2}", " has schema 2, as another version of rvsim writes it; "
                   "expected schema 1");
    expect_refused("{nonsense", " the file was cut off: it ends after 9 bytes in line 1");
    expect_refused("{nonsense}", " line 1: expected JSON as `rvsim api --json` writes it");
    expect_refused("{\"schema\": 1, \"functions\": [{\"function\": \"f\", \"cost\": \"cycles\", "
                   "\"scope\": \"inclusive\", \"buckets\": [{\"bucket\": 64, \"count\": 1, "
                   "\"sum\": \"1\", \"sum_of_squares\": \"1\"}]}], \"stacks\": []}",
                   " bucket: expected a number up to 63");
    expect_refused("{\"schema\": 1, \"functions\": [{\"function\": \"f\", \"cost\": \"cycles\", "
                   "\"scope\": \"inclusive\", \"buckets\": [{\"bucket\": 2, \"count\": 0, "
                   "\"sum\": \"5\", \"sum_of_squares\": \"25\"}]}], \"stacks\": []}",
                   " count: expected a number that is not 0, as sum and sum_of_squares are not");
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* Of three functions only A and C stand on one stack: two runs, and B goes with either. */
static void only_functions_of_one_stack_are_kept_apart(void **state)
{
    struct api api = {.table.rows = 0};
    struct api_groups groups;

    (void)state;
    charge(&api, "A;C", "cycles", 1);
    charge(&api, "B", "cycles", 1);
    assert_int_equal(api_groups_make(&groups, &api, &diag), ERR_OK);
    assert_int_equal(groups.groups, 2);
    assert_int_not_equal(groups.group[names_find(&api.table.function, "A")],
                         groups.group[names_find(&api.table.function, "C")]);
    api_groups_free(&groups);
    api_free(&api);
}

enum { FUNCTIONS = 40, DEPTH = 6, STACKS = 60 };

/* Two levels that never meet take as many runs as the deepest stack has functions. */
static void layers_take_a_run_each(void **state)
{
    struct api api = {.table.rows = 0};
    struct api_groups groups;
    char stack[64];

    (void)state;
    for (unsigned i = 0; i < 8; i++)
        for (unsigned j = 0; j < 8; j++) {
            snprintf(stack, sizeof stack, "main;upper%u;lower%u", i, j);
            charge(&api, stack, "cycles", 1);
        }
    assert_int_equal(api_groups_make(&groups, &api, &diag), ERR_OK);
    assert_int_equal(groups.groups, 3);
    api_groups_free(&groups);
    api_free(&api);
}

static void random_stacks_never_meet_in_a_group(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 50; round++) {
        unsigned on[STACKS][DEPTH];
        struct api api = {.table.rows = 0};
        struct api_groups groups;

        for (unsigned i = 0; i < STACKS; i++) {
            char stack[DEPTH * 8] = "";
            size_t length = 0;

            for (unsigned j = 0; j < DEPTH; j++) {
                on[i][j] = (unsigned)draw(FUNCTIONS);
                length += (size_t)snprintf(stack + length, sizeof stack - length, "%sf%u",
                                           j == 0 ? "" : ";", on[i][j]);
            }
            charge(&api, stack, "cycles", 1);
        }
        assert_int_equal(api_groups_make(&groups, &api, &diag), ERR_OK);
        for (unsigned i = 0; i < STACKS; i++)
            for (unsigned j = 0; j < DEPTH * DEPTH; j++) {
                char a[8], b[8];

                snprintf(a, sizeof a, "f%u", on[i][j / DEPTH]);
                snprintf(b, sizeof b, "f%u", on[i][j % DEPTH]);
                if (strcmp(a, b) != 0)
                    assert_int_not_equal(groups.group[names_find(&api.table.function, a)],
                                         groups.group[names_find(&api.table.function, b)]);
            }
        assert_in_range(groups.groups, DEPTH - 2, FUNCTIONS);
        api_groups_free(&groups);
        api_free(&api);
    }
}

/* ---- pictures -------------------------------------------------------------------------------- */

static void names_cannot_break_a_page(void **state)
{
    struct api api = {.table.rows = 0};
    char *html, *svg;

    (void)state;
    charge(&api, "main;operator<<<script>alert(1)</script>", "cycles", 5);
    html = text_of(&api, api_write_html);
    svg = text_of(&api, api_write_svg);
    assert_null(strstr(html, "<script"));
    assert_null(strstr(svg, "<script"));
    assert_non_null(strstr(html, "operator&lt;&lt;&lt;script&gt;"));
    assert_non_null(strstr(html, "main;operator"));
    free(html);
    free(svg);
    api_free(&api);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bucket_is_the_floor_of_the_logarithm),
        cmocka_unit_test(the_table_of_the_example_is_right),
        cmocka_unit_test(mean_and_deviation_come_from_the_sums),
        cmocka_unit_test(a_stack_charges_each_function_once_and_its_leaf_alone),
        cmocka_unit_test(tables_add_in_any_order),
        cmocka_unit_test(written_costs_read_back_the_same),
        cmocka_unit_test(wrong_files_are_told_with_their_line),
        cmocka_unit_test(only_functions_of_one_stack_are_kept_apart),
        cmocka_unit_test(layers_take_a_run_each),
        cmocka_unit_test(random_stacks_never_meet_in_a_group),
        cmocka_unit_test(names_cannot_break_a_page),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
