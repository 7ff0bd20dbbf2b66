/* Memory by virtual address; setting of breakpoints and watchpoints. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "isa/csr.h"
#include "sim/debug/session_internal.h"
#include "sim/host/state.h"
#include "sim/run/linux/process.h"
#include "sim/run/linux/vm.h"

enum { BYTES_MAX = PACKET_BYTES / 2 };

/* ---- memory ---------------------------------------------------------------------------------- */

static bool take_range(const char **at, uint64_t *address, uint64_t *bytes)
{
    return take_hex(at, address) && take_char(at, ',') && take_hex(at, bytes);
}

/* Accesses pages as the hart's own privilege sees them, else as user mode, else as the kernel. */
static bool access_here(struct session *session, uint64_t address, uint8_t *bytes, size_t count,
                        bool is_write)
{
    struct cpu *cpu = &session->machine->cpu[session->looked_from];
    const unsigned priv[] = {cpu->hart.priv, PRIV_U, PRIV_S};

    for (unsigned i = 0; i < sizeof priv / sizeof priv[0]; i++)
        if (is_write ? state_write(cpu, priv[i], address, bytes, count)
                     : state_read(cpu, priv[i], address, bytes, count))
            return true;
    return false;
}

/* A thread that no hart runs may have another address space. */
static bool access_as_any(struct session *session, uint64_t address, uint8_t *bytes, size_t count,
                          bool is_write)
{
    struct hart *hart = &session->machine->cpu[session->looked_from].hart;
    uint64_t satp = hart->satp;
    struct asleep asleep;
    bool is_there;

    if (session->sleeper != 0 && threads_find(session, session->sleeper, &asleep))
        hart->satp = (uint64_t)SATP_SV39 << SATP_MODE_SHIFT | asleep.root_pa >> PHYS_PAGE_BITS;
    is_there = access_here(session, address, bytes, count, is_write);
    hart->satp = satp;
    return is_there;
}

static bool is_zero(const struct process_view *process, uint64_t address)
{
    for (size_t i = 0; i < process->zeros; i++)
        if (address >= process->zero[i].start && address < process->zero[i].end)
            return true;
    return false;
}

/* The root of the page tables of the selected thread's process. */
static uint64_t root_of(struct session *session)
{
    uint64_t satp = session->machine->cpu[session->looked_from].hart.satp;
    struct asleep asleep;

    return session->sleeper != 0 && threads_find(session, session->sleeper, &asleep)
               ? asleep.root_pa : (satp & SATP_PPN) << PHYS_PAGE_BITS;
}

/* True for memory that the program has mapped, but not touched yet. */
static bool is_untouched(struct session *session, uint64_t address)
{
    uint64_t root_pa = root_of(session);
    struct tasks tasks;
    bool is_found = false;

    if (tasks_take(&tasks, session->machine, TASKS_MEMORY, NULL) == ERR_OK)
        for (size_t i = 0; i < tasks.processes && !is_found; i++)
            is_found = tasks.process[i].root_pa == root_pa &&
                       is_zero(&tasks.process[i], address);
    tasks_free(&tasks);
    return is_found;
}

/* Answers with the accessible part of the range; an error if its first byte is not accessible. */
enum outcome handle_read_memory(struct session *session, const char *arguments, size_t length)
{
    uint8_t bytes[BYTES_MAX];
    uint64_t address, count, got = 0;

    (void)length;
    if (!take_range(&arguments, &address, &count) || *arguments != '\0')
        return reply_error(session, FAULT_ARGUMENT);
    count = count < BYTES_MAX - 1 ? count : BYTES_MAX - 1;
    while (got < count) {
        uint64_t piece = PHYS_PAGE_BYTES - (address + got) % PHYS_PAGE_BYTES;

        piece = piece < count - got ? piece : count - got;
        if (!access_as_any(session, address + got, bytes + got, piece, false)) {
            if (!is_untouched(session, address + got))
                break;
            memset(bytes + got, 0, piece);
        }
        got += piece;
    }
    if (got == 0 && count != 0)
        return reply_error(session, FAULT_ADDRESS);
    reply_hex(session, bytes, got);
    return OUTCOME_ANSWERED;
}

/* Makes pages present that the program has not touched yet, as its own access would, but without
 * executing an instruction. Not possible under the guest kernel, which manages its own pages. */
static void touch(struct session *session, uint64_t address, size_t count)
{
    struct process *process = session->machine->process;
    uint64_t end = address + count;

    if (process == NULL || session->machine->kernel != NULL)
        return;
    for (uint64_t at = address & ~(uint64_t)(PHYS_PAGE_BYTES - 1); at < end; at += PHYS_PAGE_BYTES)
        process_touch(process, at);
}

/* Explains a failed write to an untouched page, which reads as zeros: debuggers only report that
 * the memory cannot be accessed. */
static void tell_untouched(struct session *session, uint64_t address)
{
    if (session->machine->kernel != NULL && is_untouched(session, address))
        fprintf(stderr, "rvsim: debugger: 0x%" PRIx64 " is not written: the program has not used "
                "this page yet, and only the guest kernel can give it one; write it after the "
                "program's first store there\n", address);
}

