/* See idle_print.h. */
#include "prof/idle/idle_print.h"

#include <inttypes.h>

#include "prof/profile/json.h"
#include "prof/sched/sched.h"

const char *idle_cause_name(enum kernel_reason cause)
{
    return cause == KERNEL_REASON_NONE ? "nothing" : sched_reason_name(cause);
}

const char *idle_wait_name(const struct idle_row *row, const struct symbols *symbols,
                           char text[IDLE_WAIT_TEXT])
{
    char place[SYMBOLS_TEXT];
    bool is_lock = row->reason == KERNEL_REASON_LOCK;

    snprintf(text, IDLE_WAIT_TEXT, "%s%s%s", idle_cause_name(row->reason), is_lock ? " " : "",
             is_lock ? symbols_describe(symbols, row->value, place) : "");
    return text;
}

static const char *percent(uint64_t part, uint64_t whole, char text[16])
{
    snprintf(text, 16, "%.2f%%", whole == 0 ? 0.0 : 100.0 * (double)part / (double)whole);
    return text;
}

/* ---- text ------------------------------------------------------------------------------------ */

struct idle_hart idle_all_harts(const struct idle_charge *charge)
{
    struct idle_hart all = {.cycles = 0};

    for (unsigned i = 0; i < charge->harts; i++) {
        const struct idle_hart *hart = &charge->hart[i];

        all.cycles += hart->cycles;
        all.running += hart->running;
        all.kernel += hart->kernel;
        all.sampling += hart->sampling;
        all.idle += hart->idle;
        all.path += hart->path;
        for (unsigned cause = 0; cause < IDLE_CAUSES; cause++)
            all.cause[cause] += hart->cause[cause];
    }
    return all;
}

/* Causes with cycles in either run have a column; "nothing runnable" comes last, and always. */
static void print_heads(const char *name, const struct idle_hart *shown, FILE *out)
{
    fprintf(out, "%7s%13s%13s%11s%10s%11s%13s%9s", name, "cycles", "running", "kernel", "sampling",
            "idle path", "idle", "");
    for (unsigned i = 1; i < IDLE_CAUSES; i++)
        if (shown->cause[i] != 0)
            fprintf(out, "%12s", idle_cause_name(i));
    fprintf(out, "%12s\n", idle_cause_name(KERNEL_REASON_NONE));
}

static void print_hart(const struct idle_hart *hart, const struct idle_hart *shown,
                       const char *name, FILE *out)
{
    char text[16];

    fprintf(out, "%7s%13" PRIu64 "%13" PRIu64 "%11" PRIu64 "%10" PRIu64 "%11" PRIu64, name,
            hart->cycles, hart->running, hart->kernel, hart->sampling, hart->path);
    fprintf(out, "%13" PRIu64 "%9s", hart->idle, percent(hart->idle, hart->cycles, text));
    for (unsigned i = 1; i < IDLE_CAUSES; i++)
        if (shown->cause[i] != 0)
            fprintf(out, "%12" PRIu64, hart->cause[i]);
    fprintf(out, "%12" PRIu64 "\n", hart->cause[KERNEL_REASON_NONE]);
}

/* The difference of two numbers, in percent of `of`. */
static void print_change(uint64_t with, uint64_t without, uint64_t of, int columns, FILE *out)
{
    char text[16];

    snprintf(text, sizeof text, "%+.2f%%",
             of == 0 ? 0.0 : 100.0 * ((double)with - (double)without) / (double)of);
    fprintf(out, "%*s", columns, text);
}

/* What samples change in the sums of all harts, in percent of the cycles without them. */
static void print_disturbance(const struct idle_hart *with, const struct idle_hart *without,
                              const struct idle_hart *shown, FILE *out)
{
    uint64_t of = without->cycles;

    fprintf(out, "%7s", "change");
    print_change(with->cycles, without->cycles, of, 13, out);
    print_change(with->running, without->running, of, 13, out);
    print_change(with->kernel, without->kernel, of, 11, out);
    print_change(with->sampling, without->sampling, of, 10, out);
    print_change(with->path, without->path, of, 11, out);
    print_change(with->idle, without->idle, of, 13, out);
    fprintf(out, "%9s", "");
    for (unsigned i = 1; i < IDLE_CAUSES; i++)
        if (shown->cause[i] != 0)
            print_change(with->cause[i], without->cause[i], of, 12, out);
    print_change(with->cause[0], without->cause[0], of, 12, out);
    fputc('\n', out);
}

