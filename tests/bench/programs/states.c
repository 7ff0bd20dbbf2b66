/* A state machine that reads numbers, and a bitwise CRC over what it found: switches, shifts, short
 * unpredictable branches. CRC-16 is the one of ITU-T V.41 (polynomial 0x1021). */
#include "bench.h"

enum { TEXT = 2048 };

enum state { START, SIGN, INTEGER, POINT, FRACTION, EXPONENT, SCIENTIFIC, INVALID, STATES };

static char text[TEXT];
static uint32_t visits[STATES], ends[STATES];

static void make_text(void)
{
    static const char token[8][8] = {"5012", "-874", "+122", "35.54400", ".1234500", "-110.700",
                                     "5.500e+3", "T0.3e-1F"};
    uint32_t state = 11, at = 0;
    while (at + 9 < TEXT) {
        const char *from = token[bench_random(&state) >> 13 & 7];
        for (int i = 0; i < 8 && from[i] != '\0'; i++)
            text[at++] = from[i];
        text[at++] = ',';
    }
    while (at < TEXT)
        text[at++] = ',';
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static enum state step(enum state state, char c)
{
    switch (state) {
    case START:
        return is_digit(c) ? INTEGER : c == '+' || c == '-' ? SIGN : c == '.' ? POINT : INVALID;
    case SIGN:
        return is_digit(c) ? INTEGER : c == '.' ? POINT : INVALID;
    case INTEGER:
        return is_digit(c) ? INTEGER : c == '.' ? FRACTION : INVALID;
    case POINT:
    case FRACTION:
        return is_digit(c) ? FRACTION : c == 'e' || c == 'E' ? EXPONENT : INVALID;
    case EXPONENT:
        return is_digit(c) || c == '+' || c == '-' ? SCIENTIFIC : INVALID;
    case SCIENTIFIC:
        return is_digit(c) ? SCIENTIFIC : INVALID;
    default:
        return INVALID;
    }
}

static uint16_t crc(uint16_t sum, uint32_t word, unsigned bits)
{
    for (unsigned bit = 0; bit < bits; bit++) {
        unsigned top = (sum >> 15 ^ word >> bit) & 1;
        sum = (uint16_t)(sum << 1);
        if (top != 0)
            sum ^= 0x1021;
    }
    return sum;
}

uint32_t bench_round(void)
{
    uint16_t sum = 0xffff;
    enum state state = START;
    make_text();
    for (int i = 0; i < STATES; i++)
        visits[i] = ends[i] = 0;
    for (int i = 0; i < TEXT; i++) {
        if (text[i] == ',') {
            ends[state]++;
            sum = crc(sum, (uint32_t)state, 8);
            state = START;
        } else {
            state = step(state, text[i]);
            visits[state]++;
            sum = crc(sum, (uint8_t)text[i], 8);
        }
    }
    for (int i = 0; i < STATES; i++)
        sum = crc(crc(sum, visits[i], 16), ends[i], 16);
    return sum;
}

BENCH(140, UINT32_C(60989));
