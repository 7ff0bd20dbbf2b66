/* Arguments, environment and auxiliary vector as the loader built them. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int i, local = 0;

    printf("argc %d\n", argc);
    for (i = 1; i < argc; i++) {
        printf("argv[%d] <%s>\n", i, argv[i]);
    }
    printf("COLOUR <%s>\n", getenv("COLOUR") != NULL ? getenv("COLOUR") : "unset");
    printf("EMPTY <%s>\n", getenv("EMPTY") != NULL ? getenv("EMPTY") : "unset");
    printf("MISSING <%s>\n", getenv("MISSING") != NULL ? getenv("MISSING") : "unset");
    printf("page %lu\n", getauxval(AT_PAGESZ));
    printf("random %s\n", getauxval(AT_RANDOM) != 0 ? "given" : "missing");
    printf("headers %s\n", getauxval(AT_PHDR) != 0 ? "given" : "missing");
    printf("name %s\n", strrchr(program_invocation_name, '/') + 1);
    printf("stack %s\n", ((uintptr_t)argv & 7) == 0 && (uintptr_t)&local < (uintptr_t)argv
                             ? "below the arguments" : "misplaced");
    printf("fma %s\n", getauxval(AT_HWCAP) & (1 << ('D' - 'A')) ? "yes" : "no");
    return argc;
}
