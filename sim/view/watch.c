/* See watch.h. The contents of the pipeline are here; caches, predictor, counters and places of the
 * program are in watch_parts.c. */
#include <stdlib.h>
#include <string.h>

#include "sim/core/look.h"
#include "sim/view/watch_internal.h"

static const char *const until_name[] = {
#define UNTIL(id, name, meaning) name,
    VIEW_UNTILS(UNTIL)
#undef UNTIL
};

const char *view_until_name(enum view_until until)
{
    return until_name[until];
}

/* ---- instructions ---------------------------------------------------------------------------- */

static void set_time(struct view_insn *insn, enum view_stage stage, uint64_t cycle, uint64_t now)
{
    insn->at[stage] = cycle < now ? cycle : 0;
}

static void write_text(const struct watch *watch, const struct insn *from, struct view_insn *insn)
{
    disasm_text(watch->disasm, from, insn->pc, insn->text, sizeof insn->text);
}

static struct view_insn insn_of(const struct core_trace_record *record, uint64_t now)
{
    struct view_insn insn = {
        .id = record->seq, .pc = record->pc, .address = record->va, .queue = CORE_LOOK_NO_QUEUE,
        .is_marked = record->is_marked, .is_mispredicted = record->is_mispredicted,
        .is_monitor = record->is_monitor, .is_access = record->mem_bytes != 0,
        .rd = record->insn->rd,
        .rs = {record->insn->rs1, record->insn->rs2, record->insn->rs3},
    };

    memcpy(insn.producer, record->producer_seq, sizeof insn.producer);
    set_time(&insn, VIEW_FETCH, record->fetch, now);
    set_time(&insn, VIEW_DECODE, record->decode, now);
    set_time(&insn, VIEW_RENAME, record->rename, now);
    set_time(&insn, VIEW_DISPATCH, record->dispatch, now);
    set_time(&insn, VIEW_ISSUE, record->issue, now);
    set_time(&insn, VIEW_COMPLETE, record->complete, now);
    return insn;
}

/* Keeps an instruction that leaves the pipeline, committed or squashed. */
static void on_leave(void *arg, const struct core_trace_record *record)
{
    struct watch_hart *of = arg;
    struct watch_left *left = &of->left[of->count++ % WATCH_LEFT];

    left->insn = *record->insn;
    left->seen = insn_of(record, record->leave + 1);
    left->seen.left = record->leave;
    left->seen.end = record->committed ? VIEW_COMMITTED : VIEW_SQUASHED;
    of->marked += record->committed && record->is_marked;
}

/* ---- life ------------------------------------------------------------------------------------ */

static bool open_harts(struct watch *watch)
{
    struct machine *machine = watch->machine;

    watch->of = calloc(machine->harts, sizeof watch->of[0]);
    if (watch->of == NULL)
        return false;
    for (unsigned i = 0; i < machine->harts; i++) {
        struct watch_hart *of = &watch->of[i];

        of->observer = (struct core_observer){.arg = of, .leave = on_leave};
        core_set_observer(machine->core[i], &of->observer);
        of->first_cycle = watch_now(watch, i);
    }
    return true;
}

struct watch *watch_open(struct machine *machine, const struct target *target, FILE *output)
{
    struct watch *watch = calloc(1, sizeof *watch);

    if (watch == NULL)
        return NULL;
    watch->machine = machine;
    watch->target = target;
    watch->output = output;
    watch->sources.program = target->image.path;
    watch->disasm = disasm_open_xlen(machine->xlen);
    watch->flight = calloc(WATCH_FLIGHT, sizeof watch->flight[0]);
    if (watch->disasm == NULL || watch->flight == NULL || !open_harts(watch)) {
        watch_close(watch);
        return NULL;
    }
    watch->first_insn = machine_insns(machine);
    return watch;
}

void watch_close(struct watch *watch)
{
    if (watch == NULL)
        return;
    for (unsigned i = 0; watch->of != NULL && i < watch->machine->harts; i++)
        core_set_observer(watch->machine->core[i], NULL);
    if (watch->disasm != NULL)
        disasm_close(watch->disasm);
    sources_free(&watch->sources);
    free(watch->flight);
    free(watch->of);
    free(watch);
}

uint64_t watch_now(const struct watch *watch, unsigned hart)
{
    return core_look_now(watch->machine->core[hart]);
}

/* ---- events of the view ---------------------------------------------------------------------- */

