/* Writes ELF core files; see core_file.h. */
#define _POSIX_C_SOURCE 200809L     /* fileno, ftruncate */
#include "prof/hang/core_file.h"

#include <assert.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/output.h"
#include "sim/base/sink.h"

enum { NS_PER_US = 1000, US_PER_S = 1000000 };

/* ---- notes as Linux lays them out ------------------------------------------------------------ */

struct notes { char *bytes; size_t count; FILE *out; };

/* The content of a note, field by field; words are as wide as the program's registers. */
struct record { uint8_t bytes[512]; size_t count; bool is_32; };

static void add(struct record *record, uint64_t value, size_t bytes)
{
    memcpy(record->bytes + record->count, &value, bytes);
    record->count += bytes;
}

static void add_word(struct record *record, uint64_t value)
{
    add(record, value, record->is_32 ? 4 : 8);
}

static void add_text(struct record *record, const char *text, size_t room)
{
    memcpy(record->bytes + record->count, text, strnlen(text, room - 1));
    record->count += room;
}

static void add_numbers(struct record *record, const struct core_file *core, uint32_t pid)
{
    add(record, pid, 4);
    add(record, core->parent, 4);
    add(record, core->group, 4);
    add(record, core->session, 4);
}

static void put(struct notes *notes, const void *bytes, size_t count)
{
    static const char zero[4];

    fwrite(bytes, 1, count, notes->out);
    fwrite(zero, 1, -count & 3, notes->out);
}

static void put_note(struct notes *notes, uint32_t type, const void *bytes, size_t count)
{
    const Elf64_Nhdr header = {.n_namesz = 5, .n_descsz = (uint32_t)count, .n_type = type};

    put(notes, &header, sizeof header);
    put(notes, "CORE", 5);
    put(notes, bytes, count);
}

/* struct elf_prstatus: signal, masks, numbers, times, registers. */
static void put_status(struct notes *notes, const struct core_file *core,
                       const struct core_thread *thread)
{
    struct record record = {.is_32 = core->is_32};
    uint64_t us = thread->run_ns / NS_PER_US;

    add(&record, (uint32_t)thread->signal, 4);
    add(&record, 0, 8);
    add(&record, (uint32_t)thread->signal, 4);
    add_word(&record, 0);
    add_word(&record, 0);
    add_numbers(&record, core, thread->tid);
    add_word(&record, us / US_PER_S);
    add_word(&record, us % US_PER_S);
    for (unsigned i = 0; i < 6; i++)
        add_word(&record, 0);
    for (unsigned i = 0; i < 32; i++)
        add_word(&record, thread->reg[i]);
    add_word(&record, 1);                   /* has floating point */
    assert(record.count == (core->is_32 ? 204 : 376));
    put_note(notes, NT_PRSTATUS, record.bytes, record.count);
}

/* Registers of the width that the program's calls use, then fcsr. */
static void put_fp(struct notes *notes, const struct core_file *core,
                   const struct core_thread *thread)
{
    unsigned abi = core->flags & EF_RISCV_FLOAT_ABI;
    struct record record = {.is_32 = abi == EF_RISCV_FLOAT_ABI_SINGLE};

    for (unsigned i = 0; i < 32; i++)
        add_word(&record, thread->fp[i]);
    add_word(&record, (uint32_t)thread->fp[32]);
    put_note(notes, NT_FPREGSET, record.bytes, record.count);
}

/* struct elf_prpsinfo: state, flags, numbers, names. */
static void put_info(struct notes *notes, const struct core_file *core)
{
    struct record record = {.is_32 = core->is_32};

    add(&record, (uint32_t)'R' << 8, 4);
    add(&record, 0, core->is_32 ? 0 : 4);
    add_word(&record, 0);
    add(&record, 0, 8);                     /* user, group */
    add_numbers(&record, core, core->pid);
    add_text(&record, core->name, 16);
    add_text(&record, core->arguments, 80);
    assert(record.count == (core->is_32 ? 128 : 136));
    put_note(notes, NT_PRPSINFO, record.bytes, record.count);
}

