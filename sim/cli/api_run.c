/* See api_run.h. */
#include "sim/cli/api_run.h"

#include <stdlib.h>
#include <string.h>

#include "pmu/calls.h"
#include "pmu/oracle.h"
#include "sim/cli/job.h"

enum { ALLOCATORS = 32, TRANSFERS = 8, REG_A0 = 10, NO_ROW = -1 };

/* A routine whose argument is a number of bytes; two arguments are multiplied. */
struct allocator { const char *name; unsigned argument, times; };
static const struct allocator usual[] = {
    {"malloc", 1, 0}, {"calloc", 1, 2}, {"realloc", 2, 0}, {"reallocarray", 2, 3},
    {"aligned_alloc", 2, 0}, {"memalign", 2, 0}, {"posix_memalign", 3, 0}, {"mmap", 2, 0},
    {"operator new(unsigned long)", 1, 0}, {"operator new[](unsigned long)", 1, 0},
};

/* Of one hart. */
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
    struct { uint64_t routine; unsigned argument, times; } allocator[ALLOCATORS];
    unsigned allocators;
    uint64_t transfer[TRANSFERS];       /* addresses of routines that read or write; 0: none */
    bool has_io;                        /* their bytes are charged, too */
    bool is_over;                       /* the run: what ends now has not returned */
    unsigned event;                     /* charged in place of cycles; EVENT_NONE */
    uint64_t units;                     /* own ones so far, of the oracle */
    struct watch *watch;                /* [harts] */
    struct diag *diag;
    enum err err;
};

/* ---- allocators ------------------------------------------------------------------------------ */

static enum err add_allocator(struct collector *collector, const struct allocator *allocator)
{
    const struct symbols_entry *entry = symbols_find(collector->symbols, allocator->name);

    if (entry == NULL || !entry->is_function)
        return ERR_USAGE;
    for (unsigned i = 0; i < collector->allocators; i++)
        if (collector->allocator[i].routine == entry->address)
            return ERR_OK;
    if (collector->allocators == ALLOCATORS)
        return ERR_USAGE;
    collector->allocator[collector->allocators].routine = entry->address;
    collector->allocator[collector->allocators].argument = allocator->argument;
    collector->allocator[collector->allocators++].times = allocator->times;
    return ERR_OK;
}

/* "pool_get=2": its second argument. */
static enum err add_named(struct collector *collector, const char *text)
{
    const char *equals = strrchr(text, '=');
    char *name = strndup(text, equals != NULL ? (size_t)(equals - text) : 0);
    struct allocator allocator = {.name = name};
    enum err err = ERR_OK;

    if (name == NULL)
        return diag_no_memory(collector->diag, "names");
    if (equals == NULL || equals[1] < '1' || equals[1] > '8' || equals[2] != '\0')
        err = diag_set(collector->diag, ERR_USAGE,
                       "--allocator %s: expected FUNCTION=N, the argument from 1 to 8 that is the "
                       "size", text);
    allocator.argument = err == ERR_OK ? (unsigned)(equals[1] - '0') : 0;
    if (err == ERR_OK && add_allocator(collector, &allocator) != ERR_OK) {
        diag_set(collector->diag, ERR_USAGE, "--allocator %s: no such function", text);
        err = symbols_suggest(collector->symbols, name, ERR_USAGE, collector->diag);
    }
    free(name);
    return err;
}

static enum err find_allocators(struct collector *collector)
{
    const struct command_line *line = collector->tool->line;
    enum err err = ERR_OK;

    collector->allocators = 0;
    for (unsigned i = 0; i < line->options && err == ERR_OK; i++)
        if (line->option[i].id == OPT_API_ALLOCATOR)
            err = add_named(collector, line->option[i].value);
    for (unsigned i = 0; i < sizeof usual / sizeof usual[0]; i++)
        add_allocator(collector, &usual[i]);
    return err;
}

