/* `monitor` commands: counts of the machine's profiling hardware up to the stop.
 *
 * A copy of the process answers: collecting some counts empties shadow frames, which would change
 * the rest of the run. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "isa/csr.h"
#include "pmu/event.h"
#include "pmu/profile.h"
#include "sim/debug/session_internal.h"
#include "sim/run/profiler/profiler.h"

enum { COMMAND_BYTES = 256, PIECE_BYTES = 2048, FIRST_COUNTER = 3 };

struct command {
    const char *name, *arguments, *help;
    void (*print)(const struct session *session, const char *argument, FILE *out);
};

#define MONITOR(name, arguments, help) \
    static void monitor_##name(const struct session *session, const char *argument, FILE *out);
#include "sim/debug/monitor.def"
#undef MONITOR

static const struct command commands[] = {
#define MONITOR(name, arguments, help) {#name, arguments, help, monitor_##name},
#include "sim/debug/monitor.def"
#undef MONITOR
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

/* ---- commands -------------------------------------------------------------------------------- */

static void monitor_help(const struct session *session, const char *argument, FILE *out)
{
    (void)session, (void)argument;
    for (unsigned i = 0; i < COMMANDS; i++)
        fprintf(out, "monitor %-9s%-8s%s\n", commands[i].name, commands[i].arguments,
                commands[i].help);
}

static void monitor_stats(const struct session *session, const char *argument, FILE *out)
{
    const struct machine *machine = session->machine;
    bool any = false;

    for (unsigned code = 0; code < EVENT_COUNT; code++) {
        const char *name = event_name(code);
        uint64_t count = 0;

        for (unsigned i = 0; i < machine->harts; i++)
            count += machine->cpu[i].pmu.events[code];
        if (count == 0 || name == NULL || strstr(name, argument) == NULL)
            continue;
        fprintf(out, "%20" PRIu64 "  %s\n", count, name);
        any = true;
    }
    if (!any)
        fprintf(out, "no event%s%s has occurred\n", *argument != '\0' ? " with the name " : "",
                argument);
}

static void print_counter(struct pmu *pmu, unsigned hart, unsigned number, FILE *out)
{
    uint64_t select = pmu->counter[number].select, value = 0;
    unsigned event = (unsigned)(select & 0xff);

    if (event == EVENT_NONE)
        return;
    pmu_csr_read(pmu, CSR_mhpmcounter3 + number - FIRST_COUNTER, &value);
    fprintf(out, "hart %u  mhpmcounter%-3u %20" PRIu64 "  %s", hart, number, value,
            event_name(event));
    if (select != event)
        fprintf(out, " (mhpmevent 0x%" PRIx64 ")", select);
    fprintf(out, "\n");
}

static void monitor_counters(const struct session *session, const char *argument, FILE *out)
{
    const struct machine *machine = session->machine;
    long before = ftell(out);

    (void)argument;
    for (unsigned i = 0; i < machine->harts; i++)
        for (unsigned k = 0; k < machine->cpu[i].pmu.counters; k++)
            print_counter(&machine->cpu[i].pmu, i, FIRST_COUNTER + k, out);
    if (ftell(out) == before)
        fprintf(out, "no counter is programmed (--count, mhpmevent)\n");
}

static void monitor_marks(const struct session *session, const char *argument, FILE *out)
{
    struct profiler *profiler = session->machine->profiler;
    const struct profiler_mark *mark;
    struct diag diag = {""};
    size_t marks = 0;

    (void)argument;
    if (profiler != NULL && profiler_collect(profiler, &diag) == ERR_OK)
        marks = profiler_marks(profiler, &mark);
    for (size_t i = 0; i < marks; i++)
        fprintf(out, "0x%-16" PRIx64 " %-5s %20" PRIu64 " %10u interrupts\n", mark[i].site->va,
                mark[i].site->is_code ? "code" : "data", mark[i].count, mark[i].interrupts);
    if (marks == 0)
        fprintf(out, "%s\n", *diag.text != '\0' ? diag.text : "nothing is marked (--meta)");
}

