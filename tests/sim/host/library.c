/* A profiler: library ENGINE PROGRAM. Reads and writes everything that libprofhw allows, of
 * tally.S. */
#include <inttypes.h>
#include <profhw.h>
#include <stdio.h>
#include <string.h>

static struct profhw *profhw;

static uint64_t reg(const char *name)
{
    uint64_t value = 0;

    if (!profhw_register(profhw, 0, name, &value))
        printf("%s\n", profhw_error(profhw));
    return value;
}

static uint64_t counter(unsigned number)
{
    uint64_t value = 0;

    if (!profhw_counter(profhw, number, &value))
        printf("%s\n", profhw_error(profhw));
    return value;
}

static void refused(bool is_good)
{
    printf("%s\n", is_good ? "taken" : profhw_error(profhw));
}

/* The pc of the program after 52 instructions, and the counts up to then. */
static void look(const unsigned number[5])
{
    struct profhw_range code, data;
    uint64_t words[2], address, bytes;

    profhw_symbol(profhw, "words", &address, &bytes);
    profhw_memory(profhw, 0, address, words, sizeof words);
    printf("s0 %" PRIu64 " x8 %" PRIu64 " words %" PRIu64 " %" PRIu64 "\n", reg("s0"), reg("x8"),
           words[0], words[1]);
    for (unsigned i = 0; i < 5; i++)
        printf("%" PRIu64 " ", counter(number[i]));
    profhw_range(profhw, "I0", &code);
    profhw_range(profhw, "D1", &data);
    printf("I0 %" PRIu64 " %" PRIu64 " D1 %" PRIu64 "\n", code.entries, code.inside, data.inside);
}

static void refuse_what_is_wrong(void)
{
    struct profhw_range range;
    uint64_t value;
    unsigned number, taken = 0;

    refused(profhw_counter_open(profhw, "lods", &number));
    refused(profhw_counter(profhw, 31, &value));
    refused(profhw_range(profhw, "I8", &range));
    refused(profhw_register(profhw, 0, "a9", &value));
    refused(profhw_register(profhw, 1, "a0", &value));
    refused(profhw_register_set(profhw, 0, "zero", 1));
    refused(profhw_register_set(profhw, 0, "mhartid", 1));
    refused(profhw_memory(profhw, 0, 0x123456789000, &value, 8));
    while (profhw_counter_open(profhw, "insns_retired", &number))
        taken++;
    printf("%u more: %s\n", taken, profhw_error(profhw));
}

int main(int argc, char **argv)
{
    static const char *const wanted[5] = {"insns_retired", "insns_retired:user", "loads:label=7",
                                          "stores:toggle", "insns_retired:range=I0"};
    char error[PROFHW_ERROR];
    const struct profhw_program program = {
        .path = argv[argc - 1], .is_fast = strcmp(argv[1], "fast") == 0};
    uint64_t address, bytes, word;
    unsigned number[5];
    int status = -1;

    profhw = profhw_open(&program, error);
    if (profhw == NULL) {
        printf("%s\n", error);
        return 1;
    }
    profhw_symbol(profhw, "words", &address, &bytes);
    if (!profhw_mark(profhw, "work+8 4 count label=7 start\nwork+24 4 stop\nrange I0 work *\n") ||
        !profhw_range_set(profhw, "D1", address + 8, address + 16))
        printf("%s\n", profhw_error(profhw));
    for (unsigned i = 0; i < 5; i++)
        if (!profhw_counter_open(profhw, wanted[i], &number[i]))
            printf("%s\n", profhw_error(profhw));
    profhw_run(profhw, 51);                 /* five rounds, with their bnez */
    look(number);
    word = 100;                             /* instead of 5: the sum begins there */
    profhw_memory_set(profhw, 0, address, &word, sizeof word);
    profhw_register_set(profhw, 0, "s0", 2);
    profhw_register_set(profhw, 0, "fa0", 7);
    profhw_register_set(profhw, 0, "minstret", 1000);
    profhw_counter_set(profhw, number[0], 500);
    profhw_range_set(profhw, "D1", address + 8, address + 16);
    profhw_counter_close(profhw, number[1]);
    profhw_run(profhw, 21);                 /* two rounds more, and the first instruction after */
    profhw_memory(profhw, 0, address, &word, sizeof word);
    printf("fa0 %" PRIu64 " minstret %" PRIu64 " counter %" PRIu64 " sum %" PRIu64 "\n",
           reg("f10"), reg("minstret"), counter(number[0]), word);
    number[1] = number[0];
    look(number);
    profhw_symbol(profhw, "end", &address, &bytes);
    printf("harts %u at end+%d\n", profhw_harts(profhw), (int)(reg("pc") - address));
    refuse_what_is_wrong();
    profhw_run(profhw, 0);
    profhw_has_ended(profhw, &status);
    printf("status %d\n", status);
    profhw_close(profhw);
    return 0;
}
