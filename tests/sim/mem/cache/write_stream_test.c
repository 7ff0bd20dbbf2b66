/* Stores that fill lines one after the other, counted by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/mem/cache/write_stream.h"

enum { LINE = 64 };

/* Stores of `count` in a row from pa on; how many of them belong to a stream. */
static unsigned stores(struct write_stream *stream, uint64_t pa, int64_t stride, unsigned count)
{
    unsigned past = 0;
    for (unsigned i = 0; i < count; i++)
        past += write_stream_store(stream, pa + (uint64_t)(stride * (int64_t)i), true);
    return past;
}

/* The first misses, the second gives the distance, then 4 lines of 8 stores: 34 in all. */
static void four_lines_make_a_stream(void **state)
{
    (void)state;
    struct write_stream up = {.needed = 4 * LINE}, down = {.needed = 4 * LINE};
    assert_int_equal(stores(&up, 0x1000, 8, 100), 100 - 33);
    assert_int_equal(stores(&down, 0x1000, -8, 100), 100 - 33);
    struct write_stream bytes = {.needed = 4 * LINE};
    assert_int_equal(stores(&bytes, 0x1000, 1, 300), 300 - (2 + 256 - 1));
}

static void distances_beyond_a_store_make_none(void **state)
{
    (void)state;
    struct write_stream stream = {.needed = LINE};
    assert_int_equal(stores(&stream, 0x1000, 16, 1000), 0);
    assert_int_equal(stores(&stream, 0x1000, 64, 1000), 0);
}

static void hits_start_no_stream(void **state)
{
    (void)state;
    struct write_stream stream = {.needed = LINE};
    for (uint64_t i = 0; i < 100; i++)
        assert_false(write_stream_store(&stream, 0x1000 + 8 * i, false));
}

/* Three breaks are forgiven; the store after them ends the stream. */
static void a_stream_survives_three_breaks(void **state)
{
    (void)state;
    struct write_stream stream = {.needed = LINE};
    assert_int_equal(stores(&stream, 0x1000, 8, 20), 20 - 9);
    assert_true(write_stream_store(&stream, 0x9004, true));
    assert_true(write_stream_store(&stream, 0x9004, true));     /* tried again */
    assert_true(write_stream_store(&stream, 0xa000, true));
    assert_true(write_stream_store(&stream, 0xb004, true));
    assert_false(write_stream_store(&stream, 0xb00c, true));
}

/* From the end of 256 bytes back to their beginning the last five bits go on as before. */
static void a_stream_that_begins_anew_goes_on(void **state)
{
    (void)state;
    struct write_stream stream = {.needed = LINE};
    assert_int_equal(stores(&stream, 0x1000, 8, 32), 32 - 9);
    for (unsigned round = 0; round < 5; round++)
        assert_int_equal(stores(&stream, 0x1000, 8, 32), 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_lines_make_a_stream),
        cmocka_unit_test(distances_beyond_a_store_make_none),
        cmocka_unit_test(hits_start_no_stream),
        cmocka_unit_test(a_stream_survives_three_breaks),
        cmocka_unit_test(a_stream_that_begins_anew_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
