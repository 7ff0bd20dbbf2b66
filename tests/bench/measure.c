/* measure SECONDS COMMAND...: runs the command without output, at most so long, and prints what it
 * took: user seconds, at least one of the thousandths they are told in; peak memory in KiB; exit
 * status (124: it was ended after SECONDS).
 *
 * Its standard input is a pipe that says nothing and stays open: some simulators stop at its
 * end. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <signal.h>

static const double RESOLUTION = 0.001;

static void start(char **command, int input)
{
    int nothing = open("/dev/null", O_WRONLY);
    dup2(input, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    execvp(command[0], command);
    _exit(127);
}

static volatile sig_atomic_t child;

static void end_child(int number)
{
    (void)number;
    kill((pid_t)child, SIGKILL);
}

static int exit_status(int status)
{
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGKILL ? 124 : 128 + WTERMSIG(status);
    return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
    int input[2], status;
    struct rusage usage;
    double seconds;
    if (argc < 3 || pipe(input) != 0)
        return 2;
    pid_t pid = fork();
    if (pid < 0)
        return 2;
    if (pid == 0)
        start(argv + 2, input[0]);
    child = (sig_atomic_t)pid;
    signal(SIGALRM, end_child);
    alarm((unsigned)strtoul(argv[1], NULL, 10));
    if (wait4(pid, &status, 0, &usage) != pid)
        return 2;
    seconds = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6;
    printf("%.3f %ld %d\n", seconds > RESOLUTION ? seconds : RESOLUTION, usage.ru_maxrss,
           exit_status(status));
    return 0;
}
