/* The only address outside the simulation that a program's sockets reach (--connect). Its data and
 * their timing are not simulated: runs that depend on it may differ. */
#ifndef SIM_RUN_OUTSIDE_H
#define SIM_RUN_OUTSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "sim/base/err.h"

struct outside {
    struct sockaddr_storage address;    /* IPv4 or IPv6 */
    socklen_t bytes;                    /* of the address; 0: there is none */
};

/* "HOST:PORT", "[::1]:PORT"; a host's name is looked up, and its first IPv4 address preferred. */
enum err outside_parse(struct outside *outside, const char *text, struct diag *diag);
/* True if a sockaddr is this address. outside NULL: there is none. */
bool outside_is(const struct outside *outside, const void *address, size_t bytes);
/* A sockaddr as "127.0.0.1:8700", for messages. */
enum { OUTSIDE_TEXT = 64 };
void outside_text(const void *address, size_t bytes, char text[OUTSIDE_TEXT]);

#endif
