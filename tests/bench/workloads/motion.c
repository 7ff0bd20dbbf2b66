/* Motion estimation, as x264: a diamond search for the block of the last picture that is most like
 * this one, by sums of absolute differences. */
#include "workload.h"

enum { WIDTH = 640, HEIGHT = 128, BLOCK = 16, EDGE = 32, STEPS = 12 };

static uint8_t *last, *now;

static void setup(void)
{
    last = malloc(WIDTH * HEIGHT);
    now = malloc(WIDTH * HEIGHT);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            last[y * WIDTH + x] = (uint8_t)(x * x / 97 + y * y / 53 + (int)random_below(6));
            now[y * WIDTH + x] = (uint8_t)((x + 3) * (x + 3) / 97 + (y - 2) * (y - 2) / 53);
        }
}

static uint32_t difference(const uint8_t *a, const uint8_t *b, uint32_t most)
{
    uint32_t sum = 0;

    for (int y = 0; y < BLOCK && sum < most; y++, a += WIDTH, b += WIDTH)
        for (int x = 0; x < BLOCK; x++)
            sum += (uint32_t)abs(a[x] - b[x]);
    return sum;
}

static uint32_t search(int x, int y)
{
    static const int way_x[4] = {1, -1, 0, 0}, way_y[4] = {0, 0, 1, -1};
    const uint8_t *block = &now[y * WIDTH + x];
    uint32_t best = difference(block, &last[y * WIDTH + x], UINT32_MAX);

    for (int step = 0; step < STEPS; step++) {
        int way = -1;
        for (int i = 0; i < 4; i++) {
            uint32_t sum = difference(block, &last[(y + way_y[i]) * WIDTH + x + way_x[i]], best);
            if (sum < best) {
                best = sum;
                way = i;
            }
        }
        if (way < 0)
            break;
        x += way_x[way];
        y += way_y[way];
    }
    return best;
}

uint64_t work(void)
{
    uint64_t sum = 0;

    for (int y = EDGE; y < HEIGHT - EDGE; y += BLOCK)
        for (int x = EDGE; x < WIDTH - EDGE; x += BLOCK)
            sum += search(x, y);
    return sum;
}
