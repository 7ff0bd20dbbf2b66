/* The results of the schemes of a run, and their output as JSON and CSV. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/scheme/scheme_cost.h"
#include "prof/profile/profile_modes.h"
#include "prof/profile/profile_write.h"
#include "sim/cli/command/compare/compare.h"
#include "sim/cli/job/job.h"

/* ---- cost ------------------------------------------------------------------------------------ */

static struct scheme_machine machine_of(const struct config *config)
{
    return (struct scheme_machine){
        .commit_width = config->commit_width, .rob_entries = config->rob_entries,
        .fetch_buffer = config->fetch_buffer, .load_queue = config->lsq_loads,
        .l1i_lines = (config->l1i_kib << 10) / config->l1i_line_bytes,
        .l1i_line_bytes = config->l1i_line_bytes, .transfers = config->sampling_transfers,
    };
}

uint64_t compare_storage_bits(const struct compare_view *view, unsigned id)
{
    struct scheme_machine machine = machine_of(view->config);

    return scheme_storage_bits(id, &machine);
}

unsigned compare_sample_bytes(const struct compare_view *view, unsigned id)
{
    struct scheme_machine machine = machine_of(view->config);

    return scheme_sample_bytes(id, &machine);
}

uint64_t compare_handler_cycles(const struct compare_view *view, unsigned id)
{
    return view->compare->taken[id] * view->config->sampling_handler_cycles;
}

/* ---- of a scheme, and that in a profile ------------------------------------------------------ */

static struct profile_scheme row_of(const struct compare_view *view, unsigned id)
{
    const struct compare_bias *bias = &view->bias[id];
    const double *error = view->compare->error[id];

    return (struct profile_scheme){
        .name = scheme_row(id).name, .insn_error = error[COMPARE_INSN],
        .block_error = error[COMPARE_BLOCK], .function_error = error[COMPARE_FUNCTION],
        .has_bias = bias->is_known, .bias = bias->bias,
        .has_low = bias->is_interval_known && !bias->is_bound, .low = bias->low,
        .has_high = bias->is_interval_known, .high = bias->high,
        .samples = view->compare->taken[id], .storage_bits = compare_storage_bits(view, id),
        .sample_bytes = compare_sample_bytes(view, id),
        .handler_cycles = compare_handler_cycles(view, id),
    };
}

static enum err keep(const struct compare_view *view, struct profile *profile, struct diag *diag)
{
    struct profile_schemes *schemes = profile_alloc(profile, 1, sizeof *schemes);