/* count, page size, then start, end, offset in pages of each, then the names. */
static void put_files(struct notes *notes, const struct core_file *core)
{
    size_t width = core->is_32 ? 4 : 8, bytes = 0;
    uint64_t page = CORE_PAGE, mappings = core->mappings;
    char *text = NULL;
    FILE *out = open_memstream(&text, &bytes);

    if (out == NULL)
        return;
    fwrite(&mappings, width, 1, out);
    fwrite(&page, width, 1, out);
    for (size_t i = 0; i < core->mappings; i++) {
        const struct core_mapped *mapped = &core->mapped[i];
        uint64_t row[3] = {mapped->start, mapped->end, mapped->offset / CORE_PAGE};

        for (unsigned k = 0; k < 3; k++)
            fwrite(&row[k], width, 1, out);
    }
    for (size_t i = 0; i < core->mappings; i++)
        fwrite(core->mapped[i].path, 1, strlen(core->mapped[i].path) + 1, out);
    if (fclose(out) == 0)
        put_note(notes, NT_FILE, text, bytes);
    free(text);
}

/* gdb assigns the notes from one NT_PRSTATUS to the next to a thread; those of the process follow
 * the first. */
static enum err make_notes(struct notes *notes, const struct core_file *core, struct diag *diag)
{
    *notes = (struct notes){.out = NULL};
    notes->out = open_memstream(&notes->bytes, &notes->count);
    if (notes->out == NULL)
        return diag_no_memory(diag, "a core file");
    for (size_t i = 0; i < core->threads; i++) {
        put_status(notes, core, &core->thread[i]);
        if (i == 0) {
            put_info(notes, core);
            if (core->vector != NULL)
                put_note(notes, NT_AUXV, core->vector, core->vector_bytes);
            if (core->mappings != 0)
                put_files(notes, core);
        }
        if ((core->flags & EF_RISCV_FLOAT_ABI) != EF_RISCV_FLOAT_ABI_SOFT)
            put_fp(notes, core, &core->thread[i]);
    }
    return fclose(notes->out) == 0 ? ERR_OK : diag_no_memory(diag, "a core file");
}

/* ---- the file -------------------------------------------------------------------------------- */

/* The destination of bytes: a file that can have holes, or a stream. */
struct writer {
    struct output output;
    struct sink *sink;                  /* NULL: output */
    bool has_holes;                     /* of the output */
    uint64_t at;
};

static bool is_compressed(const char *path)
{
    size_t length = strlen(path);

    return (length > 4 && strcmp(path + length - 4, ".zst") == 0) ||
           (length > 3 && strcmp(path + length - 3, ".gz") == 0);
}

static void write_bytes(struct writer *writer, const void *bytes, size_t count)
{
    if (writer->sink != NULL)
        sink_write(writer->sink, bytes, count);
    else
        fwrite(bytes, 1, count, writer->output.file);
    writer->at += count;
}

static bool is_zero(const uint8_t page[CORE_PAGE])
{
    return page[0] == 0 && memcmp(page, page + 1, CORE_PAGE - 1) == 0;
}

/* A hole of any size takes one step. */
static bool skip_zeros(struct writer *writer, uint64_t bytes)
{
    if (!writer->has_holes || fseeko(writer->output.file, (off_t)bytes, SEEK_CUR) != 0)
        return false;
    writer->at += bytes;
    return true;
}

static void write_page(struct writer *writer, const uint8_t page[CORE_PAGE])
{
    if (!is_zero(page) || !skip_zeros(writer, CORE_PAGE))
        write_bytes(writer, page, CORE_PAGE);
}

static size_t header_bytes(const struct core_file *core)
{
    return core->is_32 ? sizeof(Elf32_Ehdr) : sizeof(Elf64_Ehdr);
}

static size_t segment_bytes(const struct core_file *core)
{
    return core->is_32 ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr);
}

static void write_header(struct writer *writer, const struct core_file *core)
{
    Elf64_Ehdr wide = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_CORE, .e_machine = EM_RISCV, .e_version = EV_CURRENT,
        .e_phoff = sizeof wide, .e_flags = core->flags, .e_ehsize = sizeof wide,
        .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = (Elf64_Half)(core->pieces + 1),
    };
    Elf32_Ehdr narrow = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_CORE, .e_machine = EM_RISCV, .e_version = EV_CURRENT,
        .e_phoff = sizeof narrow, .e_flags = core->flags, .e_ehsize = sizeof narrow,
        .e_phentsize = sizeof(Elf32_Phdr), .e_phnum = (Elf32_Half)(core->pieces + 1),
    };

    if (core->is_32)
        write_bytes(writer, &narrow, sizeof narrow);
    else
        write_bytes(writer, &wide, sizeof wide);
}

