/* Messages and descriptors that go with them; see message.h. Source: unix(7), cmsg(3). */
#include "process/process.h"
#include "socket/message.h"
#include "syscall/syscall.h"

enum { SOL_SOCKET = 1, SCM_RIGHTS = 1, SCM_CREDENTIALS = 2, MSG_CTRUNC = 8, CALL_CLOSE = 57,
       USER = 1000 };

/* struct cmsghdr */
struct control { uint64_t bytes; int32_t level, type; };

struct message *message_new(void)
{
    struct message *message = memory_new(sizeof *message);

    if (message != NULL) {
        list_init(&message->link);
        message->pid = current()->process->pid;
    }
    return message;
}

static void free_rights(struct message *message)
{
    uint32_t i;

    for (i = 0; i < message->rights; i++) {
        host_simple(KERNEL_OP_DROP_HELD, (uint64_t)message->right[i].held, 0, 0, 0);
        file_drop(message->right[i].file);
    }
    if (message->right != NULL)
        memory_free(message->right, RIGHTS_MAX * sizeof *message->right);
    message->right = NULL;
    message->rights = 0;
}

void message_free(struct message *message)
{
    if (message == NULL)
        return;
    list_remove(&message->link);
    free_rights(message);
    if (message->from != NULL)
        memory_free(message->from, sizeof *message->from);
    memory_free(message, sizeof *message);
}

/* ---- in a pipe ------------------------------------------------------------------------------- */

void message_add(struct pipe *pipe, struct message *message)
{
    message->at = pipe->taken + pipe->count;
    list_add(&pipe->messages, &message->link);
}

bool message_is_next(const struct pipe *pipe)
{
    return !list_is_empty(&pipe->messages) &&
           container_of(pipe->messages.before, struct message, link)->at ==
               pipe->taken + pipe->count;
}

struct message *message_first(struct pipe *pipe)
{
    return list_is_empty(&pipe->messages) ? NULL
                                          : container_of(pipe->messages.next, struct message, link);
}

struct message *message_take(struct pipe *pipe)
{
    struct message *first = message_first(pipe);

    if (first == NULL || first->at >= pipe->taken)
        return NULL;
    list_remove(&first->link);
    return first;
}

uint64_t message_bound(struct pipe *pipe, uint64_t bytes)
{
    struct list *at;

    for (at = pipe->messages.next; at != &pipe->messages; at = at->next) {
        const struct message *message = container_of(at, struct message, link);
        uint64_t left = message->at - pipe->taken;

        left = left == 0 ? message->bytes : left;
        if (left != 0)
            return left < bytes ? left : bytes;
    }
    return bytes;
}

/* ---- control data ---------------------------------------------------------------------------- */

static int64_t add_right(struct thread *thread, struct message *message, uint32_t fd)
{
    struct right *right = &message->right[message->rights];
    int64_t held = host_simple(KERNEL_OP_HOLD, fd, 0, 0, 0);

    if (held < 0)
        return held;
    *right = (struct right){held, files_get(thread->process->files, fd)};
    if (right->file != NULL)
        right->file->users++;
    message->rights++;
    return 0;
}

static int64_t add_rights(struct thread *thread, struct message *message, uint64_t va,
                          uint64_t count)
{
    int64_t err = 0;
    uint64_t i;

    if (message->right == NULL)
        message->right = memory_new(RIGHTS_MAX * sizeof *message->right);
    if (message->right == NULL)
        return -ENOMEM;
    for (i = 0; i < count && err == 0; i++) {
        uint32_t fd;

        if (message->rights == RIGHTS_MAX)
            return -EINVAL;
        err = user_read(va + 4 * i, &fd, sizeof fd) ? add_right(thread, message, fd) : -EFAULT;
    }
    return err;
}

/* One's own: nobody has privileges. */
static int64_t check_credentials(const struct thread *thread, uint64_t va, uint64_t bytes)
{
    uint32_t ids[3];

    if (bytes != sizeof ids)
        return -EINVAL;
    if (!user_read(va, ids, sizeof ids))
        return -EFAULT;
    return ids[0] == thread->process->pid && ids[1] == USER && ids[2] == USER ? 0 : -EPERM;
}

static int64_t read_all(struct thread *thread, uint64_t va, uint64_t bytes,
                        struct message *message)
{
    struct control control;
    int64_t err = 0;

