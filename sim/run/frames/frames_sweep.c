/* Code that no known jump reaches: the code after jumps through registers (the cases of a switch),
 * functions without symbols that are only called through pointers, and code after calls that were
 * not seen to return. */
#include "isa/op.h"
#include "sim/run/frames/frames_internal.h"

/* True if a halfword has not been followed yet. */
static bool is_open(const struct flow *flow, size_t index)
{
    return (flow->state[index].has & (FRAME_REACHED | FRAME_INSIDE)) == 0;
}

/* The nearest jump through a register in the same function, before the place or after it; the
 * place, as one of its targets, has its frame. False: there is none up to the place *found, where
 * the function ends. */
static bool find_dispatch(const struct flow *flow, const struct flow_piece *piece, size_t index,
                          size_t *found)
{
    size_t end = piece->first + (size_t)(piece->bytes / 2);

    for (size_t i = index; flow->start[i] == 0 && i > piece->first;) {
        *found = --i;
        if ((flow->state[i].has & FRAME_DISPATCH) != 0)
            return true;
    }
    for (*found = index + 1; *found < end && flow->start[*found] == 0; ++*found)
        if ((flow->state[*found].has & FRAME_DISPATCH) != 0)
            return true;
    return false;
}

static void sweep_targets(struct flow *flow, const struct flow_piece *piece)
{
    size_t end = piece->first + (size_t)(piece->bytes / 2), dispatch = 0;
    size_t none = 0;                    /* up to here the function at hand has no such jump */

    for (size_t i = piece->first + 1; i < end; i++) {
        uint64_t address = piece->address + 2 * (i - piece->first);

        if (i < none || !is_open(flow, i) || is_open(flow, i - 1) ||
            flow_is_prologue(flow, address))
            continue;
        if (!find_dispatch(flow, piece, i, &dispatch)) {
            none = dispatch;
            continue;
        }
        flow_push(flow, address, &flow->state[dispatch], flow->owner[dispatch]);
        flow_run(flow);
    }
}

/* Follows functions that make a frame but are not the target of a known call. */
static void sweep_prologues(struct flow *flow, const struct flow_piece *piece)
{
    size_t end = piece->first + (size_t)(piece->bytes / 2);
    uint32_t function;

    for (size_t i = piece->first; i < end && !flow->is_named; i++) {
        uint64_t address = piece->address + 2 * (i - piece->first);

        if (!is_open(flow, i) || (i != piece->first && is_open(flow, i - 1)) ||
            !flow_is_prologue(flow, address) || !flow_function_at(flow, address, &function))
            continue;
        flow->function[function].is_called = true;
        flow_enter(flow, function);
        flow_run(flow);
    }
}

bool flow_is_filling(const struct flow *flow, uint64_t address)
{
    struct insn insn;

    return !flow_insn(flow, address, &insn) || (insn.op == OP_addi && insn.rd >= 32);
}

static void sweep_section(struct flow *flow, uint64_t address, uint64_t bytes)
{
    for (uint64_t at = address; at + 2 <= address + bytes; at += 2) {
        uint32_t function;
        size_t index;

        if (!flow_index(flow, at, &index) || !is_open(flow, index) || flow_is_filling(flow, at) ||
            !flow_function_at(flow, at, &function))
            continue;
        flow_enter(flow, function);
        flow_run(flow);
    }
}

static void sweep_sections(struct flow *flow)
{
    const struct image *image = flow->image;

    for (size_t i = 0; i < image->section_count; i++)
        if (image->sections[i].is_code)
            sweep_section(flow, image->sections[i].addr, image->sections[i].bytes);
    for (size_t i = 0; i < flow->pieces && image->section_count == 0; i++)
        sweep_section(flow, flow->piece[i].address, flow->piece[i].bytes);
}

static void sweep_calls(struct flow *flow)
{
    for (size_t i = 0; i < flow->waits; i++) {
        const struct flow_wait wait = flow->wait[i];
        size_t index;

        if (wait.address != 0 && flow_index(flow, wait.address, &index) && is_open(flow, index) &&
            flow->start[index] == 0) {
            flow_push(flow, wait.address, &wait.state, wait.owner);
            flow_run(flow);
        }
    }
}

/* Two passes: code followed in the first may have further jumps through registers. */
void flow_sweep(struct flow *flow)
{
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < flow->pieces; i++)
            sweep_prologues(flow, &flow->piece[i]);
        for (size_t i = 0; i < flow->pieces; i++)
            sweep_targets(flow, &flow->piece[i]);
        sweep_calls(flow);
        if (!flow->is_named)
            sweep_sections(flow);
    }
}
