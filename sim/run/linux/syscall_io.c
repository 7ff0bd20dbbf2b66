/* System calls that move bytes: read, write and their relatives; of sockets alone:
 * syscall_message.c.
 *
 * Bytes pass through process->buffer in chunks; a chunk's user pages are made accessible before the
 * host is asked, so that no byte taken from a pipe is lost to a bad address. */
#define _GNU_SOURCE     /* SEEK_DATA */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/run/linux/syscall_transfer.h"

enum { ONE_CALL_MAX = 0x7ffff000 };

static ssize_t host_transfer(struct process *process, const struct transfer *transfer, size_t bytes)
{
    int fd = transfer->file->fd;

    if (transfer->file->kind == OPEN_RANDOM) {
        if (!transfer->is_write) {
            process_random(process, process->buffer, bytes);
        }
        return (ssize_t)bytes;
    }
    if (transfer->file->kind == OPEN_SOCKET && transfer->offset == TRANSFER_AT_POSITION) {
        transfer->file->calls++;
        return transfer->is_write
                   ? send(fd, process->buffer, bytes, transfer->flags | MSG_NOSIGNAL)
                   : recv(fd, process->buffer, bytes, transfer->flags);
    }
    if (transfer->offset != TRANSFER_AT_POSITION) {
        return transfer->is_write ? pwrite(fd, process->buffer, bytes, transfer->offset)
                                  : pread(fd, process->buffer, bytes, transfer->offset);
    }
    return transfer->is_write ? write(fd, process->buffer, bytes)
                              : read(fd, process->buffer, bytes);
}

/* The error that a failed host call gives the program: a broken pipe may end it. */
static int64_t transfer_error(struct process *process, const struct transfer *transfer)
{
    if (errno == EPIPE) {
        if ((transfer->flags & MSG_NOSIGNAL) == 0) {
            process_raise(process, SIGPIPE);
        }
        return -EPIPE;
    }
    return syscall_host_error();
}

/* True for a socket that returns available bytes without waiting for more. */
static bool is_message(const struct transfer *transfer)
{
    return transfer->file->kind == OPEN_SOCKET && !transfer->is_write &&
           (transfer->flags & MSG_WAITALL) == 0;
}

/* Linux moves no more than this in a call. */
static uint64_t limit_bytes(uint64_t bytes)
{
    return bytes < ONE_CALL_MAX ? bytes : ONE_CALL_MAX;
}

/* How many of the bytes may be written to a file where they go: RLIMIT_FSIZE. */
static uint64_t within_limit(const struct process *process, const struct transfer *transfer,
                             uint64_t bytes)
{
    uint64_t limit = process->files.bytes_limit, at;
    struct stat st;

    if (limit == UINT64_MAX || !transfer->is_write || transfer->file->kind == OPEN_RANDOM ||
        fstat(transfer->file->fd, &st) != 0 || !S_ISREG(st.st_mode))
        return bytes;
    at = transfer->offset != TRANSFER_AT_POSITION ? (uint64_t)transfer->offset
         : (fcntl(transfer->file->fd, F_GETFL) & O_APPEND) != 0
             ? (uint64_t)st.st_size : (uint64_t)lseek(transfer->file->fd, 0, SEEK_CUR);
    return at >= limit ? 0 : bytes < limit - at ? bytes : limit - at;
}

int64_t transfer_bytes(struct process *process, struct transfer transfer, uint64_t va,
                       uint64_t bytes)
{
    uint64_t done = 0, wanted = limit_bytes(bytes);

    bytes = within_limit(process, &transfer, wanted);
    if (bytes == 0 && wanted != 0)
        return -EFBIG;
    if (!vm_prepare(&process->vm, va, bytes, transfer.is_write ? VM_READ : VM_WRITE)) {
        return -EFAULT;
    }
    while (done < bytes) {
        uint64_t part = bytes - done < TRANSFER_BYTES ? bytes - done : TRANSFER_BYTES;
        uint64_t good = vm_accessible(&process->vm, va + done, part,
                                      transfer.is_write ? VM_READ : VM_WRITE);
        ssize_t moved;

        if (good == 0) {
            return done > 0 ? (int64_t)done : -EFAULT;
        }
        if (transfer.is_write) {
            vm_read(&process->vm, va + done, process->buffer, good);
        }
        moved = host_transfer(process, &transfer, good);
        if (moved < 0) {
            return done > 0 ? (int64_t)done : transfer_error(process, &transfer);
        }
        if (!transfer.is_write) {
            vm_write(&process->vm, va + done, process->buffer, (uint64_t)moved);
        }
        done += (uint64_t)moved;
        transfer.offset += transfer.offset == TRANSFER_AT_POSITION ? 0 : moved;
        if ((uint64_t)moved < part || is_message(&transfer)) {
            break;
        }
    }
    return (int64_t)done;
}

