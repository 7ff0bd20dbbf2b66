/* Functions that are left by exceptions, through cleanups and a rethrow, and by longjmp: each
 * activation ends where that lands. */
#include <csetjmp>
#include <cstdlib>

static volatile int sink;
static std::jmp_buf place;

__attribute__((noinline)) static void work(int n)
{
    for (int i = 0; i < n; i++)
        sink = sink + i;
}

struct cleanup {
    ~cleanup() { work(50); }
};

__attribute__((noinline)) int deepest(int n)
{
    work(100);
    if (n % 3 == 0)
        throw n;
    if (n % 3 == 1)
        std::longjmp(place, 1);
    return n;
}

__attribute__((noinline)) int middle(int n)
{
    cleanup at_end;

    return deepest(n) + 1;
}

/* Catches, and so stays open itself. */
__attribute__((noinline)) int catching(int n)
{
    int result;

    try {
        result = n % 3 == 1 ? deepest(n) : middle(n);
    } catch (int) {
        result = -1;
    }
    work(1000);
    return result;
}

__attribute__((noinline)) int rethrowing(int n)
{
    try {
        return middle(3 * n);
    } catch (...) {
        work(10);
        throw;
    }
}

int main()
{
    int sum = 0;

    for (volatile int i = 0; i < 30; i = i + 1)
        if (setjmp(place) == 0)
            sum += catching(i);
    for (volatile int i = 0; i < 5; i = i + 1) {
        try {
            sum += rethrowing(i);
        } catch (int) {
            sum++;
        }
    }
    return sum == 0;
}
