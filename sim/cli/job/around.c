/* See around.h. */
#include "sim/cli/job/around.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/op.h"
#include "pmu/event.h"
#include "prof/profile/points.h"
#include "sim/cli/collect/collect.h"
#include "sim/cli/command/record.h"
#include "sim/cli/job/job.h"
#include "sim/core/core.h"

enum { RING = 1024 };               /* instructions that left last; a power of two */
enum { ENOUGH_INSNS = 5000000 };    /* to run again for a picture of `hottest` */

enum wish { WISH_EXECUTION, WISH_SAMPLE, WISH_MARK };

/* The instructions that left a hart's pipeline. */
struct tail { struct picture_insn insn[RING]; uint64_t seen; };

struct around {
    struct opened *opened;
    const char *name, *text;
    enum wish wish;
    uint64_t address;
    uint64_t nth;                   /* of a place: executions still to come */
    uint64_t number;                /* of a sample, from 0 */
    const struct profile_sample *sample;
    struct tail *tail;              /* [harts] */
    unsigned harts, hart;           /* hart: of the instruction */
    uint64_t focus, end;            /* places in its tail; with is_found */
    bool is_found;
    bool is_wait;                   /* the sample is in WFI */
    bool is_lost;                   /* its WFI committed before measurement began */
};

/* ---- the wish -------------------------------------------------------------------------------- */

/* WFI has the time of idle harts, in which nothing is to be seen. */
static bool is_wait(const struct around *around, uint64_t address)
{
    struct insn insn;

    return symbols_insn(around->opened->target.symbols, address, &insn) && insn.op == OP_wfi;
}

static enum err find_sample(struct around *around, struct diag *diag)
{
    const struct profile *profile = &around->opened->profile;
    const struct profile_sampling *sampling = profile->sampling;

    if (sampling == NULL || sampling->samples == 0)
        return diag_set(diag, ERR_USAGE, "%s: --around %s: the profile has no samples one by one; "
                        "`rvsim record` with the monitor on the host keeps them", around->name,
                        around->text);
    if (around->number == 0 || around->number > sampling->samples)
        return diag_set(diag, ERR_USAGE, "%s: --around %s: the profile has samples 1 to %zu",
                        around->name, around->text, sampling->samples);
    around->sample = &sampling->sample[--around->number];
    around->address = profile->record[around->sample->record].address;
    around->wish = sampling->period == 0 ? WISH_MARK : WISH_SAMPLE;
    around->is_wait = is_wait(around, around->address);
    return ERR_OK;
}

/* Finds the place as a metadata file would. */
static enum err find_place(struct around *around, const char *place, struct diag *diag)
{
    const struct meta_resolver resolver = target_resolver(&around->opened->target);
    struct meta meta = {.marks = 0};
    char line[600];
    enum err err;

    snprintf(line, sizeof line, "%s 2 counter\n", place);
    err = meta_read(&meta, line, strlen(line), "--around", &resolver, diag);
    if (err == ERR_OK && meta.marks == 0)
        err = diag_set(diag, ERR_USAGE, "%s: --around %s: no instruction is there", around->name,
                       around->text);
    if (err == ERR_OK)
        around->address = meta.mark[0].address;
    meta_free(&meta);
    return err;
}

static const struct profile_cost *hottest_cost(const struct around *around)
{
    const struct profile *profile = &around->opened->profile;
    const struct profile_cost *hottest = NULL;

    for (size_t i = 0; i < profile->costs; i++)
        if (!profile->cost[i].is_monitor && profile->cost[i].count != 0 &&
            (hottest == NULL || profile->cost[i].units > hottest->units) &&
            !is_wait(around, profile->cost[i].address))
            hottest = &profile->cost[i];
    return hottest;
}

/* Chooses the instruction with the most samples, at half of them. */
static enum err find_most_sampled(struct around *around, struct diag *diag)
{
    const struct profile *profile = &around->opened->profile;
    const struct profile_sampling *sampling = profile->sampling;
    const struct point *most;
    struct points points;
    enum err err = points_make(&points, profile, "samples", diag);

