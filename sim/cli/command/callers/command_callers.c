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

#include "isa/insn.h"
#include "prof/calls/callgraph.h"
#include "prof/report/report.h"
#include "sim/base/array.h"
#include "sim/cli/command/callers/callers.h"
#include "sim/run/kernel/kernel.h"

enum { RUNS_DEFAULT = 32 };
enum { REG_ALTERNATE = 5 };             /* t0, the link register of -msave-restore */

/* ---- routines -------------------------------------------------------------------------------- */

static size_t find(const struct callers *search, uint64_t entry)
{
    for (size_t i = 0; i < search->routines; i++)
        if (search->routine[i].entry == entry)
            return i;
    return CALLERS_NONE;
}

static size_t find_mark(const struct callers *search, uint64_t mark)
{
    for (size_t i = 0; i < search->routines; i++)
        if (search->routine[i].mark == mark)
            return i;
    return CALLERS_NONE;
}

/* The instruction whose mark shows the entries of a routine: the first, or, where this calls the
 * routine of -msave-restore that saves registers, the one after it. No stack can be walked from
 * within that routine. */
static uint64_t marked_at(const struct callers *search, uint64_t entry)
{
    struct insn insn;
    bool is_saving = symbols_insn(search->tool.target.symbols, entry, &insn) &&
                     insn_is_call(&insn) && insn.rd == REG_ALTERNATE;

    return is_saving ? entry + insn.length : entry;
}

/* Returns the routine, added with that level if it is new. */
static size_t note_routine(struct callers *search, uint64_t address, unsigned level)
{
    const struct symbols_entry *entry = symbols_at(search->tool.target.symbols, address);
    size_t known = find(search, address);

    if (known != CALLERS_NONE)
        return known;
    if (address == 0 || search->routines == CALLERS_ROUTINES)
        return CALLERS_NONE;
    search->routine[search->routines] = (struct callers_routine){
        .entry = address, .end = address + (entry != NULL ? entry->bytes : 0),
        .mark = marked_at(search, address), .level = level};
    return search->routines++;
}

/* Only the first address of a function is a routine that can be marked. */
static size_t note(struct callers *search, uint64_t address, unsigned level)
{
    const struct symbols_entry *entry = symbols_at(search->tool.target.symbols, address);
    bool is_function = entry != NULL && entry->is_function && entry->address == address;

    return is_function ? note_routine(search, address, level) : CALLERS_NONE;
}

/* ---- names of --of --------------------------------------------------------------------------- */