static int find_allocator(const struct collector *collector, uint64_t routine)
{
    for (unsigned i = 0; i < collector->allocators; i++)
        if (collector->allocator[i].routine == routine)
            return (int)i;
    return NO_ROW;
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_code(const struct calls_node *node)
{
    return node->kind != CALLS_TRAP;
}

/* A semicolon in a name would be a frame. */
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

static void charge_allocation(struct watch *watch, const struct calls_node *node, uint32_t number,
                              int allocator)
{
    struct collector *collector = watch->collector;
    const uint64_t *argument = &watch->hart->reg[REG_A0 - 1];
    uint64_t bytes = argument[collector->allocator[allocator].argument];
    char *stack;

    if (collector->allocator[allocator].times != 0)
        bytes *= argument[collector->allocator[allocator].times];
    if (node[number].parent == 0 || collector->err != ERR_OK)
        return;
    stack = stack_of(collector, node, node[number].parent);
    if (stack == NULL)
        collector->err = diag_no_memory(collector->diag, "stacks");
    else
        collector->err = api_charge(collector->api, stack, "allocated", bytes, collector->diag);
    free(stack);
}

static bool is_in_allocator(const struct collector *collector, const struct calls_node *node,
                            uint32_t number)
{
    uint32_t at = node[number].parent;

    while (at != 0 && find_allocator(collector, node[at].routine) == NO_ROW)
        at = node[at].parent;
    return at != 0;
}

static void allocation_entered(void *arg, const struct calls *calls, uint32_t number)
{
    struct watch *watch = arg;
    const struct calls_node *node;
    int allocator;

    calls_nodes(calls, &node);
    allocator = find_allocator(watch->collector, node[number].routine);
    if (allocator != NO_ROW && !is_in_allocator(watch->collector, node, number))
        charge_allocation(watch, node, number, allocator);
}

/* Bytes that were really read or written, charged to the caller. */
static void charge_transfer(struct watch *watch, const struct calls_passage *passage)
{
    struct collector *collector = watch->collector;
    int64_t bytes = (int64_t)watch->hart->reg[REG_A0];
    const struct calls_node *node;
    char *stack;

    calls_nodes(watch->calls, &node);
    if (bytes <= 0 || collector->is_over || collector->err != ERR_OK ||
        node[passage->node].parent == 0)
        return;
    stack = stack_of(collector, node, node[passage->node].parent);
    if (stack == NULL)
        collector->err = diag_no_memory(collector->diag, "stacks");
    else
        collector->err = api_charge(collector->api, stack, "io", (uint64_t)bytes,
                                    collector->diag);
    free(stack);
}

static bool is_transfer(const struct collector *collector, uint64_t routine)
{
    for (unsigned i = 0; i < TRANSFERS; i++)
        if (collector->transfer[i] == routine && routine != 0)
            return true;
    return false;
}

static void find_transfers(struct collector *collector)
{
    static const char *const names[TRANSFERS] = {
        "read", "write", "pread64", "pwrite64", "readv", "writev", "recv", "send",
    };

    for (unsigned i = 0; i < TRANSFERS; i++) {
        const struct symbols_entry *entry = symbols_find(collector->symbols, names[i]);

        collector->transfer[i] = entry != NULL && entry->is_function ? entry->address : 0;
    }
}

static uint64_t allocation_ended(void *arg, const struct calls_passage *passage)
{
    struct watch *watch = arg;

    if (watch->collector->has_io && is_transfer(watch->collector, passage->routine))
        charge_transfer(watch, passage);
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

/* Cycles are whole ones: own ones of all calls together are the whole sum, and a call has its own
 * and those that the calls below it have. */
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
            continue;       /* a stack with more on it has its functions, too */
        stack = stack_of(collector, node, (uint32_t)i);
        err = stack != NULL ? api_see_stack(collector->api, stack, collector->diag)
                            : diag_no_memory(collector->diag, "stacks");
        free(stack);
    }
    return err;
}

/* The end of a run ends what is still open: the watches live until the job is closed. */
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
    collector->err = find_allocators(collector);
    find_transfers(collector);
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
    if (err != ERR_OK)
        return err;
    *profile = result.profile;
    return collector->err;
}

/* The event that begins at `text`; *after: where the next one does. */
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

/* Re-execution is the same to the cycle, so each event has a run of its own. */
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
