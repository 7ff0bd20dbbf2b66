/* Included before each unit test by the Makefile, with UNIT_TEST, the file's name: the tests of a
 * folder are one program (unit.c), in which each file's main is a function and has a row. */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

/* In the section unit_tests, which is a table. */
struct unit_test {
    _Alignas(16) const char *file;
    int (*run)(void);
};

#ifdef UNIT_TEST
#define UNIT_TEXT_OF(name) #name
#define UNIT_TEXT(name) UNIT_TEXT_OF(name)
#define UNIT_MAIN_OF(name) name##_main
#define UNIT_MAIN(name) UNIT_MAIN_OF(name)
#define main UNIT_MAIN(UNIT_TEST)

int main(void);
static const struct unit_test unit_test __attribute__((section("unit_tests"), used)) = {
    UNIT_TEXT(UNIT_TEST), main};
#endif

#endif
