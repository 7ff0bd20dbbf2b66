/* See accesses.h. Open addressing with linear probing, at most half full. */
#include "pmu/accesses.h"

#include <stdlib.h>

#include "pmu/event.h"

enum { ROWS_FIRST = 1024 };

struct accesses {
    struct accesses_map map;
    size_t last;                    /* object found before */
    struct accesses_row *row;
    size_t rows, used;              /* rows: a power of two */
    bool lacks_memory;
};

struct accesses *accesses_new(const struct accesses_map *map)
{
    struct accesses *accesses = calloc(1, sizeof *accesses);

    if (accesses == NULL)
        return NULL;
    accesses->map = *map;
    accesses->rows = ROWS_FIRST;
    accesses->row = calloc(ROWS_FIRST, sizeof accesses->row[0]);
    if (accesses->row != NULL)
        return accesses;
    free(accesses);
    return NULL;
}

void accesses_free(struct accesses *accesses)
{
    if (accesses != NULL)
        free(accesses->row);
    free(accesses);
}

/* ---- places ---------------------------------------------------------------------------------- */

enum access_level accesses_level(const struct access *access)
{
    uint64_t events = access->events;

    if ((events & EVENT_BIT(DCACHE_MISS)) != 0 && access->kind == ACCESS_STORE)
        return access->store_level;
    if ((events & EVENT_BIT(DCACHE_MISS)) != 0)
        return (events & EVENT_BIT(L2_MISS)) == 0 ? ACCESS_L2
               : (events & EVENT_BIT(L3_HIT)) != 0 && (events & EVENT_BIT(L3_MISS)) == 0
                   ? ACCESS_L3 : ACCESS_DRAM;
    if ((events & EVENT_BIT(DCACHE_HIT)) != 0)
        return ACCESS_L1;
    return (events & EVENT_BIT(STORE_FORWARDED)) != 0 ? ACCESS_FORWARDED : ACCESS_NONE;
}

static bool holds(const struct accesses *accesses, size_t object, uint64_t va)
{
    return object < accesses->map.objects && va >= accesses->map.object[object].start &&
           va < accesses->map.object[object].end;
}

static uint32_t object_at(struct accesses *accesses, uint64_t va)
{
    size_t low = 0, high = accesses->map.objects;

    if (holds(accesses, accesses->last, va))
        return (uint32_t)accesses->last;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (accesses->map.object[middle].end <= va)
            low = middle + 1;
        else
            high = middle;
    }
    if (!holds(accesses, low, va))
        return ACCESSES_NO_OBJECT;
    accesses->last = low;
    return (uint32_t)low;
}

/* The innermost part that has the byte at `offset` of the part around `part`. */
static uint32_t part_at(const struct accesses_part *all, uint32_t part, uint64_t offset)
{
    uint32_t inner = 0;

    if (offset < all[part].start || offset >= all[part].end)
        return 0;
    offset -= all[part].start;
    if (all[part].stride != 0)
        offset %= all[part].stride;
    for (uint32_t i = 0; i < all[part].parts && inner == 0; i++)
        inner = part_at(all, all[part].first + i, offset);
    return inner != 0 ? inner : part;
}

static uint32_t part_of(const struct accesses *accesses, uint32_t number, uint64_t va)
{
    const struct accesses_object *object;

    if (number == ACCESSES_NO_OBJECT)
        return 0;
    object = &accesses->map.object[number];
    return object->part != 0 ? part_at(accesses->map.part, object->part, va - object->start) : 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool is_same(const struct accesses_row *a, const struct accesses_row *b)
{
    return a->pc == b->pc && a->object == b->object && a->part == b->part && a->kind == b->kind &&
           a->level == b->level;
}

/* The row with this key, or the free row where it belongs. */
static struct accesses_row *find(const struct accesses *accesses, const struct accesses_row *like)
{
    uint64_t key = like->pc ^ (uint64_t)like->object << 40 ^ (uint64_t)like->level << 36 ^
                   (uint64_t)like->kind << 33 ^ (uint64_t)like->part << 12;
    size_t mask = accesses->rows - 1, at = (key * 0x9e3779b97f4a7c15 >> 20) & mask;

    while (accesses->row[at].count != 0 && !is_same(&accesses->row[at], like))
        at = (at + 1) & mask;
    return &accesses->row[at];
}

static bool grow(struct accesses *accesses)
{
    struct accesses larger = *accesses;

    larger.rows = 2 * accesses->rows;
    larger.row = calloc(larger.rows, sizeof larger.row[0]);
    if (larger.row == NULL)
        return false;
    for (size_t i = 0; i < accesses->rows; i++)
        if (accesses->row[i].count != 0)
            *find(&larger, &accesses->row[i]) = accesses->row[i];
    free(accesses->row);
    *accesses = larger;
    return true;
}

void accesses_add(struct accesses *accesses, const struct access *access)
{
    struct accesses_row like = {
        .pc = access->pc, .object = object_at(accesses, access->va),
        .kind = (uint8_t)access->kind, .level = (uint8_t)accesses_level(access)};
    struct accesses_row *row;

    like.part = part_of(accesses, like.object, access->va);
    row = find(accesses, &like);

    if (row->count == 0 && 2 * accesses->used >= accesses->rows) {
        accesses->lacks_memory |= !grow(accesses);
        if (accesses->lacks_memory)
            return;
        row = find(accesses, &like);
    }
    if (row->count == 0) {
        *row = like;
        accesses->used++;
    }
    row->count++;
    row->cycles += access->cycles;
}

bool accesses_rows(const struct accesses *accesses, const struct accesses_row **row, size_t *rows)
{
    *row = accesses->row;
    *rows = accesses->rows;
    return !accesses->lacks_memory;
}

/* ---- names ----------------------------------------------------------------------------------- */

static const struct { const char *name, *meaning; } levels[] = {
#define ACCESS_LEVEL(id, name, meaning) {name, meaning},
#include "pmu/access_level.def"
#undef ACCESS_LEVEL
};

const char *access_level_name(unsigned level)
{
    return levels[level].name;
}

const char *access_level_meaning(unsigned level)
{
    return levels[level].meaning;
}
