/* Where the functions of a stripped program start and end.
 *
 * Call frame information bounds a function exactly. A C library has little of it, so the other
 * functions are those that the flow of control finds (frames_flow.c), and those that follow a
 * bounded one: it may be jumped to only. Such a function ends where the next one starts, or with
 * its section. */
#include <stdlib.h>

#include "sim/run/frames/frames_cfi.h"
#include "sim/run/frames/frames_store.h"

struct search {
    const struct image *image;
    const struct flow *flow;
    struct fdes fdes;
    struct image_function *found;
    size_t count;
};

/* ---- code with and without symbols ----------------------------------------------------------- */

static const struct image_section *section_at(const struct image *image, uint64_t address)
{
    for (size_t i = 0; i < image->section_count; i++) {
        const struct image_section *section = &image->sections[i];

        if (section->is_code && section->addr != 0 && address - section->addr < section->bytes)
            return section;
    }
    return NULL;
}

static bool is_function_at(const struct image *image, uint64_t address)
{
    const struct image_symbol *symbol = image_symbol_at(image, address);

    return symbol != NULL && symbol->is_function;
}

bool frames_is_named(const struct image *image)
{
    uint64_t code = 0, named = 0, end = 0;

    if (image->is_stripped)
        return false;
    for (size_t i = 0; i < image->section_count; i++)
        if (image->sections[i].is_code && image->sections[i].addr != 0)
            code += image->sections[i].bytes;
    for (size_t i = 0; i < image->symbol_count; i++) {
        const struct image_symbol *symbol = &image->symbols[i];
        uint64_t from = symbol->addr > end ? symbol->addr : end;
        uint64_t to = symbol->addr + symbol->bytes;

        if (!symbol->is_function || symbol->is_found || to <= from)
            continue;
        named += to - from;
        end = to;
    }
    return named != 0 && 2 * named >= code;
}

/* ---- starts ---------------------------------------------------------------------------------- */

static void add(struct search *search, uint64_t address, uint64_t bytes)
{
    if (section_at(search->image, address) != NULL && !is_function_at(search->image, address))
        search->found[search->count++] = (struct image_function){address, bytes};
}

/* The code after a function that ends at this address, where it has no start of its own yet. */
static void add_next(struct search *search, uint64_t address)
{
    const struct flow *flow = search->flow;
    size_t index;

    while (flow_index(flow, address, &index) && flow_is_filling(flow, address))
        address += 2;
    if (flow_index(flow, address, &index) && !flow_has(flow->starting, index) &&
        flow_has(flow->reached, index) && fdes_at(&search->fdes, address) == NULL)
        add(search, address, 0);
}

/* Starts inside a function that has call frame information are parts of that function. */
static void add_starts(struct search *search)
{
    for (size_t i = 0; i < search->fdes.count; i++) {
        const struct fde *fde = &search->fdes.fde[i];

        add(search, fde->from, fde->to - fde->from);
        add_next(search, fde->to);
    }
    for (size_t i = 0; i < search->flow->functions; i++)
        if (fdes_at(&search->fdes, search->flow->function[i].address) == NULL)
            add(search, search->flow->function[i].address, 0);
}

static int compare(const void *a, const void *b)
{
    const struct image_function *x = a, *y = b;

    return (x->addr > y->addr) - (x->addr < y->addr);
}

/* ---- ends ------------------------------------------------------------------------------------ */

static uint64_t next_named(const struct image *image, uint64_t address)
{
    for (size_t i = 0; i < image->symbol_count; i++)
        if (image->symbols[i].is_function && image->symbols[i].addr > address)
            return image->symbols[i].addr;
    return UINT64_MAX;
}

static void find_ends(const struct search *search)
{
    for (size_t i = 0; i < search->count; i++) {
        struct image_function *routine = &search->found[i];
        const struct image_section *section = section_at(search->image, routine->addr);
        uint64_t end = section->addr + section->bytes;
        uint64_t named = next_named(search->image, routine->addr);
        uint64_t next = i + 1 < search->count ? routine[1].addr : UINT64_MAX;

        end = named < end ? named : end;
        end = next < end ? next : end;
        if (routine->bytes == 0 || end - routine->addr < routine->bytes)
            routine->bytes = end - routine->addr;
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static enum err list(struct search *search, struct diag *diag)
{
    search->found =
        calloc(2 * search->fdes.count + search->flow->functions + 1, sizeof *search->found);
    if (search->found == NULL)
        return diag_no_memory(diag, "routines");
    add_starts(search);
    if (search->count != 0)
        qsort(search->found, search->count, sizeof *search->found, compare);
    find_ends(search);
    return ERR_OK;
}

static enum err find(struct frames_routines *routines, const struct image *image,
                     const struct flow *flow, struct diag *diag)
{
    struct search search = {.image = image, .flow = flow};
    enum err err = fdes_read(&search.fdes, image, diag);

    if (err == ERR_OK)
        err = list(&search, diag);
    fdes_free(&search.fdes);
    if (err == ERR_OK)
        *routines = (struct frames_routines){search.found, search.count};
    return err;
}

enum err frames_find_routines(struct frames_routines *routines, const struct image *image,
                              struct diag *diag)
{
    struct flow flow;
    enum err err;

    *routines = (struct frames_routines){.count = 0};
    if (frames_is_named(image) || frames_store_routines(image, routines))
        return ERR_OK;
    err = flow_build(&flow, image, diag);
    if (err == ERR_OK)
        err = find(routines, image, &flow, diag);
    flow_free(&flow);
    if (err == ERR_OK)
        frames_store_keep_routines(image, routines);
    return err;
}

/* True if the image already has symbols for the functions found; the routines were kept then. */
static bool has_found(const struct image *image)
{
    for (size_t i = 0; i < image->symbol_count; i++)
        if (image->symbols[i].is_found)
            return true;
    return false;
}

void frames_keep_routines(const struct image *image, const struct flow *flow)
{
    struct frames_routines routines = {.count = 0};

    if (!flow->is_named && !has_found(image) && find(&routines, image, flow, NULL) == ERR_OK)
        frames_store_keep_routines(image, &routines);
    frames_free_routines(&routines);
}

void frames_free_routines(struct frames_routines *routines)
{
    free(routines->routine);
    *routines = (struct frames_routines){.count = 0};
}
