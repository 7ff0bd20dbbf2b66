/* Opening a program for the tools. See target.h; metadata is target_meta.c's. */
#include "sim/host/target_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "sim/run/frames/frames.h"

/* ---- identity -------------------------------------------------------------------------------- */

/* A note: sizes of name and content, a type, the name "GNU", the content. */
static bool write_build_id(const struct image *image, char id[TARGET_ID])
{
    const struct image_section *section = image_find_section(image, ".note.gnu.build-id");
    uint32_t size;
    size_t first = 16;

    if (section == NULL || section->content == NULL || section->bytes <= first)
        return false;
    memcpy(&size, section->content + 4, sizeof size);
    if (size == 0 || size > section->bytes - first || 2 * size >= TARGET_ID)
        return false;
    for (uint32_t i = 0; i < size; i++)
        snprintf(id + 2 * i, 3, "%02x", section->content[first + i]);
    return true;
}

static void write_id(const struct image *image, char id[TARGET_ID])
{
    if (!write_build_id(image, id))
        snprintf(id, TARGET_ID, "crc32:%08lx", crc32_z(0, image->file, image->file_bytes));
}

/* ---- symbols --------------------------------------------------------------------------------- */

bool target_read_code(void *arg, uint64_t address, void *bytes, size_t count)
{
    const struct image *image = arg;

    for (size_t i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];
        uint64_t offset = address - segment->vaddr;

        if (offset < segment->file_bytes && count <= segment->file_bytes - offset) {
            memcpy(bytes, segment->bytes + offset, count);
            return true;
        }
    }
    return false;
}

/* Lists the symbols of the image. */
static bool list_symbols(void *arg, struct symbols_entry **entry, size_t *entries)
{
    const struct image *image = arg;

    *entries = image->symbol_count;
    *entry = calloc(image->symbol_count + 1, sizeof **entry);
    for (size_t i = 0; *entry != NULL && i < image->symbol_count; i++) {
        const struct image_symbol *symbol = &image->symbols[i];

        (*entry)[i] = (struct symbols_entry){.name = symbol->name, .address = symbol->addr,
                                             .bytes = symbol->bytes,
                                             .is_function = symbol->is_function,
                                             .is_weak = symbol->is_weak};
    }
    return *entry != NULL;
}

/* The functions of code without symbols. */
static enum err add_routines(struct image *image, struct diag *diag)
{
    struct frames_routines routines;
    enum err err = frames_find_routines(&routines, image, diag);

    if (err == ERR_OK && routines.count != 0)
        err = image_add_functions(image, routines.routine, routines.count, diag);
    frames_free_routines(&routines);
    return err;
}

static bool list_all(void *arg, struct symbols_entry **entry, size_t *entries)
{
    return add_routines(arg, NULL) == ERR_OK && list_symbols(arg, entry, entries);
}

/* The names wait until they are asked for, which many runs do not. A program may have names for
 * addresses outside its segments. */
static enum err make_symbols(struct image *image, const char *of, struct symbols **symbols,
                             struct diag *diag)
{
    const struct image_segment *last = &image->segments[image->segment_count - 1];
    struct symbols_program program = {
        .file = image->file, .file_bytes = image->file_bytes, .bias = image->bias,
        .code = target_read_code, .arg = image, .xlen = image->xlen,
        .object = image->path, .of = of,
        .list = image->is_module ? list_all : list_symbols,
        .from = image->is_module ? image->segments[0].vaddr : 0,
        .to = image->is_module ? last->vaddr + last->mem_bytes : UINT64_MAX,
    };

    return symbols_new(symbols, &program, diag);
}

/* ---- the interface --------------------------------------------------------------------------- */

enum err target_describe(struct image *image, const char *of, struct symbols **symbols,
                         char id[TARGET_ID], struct diag *diag)
{
    enum err err = image->is_module ? ERR_OK : add_routines(image, diag);

    write_id(image, id);
    return err == ERR_OK ? make_symbols(image, of, symbols, diag) : err;
}

enum err target_open(struct target *target, const char *path, struct diag *diag)
{
    enum err err;

    *target = (struct target){.symbols = NULL};
    err = image_open(&target->image, path, diag);
    if (err == ERR_OK)
        err = target_describe(&target->image, NULL, &target->symbols, target->id, diag);
    if (err != ERR_OK)
        target_close(target);
    return err;
}

void target_close(struct target *target)
{
    symbols_free(target->symbols);
    target_close_modules(target);
    symbols_free(target->kernel_symbols);
    free(target->kernel_names);
    image_close(&target->image);
    image_close(&target->kernel);
    *target = (struct target){.symbols = NULL};
}
