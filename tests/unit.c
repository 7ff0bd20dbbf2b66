/* The program of the unit tests of a folder: called as NAME_test, it runs those of NAME_test.c. */
#include <stdio.h>
#include <string.h>

#include "tests/unit.h"

/* By the linker: where the section begins, and ends. */
extern const struct unit_test __start_unit_tests[], __stop_unit_tests[];

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/'), *file = slash != NULL ? slash + 1 : argv[0];
    (void)argc;
    for (const struct unit_test *test = __start_unit_tests; test < __stop_unit_tests; test++)
        if (strcmp(test->file, file) == 0)
            return test->run();
    fprintf(stderr, "%s: no file of this name has tests here\n", argv[0]);
    return 2;
}
