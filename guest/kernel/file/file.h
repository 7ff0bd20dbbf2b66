/* Files that the kernel itself keeps: pipes, sockets, eventfd, timerfd, epoll, processes.
 * Descriptors are numbered by the host, which has a place-holder for each of these; all its other
 * files it serves itself. */
#ifndef GUEST_KERNEL_FILE_FILE_H
#define GUEST_KERNEL_FILE_FILE_H

#include "process/thread.h"

enum { FILES_MAX = 16384, FILES_LIMIT = 1024, FILES_PART = 64,
       O_ACCMODE = 3, O_NONBLOCK = 0x800, O_ASYNC = 0x2000, O_CLOEXEC = 0x80000 };
enum { POLLIN = 1, POLLPRI = 2, POLLOUT = 4, POLLERR = 8, POLLHUP = 16, POLLNVAL = 32,
       POLLRDHUP = 0x2000 };
enum file_kind {
    FILE_PIPE, FILE_EVENT, FILE_EPOLL, FILE_TIMER, FILE_PROCESS, FILE_SOCKET, FILE_SIGNAL,
    FILE_TEXT, FILE_DIRECTORY,
};
enum { DIRECTORY_ENTRY = 32 };          /* bytes of each entry of a FILE_DIRECTORY */

/* proc.h: text of a process or a thread, directories of one, then text of the machine, its
 * directory of processes, and settings, which are always the same text. */
enum proc_what {
    PROC_NONE, PROC_STAT, PROC_STATUS, PROC_COMM, PROC_STATM, PROC_CMDLINE, PROC_MAPS, PROC_MOUNTS,
    PROC_SELF, PROC_TASKS, PROC_FDS, PROC_CPUS, PROC_CPUINFO, PROC_MEMINFO, PROC_UPTIME,
    PROC_TRACING, PROC_ALL, PROC_PID_MAX, PROC_TAINTED, PROC_CORE_PATTERN, PROC_OSTYPE,
    PROC_OSRELEASE, PROC_HOSTNAME, PROC_OVERCOMMIT, PROC_NR_OPEN, PROC_PIPE_MAX,
    PROC_PIPE_PAGES,
};
/* What a path means. process: 0, or whose thread it must be. */
struct proc_subject { enum proc_what what; uint32_t process, thread; };

struct event { uint64_t value; bool is_semaphore; };

struct file {
    uint32_t users;
    enum file_kind kind;
    uint32_t flags;
    uint64_t changes;                   /* how often something happened to it */
    int32_t owner;                      /* process, < 0: group, that gets SIGIO with O_ASYNC */
    struct list waiters;                /* struct file_waiter */
    struct pipe *pipe[2];               /* pipe.h: that it reads, that it writes; or NULL */
    struct list pipe_link[2];           /* among those that do */
    uint32_t writers_seen;              /* how many had come when it was opened */
    struct socket *socket;              /* socket.h */
    struct proc_subject subject;        /* of a FILE_DIRECTORY, a FILE_TEXT */
    uint64_t signals;                   /* signal_file.c: the signals that it reads */
    struct event event;
    struct timer_file *timer;           /* timer_file.c */
    struct list items, items_of;        /* of an epoll; in epolls, for this file */
    struct process *process;            /* process_file.c; NULL: it was waited for */
    struct list of_process;             /* in its watchers */
};

/* A thread that waits for something to happen to a file; it unlinks itself. */
struct file_waiter { struct list link; struct thread *thread; bool is_exclusive; };
/* In such a list until it is woken, as thread_block, but WAKE_SIGNAL only if a signal was due
 * before: after one, the caller first looks for what it waits for, and comes back if need be. */
enum wake waiters_wait(struct list *waiters, enum kernel_reason reason, uint64_t value,
                       uint64_t deadline);
void waiters_wake(const struct list *waiters);      /* all; they stay in it until they run */

/* end: above every number in use */
struct files { uint32_t users, end; struct file **part[FILES_MAX / FILES_PART]; };

