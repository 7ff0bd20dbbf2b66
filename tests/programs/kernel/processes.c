/* fork with copy on write and shared memory, a pipe, exec, wait, signals, timers, a child's end. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t taken, alarms;
static int copied = 1;

static void take(int signo, siginfo_t *info, void *context)
{
    (void)context;
    taken = info->si_signo == signo && info->si_pid == getpid() ? signo : -1;
}

static void ring(int signo)
{
    (void)signo;
    alarms++;
}

static int status_of(pid_t child)
{
    int status;

    return waitpid(child, &status, 0) == child ? status : -1;
}

static void try_fork(void)
{
    int *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int ends[2], status;
    char text[64] = "";
    pid_t child;

    if (pipe(ends) != 0)
        return;
    child = fork();
    if (child == 0) {
        copied = 2;
        *shared = 42;
        dprintf(ends[1], "child has %d", copied);
        _exit(5);
    }
    close(ends[1]);
    while (read(ends[0], text + strlen(text), sizeof text - 1 - strlen(text)) > 0)
        ;
    status = WEXITSTATUS(status_of(child));
    printf("%s, parent has %d, both %d, status %d\n", text, copied, *shared, status);
    fflush(stdout);
}

static void try_exec(char **argv)
{
    pid_t child = fork();

    if (child == 0) {
        execl("/proc/self/exe", argv[0], "again", "word", (char *)NULL);
        _exit(99);
    }
    printf("exec: status %d\n", WEXITSTATUS(status_of(child)));
}

static void try_signals(void)
{
    struct sigaction action = {.sa_sigaction = take, .sa_flags = SA_SIGINFO};
    struct itimerval timer = {{0, 1000}, {0, 1000}};

    sigaction(SIGUSR1, &action, NULL);
    kill(getpid(), SIGUSR1);
    printf("signal: %d\n", taken);
    action = (struct sigaction){.sa_handler = ring, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    while (alarms < 5)
        pause();
    timer = (struct itimerval){{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &timer, NULL);
    printf("alarms: enough\n");
}

static void try_sleep(void)
{
    struct timespec before, after, pause = {0, 3000000};
    long ns;

    clock_gettime(CLOCK_MONOTONIC, &before);
    nanosleep(&pause, NULL);
    clock_gettime(CLOCK_MONOTONIC, &after);
    ns = (after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec;
    printf("slept: %s\n", ns >= 3000000 && ns < 3500000 ? "as long as asked" : "wrong");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    pid_t child;

    if (argc > 1) {
        printf("%s %s\n", argv[1], argv[2]);
        return 7;
    }
    try_fork();
    try_exec(argv);
    try_signals();
    try_sleep();
    child = fork();
    if (child == 0)
        raise(SIGSEGV);
    printf("killed by: %d\n", WTERMSIG(status_of(child)));
    return 0;
}
