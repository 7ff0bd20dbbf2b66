/* Names of functions, from the symbol tables in the files of program and libraries (a static
 * program does not load its own table); see assert_timer_stack.h. */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assert_timer_stack.h"

enum { FILES = 64 };

struct mapped {
    uintptr_t bias, start, end;         /* end: of the code */
    const char *name;                   /* without its path */
    const uint8_t *file;
    size_t bytes;
    const ElfW(Sym) *symbol;
    size_t symbols;
    const char *text;                   /* the symbols' names */
    size_t text_bytes;
};

struct names { unsigned files; struct mapped file[FILES]; };

/* The table of a section; NULL: it does not lie within the file. */
static const void *table_at(const struct mapped *own, const ElfW(Shdr) *section)
{
    return section->sh_offset <= own->bytes && section->sh_size <= own->bytes - section->sh_offset
               ? own->file + section->sh_offset : NULL;
}

static void find_symbols(struct mapped *own)
{
    const ElfW(Ehdr) *head = (const void *)own->file;
    const ElfW(Shdr) *section;

    if (own->bytes < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_shentsize != sizeof *section || head->e_shoff > own->bytes ||
        head->e_shoff % sizeof(uintptr_t) != 0 ||
        head->e_shnum > (own->bytes - head->e_shoff) / sizeof *section)
        return;
    section = (const void *)(own->file + head->e_shoff);
    for (unsigned i = 0; i < head->e_shnum; i++) {
        bool is_table = section[i].sh_type == SHT_SYMTAB || section[i].sh_type == SHT_DYNSYM;

        if (!is_table || section[i].sh_link >= head->e_shnum ||
            (own->symbol != NULL && section[i].sh_type == SHT_DYNSYM))
            continue;
        own->symbol = table_at(own, &section[i]);
        own->text = table_at(own, &section[section[i].sh_link]);
        own->text_bytes = section[section[i].sh_link].sh_size;
        own->symbols = own->symbol != NULL && own->text != NULL && own->text_bytes > 0 &&
                               own->text[own->text_bytes - 1] == '\0'
                           ? section[i].sh_size / sizeof *own->symbol : 0;
    }
}

static void map_file(struct mapped *own, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    void *at = MAP_FAILED;

    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && st.st_size > 0)
        at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (at == MAP_FAILED)
        return;
    own->file = at;
    own->bytes = (size_t)st.st_size;
    find_symbols(own);
}

/* Adds a file; the first one is the program. */
static int add_file(struct dl_phdr_info *info, size_t bytes, void *arg)
{
    struct names *names = arg;
    struct mapped own = {.bias = info->dlpi_addr, .start = UINTPTR_MAX};
    const char *path = names->files == 0 ? "/proc/self/exe" : info->dlpi_name, *slash;

    (void)bytes;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];

        if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0)
            continue;
        if (own.bias + part->p_vaddr < own.start)
            own.start = own.bias + part->p_vaddr;
        if (own.bias + part->p_vaddr + part->p_memsz > own.end)
            own.end = own.bias + part->p_vaddr + part->p_memsz;
    }
    slash = strrchr(path, '/');
    own.name = names->files == 0 ? "program" : slash != NULL ? slash + 1 : path;
    map_file(&own, path);
    names->file[names->files++] = own;
    return names->files == FILES;
}

struct names *names_open(void)
{
    struct names *names = calloc(1, sizeof *names);

    if (names != NULL)
        dl_iterate_phdr(add_file, names);
    return names;
}

void names_close(struct names *names)
{
    if (names == NULL)
        return;
    for (unsigned i = 0; i < names->files; i++)
        if (names->file[i].file != NULL)
            munmap((void *)(uintptr_t)names->file[i].file, names->file[i].bytes);
    free(names);
}

/* The function around an address of the file; NULL: none. */
static const char *function_at(const struct mapped *own, uintptr_t at)
{
    for (size_t i = 0; i < own->symbols; i++) {
        const ElfW(Sym) *symbol = &own->symbol[i];

        if ((symbol->st_info & 0xf) == STT_FUNC && at - symbol->st_value < symbol->st_size &&
            at >= symbol->st_value && symbol->st_name < own->text_bytes)
            return own->text + symbol->st_name;
    }
    return NULL;
}

void names_find(const struct names *names, uintptr_t pc, char name[STACK_NAME])
{
    for (unsigned i = 0; names != NULL && i < names->files; i++) {
        const struct mapped *own = &names->file[i];
        const char *function;

        if (pc < own->start || pc >= own->end)
            continue;
        function = function_at(own, pc - own->bias);
        if (function != NULL)
            snprintf(name, STACK_NAME, "%.*s", (int)strcspn(function, "."), function);
        else
            snprintf(name, STACK_NAME, "%.200s+0x%zx", own->name, (size_t)(pc - own->bias));
        return;
    }
    snprintf(name, STACK_NAME, "0x%zx", (size_t)pc);
}
