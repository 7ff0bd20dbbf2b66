/* A process or a thread as text, in a pipe without a writer: stat, status and comm in /proc/NUMBER,
 * /proc/self, and for a thread of it in task/NUMBER there. A field that the kernel does not keep
 * is 0 in stat, none in status. Source: proc_pid_stat(5), proc_pid_status(5), proc_pid_task(5). */
#include "process.h"
#include "syscall.h"

enum { PATH_BYTES = 48, LINE_BYTES = 512, FIELDS = 52, O_ACCMODE = 3 };

enum what { STAT, STATUS, COMM, TASKS };
/* A file that a path names. */
struct subject { enum what what; uint32_t process, thread; };      /* 0: no such path */

struct line { char text[LINE_BYTES]; unsigned used; };

static void put_text(struct line *line, const char *text)
{
    for (; *text != 0 && line->used < LINE_BYTES; text++)
        line->text[line->used++] = *text;
}

static void put_number(struct line *line, int64_t value)
{
    char digits[24] = "", *at = digits + sizeof digits - 1;
    uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;

    do
        *--at = (char)('0' + left % 10);
    while ((left /= 10) != 0);
    if (value < 0)
        *--at = '-';
    put_text(line, at);
}

/* NULL: a zombie. */
static const char *state_of(const struct thread *thread)
{
    if (thread == NULL)
        return "Z";
    switch (thread->state) {
    case THREAD_RUNNING:
    case THREAD_READY: return "R";
    case THREAD_STOPPED: return "T";
    case THREAD_DEAD: return "X";
    default: return thread->is_interruptible ? "S" : "D";
    }
}

static void put_fields(struct line *line, const struct process *process,
                       const struct thread *thread)
{
    enum { PARENT = 4, GROUP, SESSION, TERMINAL_GROUP = 8, USER_TIME = 14, CHILD_TIME = 16,
           PRIORITY = 18, NICE, THREADS, HART = 39, RT_PRIORITY, POLICY };
    uint64_t hundredth = 10000000;
    int64_t value[FIELDS + 1] = {
        [PARENT] = process->parent != NULL ? process->parent->pid : 1,
        [GROUP] = process->group, [SESSION] = process->session, [TERMINAL_GROUP] = -1,
        [USER_TIME] = (int64_t)(ticks_to_ns(process_busy_ticks(process)) / hundredth),
        [CHILD_TIME] = (int64_t)(ticks_to_ns(process->child_ticks) / hundredth),
        [THREADS] = process->thread_count,
    };
    unsigned i;

    if (thread != NULL) {
        value[PRIORITY] = thread->priority > 0 ? -1 - thread->priority : 20 + thread->nice;
        value[NICE] = thread->nice;
        value[HART] = thread->hart;
        value[RT_PRIORITY] = thread->priority;
        value[POLICY] = thread->policy;
    }
    for (i = PARENT; i <= FIELDS; i++) {
        put_text(line, " ");
        put_number(line, value[i]);
    }
    put_text(line, "\n");
}

static void put_name(struct line *line, const struct thread *thread, const char *end)
{
    put_text(line, thread != NULL ? thread->name : "");
    put_text(line, end);
}

static void put_stat(struct line *line, uint32_t id, const struct process *process,
                     const struct thread *thread)
{
    put_number(line, id);
    put_text(line, " (");
    put_name(line, thread, ") ");
    put_text(line, state_of(thread));
    put_fields(line, process, thread);
}

static void put_row(struct line *line, const char *name, int64_t value)
{
    put_text(line, name);
    put_text(line, ":\t");
    put_number(line, value);
    put_text(line, "\n");
}

static void put_status(struct line *line, uint32_t id, const struct process *process,
                       const struct thread *thread)
{
    static const char *const word[] = {"R (running)", "S (sleeping)", "D (disk sleep)",
                                       "T (stopped)", "Z (zombie)", "X (dead)"};
    const char *state = state_of(thread);
    unsigned i;

    for (i = 0; word[i][0] != state[0]; i++)
        ;
    put_text(line, "Name:\t");
    put_name(line, thread, "\nState:\t");
    put_text(line, word[i]);
    put_text(line, "\n");
    put_row(line, "Tgid", process->pid);
    put_row(line, "Pid", id);
    put_row(line, "PPid", process->parent != NULL ? process->parent->pid : 1);
    put_row(line, "Threads", process->thread_count);
}

