/* Waits for one lock from two places: twice from `often`, for 100 us each, and once from `seldom`,
 * for 200 us. The holder sleeps meanwhile. */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static int held[2];

static void hold(long microseconds)
{
    pthread_mutex_lock(&gate);
    if (write(held[1], "h", 1) != 1)
        _exit(3);
    nanosleep(&(struct timespec){0, microseconds * 1000}, NULL);
    pthread_mutex_unlock(&gate);
}

static __attribute__((noinline)) void pass(void)
{
    char letter;

    if (read(held[0], &letter, 1) != 1)
        _exit(4);
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
}

static __attribute__((noinline)) void often(void)
{
    pass();
    __asm__ volatile("");
}

static __attribute__((noinline)) void seldom(void)
{
    pass();
    __asm__ volatile("");
}

static void *help(void *arg)
{
    for (int i = 0; i < 2; i++)
        often();
    seldom();
    return arg;
}

int main(void)
{
    pthread_t helper;

    if (pipe(held) != 0)
        return 2;
    pthread_create(&helper, NULL, help, NULL);
    for (int i = 0; i < 3; i++) {
        hold(i < 2 ? 100 : 200);
        nanosleep(&(struct timespec){0, 50000}, NULL);
    }
    pthread_join(helper, NULL);
    return 0;
}
