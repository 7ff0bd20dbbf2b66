/* Three workers queue for a lock while main spins; then each spins in its turn. turns[id] is id for
 * each of its turns, and share the product of the ids and a quarter. */
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long turns[4];
static double share = 0.25;

__attribute__((noinline)) long spin(long id, long n)
{
    for (long i = 0; i < n; i++)
        turns[id] += id;
    return turns[id];
}

static void *worker(void *arg)
{
    static const char *const name[] = {"", "first", "second", "third"};
    long id = (long)arg;
    long turn;
    double factor = (double)id;

    prctl(PR_SET_NAME, name[id]);
    /* During the wait they are in registers that no other code uses. */
    __asm__ volatile("mv s11, %0\n\tfmv.d fs5, %1" : : "r"(id), "f"(factor) : "s11", "fs5");
    pthread_mutex_lock(&lock);
    __asm__ volatile("mv %0, s11\n\tfmv.d %1, fs5" : "=r"(turn), "=f"(factor));
    spin(turn, 1000 * turn);
    share *= factor;
    pthread_mutex_unlock(&lock);
    return (void *)id;
}

int main(void)
{
    pthread_t thread[3];

    pthread_mutex_lock(&lock);
    for (long i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, worker, (void *)(i + 1));
    spin(0, 20000);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    printf("%ld %ld %ld %.2f\n", turns[1], turns[2], turns[3], share);
    return 0;
}
