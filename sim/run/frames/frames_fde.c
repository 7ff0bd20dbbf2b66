/* The functions that call frame information names: DWARF's frame description entries, found and
 * bounded by libdw. Entries that cannot be read are left out. */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/sorted.h"
#include "sim/base/array.h"
#include "sim/run/frames/frames_cfi.h"

/* A section of entries. */
struct table {
    const struct image *image;
    const struct image_section *section;
    Elf_Data data;
    bool is_eh_frame;
};

/* ---- encoded addresses ----------------------------------------------------------------------- */

/* Bytes of a number with this encoding; 0: not supported. */
static unsigned bytes_of(const struct table *table, unsigned encoding)
{
    switch (encoding & 7) {
    case DW_EH_PE_absptr:
        return table->image->xlen / 8;
    case DW_EH_PE_udata2:
        return 2;
    case DW_EH_PE_udata4:
        return 4;
    case DW_EH_PE_udata8:
        return 8;
    default:
        return 0;
    }
}

/* The encoding of addresses in the entries of a CIE: DW_EH_PE_*; DW_EH_PE_omit: not supported. The
 * augmentation data have a part for each letter, as in "zPLR". */
static unsigned encoding_of(const struct table *table, const Dwarf_CIE *cie)
{
    const uint8_t *at = cie->augmentation_data, *end;
    const char *letter = cie->augmentation;

    if (letter == NULL || letter[0] != 'z' || at == NULL)
        return DW_EH_PE_absptr;
    end = at + cie->augmentation_data_size;
    for (letter++; *letter != '\0' && at < end; letter++) {
        if (*letter == 'R')
            return *at;
        if (*letter == 'P')         /* the personality routine: encoding, address */
            at += 1 + bytes_of(table, *at);
        else if (*letter == 'L')
            at++;
        else if (*letter != 'S' && *letter != 'B')
            return DW_EH_PE_omit;
    }
    return *letter == '\0' ? DW_EH_PE_absptr : DW_EH_PE_omit;
}

static uint64_t read_number(const uint8_t *at, unsigned bytes, bool is_signed)
{
    uint64_t value = 0;
    unsigned shift = 64 - 8 * bytes;

    memcpy(&value, at, bytes);
    return is_signed ? (uint64_t)((int64_t)(value << shift) >> shift) : value;
}

/* Reads an entry's two addresses. False: not supported. */
static bool read_bounds(const struct table *table, unsigned encoding, const Dwarf_FDE *fde,
                        struct fde *found)
{
    const uint8_t *content = table->section->content;
    unsigned bytes = bytes_of(table, encoding);
    uint64_t start;

    if (encoding == DW_EH_PE_omit || (encoding & DW_EH_PE_indirect) != 0 || bytes == 0 ||
        (size_t)(fde->end - fde->start) < 2 * (size_t)bytes)
        return false;
    start = read_number(fde->start, bytes, (encoding & DW_EH_PE_signed) != 0 || bytes < 8);
    if ((encoding & 0x70) == DW_EH_PE_pcrel)
        start += table->section->addr + (uint64_t)(fde->start - content);
    else if ((encoding & 0x70) == DW_EH_PE_absptr)
        start += table->image->bias;
    else
        return false;
    if (table->image->xlen == 32)
        start &= UINT32_MAX;
    *found = (struct fde){start, start + read_number(fde->start + bytes, bytes, false)};
    return found->to > found->from;
}

/* ---- the sections ---------------------------------------------------------------------------- */

static bool add(struct fdes *fdes, const struct fde *found)
{
    struct fde *grown = array_grow(fdes->fde, fdes->count, sizeof *grown);

    if (grown == NULL)
        return false;
    fdes->fde = grown;
    fdes->fde[fdes->count++] = *found;
    return true;
}

/* False: no memory. */
static bool read_entry(struct table *table, const unsigned char *ident, const Dwarf_FDE *fde,
                       struct fdes *fdes)
{
    Dwarf_CFI_Entry cie;
    struct fde found;
    Dwarf_Off next;

    if (dwarf_next_cfi(ident, &table->data, table->is_eh_frame, fde->CIE_pointer, &next, &cie) !=
            0 || !dwarf_cfi_cie_p(&cie) ||
        !read_bounds(table, encoding_of(table, &cie.cie), fde, &found))
        return true;
    return add(fdes, &found);
}

static bool read_table(struct table *table, struct fdes *fdes)
{
    const unsigned char *ident = table->image->file;
    Dwarf_Off at = 0, next = 0;
    Dwarf_CFI_Entry entry;
    int result;

    while ((result = dwarf_next_cfi(ident, &table->data, table->is_eh_frame, at, &next, &entry)) <=
           0 && next > at) {
        if (result == 0 && !dwarf_cfi_cie_p(&entry) &&
            !read_entry(table, ident, &entry.fde, fdes))
            return false;
        at = next;
    }
    return true;
}

static bool read_section(const struct image *image, const char *name, struct fdes *fdes)
{
    struct table table = {.image = image, .section = image_find_section(image, name),
                          .is_eh_frame = strcmp(name, ".eh_frame") == 0};

    if (table.section == NULL || table.section->content == NULL)
        return true;
    table.data = (Elf_Data){.d_buf = (void *)(uintptr_t)table.section->content,
                            .d_size = table.section->bytes, .d_type = ELF_T_BYTE,
                            .d_version = EV_CURRENT, .d_align = 1};
    return read_table(&table, fdes);
}

static int compare(const void *a, const void *b)
{
    const struct fde *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

enum err fdes_read(struct fdes *fdes, const struct image *image, struct diag *diag)
{
    size_t kept = 0;

    *fdes = (struct fdes){.count = 0};
    if (!read_section(image, ".eh_frame", fdes) || !read_section(image, ".debug_frame", fdes))
        return diag_no_memory(diag, "call frame information");
    if (fdes->count != 0)
        qsort(fdes->fde, fdes->count, sizeof *fdes->fde, compare);
    for (size_t i = 0; i < fdes->count; i++)
        if (kept == 0 || fdes->fde[i].from >= fdes->fde[kept - 1].to)
            fdes->fde[kept++] = fdes->fde[i];
    fdes->count = kept;
    return ERR_OK;
}

void fdes_free(struct fdes *fdes)
{
    free(fdes->fde);
    *fdes = (struct fdes){.count = 0};
}

static bool ends_before(const void *row, const void *address)
{
    const struct fde *fde = row;

    return fde->to <= *(const uint64_t *)address;
}

const struct fde *fdes_at(const struct fdes *fdes, uint64_t address)
{
    size_t at = sorted_place(fdes->fde, fdes->count, sizeof fdes->fde[0], ends_before, &address);

    return at < fdes->count && fdes->fde[at].from <= address ? &fdes->fde[at] : NULL;
}
