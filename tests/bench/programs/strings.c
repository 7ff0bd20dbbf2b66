/* Strings, records, switches and many small calls, in the manner of a compiler's symbol table. */
#include "bench.h"

enum { WORDS = 64, LENGTH = 12, STATEMENTS = 400 };

enum kind { NAME, NUMBER, CALL, LOOP, KINDS };

struct symbol {
    char name[LENGTH];
    enum kind kind;
    uint32_t uses;
    int32_t value;
    struct symbol *scope;
};

static struct symbol symbols[WORDS];
static uint32_t symbol_count;

static __attribute__((noinline)) int compare(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return (unsigned char)*a - (unsigned char)*b;
}

static __attribute__((noinline)) uint32_t copy(char *to, const char *from)
{
    uint32_t length = 0;
    while ((to[length] = from[length]) != '\0')
        length++;
    return length;
}

static __attribute__((noinline)) void spell(char *to, uint32_t number)
{
    static const char syllable[8][3] = {"ba", "co", "di", "fu", "ge", "ha", "lo", "mi"};
    uint32_t length = copy(to, "id_");
    for (; number != 0 && length < LENGTH - 2; number /= 8)
        length += copy(to + length, syllable[number % 8]);
}

static __attribute__((noinline)) struct symbol *look_up(const char *name)
{
    uint32_t low = 0, high = symbol_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        int order = compare(name, symbols[middle].name);
        if (order == 0)
            return &symbols[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    for (uint32_t i = symbol_count++; i > low; i--)
        symbols[i] = symbols[i - 1];
    symbols[low] = (struct symbol){.kind = NAME};
    copy(symbols[low].name, name);
    return &symbols[low];
}

static __attribute__((noinline)) int32_t evaluate(struct symbol *symbol, int32_t operand)
{
    symbol->uses++;
    switch (symbol->kind) {
    case NAME: symbol->kind = NUMBER; return symbol->value += operand;
    case NUMBER: symbol->kind = CALL; return symbol->value ^ operand;
    case CALL: symbol->kind = LOOP; return symbol->value = operand / (int32_t)symbol->uses;
    case LOOP: symbol->kind = NAME; return symbol->value * 3 - operand;
    default: return 0;
    }
}

uint32_t bench_round(void)
{
    uint32_t sum = BENCH_BASIS, state = 9;
    char name[LENGTH + 2];
    symbol_count = 0;
    for (uint32_t statement = 0; statement < STATEMENTS; statement++) {
        uint32_t draw = bench_random(&state);
        spell(name, draw % WORDS * 37);
        struct symbol *symbol = look_up(name);
        sum = bench_mix(sum, (uint32_t)evaluate(symbol, (int32_t)(draw >> 8 & 4095)));
    }
    for (uint32_t i = 0; i < symbol_count; i++)
        sum = bench_mix(sum, symbols[i].uses);
    return sum;
}

BENCH(130, UINT32_C(2146340334));
