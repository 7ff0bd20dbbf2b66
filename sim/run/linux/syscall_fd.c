/* System calls on descriptors: duplicates, flags, pipes, directories, readiness. */
#define _GNU_SOURCE     /* pipe2, POLL*, O_* */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/run/linux/process_internal.h"

/* Values of the asm-generic interface. */
enum {
    GUEST_O_CLOEXEC = 02000000,
    GUEST_F_DUPFD = 0, GUEST_F_GETFD = 1, GUEST_F_SETFD = 2, GUEST_F_GETFL = 3, GUEST_F_SETFL = 4,
    GUEST_F_DUPFD_CLOEXEC = 1030, GUEST_FIONREAD = 0x541b, GUEST_FIONBIO = 0x5421,
    SELECT_MAX = 1024, POLL_MAX = FILES_LIMIT,
};

/* Open flags, guest and host; the access mode is the same everywhere. O_DIRECT is not passed on:
 * the bytes go through a buffer anyway. */
static const struct { unsigned guest; int host; } flag_map[] = {
    {0100, O_CREAT}, {0200, O_EXCL}, {0400, O_NOCTTY}, {01000, O_TRUNC}, {02000, O_APPEND},
    {04000, O_NONBLOCK}, {010000, O_DSYNC}, {0200000, O_DIRECTORY},
    {0400000, O_NOFOLLOW}, {01000000, O_NOATIME}, {GUEST_O_CLOEXEC, O_CLOEXEC},
    {04010000, O_SYNC}, {010000000, O_PATH}, {020200000, O_TMPFILE},
};

int syscall_host_flags(uint64_t guest_flags)
{
    int host = (int)(guest_flags & 3);
    size_t i;

    for (i = 0; i < sizeof flag_map / sizeof flag_map[0]; i++) {
        if ((guest_flags & flag_map[i].guest) == flag_map[i].guest) {
            host |= flag_map[i].host;
        }
    }
    return host;
}

uint64_t syscall_guest_flags(int host_flags)
{
    uint64_t guest = (uint64_t)(host_flags & O_ACCMODE) & 3;
    size_t i;

    for (i = 0; i < sizeof flag_map / sizeof flag_map[0]; i++) {
        if ((host_flags & flag_map[i].host) == flag_map[i].host) {
            guest |= flag_map[i].guest;
        }
    }
    return guest;
}

bool syscall_is_pipe(const struct open_file *file)
{
    struct stat st;

    return file->kind == OPEN_STREAM &&
           (fstat(file->fd, &st) != 0 || !S_ISREG(st.st_mode) ||
            (fcntl(file->fd, F_GETFL) & O_ACCMODE) != O_RDONLY);
}

/* ---- duplicates ------------------------------------------------------------------------- */

int64_t sys_dup(struct process *process, const uint64_t arg[6])
{
    struct open_file *file = files_get(&process->files, arg[0]);

    return file == NULL ? -EBADF : files_add(&process->files, file, 0, false);
}

int64_t sys_dup3(struct process *process, const uint64_t arg[6])
{
    struct open_file *file = files_get(&process->files, arg[0]);

    if (arg[0] == arg[1] || (arg[2] & ~(uint64_t)GUEST_O_CLOEXEC) != 0) {
        return -EINVAL;
    }
    if (file == NULL || arg[1] >= process->files.limit) {
        return -EBADF;
    }
    files_close(&process->files, arg[1]);
    return files_add(&process->files, file, (int)arg[1], arg[2] != 0);
}

int64_t sys_close(struct process *process, const uint64_t arg[6])
{
    return files_close(&process->files, arg[0]);
}

int64_t sys_close_range(struct process *process, const uint64_t arg[6])
{
    uint64_t fd, end = process->files.end, last = arg[1];
    bool is_only_flag = (arg[2] & 4) != 0;      /* CLOSE_RANGE_CLOEXEC */

    if (arg[0] > arg[1] || (arg[2] & ~UINT64_C(6)) != 0) {
        return -EINVAL;
    }
    for (fd = arg[0]; fd <= last && fd < end; fd++) {
        if (is_only_flag) {
            process->files.is_cloexec[fd] = true;
        } else {
            files_close(&process->files, fd);
        }
    }
    return 0;
}

