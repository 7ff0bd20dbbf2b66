/* Functions of the C library that programs use: formatted numbers, memory, sorting, strings,
 * mathematics, time. */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void numbers(void)
{
    printf("%f %.3e %g %a\n", 3.14159265358979, -1.5e300, 1e-7, 0.1);
    printf("%d %u %#x %o %lld %5d|%-5d|%05d\n", -1, 4000000000u, 48879, 8,
           (long long)INT64_MIN, 42, 42, 42);
    printf("%.0f %.1f %.2f %.10f\n", 0.5, 0.25, 1.005, 2.0 / 3);
    printf("%s %.3s %10s|%-10s|%c\n", "text", "truncated", "right", "left", 'c');
    printf("%f %f %f\n", INFINITY, -INFINITY, NAN);
    printf("%.17g %ld %g\n", strtod("0.1e1x", NULL), strtol("-0x7f", NULL, 0), atof("1e-320"));
}

static void memory(void)
{
    uint64_t sum = 0;
    char *blocks[40];
    unsigned i, round;

    for (round = 0; round < 3; round++) {
        for (i = 0; i < 40; i++) {
            blocks[i] = malloc(i * 4001 + 1);
            memset(blocks[i], (int)i, i * 4001 + 1);
        }
        for (i = 0; i < 40; i += 2) {
            blocks[i] = realloc(blocks[i], i * 7999 + 1);
        }
        for (i = 0; i < 40; i++) {
            sum += (unsigned char)blocks[i][i * 4001];
            free(blocks[i]);
        }
    }
    printf("memory %llu\n", (unsigned long long)sum);
    printf("too much %s\n", malloc((size_t)1 << 40) == NULL ? "refused" : "granted");
}

static void sorting(void)
{
    enum { COUNT = 5000 };
    static uint32_t values[COUNT];
    uint32_t x = 12345, key, i;

    for (i = 0; i < COUNT; i++) {
        x = x * 1664525 + 1013904223;
        values[i] = x;
    }
    key = values[COUNT / 2];
    qsort(values, COUNT, sizeof values[0], compare);
    for (i = 1; i < COUNT; i++) {
        if (values[i - 1] > values[i]) {
            printf("unsorted at %u\n", i);
        }
    }
    printf("sorted %u %u, found %d\n", values[0], values[COUNT - 1],
           bsearch(&key, values, COUNT, sizeof key, compare) != NULL);
}

static void mathematics(void)
{
    double x;

    for (x = -2; x <= 2; x += 0.8) {
        printf("%.15g %.15g %.15g %.15g\n", sin(x), exp(x), atan2(x, 2), pow(fabs(x), 1.7));
    }
    printf("%.15g %.15g %.15g %g\n", sqrt(2), log(10), cbrt(27), fmod(10, 3));
    printf("%ld %ld %g %g\n", lrint(2.5), lround(2.5), floor(-0.5), trunc(-1.5));
    printf("%.8g %.8g %.30Lg\n", (double)sinf(1), (double)expf(1), 1.0L / 3);
}

static jmp_buf target;

static int jump(int depth)
{
    if (depth == 0) {
        longjmp(target, 5);
    }
    return jump(depth - 1) + depth;
}

static void clocks(void)
{
    struct timespec a, b, nap = {0, 250000000};
    char text[64];
    time_t fixed = 86400 * 365;

    clock_gettime(CLOCK_MONOTONIC, &a);
    nanosleep(&nap, NULL);
    clock_gettime(CLOCK_MONOTONIC, &b);
    printf("slept %s\n", (b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec >= 250000000
                             ? "long enough" : "too short");
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", gmtime(&fixed));
    printf("%s, now is %s 2024\n", text, time(NULL) >= 1704067200 ? "after" : "before");
}

int main(void)
{
    int depth;

    numbers();
    memory();
    sorting();
    mathematics();
    depth = setjmp(target);
    if (depth == 0) {
        depth = jump(30);
    }
    printf("jumped %d\n", depth);
    clocks();
    return 0;
}
