/* Assert timers, a case each: assert_timers CASE T, where T is a threshold in microseconds. Prints
 * the alarms in their order, and times that are certain in units of T, rounded down. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest/lib/assert_timer_internal.h"

enum { THREADS_MAX = 4096 };

static struct assert_timers *timers;
static uint64_t unit;
static _Atomic unsigned alarms, wrong, slow;

static uint64_t clock_of(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t own_time(void)
{
    return clock_of(CLOCK_THREAD_CPUTIME_ID);
}

static void burn(uint64_t ns)
{
    uint64_t end = own_time() + ns;

    while (own_time() < end)
        ;
}

/* On a busy machine an alarm may come later than it should, but never earlier. */
static void expired(void *arg, const struct assert_timer_report *report)
{
    (void)arg;
    atomic_fetch_add(&alarms, 1);
    if (report->executed_ns < report->threshold_ns)
        atomic_fetch_add(&wrong, 1);
    if (report->tag[0] != '-')
        printf("alarm %llu %s depth %u after %llu\n", (unsigned long long)report->event,
               report->tag, report->depth,
               (unsigned long long)(report->executed_ns / unit));
}

static struct assert_timers *open_pool(unsigned count)
{
    const struct assert_timers_settings settings = {.timers = count, .expired = expired};

    return assert_timers_open(&settings);
}

static void print_counts(void)
{
    struct assert_timers_counts counts;

    assert_timers_count(timers, &counts);
    printf("begun %llu refused %llu expired %llu%s\n", (unsigned long long)counts.begun,
           (unsigned long long)counts.refused, (unsigned long long)counts.expired,
           wrong != 0 ? " WRONG" : "");
}

/* ---- nesting --------------------------------------------------------------------------------- */

/* The parent has its timer for `before`, the child's `child`, and `after`; in tenths of T. */
static void nest(uint64_t before, uint64_t child, uint64_t after)
{
    ASSERT_TIMER(timers, "parent", ASSERT_TIMER_THREAD, unit);
    burn(before * unit / 10);
    {
        ASSERT_TIMER(timers, "child", ASSERT_TIMER_THREAD, unit);
        burn(child * unit / 10);
    }
    burn(after * unit / 10);
}

static void case_ten(void) { nest(0, 50, 50); }
static void case_five_and_a_half(void) { nest(0, 50, 5); }
static void case_later_child(void) { nest(3, 50, 2); }
static void case_quick_child(void) { nest(4, 4, 4); }
static void case_nothing(void) { nest(2, 4, 2); }

/* The outer timer expires first: the inner one has a larger threshold, and begins anew. */
static void case_told_child(void)
{
    ASSERT_TIMER(timers, "outer", ASSERT_TIMER_THREAD, unit);
    ASSERT_TIMER(timers, "inner", ASSERT_TIMER_THREAD, 2 * unit);
    burn(5 * unit / 2);
}

static void case_told_child_expires(void)
{
    ASSERT_TIMER(timers, "outer", ASSERT_TIMER_THREAD, unit);
    ASSERT_TIMER(timers, "inner", ASSERT_TIMER_THREAD, 2 * unit);
    burn(5 * unit);
}

/* ---- time that does not count ---------------------------------------------------------------- */

static void sleep_for(uint64_t ns)
{
    const struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};

    nanosleep(&time, NULL);
}

static void case_sleep(void)
{
    struct assert_timers_counts counts;

    {
        ASSERT_TIMER(timers, "sleeper", ASSERT_TIMER_THREAD, unit);
        sleep_for(3 * unit);
        burn(unit / 2);
    }
    assert_timers_count(timers, &counts);
    printf("armed again: %s\n", counts.rearmed != 0 ? "yes" : "no");
}

static void case_sleep_and_work(void)
{
    ASSERT_TIMER(timers, "worker", ASSERT_TIMER_THREAD, unit);
    sleep_for(3 * unit);
    burn(2 * unit);
}