int64_t sys_pipe2(struct process *process, const uint64_t arg[6])
{
    bool is_cloexec = (arg[1] & GUEST_O_CLOEXEC) != 0;
    int host[2];
    int32_t guest[2];

    if (pipe2(host, syscall_host_flags(arg[1]) | O_CLOEXEC) != 0) {
        return syscall_host_error();
    }
    guest[0] = files_open(&process->files, OPEN_HOST, host[0], NULL, is_cloexec);
    guest[1] = files_open(&process->files, OPEN_HOST, host[1], NULL, is_cloexec);
    if (guest[0] >= 0 && guest[1] >= 0 && vm_write(&process->vm, arg[0], guest, sizeof guest)) {
        return 0;
    }
    files_close(&process->files, (uint64_t)guest[0]);
    files_close(&process->files, (uint64_t)guest[1]);
    return guest[0] < 0 || guest[1] < 0 ? -EMFILE : -EFAULT;
}

/* ---- flags ------------------------------------------------------------------------------ */

/* Flags of an inherited stream belong to the process that started the simulator, and stay
 * unchanged. */
static int64_t set_flags(struct process *process, struct open_file *file, uint64_t guest_flags)
{
    if (file->kind == OPEN_STREAM) {
        return 0;
    }
    if (file->kind == OPEN_SOCKET) {
        return syscall_set_waits(process, file,
                                 (syscall_host_flags(guest_flags) & O_NONBLOCK) == 0);
    }
    return fcntl(file->fd, F_SETFL, syscall_host_flags(guest_flags)) != 0 ? syscall_host_error()
                                                                          : 0;
}

static int64_t get_flags(const struct open_file *file)
{
    int flags = fcntl(file->fd, F_GETFL);

    if (flags < 0) {
        return syscall_host_error();
    }
    if (file->kind == OPEN_STREAM) {
        flags &= O_ACCMODE;
    }
    if (file->kind == OPEN_SOCKET) {
        flags = O_RDWR | (file->waits ? 0 : O_NONBLOCK);
    }
    return (int64_t)syscall_guest_flags(flags & ~O_CLOEXEC);
}

int64_t sys_fcntl(struct process *process, const uint64_t arg[6])
{
    struct open_file *file = files_get(&process->files, arg[0]);

    if (file == NULL) {
        return -EBADF;
    }
    switch (arg[1]) {
    case GUEST_F_DUPFD:
    case GUEST_F_DUPFD_CLOEXEC:
        return arg[2] >= process->files.limit ? -EINVAL
                                   : files_add(&process->files, file, (int)arg[2],
                                               arg[1] == GUEST_F_DUPFD_CLOEXEC);
    case GUEST_F_GETFD: return process->files.is_cloexec[arg[0]];
    case GUEST_F_SETFD: process->files.is_cloexec[arg[0]] = arg[2] & 1; return 0;
    case GUEST_F_GETFL: return get_flags(file);
    case GUEST_F_SETFL: return set_flags(process, file, arg[2]);
    default: return syscall_lock(process, file, arg[1], arg[2]);
    }
}

static int64_t set_nonblocking(struct process *process, struct open_file *file, bool is_set)
{
    int64_t flags = get_flags(file), nonblocking = (int64_t)syscall_guest_flags(O_NONBLOCK);

    if (flags < 0) {
        return flags;
    }
    return set_flags(process, file,
                     (uint64_t)(is_set ? flags | nonblocking : flags & ~nonblocking));
}

/* No descriptor is a terminal to the guest; see process.h. */
int64_t sys_ioctl(struct process *process, const uint64_t arg[6])
{
    struct open_file *file = files_get(&process->files, arg[0]);
    int32_t count;

    if (file == NULL) {
        return -EBADF;
    }
    if (arg[1] == GUEST_FIONREAD && ioctl(file->fd, FIONREAD, &count) == 0) {
        return vm_write(&process->vm, arg[2], &count, sizeof count) ? 0 : -EFAULT;
    }
    if (arg[1] == GUEST_FIONBIO) {
        return vm_read(&process->vm, arg[2], &count, sizeof count)
                   ? set_nonblocking(process, file, count != 0) : -EFAULT;
    }
    return -ENOTTY;
}

