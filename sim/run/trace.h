/* Traces of a run: Spike's commit log, Kanata 0004 (Konata), O3PipeView (gem5).
 *
 * A trace observes one core or one fast engine. Only instructions first <= n < last appear, n
 * counting committed instructions; a squashed one belongs where the next committed one is.
 * Formats: trace-formats in docs. Commit traces work in both engines, the other two in the
 * detailed one. */
#ifndef SIM_RUN_TRACE_H
#define SIM_RUN_TRACE_H

#include "sim/base/err.h"
#include "sim/core/core.h"
#include "sim/core/cpu.h"
#include "sim/run/fast.h"

enum trace_kind { TRACE_COMMIT, TRACE_KANATA, TRACE_O3PIPEVIEW };

struct trace;

/* spec: "kind:file". cpu: whose registers a commit trace shows. */
enum err trace_open(struct trace **out, const char *spec, const struct cpu *cpu, uint64_t first,
                    uint64_t last, struct diag *diag);
enum trace_kind trace_kind(const struct trace *trace);
/* An instruction left the pipeline (detailed engine). */
void trace_record(struct trace *trace, const struct core_trace_record *record);
/* An instruction was executed (fast engine); commit traces only. */
void trace_step(struct trace *trace, const struct fast_record *record);
/* Writes what is pending. NULL is allowed. */
enum err trace_close(struct trace *trace, struct diag *diag);

#endif