struct files *files_new(void);
void files_copy(struct files *to, const struct files *from);
void files_drop(struct files *files);
void files_exec(struct files *files);           /* files closed by the host go here too */
struct file *files_get(const struct files *files, uint64_t fd);
/* The same, NULL for a socket that is the host's as yet: the host serves its calls. */
struct file *files_own(const struct files *files, uint64_t fd);
/* Takes over one user of `file`; NULL: nothing. The former file is dropped. */
int files_put(struct files *files, uint64_t fd, struct file *file);

struct file *file_new(enum file_kind kind, uint32_t flags);
void file_drop(struct file *file);
/* One user more, for the time of a call that may sleep: others may close it meanwhile. */
static inline struct file *file_hold(struct file *file)
{
    file->users++;
    return file;
}
static inline bool file_is_quick(const struct file *file)
{
    return (file->flags & O_NONBLOCK) != 0;
}
/* Wakes all waiting threads, but one of the exclusively waiting. */
void file_changed(struct file *file);
/* A descriptor for it, or an error; takes the user over. */
int64_t file_open(struct thread *thread, struct file *file, bool is_cloexec);
unsigned file_ready(const struct file *file);   /* POLL* */
/* Until something happens to the file, or an interruption: -ERESTART. is_quick: -EAGAIN at once. A
 * file that nobody holds may be gone then. */
int64_t file_wait(struct thread *thread, struct file *file, uint64_t fd, bool is_quick);

int64_t file_read(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                  uint64_t bytes);
int64_t file_write(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                   uint64_t bytes);
/* `count` structs iovec at va, or, is_single, `count` bytes at va. flags: MSG_* of a socket;
 * message: where the one goes that comes with the bytes, or NULL: it is dropped. */
struct parts {
    uint64_t fd, va, count;
    uint32_t flags;
    bool is_write, is_single;
    struct message **message;
};
uint64_t parts_number(const struct parts *parts);
/* Address and length of part i; false: bad address. */
bool parts_get(const struct parts *parts, uint64_t i, uint64_t part[2]);
/* Up to PIPE_BUF bytes go into a pipe whole, however many parts they are. */
int64_t parts_move(struct thread *thread, struct file *file, const struct parts *parts);
int64_t event_read(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                   uint64_t bytes);
int64_t event_write(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                    uint64_t bytes);
void timer_file_close(struct file *file);
bool timer_file_ready(const struct file *file);
int64_t timer_file_read(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                        uint64_t bytes);
extern uint32_t signal_files;           /* number of open ones */
void signal_file_close(const struct file *file);
bool signal_file_ready(const struct thread *thread, const struct file *file);
int64_t signal_file_read(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                         uint64_t bytes);
/* A descriptor of the process, written to va, or an error; the second takes it back. */
int64_t process_file_open(struct thread *thread, struct process *process, uint64_t va);
void process_file_drop(struct thread *thread, int64_t fd);
struct file *process_file_of(const struct thread *thread, uint64_t fd);     /* NULL: no such file */
void process_file_close(struct file *file);
unsigned process_file_ready(const struct file *file);
/* The process has ended; it is gone. */
void process_files_tell(struct process *process);
void process_files_forget(struct process *process);
/* lock.c: fcntl's commands on locks of the host's files; those who wait for one look again. */
bool lock_is_command(uint64_t command);
int64_t lock_fcntl(struct thread *thread, const uint64_t arg[6]);
void locks_changed(void);
/* outside.c: until the device interrupts for sockets that were found not ready, or as thread_block.
 * The second: an interrupt came, which may be the device's. */
enum wake outside_wait(uint64_t fd, uint64_t deadline);
void outside_interrupt(void);
void epoll_close(struct file *file);
void epoll_leave(struct file *file);    /* the file is gone: out of all epolls */
bool epoll_ready(const struct file *file);
/* The host's files of these numbers are closed. */
void epoll_forget(const struct files *files, uint64_t first, uint64_t last);

#endif