int64_t transfer_begin(struct process *process, uint64_t fd, int64_t offset, bool is_write,
                       struct transfer *transfer)
{
    *transfer = (struct transfer){files_get(&process->files, fd), offset, is_write, 0};
    if (transfer->file == NULL) {
        return -EBADF;
    }
    if (offset != TRANSFER_AT_POSITION && offset < 0) {
        return -EINVAL;
    }
    return offset != TRANSFER_AT_POSITION &&
                   (syscall_is_pipe(transfer->file) || transfer->file->kind == OPEN_GUEST)
               ? -ESPIPE : 0;
}

static int64_t transfer_one(struct process *process, const uint64_t arg[6], int64_t offset,
                            bool is_write)
{
    struct transfer transfer;
    int64_t err = transfer_begin(process, arg[0], offset, is_write, &transfer);

    if (err != 0) {
        return err;
    }
    return (int64_t)arg[2] < 0 ? -EINVAL
                               : transfer_bytes(process, transfer, arg[1], arg[2]);
}

int64_t sys_read(struct process *process, const uint64_t arg[6])
{
    return transfer_one(process, arg, TRANSFER_AT_POSITION, false);
}

int64_t sys_write(struct process *process, const uint64_t arg[6])
{
    return transfer_one(process, arg, TRANSFER_AT_POSITION, true);
}

int64_t sys_pread64(struct process *process, const uint64_t arg[6])
{
    return (int64_t)arg[3] < 0 ? -EINVAL : transfer_one(process, arg, (int64_t)arg[3], false);
}

int64_t sys_pwrite64(struct process *process, const uint64_t arg[6])
{
    return (int64_t)arg[3] < 0 ? -EINVAL : transfer_one(process, arg, (int64_t)arg[3], true);
}

/* ---- many parts ------------------------------------------------------------------------- */

/* Prepares all parts, up to the first with an invalid address. */
static bool prepare_many(struct process *process, uint64_t parts_va, uint64_t parts, bool is_write)
{
    unsigned prot = is_write ? VM_READ : VM_WRITE;
    uint64_t i, iovec[2];

    if (!process->vm.is_guest) {
        return true;
    }
    for (i = 0; i < parts; i++) {
        if (!vm_read(&process->vm, parts_va + i * sizeof iovec, iovec, sizeof iovec)) {
            return !process->vm.has_fault;
        }
        if ((int64_t)iovec[1] < 0 || !vm_prepare(&process->vm, iovec[0], iovec[1], prot)) {
            return (int64_t)iovec[1] < 0;
        }
        if (vm_accessible(&process->vm, iovec[0], iovec[1], prot) < iovec[1]) {
            return true;
        }
    }
    return true;
}

/* A socket's call takes the available bytes: it waits for the first part only. */
static int flags_after(const struct transfer *transfer, int64_t done)
{
    bool takes = transfer->file->kind == OPEN_SOCKET && !transfer->is_write;

    return takes && done > 0 && (transfer->flags & MSG_WAITALL) == 0
               ? transfer->flags | MSG_DONTWAIT : transfer->flags;
}

int64_t transfer_parts(struct process *process, struct transfer transfer, uint64_t parts_va,
                       uint64_t parts)
{
    uint64_t i, iovec[2];
    int64_t done = 0;

    if (!prepare_many(process, parts_va, parts, transfer.is_write)) {
        return -EFAULT;
    }
    for (i = 0; i < parts; i++) {
        int64_t moved;

        transfer.flags = flags_after(&transfer, done);
        if (!vm_read(&process->vm, parts_va + i * sizeof iovec, iovec, sizeof iovec)) {
            return done > 0 ? done : -EFAULT;
        }
        moved = (int64_t)iovec[1] < 0
                    ? -EINVAL : transfer_bytes(process, transfer, iovec[0], iovec[1]);
        if (moved < 0) {
            return done > 0 ? done : moved;
        }
        done += moved;
        transfer.offset += transfer.offset == TRANSFER_AT_POSITION ? 0 : moved;
        if ((uint64_t)moved < iovec[1]) {
            break;
        }
    }
    return done;
}

