/* Waits for ticks of a timer, as the first argument says: "first": after writing a line; "input":
 * after reading one; "file": after making a directory. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>

static volatile sig_atomic_t ticks;

static void tick(int signal)
{
    (void)signal;
    ticks++;
}

__attribute__((noinline)) unsigned work(unsigned rounds)
{
    volatile unsigned sum = 0;

    for (unsigned i = 0; i < rounds; i++)
        sum += i;
    return sum;
}

int main(int argc, char **argv)
{
    const struct itimerval often = {{0, 50}, {0, 50}};
    const char *what = argc > 1 ? argv[1] : "";
    char line[80] = "";

    if (strcmp(what, "first") == 0) {
        puts("first");
        fflush(stdout);
    }
    if (strcmp(what, "input") == 0 && fgets(line, sizeof line, stdin) == NULL)
        return 3;
    if (strcmp(what, "file") == 0 && mkdir("made", 0700) != 0)
        return 4;
    printf("begin %s", line);
    work(1000);
    signal(SIGALRM, tick);
    setitimer(ITIMER_REAL, &often, NULL);
    for (unsigned n = 0; n < 100 && ticks < 3; n++)
        work(2000);
    printf("%s\n", ticks < 3 ? "in vain" : "ticks");
    return 5;
}
