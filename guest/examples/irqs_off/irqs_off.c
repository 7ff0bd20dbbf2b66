/* A bare-metal program that does most of its work with interrupts disabled.
 *
 * An interrupt that a timer wants meanwhile waits until they are enabled again: a timer's samples
 * never fall into update(), and what it takes is charged to what comes after it. */
enum { ROUNDS = 2000, CELLS = 64 };

volatile unsigned long tohost __attribute__((section(".tohost")));
volatile unsigned long fromhost __attribute__((section(".tohost")));

static unsigned cell[CELLS];

/* The critical section: three quarters of the time. */
__attribute__((noinline)) void update(unsigned seed)
{
    for (unsigned i = 0; i < CELLS; i++) {
        seed = seed * 1664525u + 1013904223u;
        cell[i] = cell[i] * 5 + (seed >> 16);
    }
}

__attribute__((noinline)) void leave_section(void)
{
    __asm__ volatile("csrsi mstatus, 8" : : : "memory");
}

__attribute__((noinline)) unsigned inspect(void)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < CELLS; i += 2)
        sum ^= cell[i] >> 3;
    return sum;
}

int main(void)
{
    unsigned sum = 0;

    for (unsigned round = 0; round < ROUNDS; round++) {
        __asm__ volatile("csrci mstatus, 8" : : : "memory");
        update(round);
        leave_section();
        sum += inspect();
    }
    return sum == 0;
}