static int64_t transfer_many(struct process *process, const uint64_t arg[6], int64_t offset,
                             bool is_write)
{
    struct transfer transfer;
    int64_t err = transfer_begin(process, arg[0], offset, is_write, &transfer);

    if (err != 0) {
        return err;
    }
    return arg[2] > TRANSFER_PARTS ? -EINVAL : transfer_parts(process, transfer, arg[1], arg[2]);
}

int64_t sys_readv(struct process *process, const uint64_t arg[6])
{
    return transfer_many(process, arg, TRANSFER_AT_POSITION, false);
}

int64_t sys_writev(struct process *process, const uint64_t arg[6])
{
    return transfer_many(process, arg, TRANSFER_AT_POSITION, true);
}

int64_t sys_preadv(struct process *process, const uint64_t arg[6])
{
    return (int64_t)arg[3] < 0 ? -EINVAL : transfer_many(process, arg, (int64_t)arg[3], false);
}

int64_t sys_pwritev(struct process *process, const uint64_t arg[6])
{
    return (int64_t)arg[3] < 0 ? -EINVAL : transfer_many(process, arg, (int64_t)arg[3], true);
}

/* ---- from file to file ------------------------------------------------------------------ */

/* Writes the buffer's `bytes`; returns the number written. */
static int64_t write_buffer(struct process *process, struct transfer *out, size_t bytes)
{
    size_t done = 0;

    while (done < bytes) {
        const uint8_t *from = process->buffer + done;
        ssize_t now = out->offset == TRANSFER_AT_POSITION
                          ? write(out->file->fd, from, bytes - done)
                          : pwrite(out->file->fd, from, bytes - done, out->offset);

        if (now <= 0) {
            return done > 0 ? (int64_t)done : transfer_error(process, out);
        }
        done += (size_t)now;
        out->offset += out->offset == TRANSFER_AT_POSITION ? 0 : now;
    }
    return (int64_t)done;
}

static int64_t copy_file(struct process *process, struct transfer *in, struct transfer *out,
                         uint64_t bytes)
{
    uint64_t done = 0;

    while (done < bytes) {
        uint64_t part = bytes - done < TRANSFER_BYTES ? bytes - done : TRANSFER_BYTES;
        ssize_t got;
        int64_t put;

        part = within_limit(process, out, part);
        if (part == 0) {
            return done > 0 ? (int64_t)done : -EFBIG;
        }
        got = host_transfer(process, in, part);
        if (got < 0) {
            return done > 0 ? (int64_t)done : transfer_error(process, in);
        }
        if (got == 0) {
            break;
        }
        in->offset += in->offset == TRANSFER_AT_POSITION ? 0 : got;
        put = write_buffer(process, out, (size_t)got);
        if (put < 0) {
            return done > 0 ? (int64_t)done : put;
        }
        done += (uint64_t)put;
        if (put < got) {
            break;
        }
    }
    return (int64_t)done;
}

/* The offset at an optional pointer. */
static int64_t read_offset(struct process *process, uint64_t va, int64_t *offset)
{
    *offset = TRANSFER_AT_POSITION;
    if (va != 0 && !vm_read(&process->vm, va, offset, sizeof *offset)) {
        return -EFAULT;
    }
    return va != 0 && *offset < 0 ? -EINVAL : 0;
}

struct copy_request { uint64_t in_fd, in_offset_va, out_fd, out_offset_va, bytes; };

