/* measure [-s TEXT] SECONDS COMMAND...: runs the command without output, for at most SECONDS, and
 * prints its user seconds (in thousandths, at least one of them), its peak memory in KiB and its
 * exit status (124: it was ended after SECONDS; 125: it ended with status 0, but did not write
 * TEXT).
 *
 * The command's standard input is a pipe that carries nothing and stays open, because some
 * simulators stop at the end of their input. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const double RESOLUTION = 0.001;

static void start(char **command, int input, int output)
{
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
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

static bool has_said(const char *text, FILE *output)
{
    char *line = NULL;
    size_t room = 0;
    bool said = false;
    rewind(output);
    while (!said && getline(&line, &room, output) >= 0)
        said = strstr(line, text) != NULL;
    free(line);
    return said;
}

int main(int argc, char **argv)
{
    int input[2], status;
    struct rusage usage;
    const char *text = NULL;
    if (argc > 2 && strcmp(argv[1], "-s") == 0) {
        text = argv[2];
        argv += 2, argc -= 2;
    }
    FILE *output = text != NULL ? tmpfile() : fopen("/dev/null", "w");
    if (argc < 3 || output == NULL || pipe(input) != 0)
        return 2;
    pid_t pid = fork();
    if (pid < 0)
        return 2;
    if (pid == 0)
        start(argv + 2, input[0], fileno(output));
    child = (sig_atomic_t)pid;
    signal(SIGALRM, end_child);
    alarm((unsigned)strtoul(argv[1], NULL, 10));
    if (wait4(pid, &status, 0, &usage) != pid)
        return 2;
    double seconds = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6;
    int ended = exit_status(status);
    if (ended == 0 && text != NULL && !has_said(text, output))
        ended = 125;
    printf("%.3f %ld %d\n", seconds > RESOLUTION ? seconds : RESOLUTION, usage.ru_maxrss, ended);
    return 0;
}