static void case_dialog(void)
{
    ASSERT_TIMER(timers, "editor", ASSERT_TIMER_THREAD, unit);
    burn(unit / 4);
    {
        ASSERT_TIMER_WAIT(timers);
        burn(4 * unit);
    }
    burn(unit / 4);
}

static void case_dialog_and_work(void)
{
    ASSERT_TIMER(timers, "editor", ASSERT_TIMER_THREAD, unit);
    {
        ASSERT_TIMER_WAIT(timers);
        burn(4 * unit);
        ASSERT_TIMER(timers, "in the dialog", ASSERT_TIMER_THREAD, unit);
        burn(2 * unit);
    }
    burn(2 * unit);
}

/* ---- processes ------------------------------------------------------------------------------- */

static void *burn_two(void *arg)
{
    (void)arg;
    burn(2 * unit);
    return NULL;
}

static void case_process(void)
{
    pthread_t thread;
    struct assert_timer *whole = assert_timer_begin(timers, "process", ASSERT_TIMER_PROCESS, unit);
    struct assert_timer *own = assert_timer_begin(timers, "thread", ASSERT_TIMER_THREAD, unit);

    pthread_create(&thread, NULL, burn_two, NULL);
    pthread_join(thread, NULL);
    assert_timer_end(own);
    assert_timer_end(whole);
}

/* ---- the pool -------------------------------------------------------------------------------- */

static void case_pool(void)
{
    struct assert_timer *timer[5];
    bool has_timer;

    for (unsigned i = 0; i < 5; i++)
        timer[i] = assert_timer_begin(timers, "-", ASSERT_TIMER_THREAD, 1000 * unit);
    printf("fifth: %s\n", timer[4] == NULL ? "none" : "a timer");
    assert_timer_end(timer[4]);
    for (unsigned i = 0; i < 4; i++)            /* in any order */
        assert_timer_end(timer[i]);
    timer[0] = assert_timer_begin(timers, "again", ASSERT_TIMER_THREAD, unit);
    has_timer = timer[0] != NULL;
    burn(2 * unit);
    assert_timer_end(timer[0]);
    printf("returned: %s\n", has_timer ? "yes" : "no");
}

static void *leave_behind(void *arg)
{
    (void)arg;
    assert_timer_begin(timers, "-", ASSERT_TIMER_THREAD, 1000 * unit);
    assert_timer_begin(timers, "-", ASSERT_TIMER_THREAD, 1000 * unit);
    return NULL;
}

static void case_left_behind(void)
{
    pthread_t thread;

    for (unsigned i = 0; i < 8; i++) {
        pthread_create(&thread, NULL, leave_behind, NULL);
        pthread_join(thread, NULL);
    }
}

/* ---- many threads ---------------------------------------------------------------------------- */

static pthread_barrier_t barrier;

/* Each thread has two timers; every tenth thread has an alarm, of its inner timer. */
static void *work(void *arg)
{
    bool is_slow = (uintptr_t)arg % 10 == 0;

    pthread_barrier_wait(&barrier);
    ASSERT_TIMER(timers, "-", ASSERT_TIMER_THREAD, 4 * unit);
    for (unsigned i = 0; i < 20; i++) {
        struct assert_timer *timer = assert_timer_begin(timers, "-", ASSERT_TIMER_THREAD, unit);

        if (is_slow && i == 10 && timer != NULL) {
            atomic_fetch_add(&slow, 1);
            burn(2 * unit);
        }
        assert_timer_end(timer);
    }
    return NULL;
}

/* Many timers are over by the clock, and have to be looked at again and again before their threads
 * have had their time. All these looks may keep no thread from the lock. */
static void *share(void *arg)
{
    pthread_barrier_wait(&barrier);
    for (unsigned i = 0; i < 8; i++) {
        struct assert_timer *timer = assert_timer_begin(timers, "-", ASSERT_TIMER_THREAD, unit);

        if (i % 4 == 0)
            atomic_fetch_add(&slow, timer != NULL);
        else
            sleep_for(i % 4 * unit);
        burn(i % 4 == 0 ? 2 * unit : unit / 4);
        assert_timer_end(timer);
    }
    return arg;
}