    if (schemes != NULL)
        schemes->scheme = profile_alloc(profile, scheme_count(), sizeof schemes->scheme[0]);
    if (schemes == NULL || schemes->scheme == NULL)
        return diag_no_memory(diag, "the profiling schemes");
    schemes->period = view->config->sampling_period;
    schemes->dither = view->config->sampling_dither;
    schemes->samples = view->compare->due;
    for (unsigned id = 0; id < scheme_count(); id++)
        if (view->options->is_shown[id])
            schemes->scheme[schemes->schemes++] = row_of(view, id);
    profile->schemes = schemes;
    return ERR_OK;
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* 1: the largest error among the ranked schemes; "" for the others. */
static const char *rank_text(const struct compare_view *view, unsigned id, char text[4])
{
    enum scheme_id order[COMPARE_RANKED];

    compare_order(view->compare, order);
    text[0] = '\0';
    for (unsigned i = 0; i < COMPARE_RANKED; i++)
        if (order[i] == id)
            snprintf(text, 4, "%u", i + 1);
    return text;
}

/* An unknown number is an empty field. */
static void write_field(bool is_known, double number, FILE *out)
{
    fputc(',', out);
    if (is_known)
        fprintf(out, "%.6f", number);
}

static void write_row(const struct compare_view *view, unsigned id, FILE *out)
{
    const struct compare_bias *bias = &view->bias[id];
    const double *error = view->compare->error[id];
    char rank[4];

    fprintf(out, "%s,%.6f,%.6f,%.6f,%" PRIu64 ",%" PRIu64 ",%u,%" PRIu64 ",%s",
            scheme_row(id).name, error[COMPARE_INSN], error[COMPARE_BLOCK],
            error[COMPARE_FUNCTION], view->compare->taken[id], compare_storage_bits(view, id),
            compare_sample_bytes(view, id), compare_handler_cycles(view, id),
            rank_text(view, id, rank));
    write_field(bias->is_known, bias->bias, out);
    write_field(bias->is_interval_known && !bias->is_bound, bias->low, out);
    write_field(bias->is_interval_known, bias->high, out);
    fputc('\n', out);
}

void compare_write_csv(const struct compare_view *view, FILE *out)
{
    fputs("scheme,instruction_error,block_error,function_error,samples,storage_bits,"
          "sample_bytes,handler_cycles,rank,bias,interval_low,interval_high\n", out);
    for (unsigned id = 0; id < scheme_count(); id++)
        if (view->options->is_shown[id])
            write_row(view, id, out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void add_worst(cJSON *object, const struct compare_view *view, unsigned id)
{
    cJSON *array = cJSON_AddArrayToObject(object, "worst");
    const struct compare_row **row = calloc(view->compare->rows + 1, sizeof *row);
    size_t rows = row != NULL ? compare_worst(view->compare, id, view->options->top, row) : 0;
    char text[SYMBOLS_TEXT];

    for (size_t i = 0; i < rows; i++) {
        cJSON *worst = cJSON_CreateObject();

        json_address(worst, "address", row[i]->address);
        cJSON_AddStringToObject(worst, "symbol",
                                compare_place(view->symbols,
                                              row[i]->address | row[i]->is_monitor, text));
        json_real(worst, "truth", compare_truth(view->compare, row[i]));
        json_real(worst, "share", compare_share(view->compare, row[i], id));
        cJSON_AddItemToArray(array, worst);
    }
    free(row);
}

static cJSON *scheme_of(const struct compare_view *view, unsigned id)
{
    const struct compare *compare = view->compare;
    const struct profile_scheme scheme = row_of(view, id);
    cJSON *object = cJSON_CreateObject();

    profile_write_scheme(object, &scheme);
    if (id == SCHEME_TEA)
        json_real(object, "event_error", compare->stack_error);
    if (id == SCHEME_COUNTS)
        json_real(object, "execution_error", compare->count_error);
    add_worst(object, view, id);
    return object;
}

static void add_stacks(cJSON *root, const struct compare_view *view)
{
    cJSON *array = cJSON_AddArrayToObject(root, "event_stacks");
    char text[SCHEME_SIGNATURE_TEXT];

    for (size_t i = 0; i < view->compare->stacks && i < view->options->top; i++) {
        const struct compare_stack *stack = &view->compare->stack[i];
        cJSON *object = cJSON_CreateObject();

        json_address(object, "address", stack->place & ~(uint64_t)SCHEME_MONITOR);
        cJSON_AddStringToObject(object, "events",
                                scheme_signature_text((unsigned)stack->signature, text));
        json_number(object, "units", stack->truth);
        json_number(object, "sampled_units", stack->tea);
        cJSON_AddItemToArray(array, object);
    }
}

static void add_class(cJSON *root, const struct compare *compare)
{
    enum scheme_id order[COMPARE_RANKED], published[COMPARE_RANKED];
    cJSON *object = cJSON_AddObjectToObject(root, "commit"), *array;

    for (unsigned state = 0; state < SCHEME_STATES; state++)
        json_real(object, scheme_state_name(state), compare_state(compare, state));
    cJSON_AddStringToObject(root, "class", compare_class(compare));
    compare_order(compare, order);
    compare_published_order(published);
    array = cJSON_AddArrayToObject(root, "order");
    for (unsigned i = 0; i < COMPARE_RANKED; i++)
        cJSON_AddItemToArray(array, cJSON_CreateString(scheme_row(order[i]).name));
    cJSON_AddBoolToObject(root, "order_is_published",
                          memcmp(order, published, sizeof order) == 0);
}

static void add_interruption(cJSON *root, const struct compare_view *view)
{
    cJSON *object = cJSON_AddObjectToObject(root, "interrupted");

    json_number(object, "run", view->options->run);
    cJSON_AddStringToObject(object, "stage", view->options->stage);
    json_number(object, "instructions", view->profile->instructions);
    json_number(object, "cycles", view->profile->cycles);
}

enum err compare_write_json(const struct compare_view *view, FILE *out, struct diag *diag)
{
    const struct config *config = view->config;
    cJSON *root = json_document(), *array;

    cJSON_AddStringToObject(root, "program", symbols_base_name(view->profile->program));
    if (view->profile->images != 0)
        profile_write_images(root, view->profile->image, view->profile->images);
    if (view->is_interrupted)
        add_interruption(root, view);
    profile_write_modes(root, view->profile->modes);
    json_number(root, "cycles", view->profile->cycles);
    json_number(root, "instructions", view->profile->instructions);
    json_number(root, "period", config->sampling_period);
    json_number(root, "dither", config->sampling_dither);
    json_number(root, "seed", config->sampling_seed);
    json_number(root, "samples", view->compare->due);
    add_class(root, view->compare);
    array = cJSON_AddArrayToObject(root, "schemes");
    for (unsigned id = 0; id < scheme_count(); id++)
        if (view->options->is_shown[id])
            cJSON_AddItemToArray(array, scheme_of(view, id));
    if (view->options->is_shown[SCHEME_TEA])
        add_stacks(root, view);
    return json_print(root, out, diag);
}

/* ---- all ------------------------------------------------------------------------------------- */

static enum err write_all(const struct compare_view *view, struct diag *diag)
{
    const struct compare_options *options = view->options;

    if (view->compare->due == 0)
        fputs("rvsim compare-profilers: warning: no sample, so errors of 100 % say nothing; a "
              "smaller --period gives some\n", stderr);
    if (options->json != stdout && options->csv != stdout)
        compare_write_text(view, stdout);
    if (options->csv != NULL)
        compare_write_csv(view, options->csv);
    return options->json != NULL ? compare_write_json(view, options->json, diag) : ERR_OK;
}

enum err compare_report(struct job *job, struct diag *diag)
{
    const struct machine *machine = &job->machine;
    const struct schemes **schemes = calloc(machine->harts, sizeof *schemes);
    struct compare_options *options = job->options->compare;
    struct compare_bias bias[SCHEMES_MAX] = {{false}};
    struct compare compare = {0};
    struct compare_view view = {&compare, bias, options, &job->profile, job->target.symbols,
                                &machine->config,
                                machine->result.reason == RESULT_INTERRUPTED ||
                                    machine->result.reason == RESULT_TIMEOUT};
    unsigned harts = 0;
    enum err err;

    if (schemes == NULL)
        return diag_no_memory(diag, "the profiling schemes");
    for (unsigned i = 0; i < machine->harts; i++)
        if (machine->core[i] != NULL && core_schemes(machine->core[i]) != NULL)
            schemes[harts++] = core_schemes(machine->core[i]);
    err = compare_make(&compare, &job->profile, schemes, harts, job->target.symbols, diag);
    free(schemes);
    if (err == ERR_OK && options->kept != NULL && !view.is_interrupted) {
        *options->kept = compare;
        return ERR_OK;
    }
    if (err == ERR_OK && !compare_find_bias(&view, bias))
        err = diag_no_memory(diag, "the profiling schemes");
    if (err == ERR_OK)
        err = keep(&view, &job->profile, diag);
    if (err == ERR_OK)
        err = write_all(&view, diag);
    options->is_reported = err == ERR_OK;
    compare_free(&compare);
    return err;
}
