/* The text of `perf script`, with a sample for each stack, whose period is the measured value.
 * Stacks have no times; samples are a microsecond apart. */
#include <inttypes.h>
#include <stdlib.h>

#include "prof/export/export.h"
#include "prof/export/stacks.h"

enum { PER_SECOND = 1000000 };

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

static void put_sample(const struct stacks *stacks, const struct stacks_sample *sample,
                       const struct profile *profile, const struct symbols *symbols,
                       uint64_t time, FILE *out)
{
    fprintf(out, "%s 1/1 [000] %" PRIu64 ".%06" PRIu64 ": %10" PRIu64 " %s:\n",
            symbols_base_name(profile->program), time / PER_SECOND, time % PER_SECOND,
            sample->value[stacks->main], stacks->value[stacks->main].name);
    for (uint32_t f = sample->leaf; f != 0; f = stacks_frame(stacks, f)->caller)
        put_frame(stacks, stacks_frame(stacks, f), symbols, out);
    fputc('\n', out);
}

enum err export_perf_script(const struct profile *profile, const struct symbols *symbols,
                            FILE *out, struct diag *diag)
{
    struct stacks stacks;
    enum err err = stacks_make(&stacks, profile, symbols, diag);
    uint64_t time = 0;

    for (size_t i = 0; i < stacks.samples && err == ERR_OK; i++)
        if (stacks.sample[i].value[stacks.main] != 0)
            put_sample(&stacks, &stacks.sample[i], profile, symbols, time++, out);
    stacks_free(&stacks);
    return err;
}
