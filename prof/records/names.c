/* See names.h. Open addressing with linear probing; hashes are FNV-1a. */
#include "prof/records/names.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_MIN = 64 };

static uint64_t hash(const char *text)
{
    uint64_t value = 0xcbf29ce484222325;

    for (; *text != '\0'; text++)
        value = (value ^ (unsigned char)*text) * 0x100000001b3;
    return value ^ value >> 29;
}

/* The slot of a text, or the free slot where it belongs. */
static size_t slot_of(const struct names *names, const char *text)
{
    size_t at = hash(text) & (names->slots - 1);

    while (names->slot[at] != 0 && strcmp(names->text[names->slot[at] - 1], text) != 0)
        at = (at + 1) & (names->slots - 1);
    return at;
}

static enum err grow(struct names *names)
{
    size_t room = names->slots == 0 ? SLOTS_MIN / 2 : names->slots;
    char **text = realloc(names->text, room * sizeof *text);
    uint32_t *slot = calloc(2 * room, sizeof *slot);

    if (text != NULL)
        names->text = text;
    if (text == NULL || slot == NULL) {
        free(slot);
        return ERR_NO_MEMORY;
    }
    free(names->slot);
    names->slot = slot;
    names->slots = 2 * room;
    names->room = room;
    for (size_t i = 0; i < names->count; i++)
        names->slot[slot_of(names, names->text[i])] = (uint32_t)i + 1;
    return ERR_OK;
}

enum err names_add(struct names *names, const char *text, uint32_t *number, struct diag *diag)
{
    size_t at;

    if (names->count == names->room && grow(names) != ERR_OK)
        return diag_no_memory(diag, "names");
    at = slot_of(names, text);
    if (names->slot[at] == 0) {
        names->text[names->count] = strdup(text);
        if (names->text[names->count] == NULL)
            return diag_no_memory(diag, "names");
        names->slot[at] = (uint32_t)++names->count;
    }
    *number = names->slot[at] - 1;
    return ERR_OK;
}

long names_find(const struct names *names, const char *text)
{
    return names->slots == 0 ? NAMES_NONE : (long)names->slot[slot_of(names, text)] - 1;
}

void names_free(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->text[i]);
    free(names->text);
    free(names->slot);
    *names = (struct names){.count = 0};
}

const char *names_next(void *walk)
{
    struct names_walk *at = walk;

    return at->at < at->names->count ? at->names->text[at->at++] : NULL;
}
