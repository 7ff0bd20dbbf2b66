/* Requests to a service, by libcurl. */
#ifndef PROF_SERVE_CLIENT_HTTP_H
#define PROF_SERVE_CLIENT_HTTP_H

#include <stddef.h>

#include "sim/base/err.h"

struct http;
struct http_answer {
    long status;                    /* 0: no answer; `text` has the reason */
    long retry_seconds;             /* requested by the server; 0: not */
    char *text;                     /* the caller frees it */
    size_t bytes;
};

enum { HTTP_ANSWER_MAX = 64 << 20 };

enum err http_open(struct http **http, struct diag *diag);
void http_close(struct http *http);
/* `body` NULL: GET; else it is packed with zstd and posted. */
void http_ask(struct http *http, const char *url, const char *body, struct http_answer *answer);

#endif