static void write_segment(struct writer *writer, const struct core_file *core,
                          const Elf64_Phdr *wide)
{
    const Elf32_Phdr narrow = {
        .p_type = wide->p_type, .p_offset = (Elf32_Off)wide->p_offset,
        .p_vaddr = (Elf32_Addr)wide->p_vaddr, .p_filesz = (Elf32_Word)wide->p_filesz,
        .p_memsz = (Elf32_Word)wide->p_memsz, .p_flags = wide->p_flags,
        .p_align = (Elf32_Word)wide->p_align,
    };

    if (core->is_32)
        write_bytes(writer, &narrow, sizeof narrow);
    else
        write_bytes(writer, wide, sizeof *wide);
}

static void write_headers(struct writer *writer, const struct core_file *core, uint64_t notes)
{
    Elf64_Phdr segment = {
        .p_type = PT_NOTE, .p_filesz = notes, .p_align = 4,
        .p_offset = header_bytes(core) + (core->pieces + 1) * segment_bytes(core),
    };
    uint64_t offset = (segment.p_offset + notes + CORE_PAGE - 1) & ~(uint64_t)(CORE_PAGE - 1);

    write_header(writer, core);
    write_segment(writer, core, &segment);
    for (size_t i = 0; i < core->pieces; i++) {
        const struct core_piece *piece = &core->piece[i];

        segment = (Elf64_Phdr){
            .p_type = PT_LOAD, .p_offset = offset, .p_vaddr = piece->start,
            .p_filesz = piece->end - piece->start, .p_memsz = piece->end - piece->start,
            .p_align = CORE_PAGE,
            .p_flags = (piece->prot & CORE_READ ? PF_R : 0u) |
                       (piece->prot & CORE_WRITE ? PF_W : 0u) |
                       (piece->prot & CORE_EXEC ? PF_X : 0u),
        };
        offset += segment.p_filesz;
        write_segment(writer, core, &segment);
    }
}

static void write_piece(struct writer *writer, const struct core_file *core,
                        const struct core_piece *piece)
{
    uint8_t page[CORE_PAGE] = {0};

    if (piece->is_zero && skip_zeros(writer, piece->end - piece->start))
        return;
    for (uint64_t va = piece->start; va < piece->end; va += CORE_PAGE) {
        if (piece->is_zero || !core->read(core->arg, va, page, sizeof page))
            memset(page, 0, sizeof page);
        write_page(writer, page);
    }
}

static void write_memory(struct writer *writer, const struct core_file *core)
{
    static const uint8_t zero[CORE_PAGE];

    write_bytes(writer, zero, -writer->at % CORE_PAGE);
    for (size_t i = 0; i < core->pieces; i++)
        write_piece(writer, core, &core->piece[i]);
}

static enum err close_writer(struct writer *writer, const char *path, struct diag *diag)
{
    bool is_whole = true;

    if (writer->sink != NULL)
        return sink_close(writer->sink, true, diag);
    if (writer->has_holes)                  /* the last page may be a hole */
        is_whole = fflush(writer->output.file) == 0 &&
                   ftruncate(fileno(writer->output.file), (off_t)writer->at) == 0;
    if (is_whole)
        return output_close(&writer->output, true, diag);
    diag_set(diag, ERR_IO, "%s: %s", path, strerror(errno));
    output_close(&writer->output, false, NULL);
    return ERR_IO;
}

static uint64_t core_bytes(const struct core_file *core)
{
    uint64_t bytes = 1 << 20;               /* headers and notes */

    for (size_t i = 0; i < core->pieces; i++)
        bytes += core->piece[i].end - core->piece[i].start;
    return bytes;
}

enum err core_file_write(const struct core_file *core, const char *path, struct diag *diag)
{
    struct writer writer = {.at = 0};
    struct notes notes;
    enum err err;

    if (core->is_32 && core_bytes(core) > UINT32_MAX)
        return diag_set(diag, ERR_USAGE, "%s: the program's memory is too large for a core file of "
                        "32 bits; a smaller one: --memory", path);
    if (core->pieces + 1 >= PN_XNUM)
        return diag_set(diag, ERR_USAGE, "%s: the program's memory has too many pieces", path);
    err = make_notes(&notes, core, diag);
    if (err == ERR_OK)
        err = is_compressed(path) ? sink_open(&writer.sink, path, diag)
                                  : output_open(&writer.output, path, diag);
    if (err == ERR_OK) {
        writer.has_holes = writer.sink == NULL && writer.output.temporary != NULL;
        write_headers(&writer, core, notes.count);
        write_bytes(&writer, notes.bytes, notes.count);
        write_memory(&writer, core);
        err = close_writer(&writer, path, diag);
    }
    free(notes.bytes);
    return err;
}
