/* The host-call device: requests, contexts; files the kernel maps are kernel_handle.c's. */
#define _GNU_SOURCE     /* ppoll */
#include "sim/run/kernel/kernel_host.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "pmu/key.h"
#include "sim/base/array.h"
#include "sim/run/kernel/kernel_handle.h"
#include "sim/run/kernel/kernel_node.h"
#include "sim/run/linux/process_internal.h"

enum { TEXT_BYTES = 128 };

/* ---- contexts -------------------------------------------------------------------------------- */

static struct kernel_context *find_context(const struct kernel_host *host, uint64_t id)
{
    for (size_t i = 0; i < host->context_count; i++)
        if (host->contexts[i].id == id)
            return &host->contexts[i];
    return NULL;
}

static struct process *context_of(const struct kernel_host *host, uint64_t id)
{
    const struct kernel_context *context = find_context(host, id);

    return context != NULL ? context->process : NULL;
}

uint64_t kernel_host_program(const struct kernel_host *host, uint64_t context)
{
    const struct kernel_context *found = find_context(host, context);

    return found != NULL ? found->program : 0;
}

uint64_t kernel_host_key(const struct kernel_host *host, uint64_t thread, uint64_t va)
{
    return host != NULL && host->key != NULL ? host->key(host->executed_arg, thread, va) : va;
}

void kernel_host_set_program(struct kernel_host *host, uint64_t context, uint64_t program)
{
    struct kernel_context *found = find_context(host, context);

    if (found != NULL)
        found->program = program;
}

static bool add_context(struct kernel_host *host, uint64_t id, struct process *process)
{
    struct kernel_context *grown = array_grow(host->contexts, host->context_count, sizeof *grown);

    if (grown == NULL)
        return false;
    host->contexts = grown;
    host->contexts[host->context_count++] = (struct kernel_context){.id = id, .process = process};
    return true;
}

static int64_t clone_context(struct kernel_host *host, struct process *from, uint64_t id)
{
    struct process *clone = context_of(host, id) == NULL ? process_clone_guest(from, id) : NULL;

    if (clone == NULL)
        return -ENOMEM;
    if (!add_context(host, id, clone)) {
        process_free(clone);
        return -ENOMEM;
    }
    if (host->forked != NULL)
        host->forked(host->executed_arg, id);
    return 0;
}

/* The first context stays: the machine asks it for the program's addresses. */
static int64_t drop_context(struct kernel_host *host, uint64_t id)
{
    for (size_t i = 1; i < host->context_count; i++)
        if (host->contexts[i].id == id) {
            process_free(host->contexts[i].process);
            host->contexts[i] = host->contexts[--host->context_count];
            return 0;
        }
    return -ESRCH;
}

/* ---- sockets --------------------------------------------------------------------------------- */

/* One of the sockets is ready, or readiness is unknown: all waiting threads check themselves. */
static void send_interrupt(struct kernel_host *host)
{
    host->wait_count = 0;
    host->has_come = true;
    clint_send(&host->devices->clint, 0);
}

/* While no hart does anything, the guest's time passes at the host's speed. */
static uint64_t look_outside(void *arg, bool is_idle)
{
    struct kernel_host *host = arg;
    struct timespec limit = {.tv_nsec = is_idle ? (long)host->look_ns : 0};
    struct pollfd *fds = calloc(host->wait_count + 1, sizeof *fds);
    int ready = 1;

    for (size_t i = 0; fds != NULL && i < host->wait_count; i++)
        fds[i] = (struct pollfd){.fd = host->waits[i].fd, .events = host->waits[i].events};
    if (fds != NULL)
        ready = ppoll(fds, host->wait_count, &limit, NULL);
    free(fds);
    if (ready != 0)
        send_interrupt(host);
    return host->wait_count != 0 ? host->devices->clint.mtime + host->look_ticks : UINT64_MAX;
}

static void add_wait(struct kernel_host *host, int fd, uint64_t events)
{
    struct devices *devices = host->devices;
    struct kernel_wait *grown;

    for (size_t i = 0; i < host->wait_count; i++)
        if (host->waits[i].fd == fd) {
            host->waits[i].events = (short)(host->waits[i].events | (short)events);
            return;
        }
    grown = array_grow(host->waits, host->wait_count, sizeof *grown);
    if (grown == NULL) {
        send_interrupt(host);
        return;
    }
    host->waits = grown;
    host->waits[host->wait_count++] = (struct kernel_wait){fd, (short)events};
    if (devices->next_look == UINT64_MAX)
        devices->next_look = devices->clint.mtime + host->look_ticks;
}

