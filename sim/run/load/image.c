/* Reading an ELF executable: checks, segments, and the kind of program. Symbols and sections are in
 * image_symbol.c.
 *
 * libelf walks the tables; every range it yields is checked here against the file before use, so
 * that users of `struct image` can trust it. A program is bare metal when it talks to the host
 * through `tohost` or is linked into RAM; a note of its operating system overrides the latter. */
#include "sim/run/load/image.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/mem/phys.h"
#include "sim/run/load/image_internal.h"

#define FILE_BYTES_MAX (UINT64_C(4) << 30)
#define SEGMENT_BYTES_MAX (UINT64_C(64) << 30)
enum { SEGMENTS_MAX = 1024 };

#ifndef EF_RISCV_RVE
#define EF_RISCV_RVE 8
#endif

static enum err refuse(struct image *image, struct diag *diag, const char *why)
{
    return diag_set(diag, ERR_USAGE, "%s: %s", image->path, why);
}

static bool is_in_file(const struct image *image, uint64_t offset, uint64_t bytes)
{
    return offset <= image->file_bytes && bytes <= image->file_bytes - offset;
}

/* ---- the header ------------------------------------------------------------------------- */

/* Sizes that differ between the classes. */
struct layout {
    size_t ehdr_bytes, phdr_bytes, shdr_bytes;
};

static const struct layout *layout_of(const struct image *image)
{
    static const struct layout of_32 = {sizeof(Elf32_Ehdr), sizeof(Elf32_Phdr), sizeof(Elf32_Shdr)};
    static const struct layout of_64 = {sizeof(Elf64_Ehdr), sizeof(Elf64_Phdr), sizeof(Elf64_Shdr)};

    return image->file[EI_CLASS] == ELFCLASS32 ? &of_32 : &of_64;
}

static const char *ident_fault(const struct image *image)
{
    const uint8_t *ident = image->file;

    if (image->file_bytes < EI_NIDENT || memcmp(ident, ELFMAG, SELFMAG) != 0) {
        return "not an ELF file";
    }
    if (ident[EI_CLASS] != ELFCLASS32 && ident[EI_CLASS] != ELFCLASS64) {
        return "not a valid ELF file (class)";
    }
    if (ident[EI_DATA] != ELFDATA2LSB) {
        return "not a little-endian ELF file";
    }
    if (image->file_bytes < layout_of(image)->ehdr_bytes) {
        return "truncated: the ELF header is incomplete";
    }
    return NULL;
}

static const char *header_fault(const struct image *image, const GElf_Ehdr *ehdr)
{
    if (ehdr->e_machine != EM_RISCV) {
        return "made for another processor; RISC-V is expected";
    }
    if (ehdr->e_type == ET_REL) {
        return "an object file; link it into an executable first";
    }
    if (ehdr->e_type != ET_EXEC && ehdr->e_type != ET_DYN) {
        return "not an executable";
    }
    if (ehdr->e_flags & EF_RISCV_RVE) {
        return "made for RV32E or RV64E (16 registers); 32 are expected";
    }
    if (ehdr->e_phoff == 0) {
        return "has no program headers: nothing to load";
    }
    if (ehdr->e_phentsize != layout_of(image)->phdr_bytes) {
        return "program headers of an unknown size";
    }
    return NULL;
}

/* ---- segments --------------------------------------------------------------------------- */

struct header_scan {
    bool is_linux_note;         /* ABI tag or OS/ABI byte of an operating system */
    bool is_pie;                /* DF_1_PIE */
    uint64_t phdr_vaddr;        /* PT_PHDR */
};

static enum err add_segment(struct image *image, const GElf_Phdr *phdr, struct diag *diag)
{
    struct image_segment *segment;

    if (phdr->p_memsz == 0 && phdr->p_filesz == 0) {
        return ERR_OK;
    }
    if (phdr->p_filesz > phdr->p_memsz) {
        return refuse(image, diag, "a segment is larger in the file than in memory");
    }
    if (phdr->p_memsz > SEGMENT_BYTES_MAX || phdr->p_vaddr + phdr->p_memsz < phdr->p_vaddr ||
        phdr->p_paddr + phdr->p_memsz < phdr->p_paddr) {
        return diag_set(diag, ERR_USAGE, "%s: segment at 0x%" PRIx64 " has an absurd size (0x%"
                        PRIx64 " bytes)", image->path, phdr->p_vaddr, phdr->p_memsz);
    }
    if (phdr->p_filesz > 0 && !is_in_file(image, phdr->p_offset, phdr->p_filesz)) {
        return refuse(image, diag, "truncated: a segment reaches beyond the end of the file");
    }
    if (image->segment_count == SEGMENTS_MAX) {
        return refuse(image, diag, "has too many segments (more than 1024)");
    }
    segment = &image->segments[image->segment_count++];
    *segment = (struct image_segment){
        .vaddr = phdr->p_vaddr, .paddr = phdr->p_paddr,
        .file_bytes = phdr->p_filesz, .mem_bytes = phdr->p_memsz,
        .bytes = image->file + (phdr->p_filesz > 0 ? phdr->p_offset : 0), .flags = phdr->p_flags,
    };
    return ERR_OK;
}