static int64_t copy_request(struct process *process, const struct copy_request *request)
{
    struct transfer in, out;
    int64_t in_offset, out_offset, done;
    int64_t err = read_offset(process, request->in_offset_va, &in_offset);

    err = err != 0 ? err : read_offset(process, request->out_offset_va, &out_offset);
    err = err != 0 ? err : transfer_begin(process, request->in_fd, in_offset, false, &in);
    err = err != 0 ? err : transfer_begin(process, request->out_fd, out_offset, true, &out);
    if (err != 0) {
        return err;
    }
    if (in.file->kind == OPEN_SOCKET || out.file->kind == OPEN_SOCKET) {
        return -EINVAL;                 /* programs then fall back to read and write */
    }
    if ((request->in_offset_va != 0 &&
         !vm_prepare(&process->vm, request->in_offset_va, sizeof in.offset, VM_WRITE)) ||
        (request->out_offset_va != 0 &&
         !vm_prepare(&process->vm, request->out_offset_va, sizeof out.offset, VM_WRITE))) {
        return -EFAULT;
    }
    done = copy_file(process, &in, &out, limit_bytes(request->bytes));
    if ((request->in_offset_va != 0 &&
         !vm_write(&process->vm, request->in_offset_va, &in.offset, sizeof in.offset)) ||
        (request->out_offset_va != 0 &&
         !vm_write(&process->vm, request->out_offset_va, &out.offset, sizeof out.offset))) {
        return -EFAULT;
    }
    return done;
}

int64_t sys_sendfile(struct process *process, const uint64_t arg[6])
{
    struct copy_request request = {
        .in_fd = arg[1], .in_offset_va = arg[2], .out_fd = arg[0], .bytes = arg[3]};

    return copy_request(process, &request);
}

int64_t sys_copy_file_range(struct process *process, const uint64_t arg[6])
{
    struct copy_request request = {
        .in_fd = arg[0], .in_offset_va = arg[1], .out_fd = arg[2], .out_offset_va = arg[3],
        .bytes = arg[4]};

    return arg[5] != 0 ? -EINVAL : copy_request(process, &request);
}

/* ---- position and size ------------------------------------------------------------------ */

/* The position in a listed directory counts entries. */
static int64_t seek_directory(struct open_file *file, int64_t offset, int whence)
{
    int64_t base = whence == SEEK_CUR ? (int64_t)file->entry_next : 0;

    if (whence == SEEK_END || base + offset < 0) {
        return -EINVAL;
    }
    file->entry_next = (size_t)(base + offset);
    return base + offset;
}

int64_t sys_lseek(struct process *process, const uint64_t arg[6])
{
    struct open_file *file = files_get(&process->files, arg[0]);
    off_t result;

    if (file == NULL) {
        return -EBADF;
    }
    if (syscall_is_pipe(file)) {
        return -ESPIPE;
    }
    if (arg[2] > SEEK_HOLE) {
        return -EINVAL;
    }
    if (file->kind == OPEN_RANDOM) {
        return 0;
    }
    if (file->entries != NULL) {
        return seek_directory(file, (int64_t)arg[1], (int)arg[2]);
    }
    result = lseek(file->fd, (off_t)arg[1], (int)arg[2]);
    return result < 0 ? syscall_host_error() : result;
}

int64_t sys_ftruncate(struct process *process, const uint64_t arg[6])
{
    const struct open_file *file = files_get(&process->files, arg[0]);

    if (file == NULL) {
        return -EBADF;
    }
    if (arg[1] > process->files.bytes_limit && (int64_t)arg[1] >= 0) {
        return -EFBIG;
    }
    return ftruncate(file->fd, (off_t)arg[1]) != 0 ? syscall_host_error() : 0;
}

int64_t sys_fallocate(struct process *process, const uint64_t arg[6])
{
    const struct open_file *file = files_get(&process->files, arg[0]);

    if (file == NULL) {
        return -EBADF;
    }
    if (arg[2] + arg[3] > process->files.bytes_limit && (int64_t)(arg[2] + arg[3]) >= 0) {
        return -EFBIG;
    }
    return fallocate(file->fd, (int)arg[1], (off_t)arg[2], (off_t)arg[3]) != 0
               ? syscall_host_error()
               : 0;
}

int64_t sys_fsync(struct process *process, const uint64_t arg[6])
{
    const struct open_file *file = files_get(&process->files, arg[0]);

    if (file == NULL) {
        return -EBADF;
    }
    return fsync(file->fd) != 0 ? syscall_host_error() : 0;
}

int64_t sys_fdatasync(struct process *process, const uint64_t arg[6])
{
    return sys_fsync(process, arg);
}
