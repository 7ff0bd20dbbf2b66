/* The modules of a program: its dynamic linker and the libraries that this has mapped. See
 * target.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prof/profile/profile.h"
#include "sim/base/array.h"
#include "sim/host/target_internal.h"
#include "sim/run/load/image_program.h"

/* ---- where modules lie ----------------------------------------------------------------------- */

static uint64_t end_of(const struct image *image)
{
    const struct image_segment *last = &image->segments[image->segment_count - 1];

    return last->vaddr + last->mem_bytes;
}

static bool do_overlap(const struct image *a, const struct image *b)
{
    return a->segments[0].vaddr < end_of(b) && b->segments[0].vaddr < end_of(a);
}

/* The image of the target that lies in the way; NULL: none. */
static const struct image *find_overlap(const struct target *target, const struct image *image)
{
    if (do_overlap(&target->image, image))
        return &target->image;
    for (size_t i = 0; i < target->modules; i++)
        if (do_overlap(&target->module[i]->image, image))
            return &target->module[i]->image;
    return NULL;
}

static bool is_same_file(const struct image *a, const struct image *b)
{
    return a->bias == b->bias && a->file_bytes == b->file_bytes &&
           memcmp(a->file, b->file, a->file_bytes) == 0;
}

static struct target_span span_of(const struct image *image)
{
    return (struct target_span){.start = image->segments[0].vaddr, .end = end_of(image)};
}

bool target_find_span(const struct target *target, const char *path, uint64_t bias,
                      struct target_span *span)
{
    const struct image *there;
    struct image image;

    for (size_t i = 0; i < target->modules; i++)
        if (target->module[i]->image.bias == bias &&
            strcmp(target->module[i]->image.path, path) == 0) {
            *span = span_of(&target->module[i]->image);
            return true;
        }
    if (image_open_module(&image, path, bias, NULL) != ERR_OK)
        return false;
    *span = span_of(&image);
    there = find_overlap(target, &image);
    span->is_covering = there != NULL && !is_same_file(there, &image);
    image_close(&image);
    return true;
}

/* ---- one module ------------------------------------------------------------------------------ */

static void free_module(struct target_module *module)
{
    symbols_free(module->symbols);
    image_close(&module->image);
    free(module);
}

static bool append(struct target *target, struct target_module *module)
{
    struct target_module **grown = array_grow(target->module, target->modules, sizeof *grown);

    if (grown == NULL)
        return false;
    target->module = grown;
    target->module[target->modules++] = module;
    return true;
}

/* False: no memory. */
static bool note_covered(struct target *target, const char *path)
{
    char **grown;

    for (size_t i = 0; i < target->covereds; i++)
        if (strcmp(target->covered[i], path) == 0)
            return true;
    grown = array_grow(target->covered, target->covereds, sizeof *grown);
    if (grown == NULL)
        return false;
    target->covered = grown;
    grown[target->covereds] = strdup(path);
    return grown[target->covereds++] != NULL;
}

/* ERR_USAGE if another file lies there. *is_news false: the module was added before, or is the
 * program. */
static enum err check_place(struct target *target, const struct image *image, bool *is_news,
                            struct diag *diag)
{
    const struct image *there = find_overlap(target, image);

    *is_news = there == NULL;
    if (there == NULL || is_same_file(there, image))
        return ERR_OK;
    if (!note_covered(target, image->path))
        return diag_no_memory(diag, image->path);
    return diag_set(diag, ERR_USAGE, "%s: lies at addresses of %s; these keep the names of the "
                    "latter", image->path, there->path);
}

/* The name of the program to which the image belongs: the first module with addresses of that
 * program is the program's file. NULL: the target's own program. */
static const char *name_of(const struct target *target, const struct image *image)
{
    if (image_program(image) == 0)
        return NULL;
    for (size_t i = 0; i < target->modules; i++)
        if (image_program(&target->module[i]->image) == image_program(image))
            return symbols_base_name(target->module[i]->image.path);
    return symbols_base_name(image->path);
}

static enum err take(struct target *target, struct target_module *module, struct diag *diag)
{
    enum err err = target_describe(&module->image, name_of(target, &module->image),
                                   &module->symbols, module->id, diag);

    if (err == ERR_OK && (!append(target, module) ||
                          !symbols_add_module(target->symbols, module->symbols)))
        err = diag_no_memory(diag, module->image.path);
    return err;
}

enum err target_add_module(struct target *target, const char *path, uint64_t bias,
                           const struct target_module **module, struct diag *diag)
{
    struct target_module *made = calloc(1, sizeof *made);
    bool is_news = false;
    enum err err;

    *module = NULL;
    if (made == NULL)
        return diag_no_memory(diag, path);
    err = image_open_module(&made->image, path, bias, diag);
    made->image.store = target->store;
    if (err == ERR_OK)
        err = check_place(target, &made->image, &is_news, diag);
    if (err == ERR_OK && is_news)
        err = take(target, made, diag);
    if (err == ERR_OK && is_news) {
        *module = made;
        return ERR_OK;
    }
    if (target->modules == 0 || target->module[target->modules - 1] != made)
        free_module(made);
    return err;
}

void target_close_modules(struct target *target)
{
    for (size_t i = 0; i < target->modules; i++)
        free_module(target->module[i]);
    free(target->module);
    for (size_t i = 0; i < target->covereds; i++)
        free(target->covered[i]);
    free(target->covered);
}

/* ---- those of a profile ---------------------------------------------------------------------- */

enum err target_add_modules(struct target *target, const struct profile *profile,
                            struct diag *diag)
{
    const struct target_module *module;

    for (size_t i = 0; i < profile->modules; i++) {
        const struct profile_module *kept = &profile->module[i];
        struct diag own = {""};
        enum err err = target_add_module(target, kept->path, kept->bias, &module, &own);

        if (err == ERR_NO_MEMORY)
            return diag_set(diag, err, "%s", own.text);
        if (err != ERR_OK)
            fprintf(stderr, "rvsim: note: %s; routines there have no names\n", own.text);
        else if (module != NULL && strcmp(module->id, kept->id) != 0)
            return diag_set(diag, ERR_USAGE, "%s: not the library that was profiled (%s, not %s)",
                            kept->path, module->id, kept->id);
    }
    return ERR_OK;
}
