/* A routine's disassembly with counts beside it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/insn.h"
#include "prof/report.h"

enum { TEXT_BYTES = 96 };

static enum err no_routine(const struct report *report, const char *name, struct diag *diag)
{
    diag_set(diag, ERR_USAGE, "no routine '%s' in %s", name, report->profile->program);
    return symbols_suggest(report->symbols, name, ERR_USAGE, diag);
}

/* The mark of the instruction, or NULL; marks are in order of address. */
static const struct profile_mark *mark_at(const struct profile *profile, uint64_t address)
{
    size_t low = 0, high = profile->marks;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (profile->mark[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == profile->marks || profile->mark[low].address != address)
        return NULL;
    return &profile->mark[low];
}

static void print_insn(const struct report *report, struct disasm *disasm, uint64_t address,
                       const struct insn *insn)
{
    const struct profile_mark *mark = mark_at(report->profile, address);
    char count[REPORT_NUMBER] = "", interrupts[REPORT_NUMBER] = "";
    char text[TEXT_BYTES], line[SYMBOLS_TEXT], cost[TEXT_BYTES];

    disasm_text(disasm, insn, address, text, sizeof text);
    symbols_describe_line(report->symbols, address, line);
    if (mark != NULL && mark->has_counter)
        report_number(mark->count, count);
    if (mark != NULL && mark->interrupts != 0)
        report_number(mark->interrupts, interrupts);
    report_cost_columns(report, address, cost, sizeof cost);
    fprintf(report->out, "%16s %12s %s %10" PRIx64 ": %-36s%s%s\n", count, interrupts, cost,
            address, text, line[0] != '\0' ? " ; " : "", line);
}

enum err report_annotate(const struct report *report, const char *routine, struct diag *diag)
{
    const struct symbols_entry *entry = symbols_find(report->symbols, routine);
    struct disasm *disasm;
    struct insn insn;
    uint64_t address, end;

    if (entry == NULL || !entry->is_function)
        return no_routine(report, routine, diag);
    disasm = disasm_open_xlen(symbols_xlen(report->symbols));
    if (disasm == NULL)
        return diag_no_memory(diag, "the disassembler");
    end = entry->address + entry->bytes;
    fprintf(report->out, "\n%s:\n%16s %12s ", entry->name, "count", "interrupts");
    if (report->profile->units_per_cycle != 0)
        fprintf(report->out, "%16s %18s ", "executed", "cycles");
    fprintf(report->out, " %10s\n", "address");
    for (address = entry->address; address < end && symbols_insn(report->symbols, address, &insn);
         address += insn.length)
        print_insn(report, disasm, address, &insn);
    disasm_close(disasm);
    return ERR_OK;
}
