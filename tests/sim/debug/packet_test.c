/* Packets of gdb's protocol: framing, checksums, escapes, bytes between packets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "sim/debug/packet.h"

/* The last event of these bytes that is not PACKET_NOTHING. */
static enum packet_event give(struct packet_reader *reader, const char *bytes, size_t count)
{
    enum packet_event last = PACKET_NOTHING;

    for (size_t i = 0; i < count; i++) {
        enum packet_event event = packet_read(reader, (uint8_t)bytes[i]);

        last = event != PACKET_NOTHING ? event : last;
    }
    return last;
}

#define GIVE(reader, text) give(reader, text, sizeof(text) - 1)

static void a_packet_is_between_dollar_and_checksum(void **state)
{
    static struct packet_reader reader;

    (void)state;
    assert_int_equal(GIVE(&reader, "$m80,4#35"), PACKET_COMPLETE);
    assert_int_equal(reader.length, 5);
    assert_string_equal(reader.text, "m80,4");
    assert_int_equal(GIVE(&reader, "$#00"), PACKET_COMPLETE);
    assert_int_equal(reader.length, 0);
}

static void a_wrong_checksum_is_damage(void **state)
{
    static struct packet_reader reader;

    (void)state;
    assert_int_equal(GIVE(&reader, "$g#68"), PACKET_DAMAGED);
    assert_int_equal(GIVE(&reader, "$g#x"), PACKET_DAMAGED);
    assert_int_equal(GIVE(&reader, "$g#67"), PACKET_COMPLETE);
}

static void signs_between_packets_are_told(void **state)
{
    static struct packet_reader reader;

    (void)state;
    assert_int_equal(GIVE(&reader, "+"), PACKET_ACCEPTED);
    assert_int_equal(GIVE(&reader, "-"), PACKET_REFUSED);
    assert_int_equal(GIVE(&reader, "\003"), PACKET_INTERRUPT);
    assert_int_equal(GIVE(&reader, "noise"), PACKET_NOTHING);
    assert_int_equal(GIVE(&reader, "$\003+-#5b"), PACKET_COMPLETE);
    assert_memory_equal(reader.text, "\003+-", 3);
}

static void an_escaped_byte_has_bit_5_inverted(void **state)
{
    static struct packet_reader reader;

    (void)state;
    assert_int_equal(GIVE(&reader, "$}\x03}\x04}]#db"), PACKET_COMPLETE);
    assert_int_equal(reader.length, 3);
    assert_memory_equal(reader.text, "#$}", 3);
}

static void a_packet_without_an_end_is_given_up_at_the_next(void **state)
{
    static struct packet_reader reader;

    (void)state;
    assert_int_equal(GIVE(&reader, "$lost$g#67"), PACKET_COMPLETE);
    assert_string_equal(reader.text, "g");
}

static void the_longest_packet_fits_and_one_more_byte_is_damage(void **state)
{
    static struct packet_reader reader;
    static char text[PACKET_BYTES + 8];
    size_t length;

    (void)state;
    text[0] = '$';
    memset(text + 1, 'a', PACKET_BYTES);
    memcpy(text + 1 + PACKET_BYTES, "#00", 4);      /* 0x61 * 2^14 ends with 00 */
    assert_int_equal(give(&reader, text, 1 + PACKET_BYTES + 3), PACKET_COMPLETE);
    assert_int_equal(reader.length, PACKET_BYTES);
    length = strlen("#61") + 2 + PACKET_BYTES;
    memcpy(text + 1 + PACKET_BYTES, "a#61", 5);
    assert_int_equal(give(&reader, text, length), PACKET_DAMAGED);
}

static void a_framed_packet_reads_back(void **state)
{
    static struct packet_reader reader;
    static char framed[PACKET_FRAMED];
    char bytes[256];
    size_t length;

    (void)state;
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)i;
    length = packet_frame(framed, bytes, sizeof bytes);
    assert_int_equal(length, 1 + 256 + 4 + 3);      /* four of them are escaped */
    assert_int_equal(give(&reader, framed, length), PACKET_COMPLETE);
    assert_int_equal(reader.length, sizeof bytes);
    assert_memory_equal(reader.text, bytes, sizeof bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_packet_is_between_dollar_and_checksum),
        cmocka_unit_test(a_wrong_checksum_is_damage),
        cmocka_unit_test(signs_between_packets_are_told),
        cmocka_unit_test(an_escaped_byte_has_bit_5_inverted),
        cmocka_unit_test(a_packet_without_an_end_is_given_up_at_the_next),
        cmocka_unit_test(the_longest_packet_fits_and_one_more_byte_is_damage),
        cmocka_unit_test(a_framed_packet_reads_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
