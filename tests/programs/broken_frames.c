/* Programs that spoil their own chain of frames while marked code runs: the frame pointer is
 * nonsense, misaligned, not mapped, points to itself, or upwards in a circle. `watched` runs 10
 * times each way. */
#include <stdio.h>
#include <stdlib.h>

long watched(long x);
long with_frame_pointer(long frame, long x);

/* Calls watched ten times with s0 = frame; keeps ra and s0 where no frame chain would look. watched
 * reads s0 as its frame pointer only by convention. */
__asm__(".text\n.balign 4\n.globl watched\n.type watched, @function\n"
        "watched:\n    addi a0, a0, 1\n    slli a0, a0, 1\n    srli a0, a0, 1\n    ret\n"
        ".size watched, . - watched\n"
        ".globl with_frame_pointer\n.type with_frame_pointer, @function\n"
        "with_frame_pointer:\n"
        "    addi sp, sp, -48\n    sd ra, 0(sp)\n    sd s0, 8(sp)\n    sd s1, 16(sp)\n"
        "    mv s0, a0\n    mv a0, a1\n    li s1, 10\n"
        "1:  call watched\n    addi s1, s1, -1\n    bnez s1, 1b\n"
        "    ld s1, 16(sp)\n    ld s0, 8(sp)\n    ld ra, 0(sp)\n    addi sp, sp, 48\n    ret\n"
        ".size with_frame_pointer, . - with_frame_pointer\n");

int main(void)
{
    static long frames[64];
    long top[8] = {0};
    long sum = 0;

    frames[6] = (long)&frames[8];               /* frame at [8]: s0 at -16, ra at -8: itself */
    frames[7] = (long)main;
    top[2] = (long)&top[4];
    top[3] = (long)main;
    sum += with_frame_pointer(3, 1);                    /* misaligned */
    sum += with_frame_pointer(0x10, 1);                 /* not mapped */
    sum += with_frame_pointer(0x7ffffffffffffff8, 1);   /* no canonical address */
    sum += with_frame_pointer(-8, 1);
    sum += with_frame_pointer((long)&frames[8], 1);     /* below the stack, a circle */
    sum += with_frame_pointer((long)&top[4], 1);        /* on the stack, itself */
    printf("%ld\n", sum);
    return sum == 6 * 11 ? 0 : 1;
}
