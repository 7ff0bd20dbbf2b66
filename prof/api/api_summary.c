/* See api_summary.h. */
#include "prof/api/api_summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "prof/api/api_json.h"

enum { ID_BYTES = 16, RANDOM_PARTS = 1 << 30 };

/* The summary being made. */
struct making {
    const struct api_summary *summary;
    api_summary_take *take;
    void *arg;
    struct diag *diag;
    char *text;
    size_t bytes, rows;
    FILE *out;
    char id[API_SUMMARY_ID];
};

static enum err draw(void *bytes, size_t count, struct diag *diag)
{
    if (getrandom(bytes, count, 0) == (ssize_t)count)
        return ERR_OK;
    return diag_set(diag, ERR_IO, "no random numbers for a summary");
}

static void put_label(struct making *making, const char *key, const char *value)
{
    char *text = json_text(cJSON_CreateString(value));

    fprintf(making->out, ",\"%s\":%s", key, text != NULL ? text : "\"\"");
    cJSON_free(text);
}

static enum err begin(struct making *making)
{
    unsigned char byte[ID_BYTES];
    enum err err = draw(byte, sizeof byte, making->diag);

    if (err != ERR_OK)
        return err;
    for (size_t i = 0; i < sizeof byte; i++)
        snprintf(making->id + 2 * i, 3, "%02x", byte[i]);
    making->rows = 0;
    making->out = open_memstream(&making->text, &making->bytes);
    if (making->out == NULL)
        return diag_no_memory(making->diag, "a summary");
    fprintf(making->out, "{\"schema\":1,\"id\":\"%s\"", making->id);
    put_label(making, "program", making->summary->program);
    put_label(making, "version", making->summary->version);
    fputs(",\"functions\":[", making->out);
    return ERR_OK;
}

static enum err end(struct making *making)
{
    enum err err = ERR_OK;

    if (making->out == NULL)
        return ERR_OK;
    fputs("]}", making->out);
    if (fclose(making->out) != 0)
        err = diag_no_memory(making->diag, "a summary");
    making->out = NULL;
    if (err == ERR_OK)
        err = making->take(making->arg, making->id, making->text, making->diag);
    free(making->text);
    making->text = NULL;
    return err;
}

/* Begins a new summary if this row would make the present one too large. */
static enum err put_row(struct making *making, const char *row)
{
    enum err err = ERR_OK;

    if (making->out != NULL) {
        fflush(making->out);
        if (making->bytes + strlen(row) + 4 > API_SUMMARY_BYTES)
            err = end(making);
    }
    if (err == ERR_OK && making->out == NULL)
        err = begin(making);
    if (err == ERR_OK)
        fprintf(making->out, "%s%s", making->rows++ > 0 ? "," : "", row);
    return err;
}

static char *row_text(const struct api *api, const struct api_row *row)
{
    cJSON *array = cJSON_CreateArray(), *element;

    api_row_write(array, &api->table, row, false);
    element = cJSON_DetachItemFromArray(array, 0);
    cJSON_Delete(array);
    return json_text(element);
}

/* For each function: true if a random number is below the share. */
static enum err pick(const struct api *api, double share, bool **picked, struct diag *diag)
{
    *picked = calloc(api->table.function.count + 1, sizeof **picked);
    if (*picked == NULL)
        return diag_no_memory(diag, "a summary");
    for (size_t i = 0; i < api->table.function.count; i++) {
        uint32_t number = 0;
        enum err err = share < 1 ? draw(&number, sizeof number, diag) : ERR_OK;

        if (err != ERR_OK)
            return err;
        (*picked)[i] = number % RANDOM_PARTS < share * RANDOM_PARTS;
    }
    return ERR_OK;
}

enum err api_summary_write(const struct api *api, const struct api_summary *summary,
                           api_summary_take *take, void *arg, struct diag *diag)
{
    struct making making = {.summary = summary, .take = take, .arg = arg, .diag = diag};
    bool *picked;
    enum err err = pick(api, summary->share, &picked, diag);

    for (size_t i = 0; i < api->table.rows && err == ERR_OK; i++) {
        const struct api_row *row = &api->table.row[i];
        char *text;

        if (!picked[row->function] || api_row_total(row).count == 0 ||
            strlen(api->table.function.text[row->function]) > API_SUMMARY_NAME)
            continue;
        text = row_text(api, row);
        err = text != NULL ? put_row(&making, text) : diag_no_memory(diag, "a summary");
        cJSON_free(text);
    }
    free(picked);
    if (err == ERR_OK)
        return end(&making);
    if (making.out != NULL)
        fclose(making.out);
    free(making.text);
    return err;
}
