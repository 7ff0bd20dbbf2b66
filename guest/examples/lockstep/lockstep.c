/* A bare-metal program in step with the clock: at each tick it works for about two thirds of the
 * time to the next one, then waits.
 *
 * A sampling period equal to the tick (or a multiple of it) finds it always at the same place:
 * waiting, or just after. */
enum { ROUNDS = 200, PERIOD = 10000, STEPS = 1000 };

volatile unsigned long tohost __attribute__((section(".tohost")));
volatile unsigned long fromhost __attribute__((section(".tohost")));

static unsigned long cycle(void)
{
    unsigned long value;

    __asm__ volatile("csrr %0, mcycle" : "=r"(value));
    return value;
}

__attribute__((noinline)) void wait_for_tick(unsigned long tick)
{
    while (cycle() < tick * PERIOD)
        ;
}

__attribute__((noinline)) unsigned work(unsigned seed)
{
    for (unsigned i = 0; i < STEPS; i++)
        seed = (seed ^ seed >> 3) * 1664525u + 1013904223u;
    return seed;
}

int main(void)
{
    unsigned seed = 1;

    for (unsigned long tick = 1; tick <= ROUNDS; tick++) {
        wait_for_tick(tick);
        seed = work(seed);
    }
    return seed == 0;
}