/* ---- requests -------------------------------------------------------------------------------- */

/* True if epoll accepts it; it does not accept disk files, which are always ready. */
static bool can_be_waited_for(int fd)
{
    struct epoll_event event = {.events = EPOLLIN};
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    bool is_taken = epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0 ||
                    errno != EPERM;

    if (epoll >= 0)
        close(epoll);
    return is_taken;
}

static int64_t poll_descriptor(struct kernel_host *host, const struct process *process,
                               const unsigned long long argument[6])
{
    enum { CALLS_SHIFT = 16 };
    const struct open_file *file = files_get(&process->files, argument[0]);
    struct pollfd pollfd = {.events = (short)argument[1]};
    int64_t ready;

    if (file == NULL)
        return -EBADF;
    if (file->kind != OPEN_GUEST && (fcntl(file->fd, F_GETFL) & O_PATH) != 0)
        return -EBADF;
    if (argument[3] != 0 && !can_be_waited_for(file->fd))
        return -EPERM;
    pollfd.fd = file->fd;
    ready = poll(&pollfd, 1, 0) <= 0 ? 0 : pollfd.revents;
    if (file->kind != OPEN_SOCKET)
        return ready;
    if (argument[2] != 0 && (argument[1] & ~(uint64_t)ready) != 0)
        add_wait(host, file->fd, argument[1] & ~(uint64_t)ready);
    return ready | (int64_t)file->calls << CALLS_SHIFT;
}

static int64_t tell_descriptors(struct kernel_host *host, const struct process *process,
                                uint64_t pa)
{
    uint64_t bits[FILES_MAX / 64] = {0};

    for (unsigned fd = 0; fd < process->files.end; fd++)
        if (files_get(&process->files, fd) != NULL)
            bits[fd / 64] |= UINT64_C(1) << fd % 64;
    return phys_copy_in(host->phys, pa, bits, sizeof bits) ? 0 : -EFAULT;
}

/* ---- open files on their way ----------------------------------------------------------------- */

static int64_t hold(struct kernel_host *host, struct process *process, uint64_t fd)
{
    struct open_file *file = files_get(&process->files, fd), **grown;
    size_t at = 0;

    if (file == NULL)
        return -EBADF;
    while (at < host->held_count && host->held[at] != NULL)
        at++;
    if (at == host->held_count) {
        grown = array_grow(host->held, at, sizeof *grown);
        if (grown == NULL)
            return -ENOMEM;
        host->held = grown;
        host->held_count++;
    }
    host->held[at] = file;
    file->users++;
    return (int64_t)at;
}

static int64_t take_held(struct kernel_host *host, struct process *process, uint64_t number,
                         bool is_cloexec)
{
    if (number >= host->held_count || host->held[number] == NULL)
        return -EBADF;
    return files_add(&process->files, host->held[number], 0, is_cloexec);
}

static int64_t drop_held(struct kernel_host *host, struct process *process, uint64_t number)
{
    if (number >= host->held_count || host->held[number] == NULL)
        return -EBADF;
    files_release(&process->files, host->held[number]);
    host->held[number] = NULL;
    return 0;
}

static int64_t write_note(const struct kernel_host *host, uint64_t pa)
{
    char text[TEXT_BYTES] = "";

    phys_copy_out(host->phys, pa, text, sizeof text - 1);
    if (host->log != NULL)
        fprintf(host->log, "rvsim: note: guest kernel: %s\n", text);
    return 0;
}

static int64_t end_run(struct kernel_host *host, const unsigned long long argument[6])
{
    host->has_ended = true;
    host->signal = (int)argument[0];
    host->exit_code = argument[0] == 0 ? (int)argument[1] : 0;
    host->end_pc = argument[1];
    host->end_va = argument[2];
    host->end_reason = argument[3];
    host->phys->event = true;
    return 0;
}

static int64_t take_ring(struct kernel_host *host, unsigned hart)
{
    struct kernel_ring ring;
    uint64_t pa = host->rings_pa + hart * sizeof ring;

    if (host->rings_pa == 0 || hart >= host->harts ||
        !phys_copy_out(host->phys, pa, &ring, sizeof ring) || ring.written > ring.capacity)
        return -EINVAL;
    if (host->records != NULL && ring.written != 0)
        host->records(host->records_arg, hart,
                      (const void *)phys_host(host->phys, ring.records_pa), ring.written);
    ring.written = 0;
    phys_copy_in(host->phys, pa, &ring, sizeof ring);
    return 0;
}

