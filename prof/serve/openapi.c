/* The OpenAPI description, from the tables of routes and parameters: GET /v1/openapi.json. */
#include <ctype.h>
#include <string.h>

#include "prof/json.h"
#include "prof/serve/server.h"

#ifndef RVSIM_VERSION
#define RVSIM_VERSION "unknown"
#endif

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

static void add_answer(cJSON *answers, const char *status, const char *description)
{
    cJSON_AddStringToObject(cJSON_AddObjectToObject(answers, status), "description", description);
}

static void add_answers(cJSON *operation, const struct route *route)
{
    cJSON *answers = cJSON_AddObjectToObject(operation, "responses");
    bool writes = strcmp(route->method, "GET") != 0;

    add_answer(answers, "200", writes ? "the same submission was there already" : "the answer");
    if (writes)
        add_answer(answers, strcmp(route->method, "PUT") == 0 ? "204" : "201", "it is stored");
    add_answer(answers, "400", "the request is not right; `error` says why");
    if (route->scope != TOKEN_NONE) {
        add_answer(answers, "401", "no token, or one that is not known");
        add_answer(answers, "403", "the token is for something else");
    }
    if (writes)
        add_answer(answers, "413", "the body is too large");
    add_answer(answers, "429", "too many requests; try again after the time of Retry-After");
    add_answer(answers, "503", "not stored; try again after the time of Retry-After");
}

static void add_body(cJSON *operation, const char *schema)
{
    cJSON *body = cJSON_AddObjectToObject(operation, "requestBody");
    cJSON *json = cJSON_AddObjectToObject(
        cJSON_AddObjectToObject(cJSON_AddObjectToObject(body, "content"), "application/json"),
        "schema");

    cJSON_AddBoolToObject(body, "required", true);
    cJSON_AddStringToObject(json, "$ref", schema);
}

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
        add_body(operation, "#/components/schemas/CostSummary");
    else if (strcmp(route->name, "submit_hangs") == 0)
        add_body(operation, "#/components/schemas/HangReport");
    else if (strcmp(route->name, "set_control") == 0)
        add_body(operation, "#/components/schemas/ControlFile");
    add_answers(operation, route);
    if (route->scope == TOKEN_NONE)
        cJSON_AddArrayToObject(operation, "security");
}

/* The bodies, as JSON Schema; summary.h, hang_report.h and control.h say what they mean. */
static const char components[] =
    "{\"securitySchemes\":{\"token\":{\"type\":\"http\",\"scheme\":\"bearer\"}},\"schemas\":{"
    "\"Bucket\":{\"type\":\"object\",\"required\":[\"count\",\"sum\",\"sum_of_squares\"],"
    "\"properties\":{\"bucket\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":63},"
    "\"count\":{\"type\":\"integer\",\"minimum\":1},\"sum\":{\"type\":\"string\"},"
    "\"sum_of_squares\":{\"type\":\"string\"}}},"
    "\"Row\":{\"type\":\"object\",\"required\":[\"function\",\"cost\",\"scope\",\"buckets\"],"
    "\"properties\":{\"function\":{\"type\":\"string\"},\"module\":{\"type\":\"string\"},"
    "\"cost\":{\"type\":\"string\"},\"scope\":{\"enum\":[\"inclusive\",\"exclusive\"]},"
    "\"buckets\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/components/schemas/Bucket\"}}}},"
    "\"CostSummary\":{\"type\":\"object\",\"required\":[\"schema\",\"id\",\"program\","
    "\"functions\"],\"properties\":{\"schema\":{\"const\":1},\"id\":{\"type\":\"string\","
    "\"pattern\":\"^[A-Za-z0-9_-]{16,64}$\"},\"program\":{\"type\":\"string\"},"
    "\"version\":{\"type\":\"string\"},\"functions\":{\"type\":\"array\",\"items\":"
    "{\"$ref\":\"#/components/schemas/Row\"}}}},"
    "\"Hang\":{\"type\":\"object\",\"required\":[\"tag\",\"executed\",\"unit\",\"stack\"],"
    "\"properties\":{\"tag\":{\"type\":\"string\"},\"threshold\":{\"type\":\"integer\"},"
    "\"executed\":{\"type\":\"integer\"},\"unit\":{\"enum\":[\"ns\",\"cycles\"]},"
    "\"stack\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"minItems\":1}}},"
    "\"HangReport\":{\"type\":\"object\",\"required\":[\"schema\",\"id\",\"program\",\"hangs\"],"
    "\"properties\":{\"schema\":{\"const\":1},\"id\":{\"type\":\"string\"},"
    "\"program\":{\"type\":\"string\"},\"version\":{\"type\":\"string\"},\"hangs\":"
    "{\"type\":\"array\",\"items\":{\"$ref\":\"#/components/schemas/Hang\"}}}},"
    "\"ControlFile\":{\"type\":\"object\",\"required\":[\"schema\",\"tags\"],\"properties\":"
    "{\"schema\":{\"const\":1},\"program\":{\"type\":\"string\"},\"tags\":{\"type\":\"array\","
    "\"items\":{\"type\":\"object\",\"required\":[\"tag\",\"report\",\"times\"],\"properties\":"
    "{\"tag\":{\"type\":\"string\"},\"threshold\":{\"type\":\"string\"},"
    "\"report\":{\"enum\":[\"none\",\"light\",\"full\"]},\"times\":{\"type\":\"integer\"}}}}}}}}";

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
    cJSON_AddItemToObject(root, "components", cJSON_Parse(components));
    reply_json(request, MHD_HTTP_OK, root);
}
