/* The program on which rvsim api is tested: allocations of known sizes (P6), a pool, recursion,
 * longjmp. */
#include <setjmp.h>
#include <stdlib.h>

static void *volatile kept;
static const size_t a[] = {3, 7, 22}, b[] = {107, 120, 115}, c[] = {819, 1560, 1800};
static char memory[4096];

__attribute__((noinline)) void A(int j)
{
    kept = malloc(a[j]);
    free(kept);
}

__attribute__((noinline)) void B(int j)
{
    kept = malloc(b[j]);
    free(kept);
}

__attribute__((noinline)) void C(int j)
{
    kept = calloc(1, c[j]);
    free(kept);
}

__attribute__((noinline)) void *pool_get(int kind, size_t bytes)
{
    return memory + (kind & 1) + bytes;
}

__attribute__((noinline)) void user(void)
{
    for (size_t i = 1; i <= 8; i++)
        kept = pool_get(1, i);
}

__attribute__((noinline)) int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static jmp_buf back;
__attribute__((noinline)) void thrower(int n)
{
    if (n == 0)
        longjmp(back, 1);
    thrower(n - 1);
}

int main(void)
{
    for (int i = 0; i < 100; i++)
        for (int j = 0; j < 3; j++) {
            A(j);
            B(j);
            C(j);
        }
    user();
    if (setjmp(back) == 0)
        thrower(3);
    return fib(6) == 8 ? 0 : 1;
}
