/* An ELF executable made in memory, field by field, so that a test can spoil any of them. */
#ifndef TESTS_SIM_RUN_ELF_FILE_H
#define TESTS_SIM_RUN_ELF_FILE_H

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { ELF_FILE_BYTES = 8192, ELF_TEXT = 0x1000, ELF_DATA = 0x1800, ELF_SYMBOLS = 0x400,
       ELF_STRINGS = 0x800, ELF_SECTIONS = 0xa00, ELF_SYMBOLS_MAX = 16 };

/* Layout: header, program headers, symbols, strings, section headers, text at 0x1000, data. */
struct elf_file {
    union {
        uint8_t bytes[ELF_FILE_BYTES];
        struct {
            Elf64_Ehdr ehdr;
            Elf64_Phdr phdr[8];
        };
    };
    unsigned symbols;
    size_t strings;
};

static inline Elf64_Shdr *elf_file_section(struct elf_file *file, unsigned index)
{
    return (Elf64_Shdr *)(void *)&file->bytes[ELF_SECTIONS] + index;
}

static inline Elf64_Sym *elf_file_symbol(struct elf_file *file, unsigned index)
{
    return (Elf64_Sym *)(void *)&file->bytes[ELF_SYMBOLS] + index;
}

static inline uint32_t elf_file_string(struct elf_file *file, const char *text)
{
    size_t at = file->strings;

    strcpy((char *)&file->bytes[ELF_STRINGS + at], text);
    file->strings += strlen(text) + 1;
    elf_file_section(file, 4)->sh_size = file->strings;
    return (uint32_t)at;
}

/* section: 1 = text, 2 = data, SHN_ABS. */
static inline void elf_file_add_symbol(struct elf_file *file, const char *name, uint64_t value,
                                       uint64_t size, unsigned type, uint16_t section)
{
    *elf_file_symbol(file, file->symbols++) = (Elf64_Sym){
        .st_name = elf_file_string(file, name), .st_info = (unsigned char)ELF64_ST_INFO(1, type),
        .st_shndx = section, .st_value = value, .st_size = size};
    elf_file_section(file, 3)->sh_size = file->symbols * sizeof(Elf64_Sym);
}

/* A text segment of 0x100 bytes at `text`, a data segment of 0x80 bytes in the file and 0x2000 in
 * memory at `data`; entry at the start of the text. */
static inline void elf_file_make(struct elf_file *file, uint64_t text, uint64_t data)
{
    *file = (struct elf_file){.symbols = 1, .strings = 1};
    file->ehdr = (Elf64_Ehdr){
        .e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT}, .e_type = ET_EXEC,
        .e_machine = EM_RISCV, .e_version = EV_CURRENT, .e_entry = text, .e_phoff = 64,
        .e_shoff = ELF_SECTIONS, .e_flags = 5, .e_ehsize = 64, .e_phentsize = 56, .e_phnum = 2,
        .e_shentsize = 64, .e_shnum = 5, .e_shstrndx = 4};
    file->phdr[0] = (Elf64_Phdr){
        .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = ELF_TEXT, .p_vaddr = text,
        .p_paddr = text, .p_filesz = 0x100, .p_memsz = 0x100, .p_align = 0x1000};
    file->phdr[1] = (Elf64_Phdr){
        .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_offset = ELF_DATA, .p_vaddr = data,
        .p_paddr = data, .p_filesz = 0x80, .p_memsz = 0x2000, .p_align = 0x1000};
    *elf_file_section(file, 1) = (Elf64_Shdr){
        .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = text,
        .sh_offset = ELF_TEXT, .sh_size = 0x100};
    *elf_file_section(file, 2) = (Elf64_Shdr){
        .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_WRITE, .sh_addr = data,
        .sh_offset = ELF_DATA, .sh_size = 0x80};
    *elf_file_section(file, 3) = (Elf64_Shdr){
        .sh_type = SHT_SYMTAB, .sh_offset = ELF_SYMBOLS, .sh_size = sizeof(Elf64_Sym), .sh_link = 4,
        .sh_info = 1, .sh_entsize = sizeof(Elf64_Sym)};
    *elf_file_section(file, 4) = (Elf64_Shdr){
        .sh_type = SHT_STRTAB, .sh_offset = ELF_STRINGS, .sh_size = 1};
    elf_file_section(file, 1)->sh_name = elf_file_string(file, ".text");
    elf_file_section(file, 2)->sh_name = elf_file_string(file, ".data");
    memset(&file->bytes[ELF_TEXT], 0x13, 0x100);
    memset(&file->bytes[ELF_DATA], 0xda, 0x80);
}

/* The bytes that image_open_memory takes over. */
static inline uint8_t *elf_file_copy(const struct elf_file *file, size_t bytes)
{
    uint8_t *copy = malloc(bytes + 1);

    if (copy != NULL) {
        memcpy(copy, file->bytes, bytes);
    }
    return copy;
}

#endif
