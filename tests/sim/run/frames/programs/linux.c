/* A C library's functions, which have no call frame information and no frame pointers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/sim/run/frames/programs/shapes.h"

static jmp_buf back;

void give_up(void)
{
    abort();
}

APART void thrower(int n)
{
    if (n == 0)
        longjmp(back, 5);
    thrower(n - 1);
    sink++;
}

APART int format(const char *text, ...)
{
    char buffer[200];
    va_list arguments;
    int length;

    va_start(arguments, text);
    length = vsnprintf(buffer, sizeof buffer, text, arguments);
    va_end(arguments);
    return length + buffer[0];
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int main(void)
{
    int number[50], sum = shapes();
    char *memory = malloc(1000);
    FILE *file = fopen("/dev/null", "w");

    for (int i = 0; i < 50; i++)
        number[i] = i * 7919 % 101;
    qsort(number, 50, sizeof number[0], compare);
    sum += number[7] + format("%d %s %g %lx", 5, "abc", 2.5, 77L);
    if (setjmp(back) == 0)
        thrower(6);
    else
        sum++;
    memory = realloc(memory, 100000);
    memory[0] = (char)sum;
    fprintf(file, "%d\n", sum + memory[0]);
    fclose(file);
    free(memory);
    for (int i = 0; i < 3; i++)         /* makes room on its stack as a loop has counted */
        execl("/no/such/file", "file", "a", "b", (char *)NULL);
    return strtol("12", NULL, 0) == 12 ? 0 : 1;
}
