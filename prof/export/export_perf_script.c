/* The text of `perf script`. Samples of `rvsim record` have their thread, hart and time, a cycle
 * being a nanosecond. Otherwise there is one for each stack, whose period is the measured value;
 * stacks have no times, and these samples are a microsecond apart. */
#include <inttypes.h>
#include <stdlib.h>

#include "prof/export/export.h"
#include "prof/export/stacks.h"

enum { PER_SECOND = 1000000, NS_PER_SECOND = 1000000000 };

static void put_frame(const struct stacks *stacks, const struct stacks_frame *frame,
                      const struct symbols *symbols, FILE *out)
{
    const struct stacks_function *function = &stacks->function[frame->function];
    uint64_t address = frame->address != 0 ? frame->address : function->routine;
    uint64_t offset = address >= function->routine ? address - function->routine : 0;
    const char *object = symbols_object_at(symbols, address);

    fprintf(out, "\t%16" PRIx64 " %s+0x%" PRIx64 " (%s)\n", symbols_address(symbols, address),
            function->name, offset, object != NULL ? object : "[unknown]");
}

static void put_stack(const struct stacks *stacks, const struct stacks_sample *sample,
                      uint64_t period, const struct symbols *symbols, FILE *out)
{
    fprintf(out, "%10" PRIu64 " %s:\n", period, stacks->value[stacks->main].name);
    for (uint32_t f = sample->leaf; f != 0; f = stacks_frame(stacks, f)->caller)
        put_frame(stacks, stacks_frame(stacks, f), symbols, out);
    fputc('\n', out);
}

/* One sample of several that may have the same stack. A hart without a thread has the names of
 * perf's idle thread. */
static void put_one(const struct stacks *stacks, const struct profile *profile,
                    const struct profile_sample *sample, bool has_threads,
                    const struct symbols *symbols, FILE *out)
{
    const struct profile_record *record = &profile->record[sample->record];
    uint64_t start = record->depth != 0 ? record->stack[record->depth - 1] : record->address;
    const char *program = profile_program_of(profile, start);
    bool is_idle = has_threads && sample->thread == 0;

    fprintf(out, "%s %" PRIu32 " [%03" PRIu32 "] %" PRIu64 ".%09" PRIu64 ": ",
            is_idle ? "swapper" : symbols_base_name(program), has_threads ? sample->thread : 1,
            sample->hart, sample->cycle / NS_PER_SECOND, sample->cycle % NS_PER_SECOND);
    put_stack(stacks, &stacks->sample[stacks->of_record[sample->record] - 1],
              profile->sampling->period, symbols, out);
}

static void put_each(const struct stacks *stacks, const struct profile *profile,
                     const struct symbols *symbols, FILE *out)
{
    const struct profile_sampling *sampling = profile->sampling;
    bool has_threads = false;

    for (size_t i = 0; i < sampling->samples; i++)
        has_threads |= sampling->sample[i].thread != 0;
    for (size_t i = 0; i < sampling->samples; i++)
        if (stacks->of_record[sampling->sample[i].record] != 0)
            put_one(stacks, profile, &sampling->sample[i], has_threads, symbols, out);
}

static void put_all(const struct stacks *stacks, const struct profile *profile,
                    const struct symbols *symbols, FILE *out)
{
    uint64_t time = 0;

    for (size_t i = 0; i < stacks->samples; i++) {
        uint64_t period = stacks->sample[i].value[stacks->main];

        if (period == 0)
            continue;
        fprintf(out, "%s 1/1 [000] %" PRIu64 ".%06" PRIu64 ": ",
                symbols_base_name(profile->program), time / PER_SECOND, time % PER_SECOND);
        put_stack(stacks, &stacks->sample[i], period, symbols, out);
        time++;
    }
}

static bool has_samples(const struct profile *profile, const struct stacks *stacks)
{
    const struct profile_sampling *sampling = profile->sampling;

    return stacks->of_record != NULL && sampling != NULL && sampling->samples != 0 &&
           sampling->period != 0;
}

enum err export_perf_script(const struct profile *profile, const struct symbols *symbols,
                            FILE *out, struct diag *diag)
{
    struct stacks stacks;
    enum err err = stacks_make(&stacks, profile, symbols, diag);

    if (err == ERR_OK)
        err = stacks_limit(&stacks, diag);
    if (err == ERR_OK && has_samples(profile, &stacks))
        put_each(&stacks, profile, symbols, out);
    else if (err == ERR_OK)
        put_all(&stacks, profile, symbols, out);
    stacks_free(&stacks);
    return err;
}
