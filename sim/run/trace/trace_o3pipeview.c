/* gem5's O3PipeView: seven lines an instruction, written when it has left the pipeline and the data
 * cache has accepted its store. */
#include "sim/run/trace/trace_internal.h"

enum { TICKS_PER_CYCLE = 1000 };

/* "stage:1000" */
static void write_time(struct trace *trace, const char *stage, uint64_t cycle)
{
    sink_text(trace->sink, stage);
    sink_text(trace->sink, ":");
    sink_decimal(trace->sink, cycle * TICKS_PER_CYCLE, 1);
}

static void write_record(struct trace *trace, const struct core_trace_record *record)
{
    const struct { const char *name; uint64_t cycle; } stages[] = {
        {"decode", record->decode}, {"rename", record->rename}, {"dispatch", record->dispatch},
        {"issue", record->issue}, {"complete", record->complete},
    };
    char text[TRACE_TEXT];

    disasm_text(trace->disasm, record->insn, record->pc, text, sizeof text);
    for (char *at = text; *at != '\0'; at++)
        if (*at == ':')
            *at = ' ';
    write_time(trace, "O3PipeView:fetch", record->fetch);
    sink_text(trace->sink, ":0x");
    sink_hex(trace->sink, record->pc, 8);
    sink_text(trace->sink, ":0:");
    sink_decimal(trace->sink, record->seq, 1);
    sink_text(trace->sink, ":");
    sink_text(trace->sink, text);
    for (unsigned i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        sink_text(trace->sink, "\nO3PipeView:");
        write_time(trace, stages[i].name, stages[i].cycle);
    }
    write_time(trace, "\nO3PipeView:retire", record->retire);
    write_time(trace, ":store", record->store_done);
    sink_text(trace->sink, "\n");
}

static struct trace_waiting *waiting_at(const struct trace *trace, uint64_t store_number)
{
    return &trace->waiting[store_number % TRACE_WAITING];
}

static void write_waiting(struct trace *trace, struct trace_waiting *waiting)
{
    waiting->is_used = false;
    write_record(trace, &waiting->record);
}

void o3pipeview_add(struct trace *trace, const struct core_trace_record *record)
{
    struct trace_waiting *waiting;

    if (record->store_number == UINT64_MAX) {
        write_record(trace, record);
        return;
    }
    waiting = waiting_at(trace, record->store_number);
    if (waiting->is_used)
        write_waiting(trace, waiting);
    *waiting = (struct trace_waiting){*record, *record->insn, true};
    waiting->record.insn = &waiting->insn;
}

void o3pipeview_stored(struct trace *trace, uint64_t store_number, uint64_t cycle)
{
    struct trace_waiting *waiting = waiting_at(trace, store_number);

    if (!waiting->is_used || waiting->record.store_number != store_number)
        return;
    waiting->record.store_done = cycle;
    write_waiting(trace, waiting);
}

/* The run or the window ended earlier: writes the instructions as far as they are known. */
void o3pipeview_finish(struct trace *trace)
{
    for (unsigned i = 0; i < TRACE_WAITING; i++)
        if (trace->waiting[i].is_used)
            write_waiting(trace, &trace->waiting[i]);
}
