/* The tables of compare-profilers. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/insn.h"
#include "prof/report/report.h"
#include "sim/cli/command/compare/compare.h"
#include "sim/base/config.h"

enum { INSN_TEXT = 64 };

static void print_head(const struct compare_view *view, FILE *out)
{
    const struct config *config = view->config;
    char due[REPORT_NUMBER], cycles[REPORT_NUMBER], period[REPORT_NUMBER];

    fprintf(out, "%s sample%s in %s cycles, one every %s", report_number(view->compare->due, due),
            report_s(view->compare->due),
            report_number(view->profile->cycles, cycles),
            report_number(config->sampling_period, period));
    if (config->sampling_dither != 0)
        fprintf(out, " and up to %" PRIu32 " more (seed %" PRIu32 ")", config->sampling_dither,
                config->sampling_seed);
    fputc('\n', out);
}

static void print_machine(const struct compare_view *view, FILE *out)
{
    static const char *const interrupt_place[] = {"commit", "decode", "fetch"};
    const struct config *config = view->config;

    fprintf(out, "sampling interrupts are taken at %s, %" PRIu32 " cycles after the sample\n",
            interrupt_place[config->sampling_interrupt],
            config->sampling_interrupt_cycles);
    if (view->options->is_handler_measured)
        fprintf(out, "the resident monitor takes %" PRIu32 " cycles a sample, as paired runs say\n",
                config->sampling_handler_cycles);
    fputs("commit:", out);
    for (unsigned state = 0; state < SCHEME_STATES; state++)
        fprintf(out, " %s %.1f %%,", scheme_state_name(state),
                100 * compare_state(view->compare, state));
    fprintf(out, " class: %s\n", compare_class(view->compare));
}

/* ---- the short table ------------------------------------------------------------------------- */

static void print_bias(const struct compare_bias *bias, FILE *out)
{
    if (!bias->is_known)
        return;
    fprintf(out, " %9.2f %%   ", 100 * bias->bias);
    if (!bias->is_interval_known)
        fputc('-', out);
    else if (bias->is_bound)
        fprintf(out, "at most %.2f %%", 100 * bias->high);
    else
        fprintf(out, "%.2f .. %.2f %%", 100 * bias->low, 100 * bias->high);
}

static void print_legend(const struct compare_view *view, FILE *out)
{
    fputs("\nerror: the share of the time that a profile gives to a wrong instruction\n", out);
    if (view->options->every_cycle != NULL)
        fputs("bias: the error with a sample in every cycle, the scheme's own\n"
              "interval: the errors of 95 in 100 profiles of as many samples; outside of it the "
              "samples keep step with the program\n", out);
}

