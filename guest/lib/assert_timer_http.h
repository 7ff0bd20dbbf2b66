/* One HTTP request to a service at a numeric address, with a time limit. */
#ifndef GUEST_LIB_ASSERT_TIMER_HTTP_H
#define GUEST_LIB_ASSERT_TIMER_HTTP_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HTTP_HOST = 64, HTTP_ANSWER_MAX = 64 << 10 };

struct http_service {
    union { struct sockaddr all; struct sockaddr_in v4; struct sockaddr_in6 v6; } address;
    socklen_t bytes;
    char host[HTTP_HOST];               /* as in the address, for the header */
};

struct http_request {
    const char *method, *path, *token;  /* token "": none */
    const char *body;                   /* NULL: none */
    size_t body_bytes;
    uint64_t deadline;                  /* of the monotonic clock, in ns */
    bool (*is_over)(void *arg);         /* called now and then; true: give up at once */
    void *arg;
};

/* status 0: there was no answer. */
struct http_answer { unsigned status; size_t bytes; char text[HTTP_ANSWER_MAX + 1]; };

/* Reads "http://HOST[:PORT][/]". False: the text has another form. */
bool http_parse_address(struct http_service *service, const char *text);
/* Makes the request. The body of the answer is in answer->text, followed by a 0 byte. */
void http_ask(const struct http_service *service, const struct http_request *request,
              struct http_answer *answer);
/* Reads the received text (answer->bytes of answer->text) as an answer, and keeps its body. status
 * 0: the text is not an answer, or is incomplete. */
void http_take_answer(struct http_answer *answer);

#endif
