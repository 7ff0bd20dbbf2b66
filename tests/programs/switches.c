/* Switches between stacks, each of which has callers of its own: longjmp, swapcontext, setcontext,
 * and a routine like that of a small kernel. On a stack every routine is called by the one that is
 * named before it: main, first, second, third; body, upper, lower; thread, higher, deep. */
#include <setjmp.h>
#include <ucontext.h>

#define ROUTINE __attribute__((noinline, noclone))
enum { ROUNDS = 20, STACK_BYTES = 65536 };

struct context { long ra, sp, s[12]; };

static volatile int work, rounds;
static ucontext_t own, other;
static jmp_buf back;
static struct context outside, inside;
static char stack[2][STACK_BYTES] __attribute__((aligned(16)));

void swtch(struct context *from, struct context *to);
__asm__(".globl swtch\n.type swtch, @function\nswtch:\n"
        "sd ra, 0(a0)\n sd sp, 8(a0)\n sd s0, 16(a0)\n sd s1, 24(a0)\n"
        "ld ra, 0(a1)\n ld sp, 8(a1)\n ld s0, 16(a1)\n ld s1, 24(a1)\n"
        "ret\n.size swtch, . - swtch\n");

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

int main(void)
{
    getcontext(&other);
    other.uc_stack.ss_sp = stack[0];
    other.uc_stack.ss_size = STACK_BYTES;
    makecontext(&other, body, 0);
    inside.ra = (long)thread;
    inside.sp = (long)(stack[1] + STACK_BYTES);
    for (int i = 0; i < ROUNDS; i++) {
        first();
        around();
        turn();
    }
    again();
    return 0;
}
