/* sendfile: bytes of a file of the host into a pipe or a stream socket of this machine, by way of a
 * page of the kernel's. Source: sendfile(2). */
#include "pipe.h"
#include "process/process.h"
#include "syscall/syscall.h"

enum { CALL_LSEEK = 62, CALL_SENDFILE = 71, SEEK_SET = 0, SEEK_CUR = 1, MOST = 0x7ffff000 };

/* Where the bytes come from. */
struct source { uint64_t handle, offset, left, page; };

/* Until something may be put into the pipe: 0 or -errno. */
static int64_t wait_for_room(struct thread *thread, struct file *to, uint64_t fd)
{
    const struct pipe *pipe;
    int64_t err = 0;

    while (err == 0 && (pipe = to->pipe[PIPE_WRITES]) != NULL &&
           !list_is_empty(&pipe->ends[PIPE_READS]) && pipe->count == pipe->room)
        err = file_wait(thread, to, fd, file_is_quick(to));
    if (err == 0 && (pipe == NULL || list_is_empty(&pipe->ends[PIPE_READS]))) {
        signal_simple(thread->process, thread, SIGPIPE, SI_TKILL);
        err = -EPIPE;
    }
    return err;
}

/* Bytes moved, 0 at the end of the file, or -errno. */
static int64_t move_some(struct thread *thread, struct file *to, uint64_t fd,
                         struct source *source)
{
    uint64_t most = source->left < PAGE_BYTES ? source->left : PAGE_BYTES;
    int64_t err = wait_for_room(thread, to, fd), bytes;
    struct pipe *pipe = to->pipe[PIPE_WRITES];

    if (err != 0)
        return err;
    most = most < pipe->room - pipe->count ? most : pipe->room - pipe->count;
    bytes = host_simple(KERNEL_OP_READ_PAGE, source->handle, source->offset, source->page, most);
    if (bytes <= 0)
        return bytes;
    if (!pipe_put(pipe, at_pa(source->page), (uint32_t)bytes))
        return -ENOMEM;
    pipe_tell(pipe, PIPE_READS);
    source->offset += (uint64_t)bytes;
    source->left -= (uint64_t)bytes;
    return bytes;
}

static int64_t move_all(struct thread *thread, struct file *to, uint64_t fd,
                        struct source *source)
{
    int64_t done = 0, moved = 1;

    source->page = frame_new_dirty();
    if (source->page == 0)
        return -ENOMEM;
    file_hold(to);
    while (source->left > 0 && (moved = move_some(thread, to, fd, source)) > 0)
        done += moved;
    file_drop(to);
    frame_free(source->page);
    return done > 0 || moved > 0 ? done : moved;
}

/* From the position of the file, or, without moving it, from the number at arg[2] on. */
static int64_t send(struct thread *thread, struct file *to, const uint64_t arg[6], int64_t handle)
{
    struct source source = {.handle = (uint64_t)handle, .left = arg[3] < MOST ? arg[3] : MOST};
    const uint64_t ask[6] = {arg[1], 0, SEEK_CUR};
    int64_t at = 0, done;

    if (arg[2] != 0 && !user_read(arg[2], &at, sizeof at))
        return -EFAULT;
    if (arg[2] == 0)
        at = syscall_forward(thread, CALL_LSEEK, ask);
    if (at < 0)
        return arg[2] != 0 ? -EINVAL : at;
    source.offset = (uint64_t)at;
    done = move_all(thread, to, arg[0], &source);
    if (done > 0 && arg[2] != 0 && !user_write(arg[2], &source.offset, sizeof source.offset))
        return -EFAULT;
    if (done > 0 && arg[2] == 0) {
        const uint64_t set[6] = {arg[1], source.offset, SEEK_SET};

        syscall_forward(thread, CALL_LSEEK, set);
    }
    return done;
}

int64_t sys_sendfile(struct thread *thread, const uint64_t arg[6])
{
    const struct files *files = thread->process->files;
    struct file *to = files_own(files, arg[0]);
    struct kernel_call open = {.op = KERNEL_OP_MAP_FILE, .argument = {arg[1], PROT_READ}};
    int64_t handle, result;

    if (files_own(files, arg[1]) != NULL)
        return -EINVAL;
    if (to == NULL)
        return syscall_forward(thread, CALL_SENDFILE, arg);
    if (to->pipe[PIPE_WRITES] == NULL)
        return -EINVAL;
    handle = syscall_host(thread, &open);
    if (handle <= 0)
        return handle < 0 ? handle : -EINVAL;
    result = send(thread, to, arg, handle);
    host_simple(KERNEL_OP_CLOSE_HANDLE, (uint64_t)handle, 0, 0, 0);
    return result;
}
