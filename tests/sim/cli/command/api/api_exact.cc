// What rvsim api is tested on to the bucket: known calls in threads, recursion, tail calls, frames
// that an exception or longjmp leaves (api_exact.S has the functions whose instructions are known).
#include <csetjmp>
#include <pthread.h>

extern "C" {
void spin(long n);
void down(long n);
void hop(long n);
}

static void *work(void *rounds)
{
    for (long i = 0; i < reinterpret_cast<long>(rounds); i++)
        spin(10);
    return nullptr;
}

__attribute__((noinline)) static void thrown(int n)
{
    spin(3);
    if (n == 0)
        throw 1;
    thrown(n - 1);
    asm volatile("");
}

static std::jmp_buf back;
__attribute__((noinline)) static void jumped(int n)
{
    spin(3);
    if (n == 0)
        std::longjmp(back, 1);
    jumped(n - 1);
    asm volatile("");
}

int main()
{
    pthread_t thread[4];

    for (long i = 0; i < 4; i++)
        pthread_create(&thread[i], nullptr, work, reinterpret_cast<void *>(50 * (i + 1)));
    for (auto one : thread)
        pthread_join(one, nullptr);
    spin(1);
    spin(100);
    down(5);
    for (int i = 0; i < 7; i++)
        hop(20);
    for (int i = 0; i < 5; i++) {
        try {
            thrown(3);
        } catch (int) {
        }
        if (setjmp(back) == 0)
            jumped(2);
    }
    return 0;
}
