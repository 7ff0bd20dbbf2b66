/* Prints the scheduler's records of a run: cycle, hart, thread, other, event, reason, value, order.
 * Arguments: harts, "fast" or "detailed", the program and its arguments. */
#include <inttypes.h>
#include <profhw.h>
#include <stdio.h>

static void print(void *arg, const struct profhw_record *record)
{
    fprintf(arg, "%" PRIu64 " %u %u %u %s %s %" PRIu64 " %u\n", record->cycle, record->hart,
            record->thread, record->other, record->event,
            record->reason[0] != '\0' ? record->reason : "-", record->value, record->order);
}

int main(int argc, char **argv)
{
    char error[PROFHW_ERROR], harts[64];
    const char *const set[] = {harts, NULL};
    struct profhw_program program = {
        .path = argv[3], .argc = argc - 3, .argv = argv + 3, .set = set,
        .is_fast = argv[2][0] == 'f',
    };
    struct profhw *profhw;

    snprintf(harts, sizeof harts, "machine.harts=%s", argv[1]);
    profhw = profhw_open(&program, error);
    if (profhw == NULL) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    if (!profhw_records(profhw, print, stdout) || !profhw_run(profhw, 0)) {
        fprintf(stderr, "%s\n", profhw_error(profhw));
        return 1;
    }
    profhw_close(profhw);
    return 0;
}
