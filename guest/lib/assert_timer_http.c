/* See assert_timer_http.h. No call blocks for longer than SLICE_MS at a time. */
#define _GNU_SOURCE
#include "assert_timer_http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)
enum { PORT_DEFAULT = 80, PORT_MAX = 65535, SLICE_MS = 50, HEAD_BYTES = 1024 };

/* ---- the address ----------------------------------------------------------------------------- */

static bool set_address(struct http_service *service, const char *host, uint16_t port)
{
    if (strcmp(host, "localhost") == 0)
        host = "127.0.0.1";
    if (inet_pton(AF_INET, host, &service->address.v4.sin_addr) == 1) {
        service->address.v4.sin_family = AF_INET;
        service->address.v4.sin_port = htons(port);
        service->bytes = sizeof service->address.v4;
        return true;
    }
    if (inet_pton(AF_INET6, host, &service->address.v6.sin6_addr) == 1) {
        service->address.v6.sin6_family = AF_INET6;
        service->address.v6.sin6_port = htons(port);
        service->bytes = sizeof service->address.v6;
        return true;
    }
    return false;
}

/* The port of ":PORT", or the default port of an empty text; 0: the text is neither. */
static unsigned long port_of(const char *text)
{
    char *end;
    unsigned long port;

    if (*text == '\0')
        return PORT_DEFAULT;
    if (text[0] != ':' || text[1] < '0' || text[1] > '9')
        return 0;
    port = strtoul(text + 1, &end, 10);
    return *end == '\0' && port <= PORT_MAX ? port : 0;
}

bool http_parse_address(struct http_service *service, const char *text)
{
    static const char scheme[] = "http://";
    char host[HTTP_HOST];
    size_t length, bare;
    unsigned long port;

    memset(service, 0, sizeof *service);
    if (strncmp(text, scheme, sizeof scheme - 1) != 0)
        return false;
    text += sizeof scheme - 1;
    length = strcspn(text, "/");
    if (length >= sizeof service->host || text[length + (text[length] == '/')] != '\0')
        return false;
    memcpy(service->host, text, length);
    if (service->host[0] == '[' && strchr(service->host, ']') == NULL)
        return false;
    bare = service->host[0] == '[' ? strcspn(service->host, "]") : strcspn(service->host, ":");
    memcpy(host, service->host, sizeof host);
    host[bare] = '\0';
    port = port_of(&service->host[bare + (service->host[bare] == ']')]);
    return port != 0 && set_address(service, host + (host[0] == '['), (uint16_t)port);
}

/* ---- the connection -------------------------------------------------------------------------- */

static uint64_t monotonic(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* False: the time is over. */
static bool wait_for(int fd, short events, const struct http_request *request)
{
    struct pollfd poll_fd = {.fd = fd, .events = events};

    while (monotonic() < request->deadline && !request->is_over(request->arg)) {
        int ready = poll(&poll_fd, 1, SLICE_MS);

        if (ready > 0)
            return true;
        if (ready < 0 && errno != EINTR)
            return false;
    }
    return false;
}

static bool connect_to(int fd, const struct http_service *service,
                       const struct http_request *request)
{
    int error = 0;
    socklen_t bytes = sizeof error;

    if (connect(fd, &service->address.all, service->bytes) == 0)
        return true;
    return errno == EINPROGRESS && wait_for(fd, POLLOUT, request) &&
           getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 && error == 0;
}

static bool send_all(int fd, const char *text, size_t bytes, const struct http_request *request)
{
    while (bytes > 0) {
        ssize_t sent = send(fd, text, bytes, MSG_NOSIGNAL);

        if (sent < 0 && errno == EAGAIN) {
            if (!wait_for(fd, POLLOUT, request))
                return false;
        } else if (sent >= 0) {
            text += sent;
            bytes -= (size_t)sent;
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

/* Receives until the service closes the connection. False: the answer is too long, or an error. */
static bool receive_all(int fd, const struct http_request *request, struct http_answer *answer)
{
    while (answer->bytes < HTTP_ANSWER_MAX) {
        ssize_t got = recv(fd, answer->text + answer->bytes, HTTP_ANSWER_MAX - answer->bytes, 0);

        if (got == 0)
            return true;
        if (got > 0)
            answer->bytes += (size_t)got;
        else if (errno == EAGAIN ? !wait_for(fd, POLLIN, request) : errno != EINTR)
            return false;
    }
    return false;
}

/* ---- the message ----------------------------------------------------------------------------- */

static bool send_request(int fd, const struct http_service *service,
                         const struct http_request *request)
{
    bool has_token = request->token[0] != '\0', has_body = request->body != NULL;
    char head[HEAD_BYTES];
    int length = snprintf(head, sizeof head,
                          "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s%s%s"
                          "Content-Length: %zu\r\n%s\r\n",
                          request->method, request->path, service->host,
                          has_token ? "Authorization: Bearer " : "", request->token,
                          has_token ? "\r\n" : "", request->body_bytes,
                          has_body ? "Content-Type: application/json\r\n" : "");

    return length > 0 && (size_t)length < sizeof head &&
           send_all(fd, head, (size_t)length, request) &&
           (!has_body || send_all(fd, request->body, request->body_bytes, request));
}

/* The value of "Content-Length" in a header; -1: there is none. */
static long length_of(const char *head, const char *end)
{
    static const char name[] = "\r\nContent-Length:";
    const char *at = strcasestr(head, name);
    char *after;
    long length;

    if (at == NULL || at >= end)
        return -1;
    length = strtol(at + sizeof name - 1, &after, 10);
    return *after == '\r' && length >= 0 ? length : -1;
}

void http_take_answer(struct http_answer *answer)
{
    static const char begin[] = "HTTP/1.1 ";
    const char *body;
    size_t bytes;
    long length, status;
    char *end;

    answer->status = 0;
    answer->text[answer->bytes] = '\0';
    body = strstr(answer->text, "\r\n\r\n");
    if (body == NULL || strncmp(answer->text, begin, sizeof begin - 1) != 0)
        return;
    status = strtol(answer->text + sizeof begin - 1, &end, 10);
    length = length_of(answer->text, body);
    body += 4;
    bytes = answer->bytes - (size_t)(body - answer->text);
    if (status < 200 || status > 599 || (*end != ' ' && *end != '\r') ||
        (length >= 0 && (size_t)length != bytes))
        return;
    memmove(answer->text, body, bytes + 1);
    answer->bytes = bytes;
    answer->status = (unsigned)status;
}

void http_ask(const struct http_service *service, const struct http_request *request,
              struct http_answer *answer)
{
    int fd = socket(service->address.all.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    answer->status = 0;
    answer->bytes = 0;
    if (fd < 0)
        return;
    if (connect_to(fd, service, request) && send_request(fd, service, request) &&
        receive_all(fd, request, answer))
        http_take_answer(answer);
    close(fd);
}
