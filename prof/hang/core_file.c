/* Writes ELF core files; see core_file.h. */
#define _POSIX_C_SOURCE 200809L     /* fileno, ftruncate */
#include "prof/hang/core_file.h"

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

struct timeval_note { int64_t seconds, microseconds; };

struct prstatus {
    int32_t signo, code, err;
    int16_t current_signal, zero;
    uint64_t pending, held;
    int32_t pid, parent, group, session;
    struct timeval_note user, system, child_user, child_system;
    uint64_t reg[32];
    int32_t has_fp, pad;
};

struct prpsinfo {
    char state, state_name, zombie, nice;
    uint32_t pad;
    uint64_t flags;
    uint32_t uid, gid;
    int32_t pid, parent, group, session;
    char name[16], arguments[80];
};

struct fpregset { uint64_t f[32]; uint32_t fcsr, pad; };

_Static_assert(sizeof(struct prstatus) == 376, "struct elf_prstatus of RV64");
_Static_assert(sizeof(struct prpsinfo) == 136, "struct elf_prpsinfo of RV64");

struct notes { char *bytes; size_t count; FILE *out; };

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

static void put_status(struct notes *notes, const struct core_file *core,
                       const struct core_thread *thread)
{
    uint64_t us = thread->run_ns / NS_PER_US;
    struct prstatus status = {
        .signo = thread->signal, .current_signal = (int16_t)thread->signal,
        .pid = (int32_t)thread->tid, .parent = (int32_t)core->parent,
        .group = (int32_t)core->group, .session = (int32_t)core->session, .has_fp = 1,
        .user = {(int64_t)(us / US_PER_S), (int64_t)(us % US_PER_S)},
    };

    memcpy(status.reg, thread->reg, sizeof status.reg);
    put_note(notes, NT_PRSTATUS, &status, sizeof status);
}

static void put_fp(struct notes *notes, const struct core_thread *thread)
{
    struct fpregset set = {.fcsr = (uint32_t)thread->fp[32]};

    memcpy(set.f, thread->fp, sizeof set.f);
    put_note(notes, NT_FPREGSET, &set, sizeof set);
}

static void put_info(struct notes *notes, const struct core_file *core)
{
    struct prpsinfo info = {
        .state_name = 'R', .pid = (int32_t)core->pid, .parent = (int32_t)core->parent,
        .group = (int32_t)core->group, .session = (int32_t)core->session,
    };

    memcpy(info.name, core->name, strnlen(core->name, sizeof info.name - 1));
    memcpy(info.arguments, core->arguments,
           strnlen(core->arguments, sizeof info.arguments - 1));
    put_note(notes, NT_PRPSINFO, &info, sizeof info);
}

/* count, page size, then start, end, offset in pages of each, then the names. */
static void put_files(struct notes *notes, const struct core_file *core)
{
    uint64_t head[2] = {core->mappings, CORE_PAGE};
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    if (out == NULL)
        return;
    fwrite(head, sizeof head, 1, out);
    for (size_t i = 0; i < core->mappings; i++) {
        const struct core_mapped *mapped = &core->mapped[i];
        uint64_t row[3] = {mapped->start, mapped->end, mapped->offset / CORE_PAGE};

        fwrite(row, sizeof row, 1, out);
    }
    for (size_t i = 0; i < core->mappings; i++)
        fwrite(core->mapped[i].path, 1, strlen(core->mapped[i].path) + 1, out);
    if (fclose(out) == 0)
        put_note(notes, NT_FILE, text, bytes);
    free(text);
}

/* gdb takes the notes from one NT_PRSTATUS to the next as a thread's; those of the process follow
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
            put_fp(notes, &core->thread[i]);
    }
    return fclose(notes->out) == 0 ? ERR_OK : diag_no_memory(diag, "a core file");
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Where bytes go: a file that can have holes, or a stream. */
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

static void write_page(struct writer *writer, const uint8_t page[CORE_PAGE])
{
    if (writer->has_holes && is_zero(page) &&
        fseeko(writer->output.file, CORE_PAGE, SEEK_CUR) == 0)
        writer->at += CORE_PAGE;
    else
        write_bytes(writer, page, CORE_PAGE);
}

static void write_headers(struct writer *writer, const struct core_file *core, uint64_t notes)
{
    Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_CORE, .e_machine = EM_RISCV, .e_version = EV_CURRENT,
        .e_phoff = sizeof header, .e_flags = core->flags, .e_ehsize = sizeof header,
        .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = (Elf64_Half)(core->pieces + 1),
    };
    Elf64_Phdr segment = {
        .p_type = PT_NOTE, .p_offset = sizeof header + (core->pieces + 1) * sizeof segment,
        .p_filesz = notes, .p_align = 4,
    };
    uint64_t offset = (segment.p_offset + notes + CORE_PAGE - 1) & ~(uint64_t)(CORE_PAGE - 1);

    write_bytes(writer, &header, sizeof header);
    write_bytes(writer, &segment, sizeof segment);
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
        write_bytes(writer, &segment, sizeof segment);
    }
}

static void write_memory(struct writer *writer, const struct core_file *core)
{
    uint8_t page[CORE_PAGE] = {0};

    write_bytes(writer, page, -writer->at % CORE_PAGE);
    for (size_t i = 0; i < core->pieces; i++)
        for (uint64_t va = core->piece[i].start; va < core->piece[i].end; va += CORE_PAGE) {
            if (!core->read(core->arg, va, page, sizeof page))
                memset(page, 0, sizeof page);
            write_page(writer, page);
        }
}

static enum err close_writer(struct writer *writer, const char *path, struct diag *diag)
{
    bool is_whole = true;

    if (writer->sink != NULL)
        return sink_close(writer->sink, true, diag);
    if (writer->has_holes)                  /* the last page may be one */
        is_whole = fflush(writer->output.file) == 0 &&
                   ftruncate(fileno(writer->output.file), (off_t)writer->at) == 0;
    if (is_whole)
        return output_close(&writer->output, true, diag);
    diag_set(diag, ERR_IO, "%s: %s", path, strerror(errno));
    output_close(&writer->output, false, NULL);
    return ERR_IO;
}

enum err core_file_write(const struct core_file *core, const char *path, struct diag *diag)
{
    struct writer writer = {.at = 0};
    struct notes notes;
    enum err err;

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
