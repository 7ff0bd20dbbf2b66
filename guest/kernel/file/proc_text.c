/* The text of files in /proc about a process, a thread or the machine. A field that the kernel does
 * not keep is 0 in stat, none in status. Source: proc_pid_stat(5), proc_pid_status(5),
 * proc_pid_maps(5), proc_pid_statm(5), proc_cpuinfo(5), proc_meminfo(5). */
#include "file/proc.h"

static void put_text(struct pipe *to, const char *text)
{
    uint32_t bytes = 0;

    while (text[bytes] != 0)
        bytes++;
    pipe_put(to, text, bytes);
}

char *proc_digits(uint64_t value, char *end)
{
    do
        *--end = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    return end;
}

static void put_number(struct pipe *to, int64_t value)
{
    char digits[24] = "", *at;

    at = proc_digits(value < 0 ? -(uint64_t)value : (uint64_t)value, digits + sizeof digits - 1);
    if (value < 0)
        *--at = '-';
    put_text(to, at);
}

/* Pages of its regions; is_there: those that were touched. */
static uint64_t pages_of(const struct process *process, bool is_there)
{
    uint64_t pages = 0, va;
    struct list *at;

    if (process->space == NULL)
        return 0;
    for (at = process->space->regions.next; at != &process->space->regions; at = at->next) {
        const struct region *region = container_of(at, struct region, link);

        if (!is_there)
            pages += (region->end - region->start) / PAGE_BYTES;
        for (va = region->start; is_there && va < region->end; va += PAGE_BYTES) {
            const uint64_t *entry = page_entry(process->space->root, va, false);

            pages += entry != NULL && (*entry & PTE_V) != 0;
        }
    }
    return pages;
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
    default: return thread->heard == HEARS_ALL ? "S" : "D";
    }
}

static int64_t hundredths_of(uint64_t ticks)
{
    return (int64_t)(ticks_to_ns(ticks) / 10000000);
}

static void put_fields(struct pipe *to, const struct process *process,
                       const struct thread *thread)
{
    enum { PARENT = 4, GROUP, SESSION, TERMINAL_GROUP = 8, USER_TIME = 14, KERNEL_TIME,
           CHILD_USER_TIME, CHILD_KERNEL_TIME, PRIORITY, NICE, THREADS, BYTES = 23, PAGES,
           HART = 39, RT_PRIORITY, POLICY, FIELDS = 52 };
    uint64_t user = process_user_ticks(process), child_user = process->child_user_ticks;
    int64_t value[FIELDS + 1] = {
        [PARENT] = process->parent != NULL ? process->parent->pid : 1,
        [GROUP] = process->group, [SESSION] = process->session, [TERMINAL_GROUP] = -1,
        [USER_TIME] = hundredths_of(user),
        [KERNEL_TIME] = hundredths_of(process_busy_ticks(process) - user),
        [CHILD_USER_TIME] = hundredths_of(child_user),
        [CHILD_KERNEL_TIME] = hundredths_of(process->child_ticks - child_user),
        [THREADS] = process->thread_count,
        [BYTES] = (int64_t)(PAGE_BYTES * pages_of(process, false)),
        [PAGES] = (int64_t)pages_of(process, true),
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
        put_text(to, " ");
        put_number(to, value[i]);
    }
    put_text(to, "\n");
}

static void put_name(struct pipe *to, const struct thread *thread, const char *end)
{
    put_text(to, thread != NULL ? thread->name : "");
    put_text(to, end);
}

static void put_stat(struct pipe *to, uint32_t id, const struct process *process,
                     const struct thread *thread)
{
    put_number(to, id);
    put_text(to, " (");
    put_name(to, thread, ") ");
    put_text(to, state_of(thread));
    put_fields(to, process, thread);
}

/* Of INIT_PID, of which only this is known. */
static void put_stat_of_init(struct pipe *to)
{
    enum { TERMINAL = 7, FIELDS = 52 };
    unsigned i;

    put_text(to, "1 (init) S 0 1 1");
    for (i = TERMINAL; i <= FIELDS; i++)
        put_text(to, " 0");
    put_text(to, "\n");
}

