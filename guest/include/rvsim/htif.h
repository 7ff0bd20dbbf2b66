/* Console output of a bare-metal program through HTIF: the words tohost and fromhost, which the
 * simulator finds by their symbols. The program defines both, in one place:
 *   volatile unsigned long tohost, fromhost;
 * Nothing to link. */
#ifndef RVSIM_HTIF_H
#define RVSIM_HTIF_H

extern volatile unsigned long tohost, fromhost;

static inline void htif_print(const char *text)
{
    for (; *text != '\0'; text++) {
        tohost = 1ul << 56 | 1ul << 48 | (unsigned char)*text;
        while (tohost != 0)
            ;
    }
}

/* Prints a line: the name, then the number in decimal. */
static inline void htif_print_number(const char *name, unsigned long value)
{
    char digits[24];
    int at = sizeof digits - 1;

    digits[at] = '\0';
    do
        digits[--at] = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    htif_print(name);
    htif_print(digits + at);
    htif_print("\n");
}

#endif
