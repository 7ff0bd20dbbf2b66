/* expected WHAT ELF: the facts that a hand-counted program (counted.h) states about itself, one a
 * line.
 *   marks     every instruction of the routines that begin with `times`, and every `accessed`
 *             datum: address and count, in address order
 *   events, ranges, meta    the lines the program holds
 * Reads 64-bit little-endian ELF on a little-endian host with libelf. */
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct line { uint64_t address, count; };

static Elf *elf;
static struct line *lines;
static size_t line_count;

static void add_line(uint64_t address, uint64_t count)
{
    struct line *grown = realloc(lines, (line_count + 1) * sizeof *lines);

    if (grown == NULL)
        exit(3);
    lines = grown;
    lines[line_count++] = (struct line){address, count};
}

static int by_address(const void *a, const void *b)
{
    const struct line *left = a, *right = b;

    return left->address < right->address ? -1 : left->address > right->address;
}

/* The section of this name, or of this type when name is NULL; NULL: none. */
static Elf_Scn *find_section(const char *name, unsigned type, GElf_Shdr *header)
{
    Elf_Scn *section = NULL;
    size_t strings;

    if (elf_getshdrstrndx(elf, &strings) != 0)
        exit(3);
    while ((section = elf_nextscn(elf, section)) != NULL) {
        if (gelf_getshdr(section, header) == NULL)
            exit(3);
        const char *found = elf_strptr(elf, strings, header->sh_name);
        if (name == NULL ? header->sh_type == type : found != NULL && strcmp(found, name) == 0)
            return section;
    }
    return NULL;
}

static Elf_Data *content(const char *name)
{
    GElf_Shdr header;
    Elf_Scn *section = find_section(name, 0, &header);

    return section == NULL ? NULL : elf_rawdata(section, NULL);
}

/* The first half of the instruction at `address`, -1: no code there. */
static int first_half(uint64_t address)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = elf_nextscn(elf, section)) != NULL) {
        if (gelf_getshdr(section, &header) == NULL || !(header.sh_flags & SHF_EXECINSTR) ||
            address < header.sh_addr || address + 2 > header.sh_addr + header.sh_size)
            continue;
        const uint8_t *bytes = elf_rawdata(section, NULL)->d_buf;
        return bytes[address - header.sh_addr] | bytes[address - header.sh_addr + 1] << 8;
    }
    return -1;
}

/* All instructions in [start, end): each has the count of the last record at or before it. */
static void add_routine(uint64_t start, uint64_t end)
{
    Elf_Data *data = content(".expect.code");
    const uint64_t *record = data == NULL ? NULL : data->d_buf;
    size_t records = data == NULL ? 0 : data->d_size / 16;
    bool is_counted = false;

    for (size_t i = 0; i < records; i++)
        is_counted |= record[2 * i] == start;
    if (!is_counted)
        return;
    for (uint64_t pc = start; pc < end;) {
        uint64_t nearest = 0, count = 0;
        for (size_t i = 0; i < records; i++)
            if (record[2 * i] <= pc && record[2 * i] >= nearest) {
                nearest = record[2 * i];
                count = record[2 * i + 1];
            }
        add_line(pc, count);
        int half = first_half(pc);
        if (half < 0)
            exit(3);
        pc += (half & 3) == 3 ? 4 : 2;
    }
}

static void add_routines(void)
{
    GElf_Shdr header;
    Elf_Scn *section = find_section(NULL, SHT_SYMTAB, &header);
    Elf_Data *data = section == NULL ? NULL : elf_getdata(section, NULL);

    for (size_t i = 0; data != NULL && i < header.sh_size / header.sh_entsize; i++) {
        GElf_Sym symbol;
        if (gelf_getsym(data, (int)i, &symbol) != NULL && GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
            add_routine(symbol.st_value, symbol.st_value + symbol.st_size);
    }
}

static void print_marks(void)
{
    Elf_Data *data = content(".expect.data");
    const uint64_t *record = data == NULL ? NULL : data->d_buf;

    add_routines();
    for (size_t i = 0; record != NULL && i < data->d_size / 24; i++)
        add_line(record[3 * i], record[3 * i + 2]);
    qsort(lines, line_count, sizeof *lines, by_address);
    for (size_t i = 0; i < line_count; i++)
        printf("0x%" PRIx64 " %" PRIu64 "\n", lines[i].address, lines[i].count);
    free(lines);
}

int main(int argc, char **argv)
{
    int file;

    if (argc != 3 || elf_version(EV_CURRENT) == EV_NONE || (file = open(argv[2], O_RDONLY)) < 0 ||
        (elf = elf_begin(file, ELF_C_READ, NULL)) == NULL) {
        fprintf(stderr, "usage: expected marks|events|ranges|meta ELF\n");
        return 2;
    }
    if (strcmp(argv[1], "marks") == 0) {
        print_marks();
    } else {
        char name[32];
        snprintf(name, sizeof name, ".expect.%s", argv[1]);
        Elf_Data *data = content(name);
        if (data != NULL)
            fwrite(data->d_buf, 1, data->d_size, stdout);
    }
    elf_end(elf);
    close(file);
    return 0;
}
