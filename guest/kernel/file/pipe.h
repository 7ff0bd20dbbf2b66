/* Pipes: a ring of bytes between files that write it and files that read it. */
#ifndef GUEST_KERNEL_FILE_PIPE_H
#define GUEST_KERNEL_FILE_PIPE_H

#include "file/file.h"

enum { PIPE_READS, PIPE_WRITES, PIPE_DONTWAIT = 1, PIPE_NOSIGNAL = 2,
       PIPE_KEEP = 4 };
/* The room of a pipe, and of one that F_SETPIPE_SZ or a socket makes larger. */
enum { PIPE_PAGES = 64, PIPE_BYTES = 16 * PAGE_BYTES, PIPE_MOST = PIPE_PAGES * PAGE_BYTES };

struct pipe {
    uint64_t page[PIPE_PAGES];          /* 0: was not needed yet */
    uint32_t head, count, room;         /* room: bytes that fit at most, whole pages */
    uint64_t taken;                     /* bytes that went through it */
    struct list messages;               /* message.h */
    uint32_t opened[2];                 /* how often for reading and writing, so far */
    struct list ends[2];                /* files that read it, that write it */
    struct list link;                   /* fifo.c: among those with a name, by the host's number */
    uint64_t node;
};

struct pipe *pipe_new(void);                    /* NULL: no memory */
void pipe_free(struct pipe *pipe);              /* no file has it */
/* The file reads or writes it from now on, until pipe_leave. The last to leave frees the pipe. */
void pipe_join(struct file *file, struct pipe *pipe, unsigned end);
void pipe_leave(struct file *file, unsigned end);
void pipe_tell(const struct pipe *pipe, unsigned end);  /* something changed for these files */
/* A write of PIPE_BUF bytes would not wait. */
bool pipe_can_write(const struct pipe *pipe);
/* Bytes of the kernel's own; false: no memory, or no room for all. */
bool pipe_put(struct pipe *pipe, const void *from, uint32_t bytes);
/* Takes what is there, at most `bytes`; is_kept: it stays there. Bytes moved, or -EFAULT. */
int64_t pipe_take(struct pipe *pipe, uint64_t va, uint64_t bytes, bool is_kept);
void pipe_skip(struct pipe *pipe, uint64_t bytes);  /* takes bytes that nobody wants */
/* Puts as much of user memory as there is room for. Bytes moved, -EFAULT or -ENOMEM. */
int64_t pipe_put_user(struct pipe *pipe, uint64_t va, uint64_t bytes);
int64_t pipe_read(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                  uint64_t bytes);
int64_t pipe_write(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                   uint64_t bytes);
/* The same, `how`: PIPE_*. A read ends in front of a message that comes later (message.h). */
int64_t pipe_receive(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                     uint64_t bytes, unsigned how);
/* Until so many bytes would be written at once: up to PIPE_BUF, which are not torn. 0 or -errno. */
int64_t pipe_reserve(struct thread *thread, struct file *file, uint64_t fd, uint64_t bytes);
int64_t pipe_send(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                  uint64_t bytes, unsigned how);
unsigned pipe_ready(const struct file *file);
int64_t pipe_resize(struct pipe *pipe, uint64_t bytes);     /* F_SETPIPE_SZ */

/* Descriptors for both, written to va; the files are taken over. One of them NULL: no memory. */
int64_t pipe_open_two(struct thread *thread, struct file *const file[2], uint64_t flags,
                      uint64_t va);
/* A file of text or of a directory's entries, for pipe_put; NULL: no memory. */
struct file *pipe_text(enum file_kind kind);

/* ---- fifo.c ---------------------------------------------------------------------------------- */
void fifo_forget(struct pipe *pipe);            /* no file has it any more */
/* The host opened the named pipe of this number as fd. */
int64_t fifo_open(struct thread *thread, uint64_t node, uint64_t fd, uint64_t flags);

#endif
