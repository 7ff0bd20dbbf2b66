/* Starts another simulator beside this one, and ends it. */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/run/check/check_internal.h"

/* Runs in the child; `end` is its end of the pipe. Signals of the terminal go to the parent
 * only. */
static void become(char *const *argv, enum check_pipe kind, int end, int report)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), error;

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    dup2(kind == CHECK_TALKS ? end : null, STDIN_FILENO);
    dup2(kind == CHECK_TALKS ? end : null, STDOUT_FILENO);
    dup2(kind == CHECK_TALKS ? null : end, STDERR_FILENO);
    execvp(argv[0], argv);
    error = errno;
    if (write(report, &error, sizeof error) < 0)
        _exit(126);
    _exit(127);
}

enum err check_child_start(struct check_child *child, char *const *argv, enum check_pipe kind,
                           struct diag *diag)
{
    int ends[2], report[2], error = 0;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return diag_set(diag, ERR_IO, "--check: %s", strerror(errno));
    if (pipe2(report, O_CLOEXEC) != 0) {
        close(ends[0]), close(ends[1]);
        return diag_set(diag, ERR_IO, "--check: %s", strerror(errno));
    }
    child->pid = fork();
    if (child->pid == 0)
        become(argv, kind, ends[1], report[1]);
    close(ends[1]), close(report[1]);
    child->fd = ends[0];
    if (child->pid < 0)
        error = errno;
    else if (read(report[0], &error, sizeof error) != sizeof error)
        error = 0;
    close(report[0]);
    if (error == 0)
        return ERR_OK;
    check_child_stop(child);
    if (error == ENOENT && strchr(argv[0], '/') == NULL)
        return diag_set(diag, ERR_USAGE, "--check: %s: no such program in PATH; a file of this "
                        "folder is ./%s", argv[0], argv[0]);
    return diag_set(diag, ERR_USAGE, "--check: %s: %s", argv[0], strerror(error));
}

void check_child_stop(struct check_child *child)
{
    if (child->pid > 0) {
        kill(child->pid, SIGKILL);
        waitpid(child->pid, NULL, 0);
        close(child->fd);
    }
    child->pid = 0;
}
