/* System calls of a user program: dispatch by syscall.def, the trace, and unsupported calls.
 *
 * A program that the host serves and that needs the guest kernel may begin again under it, as long
 * as nobody can notice that it ran before: process_hand_over. A call's row says what is noticed. */
#define _DEFAULT_SOURCE     /* major */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "sim/run/linux/process_internal.h"

enum { REG_A0 = 10, REG_A7 = 17, TRACED_STRING = 64 };

int64_t syscall_host_error(void)
{
    return errno == EINTR ? SYSCALL_RESTART : -(int64_t)errno;
}

/* ---- the tables ------------------------------------------------------------------------- */

/* The guest kernel's table. */
static const char *kernel_call_name(uint64_t number)
{
    switch (number) {
#define KERNEL(number, name) case number: return #name;
#define VALUE(number, name, value) case number: return #name;
#include "pmu/abi_syscall.def"
#undef KERNEL
#undef VALUE
    default: return NULL;
    }
}

bool process_kernel_serves(uint64_t number)
{
    switch (number) {
#define KERNEL(number, name) case number: return true;
#define VALUE(number, name, value) case number: return (value) != -ENOSYS;
#include "pmu/abi_syscall.def"
#undef KERNEL
#undef VALUE
    default: return false;
    }
}

const char *process_syscall_name(uint64_t number)
{
    switch (number) {
#define SYSCALL(number, name, kinds) case number: return #name;
#define SYSCALL_VALUE(number, name, value) case number: return #name;
#define SYSCALL_ABSENT(number, name) case number: return #name;
#include "sim/run/linux/syscall.def"
#undef SYSCALL
#undef SYSCALL_VALUE
#undef SYSCALL_ABSENT
    default: return kernel_call_name(number);
    }
}

static const char *kinds_of(uint64_t number)
{
    switch (number) {
#define SYSCALL(number, name, kinds) case number: return kinds;
#define SYSCALL_VALUE(number, name, value)
#define SYSCALL_ABSENT(number, name)
#include "sim/run/linux/syscall.def"
#undef SYSCALL
#undef SYSCALL_VALUE
#undef SYSCALL_ABSENT
    default: return "";
    }
}

/* ---- what is noticed -------------------------------------------------------------------- */

/* True for a device without state: null, zero, full. */
static bool is_memory_device(const struct stat *st)
{
    enum { MEMORY_DEVICES = 1 };

    return S_ISCHR(st->st_mode) && major(st->st_rdev) == MEMORY_DEVICES;
}

/* A pipe or a file without a name, or random numbers. */
static bool is_own(const struct open_file *file)
{
    return file->kind == OPEN_RANDOM || (file->kind == OPEN_HOST && file->path == NULL);
}

/* A descriptor whose bytes are somebody else's, too: a call that takes some leaves a trace. */
static bool reads_outside(const struct process *process, uint64_t fd)
{
    const struct open_file *file = files_get(&process->files, fd);
    struct stat st;

    if (file == NULL || is_own(file))
        return false;
    return file->kind != OPEN_HOST || fstat(file->fd, &st) != 0 ||
           !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) || is_memory_device(&st));
}

/* The same for a call that writes: a file with a name is changed. */
static bool writes_outside(const struct process *process, uint64_t fd)
{
    const struct open_file *file = files_get(&process->files, fd);
    struct stat st;

    if (file == NULL || is_own(file))
        return false;
    return file->kind != OPEN_HOST || fstat(file->fd, &st) != 0 || !is_memory_device(&st);
}

static bool is_seen(const struct process *process, uint64_t number, const uint64_t arg[6],
                    int64_t result)
{
    switch (number) {
#define SYSCALL(number, name, kinds)
#define SYSCALL_SEEN(number, name, kinds, seen) case number: return seen;
#define SYSCALL_VALUE(number, name, value)
#define SYSCALL_ABSENT(number, name)
#include "sim/run/linux/syscall.def"
#undef SYSCALL
#undef SYSCALL_VALUE
#undef SYSCALL_ABSENT
    default: return false;
    }
}

bool process_hand_over(struct process *process, const char *format, ...)
{
    va_list arguments;

    if (!process->may_hand_over || process->is_seen)
        return false;
    va_start(arguments, format);
    vsnprintf(process->text, sizeof process->text, format, arguments);
    va_end(arguments);
    process->action = PROCESS_HAND_OVER;
    return true;
}

