/* rvsim callers: marks a routine's entry, has the monitor say who called it, marks those in the
 * next run, and so on to the root.
 *
 * One run a level. The counts are the monitor's: with --limit N an interrupt stands for N+1
 * entries. Beside them is the truth: how often the routine's first instruction committed, and of a
 * caller how often its direct calls and jumps to the routine did. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/insn.h"
#include "prof/callgraph.h"
#include "prof/cost.h"
#include "prof/report.h"
#include "sim/cli/tool.h"

enum { RUNS_DEFAULT = 32, ROUTINES_MAX = 4096 };

struct routine {
    uint64_t entry, end;
    unsigned level;                 /* the run that marks it, from 1 */
    uint64_t entered, truth;        /* by its counter; committed */
};

struct call { size_t routine, caller; uint64_t interrupts, entries, truth; bool is_direct; };

#define CALLER_NONE SIZE_MAX        /* the root: nobody known called it */

struct search {
    struct tool tool;
    uint64_t limit, runs;
    struct routine routine[ROUTINES_MAX];
    size_t routines;
    struct call *call;
    size_t calls, capacity;
};

/* ---- routines -------------------------------------------------------------------------------- */

static size_t find(const struct search *search, uint64_t entry)
{
    for (size_t i = 0; i < search->routines; i++)
        if (search->routine[i].entry == entry)
            return i;
    return CALLER_NONE;
}

/* Known already, or marked in the next run. What is no function's first address is no routine that
 * could be marked. */
static size_t note(struct search *search, uint64_t address, unsigned level)
{
    const struct symbols_entry *entry = symbols_at(search->tool.target.symbols, address);
    size_t known = find(search, address);

    if (known != CALLER_NONE)
        return known;
    if (address == 0 || entry == NULL || !entry->is_function || entry->address != address ||
        search->routines == ROUTINES_MAX)
        return CALLER_NONE;
    search->routine[search->routines] = (struct routine){
        .entry = address, .end = address + entry->bytes, .level = level};
    return search->routines++;
}

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
    if (out == NULL || fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Direct calls of the routine, and jumps to it, that committed in the caller. */
static void add_truth(const struct search *search, const struct profile *profile,
                      struct call *call)
{
    const struct routine *caller = &search->routine[call->caller];
    uint64_t target = search->routine[call->routine].entry;

    for (size_t i = 0; i < profile->costs; i++) {
        const struct profile_cost *cost = &profile->cost[i];
        struct insn insn;

        if (cost->is_monitor || cost->address < caller->entry || cost->address >= caller->end ||
            !symbols_insn(search->tool.target.symbols, cost->address, &insn) ||
            insn_info[insn.op].kind != KIND_JAL ||
            cost->address + (uint64_t)(int64_t)insn.imm != target)
            continue;
        call->is_direct = true;
        call->truth += cost->count;
    }
}

static enum err add_call(struct search *search, const struct profile *profile,
                         const struct callgraph_caller *from, size_t routine, struct diag *diag)
{
    struct call call = {.routine = routine, .interrupts = from->interrupts,
                        .entries = from->executions};
    struct call *grown;

    call.caller = note(search, from->caller, search->routine[routine].level + 1);
    if (call.caller != CALLER_NONE)
        add_truth(search, profile, &call);
    if (search->calls == search->capacity) {
        search->capacity = 2 * search->capacity + 64;
        grown = realloc(search->call, search->capacity * sizeof *grown);
        if (grown == NULL)
            return diag_no_memory(diag, "callers");
        search->call = grown;
    }
    search->call[search->calls++] = call;
    return ERR_OK;
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
        const struct profile_cost *cost = cost_at(profile, profile->mark[i].address);

        if (routine == CALLER_NONE)
            continue;
        search->routine[routine].entered = profile->mark[i].count;
        search->routine[routine].truth = cost != NULL ? cost->count : 0;
    }
    for (size_t i = 0; i < graph.callers && err == ERR_OK; i++) {
        size_t routine = find(search, graph.caller[i].routine);

        if (graph.caller[i].kind == CALLGRAPH_ENTRY && routine != CALLER_NONE &&
            search->routine[routine].level == level)
            err = add_call(search, profile, &graph.caller[i], routine, diag);
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
    if (err == ERR_OK)
        err = collect(search, &result.profile, level, diag);
    if (err == ERR_OK && result.profile.dropped + result.profile.lost != 0)
        fprintf(stderr, "rvsim: warning: callers: %" PRIu64 " interrupts not stored or lost\n",
                result.profile.dropped + result.profile.lost);
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

static void print_row(uint64_t entries, bool has_truth, uint64_t truth, unsigned depth,
                      const char *name, const char *note_text)
{
    char count[REPORT_NUMBER], oracle[REPORT_NUMBER] = "-";

    if (has_truth)
        report_number(truth, oracle);
    printf("%14s %14s  %*s%s%s\n", report_number(entries, count), oracle, (int)(2 * depth), "",
           name, note_text);
}

/* Callers of a routine, below it; each routine's own only where it comes first. */
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
        print_row(call->entries, call->is_direct, call->truth, depth,
                  name_of(search, call->caller, text), is_known ? " (above)" : "");
        if (call->caller != CALLER_NONE && !is_known)
            print_callers(search, call->caller, depth + 1, shown);
    }
}

