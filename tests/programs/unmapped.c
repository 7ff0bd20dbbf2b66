/* Linux: a marked page that the program unmaps. Neither the later use of its memory nor a later
 * page at its address has marks: `page` is accessed ten times while it is marked. */
#define _DEFAULT_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

enum { PAGE_BYTES = 4096, WORDS = 512, OTHERS = 64 };

_Alignas(PAGE_BYTES) volatile uint64_t page[WORDS] = {1};

static void access_word(volatile uint64_t *word, unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        *word = i;
}

static volatile uint64_t *map(void *address, unsigned pages, int flags)
{
    return mmap(address, (size_t)pages * PAGE_BYTES, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

int main(void)
{
    access_word(page, 10);
    if (munmap((void *)page, PAGE_BYTES) != 0)
        return 1;
    volatile uint64_t *others = map(NULL, OTHERS, 0);
    for (unsigned i = 0; i < OTHERS; i++)
        access_word(others + i * WORDS, 100);
    if (map((void *)page, 1, MAP_FIXED) != page)
        return 2;
    access_word(page, 5);
    return 0;
}
