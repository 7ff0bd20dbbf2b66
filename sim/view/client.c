/* See client.h. */
#define _GNU_SOURCE

#include "sim/view/client.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    PATIENCE = 200,             /* milliseconds between looks at a machine that is busy */
    SILENT = 5,                 /* looks before the first word of it */
};

static _Noreturn void be_machine(struct client *client, const char *const *set)
{
    struct diag diag = {""};
    enum err err = client->start(client->arg, client->link, set, &diag);

    if (err != ERR_OK) {
        client->link->has_failed = true;
        snprintf(client->link->why, sizeof client->link->why, "%.*s",
                 (int)sizeof client->link->why - 1, diag.text);
        sem_post(&client->link->answered);
    }
    fflush(NULL);
    _exit(0);
}

bool client_is_lost(const struct client *client)
{
    siginfo_t info = {.si_pid = 0};

    return client->child == 0 ||
           (waitid(P_PID, (id_t)client->child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            info.si_pid != 0);
}

bool client_is_done(struct client *client, unsigned milliseconds)
{
    struct timespec limit;

    if (!client->is_waiting)
        return true;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_nsec += (long)milliseconds * 1000000;
    limit.tv_sec += limit.tv_nsec / 1000000000;
    limit.tv_nsec %= 1000000000;
    while (sem_timedwait(&client->link->answered, &limit) != 0)
        if (errno != EINTR)
            return false;
    client->is_waiting = false;
    return true;
}

/* Shows the progress on a terminal while there is no picture yet. */
static void say_cycle(const struct client *client, bool is_over)
{
    if (isatty(STDERR_FILENO) != 0 && is_over)
        fputs("\r\033[K", stderr);
    else if (isatty(STDERR_FILENO) != 0)
        fprintf(stderr, "\rrvsim view: cycle %llu", (unsigned long long)client->link->passed);
}

static enum err wait_for_answer(struct client *client, struct diag *diag)
{
    unsigned looks = 0;

    for (; !client_is_done(client, PATIENCE); looks++) {
        if (client_is_lost(client) && !client_is_done(client, 0))
            return diag_set(diag, ERR_INTERNAL, "view: the machine's process has ended");
        if (looks >= SILENT)
            say_cycle(client, false);
    }
    if (looks > SILENT)
        say_cycle(client, true);
    if (client->link->has_failed)
        return diag_set(diag, ERR_USAGE, "%s", client->link->why);
    return ERR_OK;
}

enum err client_open(struct client *client, client_starter *start, void *arg,
                     const char *const *set, struct diag *diag)
{
    enum err err;

    *client = (struct client){.link = link_make(), .start = start, .arg = arg};
    if (client->link == NULL)
        return diag_no_memory(diag, "the view");
    fflush(NULL);
    client->child = fork();
    if (client->child == 0)
        be_machine(client, set);
    client->is_waiting = true;
    err = client->child > 0 ? wait_for_answer(client, diag)
                            : diag_no_memory(diag, "the machine's process");
    if (err != ERR_OK)
        client_close(client);
    return err;
}

void client_close(struct client *client)
{
    if (client->link == NULL)
        return;
    client->link->pause = 1;
    if (client->child > 0) {
        client_is_done(client, PATIENCE);
        client->link->command.verb = VIEW_QUIT;
        sem_post(&client->link->asked);
        waitpid(client->child, NULL, 0);
    }
    link_unmake(client->link);
    *client = (struct client){.link = NULL};
}

void client_ask(struct client *client, const struct view_command *command)
{
    client->link->command = *command;
    client->link->pause = 0;
    client->is_waiting = true;
    sem_post(&client->link->asked);
}

enum err client_do(struct client *client, const struct view_command *command, struct diag *diag)
{
    client_ask(client, command);
    return wait_for_answer(client, diag);
}
