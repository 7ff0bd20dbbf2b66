/* Traces of a run: Spike's commit log, Kanata 0004 (Konata), O3PipeView (gem5).
 *
 * Only instructions first <= n < last appear, where n counts committed instructions; a squashed
 * instruction has the n of the next committed one. Formats: docs/guide/traces.md. Commit traces
 * work in both engines, the other two in the detailed one. */
#ifndef SIM_RUN_TRACE_H
#define SIM_RUN_TRACE_H

#include "sim/base/err.h"
#include "sim/core/core.h"
#include "sim/core/cpu.h"
#include "sim/run/fast/fast.h"

#define TRACE_BY_MARKS "@marks"
enum trace_kind { TRACE_COMMIT, TRACE_KANATA, TRACE_O3PIPEVIEW };

struct trace;

struct trace_window { uint64_t first, last; };

/* spec: "kind:file", or "kind:file@marks": only from start marks to stop marks. Marks act when the
 * instruction commits; a squashed instruction is shown while the flag is set. cpu: [harts], whose
 * registers a commit trace shows. A commit trace includes all harts; the others only `hart`. */
enum err trace_open(struct trace **out, const char *spec, const struct cpu *cpu, unsigned hart,
                    struct trace_window window, struct diag *diag);
enum trace_kind trace_kind(const struct trace *trace);
/* An instruction left the pipeline (detailed engine). */
void trace_record(struct trace *trace, unsigned hart, const struct core_trace_record *record);
/* The data cache accepted the store of an instruction recorded before. */
void trace_stored(struct trace *trace, unsigned hart, uint64_t store_number, uint64_t cycle);
/* An instruction was executed (fast engine); commit traces only. */
void trace_step(struct trace *trace, unsigned hart, const struct fast_record *record);
/* `committed` instructions have committed by now, the last of which were not shown to the trace. */
void trace_skip_to(struct trace *trace, uint64_t committed);
/* True once an instruction at or after the window's begin committed, or marks started the trace. */
bool trace_has_begun(const struct trace *trace);
/* Writes pending records; only then the file appears. cut: the reason if the run ended before the
 * program, else NULL. If the run ended inside the window, the reason is the last line of the file,
 * which readers skip (not in commit traces). A NULL trace is allowed. */
enum err trace_close(struct trace *trace, const char *cut, struct diag *diag);
/* Discards the new file; an old one stays unchanged. NULL is allowed. */
void trace_discard(struct trace *trace);

#endif
