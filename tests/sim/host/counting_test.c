/* The words of a counter give the bits of mhpmevent; all other words are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/event.h"
#include "sim/host/counting.h"

#define MINH (UINT64_C(1) << 62)
#define SINH (UINT64_C(1) << 61)
#define UINH (UINT64_C(1) << 60)

static uint64_t select_of(const char *text)
{
    struct counting counting;
    struct diag diag = {""};

    if (counting_parse(&counting, text, &diag) != ERR_OK)
        fail_msg("%s", diag.text);
    return counting.select;
}

static void the_words_give_the_bits_of_the_selector(void **state)
{
    (void)state;
    assert_int_equal(select_of("loads"), 0x08);
    assert_int_equal(select_of("loads:user"), 0x08 | MINH | SINH);
    assert_int_equal(select_of("loads:kernel"), 0x08 | UINH);
    assert_int_equal(select_of("loads:supervisor"), 0x08 | UINH | MINH);
    assert_int_equal(select_of("loads:machine,user"), 0x08 | SINH);
    assert_int_equal(select_of("loads:user,kernel"), 0x08);
    assert_int_equal(select_of("stores:marked"), 0x109);
    assert_int_equal(select_of("stores:label=255"), 0xff0209);
    assert_int_equal(select_of("cycles:toggle"), 0x340);
    assert_int_equal(select_of("cycles:gate=31"), 0x1f0340);
    assert_int_equal(select_of("cycles:user,range=I7,sum"), 0x70440 | MINH | SINH);
    assert_int_equal(select_of("exec_cycles:marked"), 0x147);
    assert_int_equal(select_of("cycles:thread=65536"), UINT64_C(65536) << 16 | 0x540);
}

static void a_text_that_is_not_a_counter_is_refused(void **state)
{
    static const char *const wrong[] = {
        "", ":", "loads:", "loads,user", "loads:user,", "loads:,user", "loads:user,,sum", "lods",
        "loads:label", "loads:label=", "loads:label=0", "loads:label=256", "loads:label=3x",
        "loads:label=-1", "loads:gate", "loads:gate=0", "loads:gate=32",
        "loads:range=8", "loads:range=I8", "loads:range=D0", "loads:range=I",
        "loads:user=1", "loads:marked,toggle", "loads:label=1,label=2", "cycles:marked",
        "cycles:label=1", "slots_idle:marked",
        "loads:thread", "loads:thread=x", "loads:thread=1,range=I0", "loads:usr", "none",
    };
    struct counting counting;
    struct diag diag;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        diag.text[0] = '\0';
        if (counting_parse(&counting, wrong[i], &diag) != ERR_USAGE)
            fail_msg("%s is taken", wrong[i]);
        assert_int_not_equal(diag.text[0], '\0');
    }
}

static void a_misspelt_word_is_answered_with_the_nearest(void **state)
{
    struct counting counting;
    struct diag diag;

    (void)state;
    counting_parse(&counting, "branchs", &diag);
    assert_non_null(strstr(diag.text, "did you mean branches?"));
    counting_parse(&counting, "loads:togle", &diag);
    assert_non_null(strstr(diag.text, "did you mean toggle?"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_words_give_the_bits_of_the_selector),
        cmocka_unit_test(a_text_that_is_not_a_counter_is_refused),
        cmocka_unit_test(a_misspelt_word_is_answered_with_the_nearest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
