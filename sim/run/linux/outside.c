/* See outside.h. */
#define _POSIX_C_SOURCE 200809L     /* getaddrinfo */
#include "sim/run/linux/outside.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { HOST_BYTES = 256, PORT_DIGITS = 5 };

static bool is_port(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    unsigned port = 0;

    if (digits == 0 || digits > PORT_DIGITS || text[digits] != '\0')
        return false;
    for (; *text != '\0'; text++)
        port = port * 10 + (unsigned)(*text - '0');
    return port > 0 && port <= UINT16_MAX;
}

/* The host of "HOST:PORT", without brackets; NULL: it has another form. */
static const char *split(const char *text, char host[HOST_BYTES])
{
    const char *colon = strrchr(text, ':');
    bool has_brackets = text[0] == '[';
    size_t length = colon != NULL ? (size_t)(colon - text) : 0;

    if (colon == NULL || length >= HOST_BYTES || !is_port(colon + 1) ||
        (has_brackets ? length < 3 || text[length - 1] != ']'
                      : length == 0 || memchr(text, ':', length) != NULL))
        return NULL;
    text += has_brackets;
    length -= has_brackets ? 2 : 0;
    memcpy(host, text, length);
    host[length] = '\0';
    return colon + 1;
}

enum err outside_parse(struct outside *outside, const char *text, struct diag *diag)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found, *chosen;
    char host[HOST_BYTES];
    const char *port = split(text, host);
    int error;

    if (port == NULL)
        return diag_set(diag, ERR_USAGE, "--connect %s: expected HOST:PORT, such as "
                        "127.0.0.1:8700 or [::1]:8700", text);
    error = getaddrinfo(host, port, &hints, &found);
    if (error != 0)
        return diag_set(diag, ERR_USAGE, "--connect %s: %s", text, gai_strerror(error));
    for (chosen = found; chosen != NULL && chosen->ai_family != AF_INET; chosen = chosen->ai_next) {
    }
    chosen = chosen != NULL ? chosen : found;
    memcpy(&outside->address, chosen->ai_addr, chosen->ai_addrlen);
    outside->bytes = chosen->ai_addrlen;
    freeaddrinfo(found);
    return ERR_OK;
}

/* Family, port and address of a sockaddr, as bytes; 0: of no known family, or cut short. */
static size_t key_of(const void *address, size_t bytes, unsigned char key[20])
{
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    sa_family_t family = AF_UNSPEC;

    if (bytes >= sizeof family)
        memcpy(&family, address, sizeof family);
    if (family == AF_INET && bytes >= sizeof v4) {
        memcpy(&v4, address, sizeof v4);
        memcpy(key, &v4.sin_port, 2);
        memcpy(key + 2, &v4.sin_addr, 4);
        return 6;
    }
    if (family == AF_INET6 && bytes >= sizeof v6) {
        memcpy(&v6, address, sizeof v6);
        memcpy(key, &v6.sin6_port, 2);
        memcpy(key + 2, &v6.sin6_addr, 16);
        return 18;
    }
    return 0;
}

bool outside_is(const struct outside *outside, const void *address, size_t bytes)
{
    unsigned char own[20], other[20];
    size_t length = outside != NULL ? key_of(&outside->address, outside->bytes, own) : 0;

    return length != 0 && key_of(address, bytes, other) == length &&
           memcmp(own, other, length) == 0;
}

void outside_text(const void *address, size_t bytes, char text[OUTSIDE_TEXT])
{
    unsigned char key[20];
    size_t length = key_of(address, bytes, key);
    char host[INET6_ADDRSTRLEN] = "";

    if (length == 0) {
        snprintf(text, OUTSIDE_TEXT, "an address of another kind");
        return;
    }
    inet_ntop(length == 6 ? AF_INET : AF_INET6, key + 2, host, sizeof host);
    snprintf(text, OUTSIDE_TEXT, length == 6 ? "%s:%u" : "[%s]:%u", host,
             (unsigned)key[0] << 8 | key[1]);
}
