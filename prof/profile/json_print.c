/* Prints JSON as cJSON_Print does, but indents by two spaces, and without a copy of the whole text:
 * a profile may have hundred thousands of parts. */
#include <string.h>

#include "prof/profile/json.h"

struct printer {
    char text[1 << 14];                 /* [used] not yet written */
    size_t used;
    FILE *out;
    bool has_failed;                    /* no memory */
};

static void put_text(struct printer *printer, const char *text, size_t bytes)
{
    if (bytes > sizeof printer->text - printer->used) {
        fwrite(printer->text, 1, printer->used, printer->out);
        printer->used = 0;
    }
    if (bytes > sizeof printer->text) {
        fwrite(text, 1, bytes, printer->out);
        return;
    }
    memcpy(printer->text + printer->used, text, bytes);
    printer->used += bytes;
}

static void put(struct printer *printer, const char *text)
{
    put_text(printer, text, strlen(text));
}

static void put_indent(struct printer *printer, unsigned depth)
{
    while (depth-- != 0)
        put_text(printer, "  ", 2);
}

/* Numbers, and texts with characters that are escaped, in cJSON's own way. */
static void put_by_library(struct printer *printer, const cJSON *item)
{
    char *text = item != NULL ? cJSON_PrintUnformatted(item) : NULL;

    printer->has_failed |= text == NULL;
    if (text != NULL)
        put(printer, text);
    cJSON_free(text);
}

static bool is_plain(const char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || *text == '"' || *text == '\\')
            return false;
    return true;
}

static void put_string(struct printer *printer, const char *text)
{
    if (is_plain(text)) {
        put_text(printer, "\"", 1);
        put(printer, text);
        put_text(printer, "\"", 1);
    } else {
        cJSON *item = cJSON_CreateStringReference(text);

        put_by_library(printer, item);
        cJSON_Delete(item);
    }
}

static void put_value(struct printer *printer, const cJSON *item, unsigned depth);

static void put_object(struct printer *printer, const cJSON *object, unsigned depth)
{
    put_text(printer, "{\n", 2);
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        put_indent(printer, depth + 1);
        put_string(printer, item->string != NULL ? item->string : "");
        put_text(printer, ": ", 2);
        put_value(printer, item, depth + 1);
        put(printer, item->next != NULL ? ",\n" : "\n");
    }
    put_indent(printer, depth);
    put_text(printer, "}", 1);
}

static void put_array(struct printer *printer, const cJSON *array, unsigned depth)
{
    put_text(printer, "[", 1);
    for (const cJSON *item = array->child; item != NULL; item = item->next) {
        put_value(printer, item, depth + 1);
        if (item->next != NULL)
            put_text(printer, ", ", 2);
    }
    put_text(printer, "]", 1);
}

static void put_value(struct printer *printer, const cJSON *item, unsigned depth)
{
    if (cJSON_IsObject(item))
        put_object(printer, item, depth);
    else if (cJSON_IsArray(item))
        put_array(printer, item, depth);
    else if (cJSON_IsRaw(item) && item->valuestring != NULL)
        put(printer, item->valuestring);
    else if (cJSON_IsString(item) && item->valuestring != NULL)
        put_string(printer, item->valuestring);
    else
        put_by_library(printer, item);
}

enum err json_print(cJSON *root, FILE *out, struct diag *diag)
{
    struct printer printer = {.out = out, .has_failed = root == NULL};

    if (root != NULL)
        put_value(&printer, root, 0);
    put_text(&printer, "\n", 1);
    cJSON_Delete(root);
    if (printer.has_failed)
        return diag_no_memory(diag, "JSON");
    fwrite(printer.text, 1, printer.used, out);
    return ERR_OK;
}