    if (err != ERR_OK)
        return err;
    most = &points.point[0];
    for (size_t i = 1; i < points.points; i++)
        if ((points.point[i].value[0] > most->value[0] || is_wait(around, most->address)) &&
            !is_wait(around, points.point[i].address))
            most = &points.point[i];
    for (uint64_t left = most->value[0] - most->value[0] / 2;
         left != 0 && around->number < sampling->samples; around->number++)
        left -= profile->record[sampling->sample[around->number].record].address == most->address;
    points_free(&points);
    return find_sample(around, diag);
}

/* Half of the executions. In a long run fewer, in proportion: as many as there are when enough of
 * the program has run, because everything before is run again. */
static uint64_t middle(const struct profile *profile, uint64_t executions)
{
    uint64_t half = executions - executions / 2;
    double early = (double)executions * ENOUGH_INSNS / (double)profile->instructions;

    if (profile->instructions <= 2 * ENOUGH_INSNS || early >= (double)half)
        return half;
    return early >= 1 ? (uint64_t)early : 1;
}

/* Chooses the instruction with the most cycles by the oracle, in the middle of its executions, or
 * else the one with the most samples. */
static enum err find_hottest(struct around *around, struct diag *diag)
{
    const struct profile *profile = &around->opened->profile;
    const struct profile_cost *hottest = hottest_cost(around);

    if (hottest != NULL) {
        around->address = hottest->address;
        around->nth = middle(profile, hottest->count);
        return ERR_OK;
    }
    if (profile->sampling != NULL && profile->sampling->samples != 0)
        return find_most_sampled(around, diag);
    return diag_set(diag, ERR_USAGE, "%s: --around %s: the profile has neither the cycles of "
                    "--oracle nor samples one by one (`rvsim record`)", around->name,
                    around->text);
}

static enum err read_wish(struct around *around, struct diag *diag)
{
    const char *at = strrchr(around->text, '@');
    char place[512];

    if (strncmp(around->text, "0x", 2) != 0 && options_number(around->text, &around->number))
        return find_sample(around, diag);
    if (strcmp(around->text, "hottest") == 0)
        return find_hottest(around, diag);
    around->nth = 1;
    if (at != NULL && (!options_number(at + 1, &around->nth) || around->nth == 0))
        return diag_set(diag, ERR_USAGE, "%s: --around %s: expected the number of a sample, or "
                        "PLACE, PLACE@N or `hottest`", around->name, around->text);
    snprintf(place, sizeof place, "%.*s",
             at != NULL ? (int)(at - around->text) : (int)strlen(around->text), around->text);
    return find_place(around, place, diag);
}

/* ---- the second run -------------------------------------------------------------------------- */

/* The cycle since measurement began; earlier cycles become its first. */
static uint64_t since(uint64_t cycle, uint64_t before)
{
    return cycle == 0 ? 0 : cycle > before ? cycle - before : 1;
}

static struct picture_insn insn_of(const struct core_trace_record *record, uint64_t before)
{
    struct picture_insn insn = {.pc = record->pc, .insn = *record->insn,
                                .leave = since(record->leave, before),
                                .is_committed = record->committed};
    const uint64_t stage[PICTURE_STAGES] = {
        record->fetch, record->decode, record->rename, record->dispatch, record->issue,
        record->complete, record->committed ? record->retire : 0};

    for (unsigned i = 0; i < PICTURE_STAGES; i++)
        insn.stage[i] = since(stage[i], before);
    return insn;
}

/* Finds its last commit before the sample. */
static void find_marked(struct around *around, const struct tail *tail)
{
    uint64_t first = tail->seen > RING ? tail->seen - RING : 0;

    for (uint64_t at = tail->seen; at-- > first && !around->is_found;) {
        const struct picture_insn *insn = &tail->insn[at % RING];

        around->is_found = insn->is_committed && insn->pc == around->address &&
                           insn->leave <= around->sample->cycle;
        around->focus = at;
    }
}

/* A hart waits in a WFI that it has committed already: its last commit before the sample. */
static void find_wait(struct around *around, const struct tail *tail)
{
    uint64_t first = tail->seen > RING ? tail->seen - RING : 0;

    for (uint64_t at = tail->seen; at-- > first;) {
        const struct picture_insn *insn = &tail->insn[at % RING];

        if (!insn->is_committed || insn->leave > around->sample->cycle)
            continue;
        around->is_found = insn->pc == around->address;
        around->focus = at;
        return;
    }
}

