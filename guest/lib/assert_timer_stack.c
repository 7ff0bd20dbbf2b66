/* Stacks of threads: a signal interrupts a thread, and its handler walks the stack with the
 * unwinder of the C compiler's library. A handler receives no argument but its signal, so the
 * request and the result are in one variable of this file; one thread at a time uses it. */
#define _GNU_SOURCE
#include "assert_timer_stack.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "assert_timer_code.h"

enum { PATIENCE_MS = 200, NS_PER_MS = 1000000 };
enum state { STACK_IDLE, STACK_WANTED, STACK_FILLING };

static struct {
    pthread_mutex_t lock;               /* held by the thread that asks */
    _Atomic int state;
    pid_t number;                       /* of the thread whose stack is wanted; 0: it is `thread` */
    pthread_t thread, found;            /* found: the thread that has filled in its stack */
    struct stack stack;
    struct code_work work;
    sem_t filled;
    bool is_open;
} asked = {.lock = PTHREAD_MUTEX_INITIALIZER};

static pid_t own_number(void)
{
    return (pid_t)syscall(SYS_gettid);
}

/* ---- the walk -------------------------------------------------------------------------------- */

struct walk {
    struct stack *stack;
    unsigned kept;                      /* frames of the walks before this one */
    bool is_interrupted, is_at_root;
    struct code_registers last;         /* at the last frame; only on RISC-V */
};

#ifdef __riscv
/* Without a signal frame below, only callee-saved registers are known. */
static void note_registers(struct _Unwind_Context *context, bool is_interrupted,
                           struct code_registers *at)
{
    static const uint32_t kept = 1u << 2 | 3u << 8 | 0x3ffu << 18;
    int is_exact = 0;

    at->pc = _Unwind_GetIPInfo(context, &is_exact);
    at->known = is_interrupted ? UINT32_MAX : kept;
    for (int i = 1; i < CODE_REGISTERS; i++)
        if (i != 2 && (at->known >> i & 1) != 0)
            at->x[i] = _Unwind_GetGR(context, i);
    at->x[2] = _Unwind_GetCFA(context);
}
#endif

/* Leaves out the frames above the interrupted instruction: they belong to the handler. */
static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *arg)
{
    struct walk *own = arg;
    struct stack *stack = own->stack;
    int is_interrupted = 0;
    uintptr_t pc = _Unwind_GetIPInfo(context, &is_interrupted);
    bool is_first = is_interrupted && !own->is_interrupted;

    if (is_first) {
        own->is_interrupted = true;
        stack->frames = own->kept;
    }
    own->is_at_root = pc == 0;
    if (pc == 0 || stack->frames == STACK_FRAMES)
        return _URC_END_OF_STACK;
    stack->pc[stack->frames++] = is_interrupted ? pc : pc - 1;
#ifdef __riscv
    if (own->is_interrupted && !is_first)
        note_registers(context, is_interrupted != 0, &own->last);
#endif
    return _URC_NO_REASON;
}

/* Walks this thread's stack. False: the walk found no instruction that a signal interrupted. */
static bool walk(struct walk *own)
{
    own->kept = own->stack->frames;
    own->is_interrupted = false;
    _Unwind_Backtrace(add_frame, own);
    return own->is_interrupted;
}

static void walk_own(struct stack *stack)
{
    struct walk own = {.stack = stack};

    stack->frames = 0;
    walk(&own);
}

/* The instruction that the signal interrupted; 0: this processor is not known. */
static uintptr_t interrupted_pc(const ucontext_t *context)
{
#if defined __riscv
    return context->uc_mcontext.__gregs[REG_PC];
#elif defined __x86_64__
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined __aarch64__
    return context->uc_mcontext.pc;
#else
    return (void)context, 0;
#endif
}

#ifdef __riscv
static void begin(const ucontext_t *context, struct code_registers *at)
{
    at->pc = interrupted_pc(context);
    at->known = UINT32_MAX;
    for (int i = 1; i < CODE_REGISTERS; i++)
        at->x[i] = context->uc_mcontext.__gregs[i];
}

/* Leaves the last frame, for which there is no unwind table, by its code, and makes its caller's
 * call the interrupted instruction. False: the code does not show the caller. */
static bool leave_last(struct walk *own, ucontext_t *context)
{
    if (!code_leave(&asked.work, &own->last) || own->last.pc == 0)
        return false;
    own->last.known &= ~(1u << 1);      /* the call has set ra */
    context->uc_mcontext.__gregs[REG_PC] = own->last.pc - 1;
    for (int i = 1; i < CODE_REGISTERS; i++)
        context->uc_mcontext.__gregs[i] = own->last.x[i];
    return true;
}
#else
static void begin(const ucontext_t *context, struct code_registers *at)
{
    at->pc = interrupted_pc(context);
}

/* Other processors' compilers and libraries make tables for all code. */
static bool leave_last(struct walk *own, ucontext_t *context)
{
    return (void)own, (void)context, false;
}
#endif

/* Walks the stack of the interrupted instruction. Where the unwinder ends for lack of a table, the
 * walk begins anew in the caller. */
