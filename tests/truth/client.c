/* Counts through libprofhw what a metadata file marks: client ENGINE HARTS FILE.meta app.elf.
 * Prints `count ADDRESS COUNT` for each instruction and `event NAME COUNT` for each event that is
 * compared. */
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

int main(int argc, char **argv)
{
    char error[PROFHW_ERROR], harts[32];
    const char *set[] = {harts, "shadow.traffic=ideal", NULL};
    struct profhw_program program = {.metadata_bytes = 64u << 20, .set = set};
    struct profhw *profhw;
    int status;

    if (argc != 5)
        return 2;
    snprintf(harts, sizeof harts, "machine.harts=%s", argv[2]);
    program.path = argv[4];
    program.is_fast = strcmp(argv[1], "fast") == 0;
    profhw = profhw_open(&program, error);
    if (profhw == NULL || !profhw_mark(profhw, read_text(argv[3])) || !profhw_run(profhw, 0) ||
        !profhw_has_ended(profhw, &status)) {
        fprintf(stderr, "%s\n", profhw != NULL ? profhw_error(profhw) : error);
        return 1;
    }
    print_counts(profhw);
    profhw_close(profhw);
    return 0;
}