static void print_harts(const struct idle_view *view, FILE *out)
{
    struct idle_hart all = idle_all_harts(view->charge);
    struct idle_hart without = idle_all_harts(view->charge_without);
    struct idle_hart shown = all;
    char name[16];

    for (unsigned i = 0; i < IDLE_CAUSES; i++)
        shown.cause[i] |= without.cause[i];
    print_heads("hart", &shown, out);
    for (unsigned i = 0; i < view->charge->harts; i++) {
        snprintf(name, sizeof name, "%u", i);
        print_hart(&view->charge->hart[i], &shown, name, out);
    }
    print_hart(&all, &shown, "all", out);
    if (view->cycles_without == 0)
        return;
    print_hart(&without, &shown, "without", out);
    print_disturbance(&all, &without, &shown, out);
}

static const char *holder_name(const struct idle_row *row, char text[16])
{
    if (row->holder == 0)
        return "-";
    snprintf(text, 16, "%" PRIu32, row->holder);
    return text;
}

static void print_row(const struct idle_view *view, const struct idle_row *row, uint64_t away,
                      FILE *out)
{
    char text[IDLE_WAIT_TEXT], part[16], ran[16], holder[16];

    fprintf(out, "%13" PRIu64 "%9s%13" PRIu64 "%11" PRIu64 "%10s%11s  %s\n", row->away,
            percent(row->away, away, part), row->cycles, row->away - row->cycles,
            holder_name(row, holder),
            row->holder != 0 ? percent(row->holder_ran, row->cycles, ran) : "-",
            idle_wait_name(row, view->symbols, text));
}

static void print_rows(const struct idle_view *view, FILE *out)
{
    const struct idle_charge *charge = view->charge;
    struct idle_hart all = idle_all_harts(charge);
    struct idle_row left_out = {.away = 0};
    uint64_t away = all.idle + all.path;
    char part[16];
    size_t others = 0;

    fprintf(out, "%13s%9s%13s%11s%10s%11s  %s\n", "away", "", "idle", "idle path", "held by",
            "which ran", "waiting for");
    for (size_t i = 0; i < charge->rows; i++) {
        const struct idle_row *row = &charge->row[i];

        if (100.0 * (double)row->away >= view->least * (double)away) {
            print_row(view, row, away, out);
            continue;
        }
        left_out.away += row->away;
        left_out.cycles += row->cycles;
        others++;
    }
    if (others != 0)
        fprintf(out, "%13" PRIu64 "%9s%13" PRIu64 "%11" PRIu64 "%10s%11s  %zu other%s\n",
                left_out.away, percent(left_out.away, away, part), left_out.cycles,
                left_out.away - left_out.cycles, "-", "-", others, others == 1 ? "" : "s");
}

static void print_samples(const struct idle_view *view, FILE *out)
{
    uint64_t throttled = 0;

    fprintf(out, "%5s%10s%10s%10s%10s%11s%10s%10s%10s\n", "hart", "samples", "busy", "idle",
            "to idle", "from idle", "walks", "repeated", "none");
    for (unsigned i = 0; i < view->tree->harts; i++) {
        const struct kernel_sampler *sampler = &view->sampler[i];

        fprintf(out, "%5u%10llu%10llu%10llu%10" PRIu64 "%11" PRIu64 "%10llu%10llu%10llu\n", i,
                sampler->samples, sampler->busy, sampler->idle,
                idle_tree_sum(view->tree, 0, i, SAMPLER_KIND_TO),
                idle_tree_sum(view->tree, 0, i, SAMPLER_KIND_FROM), sampler->walks,
                sampler->repeated, sampler->no_thread + sampler->missed + sampler->full);
        throttled += sampler->throttled;
    }
    if (throttled != 0)
        fprintf(out, "%" PRIu64 " sample%s throttled: the period is shorter than what a sample "
                "takes\n", throttled, throttled == 1 ? " was" : "s were");
}