static void print_short(const struct compare_view *view, FILE *out)
{
    bool has_bias = view->options->every_cycle != NULL;

    fprintf(out, "\n%-10s %11s%s\n", "scheme", "error",
            has_bias ? "        bias   interval" : "");
    for (unsigned id = 0; id < scheme_count(); id++) {
        if (!view->options->is_shown[id])
            continue;
        fprintf(out, "%-10s %9.2f %%", scheme_row(id).name,
                100 * view->compare->error[id][COMPARE_INSN]);
        print_bias(&view->bias[id], out);
        fputc('\n', out);
    }
    print_legend(view, out);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void print_cost(const struct compare_view *view, unsigned id, FILE *out)
{
    char taken[REPORT_NUMBER], bits[REPORT_NUMBER], cycles[REPORT_NUMBER];

    if (scheme_row(id).kind == SCHEME_COUNTED) {
        fprintf(out, "%12s %12s %8s %17s\n", "-",
                report_number(compare_storage_bits(view, id), bits), "-", "-");
        return;
    }
    fprintf(out, "%12s %12s %8u %17s\n", report_number(view->compare->taken[id], taken),
            report_number(compare_storage_bits(view, id), bits), compare_sample_bytes(view, id),
            report_number(compare_handler_cycles(view, id), cycles));
}

static void print_names(const enum scheme_id order[COMPARE_RANKED], FILE *out)
{
    for (unsigned i = 0; i < COMPARE_RANKED; i++)
        fprintf(out, "%s%s", i != 0 ? " > " : "", scheme_row(order[i]).name);
}

static void print_order(const struct compare_view *view, FILE *out)
{
    enum scheme_id order[COMPARE_RANKED], published[COMPARE_RANKED];

    compare_order(view->compare, order);
    compare_published_order(published);
    for (unsigned i = 0; i < COMPARE_RANKED; i++)
        if (!view->options->is_shown[order[i]])
            return;
    fputs("order by instruction: ", out);
    print_names(order, out);
    if (memcmp(order, published, sizeof order) == 0) {
        fputs(", as published\n", out);
        return;
    }
    fputs("\nas published, a mean:  ", out);
    print_names(published, out);
    fputc('\n', out);
}

static void print_errors(const struct compare_view *view, FILE *out)
{
    fprintf(out, "\n%-10s %32s %11s %12s %8s %17s\n", "", "profile error, by          ", "samples",
            "storage", "bytes a", "handler");
    fprintf(out, "%-10s %11s %10s %10s %11s %12s %8s %17s\n", "scheme", "instruction", "block",
            "function", "taken", "bits", "sample", "cycles");
    for (unsigned id = 0; id < scheme_count(); id++) {
        const double *error = view->compare->error[id];

        if (!view->options->is_shown[id])
            continue;
        fprintf(out, "%-10s %9.2f %% %8.2f %% %8.2f %% ", scheme_row(id).name,
                100 * error[COMPARE_INSN], 100 * error[COMPARE_BLOCK],
                100 * error[COMPARE_FUNCTION]);
        print_cost(view, id, out);
    }
    if (view->options->is_shown[SCHEME_TEA])
        fprintf(out, "tea, by instruction and events: %.2f %%\n", 100 * view->compare->stack_error);
    if (view->options->is_shown[SCHEME_COUNTS])
        fprintf(out, "counts, of executions instead of time: %.2f %%\n",
                100 * view->compare->count_error);
    print_order(view, out);
}

static void print_row(const struct compare_view *view, const struct compare_row *row,
                      unsigned id, struct disasm *disasm, FILE *out)
{
    double truth = 100 * compare_truth(view->compare, row);
    double share = 100 * compare_share(view->compare, row, id);
    char name[SYMBOLS_TEXT], text[INSN_TEXT] = "";
    struct insn insn;

    if (!row->is_monitor && symbols_insn(view->symbols, row->address, &insn))
        disasm_text(disasm, &insn, row->address, text, sizeof text);
    fprintf(out, "%8.2f %% %8.2f %% %+9.2f %%  %-26s %s\n", truth, share, share - truth,
            compare_place(view->symbols, row->address | row->is_monitor, name), text);
}

static void print_worst(const struct compare_view *view, unsigned id, struct disasm *disasm,
                        FILE *out)
{
    const struct compare_row **row = calloc(view->compare->rows + 1, sizeof *row);
    size_t rows = row != NULL ? compare_worst(view->compare, id, view->options->top, row) : 0;

    if (rows != 0)
        fprintf(out, "\n%s: %s\n%10s %10s %11s  instruction\n", scheme_row(id).name,
                scheme_row(id).help, "truth", "profile", "error");
    for (size_t i = 0; i < rows; i++)
        print_row(view, row[i], id, disasm, out);
    free(row);
}

static void print_stacks(const struct compare_view *view, FILE *out)
{
    const struct compare *compare = view->compare;
    uint64_t truth = 0, tea = 0;
    char name[SYMBOLS_TEXT], text[SCHEME_SIGNATURE_TEXT];

    for (size_t i = 0; i < compare->stacks; i++) {
        truth += compare->stack[i].truth;
        tea += compare->stack[i].tea;
    }
    fprintf(out, "\nwhere time went, by instruction and its events\n%10s %10s  %-26s events\n",
            "truth", "tea", "instruction");
    for (size_t i = 0; i < compare->stacks && i < view->options->top; i++) {
        const struct compare_stack *stack = &compare->stack[i];

        fprintf(out, "%8.2f %% %8.2f %%  %-26s %s\n", report_percent(stack->truth, truth),
                report_percent(stack->tea, tea),
                compare_place(view->symbols, stack->place, name),
                scheme_signature_text((unsigned)stack->signature, text));
    }
}

static void print_interruption(const struct compare_view *view, FILE *out)
{
    char insns[REPORT_NUMBER], cycles[REPORT_NUMBER];

    fprintf(out, "partial: run %u (%s) ended after %s instructions, %s cycles\n",
            view->options->run, view->options->stage,
            report_number(view->profile->instructions, insns),
            report_number(view->profile->cycles, cycles));
}

void compare_write_text(const struct compare_view *view, FILE *out)
{
    struct disasm *disasm = disasm_open_xlen(symbols_xlen(view->symbols));

    print_head(view, out);
    if (view->options->shows_all)
        print_machine(view, out);
    if (!view->options->shows_all || view->options->every_cycle != NULL)
        print_short(view, out);
    if (view->options->shows_all)
        print_errors(view, out);
    if (view->options->top != 0 && view->options->is_shown[SCHEME_TEA])
        print_stacks(view, out);
    for (unsigned id = 0; disasm != NULL && view->options->top != 0 && id < scheme_count(); id++)
        if (view->options->is_shown[id])
            print_worst(view, id, disasm, out);
    if (disasm != NULL)
        disasm_close(disasm);
    if (view->is_interrupted)
        print_interruption(view, out);
    fflush(out);
}