/* An interrupted WFI: the one in which the hart waits, or else the next to commit. */
static void look_for_wait(struct around *around, const struct tail *tail,
                          const struct picture_insn *insn)
{
    if (!insn->is_committed || insn->leave <= around->sample->cycle)
        return;
    find_wait(around, tail);
    if (around->is_found)
        return;
    around->focus = tail->seen - 1;
    around->is_found = insn->pc == around->address;
    around->is_lost = !around->is_found;
}

static void look(struct around *around, unsigned hart, const struct picture_insn *insn)
{
    const struct tail *tail = &around->tail[hart];
    bool is_it = insn->is_committed && insn->pc == around->address;

    around->focus = tail->seen - 1;
    switch (around->wish) {
    case WISH_EXECUTION:
        around->is_found = is_it && --around->nth == 0;
        break;
    case WISH_SAMPLE:
        if (hart != around->sample->hart)
            break;
        around->is_found = is_it && !around->is_wait && insn->leave >= around->sample->cycle;
        if (around->is_wait && !around->is_lost)
            look_for_wait(around, tail, insn);
        break;
    case WISH_MARK:
        if (hart == around->sample->hart && insn->leave > around->sample->cycle)
            find_marked(around, tail);
        break;
    }
    around->hart = hart;
    around->end = around->focus + PICTURE_AFTER + 1;
}

static void watch(void *arg, struct job *job, unsigned hart,
                  const struct core_trace_record *record)
{
    struct around *around = arg;
    struct tail *tail = &around->tail[hart];
    struct picture_insn *insn = &tail->insn[tail->seen % RING];

    if (around->is_found && (hart != around->hart || tail->seen >= around->end))
        return;
    *insn = insn_of(record, collect_cycles_before(job, hart));
    tail->seen++;
    if (!around->is_found)
        look(around, hart, insn);
    job->machine.halt |= around->is_lost || (around->is_found && tail->seen >= around->end);
}

static struct trial trial_of(const struct around *around, const struct tool *tool)
{
    const struct profile_sampling *sampling = around->opened->profile.sampling;

    if (sampling == NULL)
        return (struct trial){.what = "the run again"};
    return record_trial(sampling->period != 0 ? event_by_name(sampling->event) : EVENT_NONE,
                        sampling->period, sampling->has_stacks, tool->options.monitor_given);
}

/* The marks of a tool's run cannot be repeated. */
static enum err check_marks(const struct around *around, const struct tool *tool,
                            struct diag *diag)
{
    const struct profile *profile = &around->opened->profile;

    if (tool->options.engine != ENGINE_DETAILED)
        return diag_set(diag, ERR_USAGE, "%s: --around: the profile is of --mode %s, which has no "
                        "pipeline", around->name, profile->engine);
    if (profile->marks == 0 || tool->options.meta.count != 0)
        return ERR_OK;
    return diag_set(diag, ERR_USAGE, "%s: --around: the command that made this profile marked the "
                    "program itself; give a profile of `rvsim record` or `rvsim --profile`",
                    around->name);
}

/* Checks that both runs took the same sample. */
static enum err check_sample(const struct around *around, const struct profile *again,
                             struct diag *diag)
{
    const struct profile_sampling *sampling = again->sampling;
    const struct profile_sample *sample =
        sampling != NULL && around->sample != NULL && sampling->samples > around->number
            ? &sampling->sample[around->number] : NULL;

    bool is_same = sample != NULL && sample->cycle == around->sample->cycle &&
                   sample->hart == around->sample->hart &&
                   again->record[sample->record].address == around->address;

    if (around->is_found && (around->sample == NULL || is_same))
        return ERR_OK;
    if (around->sample == NULL)
        return diag_set(diag, ERR_USAGE, "%s: --around %s: the run ended before that", around->name,
                        around->text);
    if (is_same && around->is_wait)
        return diag_set(diag, ERR_USAGE, "%s: --around %s: hart %u waits in the WFI of this sample "
                        "since before measurement began", around->name, around->text,
                        (unsigned)around->sample->hart);
    if (is_same)
        return diag_set(diag, ERR_USAGE, "%s: --around %s: the run ended before the instruction of "
                        "this sample committed", around->name, around->text);
    return diag_set(diag, ERR_USAGE, "%s: --around %s: the run did not repeat: this sample came "
                    "elsewhere; its input or its files have changed", around->name, around->text);
}

