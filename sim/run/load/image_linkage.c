/* Names for the procedure linkage table of a dynamically linked program: NAME@plt, as objdump and
 * perf call the entries. No symbol table lists the entries. They are in the order of their
 * relocations, after a header that resolves a routine at its first call (RISC-V ELF psABI,
 * "Procedure Linkage Table"). */
#include <elf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/utf8.h"
#include "sim/run/load/image_internal.h"

enum { HEADER_BYTES = 32, ENTRY_BYTES = 16 };

struct tables { Elf_Data *relocations, *symbols; size_t strings; };

static Elf_Data *data_of(Elf *elf, const char *name, GElf_Shdr *header)
{
    Elf_Scn *scn = NULL;
    size_t names;

    if (elf_getshdrstrndx(elf, &names) != 0)
        return NULL;
    while ((scn = elf_nextscn(elf, scn)) != NULL) {
        const char *own = gelf_getshdr(scn, header) != NULL
                              ? elf_strptr(elf, names, header->sh_name) : NULL;

        if (own != NULL && strcmp(own, name) == 0)
            return elf_getdata(scn, NULL);
    }
    return NULL;
}

static bool find_tables(Elf *elf, struct tables *tables)
{
    GElf_Shdr relocations = {0}, symbols = {0};

    tables->relocations = data_of(elf, ".rela.plt", &relocations);
    tables->symbols = data_of(elf, ".dynsym", &symbols);
    tables->strings = symbols.sh_link;
    return tables->relocations != NULL && tables->symbols != NULL &&
           relocations.sh_type == SHT_RELA;
}

/* From malloc; NULL: no memory, or the relocation has no name. */
static char *name_of(Elf *elf, const struct tables *tables, size_t entry)
{
    GElf_Rela relocation;
    GElf_Sym symbol;
    const char *name;
    char *text;

    if (gelf_getrela(tables->relocations, (int)entry, &relocation) == NULL ||
        GELF_R_SYM(relocation.r_info) == 0 ||
        gelf_getsym(tables->symbols, (int)GELF_R_SYM(relocation.r_info), &symbol) == NULL)
        return NULL;
    name = elf_strptr(elf, tables->strings, symbol.st_name);
    text = name != NULL && *name != '\0' ? malloc(strlen(name) + sizeof "@plt") : NULL;
    if (text != NULL)
        utf8_clean(strcat(strcpy(text, name), "@plt"));
    return text;
}

size_t image_linkage_symbols(const struct image *image, Elf *elf, struct image_symbol *symbol)
{
    const struct image_section *table = image_find_section(image, ".plt");
    size_t entries = table != NULL && table->bytes > HEADER_BYTES
                         ? (table->bytes - HEADER_BYTES) / ENTRY_BYTES : 0, count = 0;
    struct tables tables;

    if (entries == 0 || symbol == NULL || !find_tables(elf, &tables))
        return symbol == NULL && entries != 0 ? entries + 1 : 0;
    for (size_t i = 0; i < entries; i++) {
        char *name = name_of(elf, &tables, i);

        if (name != NULL)
            symbol[count++] = (struct image_symbol){
                .name = name, .addr = table->addr + HEADER_BYTES + i * ENTRY_BYTES,
                .bytes = ENTRY_BYTES, .is_function = true};
    }
    if (count != 0 && (symbol[count].name = strdup(".plt")) != NULL) {
        symbol[count].addr = table->addr;
        symbol[count].bytes = HEADER_BYTES;
        symbol[count++].is_function = true;
    }
    return count;
}
