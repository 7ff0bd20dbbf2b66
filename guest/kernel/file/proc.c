/* Files in /proc, and a few in /sys, that the kernel keeps: what a path means, and opening it.
 * Source: proc(5), proc_pid(5), proc_sys_kernel(5), proc_sys_fs(5), proc_sys_vm(5). */
#include "file/proc.h"
#include "syscall/syscall.h"

enum { NAME_BYTES = 64, CALL_OPENAT = 56, CALL_DUP = 23 };

/* The part of the path after this start; NULL: it starts otherwise. */
static const char *after(const char *path, const char *start)
{
    for (; *start != 0; start++, path++)
        if (*path != *start)
            return NULL;
    return path;
}

/* The whole path is this one, perhaps with a slash at the end. */
static bool is_path(const char *path, const char *whole)
{
    const char *rest = after(path, whole);

    return rest != NULL && (rest[0] == 0 || (rest[0] == '/' && rest[1] == 0));
}

static const char *after_number(const char *path, uint32_t *number)
{
    uint64_t value = 0;

    for (; *path >= '0' && *path <= '9' && value < INT32_MAX; path++)
        value = value * 10 + (uint64_t)(*path - '0');
    *number = (uint32_t)value;
    return path;
}

static enum proc_what what_of(const char *name)
{
    static const struct { const char *name; enum proc_what what; } names[] = {
        {"", PROC_SELF}, {"/stat", PROC_STAT}, {"/status", PROC_STATUS}, {"/comm", PROC_COMM},
        {"/statm", PROC_STATM}, {"/cmdline", PROC_CMDLINE}, {"/maps", PROC_MAPS},
        {"/mounts", PROC_MOUNTS}, {"/task", PROC_TASKS}, {"/fd", PROC_FDS},
    };
    unsigned i;

    for (i = 0; i < sizeof names / sizeof names[0]; i++)
        if (is_path(name, names[i].name))
            return names[i].what;
    return PROC_NONE;
}

static enum proc_what machine_what(const char *path)
{
    static const struct { const char *path; enum proc_what what; } paths[] = {
        {"/proc", PROC_ALL}, {"/proc/cpuinfo", PROC_CPUINFO}, {"/proc/meminfo", PROC_MEMINFO},
        {"/proc/mounts", PROC_MOUNTS}, {"/proc/uptime", PROC_UPTIME},
        {"/sys/devices/system/cpu/online", PROC_CPUS},
        {"/sys/devices/system/cpu/possible", PROC_CPUS},
        {"/sys/devices/system/cpu/present", PROC_CPUS},
        {"/sys/kernel/tracing/tracing_on", PROC_TRACING},
        {"/proc/sys/kernel/pid_max", PROC_PID_MAX}, {"/proc/sys/kernel/tainted", PROC_TAINTED},
        {"/proc/sys/kernel/core_pattern", PROC_CORE_PATTERN},
        {"/proc/sys/kernel/ostype", PROC_OSTYPE}, {"/proc/sys/kernel/osrelease", PROC_OSRELEASE},
        {"/proc/sys/kernel/hostname", PROC_HOSTNAME},
        {"/proc/sys/vm/overcommit_memory", PROC_OVERCOMMIT},
        {"/proc/sys/fs/nr_open", PROC_NR_OPEN}, {"/proc/sys/fs/pipe-max-size", PROC_PIPE_MAX},
        {"/proc/sys/fs/pipe-user-pages-soft", PROC_PIPE_PAGES},
    };
    unsigned i;

    for (i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (is_path(path, paths[i].path))
            return paths[i].what;
    return PROC_NONE;
}

/* `rest` follows the directory of this process. */
static struct proc_subject subject_in(uint32_t pid, const char *rest)
{
    struct proc_subject subject = {.thread = pid};
    const char *task = after(rest, "/task/");

    if (task != NULL && *task != 0) {
        subject.process = pid;
        rest = after_number(task, &subject.thread);
    }
    subject.what = what_of(rest);
    return subject;
}

struct proc_subject proc_subject_of(const struct thread *thread, const char *path)
{
    const char *name = after(path, "/proc/"), *rest = name != NULL ? after(name, "self") : NULL;
    struct proc_subject subject = {machine_what(path), 0, thread->tid};
    uint32_t pid = thread->process->pid;

    if (subject.what != PROC_NONE || name == NULL)
        return subject;
    if (after(name, "thread-self") != NULL)
        return (struct proc_subject){what_of(after(name, "thread-self")), pid, thread->tid};
    if (rest == NULL)
        rest = after_number(name, &pid);
    return pid == 0 ? subject : subject_in(pid, rest);
}

/* The path of a call: of the directory's descriptor, or as it is. */
static struct proc_subject subject_at(const struct thread *thread, uint64_t fd, uint64_t path_va)
{
    const struct file *directory = files_get(thread->process->files, fd);
    char path[NAME_BYTES] = "/";
    struct proc_subject subject = {PROC_NONE, 0, 0};