/* Cycles of all harts that the samples themselves took: of their interrupts, about, and of the
 * sampler threads. */
static uint64_t cost_of_samples(const struct idle_view *view)
{
    enum { HANDLER_CYCLES = 400 };
    uint64_t cost = 0;

    for (unsigned i = 0; i < view->charge->harts; i++)
        cost += view->charge->hart[i].sampling + HANDLER_CYCLES * view->sampler[i].samples;
    return cost;
}

/* Notes a change far larger than the cost of the samples: the samples changed the order in which
 * threads run. */
static void print_course(const struct idle_view *view, FILE *out)
{
    enum { FAR = 4, PERCENT = 5 };
    uint64_t with = view->cycles, without = view->cycles_without;
    uint64_t change = (with > without ? with - without : without - with) * view->charge->harts;
    uint64_t cost = cost_of_samples(view);

    if (change > FAR * cost && change * 100 > PERCENT * without * view->charge->harts)
        fprintf(out, "the samples themselves take some %" PRIu64 " cycles of all harts: with them "
                "the threads take other turns\n", cost);
}

static void print_cost(const struct idle_view *view, FILE *out)
{
    double more = (double)view->cycles - (double)view->cycles_without;

    if (view->cycles_without == 0)
        fprintf(out, "the run takes %" PRIu64 " cycles\n", view->cycles);
    else
        fprintf(out, "the run takes %" PRIu64 " cycles, without samples %" PRIu64 " (%+.2f %%)\n",
                view->cycles, view->cycles_without, 100 * more / (double)view->cycles_without);
    if (view->cycles_without != 0)
        print_course(view, out);
}

