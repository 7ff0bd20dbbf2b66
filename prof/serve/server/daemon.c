/* Start and stop of the service; see server.h. */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "prof/serve/database/schema.h"
#include "prof/serve/server/server.h"

enum { HEADER_BYTES = 32768, IDLE_SECONDS = 15, STOP_TENTHS = 100, OPTIONS = 15 };

/* True for a number from 0 to 65535. getaddrinfo(3) takes larger ones modulo 65536. */
static bool is_port(const char *text)
{
    size_t digits = strspn(text, "0123456789");

    return digits != 0 && digits <= 5 && text[digits] == '\0' && atoi(text) <= UINT16_MAX;
}

/* "HOST:PORT" or "[IPv6]:PORT" to an address to listen on. */
static enum err find_address(const char *text, struct addrinfo **found, struct diag *diag)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    const char *colon = strrchr(text, ':');
    char host[256];
    size_t length = colon != NULL ? (size_t)(colon - text) : 0;

    if (colon == NULL || !is_port(colon + 1) || length >= sizeof host)
        return diag_set(diag, ERR_USAGE, "%s: expected an address and a port up to 65535, such as "
                        "127.0.0.1:8700", text);
    memcpy(host, text, length);
    host[length] = '\0';
    if (host[0] == '[' && length > 1 && host[length - 1] == ']') {
        memmove(host, host + 1, length - 2);
        host[length - 2] = '\0';
    }
    if (getaddrinfo(host[0] != '\0' ? host : NULL, colon + 1, &hints, found) != 0)
        return diag_set(diag, ERR_USAGE, "%s: no such address", text);
    return ERR_OK;
}

/* Cuts the address after SERVER_PARAMETERS_MAX + 1 parameters, a number that server_on_request
 * refuses. With too many parameters, libmicrohttpd runs out of memory for its records of them,
 * forgets the answer that it has begun, and leaves the client waiting. The address lies in the
 * connection's memory, and is parsed after this call. */
static void *cut_parameters(void *arg, const char *address, struct MHD_Connection *connection)
{
    char *at = (char *)(uintptr_t)strchr(address, '?');

    (void)arg;
    (void)connection;
    for (unsigned i = 0; at != NULL && i <= SERVER_PARAMETERS_MAX; i++)
        at = strchr(at + 1, '&');
    if (at != NULL)
        *at = '\0';
    return NULL;
}

/* As libmicrohttpd's own function, but a zero byte, which would end the text, becomes an invalid
 * byte of UTF-8, so that the request is refused. */
static size_t unescape(void *arg, struct MHD_Connection *connection, char *text)
{
    size_t length = MHD_http_unescape(text);

    (void)arg;
    (void)connection;
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\0')
            text[i] = (char)0xff;
    return length;
}

static void set_options(struct MHD_OptionItem option[OPTIONS], struct server *server,
                        const struct sockaddr *address)
{
    const struct server_settings *settings = server->settings;
    unsigned at = 0;

#define OPTION(id, value, pointer) \
    option[at++] = (struct MHD_OptionItem){MHD_OPTION_##id, (intptr_t)(value), pointer}
    OPTION(SOCK_ADDR, 0, (void *)(uintptr_t)address);
    OPTION(CONNECTION_LIMIT, settings->connections, NULL);
    OPTION(CONNECTION_MEMORY_LIMIT, HEADER_BYTES, NULL);
    OPTION(CONNECTION_TIMEOUT, IDLE_SECONDS, NULL);
    OPTION(THREAD_POOL_SIZE, settings->threads, NULL);
    OPTION(LISTENING_ADDRESS_REUSE, 1, NULL);
    OPTION(URI_LOG_CALLBACK, (intptr_t)cut_parameters, NULL);
    OPTION(UNESCAPE_CALLBACK, (intptr_t)unescape, NULL);
    OPTION(NOTIFY_COMPLETED, (intptr_t)server_on_end, NULL);
    OPTION(NOTIFY_CONNECTION, (intptr_t)patience_on_connection, &server->patience);
    if (settings->certificate != NULL) {
        OPTION(HTTPS_MEM_CERT, 0, (void *)(uintptr_t)settings->certificate);
        OPTION(HTTPS_MEM_KEY, 0, (void *)(uintptr_t)settings->key);
    }
    OPTION(END, 0, NULL);
#undef OPTION
}

/* Refuses new connections. MHD_quiesce_daemon would do that, but it races with its threads: both
 * remove the listening socket from the threads' epoll sets, and the second removal ends the
 * process. */
static enum MHD_Result accept_client(void *arg, const struct sockaddr *address, socklen_t bytes)
{
    const struct server *server = arg;

    (void)address;
    (void)bytes;
    return server->stops ? MHD_NO : MHD_YES;
}

/* libmicrohttpd's messages add nothing to the answers. */
static void log_nothing(void *arg, const char *format, va_list arguments)
{
    (void)arg;
    (void)format;
    (void)arguments;
}

static enum err listen_on(struct server *server, struct diag *diag)
{
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    struct MHD_OptionItem option[OPTIONS];
    const union MHD_DaemonInfo *info;
    struct addrinfo *found = NULL;
    enum err err = find_address(server->settings->address, &found, diag);

    if (err != ERR_OK)
        return err;
    if (found->ai_family == AF_INET6)
        flags |= MHD_USE_IPv6;
    if (server->settings->certificate != NULL)
        flags |= MHD_USE_TLS;
    set_options(option, server, found->ai_addr);
    server->daemon = MHD_start_daemon(flags, 0, accept_client, server, server_on_request,
                                      server, MHD_OPTION_EXTERNAL_LOGGER, log_nothing, NULL,
                                      MHD_OPTION_ARRAY, option, MHD_OPTION_END);
    freeaddrinfo(found);
    if (server->daemon == NULL)
        return diag_set(diag, ERR_IO, "%s: cannot listen there%s; is the address in use?",
                        server->settings->address,
                        server->settings->certificate != NULL
                            ? ", or the certificate and its key are not right" : "");
    info = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);
    server->port = info != NULL ? info->port : 0;
    return ERR_OK;
}

enum err server_start(struct server *server, const struct server_settings *settings,
                      char token[TOKEN_TEXT], struct diag *diag)
{
    struct db *db;
    bool is_new;
    enum err err;

    memset(server, 0, sizeof *server);
    server->settings = settings;
    server->started_ns = writer_now_ns();
    token[0] = '\0';
    err = db_open(&db, settings->database, diag);
    if (err != ERR_OK)
        return err;
    err = schema_upgrade(db, SCHEMA_VERSION, &is_new, diag);
    if (err == ERR_OK && is_new)
        err = token_add(db, "first", "read,write,control", "", token, diag);
    if (err != ERR_OK) {
        db_close(db);
        return err;
    }
    pool_init(&server->pool, settings->database, settings->threads + 1);
    rate_init(&server->rate, settings->rate);
    err = writer_start(&server->writer, db, settings->database, settings->reports_kept,
                       settings->keep_seconds, diag);
    if (err == ERR_OK)
        err = patience_start(&server->patience, settings->patience_seconds, diag);
    if (err == ERR_OK)
        err = listen_on(server, diag);
    if (err != ERR_OK)
        server_stop(server);
    return err;
}

void server_stop(struct server *server)
{
    server->stops = true;
    for (int i = 0; i < STOP_TENTHS && server->open > 0; i++)
        usleep(100000);
    writer_stop(&server->writer);           /* all waiting requests continue */
    if (server->daemon != NULL)
        MHD_stop_daemon(server->daemon);
    patience_stop(&server->patience);
    pool_free(&server->pool);
    rate_free(&server->rate);
}
