/* Code that no known jump reaches: the code after jumps through registers (the cases of a switch),
 * functions without symbols that are only called through pointers, and code after calls that were
 * not seen to return. */
#include "isa/op.h"
#include "sim/run/frames/frames_flow.h"

static bool is_open(const struct flow *flow, size_t index)
{
    return !flow_has(flow->closed, index);
}

/* The first halfword from `from` on whose bit in the set, exclusive-or `flip`, is 1; `end`: none
 * before that. */
static size_t first_of(const uint64_t *set, uint64_t flip, size_t from, size_t end)
{
    while (from < end) {
        uint64_t word = (set[from / 64] ^ flip) >> from % 64;

        if (word != 0) {
            from += (size_t)__builtin_ctzll(word);
            return from < end ? from : end;
        }
        from = (from / 64 + 1) * 64;
    }
    return end;
}

/* The last halfword of the set up to `from`; `least`: none after that. */
static size_t last_of(const uint64_t *set, size_t from, size_t least)
{
    for (;;) {
        uint64_t word = set[from / 64] << (63 - from % 64);

        if (word != 0)
            from -= (size_t)__builtin_clzll(word);
        if (word != 0 || from / 64 == least / 64)
            return word != 0 && from > least ? from : least;
        from = from / 64 * 64 - 1;
    }
}

static size_t next_open(const struct flow *flow, size_t from, size_t end)
{
    return first_of(flow->closed, UINT64_MAX, from, end);
}

/* The first open halfword from `from` on that follows a closed one. */
static size_t next_gap(const struct flow *flow, size_t from, size_t end)
{
    return next_open(flow, first_of(flow->closed, 0, from - 1, end), end);
}

/* The jump through a register to which the code at `index` is taken to belong as a target, with the
 * same frame: in the same function the last one before it, else the first one after it. False:
 * there is none, and *found is the end of the function. */
static bool find_dispatch(const struct flow *flow, const struct flow_piece *piece, size_t index,
                          size_t *found)
{
    size_t end = piece->first + (size_t)(piece->bytes / 2);
    size_t start = last_of(flow->starting, index, piece->first);
    size_t before = index > start ? last_of(flow->dispatching, index - 1, start) : start;

    if (index > start && flow_has(flow->dispatching, before)) {
        *found = before;
        return true;
    }
    end = first_of(flow->starting, 0, index + 1, end);
    *found = first_of(flow->dispatching, 0, index + 1, end);
    return *found < end;
}

static void sweep_targets(struct flow *flow, const struct flow_piece *piece)
{
    size_t end = piece->first + (size_t)(piece->bytes / 2), dispatch = 0;
    size_t none = 0;                    /* up to here the current function has no such jump */

    for (size_t i = next_gap(flow, piece->first + 1, end); i < end;
         i = next_gap(flow, i < none ? none : i + 1, end)) {
        uint64_t address = piece->address + 2 * (i - piece->first);

        if (flow_is_prologue(flow, address))
            continue;
        if (!find_dispatch(flow, piece, i, &dispatch)) {
            none = dispatch;
            continue;
        }
        flow_push(flow, address, flow->fact_at[dispatch]);
        flow_run(flow);
    }
}

/* Follows functions that make a frame but are not the target of a known call. */
static void sweep_prologues(struct flow *flow, const struct flow_piece *piece)
{
    size_t end = piece->first + (size_t)(piece->bytes / 2), i = piece->first;
    uint32_t function;

    if (flow->is_named)
        return;
    for (i = is_open(flow, i) ? i : next_gap(flow, i + 1, end); i < end;
         i = next_gap(flow, i + 1, end)) {
        uint64_t address = piece->address + 2 * (i - piece->first);

        if (!flow_is_prologue(flow, address) || !flow_function_at(flow, address, &function))
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

static void sweep_range(struct flow *flow, const struct flow_piece *piece, size_t from, size_t end)
{
    for (size_t i = next_open(flow, from, end); i < end; i = next_open(flow, i + 1, end)) {
        uint64_t address = piece->address + 2 * (i - piece->first);
        uint32_t function;

        if (flow_is_filling(flow, address) || !flow_function_at(flow, address, &function))
            continue;
        flow_enter(flow, function);
        flow_run(flow);
    }
}

static void sweep_section(struct flow *flow, uint64_t address, uint64_t bytes)
{
    for (size_t i = 0; i < flow->pieces; i++) {
        const struct flow_piece *piece = &flow->piece[i];
        uint64_t end = piece->address + piece->bytes;
        uint64_t from = address > piece->address ? address : piece->address;
        uint64_t to = address + bytes < end ? address + bytes : end;

        if (from < to && (address & 1) == 0)
            sweep_range(flow, piece, flow_place(piece, from), flow_place(piece, to));
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
            !flow_has(flow->starting, index)) {
            flow_push(flow, wait.address, wait.fact);
            flow_run(flow);
        }
    }
}

/* Two passes: code followed in the first may have further jumps through registers. The first leaves
 * nothing open in the sections except padding. */
void flow_sweep(struct flow *flow)
{
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < flow->pieces; i++)
            sweep_prologues(flow, &flow->piece[i]);
        for (size_t i = 0; i < flow->pieces; i++)
            sweep_targets(flow, &flow->piece[i]);
        sweep_calls(flow);
        if (!flow->is_named && pass == 0)
            sweep_sections(flow);
    }
}