void kernel_host_drain(struct kernel_host *host)
{
    for (unsigned i = 0; i < host->harts; i++)
        take_ring(host, i);
}

void kernel_host_record(struct kernel_host *host, uint64_t kinds)
{
    kernel_host_drain(host);
    for (unsigned i = 0; i < host->harts; i++)
        phys_copy_in(host->phys, host->rings_pa + i * sizeof(struct kernel_ring) +
                     offsetof(struct kernel_ring, is_on), &kinds, sizeof kinds);
}

static int64_t take_page(const struct kernel_host *host, const unsigned long long argument[6])
{
    if (host->follower.came != NULL)
        host->follower.came(host->follower.arg, key_of(argument[2] << KEY_SHIFT, argument[1]),
                            argument[0]);
    return 0;
}

static int64_t free_page(const struct kernel_host *host, uint64_t pa)
{
    if (host->follower.freed != NULL)
        host->follower.freed(host->follower.arg, pa);
    return 0;
}

static int64_t load_page(const struct kernel_host *host, const struct process *process,
                         const unsigned long long argument[6])
{
    if (!phys_is_ram(host->phys, argument[0], PHYS_PAGE_BYTES))
        return -EFAULT;
    process_reload(process, argument[1], argument[0]);
    return 0;
}

static int64_t system_call(struct kernel_host *host, struct process *process,
                           struct kernel_call *call)
{
    uint64_t argument[6];
    int64_t result;

    for (unsigned i = 0; i < 6; i++)
        argument[i] = call->argument[i];
    process->pipe_inode = 0;
    result = syscall_call(process, call->number, argument);
    if (result >= 0 && process->pipe_inode != 0)
        call->node = kernel_node_number(host, process->pipe_device, process->pipe_inode);
    if (syscall_waits(process, call->number, argument, result, &call->events)) {
        call->status = KERNEL_CALL_WAIT;
        add_wait(host, files_get(&process->files, argument[0])->fd, call->events);
    }
    return result == SYSCALL_RESTART ? -EINTR : result;
}

static int64_t execute(struct kernel_host *host, struct process *process,
                       const struct kernel_call *call)
{
    int64_t result = kernel_handle_exec(host, process, call->argument[0]);

    return result == 0 ? (int64_t)(kernel_host_program(host, call->context) >> KEY_SHIFT) : result;
}

static int64_t perform(struct kernel_host *host, struct process *process,
                       struct kernel_call *call)
{
    const unsigned long long *argument = call->argument;

    switch ((enum kernel_op)call->op) {
    case KERNEL_OP_SYSCALL: return system_call(host, process, call);
    case KERNEL_OP_READY: host->is_ready = host->phys->event = true; return 0;
    case KERNEL_OP_EXIT: return end_run(host, argument);
    case KERNEL_OP_CLONE: return clone_context(host, process, argument[0]);
    case KERNEL_OP_DROP: return drop_context(host, call->context);
    case KERNEL_OP_EXEC: return execute(host, process, call);
    case KERNEL_OP_OPEN_EXEC: return kernel_handle_open_user(host, process, argument[0]);
    case KERNEL_OP_OPEN_KERNEL: return kernel_handle_open(host, process, argument[0]);
    case KERNEL_OP_CREATE:
        return kernel_handle_create(host, process, argument[0], argument[1]);
    case KERNEL_OP_MAP_FILE:
        return kernel_handle_map(host, process, argument);
    case KERNEL_OP_PLACED: return kernel_handle_placed(host, argument[0], argument[1]);
    case KERNEL_OP_SIZE: return kernel_handle_size(host, argument[0]);
    case KERNEL_OP_READ_PAGE:
    case KERNEL_OP_WRITE_PAGE:
        return kernel_handle_move(host, argument, call->op == KERNEL_OP_WRITE_PAGE);
    case KERNEL_OP_CLOSE_HANDLE: return kernel_handle_close(host, argument[0]);
    case KERNEL_OP_NEW_FD:
        return files_open(&process->files, OPEN_GUEST, -1, NULL, argument[0] != 0);
    case KERNEL_OP_POLL:
        return poll_descriptor(host, process, argument);
    case KERNEL_OP_HOLD: return hold(host, process, argument[0]);
    case KERNEL_OP_TAKE_HELD: return take_held(host, process, argument[0], argument[1] != 0);
    case KERNEL_OP_DROP_HELD: return drop_held(host, process, argument[0]);
    case KERNEL_OP_FILE_LIMIT:
        process->files.limit = argument[0] < FILES_MAX ? (unsigned)argument[0] : FILES_MAX;
        process->files.bytes_limit = argument[1];
        return 0;
    case KERNEL_OP_DESCRIPTORS: return tell_descriptors(host, process, argument[0]);
    case KERNEL_OP_HANDLE_PATH: return kernel_handle_path(host, argument);
    case KERNEL_OP_EXE_PATH:
        return kernel_path_out(host, process->files.exe_name, argument[0], argument[1]);
    case KERNEL_OP_SOCKET_NAME:
        return kernel_node_of_socket(host, process, argument[0], argument[1] != 0);
    case KERNEL_OP_NOTE: return write_note(host, argument[0]);
    case KERNEL_OP_RING: return take_ring(host, (unsigned)argument[0]);
    case KERNEL_OP_PAGE_CAME: return take_page(host, argument);
    case KERNEL_OP_PAGE_FREED: return free_page(host, argument[0]);
    case KERNEL_OP_IMAGE_PAGE: return load_page(host, process, argument);
    default: return -ENOSYS;
    }
}

