/* The parts of the model beside the pipeline; see watch.c. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shadowcache/shadow_look.h"
#include "sim/mem/memsys_look.h"
#include "sim/run/profiler/profiler_look.h"
#include "sim/view/watch_internal.h"

enum { MARKS_LOOKED_AT = 256 };     /* more would make each stop slow */

/* ---- caches ---------------------------------------------------------------------------------- */

static uint8_t cell_of(enum memsys_line line)
{
    static const uint8_t cell[] = {[MEMSYS_EMPTY] = CELL_EMPTY, [MEMSYS_SHARED] = CELL_SHARED,
                                   [MEMSYS_CLEAN] = CELL_CLEAN, [MEMSYS_MODIFIED] = CELL_MODIFIED,
                                   [MEMSYS_COMING] = CELL_COMING};

    return cell[line];
}

static uint8_t shadow_bits(const struct shadow *shadow, uint32_t frame)
{
    struct shadow_seen seen;

    if (shadow == NULL || frame >= shadow_look_frames(shadow))
        return 0;
    seen = shadow_look(shadow, frame);
    return (uint8_t)((seen.has_marks ? CELL_META : 0) | (seen.counted != 0 ? CELL_COUNTS : 0));
}

/* Columns are sets; in a large cache a column is several sets. A cell of several frames shows the
 * greatest state (in flight over modified over clean), and all metadata bits. */
static void take_cache(const struct memsys *memsys, enum memsys_part part, const char *name,
                       const struct shadow *shadow, struct view_model *model)
{
    struct view_map *map = &model->map[model->maps];
    struct memsys_shape shape;

    if (!memsys_look(memsys, part, &shape) || model->maps == VIEW_MAPS)
        return;
    model->maps++;
    snprintf(map->name, sizeof map->name, "%s", name);
    map->merged = 1;
    while (shape.sets / map->merged * shape.ways > VIEW_CELLS || shape.sets / map->merged > 256)
        map->merged *= 2;
    map->columns = shape.sets / map->merged;
    map->rows = shape.ways;
    map->used = 0;
    map->total = shape.sets * shape.ways;
    memset(map->cell, 0, (size_t)map->columns * map->rows);
    for (uint32_t set = 0; set < map->columns * map->merged; set++)
        for (uint32_t way = 0; way < shape.ways; way++) {
            uint8_t *cell = &map->cell[way * map->columns + set / map->merged];
            uint32_t frame = set * shape.ways + way;
            uint64_t pa;
            uint8_t kind = cell_of(memsys_look_line(memsys, part, frame, model->now, &pa));

            map->used += kind != CELL_EMPTY;
            kind = kind > (*cell & CELL_MASK) ? kind : *cell & CELL_MASK;
            *cell = (uint8_t)(kind | (*cell & ~CELL_MASK) | shadow_bits(shadow, frame));
        }
}

static void take_misses(const struct memsys *memsys, enum memsys_part part, const char *name,
                        struct view_model *model)
{
    struct view_place *place = &model->place[model->places];

    if (model->places == VIEW_PLACES)
        return;
    snprintf(place->name, sizeof place->name, "%s", name);
    place->used = memsys_look_misses(memsys, part, model->now, &place->size);
    place->fills = false;
    model->places += place->size != 0;
}

static void take_tlb(const struct memsys *memsys, enum memsys_tlb which, const char *name,
                     struct view_model *model)
{
    struct view_place *place = &model->place[model->places];

    if (model->places == VIEW_PLACES)
        return;
    snprintf(place->name, sizeof place->name, "%s", name);
    place->used = memsys_look_tlb(memsys, which, &place->size);
    place->fills = true;
    model->places += place->size != 0;
}

void watch_take_caches(const struct watch *watch, unsigned hart, struct view_model *model)
{
    const struct memsys *memsys = core_memsys(watch->machine->core[hart]);
    const struct cpu *cpu = &watch->machine->cpu[hart];

    model->maps = 0;
    take_cache(memsys, MEMSYS_L1I, "L1I", cpu->ishadow, model);
    take_cache(memsys, MEMSYS_L1D, "L1D", cpu->dshadow, model);
    take_cache(memsys, MEMSYS_L2, "L2", NULL, model);
    take_cache(memsys, MEMSYS_L3, "L3", NULL, model);
    take_misses(memsys, MEMSYS_L1I, "L1I misses", model);
    take_misses(memsys, MEMSYS_L1D, "L1D misses", model);
    take_tlb(memsys, MEMSYS_ITLB, "instruction TLB", model);
    take_tlb(memsys, MEMSYS_DTLB, "data TLB", model);
    take_tlb(memsys, MEMSYS_L2TLB, "second TLB", model);
}

