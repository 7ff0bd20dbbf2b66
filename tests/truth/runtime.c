/* Traps and interrupts of the drawn programs. */
#include "runtime.h"

enum { TIMER = 7, SOFTWARE = 3, TICK = 40 };
#define CLINT 0x2000000ul
#define SOFTWARE_OF(hart) (*(volatile int *)(CLINT + 4 * (unsigned long)(hart)))
#define CLOCK (*(volatile long *)(CLINT + 0xbff8))

static volatile long ticks, nested;
/* Exceptions: a program does the same with their number whenever timer interrupts come. */
static volatile long served;

long handle_trap(long cause, long is_nested);

/* The next timer interrupt of this hart; RV32 writes halves, and none comes in between. */
static void ask_tick(long when)
{
#if __riscv_xlen == 64
    *(volatile long *)(CLINT + 0x4000 + 8 * (unsigned long)hart()) = when;
#else
    volatile long *compare = (volatile long *)(CLINT + 0x4000 + 8 * (unsigned long)hart());

    compare[1] = -1;
    compare[0] = when;
    compare[1] = when < 0 ? -1 : 0;
#endif
}

long handle_trap(long cause, long is_nested)
{
    if (cause >= 0) {
        served++;
        if (is_nested)
            nested += trap(0);
        return served;
    }
    if ((cause & 15) == SOFTWARE) {
        SOFTWARE_OF(hart()) = 0;
    } else {
        ask_tick(--ticks > 0 ? CLOCK + TICK : -1);
        if (ticks & 1)
            ask_interrupt();
    }
    return is_nested;
}

/* The interrupt is let in here, in a handler too. */
void ask_interrupt(void)
{
    SOFTWARE_OF(hart()) = 1;
    __asm__ volatile("csrs mie, %0\n\tcsrsi mstatus, 8\n\tnop\n\tnop" : : "r"(1l << SOFTWARE)
                     : "memory");
    while (SOFTWARE_OF(hart()))
        ;
}

void start_ticks(long number)
{
    ticks = number;
    ask_tick(CLOCK + TICK);
    __asm__ volatile("csrs mie, %0\n\tcsrsi mstatus, 8" : : "r"(1l << TIMER) : "memory");
}
