/* Counts, through libprofhw, the marks of a metadata file: client ENGINE HARTS FILE.meta app.elf
 * [ROOT]. With ROOT, the folder of its files, the guest kernel serves it. Prints
 * `count ADDRESS COUNT` for each instruction, `event NAME COUNT` for each event that is compared,
 * `range NAME INSIDE ENTRIES COUNTED` for each range of the metadata, the last from a programmable
 * counter. */
#include <inttypes.h>
#include <profhw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const events[] = {
    "insns_retired", "branches", "branches_taken", "calls", "returns", "jumps", "loads", "stores",
    "atomics", "compressed_insns",
};

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 20);

    if (file == NULL || text == NULL || fread(text, 1, (1 << 20) - 1, file) == 0)
        exit(2);
    fclose(file);
    return text;
}

static void print_counts(struct profhw *profhw)
{
    const struct profhw_count *counts;
    size_t number;
    uint64_t count;

    if (!profhw_counts(profhw, &counts, &number))
        exit(3);
    for (size_t i = 0; i < number; i++)
        if (counts[i].count != 0)
            printf("count 0x%" PRIx64 " %" PRIu64 "\n", counts[i].address, counts[i].count);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (profhw_event(profhw, events[i], &count))
            printf("event %s %" PRIu64 "\n", events[i], count);
}

enum { RANGES = 8 };

/* A counter of the instructions in each range. */
static void open_counters(struct profhw *profhw, unsigned number[RANGES])
{
    char text[64];

    for (unsigned i = 0; i < RANGES; i++) {
        snprintf(text, sizeof text, "insns_retired:range=I%u", i);
        if (!profhw_counter_open(profhw, text, &number[i]))
            exit(4);
    }
}

static void print_ranges(struct profhw *profhw, const unsigned number[RANGES])
{
    struct profhw_range range;
    uint64_t counted;
    char name[8];

    for (unsigned i = 0; i < RANGES; i++) {
        snprintf(name, sizeof name, "I%u", i);
        if (!profhw_range(profhw, name, &range) || !profhw_counter(profhw, number[i], &counted))
            exit(5);
        if (range.start != range.end)
            printf("range %s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", name, range.inside,
                   range.entries, counted);
    }
}

int main(int argc, char **argv)
{
    char error[PROFHW_ERROR], harts[32];
    const char *set[] = {harts, "shadow.traffic=ideal", NULL};
    struct profhw_program program = {.metadata_bytes = 64u << 20, .set = set};
    unsigned number[RANGES];
    struct profhw *profhw;
    int status;

    if (argc != 5 && argc != 6)
        return 2;
    snprintf(harts, sizeof harts, "machine.harts=%s", argv[2]);
    program.path = argv[4];
    program.is_fast = strcmp(argv[1], "fast") == 0;
    program.has_kernel = argc == 6;
    program.root = argv[5];
    profhw = profhw_open(&program, error);
    if (profhw != NULL)
        open_counters(profhw, number);
    if (profhw == NULL || !profhw_mark(profhw, read_text(argv[3])) || !profhw_run(profhw, 0) ||
        !profhw_has_ended(profhw, &status)) {
        fprintf(stderr, "%s\n", profhw != NULL ? profhw_error(profhw) : error);
        return 1;
    }
    print_counts(profhw);
    print_ranges(profhw, number);
    profhw_close(profhw);
    return 0;
}
