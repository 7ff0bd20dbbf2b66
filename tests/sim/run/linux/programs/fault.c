/* Ends in the way its argument names. */
#include <alloca.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int deep(volatile char *above)
{
    volatile char frame[4096];

    memset((char *)frame, 1, sizeof frame);
    return above[0] == 2 ? 0 : deep(frame) + above[1];
}

static void stack_use(size_t bytes)
{
    volatile char *frame = alloca(bytes);
    size_t i;

    for (i = 0; i < bytes; i += 4096) {
        frame[i] = 1;
    }
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    volatile int zero = 0;
    char *page;

    fputs("before\n", stdout);
    fflush(stdout);
    if (strcmp(way, "null") == 0) {
        *(volatile int *)(intptr_t)zero = 1;
    } else if (strcmp(way, "text") == 0) {
        *(volatile char *)(uintptr_t)main = 1;
    } else if (strcmp(way, "jump") == 0) {
        page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memcpy(page, "\x82\x80", 2);    /* ret */
        ((void (*)(void))page)();
    } else if (strcmp(way, "stack") == 0) {
        stack_use(4 << 20);
        puts("half the stack is there");
        fflush(stdout);
        return deep((volatile char *)way);
    } else if (strcmp(way, "illegal") == 0) {
        __asm__ volatile(".word 0");
    } else if (strcmp(way, "break") == 0) {
        __asm__ volatile("ebreak");
    } else if (strcmp(way, "abort") == 0) {
        abort();
    } else if (strcmp(way, "term") == 0) {
        raise(SIGTERM);
    } else if (strcmp(way, "ignore") == 0) {
        signal(SIGUSR1, SIG_IGN);
        raise(SIGUSR1);
    } else if (strcmp(way, "pipe") == 0) {
        int i;

        for (i = 0; i < 100000; i++) {
            puts("a line of a text that is long enough");
        }
    } else if (strcmp(way, "memory") == 0) {
        while ((page = malloc(100000)) != NULL) {
            memset(page, 1, 100000);
        }
        stack_use(500000);
        puts("memory ends");
    } else if (strcmp(way, "quick") == 0) {
        _exit(300);
    }
    puts("after");
    return 3;
}
