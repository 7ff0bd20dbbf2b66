/* Shared by the trace writers. */
#ifndef SIM_RUN_TRACE_INTERNAL_H
#define SIM_RUN_TRACE_INTERNAL_H

#include "sim/base/sink.h"
#include "sim/run/trace/trace.h"

enum { TRACE_TEXT = 96 };

struct kanata;

/* Instructions whose stores wait for the cache, indexed by store_number. */
enum { TRACE_WAITING = 1024 };
struct trace_waiting { struct core_trace_record record; struct insn insn; bool is_used; };

struct trace {
    enum trace_kind kind;
    struct sink *sink;
    const struct cpu *cpus;     /* [harts] */
    const struct cpu *cpu;      /* of the record being written */
    unsigned hart;
    struct disasm *disasm;
    struct kanata *kanata;
    struct trace_window window;
    struct trace_waiting *waiting;      /* [TRACE_WAITING], O3PipeView only */
    bool is_by_marks;           /* only while start marks have set the hart's toggle flag */
    uint64_t committed;         /* instructions seen up to now */
    bool has_begun;             /* an instruction was in the window */
};

void commit_write(struct trace *trace, const struct fast_record *record, uint64_t rd_value);
/* Writes the record at once, or when the cache has accepted its store. */
void o3pipeview_add(struct trace *trace, const struct core_trace_record *record);
void o3pipeview_stored(struct trace *trace, uint64_t store_number, uint64_t cycle);
void o3pipeview_finish(struct trace *trace);

struct kanata *kanata_new(void);
void kanata_free(struct kanata *kanata);
void kanata_write(struct trace *trace, const struct core_trace_record *record);
void kanata_finish(struct trace *trace);

#endif
