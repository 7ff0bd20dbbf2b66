/* The service: requests over HTTP or TLS, answered from a database.
 *
 * Threads of libmicrohttpd receive requests and answer those that only read. Data to write go to
 * the writer (writer.h), and their request waits without a thread. A request's size, rate and token
 * are checked before its body is read. Client addresses are never stored. */
#ifndef PROF_SERVE_SERVER_SERVER_H
#define PROF_SERVE_SERVER_SERVER_H

#include <cjson/cJSON.h>
#include <microhttpd.h>

#include "prof/serve/server/patience.h"
#include "prof/serve/database/pool.h"
#include "prof/serve/server/rate.h"
#include "prof/serve/database/token.h"
#include "prof/serve/store/writer.h"

enum { TOKEN_NONE = 0, SERVER_PARAMETERS_MAX = 64 };

enum route_id {
#define ROUTE(name, method, path, scope, parameters, answers, summary) ROUTE_##name,
#include "prof/serve/server/route.def"
#undef ROUTE
    ROUTES
};

struct request;
struct route {
    const char *name, *method, *path, *parameters, *answers, *summary;
    unsigned scope;                 /* of enum token_scope */
    void (*handle)(struct request *request);
};

struct parameter { const char *name, *description; };

struct server_settings {
    const char *database, *address; /* "127.0.0.1:8700" */
    const char *certificate, *key;  /* PEM texts; NULL: no TLS */
    bool is_open;                   /* reading needs no token */
    double rate;                    /* requests a second of a client; 0: no limit */
    size_t bytes_max;               /* of a body, also unpacked */
    unsigned threads, connections, reports_kept;
    unsigned patience_seconds;      /* for the head of a request */
    int64_t keep_seconds;           /* for which ids of submissions are stored */
};

enum { STATUS_CLASSES = 6 };        /* 2xx at 2 ... */

struct server {
    const struct server_settings *settings;
    struct MHD_Daemon *daemon;
    struct writer writer;
    struct pool pool;
    struct rate rate;
    struct patience patience;
    unsigned port;
    uint64_t started_ns;
    _Atomic uint64_t answered[ROUTES + 1][STATUS_CLASSES];      /* [ROUTES]: requests without a
                                                                 * route */
    _Atomic uint64_t added, known, bytes_in, nanoseconds;
    _Atomic unsigned open;          /* requests being answered */
    _Atomic bool stops;             /* takes no new connection */
};

/* One request, from its first byte to its answer. */
struct request {
    struct server *server;
    struct MHD_Connection *connection;
    const struct route *route;
    const char *rest;               /* part of the path matched by {x} */
    char *path;
    unsigned scopes;
    char program[TOKEN_PROGRAM];    /* that the token is for; "": any */
    char *body;                     /* after body_text (body.h): a text */
    size_t bytes, room;
    bool is_zstd;
    uint64_t start_ns;
    struct db *db;                  /* connection for reading */
    struct writing writing;
    bool waits;                     /* it now waits for the writer */
    bool is_written;                /* writing.done was called */
    void *payload;                  /* data to write; freed by free_payload */
    void (*free_payload)(void *payload);
    unsigned status;                /* of the answer; 0: none yet */
    struct MHD_Response *response;
};

const struct route *route_at(size_t index);             /* NULL after the last route */
const struct parameter *parameter_at(size_t index);
bool route_takes(const struct route *route, const char *parameter);
bool text_has_word(const char *words, const char *word);        /* words with blanks between them */

/* In daemon.c: prepares the database, and listens. *token: a new database's first token, else
 * "". */
enum err server_start(struct server *server, const struct server_settings *settings,
                      char token[TOKEN_TEXT], struct diag *diag);
/* Refuses new connections, completes requests for at most 10 s, and ends. */
void server_stop(struct server *server);

/* server.c: libmicrohttpd's calls. */
enum MHD_Result server_on_request(void *arg, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_bytes, void **state);
void server_on_end(void *arg, struct MHD_Connection *connection, void **state,
                   enum MHD_RequestTerminationCode code);

/* ---- reply.c: answers ------------------------------------------------------------------------ */

/* Takes ownership of the JSON. */
void reply_json(struct request *request, unsigned status, cJSON *json);
/* Takes ownership of the text, which is from malloc. */
void reply_text(struct request *request, unsigned status, const char *type, char *text,
                size_t bytes);
/* A text with static lifetime. */
void reply_constant(struct request *request, const char *type, const char *text);
/* {"error": "..."} */
void reply_error(struct request *request, unsigned status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void reply_database(struct request *request, const struct db *db);
/* A parameter of the request; "" if it is missing. */
const char *request_value(const struct request *request, const char *name);
/* A number of at most `most`; false, with an answer, if it is invalid. */
bool request_number(struct request *request, const char *name, uint64_t value, uint64_t most,
                    uint64_t *number);

/* True if the parameter is missing, or one of these words; else false, with an answer. */
bool request_is_one_of(struct request *request, const char *name, const char *words);
/* Queues request->writing; the handler is called again when it is written. The handler must have
 * set writing.apply, payload and free_payload. */
void request_write(struct request *request);

#define ROUTE(name, method, path, scope, parameters, answers, summary) \
    void handle_##name(struct request *request);
#include "prof/serve/server/route.def"
#undef ROUTE

#endif
