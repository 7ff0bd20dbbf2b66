/* "More than thirteen times": routine is called 14 times by alpha, 14 times by beta, 17 times by
 * gamma, in this order: 45 in all. With counter=13 its 14th, 28th and 42nd execution interrupt,
 * one in each caller; 3 executions are counted after the last clear. */
#define NOINLINE __attribute__((noinline, noclone))

int program(void);
void pass(void);
void fail(int code);

NOINLINE static int routine(int x)
{
    for (int i = 0; i < 3; i++)
        __asm__ volatile("addi %0, %0, 1" : "+r"(x));
    return x;
}

NOINLINE static int alpha(int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++)
        sum += routine(i);
    return sum;
}

NOINLINE static int beta(int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++)
        sum += routine(i);
    return sum;
}

NOINLINE static int gamma_(int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++)
        sum += routine(i);
    return sum;
}

NOINLINE int program(void)
{
    /* sums of 0..13, 0..13, 0..16, and 3 a call */
    if (alpha(14) + beta(14) + gamma_(17) != 91 + 91 + 136 + 45 * 3)
        fail(1);
    pass();
    return 0;
}