static enum err run_again(struct around *around, struct tool *tool, struct diag *diag)
{
    struct trial trial = trial_of(around, tool);
    struct trial_result result;
    enum err err = check_marks(around, tool, diag);

    if (err != ERR_OK)
        return err;
    around->harts = tool->options.config.machine_harts;
    around->tail = calloc(around->harts, sizeof *around->tail);
    if (around->tail == NULL)
        return diag_no_memory(diag, "the picture");
    trial.watch = watch;
    trial.watch_arg = around;
    err = tool_run(tool, &trial, &result, diag);
    if (around->is_wait && !around->is_found) {     /* until the run ended */
        around->hart = around->sample->hart;
        find_wait(around, &around->tail[around->hart]);
    }
    if (err == ERR_OK)
        err = check_sample(around, &result.profile, diag);
    profile_free(&result.profile);
    return err;
}

/* ---- the picture ----------------------------------------------------------------------------- */

/* Chooses the rows before the focus, in their order: the last squashed instructions, and before
 * them some committed ones. Returns their number. */
static unsigned choose_before(const struct around *around, uint64_t place[PICTURE_BEFORE])
{
    const struct tail *tail = &around->tail[around->hart];
    uint64_t first = tail->seen > RING ? tail->seen - RING : 0;
    unsigned committed = 0, thrown = 0, rows = 0;

    for (uint64_t at = around->focus; at-- > first && committed < PICTURE_COMMITTED;) {
        bool is_committed = tail->insn[at % RING].is_committed;

        if (!is_committed && thrown == PICTURE_BEFORE - PICTURE_COMMITTED)
            continue;
        committed += is_committed;
        thrown += !is_committed;
        place[PICTURE_BEFORE - ++rows] = at;
    }
    return rows;
}

static void take_picture(const struct around *around, struct picture *picture)
{
    const struct tail *tail = &around->tail[around->hart];
    const struct symbols *symbols = around->opened->target.symbols;
    uint64_t place_before[PICTURE_BEFORE];
    unsigned before = choose_before(around, place_before);
    const struct profile_sampling *sampling =
        around->sample != NULL ? around->opened->profile.sampling : NULL;
    char place[SYMBOLS_TEXT], line[SYMBOLS_TEXT] = "", *title = picture->title;

    symbols_describe_line(symbols, around->address, line);
    snprintf(title, sizeof picture->title, "%s%.100s%s%s: %.200s%s%.100s%s, committed in cycle "
             "%" PRIu64 " of hart %u",
             sampling != NULL ? "sample " : "", around->text, sampling != NULL ? " by " : "",
             sampling != NULL ? sampling->event : "",
             symbols_describe(symbols, around->address, place), line[0] != '\0' ? " (" : "", line,
             line[0] != '\0' ? ")" : "", tail->insn[around->focus % RING].leave, around->hart);
    picture->hart = around->hart;
    picture->taken = around->sample != NULL ? around->sample->cycle : 0;
    picture->focus = before;
    for (unsigned i = PICTURE_BEFORE - before; i < PICTURE_BEFORE; i++)
        picture->insn[picture->insns++] = tail->insn[place_before[i] % RING];
    for (uint64_t at = around->focus; at < tail->seen && picture->insns < PICTURE_ROWS; at++)
        picture->insn[picture->insns++] = tail->insn[at % RING];
}

enum err around_make(struct picture *picture, struct opened *opened, const char *text,
                     const char *name, struct diag *diag)
{
    struct around around = {.opened = opened, .name = name, .text = text};
    const struct command_line line = {.run = (char **)(uintptr_t)opened->profile.command,
                                      .runs = (int)opened->profile.commands};
    struct tool tool;
    enum err err = read_wish(&around, diag);

    *picture = (struct picture){.insns = 0};
    if (err == ERR_OK)
        err = tool_open_again(&tool, name, &line, opened->target.image.path, diag);
    if (err == ERR_OK) {
        err = run_again(&around, &tool, diag);
        if (err == ERR_OK)
            take_picture(&around, picture);
        tool_close(&tool);
    }
    free(around.tail);
    return err;
}
