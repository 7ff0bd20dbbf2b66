/* Kanata 0004, for the Konata pipeline viewer.
 *
 * The format wants everything in time order, but an instruction is known only when it leaves. So
 * each record becomes a few events in a heap ordered by cycle; events before the fetch cycle of the
 * last committed instruction are final, and are written. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/array.h"
#include "sim/run/trace/trace_internal.h"

enum kanata_stage { KANATA_FETCH, KANATA_DECODE, KANATA_RENAME, KANATA_DISPATCH, KANATA_EXECUTE,
                    KANATA_COMPLETE, KANATA_END };
enum { KANATA_IDS = 8192 };

static const char *const stage_name[] = {"F", "Dc", "Rn", "Ds", "X", "Cm"};

struct kanata_insn {
    uint64_t seq, pc, file_id, producer[3];
    bool committed;
    char text[TRACE_TEXT];
    struct kanata_insn *next_free;
};

struct kanata_event { uint64_t cycle, seq; uint8_t stage; struct kanata_insn *insn; };

struct kanata {
    struct kanata_event *heap;
    size_t count;
    struct kanata_insn *free;
    uint64_t next_file_id, next_retire_id, cycle;
    bool started, failed;
    uint64_t file_id[KANATA_IDS];       /* of recent instructions, by seq; id + 1, 0 = none */
    uint64_t file_seq[KANATA_IDS];
};

struct kanata *kanata_new(void)
{
    return calloc(1, sizeof(struct kanata));
}

void kanata_free(struct kanata *kanata)
{
    if (kanata == NULL)
        return;
    for (struct kanata_insn *insn = kanata->free, *next; insn != NULL; insn = next) {
        next = insn->next_free;
        free(insn);
    }
    free(kanata->heap);
    free(kanata);
}

/* ---- the heap -------------------------------------------------------------------------------- */

static bool is_before(const struct kanata_event *a, const struct kanata_event *b)
{
    if (a->cycle != b->cycle)
        return a->cycle < b->cycle;
    if (a->seq != b->seq)
        return a->seq < b->seq;
    return a->stage < b->stage;
}

static void swap(struct kanata_event *a, struct kanata_event *b)
{
    struct kanata_event held = *a;
    *a = *b;
    *b = held;
}

static void push(struct kanata *kanata, struct kanata_event event)
{
    struct kanata_event *heap = array_grow(kanata->heap, kanata->count, sizeof *heap);

    if (heap == NULL) {
        kanata->failed = true;
        return;
    }
    kanata->heap = heap;
    size_t at = kanata->count++;
    kanata->heap[at] = event;
    for (; at > 0 && is_before(&kanata->heap[at], &kanata->heap[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&kanata->heap[at], &kanata->heap[(at - 1) / 2]);
}

static struct kanata_event pop(struct kanata *kanata)
{
    struct kanata_event first = kanata->heap[0];
    kanata->heap[0] = kanata->heap[--kanata->count];
    for (size_t at = 0, child; (child = 2 * at + 1) < kanata->count; at = child) {
        if (child + 1 < kanata->count && is_before(&kanata->heap[child + 1], &kanata->heap[child]))
            child++;
        if (!is_before(&kanata->heap[child], &kanata->heap[at]))
            break;
        swap(&kanata->heap[at], &kanata->heap[child]);
    }
    return first;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void advance(struct trace *trace, uint64_t cycle)
{
    struct kanata *kanata = trace->kanata;
    if (!kanata->started) {
        sink_printf(trace->sink, "Kanata\t0004\nC=\t%" PRIu64 "\nC\t1\n", cycle - 1);
        kanata->started = true;
    } else if (cycle > kanata->cycle) {
        sink_printf(trace->sink, "C\t%" PRIu64 "\n", cycle - kanata->cycle);
    }
    kanata->cycle = cycle;
}

static void write_fetch(struct trace *trace, struct kanata_insn *insn)
{
    struct kanata *kanata = trace->kanata;
    insn->file_id = kanata->next_file_id++;
    kanata->file_seq[insn->seq % KANATA_IDS] = insn->seq;
    kanata->file_id[insn->seq % KANATA_IDS] = insn->file_id + 1;
    sink_printf(trace->sink, "I\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", insn->file_id, insn->seq,
                trace->cpu->hart.id);
    sink_printf(trace->sink, "L\t%" PRIu64 "\t0\t%" PRIx64 ": %s\n", insn->file_id, insn->pc,
                insn->text);
}

static void write_end(struct trace *trace, struct kanata_insn *insn)
{
    struct kanata *kanata = trace->kanata;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t producer = insn->producer[i];
        if (producer != 0 && kanata->file_seq[producer % KANATA_IDS] == producer)
            sink_printf(trace->sink, "W\t%" PRIu64 "\t%" PRIu64 "\t0\n", insn->file_id,
                        kanata->file_id[producer % KANATA_IDS] - 1);
    }
    sink_printf(trace->sink, "R\t%" PRIu64 "\t%" PRIu64 "\t%d\n", insn->file_id,
                insn->committed ? kanata->next_retire_id++ : 0, insn->committed ? 0 : 1);
    insn->next_free = kanata->free;
    kanata->free = insn;
}

static void write_event(struct trace *trace, const struct kanata_event *event)
{
    advance(trace, event->cycle);
    if (event->stage == KANATA_END) {
        write_end(trace, event->insn);
        return;
    }
    if (event->stage == KANATA_FETCH)
        write_fetch(trace, event->insn);
    sink_printf(trace->sink, "S\t%" PRIu64 "\t0\t%s\n", event->insn->file_id,
                stage_name[event->stage]);
}

static void flush_before(struct trace *trace, uint64_t cycle)
{
    while (trace->kanata->count != 0 && trace->kanata->heap[0].cycle < cycle) {
        struct kanata_event event = pop(trace->kanata);
        write_event(trace, &event);
    }
}

static struct kanata_insn *take_insn(struct kanata *kanata)
{
    struct kanata_insn *insn = kanata->free;
    if (insn == NULL)
        return malloc(sizeof *insn);
    kanata->free = insn->next_free;
    return insn;
}

void kanata_write(struct trace *trace, const struct core_trace_record *record)
{
    struct kanata *kanata = trace->kanata;
    struct kanata_insn *insn = take_insn(kanata);
    if (insn == NULL || kanata->failed)
        return;
    *insn = (struct kanata_insn){
        .seq = record->seq, .pc = record->pc, .committed = record->committed,
    };
    memcpy(insn->producer, record->producer_seq, sizeof insn->producer);
    disasm_text(trace->disasm, record->insn, record->pc, insn->text, sizeof insn->text);
    const uint64_t cycle[] = {record->fetch, record->decode, record->rename, record->dispatch,
                              record->issue, record->complete};
    uint64_t left = record->leave;
    for (unsigned stage = 0; stage < KANATA_END; stage++)
        if (cycle[stage] != 0 && cycle[stage] < left)
            push(kanata, (struct kanata_event){cycle[stage], insn->seq, (uint8_t)stage, insn});
    push(kanata, (struct kanata_event){left > record->fetch ? left : record->fetch + 1, insn->seq,
                                       KANATA_END, insn});
    if (record->committed)
        flush_before(trace, record->fetch);
}

void kanata_finish(struct trace *trace)
{
    flush_before(trace, UINT64_MAX);
}