uint64_t watch_mark(const struct watch *watch, unsigned hart, enum view_until until)
{
    const uint64_t *events = watch->machine->cpu[hart].pmu.events;
    const struct symbols_line *line;

    switch (until) {
    case VIEW_UNTIL_INSN:
        return events[EVENT_INSNS_RETIRED];
    case VIEW_UNTIL_MARK:
        return watch->of[hart].marked + events[EVENT_MARKED_DATA] + events[EVENT_HINT_MARKS] +
               events[EVENT_INDICATOR_INTERRUPTS];
    case VIEW_UNTIL_INTERRUPT:
        return events[EVENT_INTERRUPTS];
    case VIEW_UNTIL_MISPREDICTION:
        return events[EVENT_BRANCHES_MISPREDICTED];
    case VIEW_UNTIL_LINE:
        line = symbols_line_at(watch->target->symbols,
                               core_look_next_pc(watch->machine->core[hart]));
        return line != NULL ? line->line : 0;
    default:
        return events[EVENT_CYCLES];
    }
}

/* ---- the pipeline ---------------------------------------------------------------------------- */

/* Adds the instructions that have left, the oldest first, as many as there is room for before
 * `flight`. Squashed ones left before older ones commit, so all are sorted into the order of
 * fetch. */
static int compare_ids(const void *a, const void *b)
{
    uint64_t x = ((const struct view_insn *)a)->id, y = ((const struct view_insn *)b)->id;

    return x < y ? -1 : x > y;
}

static void take_rows(struct watch *watch, unsigned hart, struct view_model *model)
{
    struct watch_hart *of = &watch->of[hart];
    size_t flight = core_look_insns(watch->machine->core[hart], watch->flight, WATCH_FLIGHT);
    size_t shown = flight < VIEW_ROWS - VIEW_HISTORY ? flight : VIEW_ROWS - VIEW_HISTORY;
    size_t room = VIEW_ROWS - shown;
    size_t kept = of->count < WATCH_LEFT ? of->count : WATCH_LEFT;

    kept = kept < room ? kept : room;
    for (size_t i = 0; i < kept; i++) {
        const struct watch_left *left = &of->left[(of->count - kept + i) % WATCH_LEFT];

        model->row[i] = left->seen;
        write_text(watch, &left->insn, &model->row[i]);
    }
    model->rows = kept;
    for (size_t i = 0; i < shown; i++) {
        struct view_insn *insn = &model->row[model->rows];

        *insn = insn_of(&watch->flight[i].record, model->now);
        write_text(watch, watch->flight[i].record.insn, insn);
        insn->queue = (uint8_t)watch->flight[i].queue;
        model->rows += watch->flight[i].record.fetch < model->now;
    }
    qsort(model->row, model->rows, sizeof model->row[0], compare_ids);
}

static void add_place(struct view_model *model, const char *name, struct core_look_place place)
{
    struct view_place *added = &model->place[model->places];

    if (place.size == 0 || model->places == VIEW_PLACES)
        return;
    model->places++;
    snprintf(added->name, sizeof added->name, "%s", name);
    added->used = place.used;
    added->size = place.size;
    added->fills = false;
}

/* Queues have names if the settings are the default ones. */
static void name_queue(const struct config *config, unsigned queue, char name[VIEW_NAME])
{
    static const char *const usual[] = {"integer queue", "branch queue", "complex queue",
                                        "memory queue", "FP queue"};

    if (strcmp(config->issue_queues, "auto") == 0 && queue < sizeof usual / sizeof usual[0])
        snprintf(name, VIEW_NAME, "%s", usual[queue]);
    else
        snprintf(name, VIEW_NAME, "issue queue %u", queue);
}

static void take_places(const struct config *config, const struct core_look *look,
                        struct view_model *model)
{
    char name[VIEW_NAME];

    model->places = 0;
    add_place(model, "fetch buffer", look->fetched);
    for (unsigned i = 0; i < look->queues; i++) {
        name_queue(config, i, name);
        add_place(model, name, look->queue[i]);
    }
    if (look->queues != 0)
        add_place(model, "reorder buffer", look->rob);
    add_place(model, "load queue", look->loads);
    add_place(model, "store queue", look->stores);
}

void watch_take(struct watch *watch, unsigned hart, struct view_model *model)
{
    const struct machine *machine = watch->machine;
    struct core_look look;

    core_look(machine->core[hart], &look);
    model->now = look.now;
    model->hart = hart;
    model->harts = machine->harts;
    model->insns = machine->cpu[hart].pmu.events[EVENT_INSNS_RETIRED];
    model->first_cycle = watch->of[hart].first_cycle;
    model->first_insn = watch->first_insn;
    model->next_pc = look.next_pc;
    model->fetch_pc = look.fetch_pc;
    model->is_in_order = look.queues == 0;
    model->width = machine->config.dispatch_width;
    snprintf(model->program, sizeof model->program, "%s",
             symbols_base_name(watch->target->image.path));
    take_rows(watch, hart, model);
    take_places(&machine->config, &look, model);
    watch_take_caches(watch, hart, model);
    watch_take_predictor(watch, &look.bpred, model);
    watch_take_counters(watch, hart, model);
    watch_take_harts(watch, model);
    watch_take_code(watch, model);
    watch_take_output(watch, model);
}
