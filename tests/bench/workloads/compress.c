/* Compression, as xz: the longest match for each place of a text is looked for in chains of earlier
 * places with the same hash. */
#include "workload.h"

enum { WINDOW = 1 << 20, HASHES = 1 << 16, CHAIN = 16, LONGEST = 258, PART = 40000 };

static uint8_t *text;
static uint32_t head[HASHES], *before, at, words;

static uint32_t hash_at(uint32_t i)
{
    uint32_t word;

    memcpy(&word, text + i, sizeof word);
    return word * 2654435761u >> 16;
}

static void enter(uint32_t i)
{
    uint32_t hash = hash_at(i);

    before[i] = head[hash];
    head[hash] = i;
}

static void setup(void)
{
    static char word[2000][9];

    text = malloc(WINDOW + LONGEST + 16);
    before = calloc(WINDOW + LONGEST, sizeof *before);
    for (int i = 0; i < 2000; i++)
        for (uint32_t j = 0, n = 2 + random_below(7); j < n; j++)
            word[i][j] = (char)('a' + random_below(26));
    for (uint32_t i = 0; i < WINDOW; words++) {
        uint32_t pick = random_below(45) * random_below(45);
        for (const char *c = word[pick < 2000 ? pick : 0]; *c != '\0'; c++)
            text[i++] = (uint8_t)*c;
        text[i++] = ' ';
    }
    for (at = 1; at < WINDOW - (1 << 18); at++)
        enter(at);
}

static uint32_t longest(uint32_t *distance)
{
    uint32_t best = 0, from = head[hash_at(at)];

    for (int tries = 0; tries < CHAIN && from != 0; tries++, from = before[from]) {
        uint32_t length = 0;
        if (text[from + best] != text[at + best])
            continue;
        while (length < LONGEST && text[from + length] == text[at + length])
            length++;
        if (length > best) {
            best = length;
            *distance = at - from;
        }
    }
    return best;
}

uint64_t work(void)
{
    uint64_t cost = 0;

    if (at + PART >= WINDOW)
        at = 1;
    for (uint32_t end = at + PART; at < end;) {
        uint32_t distance = 0, length = longest(&distance), n = length >= 4 ? length : 1;
        cost += length >= 4 ? 10 + (uint32_t)__builtin_clz(distance) : 9;
        for (; n != 0; n--, at++)
            enter(at);
    }
    return cost;
}
