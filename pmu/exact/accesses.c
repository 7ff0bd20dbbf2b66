/* See accesses.h. Open addressing with linear probing, at most half full. */
#include "pmu/exact/accesses.h"

#include <stdlib.h>

#include "pmu/event.h"
#include "pmu/key.h"
#include "pmu/sorted.h"

enum { ROWS_FIRST = 1024 };

struct program {
    uint64_t program;               /* shifted, as in a key */
    struct accesses_map map;
    uint32_t first;                 /* number of its first object */
};

struct accesses {
    accesses_ask *ask;
    void *arg;
    struct program *program;        /* [programs] those asked for */
    size_t programs;
    uint32_t objects;               /* of all of these */
    const struct program *last_of;  /* program and object found before; NULL: none */
    size_t last;
    struct accesses_row *row;
    size_t rows, used;              /* rows: a power of two */
    bool lacks_memory;
    uint64_t kernel_map;            /* accesses_set_kernel; 0: there is none */
};

struct accesses *accesses_new(accesses_ask *ask, void *arg)
{
    struct accesses *accesses = calloc(1, sizeof *accesses);

    if (accesses == NULL)
        return NULL;
    accesses->ask = ask;
    accesses->arg = arg;
    accesses->rows = ROWS_FIRST;
    accesses->row = calloc(ROWS_FIRST, sizeof accesses->row[0]);
    if (accesses->row != NULL)
        return accesses;
    free(accesses);
    return NULL;
}

void accesses_set_kernel(struct accesses *accesses, uint64_t map)
{
    accesses->kernel_map = map;
}

void accesses_free(struct accesses *accesses)
{
    if (accesses != NULL) {
        free(accesses->row);
        free(accesses->program);
    }
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

/* NULL: no memory. */
static const struct program *add_program(struct accesses *accesses, uint64_t number)
{
    struct program *grown = realloc(accesses->program,
                                    (accesses->programs + 1) * sizeof *grown), *program;

    if (grown == NULL)
        return NULL;
    accesses->program = grown;
    accesses->last_of = NULL;
    program = &grown[accesses->programs];
    *program = (struct program){.program = number, .first = accesses->objects};
    if (!accesses->ask(accesses->arg, number, &program->map))
        return NULL;
    accesses->programs++;
    accesses->objects += (uint32_t)program->map.objects;
    return program;
}

static const struct program *program_of(struct accesses *accesses, uint64_t va)
{
    uint64_t number = key_program(va);

    for (size_t i = 0; i < accesses->programs; i++)
        if (accesses->program[i].program == number)
            return &accesses->program[i];
    return add_program(accesses, number);
}

static bool holds(const struct program *program, size_t object, uint64_t va)
{
    return object < program->map.objects && va >= program->map.object[object].start &&
           va < program->map.object[object].end;
}

static bool is_object_before(const void *row, const void *va)
{
    return ((const struct accesses_object *)row)->end <= *(const uint64_t *)va;
}

/* The object that has the address: accesses->last of accesses->last_of. False: none. */
static bool find_object(struct accesses *accesses, uint64_t va)
{
    const struct program *program;
    size_t place;

    if (accesses->last_of != NULL && holds(accesses->last_of, accesses->last, va))
        return true;
    program = program_of(accesses, va);
    accesses->lacks_memory |= program == NULL;
    if (program == NULL)
        return false;
    place = sorted_place(program->map.object, program->map.objects, sizeof program->map.object[0],
                         is_object_before, &va);
    if (!holds(program, place, va))
        return false;
    accesses->last_of = program;
    accesses->last = place;
    return true;
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

/* Object and part of the row of an access. */
static void set_object(struct accesses *accesses, struct accesses_row *row, uint64_t va)
{
    const struct accesses_map *map;
    const struct accesses_object *object;

    row->object = ACCESSES_NO_OBJECT;
    if (!find_object(accesses, va))
        return;
    map = &accesses->last_of->map;
    object = &map->object[accesses->last];
    row->object = accesses->last_of->first + (uint32_t)accesses->last;
    row->part = object->part != 0 ? part_at(map->part, object->part, va - object->start) : 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool is_same(const struct accesses_row *a, const struct accesses_row *b)
{
    return a->pc == b->pc && a->object == b->object && a->part == b->part && a->kind == b->kind &&
           a->level == b->level && a->is_user == b->is_user;
}

/* The row with this key, or the free row where it belongs. */
static struct accesses_row *find(const struct accesses *accesses, const struct accesses_row *like)
{
    uint64_t key = like->pc ^ (uint64_t)like->object << 40 ^ (uint64_t)like->level << 36 ^
                   (uint64_t)like->kind << 33 ^ (uint64_t)like->is_user << 32 ^
                   (uint64_t)like->part << 12;
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
        .pc = access->pc,
        .kind = (uint8_t)access->kind, .level = (uint8_t)accesses_level(access),
        .is_user = access->is_user};
    struct accesses_row *row;

    set_object(accesses, &like,
               access->is_user || access->va >= accesses->kernel_map
                   ? access->va : access->va + accesses->kernel_map);
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
#include "pmu/exact/access_level.def"
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
