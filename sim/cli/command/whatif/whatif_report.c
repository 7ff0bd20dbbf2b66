/* The changes of rvsim whatif, by their gains. */
#include <inttypes.h>
#include <stdlib.h>

#include "prof/profile/json.h"
#include "prof/records/csv.h"
#include "prof/report/report.h"
#include "sim/cli/command/whatif/whatif.h"

static const char *const kind_name[] = {
    [CHANGE_SET] = "set", [CHANGE_PERFECT] = "perfect", [CHANGE_FASTER] = "faster",
    [CHANGE_TOGETHER] = "together",
};

static int64_t gain_of(const struct whatif *whatif, const struct change *change)
{
    return (int64_t)(whatif->base_cycles - change->cycles);
}

static double percent_of(const struct whatif *whatif, const struct change *change)
{
    return whatif->base_cycles != 0
               ? 100 * (double)gain_of(whatif, change) / (double)whatif->base_cycles : 0;
}

static int compare_changes(const void *a, const void *b)
{
    const struct change *x = a, *y = b;

    if (x->is_known != y->is_known)
        return x->is_known ? -1 : 1;
    if ((x->kind == CHANGE_TOGETHER) != (y->kind == CHANGE_TOGETHER))
        return x->kind == CHANGE_TOGETHER ? 1 : -1;
    if (x->is_known && x->cycles != y->cycles)
        return x->cycles < y->cycles ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

void whatif_sort(struct whatif *whatif)
{
    for (unsigned i = 0; i < whatif->changes; i++)
        whatif->change[i].place = i;
    qsort(whatif->change, whatif->changes, sizeof whatif->change[0], compare_changes);
}

/* ---- text ------------------------------------------------------------------------------------ */

static const char *signed_number(int64_t number, char text[REPORT_NUMBER + 1])
{
    text[0] = '-';
    if (number >= 0)
        return report_number((uint64_t)number, text);
    report_number((uint64_t)-number, text + 1);
    return text;
}

static void print_change(const struct whatif *whatif, const struct change *change, FILE *out)
{
    char cycles[REPORT_NUMBER], gain[REPORT_NUMBER + 1];

    fprintf(out, "%16s",
            change->is_known ? report_number(change->cycles, cycles) : "not measured");
    if (change->is_known) {
        tool_parts_print(&change->parts, out);
        fprintf(out, " %16s %8.2f%%  ", signed_number(gain_of(whatif, change), gain),
                percent_of(whatif, change));
    } else {
        fprintf(out, "%*s %16s %9s  ", whatif->base_parts.is_known ? TOOL_PARTS_WIDTH : 0, "", "",
                "");
    }
    fprintf(out, "%s%s%s", change->kind != CHANGE_TOGETHER ? kind_name[change->kind] : "",
            change->kind != CHANGE_TOGETHER ? " " : "", change->text);
    if (change->is_known && change->instructions != whatif->base_instructions)
        fprintf(out, " (%s instructions)", report_number(change->instructions, cycles));
    fputc('\n', out);
}

void whatif_print(const struct whatif *whatif, FILE *out)
{
    char cycles[REPORT_NUMBER], instructions[REPORT_NUMBER];

    fprintf(out, "%s: %s cycles, %s instructions\n\n%16s",
            symbols_base_name(whatif->tool.target.image.path),
            report_number(whatif->base_cycles, cycles),
            report_number(whatif->base_instructions, instructions), "cycles");
    tool_parts_heads(&whatif->base_parts, out);
    fprintf(out, " %16s %9s  change\n", "gain", "");
    for (unsigned i = 0; i < whatif->changes; i++)
        print_change(whatif, &whatif->change[i], out);
    if (whatif->is_cut)
        fputs("--max-cycles ended runs before the program: their gain is in instructions, not in "
              "cycles; --max-insns ends all at the same instruction\n", out);
}

/* ---- files ----------------------------------------------------------------------------------- */

enum err whatif_write_csv(void *arg, FILE *out, struct diag *diag)
{
    const struct whatif *whatif = arg;

    (void)diag;
    fputs("kind,change,base_cycles,base_instructions,cycles,instructions,gain_cycles,"
          "gain_percent" TOOL_PARTS_CSV "\n", out);
    for (unsigned i = 0; i < whatif->changes && whatif->change[i].is_known; i++) {
        const struct change *change = &whatif->change[i];

        fprintf(out, "%s,", kind_name[change->kind]);
        csv_put(out, change->text);
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRId64 ",%.6f",
                whatif->base_cycles, whatif->base_instructions, change->cycles,
                change->instructions, gain_of(whatif, change), percent_of(whatif, change));
        tool_parts_csv(&change->parts, out);
        fputc('\n', out);
    }
    return ERR_OK;
}

enum err whatif_write_json(void *arg, FILE *out, struct diag *diag)
{
    const struct whatif *whatif = arg;
    cJSON *root = tool_run_document(&whatif->tool, whatif->base_cycles,
                                    whatif->base_instructions);
    cJSON *rows;

    rows = cJSON_AddArrayToObject(root, "changes");
    for (unsigned i = 0; i < whatif->changes && whatif->change[i].is_known; i++) {
        const struct change *change = &whatif->change[i];
        cJSON *row = cJSON_CreateObject();

        cJSON_AddItemToArray(rows, row);
        cJSON_AddStringToObject(row, "kind", kind_name[change->kind]);
        cJSON_AddStringToObject(row, "change", change->text);
        json_number(row, "cycles", change->cycles);
        tool_parts_json(&change->parts, row);
        json_number(row, "instructions", change->instructions);
        json_signed(row, "gain_cycles", gain_of(whatif, change));
        json_real(row, "gain_percent", percent_of(whatif, change));
    }
    return json_print(root, out, diag);
}