/* ---- dispatch --------------------------------------------------------------------------- */

/* Reported once per number; numbers beyond the table share one note. */
static int64_t refuse(struct process *process, uint64_t number)
{
    const char *name = process_syscall_name(number);
    bool *noted = &process->noted[number < SYSCALL_NUMBERS ? number : 0];
    bool is_served = process_kernel_serves(number);

    if (is_served && process_hand_over(process, "the system call %s", name)) {
        return -ENOSYS;
    }
    if (!*noted) {
        *noted = true;
        process_note(process, "system call %" PRIu64 " (%s) is not supported; the program gets "
                     "ENOSYS%s", number, name == NULL ? "unknown" : name,
                     is_served ? ", and with --os kernel the call is served" : "");
    }
    return -ENOSYS;
}

static int64_t dispatch(struct process *process, uint64_t number, const uint64_t arg[6])
{
    switch (number) {
#define SYSCALL(number, name, kinds) case number: return sys_##name(process, arg);
#define SYSCALL_VALUE(number, name, value) case number: return value;
#define SYSCALL_ABSENT(number, name)
#include "sim/run/linux/syscall.def"
#undef SYSCALL
#undef SYSCALL_VALUE
#undef SYSCALL_ABSENT
    default: return refuse(process, number);
    }
}

/* ---- trace ------------------------------------------------------------------------------ */

static void trace_string(struct process *process, uint64_t va)
{
    char text[TRACED_STRING + 1];
    int length = vm_read_string(&process->vm, va, text, sizeof text);

    if (length == -ENAMETOOLONG) {
        fprintf(process->log, "\"%.*s\"...", TRACED_STRING, text);
    } else if (length < 0) {
        fprintf(process->log, "0x%" PRIx64, va);
    } else {
        fprintf(process->log, "\"%s\"", text);
    }
}

static void trace_argument(struct process *process, char kind, uint64_t value)
{
    switch (kind) {
    case 'd': fprintf(process->log, "%" PRId64, (int64_t)value); break;
    case 'u': fprintf(process->log, "%" PRIu64, value); break;
    case 'o': fprintf(process->log, "0%" PRIo64, value); break;
    case 's': trace_string(process, value); break;
    default: fprintf(process->log, "0x%" PRIx64, value); break;
    }
}

static void trace_call(struct process *process, uint64_t number, const uint64_t arg[6])
{
    const char *kinds = kinds_of(number), *name = process_syscall_name(number);
    unsigned i;

    fprintf(process->log, "%s(", name == NULL ? "unknown" : name);
    for (i = 0; kinds[i] != '\0'; i++) {
        fputs(i > 0 ? ", " : "", process->log);
        trace_argument(process, kinds[i], arg[i]);
    }
    fputs(")", process->log);
}

static void trace_result(struct process *process, int64_t result)
{
    if (result == SYSCALL_RESTART) {
        fputs(" = interrupted\n", process->log);
    } else if (result < 0 && result > -4096) {
        fprintf(process->log, " = -1 (%s)\n", strerror((int)-result));
    } else {
        fprintf(process->log, " = 0x%" PRIx64 "\n", (uint64_t)result);
    }
}

int64_t syscall_call(struct process *process, uint64_t number, const uint64_t arg[6])
{
    bool is_traced = process->trace && process->log != NULL;
    int64_t result;

    if (is_traced) {
        trace_call(process, number, arg);
    }
    result = dispatch(process, number, arg);
    if (process->may_hand_over && !process->is_seen) {
        process->is_seen = is_seen(process, number, arg, result);
    }
    if (is_traced) {
        trace_result(process, result);
    }
    return result;
}

/* The instruction counts as done once there is a result. A program that ended keeps its registers
 * for the report. */
void syscall_perform(struct process *process, struct cpu *cpu)
{
    uint64_t *reg = cpu->hart.reg, number = reg[REG_A7], arg[6];
    int64_t result;

    memcpy(arg, &reg[REG_A0], sizeof arg);
    result = syscall_call(process, number, arg);
    if (process->action == PROCESS_CONTINUE && result != SYSCALL_RESTART) {
        reg[REG_A0] = (uint64_t)result;
        cpu->hart.pc = cpu->stop_pc + 4;
    }
}