/* Notes the functions of that name; *count: their number. */
static enum err note_functions(struct callers *search, const char *name, size_t *count,
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
static bool is_late(const struct callers *search, unsigned option)
{
    const struct command_line *line = search->tool.line;
    const struct symbols_entry **entry = NULL;
    size_t count = 0;

    if (line->option[option].id == OPT_CALLERS_OF)
        entry = symbols_functions(search->tool.target.symbols, line->option[option].value, &count);
    free(entry);
    return entry != NULL && count == 0;
}

static enum err fail_name(const struct callers *search, const char *name, struct diag *diag)
{
    const struct target *target = &search->tool.target;

    diag_set(diag, ERR_USAGE, "callers: --of %s: no such function in %s%s", name,
             target->image.path,
             target->modules != 0 ? ", its libraries and the programs that it executed" : "");
    return symbols_suggest(target->symbols, name, ERR_USAGE, diag);
}

/* Before the first run an unknown name may be in a library that is loaded, or in a program that is
 * executed; after it, not. */
static enum err note_names(struct callers *search, bool is_before, struct diag *diag)
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

static char *make_marks(const struct callers *search, unsigned level)
{
    char *text = NULL, flags[64] = "counter interrupt";
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (search->limit != 0)
        snprintf(flags, sizeof flags, "counter=%" PRIu64 " interrupt", search->limit);
    for (size_t i = 0; out != NULL && i < search->routines; i++)
        if (search->routine[i].level == level)
            fprintf(out, "0x%" PRIx64 " 2 %s\n", search->routine[i].mark, flags);
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

static enum err append(struct callers *search, const struct callers_call *call, struct diag *diag)
{
    struct callers_call *grown = array_grow(search->call, search->calls, sizeof *grown);

    if (grown == NULL)
        return diag_no_memory(diag, "callers");
    search->call = grown;
    search->call[search->calls++] = *call;
    return ERR_OK;
}

/* ---- all in one run -------------------------------------------------------------------------- */

/* Adds the callers of a routine, each once. */
static enum err add_exact(struct callers *search, const struct profile *profile, size_t routine,
                          struct diag *diag)
{
    uint64_t entry = search->routine[routine].entry;
    size_t first = search->calls;
    enum err err = ERR_OK;

    for (size_t i = 1; i < profile->calls && err == ERR_OK; i++) {
        const struct profile_call *from = &profile->call[i];
        struct callers_call call = {.routine = routine, .entries = from->calls};
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

static enum err run_exact(struct callers *search, struct diag *diag)
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
static enum err add_call(struct callers *search, const struct profile *profile,
                         const struct callgraph_path *path, size_t routine, struct diag *diag)
{
    uint64_t entry = search->routine[routine].entry, caller = caller_in(path, entry);
    struct callers_call call = {
        .routine = routine, .caller = note(search, caller, search->routine[routine].level + 1),
        .interrupts = path->record->interrupts, .entries = path->record->executions,
        .truth = true_calls(profile, entry, caller)};

    if (caller == 0 && path->kind == CALLGRAPH_CALL)
        return ERR_OK;
    for (size_t i = 0; i < search->calls; i++) {
        struct callers_call *known = &search->call[i];

        if (known->routine != routine || known->caller != call.caller)
            continue;
        known->interrupts += call.interrupts;
        known->entries += call.entries;
        return ERR_OK;
    }
    return append(search, &call, diag);
}

/* True for the mark of a routine's entry in this run. */
static bool is_entry(const struct callers *search, const struct profile_record *record,
                     unsigned level, size_t *routine)
{
    *routine = find_mark(search, record->address);
    return (record->kind == IND_KIND_MARK || record->kind == IND_KIND_NEAR) && !record->is_data &&
           *routine != CALLERS_NONE && search->routine[*routine].level == level;
}

static enum err collect(struct callers *search, const struct profile *profile, unsigned level,
                        struct diag *diag)
{
    struct callgraph graph;
    enum err err = callgraph_build(&graph, profile, search->tool.target.symbols, diag);

    if (err != ERR_OK)
        return err;
    for (size_t i = 0; i < profile->marks; i++) {
        size_t routine = find_mark(search, profile->mark[i].address);

        if (routine == CALLERS_NONE)
            continue;
        search->routine[routine].entered = profile->mark[i].count;
        search->routine[routine].truth = profile_entered(profile, search->routine[routine].entry);
    }
    for (size_t i = 0; i < graph.paths && err == ERR_OK; i++) {
        size_t routine;

        if (is_entry(search, graph.path[i].record, level, &routine))
            err = add_call(search, profile, &graph.path[i], routine, diag);
    }
    callgraph_free(&graph);
    return err;
}

static enum err run_level(struct callers *search, unsigned level, struct diag *diag)
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

/* ---- the command ----------------------------------------------------------------------------- */

static enum err show(struct callers *search, const struct tool_files *files, struct diag *diag)
{
    enum err err;

    callers_sort(search);
    err = tool_files_take_output(files) ? ERR_OK : callers_print(search, diag);
    return err == ERR_OK ? tool_files_write(files, NULL, callers_write_json, search, diag) : err;
}

static enum err run(struct callers *search, struct diag *diag)
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
        err = tool_number(tool, OPT_CALLERS_RUNS, 1, CALLERS_ROUTINES, &search->runs, diag);
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
    struct callers *search = calloc(1, sizeof *search);
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
