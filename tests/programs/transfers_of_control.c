/* Ways into and out of routines that are no plain calls: tail calls, direct and through a pointer,
 * a routine whose first instruction heads its loop, longjmp over several routines, a second stack
 * that two routines switch between, two contexts of the C library, which jump through another
 * register than ra, jumps through a link register that are no returns, and a nested function. The
 * counts below are by construction. */
#include <setjmp.h>
#include <stdio.h>
#include <ucontext.h>

#define ROUTINE __attribute__((noinline, noclone))

static jmp_buf before;
static volatile long sink;
static char text[64];

ROUTINE long last(long x) { return x + 1; }
ROUTINE long through(long (*to)(long), long x)          /* 5 entries, a tail call each */
{
    for (int i = 0; i < 10; i++)
        sink++;
    return to(x);
}
ROUTINE long middle(long x) { sink++; return last(x); } /* 7 entries, 3 of them tail calls */
ROUTINE long first(long x) { sink++; return middle(x); }
ROUTINE const char *skip(const char *s)                 /* 6 entries, 6 * 20 rounds */
{
    do
        s++;
    while (*s);
    return s;
}
ROUTINE void deepest(int n) { sink++; if (n == 3) longjmp(before, n); sink++; }
ROUTINE void deeper(int n) { sink++; deepest(n); sink++; }
ROUTINE int jumps(void)                                 /* after it `after` is its callee */
{
    volatile int n = 0;

    if (setjmp(before) != 0)
        return n;
    for (n = 1; n < 10; n++)
        deeper(n);
    return 0;
}
ROUTINE void after(void) { sink++; }

/* Saves the stack pointer and the registers kept across calls, and goes on with those of the other
 * stack. */
void swap(void **from, void *to);
__asm__(".globl swap\n.type swap, @function\nswap:\n"
        "addi sp, sp, -112\nsd ra, 0(sp)\nsd s0, 8(sp)\nsd s1, 16(sp)\nsd s2, 24(sp)\n"
        "sd s3, 32(sp)\nsd s4, 40(sp)\nsd s5, 48(sp)\nsd s6, 56(sp)\nsd s7, 64(sp)\n"
        "sd s8, 72(sp)\nsd s9, 80(sp)\nsd s10, 88(sp)\nsd s11, 96(sp)\n"
        "sd sp, 0(a0)\nmv sp, a1\n"
        "ld ra, 0(sp)\nld s0, 8(sp)\nld s1, 16(sp)\nld s2, 24(sp)\nld s3, 32(sp)\n"
        "ld s4, 40(sp)\nld s5, 48(sp)\nld s6, 56(sp)\nld s7, 64(sp)\nld s8, 72(sp)\n"
        "ld s9, 80(sp)\nld s10, 88(sp)\nld s11, 96(sp)\naddi sp, sp, 112\nret\n"
        ".size swap, . - swap\n");
static void *main_stack, *other_stack;
static long area[1024];

ROUTINE void there(void) { sink++; }
ROUTINE void other(void)
{
    for (;;) {
        there();
        swap(&other_stack, main_stack);
    }
}
ROUTINE void switches(void)
{
    void **top = (void **)&area[1024 - 16];

    top[0] = (void *)other;
    other_stack = top;
    for (int i = 0; i < 4; i++)
        swap(&main_stack, other_stack);
}

static ucontext_t outside, inside[2];
static char stacks[2][16384];

ROUTINE void step(void) { sink++; }
ROUTINE void context(int number)                        /* 3 steps each, ends in continues */
{
    for (int i = 0; i < 3; i++) {
        step();
        swapcontext(&inside[number], &outside);
    }
}
ROUTINE void continues(int number) { swapcontext(&outside, &inside[number]); }
ROUTINE void again(void) { sink++; setcontext(&outside); }
ROUTINE void contexts(void)                             /* 8 rounds, 4 of each context */
{
    volatile int rounds = 0;

    for (int i = 0; i < 2; i++) {
        getcontext(&inside[i]);
        inside[i].uc_stack.ss_sp = stacks[i];
        inside[i].uc_stack.ss_size = sizeof stacks[i];
        inside[i].uc_link = &outside;
        makecontext(&inside[i], (void (*)(void))context, 1, i);
    }
    for (int i = 0; i < 8; i++)
        continues(i % 2);
    getcontext(&outside);
    if (rounds++ < 5)
        again();
}

/* Jumps through t0, the alternate link register, to one of two places of its own: 8 instructions
 * for an even number, 9 for an odd one. */
long picks(long number);
__asm__(".text\n.globl picks\n.type picks, @function\npicks:\n"
        "lla t0, 1f\n andi a1, a0, 1\n slli a1, a1, 1\n sub t0, t0, a1\n jr t0\n"
        ".option push\n.option rvc\n c.nop\n 1: c.nop\n.option pop\n"
        "ret\n.size picks, . - picks\n");

/* The nested function is called through code on the stack, which jumps to it by t0. */
ROUTINE long outer(int rounds)
{
    long sum = 0;
    ROUTINE void inner(int number) { sum += number; }
    void (*volatile call)(int) = inner;

    for (int i = 0; i < rounds; i++)
        call(i);
    return sum;
}

int main(void)
{
    long sum = 0;

    for (int i = 0; i < 20; i++)
        text[i] = 'x';
    for (int i = 0; i < 3; i++)
        sum += first(i);
    for (int i = 0; i < 4; i++)
        sum += middle(i);
    for (int i = 0; i < 5; i++)
        sum += through(last, i);
    for (int i = 0; i < 6; i++)
        sum += skip(text) - text;
    sum += jumps();
    after();
    switches();
    contexts();
    for (int i = 0; i < 9; i++)
        picks(i);
    sum += outer(7);
    printf("%ld\n", sum);
    return 0;
}
