/* System calls that send and receive on sockets (syscall_socket.c).
 *
 * All sockets are streams: addresses are neither needed nor reported, and there are no control
 * messages. */
#define _GNU_SOURCE     /* MSG_* */
#include <errno.h>
#include <sys/socket.h>

#include "sim/run/linux/syscall_transfer.h"

/* Flags that reach elsewhere (MSG_FASTOPEN) are refused. */
static int64_t begin_message(struct process *process, uint64_t fd, uint64_t flags, bool is_write,
                             struct transfer *transfer)
{
    enum { SENDS = MSG_DONTWAIT | MSG_NOSIGNAL | MSG_MORE | MSG_OOB,
           RECEIVES = MSG_DONTWAIT | MSG_PEEK | MSG_WAITALL | MSG_OOB | MSG_CMSG_CLOEXEC };
    int64_t err = transfer_begin(process, fd, TRANSFER_AT_POSITION, is_write, transfer);

    if (err != 0) {
        return err;
    }
    if (transfer->file->kind != OPEN_SOCKET) {
        return -ENOTSOCK;
    }
    if ((flags & ~(uint64_t)(is_write ? SENDS : RECEIVES)) != 0) {
        return -EOPNOTSUPP;
    }
    transfer->flags = (int)flags & ~MSG_CMSG_CLOEXEC;
    return 0;
}

static int64_t transfer_message(struct process *process, const uint64_t arg[6], bool is_write)
{
    struct transfer transfer;
    int64_t err = begin_message(process, arg[0], arg[3], is_write, &transfer);

    if (err != 0) {
        return err;
    }
    return (int64_t)arg[2] < 0 ? -EINVAL
                               : transfer_bytes(process, transfer, arg[1], arg[2]);
}

int64_t sys_sendto(struct process *process, const uint64_t arg[6])
{
    return transfer_message(process, arg, true);
}

int64_t sys_recvfrom(struct process *process, const uint64_t arg[6])
{
    const uint32_t no_address = 0;

    if (arg[4] != 0 && arg[5] != 0 &&
        !vm_write(&process->vm, arg[5], &no_address, sizeof no_address)) {
        return -EFAULT;
    }
    return transfer_message(process, arg, false);
}

/* ---- messages --------------------------------------------------------------------------- */

/* The guest's struct msghdr; in an array of messages each is followed by its number of bytes
 * sent. */
struct message { uint64_t name, name_bytes, parts_va, parts, control, control_bytes, flags; };
enum { MESSAGE_SENT = 56, MESSAGE_STRIDE = 64 };

static int64_t send_message(struct process *process, uint64_t fd, uint64_t va, uint64_t flags)
{
    struct transfer transfer;
    struct message message;
    int64_t err = begin_message(process, fd, flags, true, &transfer);

    if (err != 0) {
        return err;
    }
    if (!vm_read(&process->vm, va, &message, sizeof message)) {
        return -EFAULT;
    }
    if (message.control_bytes != 0) {
        return -EINVAL;
    }
    return message.parts > TRANSFER_PARTS
               ? -EMSGSIZE : transfer_parts(process, transfer, message.parts_va, message.parts);
}

int64_t sys_sendmsg(struct process *process, const uint64_t arg[6])
{
    return send_message(process, arg[0], arg[1], arg[2]);
}

/* Returns the number of messages sent; the last may be incomplete. */
int64_t sys_sendmmsg(struct process *process, const uint64_t arg[6])
{
    uint64_t most = (uint32_t)arg[2] < TRANSFER_PARTS ? (uint32_t)arg[2] : TRANSFER_PARTS, i;

    for (i = 0; i < most; i++) {
        uint64_t va = arg[1] + i * MESSAGE_STRIDE;
        int64_t sent;
        uint32_t bytes;

        if (!vm_prepare(&process->vm, va, MESSAGE_STRIDE, VM_WRITE)) {
            return i > 0 ? (int64_t)i : -EFAULT;
        }
        sent = send_message(process, arg[0], va, arg[3]);
        if (sent < 0) {
            return i > 0 ? (int64_t)i : sent;
        }
        bytes = (uint32_t)sent;
        vm_write(&process->vm, va + MESSAGE_SENT, &bytes, sizeof bytes);
    }
    return (int64_t)i;
}

/* Peeked data stay in the socket, so all parts are filled from one peek. */
static int64_t peek_parts(struct process *process, const struct transfer *transfer,
                          const struct message *message)
{
    uint64_t part[2], room = 0, done = 0;
    int64_t got;

    for (uint64_t i = 0; i < message->parts; i++) {
        if (!vm_read(&process->vm, message->parts_va + i * sizeof part, part, sizeof part) ||
            !vm_prepare(&process->vm, part[0], part[1], VM_WRITE)) {
            return -EFAULT;
        }
        room += part[1] < TRANSFER_BYTES - room ? part[1] : TRANSFER_BYTES - room;
    }
    got = recv(transfer->file->fd, process->buffer, room, transfer->flags);
    if (got < 0) {
        return syscall_host_error();
    }
    for (uint64_t i = 0; done < (uint64_t)got; i++) {
        vm_read(&process->vm, message->parts_va + i * sizeof part, part, sizeof part);
        part[1] = part[1] < (uint64_t)got - done ? part[1] : (uint64_t)got - done;
        vm_write(&process->vm, part[0], process->buffer + done, part[1]);
        done += part[1];
    }
    return got;
}

int64_t sys_recvmsg(struct process *process, const uint64_t arg[6])
{
    struct transfer transfer;
    struct message message;
    int64_t err = begin_message(process, arg[0], arg[2], false, &transfer);

    if (err != 0) {
        return err;
    }
    if (!vm_read(&process->vm, arg[1], &message, sizeof message) ||
        !vm_prepare(&process->vm, arg[1], sizeof message, VM_WRITE)) {
        return -EFAULT;
    }
    if (message.parts > TRANSFER_PARTS) {
        return -EMSGSIZE;
    }
    err = (transfer.flags & MSG_PEEK) != 0
              ? peek_parts(process, &transfer, &message)
              : transfer_parts(process, transfer, message.parts_va, message.parts);
    message.name_bytes = message.control_bytes = message.flags = 0;
    if (err >= 0) {
        vm_write(&process->vm, arg[1], &message, sizeof message);
    }
    return err;
}
