/* Switches between stacks, each of which has callers of its own: longjmp, swapcontext, setcontext,
 * a routine like that of a small kernel, one that loads sp before ra, and one that keeps the
 * registers on the stack. On a stack every routine is called by the one that is named before it:
 * main, first, second, third; body, upper, lower; thread, higher, deep; task, wider, broad; fiber,
 * finer, fine. */
#include <setjmp.h>
#include <ucontext.h>

#define ROUTINE __attribute__((noinline, noclone))
enum { ROUNDS = 20, STACK_BYTES = 65536 };

struct context { long ra, sp, s[12]; };

static volatile int work, rounds;
static ucontext_t own, other;
static jmp_buf back;
static struct context outside, inside;
static char stack[4][STACK_BYTES] __attribute__((aligned(16)));

void swtch(struct context *from, struct context *to);
__asm__(".globl swtch\n.type swtch, @function\nswtch:\n"
        "sd ra, 0(a0)\n sd sp, 8(a0)\n sd s0, 16(a0)\n sd s1, 24(a0)\n"
        "ld ra, 0(a1)\n ld sp, 8(a1)\n ld s0, 16(a1)\n ld s1, 24(a1)\n"
        "ret\n.size swtch, . - swtch\n");

void turns(struct context *from, struct context *to);
__asm__(".globl turns\n.type turns, @function\nturns:\n"
        "sd s0, 16(a0)\n sd s1, 24(a0)\n sd sp, 8(a0)\n sd ra, 0(a0)\n"
        "ld s1, 24(a1)\n ld s0, 16(a1)\n ld sp, 8(a1)\n nop\n ld ra, 0(a1)\n nop\n"
        "ret\n.size turns, . - turns\n");

void pushes(long *from, long *to);
__asm__(".globl pushes\n.type pushes, @function\npushes:\n"
        "addi sp, sp, -32\n sd ra, 24(sp)\n sd s0, 16(sp)\n sd s1, 8(sp)\n sd sp, 0(a0)\n"
        "ld sp, 0(a1)\n nop\n ld s1, 8(sp)\n ld s0, 16(sp)\n ld ra, 24(sp)\n"
        "addi sp, sp, 32\n ret\n.size pushes, . - pushes\n");

/* ---- longjmp --------------------------------------------------------------------------------- */

ROUTINE void third(void) { work++; longjmp(back, 1); }
ROUTINE void second(void) { third(); work++; }
ROUTINE void first(void)
{
    if (setjmp(back) == 0)
        second();
    work++;
}

/* ---- contexts of the C library --------------------------------------------------------------- */

ROUTINE void lower(void) { work++; swapcontext(&other, &own); work++; }
ROUTINE void upper(void) { lower(); work++; }
ROUTINE void body(void)
{
    for (;;)
        upper();
}
ROUTINE void swaps(void) { swapcontext(&own, &other); work++; }
ROUTINE void around(void) { swaps(); work++; }
ROUTINE void sets(void) { work++; setcontext(&own); }
ROUTINE void again(void)
{
    getcontext(&own);
    if (++rounds < ROUNDS)
        sets();
    work++;
}

/* ---- a routine of its own -------------------------------------------------------------------- */

ROUTINE void deep(void) { work++; swtch(&inside, &outside); work++; }
ROUTINE void higher(void) { deep(); work++; }
ROUTINE void thread(void)
{
    for (;;)
        higher();
}
ROUTINE void runs(void) { swtch(&outside, &inside); work++; }
ROUTINE void turn(void) { runs(); work++; }

static struct context before, task_context;
ROUTINE void broad(void) { work++; turns(&task_context, &before); work++; }
ROUTINE void wider(void) { broad(); work++; }
ROUTINE void task(void)
{
    for (;;)
        wider();
}
ROUTINE void takes(void) { turns(&before, &task_context); work++; }
ROUTINE void give(void) { takes(); work++; }

static long main_sp, fiber_sp;
ROUTINE void fine(void) { work++; pushes(&fiber_sp, &main_sp); work++; }
ROUTINE void finer(void) { fine(); work++; }
ROUTINE void fiber(void)
{
    for (;;)
        finer();
}
ROUTINE void spins(void) { pushes(&main_sp, &fiber_sp); work++; }
ROUTINE void weave(void) { spins(); work++; }

int main(void)
{
    getcontext(&other);
    other.uc_stack.ss_sp = stack[0];
    other.uc_stack.ss_size = STACK_BYTES;
    makecontext(&other, body, 0);
    inside.ra = (long)thread;
    inside.sp = (long)(stack[1] + STACK_BYTES);
    task_context.ra = (long)task;
    task_context.sp = (long)(stack[2] + STACK_BYTES);
    fiber_sp = (long)(stack[3] + STACK_BYTES - 32);
    *(long *)(fiber_sp + 24) = (long)fiber;
    for (int i = 0; i < ROUNDS; i++) {
        first();
        around();
        turn();
        give();
        weave();
    }
    again();
    return 0;
}