static enum err print_report(struct search *search, size_t roots, struct diag *diag)
{
    bool *shown = calloc(search->routines, sizeof *shown);
    char text[SYMBOLS_TEXT];

    if (shown == NULL)
        return diag_no_memory(diag, "callers");
    qsort(search->call, search->calls, sizeof *search->call, compare_calls);
    printf("%14s %14s  routine, and below it its callers\n", "entered", "oracle");
    for (size_t i = 0; i < roots; i++) {
        print_row(search->routine[i].entered, true, search->routine[i].truth, 0,
                  name_of(search, i, text), "");
        print_callers(search, i, 1, shown);
    }
    printf("%u runs\n", search->tool.runs);
    free(shown);
    return ERR_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

static enum err start(struct search *search, struct diag *diag)
{
    const struct command_line *line = search->tool.line;
    for (unsigned i = 0; i < line->options; i++) {
        const char *name = line->option[i].value;
        const struct symbols_entry *entry;

        if (line->option[i].id != OPT_CALLERS_OF)
            continue;
        entry = symbols_find(search->tool.target.symbols, name);
        if (entry != NULL && entry->is_function) {
            note(search, entry->address, 1);
            continue;
        }
        diag_set(diag, ERR_USAGE, "callers: --of %s: no such function in %s", name,
                 search->tool.target.image.path);
        return symbols_suggest(search->tool.target.symbols, name, ERR_USAGE, diag);
    }
    return search->routines != 0 ? ERR_OK
                                 : diag_set(diag, ERR_USAGE, "callers: expected --of FUNCTION");
}

static enum err run(struct search *search, struct diag *diag)
{
    struct tool *tool = &search->tool;
    enum err err = start(search, diag);
    size_t roots = search->routines, known = 0;

    search->runs = RUNS_DEFAULT;
    tool->shows_output = command_value(tool->line, OPT_CALLERS_SHOW_OUTPUT) != NULL;
    if (err == ERR_OK)
        err = tool_number(tool, OPT_CALLERS_LIMIT, 1, UINT32_MAX, &search->limit, diag);
    if (err == ERR_OK)
        err = tool_number(tool, OPT_CALLERS_RUNS, 1, ROUTINES_MAX, &search->runs, diag);
    for (unsigned level = 1; err == ERR_OK && search->routines > known && level <= search->runs;
         level++) {
        known = search->routines;
        err = run_level(search, level, diag);
    }
    return err == ERR_OK ? print_report(search, roots, diag) : err;
}

int command_callers(const struct command_line *line)
{
    struct search *search = calloc(1, sizeof *search);
    struct diag diag = {""};
    enum err err;

    if (search == NULL)
        return command_error(diag_no_memory(&diag, "callers"), &diag);
    err = tool_open(&search->tool, "callers", line, &diag);
    if (err == ERR_OK) {
        err = run(search, &diag);
        tool_close(&search->tool);
    }
    free(search->call);
    free(search);
    fflush(stdout);
    return err == ERR_OK ? 0 : command_error(err, &diag);
}