static void walk_interrupted(ucontext_t *context, struct stack *stack)
{
    const mcontext_t interrupted = context->uc_mcontext;
    struct walk own = {.stack = stack};

    stack->frames = 0;
    begin(context, &own.last);
    do {
        if (!walk(&own)) {              /* the handler has no table either */
            stack->frames = own.kept;
            stack->pc[stack->frames] = interrupted_pc(context);
            stack->frames += stack->pc[stack->frames] != 0;
        }
    } while (!own.is_at_root && stack->frames < STACK_FRAMES && leave_last(&own, context));
    context->uc_mcontext = interrupted;
}

/* ---- the handler ----------------------------------------------------------------------------- */

static bool is_asked(void)
{
    return asked.number != 0 ? asked.number == own_number()
                             : pthread_equal(asked.thread, pthread_self()) != 0;
}

static void handle(int signal, siginfo_t *info, void *context)
{
    int error = errno, wanted = STACK_WANTED;

    (void)signal;
    (void)info;
    if (atomic_load(&asked.state) == STACK_WANTED && is_asked() &&
        atomic_compare_exchange_strong(&asked.state, &wanted, STACK_FILLING)) {
        asked.found = pthread_self();
        walk_interrupted(context, &asked.stack);
        sem_post(&asked.filled);
    }
    errno = error;
}

bool stack_open(int signal)
{
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_RESTART | SA_SIGINFO};
    struct stack first;
    bool is_ready;

    sigemptyset(&action.sa_mask);
    walk_own(&first);                   /* initialises the unwinder before a handler needs it */
    pthread_mutex_lock(&asked.lock);
    is_ready = asked.is_open || sem_init(&asked.filled, 0, 0) == 0;
    asked.is_open = is_ready;
    pthread_mutex_unlock(&asked.lock);
    return is_ready && sigaction(signal, &action, NULL) == 0;
}

/* False: the time is over. */
static bool wait_filled(void)
{
    struct timespec until;
    int result;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += PATIENCE_MS * NS_PER_MS;
    if (until.tv_nsec >= 1000 * NS_PER_MS) {
        until.tv_sec++;
        until.tv_nsec -= 1000 * NS_PER_MS;
    }
    while ((result = sem_timedwait(&asked.filled, &until)) != 0 && errno == EINTR)
        ;
    return result == 0;
}

/* Asks for the stack of a thread, by its number or, if that is 0, by its handle. */
static void take(int signal, pid_t number, pthread_t thread, struct stack *stack)
{
    int wanted = STACK_WANTED, error;

    stack->frames = 0;
    asked.number = number;
    asked.thread = thread;
    atomic_store(&asked.state, STACK_WANTED);
    error = number == 0 ? pthread_kill(thread, signal)
                        : (int)syscall(SYS_tgkill, getpid(), number, signal);
    if ((error != 0 || !wait_filled()) &&
        atomic_compare_exchange_strong(&asked.state, &wanted, STACK_IDLE))
        return;
    while (wanted == STACK_FILLING && sem_wait(&asked.filled) != 0) {
    }                                   /* the handler began just before the time was over */
    *stack = asked.stack;
    atomic_store(&asked.state, STACK_IDLE);
}

void stack_take(int signal, pthread_t thread, struct stack *stack)
{
    if (pthread_equal(thread, pthread_self())) {
        walk_own(stack);
        return;
    }
    pthread_mutex_lock(&asked.lock);
    take(signal, 0, thread, stack);
    pthread_mutex_unlock(&asked.lock);
}

/* ---- the other threads ----------------------------------------------------------------------- */

static bool blocks(pid_t number, int signal)
{
    static const char name[] = "\nSigBlk:";
    char path[64], text[2048];
    const char *at;
    ssize_t bytes = -1;
    int fd;

    snprintf(path, sizeof path, "/proc/self/task/%d/status", (int)number);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        bytes = read(fd, text, sizeof text - 1);
        close(fd);
    }
    if (bytes <= 0)
        return true;
    text[bytes] = '\0';
    at = strstr(text, name);
    return at == NULL || (strtoull(at + sizeof name - 1, NULL, 16) >> (signal - 1) & 1) != 0;
}

unsigned stack_take_others(int signal, pthread_t except, struct stack stack[STACK_THREADS])
{
    DIR *directory = opendir("/proc/self/task");
    const struct dirent *entry;
    unsigned stacks = 0;

    pthread_mutex_lock(&asked.lock);
    while (directory != NULL && stacks < STACK_THREADS && (entry = readdir(directory)) != NULL) {
        pid_t number = (pid_t)strtol(entry->d_name, NULL, 10);

        if (number <= 0 || number == own_number() || blocks(number, signal))
            continue;
        take(signal, number, except, &stack[stacks]);
        stacks += stack[stacks].frames > 0 && !pthread_equal(asked.found, except);
    }
    pthread_mutex_unlock(&asked.lock);
    if (directory != NULL)
        closedir(directory);
    return stacks;
}
