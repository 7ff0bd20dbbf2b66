/* The start of a static PIE, for a C library without rcrt1.o: the program relocates itself before
 * the library's start-up. The library knows no load address, so the program headers get it, too. */
#include <elf.h>
#include <sys/mman.h>
#include <sys/syscall.h>

__asm__(".globl pie_start\n"
        ".type pie_start, @function\n"
        "pie_start:\n"
        "    mv s0, a0\n"
        "    mv s1, sp\n"
        "    lla a0, __ehdr_start\n"
        "    lla a1, _DYNAMIC\n"
        "    andi sp, sp, -16\n"
        "    call pie_relocate\n"
        "    mv a0, s0\n"
        "    mv sp, s1\n"
        "    tail _start\n"
        ".size pie_start, . - pie_start\n");

/* The library's own code is not all independent of its position: constants have addresses. */
static void allow_writing(unsigned long start, unsigned long end)
{
    register unsigned long a0 __asm__("a0") = start & ~4095ul;
    register unsigned long a1 __asm__("a1") = end - (start & ~4095ul);
    register unsigned long a2 __asm__("a2") = PROT_READ | PROT_WRITE | PROT_EXEC;
    register unsigned long a7 __asm__("a7") = SYS_mprotect;

    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
}

static void relocate(unsigned long base, const Elf64_Rela *rela, const Elf64_Sym *symbol)
{
    unsigned long *at = (unsigned long *)(base + rela->r_offset);

    symbol += ELF64_R_SYM(rela->r_info);
    switch (ELF64_R_TYPE(rela->r_info)) {
    case R_RISCV_RELATIVE:
        *at = base + rela->r_addend;
        break;
    case R_RISCV_64:
        *at = (symbol->st_shndx != 0 ? base + symbol->st_value : 0) + rela->r_addend;
        break;
    case R_RISCV_TLS_TPREL64:
        *at = (ELF64_R_SYM(rela->r_info) != 0 ? symbol->st_value : 0) + rela->r_addend;
        break;
    }
}

__attribute__((visibility("hidden"))) void pie_relocate(unsigned long base, const Elf64_Dyn *entry)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)base;
    Elf64_Phdr *part = (Elf64_Phdr *)(base + head->e_phoff);
    const Elf64_Rela *rela = 0;
    const Elf64_Sym *symbol = 0;
    unsigned long bytes = 0;

    for (int i = 0; i < head->e_phnum; i++)
        if (part[i].p_type == PT_LOAD)
            allow_writing(base + part[i].p_vaddr, base + part[i].p_vaddr + part[i].p_memsz);
    for (; entry->d_tag != DT_NULL; entry++) {
        rela = entry->d_tag == DT_RELA ? (const Elf64_Rela *)(base + entry->d_un.d_ptr) : rela;
        symbol = entry->d_tag == DT_SYMTAB ? (const Elf64_Sym *)(base + entry->d_un.d_ptr) : symbol;
        bytes = entry->d_tag == DT_RELASZ ? entry->d_un.d_val : bytes;
    }
    for (unsigned long i = 0; i < bytes / sizeof *rela; i++)
        relocate(base, &rela[i], symbol);
    for (int i = 0; i < head->e_phnum; i++)
        part[i].p_vaddr += base;
}
