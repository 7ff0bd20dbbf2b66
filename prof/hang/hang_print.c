/* Alarms as text for people. */
#include <inttypes.h>
#include <string.h>

#include "prof/hang/hang.h"
#include "prof/report/report.h"

/* ---- threads --------------------------------------------------------------------------------- */

static void print_stack(const struct hang *hang, const struct monitor_stack *stack, FILE *out)
{
    for (unsigned i = 0; i < stack->depth; i++) {
        uint64_t at = i != 0 ? symbols_call_site(hang->symbols, stack->address[i])
                             : stack->address[i];
        const struct symbols_entry *entry = symbols_at(hang->symbols, at);
        char text[SYMBOLS_TEXT], line[SYMBOLS_TEXT];

        symbols_describe_line(hang->symbols, at, line);
        fprintf(out, "    %s%s%s%s\n",
                entry != NULL ? entry->name : symbols_describe(hang->symbols, at, text),
                line[0] != '\0' ? " (" : "", line, line[0] != '\0' ? ")" : "");
    }
    if (stack->walk == MONITOR_WALK_BROKEN)
        fputs("    [broken]\n", out);
}

static void print_lock(const struct hang *hang, const struct hang_thread *thread, FILE *out)
{
    char text[SYMBOLS_TEXT];

    fprintf(out, "waits for lock %s", symbols_describe(hang->symbols, thread->lock, text));
    if (thread->holder != 0)
        fprintf(out, ", held by thread %" PRIu32, thread->holder);
}

static void print_thread(const struct hang *hang, const struct hang_thread *thread, FILE *out)
{
    fprintf(out, "  thread %" PRIu32, thread->tid);
    if (thread->name[0] != '\0')
        fprintf(out, " \"%s\"", thread->name);
    switch (thread->wait) {
    case HANG_RUNS:
        fprintf(out, ", runs on hart %d", thread->hart);
        break;
    case HANG_IS_READY:
        fputs(", is ready to run", out);
        break;
    case HANG_WAITS:
        fprintf(out, ", waits (%s)", thread->reason);
        break;
    case HANG_WAITS_LOCK:
        fputs(", ", out);
        print_lock(hang, thread, out);
        break;
    case HANG_WAITS_END:
        fprintf(out, ", waits for the end of thread %" PRIu32, thread->holder);
        break;
    }
    fputc('\n', out);
    print_stack(hang, &thread->stack, out);
}

/* The thread for which this one waits; following it finds circles of threads that wait for each
 * other. */
static uint32_t next_holder(const struct hang_thread *thread, size_t threads, uint32_t tid)
{
    for (size_t i = 0; i < threads; i++)
        if (thread[i].tid == tid)
            return thread[i].wait == HANG_WAITS_LOCK || thread[i].wait == HANG_WAITS_END
                       ? thread[i].holder : 0;
    return 0;
}

static void print_circle(const struct hang_thread *thread, size_t threads, FILE *out)
{
    for (size_t i = 0; i < threads; i++) {
        uint32_t first = thread[i].tid, at = first, least = first;

        for (size_t k = 0; k <= threads && at != 0; k++) {
            at = next_holder(thread, threads, at);
            least = at < least ? at : least;
            if (at == first)
                break;
        }
        if (at != first || least != first)      /* each circle once, from its lowest number */
            continue;
        fprintf(out, "  deadlock: thread %" PRIu32, first);
        do {
            at = next_holder(thread, threads, at);
            fprintf(out, " waits for thread %" PRIu32 "%s", at, at != first ? ", which" : "");
        } while (at != first);
        fputc('\n', out);
    }
}

static void print_threads(const struct hang *hang, const struct hang_thread *thread,
                          size_t threads, FILE *out)
{
    for (size_t i = 0; i < threads; i++)
        print_thread(hang, &thread[i], out);
    print_circle(thread, threads, out);
}

/* ---- alarms ---------------------------------------------------------------------------------- */

static void print_more(const struct hang *hang, size_t first, FILE *out)
{
    const struct hang_alarm *alarm = &hang->alarm[first];
    uint64_t least = UINT64_MAX, most = 0, more = 0;
    char number[3][REPORT_NUMBER];

    for (size_t i = first + 1; i < hang->alarms; i++) {
        const struct hang_alarm *other = &hang->alarm[i];

        if (other->limit != alarm->limit || strcmp(other->group, alarm->group) != 0)
            continue;
        more++;
        least = other->elapsed < least ? other->elapsed : least;
        most = other->elapsed > most ? other->elapsed : most;
    }
    if (more != 0)
        fprintf(out, "  %s more with this stack, elapsed %s to %s\n",
                report_number(more, number[0]), report_number(least, number[1]),
                report_number(most, number[2]));
}

static void print_alarm(const struct hang *hang, size_t index, FILE *out)
{
    const struct hang_alarm *alarm = &hang->alarm[index];
    const struct hang_limit *limit = &hang->limit[alarm->limit];
    char number[4][REPORT_NUMBER];

    report_number(alarm->executed, number[0]);
    report_number(limit->cycles, number[1]);
    report_number(alarm->elapsed, number[2]);
    report_number(alarm->cycle, number[3]);
    if (limit->is_elapsed)
        fprintf(out, "alarm %zu: %s: elapsed %s cycle%s, limit %s of the clock, executed %s, "
                "at cycle %s\n", index + 1, limit->function, number[2],
                report_s(alarm->elapsed), number[1], number[0], number[3]);
    else
        fprintf(out, "alarm %zu: %s: executed %s cycle%s, limit %s of its thread, elapsed %s, "
                "at cycle %s\n", index + 1, limit->function, number[0],
                report_s(alarm->executed), number[1], number[2], number[3]);
    print_threads(hang, alarm->thread, alarm->threads, out);
    if (alarm->dump != NULL)
        fprintf(out, "  dump: %s\n", alarm->dump);
    print_more(hang, index, out);
    fputc('\n', out);
}

static void print_sum(const struct hang *hang, FILE *out)
{
    char number[3][REPORT_NUMBER];

    fprintf(out, "%s alarm%s in %s watched call%s", report_number(hang->alarms, number[0]),
            hang->alarms == 1 ? "" : "s", report_number(hang->begun, number[1]),
            report_s(hang->begun));
    if (hang->refused != 0)
        fprintf(out, "; %s call%s not watched: %d limits of a thread in use",
                report_number(hang->refused, number[2]), report_s(hang->refused), PROF_LIMITS);
    if (hang->unreported != 0)
        fprintf(out, "; %s more alarm%s not reported",
                report_number(hang->unreported, number[2]), report_s(hang->unreported));
    fputc('\n', out);
    if (hang->cycles_without == 0)
        return;
    fprintf(out, "the run takes %s cycles, unwatched %s (%+.2f %%)\n",
            report_number(hang->cycles, number[0]),
            report_number(hang->cycles_without, number[1]),
            100 * ((double)hang->cycles / (double)hang->cycles_without - 1));
}

void hang_print(const struct hang *hang, FILE *out)
{
    for (size_t i = 0; i < hang->alarms; i++) {
        const struct hang_alarm *alarm = &hang->alarm[i];

        if (hang_first(hang, alarm->limit, alarm->group) == alarm)
            print_alarm(hang, i, out);
    }
    if (hang->end[0] != '\0') {
        fprintf(out, "the run ended: %s\n", hang->end);
        print_threads(hang, hang->left, hang->lefts, out);
        fputc('\n', out);
    }
    print_sum(hang, out);
}
