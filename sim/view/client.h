/* The viewer's side: a machine in a process of its own, asked through the link. */
#ifndef SIM_VIEW_CLIENT_H
#define SIM_VIEW_CLIENT_H

#include "sim/base/err.h"
#include "sim/view/link.h"

/* Loads the program and calls serve_run, in the process that is made for it; set: settings
 * "KEY=VALUE" besides the user's, NULL at the end. */
typedef enum err client_starter(void *arg, struct view_link *link, const char *const *set,
                                struct diag *diag);

struct client {
    struct view_link *link;
    client_starter *start;
    void *arg;
    pid_t child;                    /* keeper of the machine's processes; 0: none */
    bool is_waiting;                /* a command has no answer yet */
};

/* ERR: the machine could not be made, and diag says why. The model is that of the start. */
enum err client_open(struct client *client, client_starter *start, void *arg,
                     const char *const *set, struct diag *diag);
void client_close(struct client *client);

/* Asks; the answer comes later. */
void client_ask(struct client *client, const struct view_command *command);
/* True if the answer has come; waits for at most `milliseconds`. */
bool client_is_done(struct client *client, unsigned milliseconds);
/* Asks and waits. */
enum err client_do(struct client *client, const struct view_command *command, struct diag *diag);
/* The machine's process has ended by itself: there is no answer any more. */
bool client_is_lost(const struct client *client);

#endif