static void put_row(struct pipe *to, const char *name, int64_t value)
{
    put_text(to, name);
    put_text(to, ":\t");
    put_number(to, value);
    put_text(to, "\n");
}

static void put_bytes(struct pipe *to, const char *name, uint64_t bytes)
{
    put_text(to, name);
    put_text(to, ":\t");
    put_number(to, (int64_t)(bytes / 1024));
    put_text(to, " kB\n");
}

static void put_status(struct pipe *to, uint32_t id, const struct process *process,
                       const struct thread *thread)
{
    static const char *const word[] = {"R (running)", "S (sleeping)", "D (disk sleep)",
                                       "T (stopped)", "Z (zombie)", "X (dead)"};
    const char *state = state_of(thread);
    unsigned i;

    for (i = 0; word[i][0] != state[0]; i++)
        ;
    put_text(to, "Name:\t");
    put_name(to, thread, "\nState:\t");
    put_text(to, word[i]);
    put_text(to, "\n");
    put_row(to, "Tgid", process->pid);
    put_row(to, "Pid", id);
    put_row(to, "PPid", process->parent != NULL ? process->parent->pid : 1);
    put_row(to, "Threads", process->thread_count);
    put_bytes(to, "VmSize", PAGE_BYTES * pages_of(process, false));
    put_bytes(to, "VmRSS", PAGE_BYTES * pages_of(process, true));
}

static void put_statm(struct pipe *to, const struct process *process)
{
    put_number(to, (int64_t)pages_of(process, false));
    put_text(to, " ");
    put_number(to, (int64_t)pages_of(process, true));
    put_text(to, " 0 0 0 0 0\n");
}

/* ---- address spaces -------------------------------------------------------------------------- */

static void put_cmdline(struct pipe *to, const struct process *process)
{
    struct space *space = process->space;
    uint64_t va = space != NULL ? space->args_va : 0, end = space != NULL ? space->args_end : 0;

    for (; va < end; va++) {
        const char *at = user_page(space, va, PROT_READ);

        if (at == NULL || !pipe_put(to, at, 1))
            return;
    }
}

static void put_hex(struct pipe *to, uint64_t value, unsigned least)
{
    char digits[17] = "", *at = digits + sizeof digits - 1;

    for (; value != 0 || least > 0; value >>= 4, least -= least > 0)
        *--at = "0123456789abcdef"[value & 15];
    put_text(to, at);
}

static void put_image(struct pipe *to, const struct process *process)
{
    char path[256] = "";
    struct kernel_call call = {.op = KERNEL_OP_EXE_PATH, .context = process->context,
                               .argument = {pa_of(path), sizeof path}};

    host_call(&call);
    put_text(to, path);
}

static void put_label(struct pipe *to, const struct process *process, const struct region *region)
{
    char path[256] = "";
    const struct space *space = process->space;
    const struct object *object = region->object;

    if (object != NULL && object->handle > 0 &&
        host_simple(KERNEL_OP_HANDLE_PATH, (uint64_t)object->handle, pa_of(path), sizeof path - 1,
                    0) > 0)
        put_text(to, path);
    else if (region->flags & REGION_IMAGE)
        put_image(to, process);
    else if (region->flags & REGION_STACK)
        put_text(to, "[stack]");
    else if (object == NULL && region->start < page_up(space->brk) &&
             region->end > space->brk_start && region->prot == (PROT_READ | PROT_WRITE))
        put_text(to, "[heap]");
}

static void put_maps(struct pipe *to, const struct process *process)
{
    const struct space *space = process->space;
    struct list *at;

    if (space == NULL)
        return;
    for (at = space->regions.next; at != &space->regions; at = at->next) {
        const struct region *region = container_of(at, struct region, link);
        bool has_file = region->object != NULL || (region->flags & REGION_IMAGE);
        char rights[] = " rwxp ";

        rights[1] = region->prot & PROT_READ ? 'r' : '-';
        rights[2] = region->prot & PROT_WRITE ? 'w' : '-';
        rights[3] = region->prot & PROT_EXEC ? 'x' : '-';
        rights[4] = region->flags & REGION_SHARED ? 's' : 'p';
        put_hex(to, region->start, 8);
        put_text(to, "-");
        put_hex(to, region->end, 8);
        put_text(to, rights);
        put_hex(to, has_file ? region->offset : 0, 8);
        put_text(to, " 00:00 0                          ");
        put_label(to, process, region);
        put_text(to, "\n");
    }
}

