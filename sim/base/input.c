/* See input.h. */
#include "sim/base/input.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BYTES = 1 << 16 };

/* Doubles the room for the text, which includes the zero byte after it. False: no memory. */
static bool grow(char **text, size_t *room)
{
    size_t larger = *room != 0 ? 2 * *room : FIRST_BYTES;
    char *grown = realloc(*text, larger);

    if (grown == NULL)
        return false;
    *text = grown;
    *room = larger;
    return true;
}

/* Adds what the file has, until its end or `most` bytes. False: no memory. */
static bool read_on(FILE *file, size_t most, char **text, size_t *bytes)
{
    size_t room = 0, count = 0;

    do {
        if (*bytes + 1 >= room && !grow(text, &room))
            return false;
        errno = 0;
        count = fread(*text + *bytes, 1, room - 1 - *bytes, file);
        *bytes += count;
    } while (count != 0 && *bytes < most);
    (*text)[*bytes] = '\0';
    return true;
}

enum err input_read_open(FILE *file, const struct input *input, char **text, size_t *bytes,
                         struct diag *diag)
{
    enum err err = ERR_OK;

    *text = NULL;
    *bytes = 0;
    if (!read_on(file, input->most, text, bytes))
        err = diag_no_memory(diag, input->path);
    else if (ferror(file))
        err = diag_set(diag, ERR_IO, "%.300s: cannot be read: %s", input->path, strerror(errno));
    else if (*bytes >= input->most)
        err = diag_set(diag, ERR_USAGE, "%.300s: too large for %s", input->path, input->use);
    if (err != ERR_OK) {
        free(*text);
        *text = NULL;
    }
    return err;
}

enum err input_read(const struct input *input, char **text, size_t *bytes, struct diag *diag)
{
    FILE *file = fopen(input->path, "rb");
    enum err err;

    *text = NULL;
    *bytes = 0;
    if (file == NULL)
        return diag_set(diag, ERR_IO, "%.300s: %s", input->path, strerror(errno));
    err = input_read_open(file, input, text, bytes, diag);
    fclose(file);
    return err;
}
