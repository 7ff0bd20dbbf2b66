/* Expiry in the middle of construction and destruction: the thread is held at a place of the
 * library until the background thread has had its chance. assert_timers_middle PLACE T */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static void held_at(const char *place);
#define ASSERT_TIMER_AT(place) held_at(place)
#include "guest/lib/assert_timer.c"
#include "guest/lib/assert_timer_expiry.c"

#include <string.h>

static const char *held_place;
static pthread_t owner;
static uint64_t unit;
static unsigned alarms, late;
static bool was_held;               /* the owner's */

static void burn(uint64_t ns)
{
    uint64_t end = read_clock(CLOCK_THREAD_CPUTIME_ID) + ns;

    while (read_clock(CLOCK_THREAD_CPUTIME_ID) < end)
        ;
}

static void rest(uint64_t ns)
{
    const struct timespec time = {(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};

    nanosleep(&time, NULL);
}

/* Holds the thread once. At "handling" this is the background thread, while the owner goes on. */
static void held_at(const char *place)
{
    bool is_owner = pthread_equal(pthread_self(), owner) != 0;

    if (strcmp(place, held_place) != 0)
        return;
    if (strcmp(place, "handling") == 0) {
        rest(is_owner ? 0 : 4 * unit);
        return;
    }
    if (!is_owner || was_held)
        return;
    was_held = true;
    burn(2 * unit);
    rest(3 * unit);
}

static void expired(void *arg, const struct assert_timer_report *report)
{
    (void)arg;
    alarms++;
    late += report->is_late;
}

int main(int argc, char **argv)
{
    const struct assert_timers_settings settings = {.timers = 1, .expired = expired};
    struct assert_timers *timers;
    uint64_t from, waited;

    if (argc < 3)
        return 2;
    unit = strtoull(argv[2], NULL, 0) * 1000;
    held_place = argv[1];
    owner = pthread_self();
    timers = assert_timers_open(&settings);
    {
        ASSERT_TIMER(timers, "held", ASSERT_TIMER_THREAD, unit);
        burn(strcmp(argv[1], "handling") == 0 ? 2 * unit : 0);
        from = expiry_monotonic();
    }
    waited = expiry_monotonic() - from;
    printf("%u alarms, %u late%s\n", alarms, late,
           strcmp(argv[1], "handling") == 0 && waited > unit ? ", the end waited" : "");
    alarms = late = 0;
    for (unsigned i = 0; i < 3; i++) {      /* the one timer of the pool is as new */
        ASSERT_TIMER(timers, "next", ASSERT_TIMER_THREAD, 100 * unit);
        burn(unit);
    }
    printf("then %u alarms\n", alarms);
    assert_timers_close(timers);
    return 0;
}
