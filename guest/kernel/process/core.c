/* The core file of a process that a signal ends: the registers of its threads, its mappings, and
 * the memory in them that is in no file. It has holes where memory is zero, and ends where
 * RLIMIT_CORE says; below a page there is none. Source: core(5), elf(5); Linux fs/binfmt_elf.c. */
#include "process/process.h"
#include "signal/signal_frame.h"

enum { ET_CORE = 4, PT_LOAD = 1, PT_NOTE = 4, USER = 1000, VECTOR_MAX = 64, PATH_BYTES = 256 };
enum { NOTE_STATUS = 1, NOTE_FP = 2, NOTE_PROCESS = 3, NOTE_VECTOR = 6,
       NOTE_SIGNAL = 0x53494749, NOTE_FILES = 0x46494c45 };

struct elf_header {
    uint8_t ident[16];
    uint16_t type, machine;
    uint32_t version;
    uint64_t entry, phoff, shoff;
    uint32_t flags;
    uint16_t ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
};
struct elf_segment { uint32_t type, flags; uint64_t offset, vaddr, paddr, filesz, memsz, align; };
struct elf_note { uint32_t name_bytes, bytes, type; char name[8]; };

/* struct elf_prstatus, struct elf_prpsinfo */
struct status_note {
    int32_t signo, code, err;
    int16_t current, zero;
    uint64_t pending, blocked;
    uint32_t pid, parent, group, session;
    uint64_t times[8], reg[32];
    int32_t has_fp, end;
};
struct process_note {
    char state, name_of_state, is_zombie, nice;
    uint64_t flags;
    uint32_t user, user_group, pid, parent, group, session;
    char name[16], arguments[80];
};
_Static_assert(sizeof(struct status_note) == 376 && sizeof(struct process_note) == 136,
               "as Linux lays them out");

/* Where the next bytes go. handle 0: they are only counted. */
struct core { int64_t handle; uint64_t at; };

static void put(struct core *core, const void *from, uint64_t bytes)
{
    if (core->handle != 0)
        host_simple(KERNEL_OP_WRITE_PAGE, (uint64_t)core->handle, core->at, pa_of(from), bytes);
    core->at += bytes;
}

/* Its contents follow, and zeros up to a multiple of 4 bytes. */
static void put_note(struct core *core, uint32_t type, uint64_t bytes)
{
    const struct elf_note note = {5, (uint32_t)bytes, type, "CORE"};

    put(core, &note, sizeof note);
}

/* ---- notes ----------------------------------------------------------------------------------- */

static void put_registers(struct core *core, const struct thread *thread, int signo)
{
    const struct process *process = thread->process;
    struct status_note note = {
        .signo = signo, .current = (int16_t)signo, .pending = thread->signals.queue.bits,
        .blocked = thread->signals.blocked, .pid = thread->tid,
        .parent = process->parent != NULL ? process->parent->pid : INIT_PID,
        .group = process->group, .session = process->session, .has_fp = 1,
    };

    memcpy(note.reg, thread->frame->reg, sizeof note.reg);
    put_note(core, NOTE_STATUS, sizeof note);
    put(core, &note, sizeof note);
    put_note(core, NOTE_FP, sizeof thread->fp);
    put(core, thread->fp, sizeof thread->fp);
}

static void put_process(struct core *core, const struct thread *thread)
{
    const struct process *process = thread->process;
    const struct space *space = process->space;
    uint64_t bytes = space->args_end - space->args_va, i;
    struct process_note note = {
        .name_of_state = 'R', .user = USER, .user_group = USER, .pid = process->pid,
        .parent = process->parent != NULL ? process->parent->pid : INIT_PID,
        .group = process->group, .session = process->session,
    };

    memcpy(note.name, thread->name, sizeof note.name);
    if (bytes > sizeof note.arguments - 1)
        bytes = sizeof note.arguments - 1;
    if (!user_read(space->args_va, note.arguments, bytes))
        bytes = 0;
    for (i = 0; i + 1 < bytes; i++)
        if (note.arguments[i] == 0)
            note.arguments[i] = ' ';
    put_note(core, NOTE_PROCESS, sizeof note);
    put(core, &note, sizeof note);
}

static void put_vector(struct core *core, const struct space *space)
{
    uint64_t vector[VECTOR_MAX][2], count = 0;

    while (count < VECTOR_MAX &&
           user_read(space->vector + count * sizeof *vector, vector[count], sizeof *vector))
        if (vector[count++][0] == 0)
            break;
    put_note(core, NOTE_VECTOR, count * sizeof *vector);
    put(core, vector, count * sizeof *vector);
}

/* Length of the path with its 0; 0: the region is of no file. */
static uint64_t path_of(const struct region *region, char path[PATH_BYTES])
{
    int64_t length = region->object == NULL || region->object->handle <= 0
                         ? 0 : host_simple(KERNEL_OP_HANDLE_PATH, (uint64_t)region->object->handle,
                                           pa_of(path), PATH_BYTES, 0);

    return length > 0 ? (uint64_t)length + 1 : 0;
}

static void put_files(struct core *core, const struct space *space)
{
    uint64_t word[3] = {0, PAGE_BYTES}, bytes = sizeof(uint64_t[2]);
    const struct list *at;
    char path[PATH_BYTES];

    for (at = space->regions.next; at != &space->regions; at = at->next) {
        uint64_t length = path_of(container_of(at, struct region, link), path);

        bytes += length != 0 ? sizeof word + length : 0;
        word[0] += length != 0;
    }
    put_note(core, NOTE_FILES, bytes);
    put(core, word, sizeof(uint64_t[2]));
    for (at = space->regions.next; at != &space->regions; at = at->next) {
        const struct region *region = container_of(at, struct region, link);

        word[0] = region->start;
        word[1] = region->end;
        word[2] = region->offset / PAGE_BYTES;
        if (path_of(region, path) != 0)
            put(core, word, sizeof word);
    }
    for (at = space->regions.next; at != &space->regions; at = at->next)
        put(core, path, path_of(container_of(at, struct region, link), path));
    core->at = (core->at + 3) & ~UINT64_C(3);
}