/* ---- predictor ------------------------------------------------------------------------------- */

/* The counters of a table, from surely not taken to surely taken. */
static void take_table(const struct bpred_seen *seen, struct view_model *model)
{
    struct view_map *map = &model->map[model->maps];
    unsigned half = (seen->counter_max + 1) / 2;

    if (seen->counter == NULL || model->maps == VIEW_MAPS)
        return;
    model->maps++;
    *map = (struct view_map){.name = "predicted taken", .merged = 1, .total = seen->counters};
    while (seen->counters / map->merged > VIEW_CELLS)
        map->merged *= 2;
    map->rows = 1;
    while (map->rows * map->rows * 4 < seen->counters / map->merged)
        map->rows *= 2;
    map->columns = seen->counters / map->merged / map->rows;
    for (uint32_t i = 0; i < map->columns * map->rows; i++) {
        unsigned value = seen->counter[i * map->merged];

        map->cell[i] = (uint8_t)(value == 0                    ? CELL_NOT_TAKEN
                                 : value < half                ? CELL_WEAK_NOT
                                 : value == seen->counter_max  ? CELL_TAKEN
                                                               : CELL_WEAK_TAKEN);
        map->used += value >= half;
    }
}

static void describe(const struct watch *watch, uint64_t pc, char text[VIEW_TEXT])
{
    char place[SYMBOLS_TEXT];

    symbols_describe(watch->target->symbols, pc, place);
    snprintf(text, VIEW_TEXT, "%.*s", VIEW_TEXT - 1, place);
}

void watch_take_predictor(const struct watch *watch, const struct bpred_seen *seen,
                          struct view_model *model)
{
    model->history = seen->history;
    model->btb_used = seen->btb_used;
    model->btb_entries = seen->btb_entries;
    model->stack = seen->stack < VIEW_STACK ? seen->stack : VIEW_STACK;
    for (unsigned i = 0; i < model->stack; i++)
        describe(watch, seen->top[i], model->return_to[i]);
    take_table(seen, model);
}

/* ---- counters, harts ------------------------------------------------------------------------- */

static const uint8_t shown_event[] = {
    EVENT_CYCLES, EVENT_INSNS_RETIRED, EVENT_BRANCHES, EVENT_BRANCHES_MISPREDICTED, EVENT_LOADS,
    EVENT_STORES, EVENT_L1I_MISS, EVENT_L1D_READ_MISS, EVENT_L1D_WRITE_MISS, EVENT_L2_ACCESS_MISS,
    EVENT_SQUASHED, EVENT_TRAPS, EVENT_INTERRUPTS, EVENT_MARKED_INSNS, EVENT_MARKED_DATA,
    EVENT_INDICATOR_INTERRUPTS, EVENT_META_MISS, EVENT_META_WRITEBACK,
};
_Static_assert(sizeof shown_event <= VIEW_COUNTERS, "each has a row");

static void take_indicators(const struct pmu *pmu, struct view_model *model)
{
    model->indicators = pmu->queue_length;
    for (unsigned i = 0; i < pmu->queue_length && i < 8; i++) {
        const struct indicator *from = &pmu->queue[(pmu->queue_head + i) % PMU_QUEUE];

        model->indicator[i] = (struct view_indicator){.pc = from->iaddr, .data = from->daddr,
                                                      .count = from->count,
                                                      .cycles = from->cycles};
    }
}

/* Orders marks with a limit before others, then by falling counts. */
static bool comes_before(const struct view_mark *a, const struct view_mark *b)
{
    return (a->limit != 0) != (b->limit != 0) ? a->limit != 0 : a->count > b->count;
}

static void add_mark(const struct watch *watch, const struct profiler_seen *seen,
                     struct view_model *model)
{
    struct view_mark mark = {.count = seen->count, .interrupts = seen->interrupts,
                             .limit = seen->site->action.limit, .is_code = seen->site->is_code};
    unsigned at = model->marks;

    while (at != 0 && comes_before(&mark, &model->mark[at - 1]))
        at--;
    if (at == VIEW_MARKS)
        return;
    model->marks += model->marks < VIEW_MARKS;
    memmove(&model->mark[at + 1], &model->mark[at],
            (model->marks - at - 1) * sizeof model->mark[0]);
    model->mark[at] = mark;
    describe(watch, seen->site->va, model->mark[at].place);
}

static void take_marks(const struct watch *watch, struct view_model *model)
{
    const struct profiler *profiler = watch->machine->profiler;
    size_t marks = profiler_look_marks(profiler);

    model->marks = 0;
    for (size_t i = 0; i < marks && i < MARKS_LOOKED_AT; i++) {
        struct profiler_seen seen = profiler_look_mark(profiler, i);

        add_mark(watch, &seen, model);
    }
}

