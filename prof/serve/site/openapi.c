/* The OpenAPI description, from the tables of routes and parameters: GET /v1/openapi.json. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "prof/profile/json.h"
#include "prof/serve/site/asset.h"
#include "prof/serve/server/server.h"

#ifndef RVSIM_VERSION
#define RVSIM_VERSION "unknown"
#endif

/* Schemas of bodies and answers; their meaning is in summary.h, hang_report.h and control.h. */
ASSET(serve_components, "components.json");

static cJSON *text_schema(void)
{
    cJSON *json = cJSON_CreateObject();

    cJSON_AddStringToObject(json, "type", "string");
    return json;
}

static void add_parameter(cJSON *array, const char *in, const char *name, const char *description)
{
    cJSON *json = cJSON_CreateObject();

    cJSON_AddItemToArray(array, json);
    cJSON_AddStringToObject(json, "name", name);
    cJSON_AddStringToObject(json, "in", in);
    if (description != NULL)
        cJSON_AddStringToObject(json, "description", description);
    cJSON_AddBoolToObject(json, "required", strcmp(in, "path") == 0);
    cJSON_AddItemToObject(json, "schema", text_schema());
}

static void add_parameters(cJSON *operation, const struct route *route)
{
    const char *brace = strchr(route->path, '{');
    cJSON *array = cJSON_AddArrayToObject(operation, "parameters");
    const struct parameter *parameter;
    char name[32];

    if (brace != NULL) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(brace + 1, "}"), brace + 1);
        add_parameter(array, "path", name, NULL);
    }
    for (size_t i = 0; (parameter = parameter_at(i)) != NULL; i++)
        if (route_takes(route, parameter->name))
            add_parameter(array, "query", parameter->name, parameter->description);
}

/* ---- answers --------------------------------------------------------------------------------- */

static void add_reference(cJSON *json, const char *schema)
{
    char text[96];

    snprintf(text, sizeof text, "#/components/schemas/%s", schema);
    cJSON_AddStringToObject(json, "$ref", text);
}

/* `types`: of content, as route.def has them; in this order. */
static void add_content(cJSON *json, const char *types)
{
    cJSON *content = *types != '\0' ? cJSON_AddObjectToObject(json, "content") : NULL;
    char type[64], schema[64];
    int bytes = 0;

    for (; sscanf(types, " %63[^: ]%n", type, &bytes) == 1; types += bytes) {
        cJSON *one = cJSON_AddObjectToObject(content, type);

        types += bytes;
        bytes = 0;
        if (sscanf(types, ":%63[^ ]%n", schema, &bytes) == 1)
            add_reference(cJSON_AddObjectToObject(one, "schema"), schema);
    }
}

static void add_answer(cJSON *answers, const char *status, const char *description,
                       const char *types)
{
    cJSON *answer = cJSON_AddObjectToObject(answers, status);

    cJSON_AddStringToObject(answer, "description", description);
    add_content(answer, types);
}

static void add_refusals(cJSON *answers, const struct route *route, bool writes, bool submits)
{
    static const char types[] = "application/json:Error";

    add_answer(answers, "400", "the request is not right; `error` says why", types);
    if (route->scope != TOKEN_NONE)
        add_answer(answers, "401", "no token, or one that is not known", types);
    if (route->scope != TOKEN_NONE || writes)
        add_answer(answers, "403", "the token is for something else", types);
    if (strstr(route->path, "{group}") != NULL)
        add_answer(answers, "404", "there is no such group", types);
    if (submits)
        add_answer(answers, "409", "the id was used for something else", types);
    if (writes) {
        add_answer(answers, "413", "the body is too large", types);
        add_answer(answers, "415", "the body is packed, but not with zstd", types);
    }
    add_answer(answers, "429", "too many requests; try again after the time of Retry-After", types);
    add_answer(answers, "503", "not now; try again after the time of Retry-After", types);
}

static void add_answers(cJSON *operation, const struct route *route)
{
    cJSON *answers = cJSON_AddObjectToObject(operation, "responses");
    bool writes = strcmp(route->method, "GET") != 0, submits = route->scope == TOKEN_WRITE;

    if (submits)
        add_answer(answers, "201", "it is stored", route->answers);
    if (submits || !writes)
        add_answer(answers, "200", submits ? "the same submission was there already" : "the answer",
                   route->answers);
    else
        add_answer(answers, "204", "it is stored", "");
    add_refusals(answers, route, writes, submits);
}

static void add_body(cJSON *operation, const char *types)
{
    cJSON *body = cJSON_AddObjectToObject(operation, "requestBody");

    cJSON_AddBoolToObject(body, "required", true);
    add_content(body, types);
}

/* ---- requests -------------------------------------------------------------------------------- */

static void add_operation(cJSON *paths, const struct route *route)
{
    cJSON *path = cJSON_GetObjectItemCaseSensitive(paths, route->path), *operation;
    char method[8] = "";

    if (path == NULL)
        path = cJSON_AddObjectToObject(paths, route->path);
    for (size_t i = 0; i < sizeof method - 1 && route->method[i] != '\0'; i++)
        method[i] = (char)tolower((unsigned char)route->method[i]);
    operation = cJSON_AddObjectToObject(path, method);
    cJSON_AddStringToObject(operation, "operationId", route->name);
    cJSON_AddStringToObject(operation, "summary", route->summary);
    add_parameters(operation, route);
    if (strcmp(route->name, "submit_costs") == 0)
        add_body(operation, "application/json:CostSummary");
    else if (strcmp(route->name, "submit_hangs") == 0)
        add_body(operation, "application/json:HangReport");
    else if (strcmp(route->name, "set_control") == 0)
        add_body(operation, "application/json:ControlFile");
    add_answers(operation, route);
    if (route->scope == TOKEN_NONE)
        cJSON_AddArrayToObject(operation, "security");
}

void handle_openapi(struct request *request)
{
    cJSON *root = cJSON_CreateObject(), *info, *paths, *security;
    const struct route *route;

    cJSON_AddStringToObject(root, "openapi", "3.1.0");
    info = cJSON_AddObjectToObject(root, "info");
    cJSON_AddStringToObject(info, "title", "rvsim serve");
    cJSON_AddStringToObject(info, "version", RVSIM_VERSION);
    security = cJSON_CreateObject();
    cJSON_AddArrayToObject(security, "token");
    cJSON_AddItemToArray(cJSON_AddArrayToObject(root, "security"), security);
    paths = cJSON_AddObjectToObject(root, "paths");
    for (size_t i = 0; (route = route_at(i)) != NULL; i++)
        add_operation(paths, route);
    cJSON_AddItemToObject(root, "components", cJSON_Parse(serve_components));
    reply_json(request, MHD_HTTP_OK, root);
}
