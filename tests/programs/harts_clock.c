/* The clock of several harts, read while they take turns: `time` follows the cycles of the hart
 * that reads it, is ahead of them by at most a turn, and never goes back from one hart to another;
 * the clock's own register agrees. Built with -DHARTS=n -DTURN=cycles, at 100 cycles a tick.
 * Started by hart number (start_harts.S); hart 0 ends the run with a bit for each fault. */
enum { ROUNDS = 500, TICK = 100, EARLY = 1, LATE = 2, BACK = 4, DIFFERS = 8 };

static unsigned is_locked, arrived, wrong;
static unsigned long latest;
static volatile unsigned long *const mtime = (volatile unsigned long *)0x200bff8;

#define READ(name) __extension__({ \
    unsigned long value_; \
    __asm__ volatile("csrr %0, " #name : "=r"(value_) : : "memory"); \
    value_; })

/* Checks one reading of the clock between two readings of the cycle. */
static unsigned judge(unsigned long before, unsigned long now, unsigned long after)
{
    return (now < before / TICK ? EARLY : 0) | (now > (after + TURN) / TICK ? LATE : 0);
}

static unsigned look(unsigned round)
{
    unsigned long before = READ(mcycle), now = round % 2 ? *mtime : READ(time);

    return judge(before, now, READ(mcycle));
}

/* Harts read one at a time: the time that a hart has read is the past for the next. */
static unsigned look_in_order(void)
{
    unsigned long now, again;
    unsigned found;

    while (__atomic_exchange_n(&is_locked, 1, __ATOMIC_ACQUIRE))
        ;
    now = READ(time);
    again = *mtime;
    found = (now < latest ? BACK : 0) |
            (again < now || again > now + 1 + TURN / TICK ? DIFFERS : 0);
    latest = again;
    __atomic_store_n(&is_locked, 0, __ATOMIC_RELEASE);
    return found;
}

int hart_main(unsigned long hart)
{
    unsigned found = 0;

    for (unsigned round = 0; round < ROUNDS; round++)
        found |= look(round) | look_in_order();
    __atomic_fetch_or(&wrong, found, __ATOMIC_RELAXED);
    __atomic_fetch_add(&arrived, 1, __ATOMIC_RELEASE);
    while (hart == 0 && __atomic_load_n(&arrived, __ATOMIC_ACQUIRE) != HARTS)
        ;
    return (int)wrong;
}
