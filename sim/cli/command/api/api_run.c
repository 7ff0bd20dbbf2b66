/* See api_run.h. */
#include "sim/cli/command/api/api_run.h"

#include <stdlib.h>
#include <string.h>

#include "pmu/exact/calls.h"
#include "pmu/exact/oracle.h"
#include "sim/cli/command/api/api_sizes.h"
#include "sim/cli/job/job.h"

enum { REG_A0 = 10 };

/* The observer of one hart. */
struct collector;
struct watch {
    struct collector *collector;
    const struct hart *hart;
    const struct calls *calls;
};

struct collector {
    struct tool *tool;
    struct api *api;
    struct api_modules *modules;
    const struct target *target;        /* of the run */
    const struct symbols *symbols;      /* its own */
    struct api_sizes sizes;
    bool has_io;                        /* their bytes are charged, too */
    bool is_over;                       /* the run is over: open calls end unreturned */
    unsigned event;                     /* charged in place of cycles; EVENT_NONE */
    uint64_t units;                     /* own ones so far, of the oracle */
    struct watch *watch;                /* [harts] */
    struct diag *diag;
    enum err err;
};

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_code(const struct calls_node *node)
{
    return node->kind != CALLS_TRAP;
}

/* A semicolon in a name would separate frames. */
static void put_name(const struct collector *collector, uint64_t routine, FILE *out)
{
    char text[SYMBOLS_TEXT];

    for (const char *at = symbols_describe(collector->symbols, routine, text); *at != '\0'; at++)
        fputc(*at == ';' ? ':' : *at, out);
}

static void put_stack(const struct collector *collector, const struct calls_node *node,
                      uint32_t number, FILE *out)
{
    uint32_t parent = node[number].parent;

    while (parent != 0 && !is_code(&node[parent]))
        parent = node[parent].parent;
    if (parent != 0) {
        put_stack(collector, node, parent, out);
        fputc(';', out);
    }
    put_name(collector, node[number].routine, out);
}

