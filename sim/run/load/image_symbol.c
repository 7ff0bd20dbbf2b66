/* Sections and symbols of an ELF executable, and their lookup.
 *
 * A stripped library still has the table of its exports (.dynsym).
 * Functions, objects and labels with a name are kept; mapping symbols ($x, $d), local labels (.L)
 * and thread-local offsets are not, as no user asks for them. Assembly labels get the size up to
 * the next label, so that a program without sizes still has routines and data with names. */
#include "pmu/sorted.h"
#include "sim/base/utf8.h"
#include "sim/run/load/image_internal.h"

#include <elf.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


static enum err out_of_memory(struct diag *diag)
{
    return diag_no_memory(diag, NULL);
}

static enum err broken(const struct image *image, struct diag *diag, const char *what)
{
    return diag_set(diag, ERR_USAGE, "%s: %s", image->path, what);
}

/* ---- sections --------------------------------------------------------------------------- */

static enum err add_section(struct image *image, const GElf_Shdr *shdr, const char *name,
                            struct diag *diag)
{
    bool is_empty = shdr->sh_type == SHT_NOBITS;
    bool is_loaded = (shdr->sh_flags & SHF_ALLOC) != 0;
    struct image_section *section = &image->sections[image->section_count];

    if (!is_empty && (shdr->sh_offset > image->file_bytes ||
                      shdr->sh_size > image->file_bytes - shdr->sh_offset)) {
        return broken(image, diag, "truncated: a section reaches beyond the end of the file");
    }
    if (shdr->sh_addr + image->bias + shdr->sh_size < shdr->sh_size) {
        return broken(image, diag, "a section wraps around the address space");
    }
    section->name = strdup(name);
    if (section->name == NULL) {
        return out_of_memory(diag);
    }
    section->addr = is_loaded ? shdr->sh_addr + image->bias : 0;
    section->bytes = shdr->sh_size;
    section->content = is_empty ? NULL : image->file + shdr->sh_offset;
    section->is_code = (shdr->sh_flags & SHF_EXECINSTR) != 0;
    image->section_count++;
    return ERR_OK;
}

static enum err read_section_list(struct image *image, Elf *elf, struct diag *diag)
{
    Elf_Scn *scn = NULL;
    size_t names, count;

    if (elf_getshdrnum(elf, &count) != 0 || elf_getshdrstrndx(elf, &names) != 0) {
        return broken(image, diag, "its section headers cannot be read");
    }
    image->sections = calloc(count + 1, sizeof *image->sections);
    if (image->sections == NULL) {
        return out_of_memory(diag);
    }
    while ((scn = elf_nextscn(elf, scn)) != NULL) {
        GElf_Shdr shdr;
        const char *name;
        enum err err;

        if (gelf_getshdr(scn, &shdr) == NULL) {
            return broken(image, diag, "its section headers cannot be read");
        }
        name = elf_strptr(elf, names, shdr.sh_name);
        if (shdr.sh_type == SHT_NULL || name == NULL || name[0] == '\0') {
            continue;
        }
        err = add_section(image, &shdr, name, diag);
        if (err != ERR_OK) {
            return err;
        }
    }
    return ERR_OK;
}

/* ---- symbols ---------------------------------------------------------------------------- */

/* Mapping symbols ($x, $d) have no type. */
static bool is_wanted(const GElf_Sym *sym, const char *name)
{
    unsigned type = GELF_ST_TYPE(sym->st_info);

    return name != NULL && name[0] != '\0' && (name[0] != '$' || type != STT_NOTYPE) &&
           strncmp(name, ".L", 2) != 0 &&
           sym->st_shndx != SHN_UNDEF && sym->st_shndx != SHN_COMMON &&
           (type == STT_FUNC || type == STT_OBJECT || type == STT_NOTYPE || type == STT_GNU_IFUNC);
}

static bool is_in_code(Elf *elf, const GElf_Sym *sym)
{
    GElf_Shdr shdr;
    Elf_Scn *scn = sym->st_shndx < SHN_LORESERVE ? elf_getscn(elf, sym->st_shndx) : NULL;

    return scn != NULL && gelf_getshdr(scn, &shdr) != NULL &&
           (shdr.sh_flags & SHF_EXECINSTR) != 0;
}