/* A PT_NOTE holds {name bytes, descriptor bytes, type, name, descriptor} with 4-byte padding. The
 * ABI tag is GNU type 1; word 0 of its descriptor names the system, 0 = Linux. */
static bool is_linux_note(const struct image *image, const GElf_Phdr *phdr)
{
    uint64_t at = phdr->p_offset, end = phdr->p_offset + phdr->p_filesz;

    while (end - at >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr note;
        uint64_t name = at + sizeof note, descriptor;

        memcpy(&note, image->file + at, sizeof note);
        descriptor = name + ((note.n_namesz + UINT64_C(3)) & ~UINT64_C(3));
        at = descriptor + ((note.n_descsz + UINT64_C(3)) & ~UINT64_C(3));
        if (at > end) {
            return false;
        }
        if (note.n_type == NT_GNU_ABI_TAG && note.n_namesz == 4 && note.n_descsz >= 4 &&
            memcmp(image->file + name, "GNU", 4) == 0) {
            return memcmp(image->file + descriptor, "\0\0\0", 4) == 0;
        }
    }
    return false;
}

/* 64-bit files only: a 32-bit program is never moved from its link address. */
static bool is_pie_dynamic(const struct image *image, const GElf_Phdr *phdr)
{
    uint64_t i, count = phdr->p_filesz / sizeof(Elf64_Dyn);

    for (i = 0; i < count; i++) {
        Elf64_Dyn entry;

        memcpy(&entry, image->file + phdr->p_offset + i * sizeof entry, sizeof entry);
        if (entry.d_tag == DT_NULL) {
            break;
        }
        if (entry.d_tag == DT_FLAGS_1) {
            return (entry.d_un.d_val & DF_1_PIE) != 0;
        }
    }
    return false;
}

static enum err scan_header(struct image *image, const GElf_Phdr *phdr, struct header_scan *scan,
                            struct diag *diag)
{
    if (phdr->p_type == PT_LOAD) {
        return add_segment(image, phdr, diag);
    }
    if (phdr->p_type == PT_PHDR) {
        scan->phdr_vaddr = phdr->p_vaddr;
        return ERR_OK;
    }
    if (phdr->p_type == PT_GNU_STACK) {
        image->needs_exec_stack = (phdr->p_flags & PF_X) != 0;
        return ERR_OK;
    }
    if (phdr->p_type != PT_INTERP && phdr->p_type != PT_NOTE && phdr->p_type != PT_DYNAMIC) {
        return ERR_OK;
    }
    if (!is_in_file(image, phdr->p_offset, phdr->p_filesz)) {
        return refuse(image, diag, "truncated: a program header points beyond the end of the file");
    }
    if (phdr->p_type == PT_INTERP) {
        image->interpreter = phdr->p_vaddr;
    }
    if (phdr->p_type == PT_NOTE) {
        scan->is_linux_note |= is_linux_note(image, phdr);
    } else {
        scan->is_pie = is_pie_dynamic(image, phdr);
    }
    return ERR_OK;
}

static int compare_vaddr(const void *a, const void *b)
{
    const struct image_segment *x = a, *y = b;

    return x->vaddr < y->vaddr ? -1 : x->vaddr > y->vaddr;
}

static int compare_paddr(const void *a, const void *b)
{
    const struct image_segment *x = a, *y = b;

    return x->paddr < y->paddr ? -1 : x->paddr > y->paddr;
}

/* A user program is loaded at its virtual addresses, a bare-metal one at its physical (load)
 * addresses. */
static enum err check_overlap(struct image *image, struct diag *diag)
{
    uint64_t end = 0;
    size_t i;

    qsort(image->segments, image->segment_count, sizeof *image->segments,
          image->is_linux ? compare_vaddr : compare_paddr);
    for (i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];
        uint64_t start = image->is_linux ? segment->vaddr : segment->paddr;

