/* A process forks in a section: `bear` goes on in parent and child, and returns in both. */
#include <sys/wait.h>
#include <unistd.h>

#define SECTION __attribute__((noinline, noclone, used))

SECTION unsigned long spin(unsigned long turns)
{
    unsigned long sum = 0;

    for (unsigned long i = 0; i < turns; i++)
        __asm__ volatile("add %0, %0, %1" : "+r"(sum) : "r"(i));
    return sum;
}

SECTION int bear(void)
{
    int child = fork();

    spin(child == 0 ? 60000 : 30000);
    return child;
}

int main(void)
{
    if (bear() == 0)
        _exit(0);
    wait(NULL);
    return 0;
}
