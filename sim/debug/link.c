/* See link.h. Packets are packet.c's. */
#include "sim/debug/link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "sim/base/output.h"

/* ---- places ---------------------------------------------------------------------------------- */

static enum err fail(const char *place, struct diag *diag)
{
    return diag_set(diag, ERR_IO, "--gdb %s: %s", place, strerror(errno));
}

static enum err listen_at(struct link *link, const char *place, const struct sockaddr *address,
                          socklen_t bytes, struct diag *diag)
{
    int on = 1;

    link->listener = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (link->listener < 0)
        return fail(place, diag);
    if (address->sa_family == AF_INET)
        setsockopt(link->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(link->listener, address, bytes) != 0 || listen(link->listener, 1) != 0)
        return fail(place, diag);
    return ERR_OK;
}

static enum err open_port(struct link *link, const char *place, struct diag *diag)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t bytes = sizeof address;
    char *end;
    unsigned long port = strtoul(place, &end, 10);
    enum err err;

    if (place[0] < '0' || place[0] > '9' || *end != '\0' || port > UINT16_MAX)
        return diag_set(diag, ERR_USAGE, "--gdb %s: expected a port from 0 to 65535, a path with a "
                        "'/' for a socket, or -", place);
    address.sin_port = htons((uint16_t)port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    err = listen_at(link, place, (const struct sockaddr *)&address, sizeof address, diag);
    if (err == ERR_OK &&
        getsockname(link->listener, (struct sockaddr *)&address, &bytes) != 0)
        return fail(place, diag);
    link->port = ntohs(address.sin_port);
    return err;
}

/* True if a process listens at the socket. Tested with a connection of another socket type, which
 * is refused with an error of its own, and which that process does not notice. */
static bool is_in_use(const struct sockaddr_un *address)
{
    int probe = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool is_refused = probe >= 0 && connect(probe, (const struct sockaddr *)address,
                                            sizeof *address) != 0 && errno == ECONNREFUSED;

    if (probe >= 0)
        close(probe);
    return !is_refused;
}

/* Removes a socket that an earlier run left at the path, but no other file. */
static enum err open_path(struct link *link, const char *place, struct diag *diag)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat status;
    enum err err;

    if (strlen(place) >= sizeof address.sun_path)
        return diag_set(diag, ERR_USAGE, "--gdb %s: expected at most %zu characters", place,
                        sizeof address.sun_path - 1);
    strcpy(address.sun_path, place);
    if (stat(place, &status) == 0 && !S_ISSOCK(status.st_mode))
        return diag_set(diag, ERR_USAGE, "--gdb %s: a file of this name is there, and is no "
                        "socket; expected the name of a new one", place);
    if (stat(place, &status) == 0 && is_in_use(&address))
        return diag_set(diag, ERR_USAGE, "--gdb %s: in use by another process, which waits for a "
                        "debugger there; expected the name of a new socket", place);
    unlink(place);
    err = listen_at(link, place, (const struct sockaddr *)&address, sizeof address, diag);
    if (err == ERR_OK)
        link->path = place;
    return err;
}

static enum err open_streams(struct link *link, struct diag *diag)
{
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

    link->in = fcntl(0, F_DUPFD_CLOEXEC, 3);
    link->out = fcntl(1, F_DUPFD_CLOEXEC, 3);
    if (nothing < 0 || link->in < 0 || link->out < 0 || dup2(nothing, 0) < 0 || dup2(2, 1) < 0)
        return fail("-", diag);
    close(nothing);
    return ERR_OK;
}

enum err link_open(struct link *link, const char *place, struct diag *diag)
{
    *link = (struct link){.listener = -1, .in = -1, .out = -1};
    if (output_is_stdout(place))
        return open_streams(link, diag);
    return strchr(place, '/') != NULL ? open_path(link, place, diag)
                                      : open_port(link, place, diag);
}

static void close_listener(struct link *link)
{
    if (link->listener >= 0)
        close(link->listener);
    if (link->path != NULL)
        unlink(link->path);
    link->listener = -1;
    link->path = NULL;
}

static bool must_stop(const struct link *link)
{
    return link->stop_request != NULL && *link->stop_request != 0;
}

enum err link_accept(struct link *link, struct diag *diag)
{
    int on = 1;

    while (link->in < 0 && !must_stop(link)) {
        link->in = link->out = accept(link->listener, NULL, NULL);
        if (link->in < 0 && errno != EINTR)
            return diag_set(diag, ERR_IO, "--gdb: no debugger came: %s", strerror(errno));
    }
    if (link->in < 0)
        return ERR_OK;
    if (link->port != 0)
        setsockopt(link->out, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    fcntl(link->in, F_SETFD, FD_CLOEXEC);
    close_listener(link);
    return ERR_OK;
}

void link_close(struct link *link)
{
    close_listener(link);
    if (link->in >= 0)
        close(link->in);
    if (link->out >= 0 && link->out != link->in)
        close(link->out);
    link->in = link->out = -1;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

int link_read(struct link *link, void *buffer, size_t bytes, bool waits)
{
    struct pollfd there = {.fd = link->in, .events = POLLIN};
    ssize_t got;
    int ready;

    do {
        ready = poll(&there, 1, waits ? -1 : 0);
    } while (ready < 0 && errno == EINTR && !must_stop(link));
    if (ready == 0)
        return 0;
    got = ready > 0 ? read(link->in, buffer, bytes < INT_MAX ? bytes : INT_MAX) : -1;
    return got > 0 ? (int)got : -1;
}

bool link_write(struct link *link, const char *text, size_t bytes)
{
    while (bytes != 0) {
        ssize_t put = write(link->out, text, bytes);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        text += put;
        bytes -= (size_t)put;
    }
    return true;
}