/* ---- the machine ----------------------------------------------------------------------------- */

static void put_cpus(struct pipe *to)
{
    put_text(to, "0");
    if (boot->harts > 1) {
        put_text(to, "-");
        put_number(to, (int64_t)boot->harts - 1);
    }
    put_text(to, "\n");
}

static void put_cpuinfo(struct pipe *to)
{
    uint64_t i;

    for (i = 0; i < boot->harts; i++) {
        put_row(to, "processor", (int64_t)i);
        put_row(to, "hart", (int64_t)i);
        put_text(to, "isa\t: rv64imafdc\nmmu\t: sv39\n\n");
    }
}

static void put_meminfo(struct pipe *to)
{
    uint64_t left = frames_left() * PAGE_BYTES;

    put_bytes(to, "MemTotal", boot->memory_end - boot->memory_pa);
    put_bytes(to, "MemFree", left);
    put_bytes(to, "MemAvailable", left);
}

static void put_hundredths(struct pipe *to, uint64_t ns, const char *end)
{
    uint64_t hundredths = ns / 10000000;

    put_number(to, (int64_t)(hundredths / 100));
    put_text(to, hundredths % 100 < 10 ? ".0" : ".");
    put_number(to, (int64_t)(hundredths % 100));
    put_text(to, end);
}

static void put_uptime(struct pipe *to)
{
    uint64_t ns = ticks_to_ns(now()), busy = 0;
    struct list *at;

    for (at = processes.next; at != &processes; at = at->next)
        busy += process_busy_ticks(container_of(at, struct process, link));
    busy = ticks_to_ns(busy);
    put_hundredths(to, ns, " ");
    put_hundredths(to, ns * boot->harts > busy ? ns * boot->harts - busy : 0, "\n");
}

/* Names are those that uname has. */
static const char *setting(enum proc_what what)
{
    switch (what) {
    case PROC_PID_MAX: return "4194304\n";
    case PROC_CORE_PATTERN: return "core\n";
    case PROC_OSTYPE: return "Linux\n";
    case PROC_OSRELEASE: return "6.6.0\n";
    case PROC_HOSTNAME: return "rvsim\n";
    case PROC_NR_OPEN: return "16384\n";
    case PROC_PIPE_MAX: return "262144\n";
    case PROC_PIPE_PAGES: return "16384\n";
    default: return "0\n";
    }
}

struct file *proc_text(const struct proc_subject *subject, const struct process *process,
                       const struct thread *thread)
{
    struct file *file = pipe_text(FILE_TEXT);
    struct pipe *to = file != NULL ? file->pipe[PIPE_READS] : NULL;

    if (file == NULL)
        return NULL;
    file->subject = *subject;
    switch (subject->what) {
    case PROC_STAT:
        if (process == NULL)
            put_stat_of_init(to);
        else
            put_stat(to, subject->thread, process, thread);
        break;
    case PROC_STATUS: put_status(to, subject->thread, process, thread); break;
    case PROC_COMM: put_name(to, thread, "\n"); break;
    case PROC_STATM: put_statm(to, process); break;
    case PROC_CMDLINE: put_cmdline(to, process); break;
    case PROC_MAPS: put_maps(to, process); break;
    case PROC_MOUNTS: put_text(to, "root / rootfs rw 0 0\n"); break;
    case PROC_CPUS: put_cpus(to); break;
    case PROC_CPUINFO: put_cpuinfo(to); break;
    case PROC_MEMINFO: put_meminfo(to); break;
    case PROC_TRACING: put_text(to, records_are_on() ? "1\n" : "0\n"); break;
    case PROC_UPTIME: put_uptime(to); break;
    default: put_text(to, setting(subject->what)); break;
    }
    return file;
}
