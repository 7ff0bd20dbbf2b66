/* Two routines made at run time, one of which calls the program. */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

typedef long made(long);
typedef long calling(long, made *);

static volatile long sum;

static __attribute__((noinline)) long back(long x)
{
    sum = sum + x;
    return x + 1;
}

static const uint32_t counts_down[] = {
    0xfff50513,                         /* addi a0, a0, -1 */
    0xfe051ee3,                         /* bnez a0, -4 */
    0x00008067,                         /* ret */
};
static const uint32_t calls_back[] = {
    0xff010113,                         /* addi sp, sp, -16 */
    0x00113423,                         /* sd ra, 8(sp) */
    0x000580e7,                         /* jalr a1 */
    0x00813083,                         /* ld ra, 8(sp) */
    0x01010113,                         /* addi sp, sp, 16 */
    0x00008067,                         /* ret */
};

int main(void)
{
    char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
                      -1, 0);

    memcpy(code, counts_down, sizeof counts_down);
    memcpy(code + 64, calls_back, sizeof calls_back);
    __builtin___clear_cache(code, code + 4096);
    for (long i = 1; i <= 10; i++) {
        sum = sum + ((made *)code)(i);
        sum = sum + ((calling *)(code + 64))(i, back);
    }
    return 0;
}