        if (i > 0 && start < end) {
            return diag_set(diag, ERR_USAGE, "%s: segments overlap at 0x%" PRIx64, image->path,
                            start);
        }
        end = start + segment->mem_bytes;
    }
    qsort(image->segments, image->segment_count, sizeof *image->segments, compare_vaddr);
    return ERR_OK;
}

/* ---- the whole -------------------------------------------------------------------------- */

static bool is_in_segments(const struct image *image, uint64_t addr)
{
    size_t i;

    for (i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];

        if (addr - segment->vaddr < segment->mem_bytes ||
            addr - segment->paddr < segment->mem_bytes) {
            return true;
        }
    }
    return false;
}

/* The address of the program headers when a segment has them in memory, else 0. */
static uint64_t find_phdr(const struct image *image, const GElf_Ehdr *ehdr, uint64_t bytes)
{
    size_t i;

    for (i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];
        uint64_t offset = (uint64_t)(segment->bytes - image->file);

        if (ehdr->e_phoff >= offset && ehdr->e_phoff + bytes <= offset + segment->file_bytes) {
            return segment->vaddr + (ehdr->e_phoff - offset);
        }
    }
    return 0;
}

static void add_bias(struct image *image, uint64_t bias)
{
    size_t i;

    image->bias = bias;
    image->entry += bias;
    image->interpreter += image->interpreter != 0 ? bias : 0;
    for (i = 0; i < image->segment_count; i++) {
        image->segments[i].vaddr += bias;
        image->segments[i].paddr += bias;
    }
}

static bool is_linked_into_ram(const struct image *image)
{
    size_t i;

    for (i = 0; i < image->segment_count; i++) {
        if (image->segments[i].paddr >= PHYS_RAM_BASE) {
            return true;
        }
    }
    return false;
}

static enum err read_segments(struct image *image, Elf *elf, struct header_scan *scan,
                              struct diag *diag)
{
    size_t i, count;

    if (elf_getphdrnum(elf, &count) != 0 ||
        count > image->file_bytes / layout_of(image)->phdr_bytes) {
        return refuse(image, diag, "truncated: program headers reach beyond the end of the file");
    }
    image->segments = calloc(SEGMENTS_MAX, sizeof *image->segments);
    if (image->segments == NULL) {
        return diag_no_memory(diag, NULL);
    }
    image->phdr_count = (unsigned)count;
    image->phdr_bytes = (unsigned)layout_of(image)->phdr_bytes;
    for (i = 0; i < count; i++) {
        GElf_Phdr phdr;
        enum err err;

        if (gelf_getphdr(elf, (int)i, &phdr) == NULL) {
            return refuse(image, diag, "truncated: program headers are incomplete");
        }
        err = scan_header(image, &phdr, scan, diag);
        if (err != ERR_OK) {
            return err;
        }
    }
    return image->segment_count > 0 ? ERR_OK
                                    : refuse(image, diag, "has no segment to load");
}

/* bias: of a file that another program has loaded; NULL: the file is the program itself. */
static enum err read_program(struct image *image, Elf *elf, const uint64_t *bias,
                             struct diag *diag)
{
    struct header_scan scan = {0};
    GElf_Ehdr ehdr;
    const char *fault;
    bool is_linux_file;
    enum err err;

