/* A static PIE without a C library: finds itself wherever it was put. */
static long call(long number, long a, long b, long c)
{
    register long a0 __asm__("a0") = a;
    register long a1 __asm__("a1") = b;
    register long a2 __asm__("a2") = c;
    register long a7 __asm__("a7") = number;

    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
    return a0;
}

void _start(void)
{
    static const char text[] = "moved\n";

    call(64, 1, (long)text, sizeof text - 1);
    call(94, (unsigned long)text >> 28 == 1 ? 5 : 6, 0, 0);
}
