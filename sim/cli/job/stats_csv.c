/* Statistics as rows of name and value. */
#include <inttypes.h>
#include <string.h>

#include "prof/profile/profile_modes.h"
#include "prof/report/summary.h"
#include "sim/cli/job/job.h"

static void row(FILE *out, const char *name, uint64_t value)
{
    fprintf(out, "%s,%" PRIu64 "\n", name, value);
}

static void write_harts(const struct profile *profile, FILE *out)
{
    for (size_t i = 0; i < profile->harts; i++) {
        const struct profile_hart *hart = &profile->hart[i];

        fprintf(out, "hart%zu.cycles,%" PRIu64 "\n", i, hart->cycles);
        fprintf(out, "hart%zu.instructions,%" PRIu64 "\n", i, hart->instructions);
        for (size_t k = 0; k < profile->events; k++)
            fprintf(out, "hart%zu.%s,%" PRIu64 "\n", i, profile->event_name[k], hart->event[k]);
    }
}

static void write_marks(const struct profile *profile, FILE *out)
{
    for (size_t i = 0; i < profile->marks; i++) {
        const struct profile_mark *mark = &profile->mark[i];

        if (!mark->has_counter)
            continue;
        fprintf(out, "mark.0x%" PRIx64 ".count,%" PRIu64 "\n", mark->address, mark->count);
        fprintf(out, "mark.0x%" PRIx64 ".interrupts,%" PRIu64 "\n", mark->address,
                mark->interrupts);
    }
}

static void write_ranges(const struct profile *profile, FILE *out)
{
    for (size_t i = 0; i < profile->ranges; i++) {
        const struct profile_range *range = &profile->range[i];

        fprintf(out, "range.%s.entries,%" PRIu64 "\n", range->name, range->entries);
        fprintf(out, "range.%s.%s,%" PRIu64 "\n", range->name,
                range->is_data ? "accesses" : "executed", range->executed);
    }
}

/* Names with commas are quoted; counts that the engine does not have are empty. */
static void write_counts(const struct profile *profile, FILE *out)
{
    for (size_t i = 0; i < profile->counts; i++) {
        const struct profile_count *count = &profile->count[i];
        const char *quote = strchr(count->text, ',') != NULL ? "\"" : "";

        fprintf(out, "%scount.%s%s,", quote, count->text, quote);
        if (count->is_known)
            fprintf(out, "%" PRIu64, count->value);
        fputc('\n', out);
        for (size_t k = 0; count->is_known && !count->is_sum && k < count->harts; k++)
            fprintf(out, "%shart%zu.count.%s%s,%" PRIu64 "\n", quote, k, count->text, quote,
                    count->hart[k]);
    }
}

void stats_write_csv(const struct profile *profile, FILE *out)
{
    fputs("name,value\n", out);
    fprintf(out, "result.reason,%s\n", profile->reason);
    fprintf(out, "result.exit_code,%d\n", profile->exit_code);
    row(out, "cycles", profile->cycles);
    row(out, "instructions", profile->instructions);
    if (summary_is_timed(profile))
        fprintf(out, "ipc,%.9g\n", profile->cycles != 0
                                       ? (double)profile->instructions / (double)profile->cycles
                                       : 0);
    row(out, "fast_forwarded", profile->fast_forwarded);
    for (size_t i = 0; i < profile->events; i++)
        fprintf(out, "events.%s,%" PRIu64 "\n", profile->event_name[i], profile->event[i]);
    for (size_t i = 0; i < profile->storages; i++)
        fprintf(out, "storage_bits.%s,%" PRIu64 "\n", profile->storage[i].name,
                profile->storage[i].bits);
    write_harts(profile, out);
    profile_write_modes_csv(profile->modes, out);
    write_marks(profile, out);
    write_ranges(profile, out);
    write_counts(profile, out);
    row(out, "monitor.interrupts", profile->interrupts);
    row(out, "monitor.dropped", profile->dropped);
    row(out, "monitor.lost", profile->lost);
    fprintf(out, "host.seconds,%.6g\n", profile->host_seconds);
}
