/* See lsp_stream.h. */
#include "sim/cli/command/lsp/lsp_stream.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LINE_BYTES = 512, MESSAGE_MOST = 64 << 20 };

/* Bytes of the message that follows; 0: none. */
static size_t read_header(FILE *in)
{
    static const char key[] = "Content-Length:";
    unsigned long bytes = 0;
    char line[LINE_BYTES];

    while (fgets(line, sizeof line, in) != NULL) {
        if (line[0] == '\r' || line[0] == '\n')
            return bytes <= MESSAGE_MOST ? bytes : 0;
        if (strncasecmp(line, key, sizeof key - 1) == 0)
            bytes = strtoul(line + sizeof key - 1, NULL, 10);
    }
    return 0;
}

char *lsp_read(FILE *in)
{
    size_t bytes = read_header(in);
    char *text = bytes != 0 ? malloc(bytes + 1) : NULL;

    if (text == NULL || fread(text, 1, bytes, in) != bytes) {
        free(text);
        return NULL;
    }
    text[bytes] = '\0';
    return text;
}

void lsp_write(FILE *out, cJSON *message)
{
    char *text;

    cJSON_AddStringToObject(message, "jsonrpc", "2.0");
    text = cJSON_PrintUnformatted(message);
    if (text != NULL)
        fprintf(out, "Content-Length: %zu\r\n\r\n%s", strlen(text), text);
    fflush(out);
    free(text);
    cJSON_Delete(message);
}

static cJSON *answer_to(const cJSON *id)
{
    cJSON *message = cJSON_CreateObject();

    cJSON_AddItemToObject(message, "id",
                          id != NULL ? cJSON_Duplicate(id, true) : cJSON_CreateNull());
    return message;
}

void lsp_answer(FILE *out, const cJSON *id, cJSON *result)
{
    cJSON *message = answer_to(id);

    cJSON_AddItemToObject(message, "result", result);
    lsp_write(out, message);
}

void lsp_refuse(FILE *out, const cJSON *id, int code, const char *text)
{
    cJSON *message = answer_to(id), *error = cJSON_AddObjectToObject(message, "error");

    cJSON_AddNumberToObject(error, "code", code);
    cJSON_AddStringToObject(error, "message", text);
    lsp_write(out, message);
}
