/* Functions of every shape that matters to a stack walk; the same for bare metal and Linux. */
#ifndef SHAPES_H
#define SHAPES_H

#define APART __attribute__((noinline))

volatile int sink;

APART int leaf(int a)
{
    return a * 3 + 1;
}

APART int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

APART int both(int n)
{
    return leaf(n) + leaf(n + 1);
}

APART int tail_call(int n)
{
    sink += leaf(n);
    return both(n + 1);
}

/* sp moves by a number that is known only at run time. */
APART int grows(int n)
{
    volatile char *p = __builtin_alloca((unsigned)n + 1);

    for (int i = 0; i < n; i++)
        p[i] = (char)i;
    for (int i = 1; i < 4; i++) {
        volatile char v[n + i];

        v[i] = p[i];
        sink += v[i] + leaf(i);
    }
    return leaf(p[0]);
}

/* More than an immediate can express. */
APART int large_frame(int n)
{
    volatile char b[9000];

    b[n] = 1;
    b[99] = 2;
    sink += b[n];
    return leaf(b[99]) + fib(3);
}

__attribute__((noreturn)) void give_up(void);

APART int many_ways(int n)
{
    switch (n) {
    case 0:
        return leaf(1);
    case 1:
        sink += leaf(2);
        return fib(2);
    case 2:
        sink = 4;
        return tail_call(2);
    case 3:
        return grows(9);
    case 4:
        give_up();
    case 5:
        return fib(4) + 1;
    case 6:
        sink = 9;
        return leaf(8) + leaf(9);
    default:
        return 0;
    }
}

int (*volatile pointer)(int) = tail_call;

/* The function makes its frame only on the path that needs one. */
APART int late_frame(int n)
{
    int sum = 0;

    if (n == 0)
        return 3;
    for (int i = 0; i < n; i++)
        sum += pointer(i);
    return sum + leaf(sum);
}

APART int shapes(void)
{
    int sum = 0;

    for (int i = 0; i < 8; i++)
        sum += i != 4 ? many_ways(i) : 0;
    return sum + late_frame(0) + late_frame(5) + large_frame(7);
}

#endif
