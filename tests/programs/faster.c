/* Routines beside others, alone and in two threads, and the same program with the routine really
 * made faster: with SPEED=2 each does half its rounds. The case is the first argument, rounds the
 * second. Aligned so that no routine's speed moves another's code. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef SPEED
#define SPEED 1
#endif
#define ROUTINE __attribute__((noinline)) static void
enum { ENTRIES = 1 << 16 };

static uint32_t next[ENTRIES];
static atomic_int spin;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static volatile uint64_t sink;
static char kind;
static int rounds;

static void multiply(int times)
{
    uint64_t x = 1;

    for (int i = 0; i < times; i++)
        x = x * UINT64_C(6364136223846793005) + 1;
    sink = x;
}

static void follow(uint32_t from, int times)
{
    for (int i = 0; i < times; i++)
        from = next[from % ENTRIES];
    sink = from;
}

/* The routines that become faster, */
ROUTINE chain(void)
{
    uint64_t x = 1;

    for (int i = 0; i < 1000 / SPEED; i++)
        x = x * UINT64_C(6364136223846793005) + 1;
    sink = x;
}
ROUTINE misses(uint32_t from)
{
    for (int i = 0; i < 60 / SPEED; i++)
        from = next[from % ENTRIES];
    sink = from;
}
/* and those that do not. */
ROUTINE steady(int times) { multiply(times); }
ROUTINE far(uint32_t from, int times) { follow(from, times); }

static void *work(void *arg)
{
    int is_second = arg != NULL;

    pthread_barrier_wait(&both);
    for (int i = 0; i < rounds; i++) {
        switch (kind) {
        case 's':
            while (atomic_exchange(&spin, 1) != 0)
                while (spin != 0)
                    continue;
            chain();
            spin = 0;
            steady(300);
            break;
        case 'm':
            pthread_mutex_lock(&mutex);
            chain();
            pthread_mutex_unlock(&mutex);
            steady(300);
            break;
        case 'b':           /* side by side, the second takes longer */
            if (is_second)
                far(7919 * i, 600);
            else
                chain();
            break;
        default: break;
        }
    }
    return NULL;
}

static void alone(void)
{
    for (int i = 0; i < rounds; i++) {
        if (kind == 'c')
            chain();
        else
            misses(7919 * i);
        steady(500);
        far(7919 * i + 4000, 30);
    }
}

int main(int argc, char **argv)
{
    pthread_t second;

    kind = argv[1][0];
    rounds = atoi(argv[2]);
    for (uint32_t i = 0; i < ENTRIES; i++)
        next[i] = i * UINT32_C(2654435761) + 12345;
    if (kind == 'c' || kind == 'l') {
        alone();
        return 0;
    }
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&second, NULL, work, &second);
    work(NULL);
    pthread_join(second, NULL);
    return argc == 0;
}
