/* Directories in /proc, as they are when they are opened. */
#include "file/proc.h"
#include "syscall/syscall.h"

enum { TYPE_DIRECTORY = 4, TYPE_FILE = 8, TYPE_LINK = 10 };

/* struct linux_dirent64 of a directory; its name has room for each number. */
struct entry {
    uint64_t inode, offset;
    uint16_t bytes;
    uint8_t type;
    char name[DIRECTORY_ENTRY - 19];
};
_Static_assert(sizeof(struct entry) == DIRECTORY_ENTRY, "entries follow each other");

static void add_entry(struct pipe *to, const char *name, uint8_t type)
{
    struct entry entry = {.inode = to->count / sizeof entry + 1, .bytes = sizeof entry,
                          .offset = to->count / sizeof entry + 1, .type = type};
    unsigned i;

    for (i = 0; name[i] != 0; i++)
        entry.name[i] = name[i];
    pipe_put(to, &entry, sizeof entry);
}

static void add_number(struct pipe *to, uint32_t number, uint8_t type)
{
    char digits[12] = "";

    add_entry(to, proc_digits(number, digits + sizeof digits - 1), type);
}

static void add_threads(struct pipe *to, const struct process *process)
{
    const struct list *at;

    for (at = process->threads.next; at != &process->threads; at = at->next)
        add_number(to, container_of(at, struct thread, sibling)->tid, TYPE_DIRECTORY);
}

static void add_processes(struct pipe *to)
{
    struct list *at;

    add_entry(to, "self", TYPE_DIRECTORY);
    for (at = processes.next; at != &processes; at = at->next)
        add_number(to, container_of(at, struct process, link)->pid, TYPE_DIRECTORY);
}

/* The host numbers them. */
static void add_descriptors(struct pipe *to, const struct process *process)
{
    uint64_t bits[FILES_MAX / 64] = {0};
    struct kernel_call call = {.op = KERNEL_OP_DESCRIPTORS, .context = process->context,
                               .argument = {pa_of(bits)}};
    uint32_t fd;

    host_call(&call);
    for (fd = 0; fd < FILES_MAX; fd++)
        if (bits[fd / 64] >> fd % 64 & 1)
            add_number(to, fd, TYPE_LINK);
}

static void add_files(struct pipe *to)
{
    static const char *const names[] = {"cmdline", "comm", "maps", "mounts", "stat", "statm",
                                        "status"};
    unsigned i;

    for (i = 0; i < sizeof names / sizeof names[0]; i++)
        add_entry(to, names[i], TYPE_FILE);
    add_entry(to, "fd", TYPE_DIRECTORY);
    add_entry(to, "task", TYPE_DIRECTORY);
}

struct file *proc_directory(const struct proc_subject *subject, struct process *process)
{
    struct file *file = pipe_text(FILE_DIRECTORY);
    struct pipe *to = file != NULL ? file->pipe[PIPE_READS] : NULL;

    if (file == NULL)
        return NULL;
    file->subject = *subject;
    add_entry(to, ".", TYPE_DIRECTORY);
    add_entry(to, "..", TYPE_DIRECTORY);
    switch (subject->what) {
    case PROC_TASKS: add_threads(to, process); break;
    case PROC_FDS: add_descriptors(to, process); break;
    case PROC_ALL: add_processes(to); break;
    default:
        if (process != NULL)
            add_files(to);
        break;
    }
    if (subject->what == PROC_SELF && process != NULL) {
        file->process = process;        /* pidfd_send_signal takes it, too */
        list_add(&process->watchers, &file->of_process);
    }
    return file;
}

/* Whole entries of a directory. */
int64_t sys_getdents64(struct thread *thread, const uint64_t arg[6])
{
    struct file *file = files_own(thread->process->files, arg[0]);
    uint64_t bytes = (uint32_t)arg[2] / DIRECTORY_ENTRY * DIRECTORY_ENTRY;

    if (file == NULL)
        return syscall_forward(thread, 61, arg);
    if (file->kind != FILE_DIRECTORY)
        return -ENOTDIR;
    return bytes == 0 ? -EINVAL : pipe_take(file->pipe[PIPE_READS], arg[1], bytes, false);
}