void idle_print(const struct idle_view *view, FILE *out)
{
    print_samples(view, out);
    fputc('\n', out);
    idle_tree_print(view->tree, IDLE_ALL_HARTS, view->least, out);
    for (uint32_t i = 0; i < view->tree->harts && view->is_by_hart; i++) {
        fprintf(out, "\nhart %" PRIu32 "\n", i);
        idle_tree_print(view->tree, i, view->least, out);
    }
    fprintf(out, "\nTruth: the sampled run%s\n",
            view->cycles_without != 0 ? ", and the run without samples" : "");
    print_harts(view, out);
    fputc('\n', out);
    print_rows(view, out);
    fputc('\n', out);
    print_cost(view, out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void add_causes(cJSON *object, const char *key, const uint64_t cycles[IDLE_CAUSES])
{
    cJSON *causes = cJSON_AddObjectToObject(object, key);

    for (unsigned i = 0; i < IDLE_CAUSES; i++)
        json_number(causes, idle_cause_name(i), cycles[i]);
}

static void add_times(cJSON *object, const struct idle_hart *hart)
{
    json_number(object, "cycles", hart->cycles);
    json_number(object, "running", hart->running);
    json_number(object, "kernel", hart->kernel);
    json_number(object, "sampling", hart->sampling);
    json_number(object, "idle", hart->idle);
    json_number(object, "idle_path", hart->path);
    json_number(object, "away", hart->idle + hart->path);
    add_causes(object, "causes", hart->cause);
    add_causes(object, "away_causes", hart->away);
}

static void add_hart(cJSON *array, const struct idle_view *view, unsigned number)
{
    const struct kernel_sampler *sampler = &view->sampler[number];
    cJSON *object = cJSON_CreateObject();

    cJSON_AddItemToArray(array, object);
    add_times(object, &view->charge->hart[number]);
    json_number(object, "samples", sampler->samples);
    json_number(object, "busy_samples", sampler->busy);
    json_number(object, "idle_samples", sampler->idle);
    json_number(object, "no_thread", sampler->no_thread);
    json_number(object, "repeated", sampler->repeated);
    json_number(object, "walks", sampler->walks);
    json_number(object, "missed", sampler->missed);
    json_number(object, "full", sampler->full);
    json_number(object, "throttled", sampler->throttled);
}

static void add_row(cJSON *array, const struct idle_view *view, const struct idle_row *row)
{
    cJSON *object = cJSON_CreateObject();
    char text[SYMBOLS_TEXT];

    cJSON_AddItemToArray(array, object);
    cJSON_AddStringToObject(object, "cause", idle_cause_name(row->reason));
    json_number(object, "cycles", row->cycles);
    json_number(object, "idle_path", row->away - row->cycles);
    json_number(object, "away", row->away);
    if (row->reason != KERNEL_REASON_LOCK)
        return;
    json_address(object, "address", row->value);
    cJSON_AddStringToObject(object, "symbol", symbols_describe(view->symbols, row->value, text));
    json_number(object, "holder", row->holder);
    json_number(object, "holder_ran", row->holder_ran);
}

static void add_node(cJSON *array, const struct idle_tree *tree, uint32_t number)
{
    const struct idle_node *node = &tree->node[number];
    cJSON *object = cJSON_CreateObject(), *children;

    cJSON_AddItemToArray(array, object);
    cJSON_AddStringToObject(object, "function", node->name);
    cJSON_AddStringToObject(object, "line", node->line);
    for (unsigned kind = 0; kind < SAMPLER_KINDS; kind++) {
        cJSON *counts = cJSON_AddArrayToObject(object, kind == SAMPLER_KIND_TO ? "to_idle"
                                                                              : "from_idle");

        for (unsigned i = 0; i < tree->harts; i++)
            json_append_number(counts, node->count[i * SAMPLER_KINDS + kind]);
    }
    children = cJSON_AddArrayToObject(object, "children");
    for (uint32_t at = node->child; at != 0; at = tree->node[at].next)
        add_node(children, tree, at);
}

enum err idle_print_json(const struct idle_view *view, cJSON *root, FILE *out, struct diag *diag)
{
    cJSON *harts, *rows, *tree;

    if (view->event != NULL)
        cJSON_AddStringToObject(root, "event", view->event);
    json_number(root, "period", view->event != NULL ? view->sampler[0].period
                                                    : view->period_cycles);
    json_number(root, "cycles", view->cycles);
    if (view->cycles_without != 0)
        json_number(root, "cycles_without_samples", view->cycles_without);
    harts = cJSON_AddArrayToObject(root, "harts");
    for (unsigned i = 0; i < view->charge->harts; i++)
        add_hart(harts, view, i);
    rows = cJSON_AddArrayToObject(root, "harts_without_samples");
    for (unsigned i = 0; i < view->charge_without->harts; i++)
        add_times(json_append_object(rows), &view->charge_without->hart[i]);
    rows = cJSON_AddArrayToObject(root, "waits");
    for (size_t i = 0; i < view->charge->rows; i++)
        add_row(rows, view, &view->charge->row[i]);
    tree = cJSON_AddArrayToObject(root, "tree");
    add_node(tree, view->tree, 0);
    return json_print(root, out, diag);
}

/* ---- time line ------------------------------------------------------------------------------- */

static enum err add_span(struct timeline *timeline, const struct idle_span *span,
                         const struct symbols *symbols, struct diag *diag)
{
    const struct timeline_idle idle = {
        .start = span->start, .end = span->end, .cycles = span->row.cycles,
        .hart = (uint16_t)span->hart,
    };
    bool is_held = span->row.reason == KERNEL_REASON_LOCK && span->row.holder != 0;
    char text[IDLE_WAIT_TEXT], name[IDLE_WAIT_TEXT + 32], holder[16];

    snprintf(name, sizeof name, "%s%s%s", idle_wait_name(&span->row, symbols, text),
             is_held ? ", held by " : "", is_held ? holder_name(&span->row, holder) : "");
    return timeline_add_idle(timeline, &idle, name, diag);
}

enum err idle_timeline(struct timeline *timeline, const struct idle_charge *charge,
                       const struct symbols *symbols, struct diag *diag)
{
    enum err err = ERR_OK;

    for (size_t i = 0; i < charge->spans && err == ERR_OK; i++)
        err = add_span(timeline, &charge->span[i], symbols, diag);
    return err;
}
