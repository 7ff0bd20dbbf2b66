/* The viewer's side: controls a machine in a separate process through the link. */
#ifndef SIM_VIEW_CLIENT_H
#define SIM_VIEW_CLIENT_H

#include "sim/base/err.h"
#include "sim/view/link.h"

/* Loads the program and calls serve_run, in the process created for it; set: settings "KEY=VALUE"
 * in addition to the user's, NULL at the end. */
typedef enum err client_starter(void *arg, struct view_link *link, const char *const *set,
                                struct diag *diag);

struct client {
    struct view_link *link;
    client_starter *start;
    void *arg;
    pid_t child;                    /* first process of the machine, which keeps the others; 0:
                                     * none */
    bool is_waiting;                /* a command has no answer yet */
};

/* ERR: the machine could not be made; diag has the reason. The model is that of the start. */
enum err client_open(struct client *client, client_starter *start, void *arg,
                     const char *const *set, struct diag *diag);
void client_close(struct client *client);

/* Sends a command; the answer comes later. */
void client_ask(struct client *client, const struct view_command *command);
/* True if the answer has arrived; waits for at most `milliseconds`. */
bool client_is_done(struct client *client, unsigned milliseconds);
/* Sends a command, and waits for the answer. */
enum err client_do(struct client *client, const struct view_command *command, struct diag *diag);
/* True if the machine's process has ended by itself, so that no answer will come. */
bool client_is_lost(const struct client *client);

#endif
