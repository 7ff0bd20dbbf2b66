/* The first process and a daemon of its own session wait in turn, each in a function of its own. */
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SERVES = 40, WORKS = 50, NS = 100000 };

static __attribute__((noinline)) void doze(int times)
{
    while (times-- > 0)
        nanosleep(&(struct timespec){0, NS}, NULL);
}

static __attribute__((noinline)) void serve(void)
{
    doze(SERVES);
    __asm__ volatile("");
}

static __attribute__((noinline)) void work(void)
{
    doze(WORKS);
    __asm__ volatile("");
}

int main(void)
{
    pid_t child = fork();

    if (child == 0) {
        setsid();
        serve();
        _exit(0);
    }
    work();
    return waitpid(child, NULL, 0) != child;
}