    for (; bytes >= sizeof control && err == 0;) {
        uint64_t whole;

        if (!user_read(va, &control, sizeof control))
            return -EFAULT;
        if (control.bytes < sizeof control || control.bytes > bytes || control.level != SOL_SOCKET)
            return -EINVAL;
        if (control.type == SCM_RIGHTS)
            err = add_rights(thread, message, va + sizeof control,
                             (control.bytes - sizeof control) / 4);
        else if (control.type == SCM_CREDENTIALS)
            err = check_credentials(thread, va + sizeof control, control.bytes - sizeof control);
        else
            err = -EINVAL;
        whole = (control.bytes + 7) & ~UINT64_C(7);
        if (whole >= bytes)
            break;
        va += whole;
        bytes -= whole;
    }
    return err;
}

int64_t message_read_control(struct thread *thread, uint64_t va, uint64_t bytes,
                             struct message **message)
{
    int64_t err;

    *message = NULL;
    if (va == 0 || bytes < sizeof(struct control))
        return 0;
    *message = message_new();
    err = *message != NULL ? read_all(thread, va, bytes, *message) : -ENOMEM;
    if (err != 0 || (*message)->rights == 0) {
        message_free(*message);
        *message = NULL;
    }
    return err;
}

/* A descriptor of the thread's own; -errno: it has too many. */
static int64_t give(struct thread *thread, struct right *right, bool is_cloexec)
{
    int64_t fd = host_simple(KERNEL_OP_TAKE_HELD, (uint64_t)right->held, is_cloexec, 0, 0);

    if (fd < 0 || right->file == NULL)
        return fd;
    right->file->users++;
    if (files_put(thread->process->files, (uint64_t)fd, right->file) == 0)
        return fd;
    syscall_forward(thread, CALL_CLOSE, (const uint64_t[6]){(uint64_t)fd});
    return -ENOMEM;
}

/* Bytes written: 0, where there is no room. */
static int64_t write_credentials(uint32_t pid, uint64_t va, uint64_t room, uint64_t *flags)
{
    const struct { struct control control; uint32_t ids[3], zero; } all = {
        {sizeof all.control + sizeof all.ids, SOL_SOCKET, SCM_CREDENTIALS}, {pid, USER, USER}, 0};
    uint64_t bytes = room < sizeof all ? all.control.bytes : sizeof all;

    if (va == 0 || room < bytes) {
        *flags |= MSG_CTRUNC;
        return 0;
    }
    return user_write(va, &all, bytes) ? (int64_t)bytes : -EFAULT;
}

/* The same of the descriptors, as many as there is room for. */
static int64_t write_rights(struct thread *thread, struct message *message, uint64_t va,
                            uint64_t room, bool is_cloexec, uint64_t *flags)
{
    struct control control = {sizeof control, SOL_SOCKET, SCM_RIGHTS};
    uint64_t most = va != 0 && room > sizeof control ? (room - sizeof control) / 4 : 0, whole;
    uint32_t i, given = 0;

    for (i = 0; i < message->rights && i < most; i++, given++) {
        int32_t fd = (int32_t)give(thread, &message->right[i], is_cloexec);

        if (fd < 0)
            break;
        if (!user_write(va + sizeof control + 4 * i, &fd, sizeof fd))
            return -EFAULT;
    }
    *flags |= given < message->rights ? MSG_CTRUNC : 0;
    if (given == 0)
        return 0;
    control.bytes += 4 * (uint64_t)given;
    whole = (control.bytes + 7) & ~UINT64_C(7);
    whole = whole < most * 4 + sizeof control ? whole : most * 4 + sizeof control;
    return user_write(va, &control, sizeof control) ? (int64_t)whole : -EFAULT;
}

int64_t message_write_control(struct thread *thread, struct message *message, uint32_t pid,
                              uint64_t va, uint64_t *bytes, bool is_cloexec, uint64_t *flags)
{
    uint64_t room = *bytes;
    int64_t written = pid != 0 ? write_credentials(pid, va, room, flags) : 0;

    *bytes = written > 0 ? (uint64_t)written : 0;
    if (written < 0 || message == NULL || message->rights == 0)
        return written < 0 ? written : 0;
    written = write_rights(thread, message, va == 0 ? 0 : va + *bytes, room - *bytes, is_cloexec,
                           flags);
    *bytes += written > 0 ? (uint64_t)written : 0;
    return written < 0 ? written : 0;
}
