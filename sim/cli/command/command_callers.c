/* rvsim callers: the callers of a routine, their callers, and so on to the root.
 *
 * By default one run suffices: the exact call tree, in the fast engine unless another is requested.
 * With --monitor guest or host the callers are found as profiling hardware can: the routine's entry
 * is marked, the monitor finds its callers, these are marked in the next run, and so on, one run a
 * level. With --limit N an interrupt stands for N+1 entries. The exact counts are shown beside the
 * measured ones. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "prof/calls/callgraph.h"
#include "prof/profile/json.h"
#include "prof/report/report.h"
#include "sim/base/array.h"
#include "sim/cli/tool/tool.h"
#include "sim/run/kernel/kernel.h"

enum { RUNS_DEFAULT = 32, ROUTINES_MAX = 4096 };

struct routine {
    uint64_t entry, end;
    unsigned level;                 /* the run that marks it, from 1 */
    uint64_t entered, truth;        /* by its counter; true number */
};

struct call { size_t routine, caller; uint64_t interrupts, entries, truth; };

#define CALLER_NONE SIZE_MAX        /* caller of the root: none is known */

struct search {
    struct tool tool;
    bool is_measured;               /* by marks, one run a level */
    uint64_t limit, runs;
    bool is_late;                   /* --of has names to look up after a run */
    struct routine routine[ROUTINES_MAX];
    size_t routines, roots;         /* roots: of these, the routines named by --of */
    struct call *call;
    size_t calls;
};

/* ---- routines -------------------------------------------------------------------------------- */

static size_t find(const struct search *search, uint64_t entry)
{
    for (size_t i = 0; i < search->routines; i++)
        if (search->routine[i].entry == entry)
            return i;
    return CALLER_NONE;
}

/* Returns the routine, added with that level if it is new. */
static size_t note_routine(struct search *search, uint64_t address, unsigned level)
{
    const struct symbols_entry *entry = symbols_at(search->tool.target.symbols, address);
    size_t known = find(search, address);

    if (known != CALLER_NONE)
        return known;
    if (address == 0 || search->routines == ROUTINES_MAX)
        return CALLER_NONE;
    search->routine[search->routines] = (struct routine){
        .entry = address, .end = address + (entry != NULL ? entry->bytes : 0), .level = level};
    return search->routines++;
}

/* Only the first address of a function is a routine that can be marked. */
static size_t note(struct search *search, uint64_t address, unsigned level)
{
    const struct symbols_entry *entry = symbols_at(search->tool.target.symbols, address);
    bool is_function = entry != NULL && entry->is_function && entry->address == address;

    return is_function ? note_routine(search, address, level) : CALLER_NONE;
}

/* ---- names of --of --------------------------------------------------------------------------- */

/* Notes the functions of that name; *count: their number. */
static enum err note_functions(struct search *search, const char *name, size_t *count,
                               struct diag *diag)
{
    const struct symbols_entry **entry = symbols_functions(search->tool.target.symbols, name,
                                                           count);

    if (entry == NULL)
        return diag_no_memory(diag, "functions");
    for (size_t i = 0; i < *count; i++)
        note(search, entry[i]->address, 1);
    free(entry);
    return ERR_OK;
}

/* True if the option's name is unknown up to now. */
static bool is_late(const struct search *search, unsigned option)
{
    const struct command_line *line = search->tool.line;
    const struct symbols_entry **entry = NULL;
    size_t count = 0;

    if (line->option[option].id == OPT_CALLERS_OF)
        entry = symbols_functions(search->tool.target.symbols, line->option[option].value, &count);
    free(entry);
    return entry != NULL && count == 0;
}

static enum err fail_name(const struct search *search, const char *name, struct diag *diag)
{
    const struct target *target = &search->tool.target;

    diag_set(diag, ERR_USAGE, "callers: --of %s: no such function in %s%s", name,
             target->image.path,
             target->modules != 0 ? ", its libraries and the programs that it executed" : "");
    return symbols_suggest(target->symbols, name, ERR_USAGE, diag);
}

/* Before the first run an unknown name may be in a library that is loaded, or in a program that is
 * executed; after it, not. */
static enum err note_names(struct search *search, bool is_before, struct diag *diag)
{
    const struct command_line *line = search->tool.line;
    bool may_wait = is_before && kernel_may_execute(&search->tool.target.image);
    enum err err = ERR_OK;

