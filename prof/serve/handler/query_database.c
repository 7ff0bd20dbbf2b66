/* All distributions, or a slice of them, as lines of JSON: GET /v1/database.
 *
 * The first line has the sequence of the last submission. Then follows, function by function, a
 * line for each bucket with its present values. A client with a copy replaces all lines of a
 * function, and next time requests the changes since that sequence. Rows that change while they are
 * read are sent again then. Rows are read a page at a time, so that a slow reader blocks nobody. */
#include <stdlib.h>
#include <string.h>

#include "prof/serve/handler/select.h"
#include "prof/serve/database/wide.h"

enum { PAGE = 100, BLOCK = 65536 };

struct page { int64_t id[PAGE]; size_t ids; };

struct stream {
    struct server *server;
    int64_t since, after, part, of;
    char *text;                     /* not yet sent */
    size_t bytes, sent;
    bool is_done, is_begun;
};

static void free_stream(void *arg)
{
    struct stream *stream = arg;

    free(stream->text);
    free(stream);
}

static bool put_line(FILE *out, cJSON *json)
{
    char *text = cJSON_PrintUnformatted(json);

    cJSON_Delete(json);
    if (text != NULL)
        fprintf(out, "%s\n", text);
    cJSON_free(text);
    return text != NULL;
}

static enum err put_head(struct db *db, FILE *out)
{
    cJSON *json = cJSON_CreateObject();
    int64_t sequence = 0;
    enum err err = db_number_of(db, &sequence, "SELECT value FROM state WHERE name = 'sequence'",
                                "");

    json_number(json, "schema", 1);
    json_number(json, "sequence", (uint64_t)sequence);
    return put_line(out, json) ? err : ERR_NO_MEMORY;
}

static cJSON *line_of(struct db_rows *rows)
{
    struct api_bucket bucket = {
        wide_value(db_number(rows, 7), db_number(rows, 8)),
        wide_value(db_number(rows, 9), db_number(rows, 10)),
        wide_value(db_number(rows, 11), db_number(rows, 12)),
    };
    cJSON *json = cJSON_CreateObject();

    cJSON_AddStringToObject(json, "function", db_text(rows, 0));
    cJSON_AddStringToObject(json, "module", db_text(rows, 1));
    cJSON_AddStringToObject(json, "program", db_text(rows, 2));
    cJSON_AddStringToObject(json, "version", db_text(rows, 3));
    cJSON_AddStringToObject(json, "cost", db_text(rows, 4));
    cJSON_AddStringToObject(json, "scope", api_scope_name((enum api_scope)db_number(rows, 5)));
    if (db_number(rows, 6) != API_ZERO)
        json_number(json, "bucket", (uint64_t)db_number(rows, 6));
    api_bucket_write(json, &bucket);
    return json;
}

static enum err find_page(struct stream *stream, struct db *db, struct page *page)
{
    struct db_rows rows;

    db_query(db, &rows, "SELECT function FROM change WHERE function > $1 AND sequence > $2 AND "
             "function % $3 = $4 ORDER BY function LIMIT $5", "nnnnn", stream->after,
             stream->since, stream->of, stream->part, (int64_t)PAGE);
    for (page->ids = 0; page->ids < PAGE && db_next(&rows);)
        page->id[page->ids++] = db_number(&rows, 0);
    return db_end(&rows);
}

static enum err put_function(struct db *db, int64_t id, FILE *out)
{
    enum err err = ERR_OK;
    struct db_rows rows;

    db_query(db, &rows, "SELECT f.name, f.module, p.name, p.version, k.name, c.scope, c.bucket, "
             "c.count_hi, c.count_lo, c.sum_hi, c.sum_lo, c.squares_hi, c.squares_lo "
             "FROM function f JOIN cost c ON c.function = f.id JOIN program p ON p.id = c.program "
             "JOIN kind k ON k.id = c.kind WHERE f.id = $1 "
             "ORDER BY c.kind, c.scope, c.program, c.bucket", "n", id);
    while (err == ERR_OK && db_next(&rows))
        err = put_line(out, line_of(&rows)) ? ERR_OK : ERR_NO_MEMORY;
    return db_end(&rows) == ERR_OK ? err : ERR_IO;
}

static enum err put_page(struct stream *stream, struct db *db, FILE *out)
{
    struct page page;
    enum err err = find_page(stream, db, &page);

    stream->is_done = page.ids == 0;
    for (size_t i = 0; i < page.ids && err == ERR_OK; i++)
        err = put_function(db, page.id[i], out);
    if (page.ids > 0)
        stream->after = page.id[page.ids - 1];
    return err;
}

static enum err read_more(struct stream *stream)
{
    struct db *db = pool_take(&stream->server->pool);
    FILE *out = NULL;
    enum err err;

    free(stream->text);
    stream->text = NULL;
    stream->bytes = stream->sent = 0;
    if (db != NULL)
        out = open_memstream(&stream->text, &stream->bytes);
    if (out == NULL) {
        pool_give(&stream->server->pool, db);
        return ERR_IO;
    }
    err = stream->is_begun ? put_page(stream, db, out) : put_head(db, out);
    stream->is_begun = true;
    pool_give(&stream->server->pool, db);
    return fclose(out) == 0 ? err : ERR_NO_MEMORY;
}

/* An error cuts the answer off, which its reader sees: the last chunk is missing. */
static ssize_t send_more(void *arg, uint64_t position, char *buffer, size_t most)
{
    struct stream *stream = arg;
    size_t count;

    (void)position;
    while (stream->sent == stream->bytes) {
        if (stream->is_done)
            return MHD_CONTENT_READER_END_OF_STREAM;
        if (read_more(stream) != ERR_OK)
            return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    count = stream->bytes - stream->sent < most ? stream->bytes - stream->sent : most;
    memcpy(buffer, stream->text + stream->sent, count);
    stream->sent += count;
    return (ssize_t)count;
}

void handle_database(struct request *request)
{
    uint64_t since, part, of;
    struct stream *stream;

    if (!request_number(request, "since", 0, INT64_MAX, &since) ||
        !request_number(request, "of", 1, 1000000, &of) ||
        !request_number(request, "part", 0, of > 0 ? of - 1 : 0, &part))
        return;
    stream = calloc(1, sizeof *stream);
    if (stream == NULL)
        return;
    *stream = (struct stream){.server = request->server, .since = (int64_t)since,
                              .of = of > 0 ? (int64_t)of : 1, .part = (int64_t)part};
    request->status = MHD_HTTP_OK;
    request->response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, send_more,
                                                          stream, free_stream);
    if (request->response == NULL)
        free_stream(stream);
    else
        MHD_add_response_header(request->response, "Content-Type", "application/x-ndjson");
}
