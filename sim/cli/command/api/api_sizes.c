/* See api_sizes.h. */
#include "sim/cli/command/api/api_sizes.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/array.h"
struct named { const char *name; unsigned argument, times; };
struct api_allocator { struct named named; const char *text; };

static const struct named usual[] = {
    {"malloc", 1, 0}, {"calloc", 1, 2}, {"realloc", 2, 0}, {"reallocarray", 2, 3},
    {"aligned_alloc", 2, 0}, {"memalign", 2, 0}, {"posix_memalign", 3, 0}, {"valloc", 1, 0},
    {"pvalloc", 1, 0}, {"mmap", 2, 0},
    {"operator new(unsigned long)", 1, 0}, {"operator new[](unsigned long)", 1, 0},
    {"operator new(unsigned long, std::nothrow_t const&)", 1, 0},
    {"operator new[](unsigned long, std::nothrow_t const&)", 1, 0},
    {"operator new(unsigned long, std::align_val_t)", 1, 0},
    {"operator new[](unsigned long, std::align_val_t)", 1, 0},
    {"operator new(unsigned long, std::align_val_t, std::nothrow_t const&)", 1, 0},
    {"operator new[](unsigned long, std::align_val_t, std::nothrow_t const&)", 1, 0},
    {"operator new(unsigned int)", 1, 0}, {"operator new[](unsigned int)", 1, 0},
    {"read", 0, 0}, {"write", 0, 0}, {"pread64", 0, 0}, {"pwrite64", 0, 0}, {"readv", 0, 0},
    {"writev", 0, 0}, {"recv", 0, 0}, {"send", 0, 0},
};

static int compare(const void *a, const void *b)
{
    const struct api_size *x = a, *y = b;

    return (x->routine > y->routine) - (x->routine < y->routine);
}

/* False: no memory. A routine that has two names counts as the first one. */
static bool add(struct api_sizes *sizes, uint64_t routine, const struct named *named)
{
    struct api_size *grown;

    for (size_t i = 0; i < sizes->count; i++)
        if (sizes->size[i].routine == routine)
            return true;
    grown = array_grow(sizes->size, sizes->count, sizeof *grown);
    if (grown == NULL)
        return false;
    sizes->size = grown;
    sizes->size[sizes->count++] = (struct api_size){routine, named->argument, named->times};
    return true;
}

static bool look_for(struct api_sizes *sizes, const struct symbols *symbols,
                     const struct named *named)
{
    const struct symbols_entry *entry = symbols_find(symbols, named->name);

    return entry == NULL || !entry->is_function || add(sizes, entry->address, named);
}

/* "pool_get=2": its second argument. */
static enum err read_allocator(const char *text, struct api_allocator *allocator,
                               struct diag *diag)
{
    const char *equals = strrchr(text, '=');

    if (equals == NULL || equals[1] < '1' || equals[1] > '8' || equals[2] != '\0')
        return diag_set(diag, ERR_USAGE,
                        "--allocator %s: expected FUNCTION=N, the argument from 1 to 8 that is the "
                        "size", text);
    *allocator = (struct api_allocator){
        {strndup(text, (size_t)(equals - text)), (unsigned)(equals[1] - '0'), 0}, text};
    return allocator->named.name != NULL ? ERR_OK : diag_no_memory(diag, "names");
}

static enum err read_allocators(struct api_sizes *sizes, const struct command_line *line,
                                struct diag *diag)
{
    enum err err = ERR_OK;

    sizes->allocator = calloc(line->options + 1, sizeof *sizes->allocator);
    if (sizes->allocator == NULL)
        return diag_no_memory(diag, "names");
    for (unsigned i = 0; i < line->options && err == ERR_OK; i++)
        if (line->option[i].id == OPT_API_ALLOCATOR)
            err = read_allocator(line->option[i].value, &sizes->allocator[sizes->allocators++],
                                 diag);
    return err;
}

/* Adds the routines of a file, those of --allocator first. */
static enum err look_through(struct api_sizes *sizes, const struct symbols *symbols,
                             struct diag *diag)
{
    bool is_done = true;

    for (size_t i = 0; i < sizes->allocators; i++)
        is_done = look_for(sizes, symbols, &sizes->allocator[i].named) && is_done;
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        is_done = look_for(sizes, symbols, &usual[i]) && is_done;
    if (sizes->count != 0)
        qsort(sizes->size, sizes->count, sizeof *sizes->size, compare);
    return is_done ? ERR_OK : diag_no_memory(diag, "allocators");
}

enum err api_sizes_init(struct api_sizes *sizes, const struct command_line *line,
                        const struct target *target, struct diag *diag)
{
    enum err err;

    *sizes = (struct api_sizes){.target = target};
    err = read_allocators(sizes, line, diag);
    if (err == ERR_OK)
        err = look_through(sizes, target->symbols, diag);
    return err == ERR_OK && target->image.interpreter == 0 ? api_sizes_check(sizes, diag) : err;
}

void api_sizes_free(struct api_sizes *sizes)
{
    for (size_t i = 0; i < sizes->allocators; i++)
        free((char *)(uintptr_t)sizes->allocator[i].named.name);
    free(sizes->allocator);
    free(sizes->size);
    *sizes = (struct api_sizes){.count = 0};
}

const struct api_size *api_sizes_find(struct api_sizes *sizes, uint64_t routine)
{
    const struct api_size key = {.routine = routine};

    while (sizes->modules < sizes->target->modules)
        look_through(sizes, sizes->target->module[sizes->modules++]->symbols, NULL);
    return sizes->count == 0 ? NULL
                             : bsearch(&key, sizes->size, sizes->count, sizeof key, compare);
}

/* The symbols of the program find names of its libraries, too. */
enum err api_sizes_check(const struct api_sizes *sizes, struct diag *diag)
{
    const struct symbols *symbols = sizes->target->symbols;

    for (size_t i = 0; i < sizes->allocators; i++) {
        const struct api_allocator *allocator = &sizes->allocator[i];
        const struct symbols_entry *entry = symbols_find(symbols, allocator->named.name);

        if (entry != NULL && entry->is_function)
            continue;
        diag_set(diag, ERR_USAGE, "--allocator %s: no such function", allocator->text);
        return symbols_suggest(symbols, allocator->named.name, ERR_USAGE, diag);
    }
    return ERR_OK;
}
