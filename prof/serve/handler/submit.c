/* Requests that write: cost summaries, hang reports, control files. */
#include <stdlib.h>
#include <string.h>

#include "prof/serve/store/control.h"
#include "prof/serve/server/server.h"

/* ---- through the writer ---------------------------------------------------------------------- */

static struct request *request_of(struct writing *writing)
{
    return (struct request *)(void *)((char *)writing - offsetof(struct request, writing));
}

/* Called on the writer's thread. */
static void on_written(struct writing *writing)
{
    struct request *request = request_of(writing);

    request->is_written = true;
    MHD_resume_connection(request->connection);
}

void request_write(struct request *request)
{
    request->writing.done = on_written;
    request->writing.bytes = request->bytes;
    request->waits = true;
    MHD_suspend_connection(request->connection);
    if (writer_submit(&request->server->writer, &request->writing))
        return;
    request->waits = false;
    MHD_resume_connection(request->connection);
    reply_error(request, MHD_HTTP_SERVICE_UNAVAILABLE, "too much waits to be written");
}

/* True if the data are written; otherwise answers with the error. */
static bool was_written(struct request *request)
{
    if (request->writing.err == ERR_OK)
        return true;
    reply_error(request, MHD_HTTP_SERVICE_UNAVAILABLE, "the database: %s",
                request->writing.reason);
    return false;
}

static void reply_result(struct request *request)
{
    cJSON *json;

    if (!was_written(request))
        return;
    if (request->writing.result == STORE_CONFLICT) {
        reply_error(request, MHD_HTTP_CONFLICT, "the id was used for something else");
        return;
    }
    json = cJSON_CreateObject();
    if (request->writing.result == STORE_ADDED)
        request->server->added++;
    else
        request->server->known++;
    cJSON_AddStringToObject(json, "status",
                            request->writing.result == STORE_ADDED ? "added" : "known");
    reply_json(request, request->writing.result == STORE_ADDED ? MHD_HTTP_CREATED : MHD_HTTP_OK,
               json);
}

/* True if the token may write for this program; else answers with an error. */
static bool may_write(struct request *request, const char *program)
{
    if (request->program[0] == '\0' || strcmp(request->program, program) == 0)
        return true;
    reply_error(request, MHD_HTTP_FORBIDDEN, "the token is for program %s", request->program);
    return false;
}

/* Starts writing, or answers with the error. */
static void submit(struct request *request, enum err err, const struct diag *diag,
                   const char *program)
{
    if (err == ERR_USAGE)
        reply_error(request, MHD_HTTP_BAD_REQUEST, "%s", diag->text);
    else if (err != ERR_OK)
        reply_error(request, MHD_HTTP_SERVICE_UNAVAILABLE, "%s", diag->text);
    else if (may_write(request, program))
        request_write(request);
}

/* ---- cost summaries -------------------------------------------------------------------------- */

struct costs { struct summary summary; char digest[TOKEN_HASH]; };

static void free_costs(void *payload)
{
    struct costs *costs = payload;

    summary_free(&costs->summary);
    free(costs);
}

static enum err apply_costs(struct writing *writing, struct store *store)
{
    const struct costs *costs = request_of(writing)->payload;

    return store_add_costs(store, &costs->summary, costs->digest, &writing->result);
}

void handle_submit_costs(struct request *request)
{
    struct costs *costs;
    struct diag diag = {""};
    enum err err;

    if (request->is_written) {
        reply_result(request);
        return;
    }
    costs = request->payload = calloc(1, sizeof *costs);
    request->free_payload = free_costs;
    request->writing.apply = apply_costs;
    if (costs == NULL)
        return;
    token_hash(request->body, request->bytes, costs->digest);
    err = summary_read(&costs->summary, request->body, &diag);
    submit(request, err, &diag, costs->summary.head.program);
}

/* ---- hang reports ---------------------------------------------------------------------------- */

struct hangs { struct hang_reports reports; char digest[TOKEN_HASH]; };

static void free_hangs(void *payload)
{
    struct hangs *hangs = payload;

    hang_reports_free(&hangs->reports);
    free(hangs);
}

static enum err apply_hangs(struct writing *writing, struct store *store)
{
    const struct hangs *hangs = request_of(writing)->payload;

    return store_add_hangs(store, &hangs->reports, hangs->digest, &writing->result);
}

void handle_submit_hangs(struct request *request)
{
    struct hangs *hangs;
    struct diag diag = {""};
    enum err err;

    if (request->is_written) {
        reply_result(request);
        return;
    }
    hangs = request->payload = calloc(1, sizeof *hangs);
    request->free_payload = free_hangs;
    request->writing.apply = apply_hangs;
    if (hangs == NULL)
        return;
    token_hash(request->body, request->bytes, hangs->digest);
    err = hang_reports_read(&hangs->reports, request->body, &diag);
    submit(request, err, &diag, hangs->reports.head.program);
}

/* ---- control files --------------------------------------------------------------------------- */

static void free_control(void *payload)
{
    control_free(payload);
    free(payload);
}

static enum err apply_control(struct writing *writing, struct store *store)
{
    const struct request *request = request_of(writing);

    return control_write(request->payload, store->db, request->rest);
}

void handle_set_control(struct request *request)
{
    struct control *control;
    struct diag diag = {""};
    enum err err;

    if (request->is_written) {
        if (was_written(request))
            reply_text(request, MHD_HTTP_NO_CONTENT, "text/plain", strdup(""), 0);
        return;
    }
    control = request->payload = calloc(1, sizeof *control);
    request->free_payload = free_control;
    request->writing.apply = apply_control;
    if (control == NULL)
        return;
    err = control_read(control, request->body, &diag);
    submit(request, err, &diag, request->rest);
}
