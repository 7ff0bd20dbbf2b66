/* rvsim top: the hot routines of a run in progress, by sampling.
 *
 * The samples are those of `rvsim record`, at no simulated cost. The display is refreshed by the
 * host's clock, so its contents differ from run to run; the table at the end does not. On a
 * terminal the display is redrawn and takes keys, like perf top; elsewhere each refresh is a
 * line. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/event.h"
#include "pmu/monitor/monitor.h"
#include "prof/profile/json.h"
#include "prof/report/report.h"
#include "sim/cli/command/record.h"
#include "sim/cli/job/job.h"
#include "sim/cli/terminal/style.h"
#include "sim/cli/terminal/terminal.h"

enum { PERIOD_DEFAULT = 10007, ENTRIES_DEFAULT = 30, LINE_ENTRIES = 3, HEAD_ROWS = 4,
       HOT_PERCENT = 5, PAUSE_WAIT = 100 };
#define DELAY_DEFAULT 2.0
#define DELAY_LEAST 0.1
#define DELAY_MOST 86400.0

/* Samples of a routine: since the start, and since the last refresh. */
struct hot { size_t entry; uint64_t all, now; };

struct top {
    struct tool tool;
    unsigned event;
    uint64_t period, entries;
    double delay, due;              /* host seconds */
    struct terminal terminal;
    struct style style;
    struct hot *hot;                /* [count] by symbol; the last: no routine */
    struct hot *shown;              /* [count] in the order of display */
    size_t count;
    size_t seen;                    /* samples of the profiler already taken */
    uint64_t all, now;
    uint64_t insns, cycles;         /* at the last refresh */
    double at;                      /* time of the last refresh, in seconds */
    bool is_zeroing;                /* z: the display shows only the last interval */
    bool shows_help, is_over;
    bool shows_nothing;             /* standard output is used for JSON */
    struct trial_result result;
};

/* ---- samples --------------------------------------------------------------------------------- */

static size_t routine_of(const struct top *top, uint64_t address)
{
    const struct symbols_entry *first, *entry = symbols_at(top->tool.target.symbols, address);

    symbols_entries(top->tool.target.symbols, &first);
    return entry != NULL && entry >= first && (size_t)(entry - first) < top->count - 1
               ? (size_t)(entry - first) : top->count - 1;
}

static void take_samples(struct top *top, const struct job *job)
{
    const struct profiler_sample *sample;
    const struct monitor_record *record;
    size_t samples = job->profiler != NULL ? profiler_samples(job->profiler, &sample) : 0;

    if (samples == top->seen)
        return;
    profiler_records(job->profiler, &record);
    for (; top->seen < samples; top->seen++) {
        struct hot *hot = &top->hot[routine_of(top, record[sample[top->seen].slot].iaddr)];

        hot->all++;
        hot->now++;
        top->all++;
        top->now++;
    }
}