static enum err add_symbol(struct image *image, Elf *elf, const GElf_Sym *sym, const char *name,
                           struct diag *diag)
{
    struct image_symbol *symbol = &image->symbols[image->symbol_count];
    unsigned type = GELF_ST_TYPE(sym->st_info);

    symbol->name = strdup(name);
    if (symbol->name == NULL) {
        return out_of_memory(diag);
    }
    utf8_clean(symbol->name);
    symbol->addr = sym->st_value + (sym->st_shndx == SHN_ABS ? 0 : image->bias);
    symbol->bytes = symbol->addr + sym->st_size < symbol->addr ? 0 : sym->st_size;
    symbol->is_function = type == STT_FUNC || type == STT_GNU_IFUNC ||
                          (type == STT_NOTYPE && is_in_code(elf, sym));
    symbol->is_weak = GELF_ST_BIND(sym->st_info) == STB_WEAK;
    image->symbol_count++;
    return ERR_OK;
}

static enum err read_symbol_table(struct image *image, Elf *elf, Elf_Scn *scn,
                                  const GElf_Shdr *shdr, struct diag *diag)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    size_t i, entry_bytes = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
    size_t count = data != NULL && data->d_buf != NULL ? data->d_size / entry_bytes : 0;

    if (data == NULL && shdr->sh_size != 0) {
        return broken(image, diag, "its symbol table cannot be read");
    }
    image->symbols = calloc(count + image_linkage_symbols(image, elf, NULL) + 1,
                            sizeof *image->symbols);
    if (image->symbols == NULL) {
        return out_of_memory(diag);
    }
    for (i = 0; i < count; i++) {
        GElf_Sym sym;
        const char *name;

        if (gelf_getsym(data, (int)i, &sym) == NULL) {
            return broken(image, diag, "its symbol table cannot be read");
        }
        name = elf_strptr(elf, shdr->sh_link, sym.st_name);
        if (is_wanted(&sym, name) && add_symbol(image, elf, &sym, name, diag) != ERR_OK) {
            return ERR_NO_MEMORY;
        }
    }
    return ERR_OK;
}

static int compare_symbols(const void *a, const void *b)
{
    const struct image_symbol *x = a, *y = b;

    if (x->addr != y->addr) {
        return x->addr < y->addr ? -1 : 1;
    }
    return strcmp(x->name, y->name);
}

/* The end of the code section that contains addr, or addr. */
static uint64_t code_end(const struct image *image, uint64_t addr)
{
    size_t i;

    for (i = 0; i < image->section_count; i++) {
        const struct image_section *section = &image->sections[i];

        if (section->is_code && section->addr != 0 && addr - section->addr < section->bytes) {
            return section->addr + section->bytes;
        }
    }
    return addr;
}

/* Extends each unsized code label to the next code symbol. A label inside a sized function is a
 * label of that function, not a routine. */
static void size_labels(struct image *image)
{
    uint64_t sized_end = 0, next = 0, lowest = 0;
    size_t i;

    for (i = 0; i < image->symbol_count; i++) {
        struct image_symbol *symbol = &image->symbols[i];
        uint64_t end = symbol->addr + symbol->bytes;

        if (symbol->is_function && symbol->bytes == 0 && symbol->addr < sized_end) {
            symbol->is_function = false;
        } else if (symbol->is_function && end > sized_end) {
            sized_end = end;
        }
    }
    for (i = image->symbol_count; i-- > 0;) {
        struct image_symbol *symbol = &image->symbols[i];

        if (symbol->is_function && symbol->addr != lowest) {
            next = lowest;
            lowest = symbol->addr;
        }
        if (symbol->is_function && symbol->bytes == 0) {
            uint64_t end = code_end(image, symbol->addr);

            symbol->bytes = (next != 0 && next < end ? next : end) - symbol->addr;
        }
        if (symbol->bytes > image->longest_symbol) {
            image->longest_symbol = symbol->bytes;
        }
    }
}