/* The thread that the signal met is the first. */
static void put_notes(struct core *core, const struct thread *thread, const struct siginfo *info)
{
    const struct process *process = thread->process;
    const struct list *at;

    put_registers(core, thread, info->signo);
    put_process(core, thread);
    put_note(core, NOTE_SIGNAL, sizeof *info);
    put(core, info, sizeof *info);
    put_vector(core, process->space);
    put_files(core, process->space);
    for (at = process->threads.next; at != &process->threads; at = at->next)
        if (container_of(at, struct thread, sibling) != thread)
            put_registers(core, container_of(at, struct thread, sibling), info->signo);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* The page is not what the file has there. */
static bool is_own(const struct region *region, uint64_t va, uint64_t entry)
{
    const struct object *object = region->object;
    const uint64_t *original = NULL;

    if (object == NULL || object->handle <= 0)
        return true;
    if (region->flags & REGION_SHARED)
        return false;
    original = page_entry(object->root, region->offset + (va - region->start), false);
    return original == NULL || *original >> 10 != entry >> 10;
}

/* It has a page that is in no file: all of it goes into the core file. */
static bool is_kept(const struct space *space, const struct region *region)
{
    const uint64_t *entry;
    uint64_t va = region->start;

    for (; (entry = space_next_page(space, &va, region->end)) != NULL; va += PAGE_BYTES)
        if (is_own(region, va, *entry))
            return true;
    return false;
}

/* Pages that an object has come first: those that nobody touched are zero, or its file's. */
static void put_region(struct core *core, struct space *space, const struct region *region)
{
    uint64_t start = core->at, va;
    const uint64_t *entry;

    for (va = region->start; region->object != NULL && va < region->end; va += PAGE_BYTES)
        user_page(space, va, PROT_READ);
    va = region->start;
    for (; (entry = space_next_page(space, &va, region->end)) != NULL; va += PAGE_BYTES) {
        core->at = start + (va - region->start);
        put(core, at_pa(*entry >> 10 << 12), PAGE_BYTES);
    }
    core->at = start + (region->end - region->start);
}

static void put_segments(struct core *core, const struct space *space, uint64_t notes,
                             uint64_t note_bytes)
{
    struct elf_segment segment = {.type = PT_NOTE, .offset = notes, .filesz = note_bytes,
                                  .align = 4};
    uint64_t end = page_up(notes + note_bytes);
    const struct list *at;

    put(core, &segment, sizeof segment);
    for (at = space->regions.next; at != &space->regions; at = at->next) {
        const struct region *region = container_of(at, struct region, link);
        uint32_t prot = region->prot;

        segment = (struct elf_segment){
            .type = PT_LOAD, .offset = end, .vaddr = region->start,
            .flags = (prot & PROT_READ ? 4u : 0) | (prot & PROT_WRITE ? 2u : 0) |
                     (prot & PROT_EXEC ? 1u : 0),
            .memsz = region->end - region->start, .align = PAGE_BYTES,
        };
        segment.filesz = is_kept(space, region) ? segment.memsz : 0;
        end += segment.filesz;
        put(core, &segment, sizeof segment);
    }
}

/* ---- the file -------------------------------------------------------------------------------- */

static uint64_t regions_of(const struct space *space)
{
    const struct list *at;
    uint64_t count = 0;

    for (at = space->regions.next; at != &space->regions; at = at->next)
        count++;
    return count;
}

static void put_core(struct core *core, const struct thread *thread, const struct siginfo *info,
                     uint64_t note_bytes)
{
    struct space *space = thread->process->space;
    const struct elf_header header = {
        .ident = {0x7f, 'E', 'L', 'F', 2, 1, 1}, .type = ET_CORE, .machine = 243, .version = 1,
        .phoff = sizeof header, .ehsize = sizeof header, .phentsize = sizeof(struct elf_segment),
        .phnum = (uint16_t)(regions_of(space) + 1), .flags = 5,     /* compressed, double floats */
    };
    const struct list *at;

    put(core, &header, sizeof header);
    put_segments(core, space, sizeof header + header.phnum * sizeof(struct elf_segment),
                 note_bytes);
    put_notes(core, thread, info);
    core->at = page_up(core->at);
    for (at = space->regions.next; at != &space->regions; at = at->next)
        if (is_kept(space, container_of(at, struct region, link)))
            put_region(core, space, container_of(at, struct region, link));
}

bool core_write(struct thread *thread, const struct siginfo *info)
{
    static const char path[] = "core";
    uint64_t limit = thread->process->limit[LIMIT_CORE].soft;
    struct core size = {0}, notes = {0}, core = {0};

    if (limit < PAGE_BYTES || regions_of(thread->process->space) >= UINT16_MAX)
        return false;
    process_park_others(thread->process, info->signo);
    fp_keep(thread);
    put_notes(&notes, thread, info);
    put_core(&size, thread, info, notes.at);
    core.handle = host_simple(KERNEL_OP_CREATE, pa_of(path),
                              size.at < limit ? size.at : limit, 0, 0);
    if (core.handle > 0) {
        put_core(&core, thread, info, notes.at);
        host_simple(KERNEL_OP_CLOSE_HANDLE, (uint64_t)core.handle, 0, 0, 0);
    }
    process_unpark_others(thread->process);
    return core.handle > 0;
}
