/* Reports on cycles by their cause at commit: of the run as a CPI stack, of routines and lines by
 * the words of the top-down tree. */
#include <stdlib.h>
#include <string.h>

#include "pmu/event.h"
#include "prof/profile/cost.h"
#include "prof/report/report.h"
#include "prof/report/summary.h"

/* ---- the run --------------------------------------------------------------------------------- */

struct cpi { uint64_t events[PROFILE_CODES], total, insns; };

static void print_cpi(const struct report *report, const struct cpi *cpi, uint64_t cycles,
                      const char *indent, const char *name)
{
    char number[REPORT_NUMBER], each[REPORT_CPI];

    fprintf(report->out, "%16s %6.2f%% %8s  %s%s\n", report_number(cycles, number),
            report_percent(cycles, cpi->total),
            report_cycles_each((double)cycles, cpi->insns, 4, each), indent, name);
}

/* Prints a word, and its causes; a word with a single cause has one row. */
static void print_cpi_word(const struct report *report, const struct cpi *cpi, unsigned word)
{
    uint64_t sum = 0;

    for (unsigned code = 1; code < EVENT_COUNT; code++)
        if (topdown_word_of_cause(code) == word)
            sum += cpi->events[code];
    if (sum == 0)
        return;
    print_cpi(report, cpi, sum, "", topdown_row(word).name);
    for (unsigned code = 1; code < EVENT_COUNT; code++)
        if (topdown_word_of_cause(code) == word && cpi->events[code] != 0)
            print_cpi(report, cpi, cpi->events[code], "  ", event_name(code) + strlen("cpi_"));
}

void report_cpi(const struct report *report)
{
    const struct profile *profile = report->profile;
    struct cpi cpi = {.total = 0};
    struct summary summary;
    char number[REPORT_NUMBER], each[REPORT_CPI];

    summary_make(&summary, profile);
    profile_program_events(profile, cpi.events);
    cpi.insns = summary.instructions;
    for (unsigned code = 1; code < EVENT_COUNT; code++)
        cpi.total += event_scope(code) == SCOPE_CPI ? cpi.events[code] : 0;
    fprintf(report->out, "\n%16s %7s %8s  cause\n", "cycles", "", "CPI");
    for (unsigned i = 0; summary_word(i) != TOPDOWN_COUNT; i++)
        print_cpi_word(report, &cpi, summary_word(i));
    fprintf(report->out, "%16s %7s %8s  total\n", report_number(cpi.total, number), "",
            report_cycles_each((double)cpi.total, cpi.insns, 4, each));
    report_monitor(report, summary.monitor_cycles, "         ");
}

/* ---- routines and lines ---------------------------------------------------------------------- */

enum { WORDS_MAX = 8, WORD_COLUMN = 8 };

static uint64_t word_of(const struct profile *profile, const struct cost_row *row, unsigned word)
{
    return cost_of_word(profile, row->units, row->cause, word);
}

/* The largest cause; 0: no waiting. */
static unsigned most_waiting(const struct cost_row *row)
{
    unsigned most = 0;

    for (unsigned cause = 1; cause < EVENT_CAUSES; cause++)
        most = row->cause[cause] > row->cause[most] ? cause : most;
    return most;
}

static void print_heading(const struct report *report, const unsigned *word, unsigned words,
                          const char *subject)
{
    fprintf(report->out, "\n%18s %7s", "cycles", "");
    for (unsigned i = 0; i < words; i++)
        fprintf(report->out, "  %*s", WORD_COLUMN, topdown_row(word[i]).name);
    fprintf(report->out, "  %-16s %s\n", "most waiting", subject);
}

/* Under a word wider than its column the share has the word's width. */
static void print_words(const struct report *report, const struct cost_row *row,
                        const unsigned *word, unsigned words)
{
    const struct profile *profile = report->profile;
    unsigned cause = most_waiting(row);
    char most[REPORT_NUMBER] = "-";

    for (unsigned i = 0; i < words; i++) {
        int name = (int)strlen(topdown_row(word[i]).name);

        fprintf(report->out, "  %*.2f%%", (name > WORD_COLUMN ? name : WORD_COLUMN) - 1,
                report_percent(word_of(profile, row, word[i]), row->units));
    }
    if (cause != 0)
        snprintf(most, sizeof most, "%s %.2f%%",
                 event_name(EVENT_CPI_BASE + cause) + strlen("cpi_"),
                 report_percent(row->cause[cause] * profile->units_per_cycle, row->units));
    fprintf(report->out, "  %-16s ", most);
}

/* The words in which a row has time. */
static unsigned words_used(const struct profile *profile, const struct cost_row *row, size_t rows,
                           unsigned word[WORDS_MAX])
{
    unsigned words = 0;

    for (unsigned k = 0; summary_word(k) != TOPDOWN_COUNT && words < WORDS_MAX; k++) {
        bool is_used = false;

        for (size_t i = 0; i < rows && !is_used; i++)
            is_used = word_of(profile, &row[i], summary_word(k)) != 0;
        if (is_used)
            word[words++] = summary_word(k);
    }
    return words;
}

static enum err print_places(const struct report *report, enum cost_by by, struct diag *diag)
{
    const struct profile *profile = report->profile;
    uint64_t total = report_all_units(profile);
    unsigned word[WORDS_MAX], words;
    struct cost_row *row;
    size_t rows;
    enum err err = cost_rows(profile, report->symbols, by, &row, &rows, diag);

    if (err != ERR_OK)
        return err;
    words = words_used(profile, row, rows, word);
    print_heading(report, word, words, by == COST_BY_SYMBOL ? "routine" : "line");
    for (size_t i = 0; i < report_shown(report, rows); i++) {
        char cycles[REPORT_NUMBER], name[SYMBOLS_TEXT];

        fprintf(report->out, "%18s %6.2f%%", report_cycles(profile, row[i].units, cycles),
                report_percent(row[i].units, total));
        print_words(report, &row[i], word, words);
        fprintf(report->out, "%s\n", cost_name(&row[i], by, report->symbols, name));
    }
    report_rest(report, rows);
    free(row);
    return ERR_OK;
}

enum err report_cpi_places(const struct report *report, struct diag *diag)
{
    enum err err;

    if (report->profile->units_per_cycle == 0)
        return ERR_OK;
    err = print_places(report, COST_BY_SYMBOL, diag);
    return err == ERR_OK ? print_places(report, COST_BY_LINE, diag) : err;
}