/* The end of the loaded data section that contains addr, or addr. */
static uint64_t data_end(const struct image *image, uint64_t addr)
{
    for (size_t i = 0; i < image->section_count; i++) {
        const struct image_section *section = &image->sections[i];

        if (!section->is_code && section->addr != 0 && addr - section->addr < section->bytes) {
            return section->addr + section->bytes;
        }
    }
    return addr;
}

/* True for a name of the linker or of the C library's start code, which is not a datum:
 * __bss_start, _edata. */
static bool is_of_linker(const char *name)
{
    return strncmp(name, "__", 2) == 0 || strcmp(name, "_edata") == 0 ||
           strcmp(name, "_end") == 0 || strcmp(name, "data_start") == 0;
}

/* Extends the labels among symbols [first, next), all of one address, to the symbol `next` or the
 * end of their section. Does nothing if one of them has a size, which is then the size of the
 * datum. */
static void size_data_group(struct image *image, size_t first, size_t next)
{
    for (size_t i = first; i < next; i++) {
        if (image->symbols[i].bytes != 0) {
            return;
        }
    }
    uint64_t end = data_end(image, image->symbols[first].addr);
    if (next < image->symbol_count && image->symbols[next].addr < end) {
        end = image->symbols[next].addr;
    }
    for (size_t i = first; i < next; i++) {
        if (!is_of_linker(image->symbols[i].name)) {
            image->symbols[i].bytes = end - image->symbols[i].addr;
        }
    }
}

/* Extends each unsized data label to the next symbol, or the end of its section. A label inside a
 * sized datum belongs to that datum. */
static void size_data_labels(struct image *image)
{
    uint64_t sized_end = 0;

    for (size_t i = 0, next; i < image->symbol_count; i = next) {
        uint64_t addr = image->symbols[i].addr;

        for (next = i + 1; next < image->symbol_count && image->symbols[next].addr == addr;) {
            next++;
        }
        if (addr >= sized_end) {
            size_data_group(image, i, next);
        }
        for (; i < next; i++) {
            uint64_t bytes = image->symbols[i].bytes;

            sized_end = addr + bytes > sized_end ? addr + bytes : sized_end;
            image->longest_symbol =
                bytes > image->longest_symbol ? bytes : image->longest_symbol;
        }
    }
}

static void find_host_words(struct image *image)
{
    const struct image_symbol *tohost = image_find_symbol(image, "tohost");
    const struct image_symbol *fromhost = image_find_symbol(image, "fromhost");
    const struct image_section *section = image_find_section(image, ".tohost");

    image->tohost = tohost != NULL ? tohost->addr : section != NULL ? section->addr : 0;
    image->fromhost = fromhost != NULL ? fromhost->addr : 0;
}

/* Reads the first symbol table of a type, unless a table has been read. */
static enum err read_symbols(struct image *image, Elf *elf, unsigned type, struct diag *diag)
{
    Elf_Scn *scn = NULL;
    GElf_Shdr shdr;
    enum err err = ERR_OK;

    while (err == ERR_OK && image->symbols == NULL && (scn = elf_nextscn(elf, scn)) != NULL) {
        if (gelf_getshdr(scn, &shdr) != NULL && shdr.sh_type == type) {
            err = read_symbol_table(image, elf, scn, &shdr, diag);
        }
    }
    return err;
}

enum err image_read_sections(struct image *image, Elf *elf, struct diag *diag)
{
    enum err err = read_section_list(image, elf, diag);

    if (err == ERR_OK) {
        err = read_symbols(image, elf, SHT_SYMTAB, diag);
    }
    if (err == ERR_OK) {
        image->is_stripped = image->symbols == NULL;
        err = read_symbols(image, elf, SHT_DYNSYM, diag);
    }
    if (err == ERR_OK && image->symbols != NULL) {
        image->symbol_count +=
            image_linkage_symbols(image, elf, &image->symbols[image->symbol_count]);
    }
    if (err == ERR_OK && image->symbol_count > 0) {
        qsort(image->symbols, image->symbol_count, sizeof *image->symbols, compare_symbols);
        size_labels(image);
        size_data_labels(image);
    }
    if (err == ERR_OK) {
        find_host_words(image);
    }
    return err;
}