    if (user_string(path_va, path + 1, sizeof path - 1) < 0)
        return subject;
    if (path[1] == '/')
        return proc_subject_of(thread, path + 1);
    if (directory != NULL && directory->subject.what == PROC_SELF)
        subject = subject_in(directory->subject.thread, path);
    return subject;
}

static struct file *open_subject(const struct proc_subject *subject, int64_t *err)
{
    const struct thread *thread = thread_find(subject->thread);
    struct process *process = thread != NULL ? thread->process : process_find(subject->thread);
    bool is_directory = (subject->what >= PROC_SELF && subject->what <= PROC_FDS) ||
                        subject->what == PROC_ALL;
    struct file *file;

    *err = -ENOENT;
    if (subject->what == PROC_SELF && subject->thread == INIT_PID)
        return proc_directory(subject, NULL);
    if (subject->what == PROC_STAT && subject->thread == INIT_PID && subject->process == 0)
        return proc_text(subject, NULL, NULL);
    if (process == NULL || (subject->process != 0 && process->pid != subject->process))
        return NULL;
    file = is_directory ? proc_directory(subject, process) : proc_text(subject, process, thread);
    *err = -ENOMEM;
    return file;
}

/* A descriptor by its name: /dev/fd/N and its like. UINT64_MAX: no such name. */
static uint64_t descriptor_of(uint64_t path_va)
{
    static const char *const streams[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    char path[NAME_BYTES];
    const char *digits;
    uint32_t fd;
    unsigned i;

    if (user_string(path_va, path, sizeof path) < 0)
        return UINT64_MAX;
    for (i = 0; i < 3; i++)
        if (is_path(path, streams[i]))
            return i;
    digits = after(path, "/dev/fd/");
    digits = digits != NULL ? digits : after(path, "/proc/self/fd/");
    return digits != NULL && *digits != 0 && *after_number(digits, &fd) == 0 ? fd : UINT64_MAX;
}

int64_t sys_openat(struct thread *thread, const uint64_t arg[6])
{
    const struct proc_subject subject = subject_at(thread, arg[0], arg[1]);
    uint64_t other = subject.what == PROC_NONE ? descriptor_of(arg[1]) : UINT64_MAX;
    struct file *file;
    int64_t err;

    if (files_own(thread->process->files, other) != NULL)
        return sys_dup(thread, (const uint64_t[6]){other});
    if (subject.what == PROC_NONE) {
        int64_t fd = syscall_forward(thread, CALL_OPENAT, arg);

        return fd >= 0 && thread->call.node != 0
                   ? fifo_open(thread, thread->call.node, (uint64_t)fd, arg[2]) : fd;
    }
    if ((arg[2] & O_ACCMODE) != 0 && subject.what != PROC_TRACING)
        return -EACCES;
    file = open_subject(&subject, &err);
    return file == NULL ? err : file_open(thread, file, (arg[2] & O_CLOEXEC) != 0);
}

/* Whether the caller, who has no privileges, may read or write it. */
static int64_t access_file(struct thread *thread, uint64_t number, const uint64_t arg[6])
{
    enum { WRITE = 2, EXECUTE = 1 };
    const struct proc_subject subject = subject_at(thread, arg[0], arg[1]);
    struct file *file;
    int64_t err;

    if (subject.what == PROC_NONE)
        return syscall_forward(thread, number, arg);
    file = open_subject(&subject, &err);
    if (file == NULL)
        return err;
    err = ((arg[2] & WRITE) && subject.what != PROC_TRACING) ||
                  ((arg[2] & EXECUTE) && file->kind != FILE_DIRECTORY) ? -EACCES : 0;
    file_drop(file);
    return err;
}

int64_t sys_faccessat(struct thread *thread, const uint64_t arg[6])
{
    return access_file(thread, 48, arg);
}

int64_t sys_faccessat2(struct thread *thread, const uint64_t arg[6])
{
    return access_file(thread, 439, arg);
}

struct file *proc_file_at(struct thread *thread, uint64_t fd, uint64_t path_va, uint64_t *inode,
                          int64_t *err)
{
    uint64_t named = descriptor_of(path_va);
    struct file *file = files_own(thread->process->files, named);
    struct proc_subject subject;

    if (file != NULL) {
        *inode = named + 1;
        return file_hold(file);
    }
    subject = subject_at(thread, fd, path_va);
    *inode = subject.thread;
    *err = 0;
    return subject.what != PROC_NONE ? open_subject(&subject, err) : NULL;
}
