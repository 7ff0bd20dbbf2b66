/* The places of functions in the source; see api.h. */
#define _GNU_SOURCE     /* asprintf */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prof/api/api.h"

static bool has_room(struct api_places *places, size_t number)
{
    size_t room = 2 * number + 64;
    char **grown;

    if (number < places->room)
        return true;
    grown = realloc(places->text, room * sizeof *grown);
    if (grown == NULL)
        return false;
    memset(grown + places->room, 0, (room - places->room) * sizeof *grown);
    places->text = grown;
    places->room = room;
    return true;
}

enum err api_place(struct api *api, const char *function, const char *file, unsigned line,
                   struct diag *diag)
{
    struct api_places *places = &api->places;
    uint32_t number;
    enum err err = names_add(&places->function, function, &number, diag);

    if (err != ERR_OK)
        return err;
    if (!has_room(places, number))
        return diag_no_memory(diag, "places in the source");
    if (places->text[number] == NULL && asprintf(&places->text[number], "%s:%u", file, line) < 0) {
        places->text[number] = NULL;
        return diag_no_memory(diag, "places in the source");
    }
    return ERR_OK;
}

const char *api_place_of(const struct api *api, const char *function)
{
    long number = names_find(&api->places.function, function);

    return number == NAMES_NONE || (size_t)number >= api->places.room
               ? NULL : api->places.text[number];
}

void api_places_free(struct api_places *places)
{
    for (size_t i = 0; i < places->room; i++)
        free(places->text[i]);
    free(places->text);
    names_free(&places->function);
    *places = (struct api_places){.text = NULL};
}