    search->is_late = false;
    for (unsigned i = 0; i < line->options && err == ERR_OK; i++) {
        size_t count;

        if (line->option[i].id != OPT_CALLERS_OF)
            continue;
        err = note_functions(search, line->option[i].value, &count, diag);
        if (err == ERR_OK && count == 0 && !may_wait)
            err = fail_name(search, line->option[i].value, diag);
        search->is_late |= err == ERR_OK && count == 0;
    }
    return err != ERR_OK || search->routines != 0 || search->is_late
               ? err : diag_set(diag, ERR_USAGE, "callers: expected --of FUNCTION");
}

/* ---- marks ----------------------------------------------------------------------------------- */

static char *make_marks(const struct search *search, unsigned level)
{
    char *text = NULL, flags[64] = "counter interrupt";
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (search->limit != 0)
        snprintf(flags, sizeof flags, "counter=%" PRIu64 " interrupt", search->limit);
    for (size_t i = 0; out != NULL && i < search->routines; i++)
        if (search->routine[i].level == level)
            fprintf(out, "0x%" PRIx64 " 2 %s\n", search->routine[i].entry, flags);
    for (unsigned i = 0; out != NULL && search->is_late && i < search->tool.line->options; i++)
        if (is_late(search, i))
            fprintf(out, "\"%s\" 2 %s\n", search->tool.line->option[i].value, flags);
    if (out == NULL || fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* The number of entries of the routine from the caller. */
static uint64_t true_calls(const struct profile *profile, uint64_t routine, uint64_t caller)
{
    uint64_t calls = 0;

    for (size_t i = 1; i < profile->calls; i++) {
        const struct profile_call *call = &profile->call[i];

        if (call->routine == routine && call->parent != 0 &&
            profile->call[call->parent].routine == caller)
            calls += call->calls;
    }
    return calls;
}

static enum err append(struct search *search, const struct call *call, struct diag *diag)
{
    struct call *grown = array_grow(search->call, search->calls, sizeof *grown);

    if (grown == NULL)
        return diag_no_memory(diag, "callers");
    search->call = grown;
    search->call[search->calls++] = *call;
    return ERR_OK;
}

/* ---- all in one run -------------------------------------------------------------------------- */

/* Adds the callers of a routine, each once. */
static enum err add_exact(struct search *search, const struct profile *profile, size_t routine,
                          struct diag *diag)
{
    uint64_t entry = search->routine[routine].entry;
    size_t first = search->calls;
    enum err err = ERR_OK;

    for (size_t i = 1; i < profile->calls && err == ERR_OK; i++) {
        const struct profile_call *from = &profile->call[i];
        struct call call = {.routine = routine, .entries = from->calls};
        size_t known = first;

        if (from->routine != entry || from->calls == 0)
            continue;
        search->routine[routine].entered += from->calls;
        call.caller = note_routine(search, profile->call[from->parent].routine,
                                   search->routine[routine].level + 1);
        while (known < search->calls && search->call[known].caller != call.caller)
            known++;
        if (known < search->calls)
            search->call[known].entries += from->calls;
        else
            err = append(search, &call, diag);
    }
    return err;
}

static enum err run_exact(struct search *search, struct diag *diag)
{
    struct trial trial = {.what = "callers"};
    struct trial_result result;
    enum err err = tool_run(&search->tool, &trial, &result, diag);

    if (err == ERR_OK && search->is_late)
        err = note_names(search, false, diag);
    search->roots = search->routines;
    for (size_t i = 0; i < search->routines && err == ERR_OK; i++)
        if (search->routine[i].level <= search->runs)
            err = add_exact(search, &result.profile, i, diag);
    profile_free(&result.profile);
    return err;
}

/* ---- a run a level --------------------------------------------------------------------------- */

/* Finds the routine's caller. Its first instruction may have been a return or a call, so the stack
 * may have the routine in its second place, or begin with its callee. */
static uint64_t caller_in(const struct callgraph_path *path, uint64_t entry)
{
    for (size_t i = 0; i + 1 < path->depth; i++)
        if (path->frame[i].routine == entry)
            return path->frame[i + 1].routine;
    return 0;
}

/* Stacks with the same caller are one row. The program starts in a routine without a caller, often
 * with a call. */
static enum err add_call(struct search *search, const struct profile *profile,
                         const struct callgraph_path *path, size_t routine, struct diag *diag)
{
    uint64_t entry = search->routine[routine].entry, caller = caller_in(path, entry);
    struct call call = {
        .routine = routine, .caller = note(search, caller, search->routine[routine].level + 1),
        .interrupts = path->record->interrupts, .entries = path->record->executions,
        .truth = true_calls(profile, entry, caller)};

    if (caller == 0 && path->kind == CALLGRAPH_CALL)
        return ERR_OK;
    for (size_t i = 0; i < search->calls; i++) {
        struct call *known = &search->call[i];

        if (known->routine != routine || known->caller != call.caller)
            continue;
        known->interrupts += call.interrupts;
        known->entries += call.entries;
        return ERR_OK;
    }
    return append(search, &call, diag);
}

/* True for the mark of a routine's entry in this run. */
static bool is_entry(const struct search *search, const struct profile_record *record,
                     unsigned level, size_t *routine)
{
    *routine = find(search, record->address);
    return (record->kind == IND_KIND_MARK || record->kind == IND_KIND_NEAR) && !record->is_data &&
           *routine != CALLER_NONE && search->routine[*routine].level == level;
}

static enum err collect(struct search *search, const struct profile *profile, unsigned level,
                        struct diag *diag)
{
    struct callgraph graph;
    enum err err = callgraph_build(&graph, profile, search->tool.target.symbols, diag);

    if (err != ERR_OK)
        return err;
    for (size_t i = 0; i < profile->marks; i++) {
        size_t routine = find(search, profile->mark[i].address);

        if (routine == CALLER_NONE)
            continue;
        search->routine[routine].entered = profile->mark[i].count;
        search->routine[routine].truth = profile_entered(profile, profile->mark[i].address);
    }
    for (size_t i = 0; i < graph.paths && err == ERR_OK; i++) {
        size_t routine;

        if (is_entry(search, graph.path[i].record, level, &routine))
            err = add_call(search, profile, &graph.path[i], routine, diag);
    }
    callgraph_free(&graph);
    return err;
}

static enum err run_level(struct search *search, unsigned level, struct diag *diag)
{
    char *marks = make_marks(search, level);
    struct trial trial = {.what = "callers", .marks = marks};
    struct trial_result result;
    enum err err;

    if (marks == NULL)
        return diag_no_memory(diag, "callers");
    err = tool_run(&search->tool, &trial, &result, diag);
    if (err == ERR_OK && search->is_late)
        err = note_names(search, false, diag);
    if (level == 1)
        search->roots = search->routines;
    if (err == ERR_OK)
        err = collect(search, &result.profile, level, diag);
    if (err == ERR_OK && result.profile.dropped + result.profile.lost != 0)
        fprintf(stderr, "rvsim: warning: callers: %" PRIu64 " interrupt%s not stored or lost\n",
                result.profile.dropped + result.profile.lost,
                report_s(result.profile.dropped + result.profile.lost));
    profile_free(&result.profile);
    free(marks);
    return err;
}

/* ---- the report ------------------------------------------------------------------------------ */

static int compare_calls(const void *a, const void *b)
{
    const struct call *x = a, *y = b;

    if (x->routine != y->routine)
        return x->routine < y->routine ? -1 : 1;
    if (x->entries != y->entries)
        return x->entries > y->entries ? -1 : 1;
    return (x->caller > y->caller) - (x->caller < y->caller);
}

static const char *name_of(const struct search *search, size_t routine, char text[SYMBOLS_TEXT])
{
    if (routine == CALLER_NONE)
        return "(root)";
    return callgraph_name(NULL, search->tool.target.symbols, search->routine[routine].entry, text);
}

static void print_row(const struct search *search, uint64_t entries, uint64_t truth,
                      unsigned depth, const char *name, const char *note_text)
{
    char count[REPORT_NUMBER];

    printf("%14s ", report_number(entries, count));
    if (search->is_measured)
        printf("%14s ", report_number(truth, count));
    printf(" %*s%s%s\n", (int)(2 * depth), "", name, note_text);
}

/* Prints a routine's callers below it, for each routine only where it comes first. */
static void print_callers(const struct search *search, size_t routine, unsigned depth, bool *shown)
{
    char text[SYMBOLS_TEXT];

    shown[routine] = true;
    for (size_t i = 0; i < search->calls; i++) {
        const struct call *call = &search->call[i];
        bool is_known;

        if (call->routine != routine)
            continue;
        is_known = call->caller != CALLER_NONE && shown[call->caller];
        print_row(search, call->entries, call->truth, depth,
                  name_of(search, call->caller, text), is_known ? " (above)" : "");
        if (call->caller != CALLER_NONE && !is_known)
            print_callers(search, call->caller, depth + 1, shown);
    }
}

static enum err print_report(struct search *search, struct diag *diag)
{
    bool *shown = calloc(search->routines, sizeof *shown);
    char text[SYMBOLS_TEXT];

    if (shown == NULL)
        return diag_no_memory(diag, "callers");
    printf("%14s ", search->is_measured ? "executed" : "entered");
    if (search->is_measured)
        printf("%14s ", "calls");
    puts(" routine, and below it its callers");
    for (size_t i = 0; i < search->roots; i++) {
        print_row(search, search->routine[i].entered, search->routine[i].truth, 0,
                  name_of(search, i, text), "");
        print_callers(search, i, 1, shown);
    }
    if (search->is_measured)
        printf("%u run%s\n", search->tool.runs, report_s(search->tool.runs));
    free(shown);
    return ERR_OK;
}

/* "routine": index of the routine. */
static enum err write_json(void *arg, FILE *out, struct diag *diag)
{
    const struct search *search = arg;
    cJSON *root = tool_document(&search->tool), *array;
    char text[SYMBOLS_TEXT];

    json_number(root, "runs", search->tool.runs);
    array = cJSON_AddArrayToObject(root, "routines");
    for (size_t i = 0; i < search->routines; i++) {
        const struct routine *routine = &search->routine[i];
        cJSON *object = json_append_object(array);

        cJSON_AddStringToObject(object, "name", name_of(search, i, text));
        json_address(object, "address", routine->entry);
        json_number(object, "level", routine->level);
        json_number(object, "entered", routine->entered);
        if (search->is_measured)
            json_number(object, "calls", routine->truth);
    }
    array = cJSON_AddArrayToObject(root, "callers");
    for (size_t i = 0; i < search->calls; i++) {
        const struct call *call = &search->call[i];
        cJSON *object = json_append_object(array);

        json_number(object, "routine", call->routine);
        if (call->caller != CALLER_NONE)
            json_number(object, "caller", call->caller);
        json_number(object, "entered", call->entries);
        if (search->is_measured)
            json_number(object, "calls", call->truth);
    }
    return json_print(root, out, diag);
}

/* ---- the command ----------------------------------------------------------------------------- */

static enum err show(struct search *search, const struct tool_files *files, struct diag *diag)
{
    enum err err;

    if (search->calls != 0)
        qsort(search->call, search->calls, sizeof *search->call, compare_calls);
    err = tool_files_take_output(files) ? ERR_OK : print_report(search, diag);
    return err == ERR_OK ? tool_files_write(files, NULL, write_json, search, diag) : err;
}

static enum err run(struct search *search, struct diag *diag)
{
    struct tool *tool = &search->tool;
    const struct tool_files files = {NULL, command_value(tool->line, OPT_CALLERS_JSON)};
    enum err err = note_names(search, true, diag);
    size_t known = 0;

    search->runs = RUNS_DEFAULT;
    tool->shows_output = command_value(tool->line, OPT_CALLERS_SHOW_OUTPUT) != NULL;
    if (err == ERR_OK)
        err = tool_files_check(&files, diag);
    if (err == ERR_OK)
        err = tool_number(tool, OPT_CALLERS_LIMIT, 1, UINT32_MAX, &search->limit, diag);
    if (err == ERR_OK)
        err = tool_number(tool, OPT_CALLERS_RUNS, 1, ROUTINES_MAX, &search->runs, diag);
    search->is_measured = tool->options.monitor_given || search->limit != 0;
    tool->follows_calls = true;
    if (err == ERR_OK && !search->is_measured)
        err = run_exact(search, diag);
    for (unsigned level = 1; err == ERR_OK && search->is_measured && !tool->is_interrupted &&
                             (search->routines > known || level == 1) && level <= search->runs;
         level++) {
        known = search->routines;
        err = run_level(search, level, diag);
    }
    return err == ERR_OK ? show(search, &files, diag) : err;
}

int command_callers(const struct command_line *line)
{
    struct search *search = calloc(1, sizeof *search);
    struct diag diag = {""};
    enum err err;
    int status;

    if (search == NULL)
        return command_error(diag_no_memory(&diag, "callers"), &diag);
    err = tool_open(&search->tool, "callers", line, TOOL_COUNTS, &diag);
    if (err != ERR_OK) {
        free(search);
        return command_error(err, &diag);
    }
    err = run(search, &diag);
    status = tool_end(&search->tool, err, &diag);
    free(search->call);
    free(search);
    return status;
}
