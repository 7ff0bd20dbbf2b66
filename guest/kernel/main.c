/* The start of the kernel, traps of user code, the lock, and the way to the host. */
#include "process/limit.h"
#include "process/process.h"
#include "profile/sampler.h"
#include "profile/section.h"
#include "syscall/syscall.h"

_Static_assert(offsetof(struct kernel_boot, sampler_pa) == KERNEL_BOOT_SAMPLER, "entry.S reads it");
const struct kernel_boot *const boot = (const struct kernel_boot *)(KERNEL_MAP + KERNEL_BOOT_PA);

/* Tickets: harts enter in the order of their arrival. */
struct kernel_tickets kernel_tickets;
static uint32_t harts_entered;

_Noreturn void kernel_main(uint64_t id);
void trap_user(struct frame *frame);

void kernel_lock(void)
{
    uint32_t ticket = __atomic_fetch_add(&kernel_tickets.next, 1, __ATOMIC_RELAXED);

    while (__atomic_load_n(&kernel_tickets.serving, __ATOMIC_ACQUIRE) != ticket)
        ;
}

void kernel_unlock(void)
{
    __atomic_store_n(&kernel_tickets.serving, kernel_tickets.serving + 1, __ATOMIC_RELEASE);
}

/* ---- the host -------------------------------------------------------------------------------- */

int64_t host_call(struct kernel_call *call)
{
    volatile uint64_t *doorbell = at_pa(KERNEL_HOST_PA);

    __asm__ volatile("fence iorw, iorw" : : : "memory");
    *doorbell = pa_of(call);
    __asm__ volatile("fence iorw, iorw" : : : "memory");
    return call->result;
}

int64_t host_simple(enum kernel_op op, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    struct kernel_call call = {.op = op, .argument = {a, b, c, d}};

    if (current() != NULL && current()->process != NULL)
        call.context = current()->process->context;
    return host_call(&call);
}

void note(const char *text)
{
    host_simple(KERNEL_OP_NOTE, pa_of(text), 0, 0, 0);
}

_Noreturn void panic(const char *text)
{
    note(text);
    host_simple(KERNEL_OP_EXIT, SIGABRT, 0, 0, 2);
    for (;;)
        ;
}

/* ---- time ------------------------------------------------------------------------------------ */

uint64_t ticks_to_ns(uint64_t ticks)
{
    uint64_t up = boot->tick_ns_up, down = boot->tick_ns_down;

    return ticks / down * up + ticks % down * up / down;
}

uint64_t ns_to_ticks(uint64_t ns)
{
    uint64_t up = boot->tick_ns_up, down = boot->tick_ns_down;

    if (ns > INT64_MAX / 2)
        return INT64_MAX / 2;
    return ns / up * down + (ns % up * down + up - 1) / up;
}

enum { CAUSE_BREAKPOINT = 3 };

/* ---- traps ----------------------------------------------------------------------------------- */

static void serve_fault(struct thread *thread, uint64_t va, uint32_t prot)
{
    enum fault fault = space_fault(thread->process->space, va, prot);
    enum { MAPERR = 1, ACCERR = 2, ADRERR = 2 };

    switch (fault) {
    case FAULT_NONE: break;
    case FAULT_BEYOND: signal_fault(thread, SIGBUS, ADRERR, va); break;
    case FAULT_MEMORY: signal_fault(thread, SIGKILL, SI_KERNEL, va); break;
    default:
        signal_fault(thread, SIGSEGV, fault == FAULT_UNMAPPED ? MAPERR : ACCERR, va);
        break;
    }
}

static void serve_exception(struct thread *thread, uint64_t cause, uint64_t value)
{
    switch (cause) {
    case 8: syscall_serve(thread); break;
    case 12: serve_fault(thread, value, PROT_EXEC); break;
    case 13: serve_fault(thread, value, PROT_READ); break;
    case 15: serve_fault(thread, value, PROT_WRITE); break;
    case 2: signal_fault(thread, SIGILL, 1, thread->frame->reg[REG_PC]); break;
    case 3: signal_fault(thread, SIGTRAP, 1, thread->frame->reg[REG_PC]); break;
    case 0: case 4: case 6: signal_fault(thread, SIGBUS, 1, value); break;
    default: signal_fault(thread, SIGSEGV, 2, value); break;
    }
}

void trap_user(struct frame *frame)
{
    uint64_t cycles = csr_read(cycle), cause = csr_read(scause), value = csr_read(stval);
    struct thread *thread;

    (void)frame;
    if (csr_read(sstatus) & 0x100)
        panic("the kernel trapped");
    if (cause == CAUSE_BREAKPOINT && probe_hit(current(), cycles))
        return;                         /* without the lock, so that harts do not wait for it */
    if (cause >> 63 && sampler_alone(this_hart()))
        return;
    thread = current();
    thread->entered = this_hart()->trapped;
    if (cause >> 63 && boot->probes != 0)
        probe_interrupted(thread, cycles);
    kernel_lock();
    if (cause >> 63)
        interrupt(cause);
    else
        serve_exception(thread, cause, value);
    do {
        if (this_hart()->resched)
            schedule();
        signal_deliver(thread);
    } while (this_hart()->resched);
    thread_leaves(thread);
    kernel_unlock();
}

/* ---- start ----------------------------------------------------------------------------------- */

/* The first hart waits until the others have entered, then starts the program. */
static void start_program(void)
{
    struct process *process;
    struct thread *thread;
    struct frame frame = {{0}};

    memory_init(boot);
    if (boot->sampler_pa != 0 && !sampler_init())
        panic("no memory for the sampler threads");
    probes_init();
    process = process_new();
    thread = process != NULL ? thread_new(process, &frame) : NULL;
    if (thread == NULL)
        panic("no memory for the first process");
    process_set_limits(process);
    exec_first(thread);
    while (__atomic_load_n(&harts_entered, __ATOMIC_ACQUIRE) != boot->harts - 1)
        ;
    space_use(process->space);
    host_simple(KERNEL_OP_READY, 0, 0, 0, 0);
    kernel_lock();
    thread_start(thread);
    if (boot->sampler_pa != 0)
        sampler_begin();
}

_Noreturn void kernel_main(uint64_t id)
{
    struct hart *hart = &harts[id];

    __asm__ volatile("mv tp, %0" : : "r"(hart));
    sched_init_hart(hart, (uint32_t)id);
    if (id == 0) {
        start_program();
    } else {
        __atomic_fetch_add(&harts_entered, 1, __ATOMIC_RELEASE);
        kernel_lock();
    }
    hart_idle();
}
