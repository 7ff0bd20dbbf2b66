/* Tables of costs: any records or JSON are refused, with a diagnosis, or become a table whose parts
 * agree and that JSON carries whole. The first byte says whether the rest is records or JSON. */
#define _GNU_SOURCE     /* memfd_create */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "prof/api/api_lookup.h"
#include "prof/hang/hang_control.h"

enum { INPUT_MAX = 1 << 14 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

/* The output of api_write_json is read back as the same table. */
static void write_again(const struct api *api)
{
    struct api again = {.table.rows = 0};
    struct diag diag = {""};
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    require(out != NULL && api_write_json(api, out, &diag) == ERR_OK && fclose(out) == 0);
    require(api_read_json(&again, "again", text, &diag) == ERR_OK);
    require(again.table.rows == api->table.rows);
    for (size_t i = 0; i < api->table.rows; i++) {
        const struct api_row *row = &api->table.row[i];
        const char *name = api->table.function.text[row->function];
        const struct api_row *other = api_find(&again.table, name, api->table.cost.text[row->cost],
                                               row->scope);

        require(other != NULL && memcmp(row->bucket, other->bucket, sizeof row->bucket) == 0);
    }
    free(text);
    api_free(&again);
}

static void use(struct api *api)
{
    static const char *const pattern[] = {"*a*", "f"};
    struct api_groups groups;
    struct diag diag = {""};

    require(api_groups_make(&groups, api, &diag) == ERR_OK);
    require(groups.functions == api->table.function.count);
    api_groups_free(&groups);
    for (uint32_t i = 0; i < api->table.function.count; i++)
        free(api_hover(api, api->table.function.text[i]));
    write_again(api);
    if (api_select(api, pattern, 2, &diag) == ERR_OK)
        require(api->table.rows != 0);
}

static enum err read_records(struct api *api, const uint8_t *data, size_t size, struct diag *diag)
{
    int file = memfd_create("records", 0);
    char path[64];
    enum err err;

    require(file >= 0 && write(file, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    err = api_read(api, path, diag);
    close(file);
    return err;
}

static enum err read_text(struct api *api, const uint8_t *data, size_t size, struct diag *diag)
{
    char *text = strndup((const char *)data, size);
    struct hang_controls controls;
    enum err err;

    require(text != NULL);
    err = hang_controls_read(&controls, text, diag);
    require(err == ERR_OK || diag->text[0] != '\0');
    hang_controls_free(&controls);
    diag->text[0] = '\0';
    err = api_read_json(api, "costs", text, diag);
    free(text);
    return err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct api api = {.table.rows = 0};
    struct diag diag = {""};
    enum err err;

    if (size == 0 || size > INPUT_MAX)
        return 0;
    err = data[0] == 'j' ? read_text(&api, data + 1, size - 1, &diag)
                         : read_records(&api, data + 1, size - 1, &diag);
    if (err == ERR_OK)
        use(&api);
    else
        require(diag.text[0] != '\0');
    api_free(&api);
    return 0;
}
