/* Ends as its first argument says: a number is its exit status; "segv", "ill", "spin". */
#include <stdlib.h>
#include <string.h>

volatile unsigned long turns;

__attribute__((noinline)) static void touch_nothing(volatile char *where)
{
    *where = 1;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "0";

    if (strcmp(how, "segv") == 0)
        touch_nothing((char *)16);
    if (strcmp(how, "ill") == 0)
        __asm__ volatile(".word 0xffffffff");
    while (strcmp(how, "spin") == 0)
        turns++;
    return atoi(how);
}