void watch_take_counters(const struct watch *watch, unsigned hart, struct view_model *model)
{
    const struct pmu *pmu = &watch->machine->cpu[hart].pmu;

    model->counters = sizeof shown_event;
    for (unsigned i = 0; i < model->counters; i++) {
        struct view_counter *counter = &model->counter[i];

        snprintf(counter->name, sizeof counter->name, "%s", event_name(shown_event[i]));
        counter->value = counter->before = pmu->events[shown_event[i]];
    }
    take_indicators(pmu, model);
    take_marks(watch, model);
}

void watch_take_harts(const struct watch *watch, struct view_model *model)
{
    static const char mode[] = {[PRIV_U] = 'U', [PRIV_S] = 'S', [2] = '?', [PRIV_M] = 'M'};

    for (unsigned i = 0; i < model->harts && i < VIEW_HARTS; i++) {
        const struct cpu *cpu = &watch->machine->cpu[i];
        struct view_hart *hart = &model->of[i];

        *hart = (struct view_hart){
            .pc = core_look_next_pc(watch->machine->core[i]),
            .insns = cpu->pmu.events[EVENT_INSNS_RETIRED],
            .cycles = cpu->pmu.events[EVENT_CYCLES], .thread = cpu->pmu.thread.id,
            .mode = cpu->hart.in_monitor ? 'P' : mode[cpu->hart.priv & 3],
            .waits = cpu->hart.waiting,
        };
        describe(watch, hart->pc, hart->place);
    }
}

/* ---- the program ----------------------------------------------------------------------------- */

static void take_source(struct watch *watch, struct view_model *model)
{
    const struct symbols_line *at = symbols_line_at(watch->target->symbols, model->next_pc);
    unsigned first;

    model->source_lines = 0;
    model->line = at != NULL ? at->line : 0;
    model->file[0] = '\0';
    if (at == NULL)
        return;
    snprintf(model->file, sizeof model->file, "%s", symbols_base_name(at->file));
    first = at->line > VIEW_LINES / 2 ? at->line - VIEW_LINES / 2 : 1;
    for (unsigned i = 0; i < VIEW_LINES; i++) {
        const char *text = source_line(&watch->sources, at->file, first + i);
        struct view_line *line = &model->source[model->source_lines];

        if (text == NULL)
            break;
        line->number = first + i;
        snprintf(line->text, sizeof line->text, "%s", text);
        model->source_lines++;
    }
}

/* The first instruction shown, a few before the next one; instruction boundaries are known from the
 * start of the routine. */
static uint64_t first_shown(const struct watch *watch, uint64_t pc)
{
    const struct symbols_entry *routine = symbols_at(watch->target->symbols, pc);
    uint64_t at = routine != NULL && routine->address <= pc ? routine->address : pc;
    uint64_t recent[8];
    unsigned count = 0;
    struct insn insn;

    while (at < pc && symbols_insn(watch->target->symbols, at, &insn)) {
        recent[count++ % 8] = at;
        at += insn.length;
    }
    return at != pc || count == 0 ? pc : count < 8 ? recent[0] : recent[count % 8];
}

void watch_take_code(struct watch *watch, struct view_model *model)
{
    uint64_t at = first_shown(watch, model->next_pc);
    struct insn insn;

    take_source(watch, model);
    model->code_lines = 0;
    while (model->code_lines < VIEW_LINES && symbols_insn(watch->target->symbols, at, &insn)) {
        struct view_line *line = &model->code[model->code_lines++];

        line->pc = at;
        disasm_text(watch->disasm, &insn, at, line->text, sizeof line->text);
        at += insn.length;
    }
}

/* The last lines of the file. */
void watch_take_output(const struct watch *watch, struct view_model *model)
{
    enum { TAIL = VIEW_OUTPUT * VIEW_LINE };
    char text[TAIL + 1];
    ssize_t length = 0;
    off_t end;
    unsigned row = 0;

    memset(model->output, 0, sizeof model->output);
    if (watch->output == NULL)
        return;
    fflush(watch->output);
    end = lseek(fileno(watch->output), 0, SEEK_CUR);
    length = pread(fileno(watch->output), text, TAIL, end > TAIL ? end - TAIL : 0);
    text[length > 0 ? (length < end ? length : end) : 0] = '\0';
    for (char *at = text, *line; row < VIEW_OUTPUT && (line = strrchr(at, '\n')) != NULL;) {
        *line = '\0';
        line = strrchr(at, '\n');
        snprintf(model->output[row++], VIEW_LINE, "%.*s", VIEW_LINE - 1,
                 line != NULL ? line + 1 : at);
    }
}