static enum err add_function(struct image *image, const struct image_function *function,
                             struct diag *diag)
{
    struct image_symbol *symbol = &image->symbols[image->symbol_count];
    const char *file = strrchr(image->path, '/');
    char name[128];

    if (image->is_module) {
        snprintf(name, sizeof name, "fn_0x%" PRIx64 "@%.80s", function->addr - image->bias,
                 file != NULL ? file + 1 : image->path);
    } else {
        snprintf(name, sizeof name, "fn_0x%" PRIx64, function->addr);
    }
    *symbol = (struct image_symbol){.name = strdup(name), .addr = function->addr,
                                    .bytes = function->bytes, .is_function = true,
                                    .is_found = true};
    if (symbol->name == NULL) {
        return out_of_memory(diag);
    }
    image->symbol_count++;
    if (symbol->bytes > image->longest_symbol) {
        image->longest_symbol = symbol->bytes;
    }
    return ERR_OK;
}

enum err image_add_functions(struct image *image, const struct image_function *function,
                             size_t count, struct diag *diag)
{
    size_t room = image->symbol_count + count;
    struct image_symbol *symbols = realloc(image->symbols, (room + 1) * sizeof *symbols);
    enum err err = ERR_OK;

    if (symbols == NULL) {
        return out_of_memory(diag);
    }
    image->symbols = symbols;
    for (size_t i = 0; i < count && err == ERR_OK; i++) {
        err = add_function(image, &function[i], diag);
    }
    if (image->symbol_count != 0) {
        qsort(symbols, image->symbol_count, sizeof *symbols, compare_symbols);
    }
    return err;
}

void image_free_sections(struct image *image)
{
    size_t i;

    for (i = 0; i < image->section_count; i++) {
        free(image->sections[i].name);
    }
    for (i = 0; i < image->symbol_count; i++) {
        free(image->symbols[i].name);
    }
    free(image->sections);
    free(image->symbols);
}

/* ---- looking up ------------------------------------------------------------------------- */

const struct image_symbol *image_find_symbol(const struct image *image, const char *name)
{
    size_t i;

    for (i = 0; i < image->symbol_count; i++) {
        if (strcmp(image->symbols[i].name, name) == 0) {
            return &image->symbols[i];
        }
    }
    return NULL;
}

static bool is_up_to(const void *row, const void *addr)
{
    const struct image_symbol *symbol = row;

    return symbol->addr <= *(const uint64_t *)addr;
}

/* Number of symbols at or below addr. */
static size_t symbols_up_to(const struct image *image, uint64_t addr)
{
    return sorted_place(image->symbols, image->symbol_count, sizeof image->symbols[0], is_up_to,
                        &addr);
}

const struct image_symbol *image_symbol_at(const struct image *image, uint64_t addr)
{
    const struct image_symbol *object = NULL;
    size_t i;

    for (i = symbols_up_to(image, addr); i-- > 0;) {
        const struct image_symbol *symbol = &image->symbols[i];

        if (addr - symbol->addr >= image->longest_symbol) {
            break;
        }
        if (addr - symbol->addr < symbol->bytes) {
            if (symbol->is_function) {
                return symbol;
            }
            object = object == NULL ? symbol : object;
        }
    }
    return object;
}

const struct image_segment *image_segment_at(const struct image *image, uint64_t vaddr)
{
    for (size_t i = 0; i < image->segment_count; i++)
        if (vaddr - image->segments[i].vaddr < image->segments[i].mem_bytes)
            return &image->segments[i];
    return NULL;
}

const struct image_section *image_find_section(const struct image *image, const char *name)
{
    size_t i;

    for (i = 0; i < image->section_count; i++) {
        if (strcmp(image->sections[i].name, name) == 0) {
            return &image->sections[i];
        }
    }
    return NULL;
}
