/* Two threads that compute, call the kernel, wait for a lock and sleep: user, kernel and idle time
 * on two harts. */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned long sink;

__attribute__((noinline)) static unsigned long burn(unsigned rounds)
{
    unsigned long sum = 1;

    for (unsigned i = 0; i < rounds; i++)
        sum = sum * 31 + (sum >> 5) + i;
    return sum;
}

static void *work(void *arg)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        sink += burn(500);
        getppid();
        pthread_mutex_unlock(&lock);
        nanosleep(&(struct timespec){0, 5000}, NULL);
    }
    return arg;
}

int main(void)
{
    pthread_t thread[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
