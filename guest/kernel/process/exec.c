/* Programs: the first one, whose image the machine has loaded, and those of execve, whose pages
 * come from their file when touched. Source: RISC-V ELF psABI 1.0; Linux fs/binfmt_elf. */
#include "process/limit.h"
#include "process/process.h"
#include "process/script.h"
#include "profile/section.h"
#include "syscall/syscall.h"

#define PIE_BASE UINT64_C(0x10000000)
enum { STRING_PAGES = 64, PT_LOAD = 1, PT_INTERP = 3, PT_PHDR = 6, ET_DYN = 3, PATH_BYTES = 256 };

struct elf_header {
    uint8_t ident[16];
    uint16_t type, machine;
    uint32_t version;
    uint64_t entry, phoff, shoff;
    uint32_t flags;
    uint16_t ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
};
struct elf_segment { uint32_t type, flags; uint64_t offset, vaddr, paddr, filesz, memsz, align; };

/* Path of the program, arguments, environment, each with its 0, over pages. */
struct strings { uint64_t page[STRING_PAGES], start, bytes, argc, envc; };

struct program {
    uint64_t entry, phdr, phnum, base, end, interpreter_base, start;
    int64_t handle;
    char interpreter[PATH_BYTES];
};

static uint8_t *byte_at(const struct strings *strings, uint64_t i)
{
    i += strings->start;
    return (uint8_t *)at_pa(strings->page[i / PAGE_BYTES]) + i % PAGE_BYTES;
}

/* ---- the stack ------------------------------------------------------------------------------- */

struct writer { struct space *space; uint64_t at; bool is_bad; };

static void put(struct writer *writer, uint64_t word)
{
    writer->is_bad |= !user_write_in(writer->space, writer->at, &word, sizeof word);
    writer->at += sizeof word;
}

/* Pointers to the next `count` strings; *i moves on. */
static void put_pointers(struct writer *writer, const struct strings *strings, uint64_t *i,
                         uint64_t va, uint64_t count)
{
    for (; count > 0; count--) {
        put(writer, va + *i);
        while (*byte_at(strings, *i) != 0)
            ++*i;
        ++*i;
    }
    put(writer, 0);
}

