/* See pager.h. An environment variable records that a pager is in use, also for programs that are
 * started. */
#define _GNU_SOURCE

#include "sim/cli/terminal/pager.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define IN_USE "RVSIM_PAGER_IN_USE"

static const char *const paged[] = {"report", "annotate", "diff", "script", "events"};

static bool is_paged(const char *command)
{
    for (size_t i = 0; i < sizeof paged / sizeof paged[0]; i++)
        if (strcmp(paged[i], command) == 0)
            return true;
    return false;
}

static bool is_there(const char *program)
{
    const char *path = getenv("PATH");
    char file[PATH_MAX];

    for (size_t length; path != NULL && *path != '\0'; path += length + (path[length] != '\0')) {
        length = strcspn(path, ":");
        snprintf(file, sizeof file, "%.*s/%s", (int)length, path, program);
        if (access(file, X_OK) == 0)
            return true;
    }
    return false;
}

/* The pager's command; NULL: none is wanted, or there is none. */
static const char *wanted(void)
{
    const char *name = getenv("RVSIM_PAGER");

    if (name == NULL)
        name = getenv("PAGER");
    if (name == NULL)
        return is_there("less") ? "less" : NULL;
    return *name != '\0' && strcmp(name, "cat") != 0 ? name : NULL;
}

static _Noreturn void be_pager(const char *name, const int pipes[2])
{
    dup2(pipes[0], STDIN_FILENO);
    close(pipes[0]);
    close(pipes[1]);
    setenv("LESS", "FRSX", 0);
    execlp("sh", "sh", "-c", name, (char *)NULL);
    _exit(127);
}

void pager_open(struct pager *pager, const char *command)
{
    const char *name = wanted(), *terminal = getenv("TERM");
    int pipes[2];

    *pager = (struct pager){0};
    if (name == NULL || !is_paged(command) || !isatty(STDOUT_FILENO) || terminal == NULL ||
        strcmp(terminal, "dumb") == 0 || pipe(pipes) != 0)
        return;
    fflush(NULL);
    pager->child = fork();
    if (pager->child == 0)
        be_pager(name, pipes);
    if (pager->child > 0) {
        setenv(IN_USE, "1", 1);
        dup2(pipes[1], STDOUT_FILENO);
    }
    close(pipes[0]);
    close(pipes[1]);
}

void pager_close(struct pager *pager)
{
    int nowhere = pager->child > 0 ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;

    if (pager->child <= 0)
        return;
    signal(SIGINT, SIG_IGN);            /* which is the pager's */
    fflush(stdout);
    if (nowhere >= 0)
        dup2(nowhere, STDOUT_FILENO);
    else
        close(STDOUT_FILENO);
    waitpid(pager->child, NULL, 0);
}

bool pager_is_terminal(FILE *out)
{
    return isatty(fileno(out)) || (out == stdout && getenv(IN_USE) != NULL);
}