static void case_threads(unsigned count, void *(*run)(void *))
{
    static pthread_t thread[THREADS_MAX];
    pthread_attr_t small;

    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    pthread_barrier_init(&barrier, NULL, count);
    for (unsigned i = 0; i < count; i++)
        if (pthread_create(&thread[i], &small, run, (void *)(uintptr_t)i) != 0)
            abort();
    for (unsigned i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
    printf("%u calls, an alarm for each slow one with a timer: %s\n",
           (run == work ? 21 : 8) * count,
           alarms == slow && slow != 0 ? "yes" : "no");
}

/* ---- cost ------------------------------------------------------------------------------------ */

static uint64_t cycles(void)
{
#ifdef __riscv
    uint64_t value;

    __asm__ volatile("rdcycle %0" : "=r"(value));
    return value;
#else
    return __builtin_ia32_rdtsc();
#endif
}

/* The minimum of some rounds, without the effects of the machine's load. */
static uint64_t cost_of_one(void)
{
    enum { ROUNDS = 6, TIMES = 50 };
    uint64_t least = UINT64_MAX;

    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t from = cycles();

        for (unsigned i = 0; i < TIMES; i++) {
            ASSERT_TIMER(timers, "-", ASSERT_TIMER_THREAD, 1000 * ASSERT_TIMER_S);
        }
        from = (cycles() - from) / TIMES;
        if (from < least)
            least = from;
    }
    return least;
}

static void case_cost(void)
{
    struct assert_timer *taken[4];
    uint64_t full = cost_of_one(), empty;

    for (unsigned i = 0; i < 4; i++)
        taken[i] = assert_timer_begin(timers, "-", ASSERT_TIMER_THREAD, 1000 * ASSERT_TIMER_S);
    empty = cost_of_one();
    for (unsigned i = 4; i-- > 0;)
        assert_timer_end(taken[i]);
    printf("pool full: %llu cycles a timer\npool empty: %llu cycles a timer\n",
           (unsigned long long)full, (unsigned long long)empty);
}

/* Code begins and ends a timer again and again, in a pool that takes long to look through. */
static void case_large_pool(void)
{
    struct assert_timers *small = timers;
    uint64_t cost = cost_of_one();

    timers = open_pool(1024);
    printf("costs as much: %s\n", cost_of_one() <= cost + cost / 4 ? "yes" : "no");
    assert_timers_close(timers);
    timers = small;
}

int main(int argc, char **argv)
{
    static const struct { const char *name; void (*run)(void); } all[] = {
        {"ten", case_ten}, {"five-and-a-half", case_five_and_a_half},
        {"later-child", case_later_child}, {"quick-child", case_quick_child},
        {"nothing", case_nothing}, {"told-child", case_told_child},
        {"told-child-expires", case_told_child_expires}, {"sleep", case_sleep},
        {"sleep-and-work", case_sleep_and_work}, {"dialog", case_dialog},
        {"dialog-and-work", case_dialog_and_work}, {"process", case_process},
        {"pool", case_pool}, {"left-behind", case_left_behind}, {"cost", case_cost},
        {"large-pool", case_large_pool},
    };

    unit = argc > 2 ? strtoull(argv[2], NULL, 0) * 1000 : 1000000;
    timers = open_pool(argc > 3 ? 128 : 4);
    if (argc > 3)
        case_threads((unsigned)strtoul(argv[3], NULL, 0),
                     strcmp(argv[1], "crowd") == 0 ? share : work);
    for (unsigned i = 0; argc == 3 && i < sizeof all / sizeof all[0]; i++)
        if (strcmp(argv[1], all[i].name) == 0)
            all[i].run();
    print_counts();
    assert_timers_close(timers);
    return 0;
}
