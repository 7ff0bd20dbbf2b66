/* Dies of a signal in a thread while others wait; with an argument, may leave a core file. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

int kept[3] = {11, 22, 33};
double measured;

static void *die_of_null(void *arg)
{
    volatile int *volatile nowhere = NULL;

    measured = *(double *)arg * 2;
    *nowhere = (int)measured;
    return NULL;
}

static void *wait_for_ever(void *arg)
{
    for (;;)
        pause();
    return arg;
}

int main(int argc, char **argv)
{
    static double value = 21.5;
    struct rlimit limit = {argc > 1 ? strtoul(argv[1], NULL, 0) : 0, RLIM_INFINITY};
    int *heap = malloc(sizeof *heap);
    pthread_t thread;

    *heap = 44;
    kept[2] = *heap;
    setrlimit(RLIMIT_CORE, &limit);
    pthread_create(&thread, NULL, wait_for_ever, NULL);
    usleep(1000);
    pthread_create(&thread, NULL, die_of_null, &value);
    pthread_join(thread, NULL);
    return 0;
}
