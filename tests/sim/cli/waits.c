/* Waits for ever, in two threads that have the lock which the other one wants; with an argument,
 * for three seconds. */
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t have;
static void both(pthread_mutex_t *mine, pthread_mutex_t *yours)
{
    pthread_mutex_lock(mine);
    pthread_barrier_wait(&have);
    pthread_mutex_lock(yours);
}
static void *other(void *arg)
{
    both(&right, &left);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    (void)argv;
    if (argc > 1) {
        sleep(3);
        return 3;
    }
    pthread_barrier_init(&have, 0, 2);
    pthread_create(&thread, 0, other, 0);
    both(&left, &right);
    return 0;
}
