/* See covers.h. */
#include "sim/host/covers.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/array.h"

enum { FILES = KEY_COVER / KEY_COVERED - 1 };       /* the last number is KEY_UNKNOWN's */

uint64_t covers_number(struct covers *covers, const char *path, uint64_t bias)
{
    uint64_t program = key_program(bias) >> KEY_SHIFT;
    struct covers_file *grown;
    size_t at = 0;

    while (at < covers->files && (covers->file[at].bias != bias ||
                                  strcmp(covers->file[at].path, path) != 0))
        at++;
    if (at == FILES || program >= KEY_COVERED)
        return 0;
    if (at == covers->files) {
        grown = array_grow(covers->file, covers->files, sizeof *grown);
        if (grown == NULL)
            return 0;
        covers->file = grown;
        grown[at] = (struct covers_file){strdup(path), bias};
        if (grown[at].path == NULL)
            return 0;
        covers->files++;
    }
    return (KEY_COVER | (uint64_t)at * KEY_COVERED | program) << KEY_SHIFT;
}

void covers_free(struct covers *covers)
{
    for (size_t i = 0; i < covers->files; i++)
        free(covers->file[i].path);
    free(covers->file);
    *covers = (struct covers){NULL, 0};
}

/* ---- of one process -------------------------------------------------------------------------- */

bool cover_list_clear(struct cover_list *list, uint64_t start, uint64_t end)
{
    size_t kept = 0, before = list->covers;

    for (size_t i = 0; i < before; i++)
        if (list->cover[i].start >= end || list->cover[i].end <= start)
            list->cover[kept++] = list->cover[i];
    list->covers = kept;
    return kept != before;
}

bool cover_list_add(struct cover_list *list, const struct pmu_cover *cover)
{
    struct pmu_cover *grown = array_grow(list->cover, list->covers, sizeof *grown);

    if (grown == NULL)
        return false;
    list->cover = grown;
    grown[list->covers++] = *cover;
    return true;
}

bool cover_list_copy(struct cover_list *list, const struct cover_list *from)
{
    *list = (struct cover_list){NULL, 0};
    for (size_t i = 0; i < from->covers; i++)
        if (!cover_list_add(list, &from->cover[i]))
            return false;
    return true;
}

void cover_list_free(struct cover_list *list)
{
    free(list->cover);
    *list = (struct cover_list){NULL, 0};
}