    if (gelf_getehdr(elf, &ehdr) == NULL) {
        return refuse(image, diag, "not a valid ELF file (header)");
    }
    fault = header_fault(image, &ehdr);
    if (fault != NULL) {
        return refuse(image, diag, fault);
    }
    if (ehdr.e_shoff != 0 &&
        (ehdr.e_shentsize != layout_of(image)->shdr_bytes ||
         !is_in_file(image, ehdr.e_shoff, (ehdr.e_shnum > 0 ? ehdr.e_shnum : UINT64_C(1)) *
                                              ehdr.e_shentsize))) {
        return refuse(image, diag, "truncated: section headers reach beyond the end of the file");
    }
    image->is_module = bias != NULL;
    image->entry = ehdr.e_entry;
    image->xlen = image->file[EI_CLASS] == ELFCLASS32 ? 32 : 64;
    image->is_rvc = (ehdr.e_flags & EF_RISCV_RVC) != 0;
    err = read_segments(image, elf, &scan, diag);
    if (err != ERR_OK) {
        return err;
    }
    if (ehdr.e_type == ET_DYN && !scan.is_pie && bias == NULL) {
        return refuse(image, diag, "a shared library, not an executable");
    }
    is_linux_file = scan.is_linux_note || ehdr.e_ident[EI_OSABI] == ELFOSABI_LINUX;
    image->is_linux = is_linux_file || !is_linked_into_ram(image);
    if (image->is_linux && (ehdr.e_type == ET_DYN || bias != NULL)) {
        add_bias(image, bias != NULL ? *bias : IMAGE_PIE_BASE);
    }
    err = image_read_sections(image, elf, diag);
    if (err != ERR_OK) {
        return err;
    }
    if (image->tohost != 0) {
        image->is_linux = false;
    }
    if (image->is_linux && image->xlen == 32) {
        return refuse(image, diag, "a 32-bit program for an operating system; of 32 bits only "
                                   "bare-metal programs run");
    }
    if (bias == NULL && (!is_in_segments(image, image->entry) || image->entry % 2 != 0)) {
        return diag_set(diag, ERR_USAGE, "%s: the entry point 0x%" PRIx64 " is in no segment",
                        image->path, image->entry);
    }
    image->phdr_vaddr = scan.phdr_vaddr != 0
        ? scan.phdr_vaddr + image->bias
        : find_phdr(image, &ehdr, (uint64_t)image->phdr_count * image->phdr_bytes);
    return check_overlap(image, diag);
}

static enum err open_memory(struct image *image, const char *path, uint8_t *file,
                            size_t file_bytes, const uint64_t *bias, struct diag *diag)
{
    Elf *elf;
    enum err err;
    const char *fault;

    *image = (struct image){.path = strdup(path), .file = file, .file_bytes = file_bytes};
    fault = ident_fault(image);
    if (fault != NULL) {
        err = refuse(image, diag, fault);
        image_close(image);
        return err;
    }
    elf_version(EV_CURRENT);
    elf = elf_memory((char *)file, file_bytes);
    if (elf == NULL) {
        err = refuse(image, diag, elf_errmsg(-1));
    } else {
        err = read_program(image, elf, bias, diag);
        elf_end(elf);
    }
    if (err != ERR_OK) {
        image_close(image);
    }
    return err;
}

enum err image_open_memory(struct image *image, const char *path, uint8_t *file, size_t file_bytes,
                           struct diag *diag)
{
    return open_memory(image, path, file, file_bytes, NULL, diag);
}

static enum err read_file(int fd, const char *path, uint8_t **file, size_t *file_bytes,
                          struct diag *diag)
{
    struct stat st;
    size_t done = 0;

    if (fstat(fd, &st) != 0) {
        return diag_set(diag, ERR_IO, "%s: %s", path, strerror(errno));
    }
    if (!S_ISREG(st.st_mode)) {
        return diag_set(diag, ERR_USAGE, "%s: not a file; an ELF executable is expected", path);
    }
    if ((uint64_t)st.st_size > FILE_BYTES_MAX) {
        return diag_set(diag, ERR_USAGE, "%s: larger than 4 GiB", path);
    }
    *file_bytes = (size_t)st.st_size;
    *file = malloc(*file_bytes + 1);
    if (*file == NULL) {
        return diag_no_memory(diag, NULL);
    }
    while (done < *file_bytes) {
        ssize_t got = read(fd, *file + done, *file_bytes - done);

        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            free(*file);
            return diag_set(diag, ERR_IO, "%s: %s", path,
                            got == 0 ? "shrank while it was read" : strerror(errno));
        }
        done += (size_t)got;
    }
    return ERR_OK;
}

static enum err open_file(struct image *image, const char *path, const uint64_t *bias,
                          struct diag *diag)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    uint8_t *file = NULL;
    size_t file_bytes = 0;
    enum err err;

    *image = (struct image){0};
    if (fd < 0) {
        return diag_set(diag, ERR_IO, "%s: %s", path, strerror(errno));
    }
    err = read_file(fd, path, &file, &file_bytes, diag);
    close(fd);
    return err != ERR_OK ? err : open_memory(image, path, file, file_bytes, bias, diag);
}

enum err image_open(struct image *image, const char *path, struct diag *diag)
{
    return open_file(image, path, NULL, diag);
}

enum err image_open_module(struct image *image, const char *path, uint64_t bias, struct diag *diag)
{
    return open_file(image, path, &bias, diag);
}

void image_close(struct image *image)
{
    image_free_sections(image);
    free(image->segments);
    free(image->file);
    free(image->path);
    *image = (struct image){0};
}
