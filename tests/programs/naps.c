/* Sleeps once in each system call that can, and prints by how much its clocks moved meanwhile:
 * `cycle`, `time`, the clock of the system and that of the processor. Argument: the nanoseconds of
 * a sleep (2000000). */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { NR_PSELECT6 = 72, NR_PPOLL = 73, NR_FUTEX = 98, NR_NANOSLEEP = 101,
       NR_CLOCK_NANOSLEEP = 115, ABSOLUTE = 1 };

struct nap { const char *name; long number, arg[6]; };

static struct timespec span, wake;
static int word;

static long long ns_of(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Four instructions from the first reading of a counter to its second, the call in the middle. */
static void take(const struct nap *nap)
{
    long long system = ns_of(CLOCK_MONOTONIC), processor = ns_of(CLOCK_PROCESS_CPUTIME_ID);
    unsigned long cycle[2], time[2];
    register long a0 __asm__("a0") = nap->arg[0], a1 __asm__("a1") = nap->arg[1];
    register long a2 __asm__("a2") = nap->arg[2], a3 __asm__("a3") = nap->arg[3];
    register long a4 __asm__("a4") = nap->arg[4], a5 __asm__("a5") = nap->arg[5];
    register long a7 __asm__("a7") = nap->number;

    __asm__ volatile("rdcycle %0\n\trdtime %1\n\tecall\n\trdtime %3\n\trdcycle %2"
                     : "=&r"(cycle[0]), "=&r"(time[0]), "=&r"(cycle[1]), "=&r"(time[1]), "+r"(a0)
                     : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a7) : "memory");
    long result = a0;
    processor = ns_of(CLOCK_PROCESS_CPUTIME_ID) - processor;
    system = ns_of(CLOCK_MONOTONIC) - system;
    printf("%s result %ld cycles %lu ticks %lu system %lld processor %lld\n", nap->name, result,
           cycle[1] - cycle[0], time[1] - time[0], system, processor);
}

static void take_until(clockid_t clock, struct nap nap)
{
    long long until = ns_of(clock) + span.tv_nsec;

    wake = (struct timespec){until / 1000000000, until % 1000000000};
    take(&nap);
}

int main(int argc, char **argv)
{
    span.tv_nsec = argc > 1 ? atol(argv[1]) : 2000000;
    take(&(struct nap){"nanosleep", NR_NANOSLEEP, {(long)&span}});
    take(&(struct nap){"clock_nanosleep", NR_CLOCK_NANOSLEEP,
                       {CLOCK_MONOTONIC, 0, (long)&span}});
    take(&(struct nap){"ppoll", NR_PPOLL, {0, 0, (long)&span}});
    take(&(struct nap){"pselect6", NR_PSELECT6, {0, 0, 0, 0, (long)&span}});
    take(&(struct nap){"futex", NR_FUTEX, {(long)&word, 0, 0, (long)&span}});
    take_until(CLOCK_REALTIME, (struct nap){"until", NR_CLOCK_NANOSLEEP,
                                            {CLOCK_REALTIME, ABSOLUTE, (long)&wake}});
    return 0;
}
