/* See lsp_server.h. */
#define _POSIX_C_SOURCE 200809L     /* strdup */
#include "sim/cli/command/lsp/lsp_server.h"

#include <stdlib.h>
#include <string.h>

#include "prof/api/api_lookup.h"
#include "prof/profile/json.h"
#include "sim/cli/command/lsp/lsp_documents.h"
#include "sim/cli/command/lsp/lsp_stream.h"
#include "sim/cli/tool/service.h"

enum { ASKED_MAX = 256, COMPLETIONS_MAX = 100, SEARCH_LEAST = 3, FUNCTION_KIND = 3 };

/* The costs of functions whose names contain a word, as answered by the service. */
struct asked { char *word; struct api api; };

struct server {
    FILE *in, *out;
    const struct api *files;            /* costs from files, without a service */
    const char *url;                    /* of the service; NULL: none */
    struct asked asked[ASKED_MAX];
    unsigned asks;
    struct lsp_documents documents;
    bool is_initialized, is_shut_down;
    int status;                         /* exit status; -1: not yet */
};

/* ---- costs ----------------------------------------------------------------------------------- */

static void forget(struct server *server)
{
    for (unsigned i = 0; i < server->asks; i++) {
        free(server->asked[i].word);
        api_free(&server->asked[i].api);
    }
    server->asks = 0;
}

/* The table for a word: from the files, or the service's answer, requested once. NULL: the service
 * has no answer; diag has the reason. */
static const struct api *costs_of(struct server *server, const char *word, struct diag *diag)
{
    struct asked *asked;

    if (server->url == NULL)
        return server->files;
    for (unsigned i = 0; i < server->asks; i++)
        if (strcmp(server->asked[i].word, word) == 0)
            return &server->asked[i].api;
    if (server->asks == ASKED_MAX)
        forget(server);
    asked = &server->asked[server->asks];
    *asked = (struct asked){.word = strdup(word)};
    if (asked->word != NULL && service_search(&asked->api, server->url, word, diag) == ERR_OK) {
        server->asks++;
        return &asked->api;
    }
    api_free(&asked->api);
    free(asked->word);
    return NULL;
}

/* ---- requests -------------------------------------------------------------------------------- */

static cJSON *initialize(void)
{
    cJSON *result = cJSON_CreateObject(), *can = cJSON_AddObjectToObject(result, "capabilities");
    cJSON *sync = cJSON_AddObjectToObject(can, "textDocumentSync");
    cJSON *info = cJSON_AddObjectToObject(result, "serverInfo");

    cJSON_AddTrueToObject(sync, "openClose");
    cJSON_AddNumberToObject(sync, "change", 1);         /* the whole text */
    cJSON_AddStringToObject(can, "positionEncoding", "utf-16");
    cJSON_AddTrueToObject(can, "hoverProvider");
    cJSON_AddObjectToObject(can, "completionProvider");
    cJSON_AddStringToObject(info, "name", "rvsim lsp");
    return result;
}

struct place { const char *uri; unsigned line, character; };

static bool read_place(const cJSON *params, struct place *place)
{
    struct diag diag;
    struct json_reader reader = {.file = "request", .diag = &diag};
    const cJSON *position = json_get_object(&reader, params, "position");
    uint64_t line = json_get_number(&reader, position, "line");
    uint64_t character = json_get_number(&reader, position, "character");

    place->uri = json_get_text(&reader, json_get_object(&reader, params, "textDocument"), "uri");
    place->line = (unsigned)line;
    place->character = (unsigned)character;
    return reader.err == ERR_OK && line <= INT32_MAX && character <= INT32_MAX;
}

static void add_position(cJSON *range, const char *key, unsigned line, unsigned character)
{
    cJSON *position = cJSON_AddObjectToObject(range, key);

    cJSON_AddNumberToObject(position, "line", line);
    cJSON_AddNumberToObject(position, "character", character);
}

static cJSON *make_hover(const char *markdown, unsigned line, unsigned begin, unsigned end)
{
    cJSON *result = cJSON_CreateObject(), *contents, *range;

    contents = cJSON_AddObjectToObject(result, "contents");
    cJSON_AddStringToObject(contents, "kind", "markdown");
    cJSON_AddStringToObject(contents, "value", markdown);
    range = cJSON_AddObjectToObject(result, "range");
    add_position(range, "start", line, begin);
    add_position(range, "end", line, end);
    return result;
}

static void hover(struct server *server, const cJSON *id, const struct place *place)
{
    unsigned begin = 0, end = 0;
    char *word = lsp_word_at(&server->documents, place->uri, place->line, place->character, false,
                             &begin, &end), *markdown = NULL;
    struct diag diag = {""};
    const struct api *api = word != NULL ? costs_of(server, word, &diag) : server->files;

    if (api == NULL) {
        lsp_refuse(server->out, id, LSP_FAILED, diag.text);
    } else {
        if (word != NULL)
            markdown = api_hover(api, word);
        lsp_answer(server->out, id, markdown != NULL
                                        ? make_hover(markdown, place->line, begin, end)
                                        : cJSON_CreateNull());
    }
    free(markdown);
    free(word);
}

