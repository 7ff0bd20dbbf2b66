/* The pages, and the service's information about itself. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prof/serve/site/asset.h"
#include "prof/serve/server/server.h"

#ifndef RVSIM_VERSION
#define RVSIM_VERSION "unknown"
#endif

ASSET(serve_site_html, "site.html");
ASSET(serve_site_css, "site.css");
ASSET(serve_site_js, "site.js");

enum { TOKEN_BYTES_MAX = 200 };

void handle_page(struct request *request)
{
    reply_constant(request, "text/html; charset=utf-8", serve_site_html);
    if (request->response != NULL)
        MHD_add_response_header(request->response, "Content-Security-Policy",
                                "default-src 'none'; style-src 'self'; script-src 'self'; "
                                "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; "
                                "base-uri 'none'");
}

void handle_style(struct request *request)
{
    reply_constant(request, "text/css; charset=utf-8", serve_site_css);
}

void handle_script(struct request *request)
{
    reply_constant(request, "text/javascript; charset=utf-8", serve_site_js);
}

/* The body is the token; an empty one deletes the cookie. Pages of other sites cannot use the
 * cookie. */
void handle_login(struct request *request)
{
    char cookie[TOKEN_BYTES_MAX + 80];
    const char *token = request->body;
    unsigned scopes = 0;
    char program[TOKEN_PROGRAM];
    struct db *db = pool_take(&request->server->pool);
    bool is_failed = db == NULL || (*token != '\0' &&
                                    token_look_up(db, token, &scopes, program) != ERR_OK);

    pool_give(&request->server->pool, db);
    if (is_failed) {
        reply_error(request, MHD_HTTP_SERVICE_UNAVAILABLE, "the database cannot be read");
        return;
    }
    if (*token != '\0' && (scopes & TOKEN_READ) == 0) {
        reply_error(request, MHD_HTTP_FORBIDDEN, "the token is not known, or not for reading");
        return;
    }
    snprintf(cookie, sizeof cookie, "rvsim=%s; HttpOnly; SameSite=Strict; Path=/; Max-Age=%d%s",
             token, *token != '\0' ? 2592000 : 0,
             request->server->settings->certificate != NULL ? "; Secure" : "");
    reply_text(request, MHD_HTTP_NO_CONTENT, "text/plain", strdup(""), 0);
    if (request->response != NULL)
        MHD_add_response_header(request->response, "Set-Cookie", cookie);
}

void handle_health(struct request *request)
{
    int64_t schema;

    if (request->db != NULL &&
        db_number_of(request->db, &schema, "SELECT value FROM state WHERE name = 'schema'", "") ==
            ERR_OK)
        reply_text(request, MHD_HTTP_OK, "text/plain", strdup("ok\n"), 3);
    else
        reply_error(request, MHD_HTTP_SERVICE_UNAVAILABLE, "the database cannot be read");
}

/* ---- metrics --------------------------------------------------------------------------------- */

static void put_metric(FILE *out, const char *name, const char *type, const char *help,
                       double value)
{
    fprintf(out, "# HELP rvsim_%s %s\n# TYPE rvsim_%s %s\nrvsim_%s %.15g\n", name, help, name, type,
            name, value);
}

static void put_requests(struct server *server, FILE *out)
{
    fputs("# HELP rvsim_requests_total Requests answered.\n# TYPE rvsim_requests_total counter\n",
          out);
    for (size_t i = 0; i <= ROUTES; i++)
        for (unsigned class = 2; class < STATUS_CLASSES; class++)
            if (server->answered[i][class] != 0)
                fprintf(out, "rvsim_requests_total{route=\"%s\",status=\"%uxx\"} %" PRIu64 "\n",
                        i < ROUTES ? route_at(i)->name : "none", class,
                        server->answered[i][class]);
}

void handle_metrics(struct request *request)
{
    struct server *server = request->server;
    struct writer_counts counts = writer_count(&server->writer);
    uint64_t bytes = request->db != NULL ? db_bytes(request->db) : 0;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    if (out == NULL)
        return;
    put_requests(server, out);
#define SECONDS(ns) ((double)(ns) / 1e9)
    put_metric(out, "request_seconds_total", "counter", "Time from the first byte of a request to "
               "its answer.", SECONDS(server->nanoseconds));
    put_metric(out, "submissions_added_total", "counter", "Submissions added.",
               (double)server->added);
    put_metric(out, "submissions_known_total", "counter", "Submissions that were there already.",
               (double)server->known);
    put_metric(out, "received_bytes_total", "counter", "Bytes of requests' bodies.",
               (double)server->bytes_in);
    put_metric(out, "transactions_total", "counter", "Transactions that wrote.",
               (double)counts.transactions);
    put_metric(out, "transaction_seconds_total", "counter", "Time of transactions that wrote.",
               SECONDS(counts.nanoseconds));
    put_metric(out, "writes_failed_total", "counter", "Writes that were taken back.",
               (double)counts.failed);
    put_metric(out, "requests_open", "gauge", "Requests being answered.", server->open);
    put_metric(out, "database_bytes", "gauge", "Size of the database.", (double)bytes);
    put_metric(out, "uptime_seconds", "gauge", "Time since the start.",
               SECONDS(writer_now_ns() - server->started_ns));
#undef SECONDS
    if (fclose(out) == 0)
        reply_text(request, MHD_HTTP_OK, "text/plain; version=0.0.4", text, length);
}