/* The stack of a node as text, root first; NULL: no memory. */
static char *stack_of(const struct collector *collector, const struct calls_node *node,
                      uint32_t number)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (out == NULL)
        return NULL;
    put_stack(collector, node, number, out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* ---- the allocation run ---------------------------------------------------------------------- */

static bool is_named(const struct collector *collector, const struct calls_node *node,
                     const char *end)
{
    char text[SYMBOLS_TEXT];
    const char *name = symbols_describe(collector->symbols, node->routine, text);
    const char *at = strchr(name, '@');

    return is_code(node) && strcmp(at != NULL ? at : name, end) == 0;
}

/* True for stubs of the procedure linkage table, and for the dynamic linker that they enter at the
 * first call: these are not the caller of an allocating routine. */
static bool is_link(const struct collector *collector, const struct calls_node *node,
                    uint32_t number)
{
    return is_named(collector, &node[number], "@plt") ||
           is_named(collector, &node[number], ".plt") ||
           (node[number].parent != 0 && is_named(collector, &node[node[number].parent], ".plt"));
}

/* Charges `bytes` to the caller of node `number` exclusively, and to all its callers
 * inclusively. */
static void charge(struct watch *watch, const struct calls_node *node, uint32_t number,
                   const char *cost, uint64_t bytes)
{
    struct collector *collector = watch->collector;
    uint32_t caller = node[number].parent;
    char *stack;

    while (caller != 0 && is_link(collector, node, caller))
        caller = node[caller].parent;
    if (caller == 0 || collector->err != ERR_OK)
        return;
    stack = stack_of(collector, node, caller);
    if (stack == NULL)
        collector->err = diag_no_memory(collector->diag, "stacks");
    else
        collector->err = api_charge(collector->api, stack, cost, bytes, collector->diag);
    free(stack);
}

static const struct api_size *allocator_of(struct collector *collector, uint64_t routine)
{
    const struct api_size *size = api_sizes_find(&collector->sizes, routine);

    return size != NULL && size->argument != 0 ? size : NULL;
}

static bool is_in_allocator(struct collector *collector, const struct calls_node *node,
                            uint32_t number)
{
    uint32_t at = node[number].parent;

    while (at != 0 && allocator_of(collector, node[at].routine) == NULL)
        at = node[at].parent;
    return at != 0;
}

static void allocation_entered(void *arg, const struct calls *calls, uint32_t number)
{
    struct watch *watch = arg;
    const uint64_t *argument = &watch->hart->reg[REG_A0 - 1];
    const struct calls_node *node;
    const struct api_size *size;

    calls_nodes(calls, &node);
    size = allocator_of(watch->collector, node[number].routine);
    if (size != NULL && !is_in_allocator(watch->collector, node, number))
        charge(watch, node, number, "allocated",
               argument[size->argument] * (size->times != 0 ? argument[size->times] : 1));
}

/* Bytes that were really read or written. */
static uint64_t allocation_ended(void *arg, const struct calls_passage *passage)
{
    struct watch *watch = arg;
    int64_t bytes = (int64_t)watch->hart->reg[REG_A0];
    const struct calls_node *node;
    const struct api_size *size;

    if (!watch->collector->has_io || watch->collector->is_over || bytes <= 0)
        return 0;
    size = api_sizes_find(&watch->collector->sizes, passage->routine);
    calls_nodes(watch->calls, &node);
    if (size != NULL && size->argument == 0)
        charge(watch, node, passage->node, "io", (uint64_t)bytes);
    return 0;
}

/* ---- the timing run -------------------------------------------------------------------------- */

static void add(struct collector *collector, const char *function, const char *cost,
                enum api_scope scope, uint64_t n)
{
    struct api_row *row;

    if (collector->err == ERR_OK)
        collector->err = api_row_get(&collector->api->table, function, cost, scope, &row,
                                     collector->diag);
    if (collector->err == ERR_OK)
        api_bucket_add(&row->bucket[api_bucket_of(n)], n);
}

static const struct symbols_line *line_of(const struct target *target, uint64_t routine)
{
    const struct symbols_line *line = symbols_line_at(target->symbols, routine);

    for (size_t i = 0; i < target->modules && line == NULL; i++)
        line = symbols_line_at(target->module[i]->symbols, routine);
    return line;
}

static void note_place(struct collector *collector, uint64_t routine, const char *name)
{
    const struct symbols_line *line;

    if (collector->err != ERR_OK || api_place_of(collector->api, name) != NULL)
        return;
    line = line_of(collector->target, routine);
    if (line != NULL)
        collector->err = api_place(collector->api, name, symbols_base_name(line->file), line->line,
                                   collector->diag);
}

static void add_event(struct collector *collector, const char *name,
                      const struct calls_passage *passage)
{
    add(collector, name, event_name(collector->event), API_INCLUSIVE,
        passage->units / ORACLE_UNITS);
    add(collector, name, event_name(collector->event), API_EXCLUSIVE,
        passage->own_units / ORACLE_UNITS);
}

static void add_times(struct collector *collector, const char *name,
                      const struct calls_passage *passage, uint64_t own_cycles)
{
    if (collector->err == ERR_OK)
        collector->err = api_modules_see(collector->modules, collector->target, passage->routine,
                                         name, collector->diag);
    note_place(collector, passage->routine, name);
    add(collector, name, "cycles", API_INCLUSIVE, own_cycles + passage->below);
    add(collector, name, "cycles", API_EXCLUSIVE, own_cycles);
    add(collector, name, "insns_retired", API_INCLUSIVE, passage->insns);
    add(collector, name, "insns_retired", API_EXCLUSIVE, passage->own_insns);
}

/* Converts units to whole cycles such that the own cycles of all calls add up to the total; a call
 * has its own cycles plus those of the calls below it. */
static uint64_t timing_ended(void *arg, const struct calls_passage *passage)
{
    struct collector *collector = ((struct watch *)arg)->collector;
    bool is_trap = passage->routine >> 60 == 0xf;
    uint64_t own_cycles = (collector->units % ORACLE_UNITS + passage->own_units) / ORACLE_UNITS;
    char text[SYMBOLS_TEXT];
    const char *name;

    collector->units += passage->own_units;
    if (is_trap && passage->own_units == 0)
        return passage->below;              /* a trap that the simulator serves */
    name = is_trap ? "(trap)" : symbols_describe(collector->symbols, passage->routine, text);
    if (collector->event != EVENT_NONE)
        add_event(collector, name, passage);
    else
        add_times(collector, name, passage, own_cycles);
    return own_cycles + passage->below;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static enum err see_stacks(struct collector *collector, const struct calls *calls)
{
    const struct calls_node *node;
    size_t nodes = calls_nodes(calls, &node);
    enum err err = ERR_OK;

    for (size_t i = 1; i < nodes && err == ERR_OK; i++) {
        char *stack;

        if (!is_code(&node[i]) || node[i].child != 0)
            continue;       /* the functions of this stack are also in a deeper one */
        stack = stack_of(collector, node, (uint32_t)i);
        err = stack != NULL ? api_see_stack(collector->api, stack, collector->diag)
                            : diag_no_memory(collector->diag, "stacks");
        free(stack);
    }
    return err;
}

/* Ends the calls still open at the end of a run; the watches must live until the job is closed. */
static enum err run_watched(void *arg, struct job *job, const struct limits *limits,
                            struct diag *diag)
{
    struct collector *collector = arg;
    bool times = job->options->engine == ENGINE_DETAILED;

    collector->watch = calloc(job->machine.harts, sizeof *collector->watch);
    if (collector->watch == NULL)
        return diag_no_memory(diag, "the call tree");
    collector->target = &job->target;
    collector->symbols = job->target.symbols;
    collector->err = api_sizes_init(&collector->sizes, collector->tool->line, &job->target,
                                    collector->diag);
    collector->is_over = false;
    for (unsigned i = 0; i < job->machine.harts; i++) {
        struct cpu *cpu = &job->machine.cpu[i];
        const struct calls_watcher watcher = {
            .entered = times ? NULL : allocation_entered,
            .ended = times ? timing_ended : allocation_ended, .arg = &collector->watch[i],
        };

        collector->watch[i] = (struct watch){
            .collector = collector, .hart = &cpu->hart, .calls = cpu->calls,
        };
        calls_charge_event(cpu->calls, collector->event);
        calls_watch(cpu->calls, &watcher);
    }
    if (collector->err == ERR_OK)
        machine_run(&job->machine, limits);
    collector->is_over = true;
    if (collector->err == ERR_OK)
        collector->err = api_sizes_check(&collector->sizes, collector->diag);
    for (unsigned i = 0; i < job->machine.harts && collector->err == ERR_OK && !times; i++)
        collector->err = see_stacks(collector, job->machine.cpu[i].calls);
    return collector->err;
}

static enum err run_once(struct collector *collector, const char *what, struct profile *profile)
{
    const struct trial trial = {
        .what = what, .slices = run_watched, .slices_arg = collector, .no_monitor = true,
    };
    struct trial_result result;
    enum err err = tool_run(collector->tool, &trial, &result, collector->diag);

    free(collector->watch);
    collector->watch = NULL;
    api_sizes_free(&collector->sizes);
    if (err != ERR_OK)
        return err;
    *profile = result.profile;
    return collector->err;
}

/* Parses the event at `text`; *after: the next one. */
static enum err read_event(const char *text, unsigned *event, const char **after,
                           struct diag *diag)
{
    size_t length = strcspn(text, ",");
    char name[64];

    *after = text[length] == ',' ? text + length + 1 : NULL;
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    *event = event_by_name(name);
    if (event_scope(*event) != 0 && *event != EVENT_INSNS_RETIRED && *event != EVENT_CYCLES)
        return ERR_OK;
    return diag_set(diag, ERR_USAGE, "api: --event %s: expected an event other than cycles and "
                    "insns_retired, such as dcache_miss (rvsim events lists all)", name);
}

/* A repeated run is equal to the cycle, so each event has a run of its own. */
static enum err run_events(struct collector *collector)
{
    const struct command_line *line = collector->tool->line;
    enum err err = ERR_OK;

    for (unsigned i = 0; i < line->options && err == ERR_OK; i++) {
        const char *at = line->option[i].id == OPT_API_EVENT ? line->option[i].value : NULL;

        while (at != NULL && err == ERR_OK && !collector->tool->is_interrupted) {
            struct profile profile = {.program = NULL};

            err = read_event(at, &collector->event, &at, collector->diag);
            if (err == ERR_OK)
                err = run_once(collector, event_name(collector->event), &profile);
            profile_free(&profile);
        }
    }
    return err;
}

enum err api_run_check(const struct command_line *line, struct diag *diag)
{
    enum err err = ERR_OK;
    unsigned event;

    for (unsigned i = 0; i < line->options && err == ERR_OK; i++) {
        const char *at = line->option[i].id == OPT_API_EVENT ? line->option[i].value : NULL;

        while (at != NULL && err == ERR_OK)
            err = read_event(at, &event, &at, diag);
    }
    return err;
}

enum err api_run(struct api *api, struct tool *tool, struct api_run_sizes *sizes,
                 struct api_modules *modules, struct diag *diag)
{
    struct collector collector = {
        .tool = tool, .api = api, .modules = modules, .diag = diag,
        .has_io = command_value(tool->line, OPT_API_IO) != NULL,
    };
    struct profile profile = {.program = NULL};
    enum err err;

    tool->follows_calls = true;
    tool->options.engine = ENGINE_FAST;
    tool->options.config.pmu_oracle = false;
    err = run_once(&collector, "allocations", &profile);
    sizes->instructions = profile.instructions;
    profile_free(&profile);
    if (err != ERR_OK || tool->is_interrupted)
        return err;
    tool->options.engine = ENGINE_DETAILED;
    tool->options.config.pmu_oracle = true;
    profile = (struct profile){.program = NULL};
    err = run_once(&collector, "times", &profile);
    sizes->cycles = profile.cycles;
    profile_free(&profile);
    return err == ERR_OK && !tool->is_interrupted ? run_events(&collector) : err;
}
