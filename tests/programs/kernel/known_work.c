/* known_work ROUNDS MS: ROUNDS times two instructions in user mode, then a sleep. */
#include <stdlib.h>
#include <time.h>

__attribute__((noipa)) void work(long rounds);
__attribute__((noipa)) void work(long rounds)
{
    __asm__ volatile("1: addi %0, %0, -1\n bnez %0, 1b" : "+r"(rounds));
}

int main(int argc, char **argv)
{
    struct timespec pause = {0, argc > 2 ? strtol(argv[2], NULL, 10) * 1000000 : 0};

    work(argc > 1 ? strtol(argv[1], NULL, 10) : 1);
    nanosleep(&pause, NULL);
    return 0;
}
