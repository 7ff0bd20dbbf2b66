/* See frames_store.h. */
#include "sim/run/frames/frames_store.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/array.h"

struct frames_kept {
    uint8_t *file;
    size_t file_bytes;
    uint64_t bias;                      /* of the addresses below */
    struct monitor_frames *table;       /* NULL: not known */
    size_t bytes;
    struct frames_routines routines;    /* with has_routines */
    bool has_routines;
};

static void *copy_of(const void *from, size_t bytes)
{
    void *copy = malloc(bytes + 1);     /* NULL is no memory, also of nothing */

    if (copy != NULL && bytes != 0)
        memcpy(copy, from, bytes);
    return copy;
}

/* NULL: nothing is kept for the image. */
static struct frames_kept *find(const struct image *image)
{
    const struct frames_store *store = image->store;

    for (size_t i = 0; store != NULL && i < store->count; i++) {
        struct frames_kept *kept = &store->kept[i];

        if (kept->file_bytes == image->file_bytes &&
            memcmp(kept->file, image->file, image->file_bytes) == 0)
            return kept;
    }
    return NULL;
}

/* The entry of the image, created if necessary; NULL: the image has no store, or no memory. */
static struct frames_kept *place_for(const struct image *image)
{
    struct frames_store *store = image->store;
    struct frames_kept *kept = find(image), *grown;
    uint8_t *file;

    if (kept != NULL || store == NULL)
        return kept;
    grown = array_grow(store->kept, store->count, sizeof *grown);
    if (grown == NULL)
        return NULL;
    store->kept = grown;
    file = copy_of(image->file, image->file_bytes);
    if (file == NULL)
        return NULL;
    kept = &store->kept[store->count++];
    *kept = (struct frames_kept){
        .file = file, .file_bytes = image->file_bytes, .bias = image->bias};
    return kept;
}

/* moved: added to their addresses. */
static bool copy_routines(struct frames_routines *to, const struct frames_routines *from,
                          uint64_t moved)
{
    to->routine = copy_of(from->routine, from->count * sizeof *from->routine);
    to->count = to->routine != NULL ? from->count : 0;
    for (size_t i = 0; i < to->count; i++)
        to->routine[i].addr += moved;
    return to->routine != NULL;
}

/* A table without code lies nowhere. */
static void move_table(struct monitor_frames *table, uint64_t moved)
{
    if (table->bytes != 0)
        table->base += moved;
}

bool frames_store_table(const struct image *image, struct frames *frames)
{
    const struct frames_kept *kept = find(image);
    struct monitor_frames *table = NULL;

    if (kept != NULL && kept->table != NULL)
        table = copy_of(kept->table, kept->bytes);
    if (table == NULL)
        return false;
    move_table(table, image->bias - kept->bias);
    *frames = (struct frames){.table = table, .bytes = kept->bytes};
    return true;
}

bool frames_store_routines(const struct image *image, struct frames_routines *routines)
{
    const struct frames_kept *kept = find(image);

    return kept != NULL && kept->has_routines &&
           copy_routines(routines, &kept->routines, image->bias - kept->bias);
}

void frames_store_keep_table(const struct image *image, const struct frames *frames)
{
    struct frames_kept *kept = place_for(image);

    if (kept == NULL || kept->table != NULL)
        return;
    kept->table = copy_of(frames->table, frames->bytes);
    if (kept->table != NULL)
        move_table(kept->table, kept->bias - image->bias);
    kept->bytes = frames->bytes;
}

void frames_store_keep_routines(const struct image *image, const struct frames_routines *routines)
{
    struct frames_kept *kept = place_for(image);

    if (kept != NULL && !kept->has_routines)
        kept->has_routines =
            copy_routines(&kept->routines, routines, kept->bias - image->bias);
}

void frames_store_free(struct frames_store *store)
{
    for (size_t i = 0; i < store->count; i++) {
        free(store->kept[i].file);
        free(store->kept[i].table);
        frames_free_routines(&store->kept[i].routines);
    }
    free(store->kept);
    *store = (struct frames_store){.count = 0};
}
