/* /proc/NUMBER/stat and /proc/self/stat: a process or a thread as a line of text, in a pipe without
 * a writer. What the kernel does not keep is 0. Source: proc_pid_stat(5). */
#include "process.h"
#include "syscall.h"

enum { PATH_BYTES = 32, LINE_BYTES = 512, FIELDS = 52, O_ACCMODE = 3 };

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

static int64_t open_stat(struct thread *opener, uint32_t id, bool is_cloexec)
{
    const struct thread *thread = thread_find(id);
    const struct process *process = thread != NULL ? thread->process : process_find(id);
    struct line line = {.used = 0};

    if (process == NULL)
        return -ENOENT;
    put_number(&line, id);
    put_text(&line, " (");
    put_text(&line, thread != NULL ? thread->name : "");
    put_text(&line, ") ");
    put_text(&line, state_of(thread));
    put_fields(&line, process, thread);
    return pipe_open_text(opener, line.text, line.used, is_cloexec);
}

/* The part of the path after this start; NULL: it starts otherwise. */
static const char *after(const char *path, const char *start)
{
    for (; *start != 0; start++, path++)
        if (*path != *start)
            return NULL;
    return path;
}

/* 0: another path. */
static uint32_t stat_of(const struct thread *thread, const char *path)
{
    const char *name = after(path, "/proc/"), *rest = name != NULL ? after(name, "self") : NULL;
    uint64_t id = thread->process->pid;

    if (name == NULL)
        return 0;
    if (rest == NULL)
        for (id = 0, rest = name; *rest >= '0' && *rest <= '9' && id < INT32_MAX; rest++)
            id = id * 10 + (uint64_t)(*rest - '0');
    rest = after(rest, "/stat");
    return rest != NULL && *rest == 0 ? (uint32_t)id : 0;
}

int64_t sys_openat(struct thread *thread, const uint64_t arg[6])
{
    char path[PATH_BYTES];
    uint32_t id = user_string(arg[1], path, sizeof path) >= 0 ? stat_of(thread, path) : 0;

    if (id == 0)
        return syscall_forward(thread, 56, arg);
    return (arg[2] & O_ACCMODE) != 0 ? -EACCES : open_stat(thread, id, (arg[2] & O_CLOEXEC) != 0);
}
