/* A program that ends as its argument says. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

long recurse_forever(long n);
void jump_nowhere(void);
void store_nowhere(void);
void illegal_instruction(void);
void spin(void);

/* The compiler is right that this never ends. */
#pragma GCC diagnostic ignored "-Winfinite-recursion"
long recurse_forever(long n)
{
    volatile char frame[1024];

    frame[0] = (char)n;
    return recurse_forever(n + 1) + frame[0];
}

void jump_nowhere(void)
{
    void (*volatile target)(void) = (void (*)(void))(uintptr_t)0x10;

    target();
    puts("not reached");
}

void store_nowhere(void)
{
    *(volatile int *)(uintptr_t)0x18 = 1;
    puts("not reached");
}

void illegal_instruction(void)
{
    __asm__ volatile(".4byte 0");
    puts("not reached");
}

void spin(void)
{
    for (volatile unsigned long i = 0;; i++)
        ;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "end";

    printf("%s\n", how);
    fflush(stdout);
    if (strcmp(how, "jump") == 0)
        jump_nowhere();
    if (strcmp(how, "store") == 0)
        store_nowhere();
    if (strcmp(how, "illegal") == 0)
        illegal_instruction();
    if (strcmp(how, "recurse") == 0)
        return (int)recurse_forever(0);
    if (strcmp(how, "spin") == 0)
        spin();
    if (strcmp(how, "abort") == 0)
        abort();
    return strcmp(how, "end") == 0 ? 0 : argc > 2 ? atoi(argv[2]) : 7;
}
