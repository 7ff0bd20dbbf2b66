/* The host-call device: requests, contexts; files the kernel maps are kernel_handle.c's. */
#include "sim/run/kernel/kernel_host.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "sim/run/kernel/kernel_handle.h"
#include "sim/run/linux/process_internal.h"

enum { TEXT_BYTES = 128, NS_PER_MS = 1000000 };

/* ---- contexts -------------------------------------------------------------------------------- */

static struct process *context_of(const struct kernel_host *host, uint64_t id)
{
    for (size_t i = 0; i < host->context_count; i++)
        if (host->contexts[i].id == id)
            return host->contexts[i].process;
    return NULL;
}

static bool add_context(struct kernel_host *host, uint64_t id, struct process *process)
{
    if (host->context_count == host->context_capacity) {
        size_t capacity = 2 * host->context_capacity + 8;
        struct kernel_context *grown = realloc(host->contexts, capacity * sizeof *grown);

        if (grown == NULL)
            return false;
        host->contexts = grown;
        host->context_capacity = capacity;
    }
    host->contexts[host->context_count++] = (struct kernel_context){id, process};
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
    return 0;
}

/* The first stays: the machine asks it where the program lies. */
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

/* ---- requests -------------------------------------------------------------------------------- */

/* Sockets alone take time of the host, so that the guest's time does not run ahead of an answer. */
static int64_t poll_descriptor(const struct process *process, uint64_t fd, uint64_t events,
                               uint64_t limit_ns)
{
    enum { CALLS_SHIFT = 16 };
    const struct open_file *file = files_get(&process->files, fd);
    struct pollfd pollfd = {.events = (short)events};
    bool is_socket = file != NULL && file->kind == OPEN_SOCKET;
    int64_t ready;

    if (file == NULL)
        return -EBADF;
    pollfd.fd = file->fd;
    ready = poll(&pollfd, 1, is_socket ? (int)(limit_ns / NS_PER_MS) : 0) <= 0 ? 0
                                                                               : pollfd.revents;
    return is_socket ? ready | (int64_t)file->calls << CALLS_SHIFT : ready;
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

/* A call that is made again waits first. */
static int64_t system_call(struct process *process, struct kernel_call *call, bool is_again)
{
    uint64_t argument[6];
    int64_t result;

    for (unsigned i = 0; i < 6; i++)
        argument[i] = call->argument[i];
    if (is_again)
        poll_descriptor(process, argument[0], call->events, KERNEL_AGAIN_NS);
    result = syscall_call(process, call->number, argument);
    if (syscall_waits(process, call->number, argument, result, &call->events))
        call->status = KERNEL_CALL_WAIT;
    return result == SYSCALL_RESTART ? -EINTR : result;
}

static int64_t perform(struct kernel_host *host, struct process *process,
                       struct kernel_call *call, bool is_again)
{
    const unsigned long long *argument = call->argument;

    switch ((enum kernel_op)call->op) {
    case KERNEL_OP_SYSCALL: return system_call(process, call, is_again);
    case KERNEL_OP_READY: host->is_ready = host->phys->event = true; return 0;
    case KERNEL_OP_EXIT: return end_run(host, argument);
    case KERNEL_OP_CLONE: return clone_context(host, process, argument[0]);
    case KERNEL_OP_DROP: return drop_context(host, call->context);
    case KERNEL_OP_EXEC: return kernel_handle_exec(host, process, argument[0]);
    case KERNEL_OP_OPEN_EXEC: return kernel_handle_open_user(host, process, argument[0]);
    case KERNEL_OP_OPEN_KERNEL: return kernel_handle_open(host, process, argument[0]);
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
        return poll_descriptor(process, argument[0], argument[1], argument[2]);
    case KERNEL_OP_NOTE: return write_note(host, argument[0]);
    case KERNEL_OP_RING: return take_ring(host, (unsigned)argument[0]);
    default: return -ENOSYS;
    }
}

static void serve(struct kernel_host *host, struct process *process, struct kernel_call *call)
{
    struct vm *vm = &process->vm;
    bool is_again = call->status == KERNEL_CALL_WAIT;

    vm->table.root_pa = (call->satp & ((UINT64_C(1) << 44) - 1)) << PHYS_PAGE_BITS;
    vm->bad_va = call->bad_va;
    vm->has_fault = false;
    call->status = KERNEL_CALL_DONE;
    call->result = perform(host, process, call, is_again);
    if (vm->has_fault && call->result == -EFAULT) {
        call->status = KERNEL_CALL_FAULT;
        call->fault_va = vm->fault_va;
        call->fault_bytes = vm->fault_bytes;
        call->fault_prot = vm->fault_prot;
    }
    call->ready = call->op == KERNEL_OP_SYSCALL && host->latency_ticks != 0 &&
                  call->status == KERNEL_CALL_DONE ? *host->time + host->latency_ticks : 0;
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

static bool read_nothing(struct phys_device *device, uint64_t offset, unsigned size,
                         uint64_t *value)
{
    (void)device;
    (void)offset;
    (void)size;
    *value = 0;
    return true;
}

bool kernel_host_init(struct kernel_host *host, struct phys *phys, struct process *first)
{
    *host = (struct kernel_host){
        .device = {"kernel-host", KERNEL_HOST_PA, KERNEL_HOST_BYTES, read_nothing, ring_doorbell,
                   NULL},
        .phys = phys,
    };
    if (!add_context(host, 0, first))
        return false;
    phys_add_device(phys, &host->device);
    return true;
}

void kernel_host_free(struct kernel_host *host)
{
    for (size_t i = 1; i < host->context_count; i++)
        process_free(host->contexts[i].process);
    kernel_handle_free(host);
    free(host->contexts);
    free(host);
}
