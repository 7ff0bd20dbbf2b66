/* Any bytes in place of an editor's messages: the server answers, and the reader of messages
 * accepts each answer. */
#include <stdlib.h>
#include <string.h>

#include "prof/api/api.h"
#include "sim/cli/command/lsp/lsp_server.h"
#include "sim/cli/command/lsp/lsp_stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void require(int condition)
{
    if (!condition)
        abort();
}

/* Costs of two functions, made once. */
static const struct api *costs(void)
{
    static const char json[] =
        "{\"schema\":1,\"stacks\":[],\"functions\":["
        "{\"function\":\"text::Index::add(int)\",\"cost\":\"cycles\",\"scope\":\"inclusive\","
        "\"count\":2,\"sum\":\"180\",\"sum_of_squares\":\"16400\","
        "\"buckets\":[{\"bucket\":6,\"count\":2,\"sum\":\"180\",\"sum_of_squares\":\"16400\"}]},"
        "{\"function\":\"lookup\",\"cost\":\"bytes\",\"scope\":\"exclusive\","
        "\"count\":1,\"sum\":\"3\",\"sum_of_squares\":\"9\","
        "\"buckets\":[{\"bucket\":1,\"count\":1,\"sum\":\"3\",\"sum_of_squares\":\"9\"}]}"
        "]}";
    static struct api one;
    static bool is_read;

    if (!is_read)
        require(api_read_json(&one, "costs", json, NULL) == ERR_OK);
    is_read = true;
    return &one;
}

static void check_answers(char *text, size_t bytes)
{
    FILE *in = fmemopen(text, bytes, "r");
    char *message;

    require(in != NULL);
    while ((message = lsp_read(in)) != NULL) {
        cJSON *json = cJSON_Parse(message);

        require(cJSON_GetObjectItemCaseSensitive(json, "id") != NULL);
        cJSON_Delete(json);
        free(message);
    }
    require(ftell(in) == (long)bytes);
    fclose(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    enum { INPUT_MAX = 1 << 14 };
    size_t answer_bytes = 0;
    char *answer = NULL;
    FILE *in, *out;

    if (count == 0 || count > INPUT_MAX)
        return 0;
    in = fmemopen((void *)(uintptr_t)bytes, count, "r");
    out = open_memstream(&answer, &answer_bytes);
    require(in != NULL && out != NULL);
    lsp_serve(in, out, costs(), NULL);
    fclose(in);
    fclose(out);
    if (answer_bytes != 0)
        check_answers(answer, answer_bytes);
    free(answer);
    return 0;
}
