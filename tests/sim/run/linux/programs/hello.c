/* The smallest program with a C library. */
#include <stdio.h>

int main(void)
{
    puts("hello, world");
    return 7;
}