/* Another process that shares the page, which the guest kernel copies at the next store. 0:
 * none. */
static uint32_t sharer_of(struct session *session, uint64_t address)
{
    const struct machine *machine = session->machine;
    uint64_t root_pa = root_of(session), page = 0, other;
    struct process_view own = {.root_pa = root_pa};
    struct piece_view piece;
    struct tasks tasks;
    uint32_t pid = 0;

    if (machine->kernel == NULL || !tasks_translate(machine, &own, address, &page) ||
        !tasks_piece(machine, &own, address, &piece) || (piece.prot & VM_WRITE) != 0)
        return 0;
    if (tasks_take(&tasks, machine, TASKS_LIMITS, NULL) == ERR_OK)
        for (size_t i = 0; i < tasks.processes && pid == 0; i++)
            if (tasks.process[i].root_pa != root_pa &&
                tasks_translate(machine, &tasks.process[i], address, &other) && other == page)
                pid = tasks.process[i].pid;
    tasks_free(&tasks);
    return pid;
}

/* True, with a message, if another process would see a write. */
static bool is_shared(struct session *session, uint64_t address, size_t count)
{
    uint32_t pid = sharer_of(session, address);

    if (pid == 0 && count != 0)
        pid = sharer_of(session, address + count - 1);
    if (pid != 0)
        fprintf(stderr, "rvsim: debugger: 0x%" PRIx64 " is not written: process %" PRIu32
                " has the same page, and only the guest kernel can make a copy; write it after the "
                "program's next store there\n", address, pid);
    return pid != 0;
}

static enum outcome write(struct session *session, uint64_t address, uint8_t *bytes, size_t count)
{
    if (is_shared(session, address, count))
        return reply_error(session, FAULT_ADDRESS);
    if (!access_as_any(session, address, bytes, count, true)) {
        touch(session, address, count);
        if (!access_as_any(session, address, bytes, count, true)) {
            tell_untouched(session, address);
            return reply_error(session, FAULT_ADDRESS);
        }
    }
    machine_changed(session->machine);
    return reply_ok(session);
}

enum outcome handle_write_memory(struct session *session, const char *arguments, size_t length)
{
    uint8_t bytes[BYTES_MAX];
    uint64_t address, count;

    (void)length;
    if (session->is_inside)
        return OUTCOME_OUTSIDE;
    if (!take_range(&arguments, &address, &count) || !take_char(&arguments, ':') ||
        count > BYTES_MAX || !take_bytes(&arguments, bytes, count) || *arguments != '\0')
        return reply_error(session, FAULT_ARGUMENT);
    return write(session, address, bytes, count);
}

enum outcome handle_write_binary(struct session *session, const char *arguments, size_t length)
{
    const char *from = arguments;
    uint64_t address, count;

    if (!take_range(&arguments, &address, &count) || !take_char(&arguments, ':') ||
        count != length - (size_t)(arguments - from))
        return reply_error(session, FAULT_ARGUMENT);
    if (count == 0)                 /* gdb only asks whether the packet is known */
        return reply_ok(session);
    if (session->is_inside)
        return OUTCOME_OUTSIDE;
    return write(session, address, (uint8_t *)(uintptr_t)arguments, count);
}

/* ---- places to stop at ----------------------------------------------------------------------- */

/* Parses kind,address,bytes. Conditions and commands are not supported. */
static bool take_point(const char *at, struct breaking *point)
{
    uint64_t kind;

    if (!take_hex(&at, &kind) || !take_char(&at, ',') ||
        !take_range(&at, &point->address, &point->bytes) || *at != '\0')
        return false;
    point->kind = kind < BREAK_KINDS ? (enum break_kind)kind : BREAK_KINDS;
    return true;
}

/* Drops decoded blocks, as blocks must end in front of breakpoints. */
static void breaks_changed(struct session *session)
{
    struct machine *machine = session->machine;

    breaks_apply(&session->breaks, &session->pauses);
    for (unsigned i = 0; i < machine->harts; i++)
        if (machine->fast[i] != NULL)
            fast_flush(machine->fast[i]);
}

/* An unknown kind gets the empty answer. */
static enum outcome change_point(struct session *session, const char *arguments, bool is_wanted)
{
    struct breaking point;

    if (!take_point(arguments, &point))
        return reply_error(session, FAULT_ARGUMENT);
    if (point.kind == BREAK_KINDS)
        return OUTCOME_ANSWERED;
    if (!is_wanted)
        breaks_remove(&session->breaks, &point);
    else if (!breaks_add(&session->breaks, &point))
        return reply_error(session, FAULT_NO_MEMORY);
    breaks_changed(session);
    return reply_ok(session);
}

enum outcome handle_insert(struct session *session, const char *arguments, size_t length)
{
    (void)length;
    return change_point(session, arguments, true);
}

enum outcome handle_remove(struct session *session, const char *arguments, size_t length)
{
    (void)length;
    return change_point(session, arguments, false);
}
