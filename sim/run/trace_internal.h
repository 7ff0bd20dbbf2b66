/* What the trace writers share. */
#ifndef SIM_RUN_TRACE_INTERNAL_H
#define SIM_RUN_TRACE_INTERNAL_H

#include "sim/base/sink.h"
#include "sim/run/trace.h"

enum { TRACE_TEXT = 96 };

struct kanata;

struct trace {
    enum trace_kind kind;
    struct sink *sink;
    const struct cpu *cpus;     /* [harts] */
    const struct cpu *cpu;      /* of the record being written */
    unsigned hart;
    struct disasm *disasm;
    struct kanata *kanata;
    struct trace_window window;
    uint64_t committed;         /* instructions seen so far */
};

void commit_write(struct trace *trace, const struct fast_record *record, uint64_t rd_value);
void o3pipeview_write(struct trace *trace, const struct core_trace_record *record);

struct kanata *kanata_new(void);
void kanata_free(struct kanata *kanata);
void kanata_write(struct trace *trace, const struct core_trace_record *record);
void kanata_finish(struct trace *trace);

#endif
