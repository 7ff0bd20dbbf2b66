/* Bodies of requests as text. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zstd.h>

#include "prof/serve/server/body.h"

static enum body_result plain(const char *bytes, size_t count, size_t most)
{
    char *text;
    enum body_result result = body_text(bytes, count, false, most, &text);

    free(text);
    return result;
}

static void only_utf8_is_text(void **state)
{
    static const struct { const char *bytes; enum body_result result; } body[] = {
        {"", BODY_OK}, {"a", BODY_OK}, {"\xc3\xa4", BODY_OK}, {"\xe2\x82\xac", BODY_OK},
        {"\xf0\x9f\x98\x80", BODY_OK}, {"\xf4\x8f\xbf\xbf", BODY_OK},
        {"\xc3", BODY_WRONG}, {"\x80", BODY_WRONG}, {"\xc0\x80", BODY_WRONG},
        {"\xe0\x80\x80", BODY_WRONG}, {"\xed\xa0\x80", BODY_WRONG},
        {"\xf4\x90\x80\x80", BODY_WRONG}, {"\xf0\x80\x80\x80", BODY_WRONG}, {"\xff", BODY_WRONG},
        {"\\u0000", BODY_WRONG}, {"\\u0001", BODY_OK},
    };

    (void)state;
    for (size_t i = 0; i < sizeof body / sizeof body[0]; i++)
        assert_int_equal(plain(body[i].bytes, strlen(body[i].bytes), 99), body[i].result);
    assert_int_equal(plain("a\0b", 3, 99), BODY_WRONG);
}

static void the_limit_is_exact(void **state)
{
    char bytes[100000], packed[4096], *text;
    size_t count;

    (void)state;
    memset(bytes, 'x', sizeof bytes);
    assert_int_equal(plain(bytes, 50, 50), BODY_OK);
    assert_int_equal(plain(bytes, 51, 50), BODY_TOO_LARGE);
    count = ZSTD_compress(packed, sizeof packed, bytes, sizeof bytes, 3);
    assert_int_equal(body_text(packed, count, true, sizeof bytes, &text), BODY_OK);
    assert_int_equal(strlen(text), sizeof bytes);
    free(text);
    assert_int_equal(body_text(packed, count, true, sizeof bytes - 1, &text), BODY_TOO_LARGE);
    for (size_t cut = 0; cut < count; cut++)
        assert_int_equal(body_text(packed, cut, true, sizeof bytes, &text), BODY_WRONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_utf8_is_text), cmocka_unit_test(the_limit_is_exact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