/* struct linux_dirent64 of a directory; its name has room for each number. */
struct entry {
    uint64_t inode, offset;
    uint16_t bytes;
    uint8_t type;
    char name[DIRECTORY_ENTRY - 19];
};
_Static_assert(sizeof(struct entry) == DIRECTORY_ENTRY, "entries follow each other");

static struct entry entry_of(uint32_t tid, uint64_t offset)
{
    enum { DIRECTORY = 4 };
    struct entry entry = {.inode = tid, .offset = offset, .bytes = sizeof entry,
                          .type = DIRECTORY};
    struct line line = {.used = 0};

    put_number(&line, tid);
    memcpy(entry.name, line.text, line.used);
    return entry;
}

/* As many threads as a page has room for. */
static int64_t open_tasks(struct thread *opener, const struct process *process, bool is_cloexec)
{
    struct entry *entry = memory_new(PAGE_BYTES);
    uint32_t count = 0;
    const struct list *at;
    int64_t fd;

    if (entry == NULL)
        return -ENOMEM;
    for (at = process->threads.next; at != &process->threads; at = at->next)
        if (count < PAGE_BYTES / sizeof *entry) {
            entry[count] = entry_of(container_of(at, struct thread, sibling)->tid, count + 1);
            count++;
        }
    fd = pipe_open_text(opener, FILE_DIRECTORY, entry, count * (uint32_t)sizeof *entry,
                        is_cloexec);
    memory_free(entry, PAGE_BYTES);
    return fd;
}

static int64_t open_subject(struct thread *opener, const struct subject *subject, bool is_cloexec)
{
    const struct thread *thread = thread_find(subject->thread);
    const struct process *process = thread != NULL ? thread->process
                                                   : process_find(subject->thread);
    struct line line = {.used = 0};

    if (process == NULL || (subject->process != 0 && process->pid != subject->process))
        return -ENOENT;
    if (subject->what == TASKS)
        return open_tasks(opener, process, is_cloexec);
    if (subject->what == STAT)
        put_stat(&line, subject->thread, process, thread);
    else if (subject->what == STATUS)
        put_status(&line, subject->thread, process, thread);
    else
        put_name(&line, thread, "\n");
    return pipe_open_text(opener, FILE_PIPE_READ, line.text, line.used, is_cloexec);
}

/* The part of the path after this start; NULL: it starts otherwise. */
static const char *after(const char *path, const char *start)
{
    for (; *start != 0; start++, path++)
        if (*path != *start)
            return NULL;
    return path;
}

static const char *after_number(const char *path, uint32_t *number)
{
    uint64_t value = 0;

    for (; *path >= '0' && *path <= '9' && value < INT32_MAX; path++)
        value = value * 10 + (uint64_t)(*path - '0');
    *number = (uint32_t)value;
    return path;
}

/* True if the file has this name. */
static bool is_what(const char *name, enum what *what)
{
    static const char *const names[] = {"/stat", "/status", "/comm", "/task"};
    unsigned i;

    for (i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *rest = after(name, names[i]);

        *what = (enum what)i;
        if (rest != NULL && i == TASKS && *rest == '/')
            rest++;
        if (rest != NULL && *rest == 0)
            return true;
    }
    return false;
}

static struct subject subject_of(const struct thread *thread, const char *path)
{
    const char *name = after(path, "/proc/"), *rest = name != NULL ? after(name, "self") : NULL;
    struct subject subject = {.thread = thread->process->pid}, none = {.thread = 0};
    const char *task;

    if (name == NULL)
        return none;
    if (rest == NULL)
        rest = after_number(name, &subject.thread);
    task = after(rest, "/task/");
    if (task != NULL && *task != 0) {
        subject.process = subject.thread;
        rest = after_number(task, &subject.thread);
    }
    return is_what(rest, &subject.what) ? subject : none;
}

int64_t sys_openat(struct thread *thread, const uint64_t arg[6])
{
    char path[PATH_BYTES];
    struct subject subject = {.thread = 0};

    if (user_string(arg[1], path, sizeof path) >= 0)
        subject = subject_of(thread, path);
    if (subject.thread == 0)
        return syscall_forward(thread, 56, arg);
    return (arg[2] & O_ACCMODE) != 0
               ? -EACCES : open_subject(thread, &subject, (arg[2] & O_CLOEXEC) != 0);
}
