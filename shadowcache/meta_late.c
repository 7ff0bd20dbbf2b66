/* Lines of metadata that wait for libraries; see meta.h.
 *
 * A line is read again for every library: routines of several libraries may share a name. A line
 * that no library could place keeps its reason. */
#include "shadowcache/meta_internal.h"
#include "shadowcache/meta_late.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/array.h"
/* ---- keeping --------------------------------------------------------------------------------- */

static void fill(struct meta_late *late, const struct meta_reader *reader)
{
    const char *reason = reader->diag != NULL ? reader->diag->text : "";

    *late = (struct meta_late){
        .text = strndup(reader->line_begin, (size_t)(reader->line_end - reader->line_begin)),
        .reason = strdup(reason),
        .file = reader->file, .line = reader->line, .flags = reader->flags,
    };
}

enum err meta_keep_late(struct meta_reader *reader)
{
    struct meta *meta = reader->meta;
    struct meta_late *grown = array_grow(meta->late, meta->lates, sizeof *grown);

    if (grown == NULL)
        return ERR_NO_MEMORY;
    meta->late = grown;
    fill(&grown[meta->lates++], reader);
    if (grown[meta->lates - 1].text == NULL || grown[meta->lates - 1].reason == NULL)
        return ERR_NO_MEMORY;
    if (reader->diag != NULL)
        reader->diag->text[0] = '\0';
    return ERR_OK;
}

void meta_late_placed(struct meta *meta, const struct meta_mark *mark)
{
    for (size_t i = 0; i < meta->lates; i++)
        if (meta->late[i].file == mark->file && meta->late[i].line == mark->line)
            meta->late[i].is_placed = true;
}

unsigned meta_flags(const struct meta *meta)
{
    unsigned flags = 0;

    for (size_t i = 0; i < meta->marks; i++)
        flags |= meta->mark[i].action.flags;
    for (size_t i = 0; i < meta->lates; i++)
        flags |= meta->late[i].flags;
    return flags;
}

void meta_late_free(struct meta *meta)
{
    for (size_t i = 0; i < meta->lates; i++) {
        free(meta->late[i].text);
        free(meta->late[i].reason);
    }
    for (size_t i = 0; i < meta->parts; i++)
        free(meta->part[i].mark);
    free(meta->late);
    free(meta->part);
}

/* ---- reading for a library ------------------------------------------------------------------- */

/* Parses the line alone into reader->meta. */
static enum err read_again(struct meta_reader *reader, struct meta *meta, struct meta_late *late)
{
    struct meta *own = reader->meta;
    size_t before = own->marks;
    enum err err;

    reader->name = meta->file[late->file];
    reader->file = late->file;
    reader->line = late->line;
    reader->line_begin = reader->cursor = late->text;
    reader->line_end = late->text + strlen(late->text);
    err = meta_read_line(reader);
    if (reader->is_unknown) {
        own->marks = before;
        return err == ERR_NO_MEMORY ? err : ERR_OK;
    }
    if (err != ERR_OK)
        return err == ERR_USAGE && reader->diag != NULL
                   ? meta_warn(meta, "%s", reader->diag->text) : err;
    late->is_placed = true;
    return ERR_OK;
}

static int compare_marks(const void *a, const void *b)
{
    const struct meta_mark *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static void take_ranges(struct meta_range *range, const struct meta_range *own)
{
    for (unsigned i = 0; i < 8; i++)
        if (own[i].is_set)
            range[i] = own[i];
}

/* Moves the library's marks and ranges, and copies its warnings. */
static enum err take(struct meta *meta, struct meta *own, struct meta_part *part)
{
    struct meta_part *grown = array_grow(meta->part, meta->parts, sizeof *grown);
    enum err err = grown == NULL ? ERR_NO_MEMORY : ERR_OK;

    for (size_t i = 0; i < own->warnings && err == ERR_OK; i++)
        err = meta_warn(meta, "%s", own->warning[i]);
    take_ranges(meta->irange, own->irange);
    take_ranges(meta->drange, own->drange);
    if (grown == NULL)
        return err;
    meta->part = grown;
    if (own->marks != 0) {
        qsort(own->mark, own->marks, sizeof *own->mark, compare_marks);
        *part = (struct meta_part){own->mark, own->marks};
        meta->part[meta->parts++] = *part;
        own->mark = NULL;
    }
    return err;
}

enum err meta_read_late(struct meta *meta, const struct meta_resolver *resolver,
                        struct meta_part *part, struct diag *diag)
{
    struct meta_reader *reader = calloc(1, sizeof *reader);
    struct meta own = {0};
    struct diag line = {""};
    enum err err = ERR_NO_MEMORY;

    *part = (struct meta_part){NULL, 0};
    if (reader != NULL) {
        *reader = (struct meta_reader){.meta = &own, .resolver = resolver, .diag = &line};
        err = meta_place_begin(reader);
        for (size_t i = 0; i < meta->lates && err == ERR_OK; i++)
            err = read_again(reader, meta, &meta->late[i]);
        free(reader->start);
    }
    if (err == ERR_OK)
        err = take(meta, &own, part);
    meta_free(&own);
    free(reader);
    return err == ERR_OK ? err : diag_no_memory(diag, "metadata");
}