/* ---- directories ------------------------------------------------------------------------ */

/* struct linux_dirent64 {u64 ino, s64 next offset, u16 bytes, u8 type, name}, 8-byte aligned.
 * Returns its size, or 0 when it does not fit. */
static size_t put_entry(const struct directory_entry *entry, size_t index, uint8_t *to, size_t room)
{
    enum { HEADER_BYTES = 19 };
    size_t bytes = (HEADER_BYTES + strlen(entry->name) + 1 + 7) & ~(size_t)7;
    uint64_t next = index + 1;
    uint16_t length = (uint16_t)bytes;

    if (bytes > room) {
        return 0;
    }
    memset(to, 0, bytes);
    memcpy(to, &entry->ino, sizeof entry->ino);
    memcpy(to + 8, &next, sizeof next);
    memcpy(to + 16, &length, sizeof length);
    to[18] = entry->type;
    strcpy((char *)to + HEADER_BYTES, entry->name);
    return bytes;
}

int64_t sys_getdents64(struct process *process, const uint64_t arg[6])
{
    struct open_file *file = files_get(&process->files, arg[0]);
    size_t room = arg[2] < TRANSFER_BYTES ? arg[2] : TRANSFER_BYTES, done = 0, bytes;
    size_t first;

    if (file == NULL) {
        return -EBADF;
    }
    if (!vm_prepare(&process->vm, arg[1], room, VM_WRITE)) {
        return -EFAULT;
    }
    if (file->entries == NULL || file->entry_next == 0) {
        int err = files_list(file);

        if (err != 0) {
            return err;
        }
    }
    first = file->entry_next;
    while (file->entry_next < file->entry_count) {
        bytes = put_entry(&file->entries[file->entry_next], file->entry_next,
                          process->buffer + done, room - done);
        if (bytes == 0) {
            break;
        }
        done += bytes;
        file->entry_next++;
    }
    if (done == 0 && file->entry_next < file->entry_count) {
        return -EINVAL;
    }
    if (!vm_write(&process->vm, arg[1], process->buffer, done)) {
        file->entry_next = first;       /* no caller has seen them */
        return -EFAULT;
    }
    return (int64_t)done;
}

/* ---- readiness -------------------------------------------------------------------------- */

static bool is_nothing(const struct pollfd *fds, nfds_t count)
{
    nfds_t i;

    for (i = 0; i < count && fds[i].fd < 0; i++) {
    }
    return i == count;
}

static bool has_socket(const struct process *process, const struct pollfd *fds, nfds_t count)
{
    unsigned fd;
    nfds_t i;

    for (fd = 0; fd < process->files.end; fd++) {
        const struct open_file *file = files_get(&process->files, fd);

        for (i = 0; file != NULL && file->kind == OPEN_SOCKET && i < count; i++) {
            if (fds[i].fd == file->fd) {
                return true;
            }
        }
    }
    return false;
}

/* The host's limit for the wait, in ms. */
static int host_limit(uint64_t limit_ns)
{
    const uint64_t ns_per_ms = 1000000;

    return limit_ns / ns_per_ms < INT_MAX ? (int)((limit_ns + ns_per_ms - 1) / ns_per_ms) : INT_MAX;
}

/* Waits as long as the guest would. A limited wait takes guest time, not the host's, and only
 * descriptors that are ready at its start end it, unless there are sockets. An unlimited wait waits
 * on the host. limit_va: 0 = unlimited. */
static int64_t wait_ready(struct process *process, struct pollfd *fds, nfds_t count,
                          uint64_t limit_va)
{
    uint64_t limit_ns = 0;
    int ready;

    if (limit_va != 0) {
        int err = syscall_read_time(process, limit_va, &limit_ns);

        if (err != 0) {
            return err;
        }
    }
    if (limit_va == 0 && is_nothing(fds, count)) {
        process_kill(process, SIGKILL, "the program waits for ever for nothing");
        return 0;
    }
    ready = poll(fds, count, limit_va == 0 ? -1
                             : has_socket(process, fds, count) ? host_limit(limit_ns) : 0);
    if (ready < 0) {
        return syscall_host_error();
    }
    if (ready == 0) {
        process_sleep(process, limit_ns);
    }
    return ready;
}

