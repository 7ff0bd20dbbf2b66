/* Sections on several stacks of a thread: `body` is a coroutine that returns, `endless` one that
 * does not; both are left and resumed in `give` and `resume`. `within` jumps through t0. `handler`
 * runs on a stack of its own, and longjmp leaves it. */
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <ucontext.h>

static ucontext_t up, down;
static sigjmp_buf back;
static volatile unsigned long count;
static char stack[65536], other[65536];

#define SECTION __attribute__((noinline, noclone, used))

SECTION void work(int turns)
{
    for (int i = 0; i < turns; i++)
        count++;
}

SECTION void give(void)
{
    swapcontext(&down, &up);
}

SECTION void resume(void)
{
    swapcontext(&up, &down);
}

SECTION void body(void)
{
    for (int i = 0; i < 5; i++) {
        work(1000);
        give();
    }
}

SECTION void endless(void)
{
    for (;;) {
        work(100);
        give();
    }
}

SECTION void within(void)
{
    __asm__ volatile("la t0, 1f\n jr t0\n nop\n1: li a0, 100\n2: addi a0, a0, -1\n bnez a0, 2b"
                     : : : "t0", "a0");
}

SECTION void handler(int signal)
{
    (void)signal;
    work(50);
    siglongjmp(back, 1);
}

static void make(void (*function)(void))
{
    getcontext(&down);
    down.uc_stack = (stack_t){.ss_sp = stack, .ss_size = sizeof stack};
    down.uc_link = &up;
    makecontext(&down, function, 0);
}

int main(void)
{
    const stack_t own = {.ss_sp = other, .ss_size = sizeof other};
    const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};

    sigaltstack(&own, NULL);
    sigaction(SIGUSR1, &action, NULL);
    for (volatile int round = 0; round < 4; round++) {
        make(body);
        for (int i = 0; i < 6; i++) {
            resume();
            work(500);
        }
        within();
        if (sigsetjmp(back, 1) == 0)
            raise(SIGUSR1);
    }
    make(endless);
    for (int i = 0; i < 10; i++)
        resume();
    return 0;
}
