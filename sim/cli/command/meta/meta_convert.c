/* rvsim meta convert: metadata as text, and as the section .perfinst of a program.
 *
 * When metadata is added to a program, every byte keeps its place; the section, the names of
 * sections and their table are written again after its end. The program's own metadata stay and
 * come first, so that the new program is marked like the old one with --meta. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/base/input.h"
#include "sim/base/output.h"
#include "sim/cli/command/commands.h"
#include "sim/cli/command/meta/meta_convert.h"
#include "sim/host/target.h"

enum { SECTIONS_MAX = 0xff00, ALIGN = 8 };

/* ---- bytes ----------------------------------------------------------------------------------- */

struct bytes { unsigned char *at; size_t count, capacity; bool has_failed; };

static void add(struct bytes *bytes, const void *from, size_t count)
{
    if (bytes->has_failed)
        return;
    if (bytes->count + count > bytes->capacity) {
        size_t capacity = 2 * (bytes->count + count);
        unsigned char *grown = realloc(bytes->at, capacity);

        if (grown == NULL) {
            bytes->has_failed = true;
            return;
        }
        bytes->at = grown;
        bytes->capacity = capacity;
    }
    memcpy(bytes->at + bytes->count, from, count);
    bytes->count += count;
}

static size_t add_aligned(struct bytes *bytes, const void *from, size_t count)
{
    static const unsigned char zero[ALIGN];
    size_t start;

    add(bytes, zero, (ALIGN - bytes->count % ALIGN) % ALIGN);
    start = bytes->count;
    add(bytes, from, count);
    return start;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Appends the strings that the program carries, a line each; they end with zeros. */
static void add_carried(struct bytes *text, const struct image *image)
{
    const struct image_section *section = image_find_section(image, META_SECTION);

    for (uint64_t i = 0; section != NULL && section->content != NULL && i < section->bytes; i++)
        add(text, section->content[i] != '\0' ? (const void *)&section->content[i] : "\n", 1);
    if (text->count != 0 && text->at[text->count - 1] != '\n')
        add(text, "\n", 1);
}

static enum err add_file(struct bytes *text, const char *path, struct diag *diag)
{
    const struct input input = {.path = path, .use = "metadata", .most = META_BYTES_MAX};
    char *read;
    size_t count;
    enum err err = input_read(&input, &read, &count, diag);

    if (err != ERR_OK)
        return err;
    add(text, read, count);
    free(read);
    if (text->count != 0 && text->at[text->count - 1] != '\n')
        add(text, "\n", 1);
    return ERR_OK;
}

/* ---- the program with a section -------------------------------------------------------------- */

/* Fields of the file's header and of a section's header, in either class. */
struct layout { uint64_t table, sections, names; size_t header_bytes; bool is_wide; };

static struct layout layout_of(const struct image *image)
{
    Elf64_Ehdr wide;
    Elf32_Ehdr narrow;

    if (image->xlen == 64) {
        memcpy(&wide, image->file, sizeof wide);
        return (struct layout){wide.e_shoff, wide.e_shnum, wide.e_shstrndx, sizeof(Elf64_Shdr),
                               true};
    }
    memcpy(&narrow, image->file, sizeof narrow);
    return (struct layout){narrow.e_shoff, narrow.e_shnum, narrow.e_shstrndx, sizeof(Elf32_Shdr),
                           false};
}

static bool is_usable(const struct layout *layout, size_t file_bytes)
{
    return layout->sections != 0 && layout->sections < SECTIONS_MAX &&
           layout->names < layout->sections && layout->table <= file_bytes &&
           layout->sections * layout->header_bytes <= file_bytes - layout->table;
}

static Elf64_Shdr get_header(const struct layout *layout, const unsigned char *table, size_t index)
{
    Elf64_Shdr wide;
    Elf32_Shdr narrow;

    if (layout->is_wide) {
        memcpy(&wide, table + index * sizeof wide, sizeof wide);
        return wide;
    }
    memcpy(&narrow, table + index * sizeof narrow, sizeof narrow);
    return (Elf64_Shdr){
        .sh_name = narrow.sh_name, .sh_type = narrow.sh_type, .sh_flags = narrow.sh_flags,
        .sh_addr = narrow.sh_addr, .sh_offset = narrow.sh_offset, .sh_size = narrow.sh_size,
        .sh_link = narrow.sh_link, .sh_info = narrow.sh_info,
        .sh_addralign = narrow.sh_addralign, .sh_entsize = narrow.sh_entsize,
    };
}

/* True if the names of sections lie in the file, and each section's name is one of them. */
static bool has_names(const struct layout *layout, const struct image *image)
{
    const unsigned char *file = image->file, *table = file + layout->table;
    Elf64_Shdr names = get_header(layout, table, layout->names);

    if (names.sh_size == 0 || names.sh_offset > image->file_bytes ||
        names.sh_size > image->file_bytes - names.sh_offset ||
        file[names.sh_offset + names.sh_size - 1] != '\0')
        return false;
    for (size_t i = 0; i < layout->sections; i++)
        if (get_header(layout, table, i).sh_name >= names.sh_size)
            return false;
    return true;
}

static void add_header(const struct layout *layout, struct bytes *table, const Elf64_Shdr *header)
{
    const Elf32_Shdr narrow = {
        .sh_name = header->sh_name, .sh_type = header->sh_type,
        .sh_flags = (Elf32_Word)header->sh_flags, .sh_addr = (Elf32_Addr)header->sh_addr,
        .sh_offset = (Elf32_Off)header->sh_offset, .sh_size = (Elf32_Word)header->sh_size,
        .sh_link = header->sh_link, .sh_info = header->sh_info,
        .sh_addralign = (Elf32_Word)header->sh_addralign,
        .sh_entsize = (Elf32_Word)header->sh_entsize,
    };

    add(table, layout->is_wide ? (const void *)header : &narrow, layout->header_bytes);
}

/* Sets the address of the new table in the file's header. */
static void point_to(const struct layout *layout, struct bytes *out, uint64_t table, size_t count)
{
    Elf64_Ehdr wide;
    Elf32_Ehdr narrow;

    if (layout->is_wide) {
        memcpy(&wide, out->at, sizeof wide);
        wide.e_shoff = table;
        wide.e_shnum = (Elf64_Half)count;
        memcpy(out->at, &wide, sizeof wide);
        return;
    }
    memcpy(&narrow, out->at, sizeof narrow);
    narrow.e_shoff = (Elf32_Off)table;
    narrow.e_shnum = (Elf32_Half)count;
    memcpy(out->at, &narrow, sizeof narrow);
}

/* All headers except that of an older .perfinst, then the new one. */
static size_t make_table(const struct layout *layout, const struct image *image,
                         struct bytes *table, struct bytes *out, const struct bytes *text)
{
    const unsigned char *old = (const unsigned char *)image->file + layout->table;
    Elf64_Shdr names = get_header(layout, old, layout->names), mine = {.sh_type = SHT_PROGBITS};
    const char *name = (const char *)image->file + names.sh_offset;
    struct bytes text_of_names = {0};
    bool has_one = false;

    mine.sh_addralign = 1;
    mine.sh_size = text->count;
    mine.sh_offset = add_aligned(out, text->at, text->count);
    mine.sh_name = (Elf64_Word)names.sh_size;
    add(&text_of_names, name, names.sh_size);
    add(&text_of_names, META_SECTION, sizeof META_SECTION);
    names.sh_offset = add_aligned(out, text_of_names.at, text_of_names.count);
    names.sh_size = text_of_names.count;
    out->has_failed |= text_of_names.has_failed;
    free(text_of_names.at);
    for (size_t i = 0; i < layout->sections; i++) {
        Elf64_Shdr header = i == layout->names ? names : get_header(layout, old, i);

        if (strcmp(name + header.sh_name, META_SECTION) == 0) {
            header = mine;
            has_one = true;
        }
        add_header(layout, table, &header);
    }
    if (!has_one)
        add_header(layout, table, &mine);
    return layout->sections + !has_one;
}

static enum err make_program(const struct image *image, const struct bytes *text,
                             struct bytes *out, struct diag *diag)
{
    struct layout layout = layout_of(image);
    struct bytes table = {0};
    size_t count;

    if (!is_usable(&layout, image->file_bytes) || !has_names(&layout, image))
        return diag_set(diag, ERR_USAGE, "%s: has no usable table of sections to add one to",
                        image->path);
    add(out, image->file, image->file_bytes);
    count = make_table(&layout, image, &table, out, text);
    if (!out->has_failed && !table.has_failed)
        point_to(&layout, out, add_aligned(out, table.at, table.count), count);
    out->has_failed |= table.has_failed;
    free(table.at);
    return ERR_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* mode_of: the file whose permissions the new one gets; NULL: none. */
static enum err write_bytes(const char *path, const struct bytes *bytes, const char *mode_of,
                            struct diag *diag)
{
    struct output output;
    struct stat stat_of;
    enum err err = output_replace(&output, path != NULL ? path : "-", diag);

    if (err != ERR_OK)
        return err;
    if (mode_of != NULL && path != NULL && stat(mode_of, &stat_of) == 0)
        fchmod(fileno(output.file), stat_of.st_mode & 0777);
    fwrite(bytes->at, 1, bytes->count, output.file);
    return output_close(&output, true, diag);
}

/* Checks the metadata as a run would. */
static enum err check(struct target *target, const struct command_line *line, struct diag *diag)
{
    struct meta meta = {0};
    enum err err = target_read_meta(target, line->word + 1, line->words - 2, &meta, diag);

    for (size_t i = 0; i < meta.warnings; i++)
        fprintf(stderr, "rvsim: warning: %s\n", meta.warning[i]);
    meta_free(&meta);
    return err;
}

static enum err convert(struct target *target, const struct command_line *line, const char *path,
                        struct diag *diag)
{
    struct bytes text = {0}, program = {0};
    enum err err = check(target, line, diag);
    bool is_program = line->words > 2;

    add_carried(&text, &target->image);
    if (err == ERR_OK && !is_program && text.count == 0)
        err = diag_set(diag, ERR_USAGE, "%s: carries no metadata: it has no section " META_SECTION,
                       target->image.path);
    for (unsigned i = 1; i + 1 < line->words && err == ERR_OK; i++)
        err = add_file(&text, line->word[i], diag);
    if (err == ERR_OK && is_program)
        err = make_program(&target->image, &text, &program, diag);
    if (err == ERR_OK && (text.has_failed || program.has_failed))
        err = diag_no_memory(diag, "metadata");
    if (err == ERR_OK)
        err = write_bytes(path, is_program ? &program : &text,
                          is_program ? target->image.path : NULL, diag);
    free(text.at);
    free(program.at);
    return err;
}

int meta_convert(const struct command_line *line)
{
    const char *path = command_value(line, OPT_META_OUTPUT);
    struct target target;
    struct diag diag = {""};
    enum err err;

    if (line->words < 2)
        return command_misuse("meta convert: expected [FILE.meta ...] app.elf");
    if (line->words > 2 && path == NULL)
        return command_misuse("meta convert: expected --output FILE for the program with metadata");
    err = target_open(&target, line->word[line->words - 1], &diag);
    if (err != ERR_OK)
        return command_error(err, &diag);
    err = convert(&target, line, path, &diag);
    target_close(&target);
    return err == ERR_OK ? 0 : command_error(err, &diag);
}
