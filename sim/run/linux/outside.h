/* The only address outside that the sockets of a simulated program reach (--connect). What comes
 * from there, and when, is not the simulation's: a run that depends on it may differ from the
 * next. */
#ifndef SIM_RUN_OUTSIDE_H
#define SIM_RUN_OUTSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "sim/base/err.h"

struct outside {
    struct sockaddr_storage address;    /* IPv4 or IPv6 */
    socklen_t bytes;                    /* of it; 0: there is none */
};

/* "HOST:PORT", "[::1]:PORT"; a host's name is looked up, and its first IPv4 address preferred. */
enum err outside_parse(struct outside *outside, const char *text, struct diag *diag);
/* Whether a sockaddr is this address. outside NULL: there is none. */
bool outside_is(const struct outside *outside, const void *address, size_t bytes);
/* A sockaddr as "127.0.0.1:8700", for messages. */
enum { OUTSIDE_TEXT = 64 };
void outside_text(const void *address, size_t bytes, char text[OUTSIDE_TEXT]);

#endif
