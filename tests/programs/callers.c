/* A call graph with known counts, for the stack walk of the monitor. Needs frame pointers; `leaf`
 * has no frame of its own. Every routine's first instruction is marked by the test.
 *
 *   main  calls  red 3 times, green 5 times, recurse(9) once, even(7) once
 *   red   calls  shared 4 times, leaf twice                    : 12 and 6
 *   green calls  shared 7 times, leaf once, red once           : 35, 5 and 5
 *   so red runs 3 + 5 = 8 times: shared 32 times from red, leaf 16 times from red
 *   shared calls leaf once: 32 + 35 = 67
 *   recurse(9) calls itself down to recurse(0): 9 times, and leaf in recurse(0): once
 *   even(7) odd(6) even(5) odd(4) even(3) odd(2) even(1) odd(0): odd from even 4, even from odd 3
 *   through a pointer, main calls pointed 6 times
 * `deep` is called 100 frames down, more than the monitor's stack record holds, once. */
#include <stdio.h>

long leaf(long x);
__asm__(".text\n.balign 4\n.globl leaf\n.type leaf, @function\n"
        "leaf:\n    addi a0, a0, 1\n    slli a0, a0, 1\n    srli a0, a0, 1\n    ret\n"
        ".size leaf, . - leaf\n");

long shared(long x);
long red(long x);
long green(long x);
long recurse(long n);
long even(long n);
long odd(long n);
long pointed(long x);
long deep(long x);
long descend(long n);

static long (*volatile pointer)(long) = pointed;

long shared(long x)
{
    return leaf(x) + 1;
}

long red(long x)
{
    for (int i = 0; i < 4; i++)
        x += shared(i);
    x += leaf(x);
    return leaf(x) + x;
}

long green(long x)
{
    for (int i = 0; i < 7; i++)
        x += shared(i);
    x += leaf(x) + red(x);
    return x;
}

long recurse(long n)
{
    return n == 0 ? leaf(0) : recurse(n - 1) + n;
}

long even(long n)
{
    return n == 0 ? 1 : odd(n - 1) + 2;
}

long odd(long n)
{
    return n == 0 ? 5 : even(n - 1) + 3;
}

long pointed(long x)
{
    return x * 3 + 1;
}

long deep(long x)
{
    return x + 4;
}

long descend(long n)
{
    return n == 0 ? deep(0) : descend(n - 1) + 1;
}

int main(void)
{
    long sum = 0;

    for (int i = 0; i < 3; i++)
        sum += red(i);
    for (int i = 0; i < 5; i++)
        sum += green(i);
    sum += recurse(9);
    sum += even(7);
    for (int i = 0; i < 6; i++)
        sum += pointer(i);
    sum += descend(100);
    printf("%ld\n", sum);
    return 0;
}