static void print_range(const struct machine *machine, unsigned number, bool is_data, FILE *out)
{
    uint64_t index = (is_data ? PROF_REG_DRANGE : PROF_REG_IRANGE) + 4 * (uint64_t)number;
    uint64_t word[4] = {0};

    for (unsigned i = 0; i < machine->harts; i++)
        for (unsigned k = 0; k < 4; k++) {
            uint64_t value = profile_register_read(&machine->cpu[i].pmu, index + k);

            word[k] = k < 2 ? value : word[k] + value;
        }
    if (word[0] != word[1])
        fprintf(out, "%c%u  0x%" PRIx64 "..0x%" PRIx64 "  %" PRIu64 " entries  %" PRIu64 " %s\n",
                is_data ? 'D' : 'I', number, word[0], word[1], word[2], word[3],
                is_data ? "accesses" : "instructions");
}

static void monitor_ranges(const struct session *session, const char *argument, FILE *out)
{
    long before = ftell(out);

    (void)argument;
    for (unsigned i = 0; i < 2 * PROF_RANGES; i++)
        print_range(session->machine, i % PROF_RANGES, i >= PROF_RANGES, out);
    if (ftell(out) == before)
        fprintf(out, "no range is set\n");
}

/* ---- the packet ------------------------------------------------------------------------------ */

static const char *next_name(void *state)
{
    unsigned *at = state;

    return *at < COMMANDS ? commands[(*at)++].name : NULL;
}

/* The first word is the command, the rest its argument. */
static void execute(const struct session *session, char *line, FILE *out)
{
    char *argument = line + strcspn(line, " ");
    unsigned at = 0;
    const char *near;

    if (*argument != '\0')
        *argument++ = '\0';
    argument += strspn(argument, " ");
    for (unsigned i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, line) == 0) {
            commands[i].print(session, argument, out);
            return;
        }
    near = nearest_name(line, next_name, &at);
    fprintf(out, "monitor %s: no such command; %s%s%s\n", line,
            near != NULL ? "did you mean " : "see monitor help", near != NULL ? near : "",
            near != NULL ? "?" : "");
}

/* The output of the command; NULL: no memory, or no process. The caller frees it. */
static char *ask_a_copy(const struct session *session, char *line)
{
    char *text = NULL, piece[PIECE_BYTES];
    size_t length = 0;
    FILE *whole = open_memstream(&text, &length);
    ssize_t got;
    int pipes[2];
    pid_t child;

    if (whole == NULL || pipe(pipes) != 0)
        return NULL;
    child = fork();
    if (child == 0) {
        execute(session, line, whole);
        fclose(whole);
        for (size_t at = 0; at < length; at += (size_t)got)
            if ((got = write(pipes[1], text + at, length - at)) <= 0)
                break;
        _exit(0);
    }
    close(pipes[1]);
    while (child > 0 && (got = read(pipes[0], piece, sizeof piece)) > 0)
        fwrite(piece, 1, (size_t)got, whole);
    close(pipes[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return fclose(whole) == 0 ? text : NULL;
}

/* The text goes to gdb's terminal piece by piece, before the answer. */
enum outcome handle_monitor(struct session *session, const char *arguments, size_t length)
{
    char line[COMMAND_BYTES] = "", *text;
    size_t bytes;

    if (length / 2 >= sizeof line || length % 2 != 0 ||
        !take_bytes(&arguments, (uint8_t *)line, length / 2) || strlen(line) != length / 2)
        return reply_error(session, FAULT_ARGUMENT);
    text = ask_a_copy(session, line);
    if (text == NULL)
        return reply_error(session, FAULT_NO_MEMORY);
    for (size_t at = 0; text[at] != '\0'; at += bytes) {
        bytes = strnlen(text + at, PIECE_BYTES);
        session->reply.length = 0;
        reply_text(session, "O");
        reply_hex(session, text + at, bytes);
        if (!session_send(session))
            break;
    }
    free(text);
    session->reply.length = 0;
    return reply_ok(session);
}
