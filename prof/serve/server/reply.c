/* Answers, and the parameters of requests; see server.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prof/records/csv.h"
#include "prof/serve/server/server.h"

static void reply(struct request *request, unsigned status, const char *type, char *text,
                  size_t bytes, enum MHD_ResponseMemoryMode mode)
{
    request->response = MHD_create_response_from_buffer(bytes, text, mode);
    request->status = request->response != NULL ? status : 0;
    if (request->response == NULL)
        return;
    MHD_add_response_header(request->response, "Content-Type", type);
    MHD_add_response_header(request->response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(request->response, "Referrer-Policy", "no-referrer");
}

void reply_text(struct request *request, unsigned status, const char *type, char *text,
                size_t bytes)
{
    reply(request, status, type, text, bytes, MHD_RESPMEM_MUST_FREE);
    if (request->response == NULL)
        free(text);
    else
        MHD_add_response_header(request->response, "Cache-Control", "no-store");
}

void reply_constant(struct request *request, const char *type, const char *text)
{
    reply(request, MHD_HTTP_OK, type, (char *)(uintptr_t)text, strlen(text),
          MHD_RESPMEM_PERSISTENT);
    if (request->response != NULL)
        MHD_add_response_header(request->response, "Cache-Control", "no-cache");
}

void reply_json(struct request *request, unsigned status, cJSON *json)
{
    char *text = cJSON_PrintUnformatted(json), *line;
    size_t length = text != NULL ? strlen(text) : 0;

    cJSON_Delete(json);
    line = text != NULL ? realloc(text, length + 2) : NULL;
    if (line == NULL) {
        free(text);
        return;
    }
    line[length] = '\n';
    line[length + 1] = '\0';
    reply_text(request, status, "application/json", line, length + 1);
}

void reply_error(struct request *request, unsigned status, const char *format, ...)
{
    char text[600];
    va_list arguments;
    cJSON *json = cJSON_CreateObject();

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cJSON_AddStringToObject(json, "error", text);
    reply_json(request, status, json);
    if (request->response == NULL)
        return;
    if (status == MHD_HTTP_SERVICE_UNAVAILABLE || status == MHD_HTTP_TOO_MANY_REQUESTS)
        MHD_add_response_header(request->response, "Retry-After", "1");
    if (status == MHD_HTTP_UNAUTHORIZED)
        MHD_add_response_header(request->response, "WWW-Authenticate", "Bearer");
}

void reply_database(struct request *request, const struct db *db)
{
    reply_error(request, MHD_HTTP_SERVICE_UNAVAILABLE, "the database: %s", db_error(db));
}

const char *request_value(const struct request *request, const char *name)
{
    const char *text = MHD_lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND,
                                                   name);

    return text != NULL ? text : "";
}

bool request_number(struct request *request, const char *name, uint64_t value, uint64_t most,
                    uint64_t *number)
{
    const char *text = request_value(request, name);

    *number = value;
    if (*text == '\0' || (csv_number(text, number) && *number <= most))
        return true;
    reply_error(request, MHD_HTTP_BAD_REQUEST, "%s: expected a number up to %llu", name,
                (unsigned long long)most);
    return false;
}

bool request_is_one_of(struct request *request, const char *name, const char *words)
{
    const char *text = request_value(request, name);

    if (*text == '\0' || text_has_word(words, text))
        return true;
    reply_error(request, MHD_HTTP_BAD_REQUEST, "%s: expected one of %s", name, words);
    return false;
}
