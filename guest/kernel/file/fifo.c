/* Pipes with a name: the host keeps the name, and tells its number when a program opens it.
 * Source: fifo(7), open(2). */
#include "file/pipe.h"
#include "process/process.h"
#include "syscall/syscall.h"

enum { O_RDONLY = 0, O_WRONLY = 1 };

static struct list named = {&named, &named};

void fifo_forget(struct pipe *pipe)
{
    list_remove(&pipe->link);
}

static struct pipe *find(uint64_t node)
{
    struct pipe *pipe;
    struct list *at;

    for (at = named.next; at != &named; at = at->next)
        if (container_of(at, struct pipe, link)->node == node)
            return container_of(at, struct pipe, link);
    pipe = pipe_new();
    if (pipe != NULL) {
        pipe->node = node;
        list_add(&named, &pipe->link);
    }
    return pipe;
}

/* Until somebody has opened the other end since: 0, or why not. */
static int64_t wait_for_other(struct thread *thread, struct file *file, unsigned end, uint64_t fd)
{
    const struct pipe *pipe = file->pipe[end];
    uint32_t before = pipe->opened[!end];

    while (list_is_empty(&pipe->ends[!end]) && pipe->opened[!end] == before) {
        int64_t err = file_wait(thread, file, fd, false);

        if (err != 0)
            return err;
    }
    return 0;
}

/* Opens the ends that the flags name, and wakes threads that wait for them. */
static int64_t join(struct thread *thread, struct file *file, struct pipe *pipe, uint64_t fd,
                    uint64_t flags)
{
    unsigned end = (flags & O_ACCMODE) == O_WRONLY ? PIPE_WRITES : PIPE_READS;
    bool is_both = (flags & O_ACCMODE) > O_WRONLY;

    file->writers_seen = list_is_empty(&pipe->ends[PIPE_WRITES]) ? pipe->opened[PIPE_WRITES]
                                                                 : UINT32_MAX;
    pipe_join(file, pipe, end);
    if (is_both)
        pipe_join(file, pipe, !end);
    pipe_tell(pipe, !end);
    if (!(flags & O_NONBLOCK))
        return is_both ? 0 : wait_for_other(thread, file, end, fd);
    return end == PIPE_WRITES && list_is_empty(&pipe->ends[PIPE_READS]) ? -ENXIO : 0;
}

int64_t fifo_open(struct thread *thread, uint64_t node, uint64_t fd, uint64_t flags)
{
    struct file *file = file_new(FILE_PIPE, (uint32_t)flags & O_NONBLOCK);
    struct pipe *pipe = file != NULL ? find(node) : NULL;
    const uint64_t close[6] = {fd};
    int64_t err = pipe == NULL ? -ENOMEM : join(thread, file, pipe, fd, flags);

    if (err != 0)
        file_drop(file);
    else
        err = files_put(thread->process->files, fd, file);
    if (err == 0)
        return (int64_t)fd;
    sys_close(thread, close);
    return err;
}