static int compare_now(const void *a, const void *b)
{
    const struct hot *x = a, *y = b;

    if (x->now != y->now)
        return x->now > y->now ? -1 : 1;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

static int compare_all(const void *a, const void *b)
{
    const struct hot *x = a, *y = b;

    return x->all != y->all ? (x->all > y->all ? -1 : 1) : compare_now(a, b);
}

/* Keeps routines with samples, the hottest first. */
static size_t sort(struct top *top)
{
    size_t count = 0;

    for (size_t i = 0; i < top->count; i++)
        if (top->is_zeroing ? top->hot[i].now != 0 : top->hot[i].all != 0)
            top->shown[count++] = top->hot[i];
    qsort(top->shown, count, sizeof *top->shown, top->is_zeroing ? compare_now : compare_all);
    return count;
}

static const char *name_of(const struct top *top, const struct hot *hot)
{
    const struct symbols_entry *first;

    symbols_entries(top->tool.target.symbols, &first);
    return hot->entry < top->count - 1 ? first[hot->entry].name : "(no routine)";
}

/* ---- the display ----------------------------------------------------------------------------- */

static void print_head(const struct top *top, const struct machine *machine, double seconds)
{
    uint64_t insns = machine_insns(machine), cycles = machine_cycles(machine);
    char text[4][REPORT_NUMBER];

    fprintf(top->terminal.out, "%srvsim top%s: %s, %s every %s: %s sample%s; %s instruction%s",
            top->style.bold, top->style.off, symbols_base_name(top->tool.target.image.path),
            event_name(top->event), report_number(top->period, text[0]),
            report_number(top->all, text[1]), report_s(top->all), report_number(insns, text[2]),
            report_s(insns));
    if (!tool_is_fast(&top->tool))
        fprintf(top->terminal.out, ", %s cycles, IPC %.2f now", report_number(cycles, text[3]),
                cycles > top->cycles
                    ? (double)(insns - top->insns) / (double)(cycles - top->cycles) : 0);
    fprintf(top->terminal.out, ", %.1f MIPS\n",
            seconds > top->at ? (double)(insns - top->insns) / (seconds - top->at) * 1e-6 : 0);
}

static void print_help(const struct top *top)
{
    fputs("\n  q  end the run and show the table of all samples\n"
          "  z  samples of the moment alone, or of the whole run\n"
          "  e  number of routines\n"
          "  d  seconds between refreshes\n"
          "  p  pause the run until the next key\n"
          "  h  this text\n\nany key goes on\n", top->terminal.out);
}

static void draw(struct top *top, const struct machine *machine, double seconds)
{
    unsigned rows, columns;
    size_t count = sort(top);

    terminal_clear(&top->terminal);
    terminal_size(&top->terminal, &rows, &columns);
    print_head(top, machine, seconds);
    if (top->shows_help) {
        print_help(top);
        fflush(top->terminal.out);
        return;
    }
    fprintf(top->terminal.out, "%s%8s %8s %14s  routine (h: keys)%s\n", top->style.dim, "now",
            "all", "samples", top->style.off);
    count = count < top->entries || top->entries == 0 ? count : top->entries;
    for (size_t i = 0; i < count && i + HEAD_ROWS < rows; i++) {
        const struct hot *hot = &top->shown[i];
        double now = report_percent(hot->now, top->now);
        bool is_hot = now >= HOT_PERCENT;
        char number[REPORT_NUMBER];

        fprintf(top->terminal.out, "%s%7.2f%%%s %7.2f%% %14s  %.*s\n",
                is_hot ? top->style.bad : "", now, is_hot ? top->style.off : "",
                report_percent(hot->all, top->all), report_number(hot->all, number),
                columns > 34 ? (int)columns - 34 : 0, name_of(top, hot));
    }
    fflush(top->terminal.out);
}

/* Prints a line if there is no terminal. */
static void print_line(struct top *top, const struct machine *machine, double seconds)
{
    size_t count = sort(top);
    char number[REPORT_NUMBER];

    (void)seconds;
    printf("%16s instructions  %10" PRIu64 " samples ", report_number(machine_insns(machine),
                                                                      number), top->all);
    for (size_t i = 0; i < count && i < LINE_ENTRIES; i++)
        printf("  %5.1f%% %s", report_percent(top->is_zeroing ? top->shown[i].now
                                                              : top->shown[i].all,
                                              top->is_zeroing ? top->now : top->all),
               name_of(top, &top->shown[i]));
    putchar('\n');
    fflush(stdout);
}

static void refresh(struct top *top, const struct machine *machine, double seconds)
{
    if (top->terminal.is_open)
        draw(top, machine, seconds);
    else if (!top->shows_nothing)
        print_line(top, machine, seconds);
    for (size_t i = 0; i < top->count; i++)
        top->hot[i].now = 0;
    top->now = 0;
    top->insns = machine_insns(machine);
    top->cycles = machine_cycles(machine);
    top->at = seconds;
    top->due = seconds + top->delay;
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void pause_run(const struct top *top, const struct job *job)
{
    fputs("paused: any key goes on\n", top->terminal.out);
    fflush(top->terminal.out);
    while (terminal_key(&top->terminal, PAUSE_WAIT) == 0 && *job->machine.stop_request == 0)
        ;
}

static void ask(struct top *top, bool is_delay)
{
    unsigned number;

    if (!terminal_ask(&top->terminal, is_delay ? "seconds between refreshes" : "routines",
                      &number) || (is_delay && number == 0))
        return;
    if (is_delay)
        top->delay = number;
    else
        top->entries = number;
}

/* Acts on a key. True: the display has changed. */
static bool act(struct top *top, struct job *job, char key)
{
    bool was_help = top->shows_help;

    top->shows_help = !was_help && (key == 'h' || key == '?');
    switch (key) {
    case 'q':
        top->is_over = job->machine.halt = true;
        break;
    case 'z':
        top->is_zeroing = !top->is_zeroing;
        break;
    case 'e':
    case 'd':
        ask(top, key == 'd');
        break;
    case 'p':
        pause_run(top, job);
        break;
    default:
        break;
    }
    return was_help || (key != 0 && strchr("hzedp?", key) != NULL);
}

/* ---- the run --------------------------------------------------------------------------------- */

struct live { struct top *top; struct job *job; };

/* Called about ten times a second. */
static void look(void *arg, const struct machine *machine)
{
    struct live *live = arg;
    struct top *top = live->top;
    double now = job_seconds() - live->job->started;
    bool has_changed = false;
    char key;

    take_samples(top, live->job);
    while (!top->is_over && (key = terminal_key(&top->terminal, 0)) != 0)
        has_changed |= act(top, live->job, key);
    if (!top->is_over && (has_changed || now >= top->due))
        refresh(top, machine, now);
}

static enum err run_live(void *arg, struct job *job, const struct limits *limits,
                         struct diag *diag)
{
    struct live live = {arg, job};
    struct machine *machine = &job->machine;

    (void)diag;
    progress_end(job->options->stages);
    machine->progress = look;
    machine->progress_arg = &live;
    machine_run(machine, limits);
    machine->progress = NULL;
    take_samples(live.top, job);
    return ERR_OK;
}

static enum err make_room(struct top *top, struct diag *diag)
{
    const struct symbols_entry *first;

    top->count = symbols_entries(top->tool.target.symbols, &first) + 1;
    top->hot = calloc(top->count, sizeof *top->hot);
    top->shown = calloc(top->count, sizeof *top->shown);
    for (size_t i = 0; top->hot != NULL && i < top->count; i++)
        top->hot[i].entry = i;
    return top->hot != NULL && top->shown != NULL ? ERR_OK
                                                  : diag_no_memory(diag, "the display");
}

static enum err read_delay(struct top *top, struct diag *diag)
{
    const char *text = command_value(top->tool.line, OPT_TOP_DELAY);
    char *end = NULL;

    top->delay = DELAY_DEFAULT;
    if (text != NULL)
        top->delay = strtod(text, &end);
    if (text == NULL || (end != text && *end == '\0' && top->delay >= DELAY_LEAST &&
                         top->delay <= DELAY_MOST))
        return ERR_OK;
    return diag_set(diag, ERR_USAGE, "top: --delay %s: expected seconds from 0.1 to 86400", text);
}

static enum err read_options(struct top *top, struct diag *diag)
{
    enum err err;

    top->event = tool_usual_event(&top->tool);
    err = tool_event(&top->tool, OPT_TOP_EVENT, &top->event, diag);
    if (err == ERR_OK)
        err = tool_event_check(&top->tool, top->event, diag);
    top->period = PERIOD_DEFAULT;
    top->entries = ENTRIES_DEFAULT;
    if (err == ERR_OK && top->tool.options.monitor_given &&
        top->tool.options.monitor != MONITOR_HOST)
        err = diag_set(diag, ERR_USAGE, "top: needs --monitor host, which keeps samples one by "
                       "one");
    if (err == ERR_OK)
        err = tool_number(&top->tool, OPT_TOP_PERIOD, RECORD_PERIOD_LEAST, UINT64_MAX >> 1,
                          &top->period, diag);
    if (err == ERR_OK)
        err = tool_number(&top->tool, OPT_TOP_ENTRIES, 0, UINT32_MAX, &top->entries, diag);
    return err == ERR_OK ? read_delay(top, diag) : err;
}

/* The complete table. */
static enum err write_json(void *arg, FILE *out, struct diag *diag)
{
    struct top *top = arg;
    cJSON *root = tool_document(&top->tool), *routines;
    size_t count;

    top->is_zeroing = false;
    count = sort(top);
    cJSON_AddStringToObject(root, "event", event_name(top->event));
    json_number(root, "period", top->period);
    json_number(root, "samples", top->all);
    routines = cJSON_AddArrayToObject(root, "routines");
    for (size_t i = 0; i < count; i++) {
        cJSON *routine = cJSON_CreateObject();

        cJSON_AddStringToObject(routine, "name", name_of(top, &top->shown[i]));
        json_number(routine, "samples", top->shown[i].all);
        cJSON_AddItemToArray(routines, routine);
    }
    return json_print(root, out, diag);
}

static enum err show_result(struct top *top, const struct tool_files *files, struct diag *diag)
{
    const struct report report = {.profile = &top->result.profile, .out = stdout,
                                  .symbols = top->tool.target.symbols, .top = top->entries};
    enum err err = top->shows_nothing ? ERR_OK : report_samples(&report, diag);

    if (err == ERR_OK)
        record_warn("top", &top->result.profile);
    return err == ERR_OK ? tool_files_write(files, NULL, write_json, top, diag) : err;
}

static enum err run(struct top *top, struct diag *diag)
{
    const struct tool_files files = {.json = command_value(top->tool.line, OPT_TOP_JSON)};
    struct trial trial;
    enum err err = read_options(top, diag);

    if (err == ERR_OK)
        err = tool_files_check(&files, diag);

    if (err == ERR_OK)
        err = make_room(top, diag);
    if (err != ERR_OK)
        return err;
    trial = record_trial(top->event, top->period, false, false);
    trial.what = "sampling";
    trial.slices = run_live;
    trial.slices_arg = top;
    top->due = top->delay;
    top->style = style_of(stdout);
    top->shows_nothing = tool_files_take_output(&files);
    if (!top->shows_nothing)
        terminal_open(&top->terminal, stdout);
    err = tool_run(&top->tool, &trial, &top->result, diag);
    terminal_close(&top->terminal);
    return err == ERR_OK ? show_result(top, &files, diag) : err;
}

int command_top(const struct command_line *line)
{
    struct top top = {.event = EVENT_NONE};
    struct diag diag = {""};
    enum err err = tool_open(&top.tool, "top", line, TOOL_EVENTS, &diag);

    if (err != ERR_OK)
        return command_error(err, &diag);
    err = run(&top, &diag);
    profile_free(&top.result.profile);
    free(top.hot);
    free(top.shown);
    return tool_end(&top.tool, err, &diag);
}
