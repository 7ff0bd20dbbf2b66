/* Hardware costs of the schemes of scheme.h: storage, and bytes of a sample.
 *
 * Storage counts registers, bits added to existing structures, and tables; not the sampling
 * counter, which every PMU has, nor logic. */
#ifndef PMU_SCHEME_SCHEME_COST_H
#define PMU_SCHEME_SCHEME_COST_H

#include "pmu/scheme/scheme.h"

/* Sizes of the machine that storage depends on. */
struct scheme_machine {
    unsigned commit_width, rob_entries, fetch_buffer, load_queue;
    unsigned l1i_lines, l1i_line_bytes;
    unsigned transfers;             /* control-transfer records */
};

uint64_t scheme_storage_bits(unsigned id, const struct scheme_machine *machine);
/* Bytes that a sample's handler writes: registers, and the 40 bytes that perf puts first (header,
 * process, thread, processor, time). 0: the scheme takes no samples. */
unsigned scheme_sample_bytes(unsigned id, const struct scheme_machine *machine);
/* True if it may charge one sample to several instructions. */
bool scheme_divides_samples(unsigned id);

#endif
