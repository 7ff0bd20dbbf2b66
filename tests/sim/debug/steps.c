/* Five calls of work, whose sum it prints and ends with; a crash where an argument asks for one. */
#include <stdio.h>

int total;
double half = 0.5;

__attribute__((noinline)) int work(int n)
{
    total += n;
    return 2 * n;
}

__attribute__((noinline)) static void crash(volatile int *where)
{
    *where = 1;
}

int main(int argc, char **argv)
{
    int sum = 0;

    (void)argv;
    for (int i = 1; i <= 5; i++)
        sum += work(i);
    if (argc > 1)
        crash((int *)16);
    printf("sum %d\n", sum);
    return sum;
}