static void serve(struct kernel_host *host, struct process *process, struct kernel_call *call)
{
    struct vm *vm = &process->vm;

    vm->table.root_pa = (call->satp & ((UINT64_C(1) << 44) - 1)) << PHYS_PAGE_BITS;
    vm->bad_va = call->bad_va;
    vm->has_fault = false;
    call->status = KERNEL_CALL_DONE;
    host->caller = call->context;
    call->result = perform(host, process, call);
    if (call->result == -EFAULT && vm->has_fault) {     /* KERNEL_OP_DROP, which frees it, has 0 */
        call->status = KERNEL_CALL_FAULT;
        call->fault_va = vm->fault_va;
        call->fault_bytes = vm->fault_bytes;
        call->fault_prot = vm->fault_prot;
    }
    call->ready = call->op == KERNEL_OP_SYSCALL && host->latency_ticks != 0 &&
                  call->status == KERNEL_CALL_DONE
                      ? clint_now(&host->devices->clint) + host->latency_ticks : 0;
}

static bool ring_doorbell(struct phys_device *device, uint64_t offset, unsigned size,
                          uint64_t value)
{
    struct kernel_host *host = (struct kernel_host *)device;
    struct kernel_call call;
    struct process *process;

    if (offset != 0 || size != sizeof(uint64_t) ||
        !phys_copy_out(host->phys, value, &call, sizeof call))
        return false;
    process = context_of(host, call.context);
    if (process == NULL) {
        call.status = KERNEL_CALL_DONE;
        call.result = -ESRCH;
    } else {
        serve(host, process, &call);
    }
    phys_copy_in(host->phys, value, &call, sizeof call);
    return true;
}

static bool read_event(struct phys_device *device, uint64_t offset, unsigned size, uint64_t *value)
{
    struct kernel_host *host = (struct kernel_host *)device;

    (void)size;
    *value = offset == 0 && host->has_come;
    host->has_come &= offset != 0;
    return true;
}

bool kernel_host_init(struct kernel_host *host, struct phys *phys, struct process *first,
                      struct devices *devices, uint64_t look_ticks)
{
    *host = (struct kernel_host){
        .device = {"kernel-host", KERNEL_HOST_PA, KERNEL_HOST_BYTES, read_event, ring_doorbell,
                   NULL},
        .phys = phys, .devices = devices, .look_ticks = look_ticks, .look_ns = KERNEL_LOOK_NS,
    };
    if (!add_context(host, 0, first))
        return false;
    devices->look = look_outside;
    devices->look_arg = host;
    phys_add_device(phys, &host->device);
    return true;
}

void kernel_host_free(struct kernel_host *host)
{
    for (size_t i = 1; i < host->context_count; i++)
        process_free(host->contexts[i].process);
    kernel_handle_free(host);
    frames_guest_free(&host->sampler_frames);
    for (size_t i = 0; i < host->held_count; i++)
        drop_held(host, host->contexts[0].process, i);
    free(host->held);
    free(host->nodes);
    free(host->waits);
    free(host->contexts);
    free(host);
}