/* Host descriptor for poll: -1 for none; the host's null device stands for descriptors that are
 * always ready. */
static int host_fd(struct process *process, uint64_t fd)
{
    const struct open_file *file = files_get(&process->files, fd);

    return file == NULL ? -1 : file->fd;
}

int64_t sys_ppoll(struct process *process, const uint64_t arg[6])
{
    struct pollfd fds[POLL_MAX];
    int32_t guest_fd[POLL_MAX];
    uint64_t i, bytes = arg[1] * sizeof fds[0];
    int64_t ready, bad = 0;

    if (arg[1] > POLL_MAX) {
        return -EINVAL;
    }
    if (!vm_read(&process->vm, arg[0], fds, bytes)) {
        return -EFAULT;
    }
    for (i = 0; i < arg[1]; i++) {
        guest_fd[i] = fds[i].fd;
        fds[i].revents = 0;
        fds[i].fd = guest_fd[i] < 0 ? -1 : host_fd(process, (uint64_t)guest_fd[i]);
        bad += guest_fd[i] >= 0 && fds[i].fd < 0;
    }
    ready = bad > 0 ? poll(fds, (nfds_t)arg[1], 0)
                    : wait_ready(process, fds, (nfds_t)arg[1], arg[2]);
    if (ready < 0) {
        return ready;
    }
    for (i = 0; i < arg[1]; i++) {
        fds[i].revents = guest_fd[i] >= 0 && fds[i].fd < 0 ? POLLNVAL : fds[i].revents;
        fds[i].fd = guest_fd[i];
    }
    return vm_write(&process->vm, arg[0], fds, bytes) ? ready + bad : -EFAULT;
}

struct select_sets { uint64_t bits[3][SELECT_MAX / 64]; };
static const short select_events[3] = {POLLIN | POLLHUP | POLLERR, POLLOUT | POLLERR, POLLPRI};

static bool is_selected(const struct select_sets *sets, unsigned set, unsigned fd)
{
    return sets->bits[set][fd / 64] >> fd % 64 & 1;
}

/* One pollfd per descriptor in any set, its place in `fds` being the descriptor itself. */
static int fill_polls(struct process *process, const struct select_sets *sets, unsigned count,
                      struct pollfd *fds)
{
    unsigned fd, set;

    for (fd = 0; fd < count; fd++) {
        fds[fd] = (struct pollfd){.fd = -1};
        for (set = 0; set < 3; set++) {
            if (is_selected(sets, set, fd)) {
                fds[fd].fd = host_fd(process, fd);
                fds[fd].events = (short)(fds[fd].events | select_events[set]);
                if (fds[fd].fd < 0) {
                    return -EBADF;
                }
            }
        }
    }
    return 0;
}

int64_t sys_pselect6(struct process *process, const uint64_t arg[6])
{
    struct select_sets sets = {0}, result = {0};
    struct pollfd fds[SELECT_MAX];
    uint64_t bytes = (arg[0] + 63) / 64 * 8;
    int64_t ready, count = 0;
    unsigned set, fd;

    if (arg[0] > SELECT_MAX) {
        return -EINVAL;
    }
    for (set = 0; set < 3; set++) {
        if (arg[1 + set] != 0 && !vm_read(&process->vm, arg[1 + set], sets.bits[set], bytes)) {
            return -EFAULT;
        }
    }
    ready = fill_polls(process, &sets, (unsigned)arg[0], fds);
    ready = ready < 0 ? ready : wait_ready(process, fds, (nfds_t)arg[0], arg[4]);
    if (ready < 0) {
        return ready;
    }
    for (set = 0; set < 3; set++) {
        for (fd = 0; fd < arg[0]; fd++) {
            if (is_selected(&sets, set, fd) && (fds[fd].revents & select_events[set])) {
                result.bits[set][fd / 64] |= UINT64_C(1) << fd % 64;
                count++;
            }
        }
        if (arg[1 + set] != 0 && !vm_write(&process->vm, arg[1 + set], result.bits[set], bytes)) {
            return -EFAULT;
        }
    }
    return count;
}