static uint64_t next_random(void)
{
    static uint64_t drawn;
    uint64_t z = boot->seed + (drawn += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void put_vector(struct writer *writer, const struct program *program, uint64_t random_va,
                       uint64_t path_va)
{
    enum { HWCAP = 16, PAGESZ = 6, CLKTCK = 17, PHDR = 3, PHENT = 4, PHNUM = 5, BASE = 7,
           FLAGS = 8, ENTRY = 9, UID = 11, EUID = 12, GID = 13, EGID = 14, SECURE = 23,
           RANDOM = 25, MINSIGSTKSZ = 51, EXECFN = 31, USER = 1000, END = 0 };
    const uint64_t vector[][2] = {
        {HWCAP, boot->hwcap}, {PAGESZ, PAGE_BYTES}, {CLKTCK, 100}, {PHDR, program->phdr},
        {PHENT, 56}, {PHNUM, program->phnum}, {BASE, program->interpreter_base}, {FLAGS, 0},
        {ENTRY, program->entry}, {UID, USER}, {EUID, USER}, {GID, USER}, {EGID, USER},
        {SECURE, 0}, {RANDOM, random_va}, {MINSIGSTKSZ, 2048}, {EXECFN, path_va}, {END, 0},
    };
    size_t i;

    writer->space->vector = writer->at;
    for (i = 0; i < sizeof vector / sizeof vector[0]; i++) {
        put(writer, vector[i][0]);
        put(writer, vector[i][1]);
    }
}

/* Returns sp; 0: no memory. */
static uint64_t build_stack(struct space *space, const struct program *program,
                            const struct strings *strings)
{
    uint64_t strings_va = (STACK_TOP - strings->bytes) & ~UINT64_C(15), random_va, sp, i = 0;
    uint64_t words = strings->argc + strings->envc + 3 + 2 * 18, done, part;
    struct writer writer = {space, strings_va - 16, false};

    random_va = writer.at;
    put(&writer, next_random());
    put(&writer, next_random());
    for (done = 0; done < strings->bytes; done += part) {
        part = PAGE_BYTES - (strings->start + done) % PAGE_BYTES;
        part = part < strings->bytes - done ? part : strings->bytes - done;
        writer.is_bad |= !user_write_in(space, strings_va + done, byte_at(strings, done), part);
    }
    sp = (random_va - words * sizeof(uint64_t)) & ~UINT64_C(15);
    writer.at = sp;
    put(&writer, strings->argc);
    while (*byte_at(strings, i++) != 0) {
    }
    space->args_va = strings_va + i;
    put_pointers(&writer, strings, &i, strings_va, strings->argc);
    space->args_end = strings_va + i;
    put_pointers(&writer, strings, &i, strings_va, strings->envc);
    put_vector(&writer, program, random_va, strings_va);
    return writer.is_bad ? 0 : sp;
}

/* ---- segments from a file -------------------------------------------------------------------- */

static uint32_t prot_of(uint32_t flags)
{
    return (flags & 4 ? PROT_READ : 0u) | (flags & 2 ? PROT_WRITE : 0u) |
           (flags & 1 ? PROT_EXEC : 0u);
}

/* The file's part, then zeros. */
static int map_segment(struct space *space, struct object *object, const struct elf_segment *elf,
                       uint64_t bias)
{
    uint64_t va = elf->vaddr + bias, file_end = va + elf->filesz, end = page_up(va + elf->memsz);
    struct region region = {.start = page_of(va), .end = page_up(file_end),
                            .prot = prot_of(elf->flags), .object = object,
                            .offset = page_of(elf->offset), .flags = REGION_RESERVE};
    int err = 0;

    if (end > MAP_END || va < USER_START || elf->filesz > elf->memsz)
        return -ENOEXEC;
    if (elf->filesz != 0)
        err = space_map(space, &region);
    else
        region.end = region.start;
    if (err == 0 && elf->memsz > elf->filesz && (file_end & PAGE_MASK) != 0 && elf->filesz != 0) {
        void *tail = user_page(space, file_end, PROT_WRITE);

        if (tail == NULL)
            return -ENOEXEC;
        memset(tail, 0, PAGE_BYTES - (file_end & PAGE_MASK));
    }
    region.start = region.end;
    region.end = end;
    region.object = NULL;
    region.flags = 0;
    return err == 0 && region.start < region.end ? space_map(space, &region) : err;
}

static bool is_good(const struct elf_header *elf)
{
    return elf->ident[0] == 0x7f && elf->ident[1] == 'E' && elf->ident[2] == 'L' &&
           elf->ident[3] == 'F' && elf->ident[4] == 2 && elf->machine == 243 &&
           elf->phentsize == sizeof(struct elf_segment) &&
           elf->phoff + elf->phnum * sizeof(struct elf_segment) <= PAGE_BYTES;
}

static void take_interpreter(struct program *program, const struct elf_segment *segment,
                             const uint8_t *head)
{
    if (segment->offset + segment->filesz <= PAGE_BYTES && segment->filesz < PATH_BYTES)
        memcpy(program->interpreter, head + segment->offset, segment->filesz);
}

static int load_segments(struct space *space, struct object *object, const uint8_t *head,
                         struct program *program, bool is_interpreter)
{
    const struct elf_header *elf = (const void *)head;
    const struct elf_segment *segment = (const void *)(head + elf->phoff);
    uint64_t bias = 0, top = 0;
    unsigned i;
    int err = 0;

    for (i = 0; i < elf->phnum; i++)
        if (segment[i].type == PT_LOAD && segment[i].vaddr + segment[i].memsz > top)
            top = page_up(segment[i].vaddr + segment[i].memsz);
    if (elf->type == ET_DYN)
        bias = is_interpreter ? space_gap(space, top) : PIE_BASE;
    for (i = 0; i < elf->phnum && err == 0; i++) {
        if (segment[i].type == PT_LOAD && segment[i].memsz != 0)
            err = map_segment(space, object, &segment[i], bias);
        if (segment[i].type == PT_LOAD && segment[i].offset <= elf->phoff &&
            elf->phoff < segment[i].offset + segment[i].filesz)
            program->phdr = segment[i].vaddr + bias + (elf->phoff - segment[i].offset);
        if (segment[i].type == PT_INTERP)
            take_interpreter(program, &segment[i], head);
    }
    program->entry = elf->entry + bias;
    program->phnum = elf->phnum;
    program->base = bias;
    program->end = top + bias;
    return err;
}

/* From here on the object owns the handle. */
static int load_file(struct space *space, int64_t handle, struct program *program,
                     bool is_interpreter)
{
    struct object *object = object_new(handle);
    enum fault fault;
    uint64_t pa;
    int err = -ENOEXEC;

    if (object == NULL)
        return -ENOMEM;
    object->users++;
    pa = object_page(object, 0, &fault);
    if (pa != 0 && is_good(at_pa(pa)))
        err = load_segments(space, object, at_pa(pa), program, is_interpreter);
    if (err == 0)
        host_simple(KERNEL_OP_PLACED, (uint64_t)handle, program->base, 0, 0);
    object_drop(object);
    return err;
}

/* ---- state that every program starts with ---------------------------------------------------- */

static int load_interpreter(struct space *space, struct program *program)
{
    struct program interpreter = {0};
    int64_t handle;
    int err;

    program->start = program->entry;
    if (program->interpreter[0] == 0)
        return 0;
    handle = host_simple(KERNEL_OP_OPEN_KERNEL, pa_of(program->interpreter), 0, 0, 0);
    if (handle < 0)
        return (int)handle;
    err = load_file(space, handle, &interpreter, true);
    program->interpreter_base = interpreter.base;
    program->start = interpreter.entry;
    return err;
}

static int add_common(const struct process *process, struct space *space,
                      const struct program *program)
{
    extern const uint32_t signal_trampoline[];
    static const struct kernel_segment code = {TRAMPOLINE, PAGE_BYTES, PROT_READ | PROT_EXEC, 0};
    static uint64_t trampoline_pa;
    uint64_t *entry;
    struct region stack = {.start = STACK_TOP - STACK_SPACE, .end = STACK_TOP,
                           .flags = REGION_RESERVE | REGION_STACK,
                           .prot = PROT_READ | PROT_WRITE | (boot->exec_stack ? PROT_EXEC : 0u)};

    if (trampoline_pa == 0) {
        trampoline_pa = frame_new();
        if (trampoline_pa == 0)
            return -ENOMEM;
        memcpy(at_pa(trampoline_pa), signal_trampoline, 8);
        if (boot->probes != 0)
            probes_fill_page(trampoline_pa);
    }
    entry = page_entry(space->root, TRAMPOLINE, true);
    if (entry == NULL)
        return -ENOMEM;
    frame_share(trampoline_pa);
    page_set(entry, page_bits(trampoline_pa, PROT_READ | PROT_EXEC));
    space->brk_start = space->brk = program->end;
    space->stack_limit = limit_of_stack(process);
    if (space_load(space, &code, 0) != 0)
        return -ENOMEM;
    return space_map(space, &stack);
}

static void set_name(struct thread *thread, const struct strings *strings)
{
    uint64_t i, from = 0;

    for (i = 0; *byte_at(strings, i) != 0; i++)
        if (*byte_at(strings, i) == '/')
            from = i + 1;
    memset(thread->name, 0, sizeof thread->name);
    for (i = 0; i + 1 < sizeof thread->name && *byte_at(strings, from + i) != 0; i++)
        thread->name[i] = (char)*byte_at(strings, from + i);
}

static void set_registers(struct thread *thread, const struct program *program, uint64_t sp)
{
    memset(thread->frame, 0, sizeof *thread->frame);
    thread->frame->reg[REG_PC] = program->start;
    thread->frame->reg[REG_SP] = sp;
    memset(thread->fp, 0, sizeof thread->fp);
}

/* ---- the first program ----------------------------------------------------------------------- */

void exec_first(struct thread *thread)
{
    struct program program = {.entry = boot->entry, .phdr = boot->phdr_va,
                              .phnum = boot->phdr_count};
    struct strings strings = {.start = sizeof *boot, .bytes = boot->strings_bytes,
                              .argc = boot->argc, .envc = boot->envc};
    struct space *space = space_of_image();
    uint64_t sp, i;
    int err = space == NULL ? -ENOMEM : 0;

    for (i = 0; i < STRING_PAGES; i++)
        strings.page[i] = KERNEL_BOOT_PA + i * PAGE_BYTES;
    for (i = 0; i < boot->segments && err == 0; i++) {
        const struct kernel_segment *segment = &boot->segment[i];

        err = space_load(space, segment, REGION_IMAGE);
        program.end = page_up(segment->va + segment->bytes);
    }
    if (err == 0 && boot->interpreter_va != 0)
        for (i = 0; i + 1 < PATH_BYTES; i++) {
            const char *at = user_page(space, boot->interpreter_va + i, PROT_READ);

            program.interpreter[i] = at != NULL ? *at : 0;
            if (program.interpreter[i] == 0)
                break;
        }
    err = err == 0 ? load_interpreter(space, &program) : err;
    err = err == 0 ? add_common(thread->process, space, &program) : err;
    sp = err == 0 ? build_stack(space, &program, &strings) : 0;
    if (sp == 0)
        panic(err == -ENOENT ? "the program's interpreter is not below --root"
                             : "the program does not fit into memory");
    thread->process->space = space;
    set_name(thread, &strings);
    set_registers(thread, &program, sp);
}

/* ---- execve ---------------------------------------------------------------------------------- */

static bool add_byte(struct strings *strings, char value)
{
    uint64_t page = strings->bytes / PAGE_BYTES;

    if (page >= STRING_PAGES)
        return false;
    if (strings->page[page] == 0)
        strings->page[page] = frame_new_dirty();
    if (strings->page[page] == 0)
        return false;
    *byte_at(strings, strings->bytes++) = (uint8_t)value;
    return true;
}

static int add_string(struct strings *strings, uint64_t va)
{
    for (;; va++) {
        const char *at = user_page(current()->process->space, va, PROT_READ);

        if (at == NULL)
            return -EFAULT;
        if (!add_byte(strings, *at))
            return -E2BIG;
        if (*at == 0)
            return 0;
    }
}

static int add_vector(struct strings *strings, uint64_t va, uint64_t *count)
{
    uint64_t pointer;
    int err = 0;

    for (; va != 0 && err == 0; va += sizeof pointer) {
        if (!user_read(va, &pointer, sizeof pointer))
            return -EFAULT;
        if (pointer == 0)
            break;
        err = add_string(strings, pointer);
        ++*count;
    }
    return err;
}

static void free_strings(struct strings *strings)
{
    unsigned i;

    for (i = 0; i < STRING_PAGES; i++)
        if (strings->page[i] != 0)
            frame_free(strings->page[i]);
}

/* Past the point of no return: the old program goes. */
static void become(struct thread *thread, struct space *space, const struct program *program,
                   uint64_t sp, const struct strings *strings)
{
    struct process *process = thread->process;
    struct space *old = process->space;
    unsigned i;

    process->has_executed = true;
    process_kill_others(process);
    process->program = (uint32_t)host_simple(KERNEL_OP_EXEC, (uint64_t)program->handle, 0, 0, 0);
    space_set_program(space, process->program);
    if (thread->vfork_waiter != NULL)
        thread_wake(thread->vfork_waiter, WAKE_EVENT);
    thread->vfork_waiter = NULL;
    process->space = space;
    words_forget(thread);
    space_use(space);
    space_drop(old);
    for (i = 1; i <= SIGNALS; i++)
        if (process->action[i].handler != 1)
            process->action[i] = (struct signal_action){0};
    thread->signals.stack_bytes = 0;
    thread->signals.stack_flags = 2;
    thread->clear_tid = thread->robust_list = 0;
    files_exec(process->files);
    set_name(thread, strings);
    set_registers(thread, program, sp);
    csr_clear(sstatus, 3 << 13);
    csr_set(sstatus, 3 << 13);
    fp_restore(thread->fp);
}

static int64_t load_program(struct thread *thread, struct strings *strings, int64_t handle)
{
    struct program program = {0};
    struct space *space = space_new();
    uint64_t sp;
    int err;

    if (space == NULL)
        return -ENOMEM;
    program.handle = handle;
    err = load_file(space, handle, &program, false);
    err = err == 0 ? load_interpreter(space, &program) : err;
    err = err == 0 ? add_common(thread->process, space, &program) : err;
    sp = err == 0 ? build_stack(space, &program, strings) : 0;
    if (sp == 0 || thread->process->is_exiting) {
        space_drop(space);
        return err != 0 ? err : sp == 0 ? -ENOMEM : -EAGAIN;
    }
    become(thread, space, &program, sp, strings);
    return 0;
}

static int add_text(struct strings *strings, const char *text)
{
    do
        if (!add_byte(strings, *text))
            return -E2BIG;
    while (*text++ != 0);
    strings->argc++;
    return 0;
}

/* Interpreter, its argument and the script's path are the first arguments, instead of argv[0].
 * Returns the interpreter's handle, or -errno. */
static int64_t open_interpreter(const struct script *script, uint64_t path_va, uint64_t *argv_va,
                                struct strings *strings)
{
    uint64_t first;
    int err = add_text(strings, script->interpreter);

    err = err == 0 && script->argument != NULL ? add_text(strings, script->argument) : err;
    err = err == 0 ? add_string(strings, path_va) : err;
    strings->argc++;
    if (user_read(*argv_va, &first, sizeof first) && first != 0)
        *argv_va += sizeof first;
    return err != 0 ? err : host_simple(KERNEL_OP_OPEN_KERNEL, pa_of(script->interpreter), 0, 0, 0);
}

/* The handle of the program that runs, or -errno; of a script, the strings have its arguments. */
static int64_t open_program(struct thread *thread, uint64_t path_va, uint64_t *argv_va,
                            struct strings *strings)
{
    struct kernel_call call = {.op = KERNEL_OP_OPEN_EXEC, .argument = {path_va}};
    struct script script;
    int64_t handle = syscall_host(thread, &call);
    int64_t is_script = handle > 0 ? script_read(handle, &script) : 0;

    if (is_script == 0)
        return handle;
    host_simple(KERNEL_OP_CLOSE_HANDLE, (uint64_t)handle, 0, 0, 0);
    return is_script < 0 ? is_script : open_interpreter(&script, path_va, argv_va, strings);
}

int64_t exec_program(uint64_t path_va, uint64_t argv_va, uint64_t env_va)
{
    struct strings strings = {0};
    int64_t err = add_string(&strings, path_va), handle = 0;

    if (err == 0)
        err = handle = open_program(current(), path_va, &argv_va, &strings);
    err = err > 0 ? add_vector(&strings, argv_va, &strings.argc) : err;
    err = err == 0 ? add_vector(&strings, env_va, &strings.envc) : err;
    if (err == 0)
        err = load_program(current(), &strings, handle);
    else if (handle > 0)
        host_simple(KERNEL_OP_CLOSE_HANDLE, (uint64_t)handle, 0, 0, 0);
    free_strings(&strings);
    return err;
}
