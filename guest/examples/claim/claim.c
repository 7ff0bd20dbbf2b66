/* A bare-metal program that takes the profiling interrupts itself.
 *
 * It owns mtvec, asks for the indicator interrupts (PROF_MODE_CLAIM), and in its handler reads
 * what the hardware says about each: where, which datum, what count. The marks come from
 * claim.meta; the program is the same without them. */
#include "rvsim/htif.h"
#include "rvsim/profiling.h"

enum { CALLS = 100, INDICATOR = 24 };

volatile unsigned long tohost __attribute__((section(".tohost")));
volatile unsigned long fromhost __attribute__((section(".tohost")));

static volatile unsigned long interrupts, counts, place_is_right;
volatile unsigned long table[8];

void watched(unsigned long i);

/* Called from the trap vector with every caller-saved register kept. */
void handle_trap(unsigned long cause)
{
    if (cause != (1ul << 63 | INDICATOR))
        tohost = 3 << 1 | 1;
    struct prof_indicator indicator = prof_indicator();
    interrupts++;
    counts += indicator.count;
    place_is_right += indicator.iaddr == (unsigned long)watched;
    prof_indicator_acknowledge();
}

__attribute__((noinline)) void watched(unsigned long i)
{
    table[i % 8] += i;
}

int main(void)
{
    prof_set_mode(prof_csr_read(CSR_PROF_MODE) | PROF_MODE_CLAIM);
    __asm__ volatile("csrs mie, %0" : : "r"(1ul << INDICATOR));
    __asm__ volatile("csrs mstatus, %0" : : "r"(8ul));
    for (unsigned long i = 0; i < CALLS; i++)
        watched(i);
    __asm__ volatile("csrc mstatus, %0" : : "r"(8ul));
    htif_print_number("interrupts ", interrupts);
    htif_print_number("counted before them ", counts);
    htif_print_number("at the right place ", place_is_right);
    htif_print_number("counted since ", prof_insn_count((const void *)watched));
    htif_print_number("accesses to table[0] ", prof_data_count((const void *)&table[0]));
    return 0;
}