static void add_completion(cJSON *items, const struct api *api, uint32_t function)
{
    const char *name = api->table.function.text[function];
    char detail[API_DETAIL];
    cJSON *item = json_append_object(items);

    cJSON_AddStringToObject(item, "label", name);
    cJSON_AddNumberToObject(item, "kind", FUNCTION_KIND);
    cJSON_AddStringToObject(item, "detail", api_detail(api, function, detail));
}

static void complete(struct server *server, const cJSON *id, const struct place *place)
{
    unsigned begin, end;
    char *word = lsp_word_at(&server->documents, place->uri, place->line, place->character, true,
                             &begin, &end);
    cJSON *result = cJSON_CreateObject(), *items = cJSON_AddArrayToObject(result, "items");
    bool is_asked = word != NULL && (server->url == NULL || strlen(word) >= SEARCH_LEAST);
    struct diag diag = {""};
    const struct api *api = is_asked ? costs_of(server, word, &diag) : NULL;
    int count = 0;

    for (uint32_t i = 0; api != NULL && i < api->table.function.count && count < COMPLETIONS_MAX;
         i++)
        if (api_word_means(word, api->table.function.text[i], true)) {
            add_completion(items, api, i);
            count++;
        }
    cJSON_AddBoolToObject(result, "isIncomplete", !is_asked || count == COMPLETIONS_MAX);
    if (is_asked && api == NULL) {
        cJSON_Delete(result);
        lsp_refuse(server->out, id, LSP_FAILED, diag.text);
    } else {
        lsp_answer(server->out, id, result);
    }
    free(word);
}

/* ---- messages -------------------------------------------------------------------------------- */

static void take_request(struct server *server, const cJSON *id, const char *method,
                         const cJSON *params)
{
    struct place place;
    bool is_hover = strcmp(method, "textDocument/hover") == 0;

    if (server->is_shut_down) {
        lsp_refuse(server->out, id, LSP_INVALID_REQUEST, "the server is shut down");
    } else if (strcmp(method, "initialize") == 0) {
        server->is_initialized = true;
        lsp_answer(server->out, id, initialize());
    } else if (!server->is_initialized) {
        lsp_refuse(server->out, id, LSP_NOT_INITIALIZED, "expected initialize");
    } else if (strcmp(method, "shutdown") == 0) {
        server->is_shut_down = true;
        lsp_answer(server->out, id, cJSON_CreateNull());
    } else if (!is_hover && strcmp(method, "textDocument/completion") != 0) {
        lsp_refuse(server->out, id, LSP_NO_METHOD, method);
    } else if (!read_place(params, &place)) {
        lsp_refuse(server->out, id, LSP_INVALID_PARAMS, "expected textDocument and position");
    } else if (is_hover) {
        hover(server, id, &place);
    } else {
        complete(server, id, &place);
    }
}

/* The last change counts: each has the whole text. */
static const char *text_of(const char *method, const cJSON *params, const cJSON *document)
{
    const cJSON *changes = cJSON_GetObjectItemCaseSensitive(params, "contentChanges");
    const cJSON *last = cJSON_GetArrayItem(changes, cJSON_GetArraySize(changes) - 1);

    if (strcmp(method, "textDocument/didChange") == 0)
        document = last;
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(document, "text"));
}

static void take_notice(struct server *server, const char *method, const cJSON *params)
{
    const cJSON *document = cJSON_GetObjectItemCaseSensitive(params, "textDocument");
    const char *uri = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(document, "uri"));
    const char *text;

    if (strcmp(method, "exit") == 0)
        server->status = server->is_shut_down ? 0 : 1;
    if (uri == NULL || !server->is_initialized)
        return;
    if (strcmp(method, "textDocument/didClose") == 0)
        lsp_document_close(&server->documents, uri);
    if (strcmp(method, "textDocument/didOpen") != 0 &&
        strcmp(method, "textDocument/didChange") != 0)
        return;
    text = text_of(method, params, document);
    if (text != NULL)
        lsp_document_set(&server->documents, uri, text);
}

static void take_message(struct server *server, const char *text)
{
    cJSON *message = cJSON_Parse(text);
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(message, "id");
    const char *method = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(message, "method"));
    const cJSON *params = cJSON_GetObjectItemCaseSensitive(message, "params");

    if (message == NULL)
        lsp_refuse(server->out, NULL, LSP_PARSE_ERROR, "expected JSON");
    else if (method == NULL && !json_has(message, "result") && !json_has(message, "error"))
        lsp_refuse(server->out, id, LSP_INVALID_REQUEST, "expected a method");
    else if (method != NULL && id != NULL)
        take_request(server, id, method, params);
    else if (method != NULL)
        take_notice(server, method, params);
    cJSON_Delete(message);
}

/* The end of the input without "exit" counts as the end of the editor. */
int lsp_serve(FILE *in, FILE *out, const struct api *files, const char *url)
{
    struct server server = {.in = in, .out = out, .files = files, .url = url, .status = -1};
    char *text;

    while (server.status < 0 && (text = lsp_read(in)) != NULL) {
        take_message(&server, text);
        free(text);
    }
    forget(&server);
    lsp_documents_free(&server.documents);
    return server.status >= 0 ? server.status : 1;
}
