/* Requests up to their handlers; see server.h. */
#include "prof/serve/server/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prof/serve/server/body.h"

enum { REQUEST_SECONDS = 60, DISCARD = 16, METHODS = 64 };

static const struct route routes[] = {
#define ROUTE(name, method, path, scope, parameters, answers, summary) \
    {#name, #method, path, parameters, answers, summary, TOKEN_##scope, handle_##name},
#include "prof/serve/server/route.def"
#undef ROUTE
};

static const struct parameter parameters[] = {
#define PARAMETER(name, description) {#name, description},
#include "prof/serve/server/parameter.def"
#undef PARAMETER
};

const struct route *route_at(size_t index)
{
    return index < ROUTES ? &routes[index] : NULL;
}

const struct parameter *parameter_at(size_t index)
{
    return index < sizeof parameters / sizeof parameters[0] ? &parameters[index] : NULL;
}

/* ---- routes ---------------------------------------------------------------------------------- */

static bool is_path(const struct route *route, const char *path, const char **rest)
{
    size_t fixed = strcspn(route->path, "{");

    *rest = path + fixed;
    if (route->path[fixed] == '\0')
        return strcmp(path, route->path) == 0;
    return strncmp(path, route->path, fixed) == 0 && path[fixed] != '\0';
}

/* Adds a method that a path has, as the header Allow lists them (RFC 9110, 10.2.1). */
static void allow(char methods[METHODS], const char *method)
{
    size_t length = strlen(methods);

    snprintf(methods + length, METHODS - length, "%s%s%s", length != 0 ? ", " : "", method,
             strcmp(method, "GET") == 0 ? ", HEAD" : "");
}

static void refuse_method(struct request *request, const char methods[METHODS])
{
    reply_error(request, MHD_HTTP_METHOD_NOT_ALLOWED, "not with this method, but with %s", methods);
    if (request->response != NULL)
        MHD_add_response_header(request->response, "Allow", methods);
}

static void find_route(struct request *request, const char *method)
{
    char methods[METHODS] = "";

    if (strcmp(method, "HEAD") == 0)
        method = "GET";
    for (size_t i = 0; i < ROUTES && request->route == NULL; i++) {
        const char *rest;

        if (!is_path(&routes[i], request->path, &rest))
            continue;
        allow(methods, routes[i].method);
        if (strcmp(routes[i].method, method) != 0)
            continue;
        request->route = &routes[i];
        request->rest = rest;
    }
    if (request->route == NULL && methods[0] != '\0')
        refuse_method(request, methods);
    else if (request->route == NULL)
        reply_error(request, MHD_HTTP_NOT_FOUND, "no such page; see /v1/openapi.json");
}

/* ---- authentication -------------------------------------------------------------------------- */

static const char *header(const struct request *request, const char *name)
{
    return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
}

/* The token of "Bearer TOKEN", or of the cookie set by /login. */
static const char *token_of(const struct request *request)
{
    const char *text = header(request, "Authorization");

    if (text != NULL)
        return strncmp(text, "Bearer ", 7) == 0 ? text + 7 : "";
    return MHD_lookup_connection_value(request->connection, MHD_COOKIE_KIND, "rvsim");
}

static void identify(struct request *request)
{
    const char *token = token_of(request);
    unsigned needed = request->route->scope;
    struct db *db;

    request->scopes = request->server->settings->is_open ? TOKEN_READ : 0;
    if (needed == TOKEN_NONE || (request->scopes & needed) != 0)
        return;
    if (token == NULL || *token == '\0') {
        reply_error(request, MHD_HTTP_UNAUTHORIZED, "a token is needed");
        return;
    }
    db = pool_take(&request->server->pool);
    if (db == NULL || token_look_up(db, token, &request->scopes, request->program) != ERR_OK)
        reply_error(request, MHD_HTTP_SERVICE_UNAVAILABLE, "the database cannot be read");
    else if (request->scopes == 0)
        reply_error(request, MHD_HTTP_UNAUTHORIZED, "the token is not known");
    else if ((request->scopes & needed) == 0)
        reply_error(request, MHD_HTTP_FORBIDDEN, "the token is not for this");
    pool_give(&request->server->pool, db);
}

static void limit_rate(struct request *request)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(request->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

    if (!rate_take(&request->server->rate, info != NULL ? info->client_addr : NULL,
                   request->start_ns))
        reply_error(request, MHD_HTTP_TOO_MANY_REQUESTS, "too many requests");
}

/* ---- checks of a request --------------------------------------------------------------------- */

static void check_headers(struct request *request)
{
    const char *length = header(request, "Content-Length");
    const char *coding = header(request, "Content-Encoding");

    request->is_zstd = coding != NULL && strcmp(coding, "zstd") == 0;
    if (length != NULL && strtoull(length, NULL, 10) > request->server->settings->bytes_max)
        reply_error(request, MHD_HTTP_CONTENT_TOO_LARGE, "more than %zu bytes",
                    request->server->settings->bytes_max);
    else if (coding != NULL && !request->is_zstd && strcmp(coding, "identity") != 0)
        reply_error(request, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE, "expected JSON, plain or as zstd");
}

bool text_has_word(const char *words, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = words; length != 0 && (at = strstr(at, word)) != NULL; at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

bool route_takes(const struct route *route, const char *parameter)
{
    return text_has_word(route->parameters, parameter);
}

struct checking { struct request *request; const char *wrong; };

static enum MHD_Result check_parameter(void *arg, enum MHD_ValueKind kind, const char *key,
                                       const char *value)
{
    struct checking *checking = arg;

    (void)kind;
    checking->wrong = key;
    if (!body_is_text(key, strlen(key)) || (value != NULL && !body_is_text(value, strlen(value))))
        checking->wrong = "without UTF-8";
    else if (route_takes(checking->request->route, key))
        checking->wrong = NULL;
    return checking->wrong == NULL ? MHD_YES : MHD_NO;
}

static void check_parameters(struct request *request)
{
    struct checking checking = {request, NULL};

    if (MHD_get_connection_values(request->connection, MHD_GET_ARGUMENT_KIND, NULL, NULL) >
        SERVER_PARAMETERS_MAX) {
        reply_error(request, MHD_HTTP_BAD_REQUEST, "more than %d parameters",
                    SERVER_PARAMETERS_MAX);
        return;
    }
    MHD_get_connection_values(request->connection, MHD_GET_ARGUMENT_KIND, check_parameter,
                              &checking);
    if (checking.wrong != NULL && request->route->parameters[0] == '\0')
        reply_error(request, MHD_HTTP_BAD_REQUEST, "no parameter %.60s here; there are none",
                    checking.wrong);
    else if (checking.wrong != NULL)
        reply_error(request, MHD_HTTP_BAD_REQUEST, "no parameter %.60s here; there are: %s",
                    checking.wrong, request->route->parameters);
}

/* False: the body exceeds its limit by so much that the connection is closed. */
static bool add_bytes(struct request *request, const char *bytes, size_t count)
{
    size_t most = request->server->settings->bytes_max;

    request->server->bytes_in += count;
    if (writer_now_ns() - request->start_ns > REQUEST_SECONDS * UINT64_C(1000000000))
        return false;
    if (request->response != NULL || request->bytes + count > most) {
        request->bytes += count;
        return request->bytes <= DISCARD * most;
    }
    if (request->bytes + count > request->room) {
        size_t room = 2 * request->room + count + 4096;
        char *body = realloc(request->body, room);

        if (body == NULL)
            return false;
        request->body = body;
        request->room = room;
    }
    memcpy(request->body + request->bytes, bytes, count);
    request->bytes += count;
    return true;
}

/* Unpacks request->body to a text. */
static void unpack_body(struct request *request)
{
    size_t most = request->server->settings->bytes_max;
    enum body_result result = BODY_TOO_LARGE;
    char *text = NULL;

    if (request->bytes <= most)
        result = body_text(request->body != NULL ? request->body : "", request->bytes,
                           request->is_zstd, most, &text);
    free(request->body);
    request->body = text;
    request->bytes = text != NULL ? strlen(text) : 0;
    if (result == BODY_TOO_LARGE)
        reply_error(request, MHD_HTTP_CONTENT_TOO_LARGE, "more than %zu bytes", most);
    else if (result == BODY_WRONG)
        reply_error(request, MHD_HTTP_BAD_REQUEST, "expected text in UTF-8, plain or as zstd");
    else if (result == BODY_NO_MEMORY)
        reply_error(request, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory");
}

/* ---- libmicrohttpd's calls ------------------------------------------------------------------- */

static enum MHD_Result send_reply(struct request *request)
{
    enum MHD_Result result;
    size_t route = request->route != NULL ? (size_t)(request->route - routes) : ROUTES;

    if (request->response == NULL)
        return MHD_NO;
    request->server->answered[route][request->status / 100 % STATUS_CLASSES]++;
    result = MHD_queue_response(request->connection, request->status, request->response);
    MHD_destroy_response(request->response);
    request->response = NULL;
    return result;
}

static void begin(struct request *request, const char *method)
{
    if (body_is_text(request->path, strlen(request->path)))
        find_route(request, method);
    else
        reply_error(request, MHD_HTTP_BAD_REQUEST, "expected an address in UTF-8");
    if (request->response == NULL)
        limit_rate(request);
    if (request->response == NULL)
        check_headers(request);
    if (request->response == NULL)
        identify(request);
    if (request->response == NULL)
        check_parameters(request);
}

static struct request *request_new(struct server *server, struct MHD_Connection *connection,
                                   const char *url)
{
    struct request *request = calloc(1, sizeof *request);

    if (request == NULL)
        return NULL;
    request->server = server;
    request->connection = connection;
    request->start_ns = writer_now_ns();
    request->path = strdup(url);
    server->open++;
    return request;
}

/* True if an answer that is already known from the head must wait for the end of the body: a client
 * that is still sending when the connection is closed may lose the answer. A client that asks first
 * (Expect), or whose body is too large to be read in vain, gets the answer at once. */
static bool is_sending(const struct request *request)
{
    const char *length = header(request, "Content-Length");
    unsigned long long bytes = length != NULL ? strtoull(length, NULL, 10) : 0;

    return header(request, "Expect") == NULL && bytes != 0 &&
           bytes <= DISCARD * (unsigned long long)request->server->settings->bytes_max;
}

/* The handler answers, or submits data to the writer and is called again when they are written. */
static enum MHD_Result handle(struct request *request)
{
    if (strcmp(request->route->method, "GET") == 0)
        request->db = pool_take(&request->server->pool);
    else if (!request->is_written)
        unpack_body(request);
    if (request->response == NULL)
        request->route->handle(request);
    pool_give(&request->server->pool, request->db);
    request->db = NULL;
    if (request->response != NULL)
        return send_reply(request);
    if (!request->waits)
        return MHD_NO;
    request->waits = false;
    return MHD_YES;
}

enum MHD_Result server_on_request(void *arg, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_bytes, void **state)
{
    struct request *request = *state;

    (void)version;
    if (request == NULL) {
        patience_has_head(connection, true);
        *state = request = request_new(arg, connection, url);
        if (request == NULL || request->path == NULL)
            return MHD_NO;
        begin(request, method);
        return request->response == NULL || is_sending(request) ? MHD_YES : send_reply(request);
    }
    if (*upload_bytes != 0) {
        size_t count = *upload_bytes;

        *upload_bytes = 0;
        return add_bytes(request, upload, count) ? MHD_YES : MHD_NO;
    }
    return request->response != NULL ? send_reply(request) : handle(request);
}

void server_on_end(void *arg, struct MHD_Connection *connection, void **state,
                   enum MHD_RequestTerminationCode code)
{
    struct request *request = *state;

    (void)arg;
    (void)code;
    patience_has_head(connection, false);
    if (request == NULL)
        return;
    request->server->nanoseconds += writer_now_ns() - request->start_ns;
    request->server->open--;
    if (request->free_payload != NULL)
        request->free_payload(request->payload);
    if (request->response != NULL)
        MHD_destroy_response(request->response);
    free(request->path);
    free(request->body);
    free(request);
    *state = NULL;
}
