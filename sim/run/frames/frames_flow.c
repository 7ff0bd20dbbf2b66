/* The frames of a program by the flow of control: its pieces of code, functions and results. The
 * flow itself is followed in frames_follow.c and frames_sweep.c. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "isa/op.h"
#include "sim/base/array.h"
#include "sim/run/frames/frames_cfi.h"

enum { PROLOGUE_INSNS = 6, SWITCH_STEPS = 64 };

/* ---- places ---------------------------------------------------------------------------------- */

bool flow_insn_of(const struct flow *flow, const struct flow_piece *piece, uint64_t address,
                  struct insn *insn)
{
    uint64_t offset = address - piece->address;
    struct insn *kept;
    uint32_t bits = 0;

    if (piece->bytes - offset < 4)
        memcpy(&bits, piece->code + offset, 2);
    else
        memcpy(&bits, piece->code + offset, 4);
    if (insn_length(bits) == 2)
        bits &= 0xffff;
    kept = &flow->decoded[bits * 0x9e3779b1u >> (32 - FLOW_DECODED_BITS)];
    if (kept->length == 0 || kept->bits != bits)
        insn_decode_xlen(kept, bits, flow->image->xlen);
    *insn = *kept;
    if (insn->length > piece->bytes - offset)
        insn->op = OP_illegal;
    return insn->op != OP_illegal;
}

bool flow_insn(const struct flow *flow, uint64_t address, struct insn *insn)
{
    const struct flow_piece *piece = flow_piece_at(flow, address);

    return piece != NULL && flow_insn_of(flow, piece, address, insn);
}

uint32_t flow_add_fact(struct flow *flow, const struct frame_state *state, uint32_t owner)
{
    struct flow_fact *grown = array_grow(flow->fact, flow->facts, sizeof *grown);

    flow->is_out_of_memory |= grown == NULL;
    if (grown == NULL)
        return 0;
    flow->fact = grown;
    flow->fact[flow->facts] = (struct flow_fact){.state = *state, .owner = owner};
    return (uint32_t)flow->facts++;
}

void flow_push(struct flow *flow, uint64_t address, uint32_t fact)
{
    struct flow_work *grown = array_grow(flow->work, flow->works, sizeof *grown);

    flow->is_out_of_memory |= grown == NULL;
    if (grown == NULL)
        return;
    flow->work = grown;
    flow->work[flow->works++] = (struct flow_work){.address = address, .fact = fact};
}

bool flow_function_at(struct flow *flow, uint64_t address, uint32_t *function)
{
    size_t index;

    if (!flow_index(flow, address, &index))
        return false;
    if (!flow_has(flow->starting, index)) {
        struct flow_function *grown = array_grow(flow->function, flow->functions, sizeof *grown);

        flow->is_out_of_memory |= grown == NULL;
        if (grown == NULL)
            return false;
        flow->function = grown;
        flow->function_at[index] = (uint32_t)flow->functions;
        flow->function[flow->functions++] = (struct flow_function){.address = address};
        flow_add(flow->starting, index);
    }
    *function = flow->function_at[index];
    return true;
}

bool flow_is_prologue(const struct flow *flow, uint64_t address)
{
    struct insn insn;

    for (unsigned i = 0; i < PROLOGUE_INSNS && !flow->is_named; i++, address += insn.length) {
        if (!flow_insn(flow, address, &insn) ||
            (insn_info[insn.op].kind != KIND_ALU && insn_info[insn.op].kind != KIND_LOAD))
            return false;
        if (insn.rd == UNWIND_SP)
            return insn.op == OP_addi && insn.rs1 == UNWIND_SP && insn.imm < 0;
    }
    return false;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* True for a part of a function that lies apart from it, and is only jumped to from inside it, or
 * jumps back. */
static bool is_piece_of_another(const char *name)
{
    return strstr(name, ".cold") != NULL || strncmp(name, "__riscv_restore_", 16) == 0;
}

/* A start named by the file counts as called, so it is kept when the flow starts again. */
static void add_start(struct flow *flow, uint64_t address)
{
    uint32_t function;

    if (flow_function_at(flow, address, &function))
        flow->function[function].is_called = !flow->is_named;
}

static void add_symbols(struct flow *flow)
{
    const struct image *image = flow->image;

    for (size_t i = 0; i < image->symbol_count; i++) {
        const struct image_symbol *symbol = &image->symbols[i];

        if (symbol->is_function && !symbol->is_found && !is_piece_of_another(symbol->name))
            add_start(flow, symbol->addr);
    }
}

/* Without symbols: the functions that have call frame information. */
static enum err add_fdes(struct flow *flow, struct diag *diag)
{
    struct fdes fdes = {.count = 0};
    enum err err = flow->is_named ? ERR_OK : fdes_read(&fdes, flow->image, diag);

    for (size_t i = 0; i < fdes.count && err == ERR_OK; i++)
        add_start(flow, fdes.fde[i].from);
    fdes_free(&fdes);
    return err;
}

static size_t set_words(const struct flow *flow)
{
    return flow->halves / 64 + 1;
}

static bool make_arrays(struct flow *flow)
{
    size_t set_bytes = set_words(flow) * sizeof(uint64_t);

    flow->decoded = calloc((size_t)1 << FLOW_DECODED_BITS, sizeof *flow->decoded);
    flow->reached = malloc(set_bytes);
    flow->closed = malloc(set_bytes);
    flow->starting = malloc(set_bytes);
    flow->dispatching = malloc(set_bytes);
    flow->fact_at = malloc((flow->halves + 1) * sizeof *flow->fact_at);
    flow->function_at = malloc((flow->halves + 1) * sizeof *flow->function_at);
    flow->fact = array_grow(NULL, 0, sizeof *flow->fact);
    return flow->decoded != NULL && flow->reached != NULL && flow->closed != NULL &&
           flow->starting != NULL && flow->dispatching != NULL && flow->fact_at != NULL &&
           flow->function_at != NULL && flow->fact != NULL;
}

/* What is not in the sets needs no value. */
static void clear_arrays(struct flow *flow)
{
    size_t set_bytes = set_words(flow) * sizeof(uint64_t);

    memset(flow->reached, 0, set_bytes);
    memset(flow->closed, 0, set_bytes);
    memset(flow->starting, 0, set_bytes);
    memset(flow->dispatching, 0, set_bytes);
    flow->fact[0] = (struct flow_fact){.owner = 0};
    flow->facts = 1;
}

static bool find_pieces(struct flow *flow)
{
    const struct image *image = flow->image;

    flow->piece = calloc(image->segment_count + 1, sizeof *flow->piece);
    for (size_t i = 0; i < image->segment_count && flow->piece != NULL; i++) {
        const struct image_segment *segment = &image->segments[i];

        if ((segment->flags & PF_X) == 0 || segment->file_bytes < 2 || (segment->vaddr & 1) != 0)
            continue;
        flow->piece[flow->pieces++] = (struct flow_piece){
            .address = segment->vaddr, .bytes = segment->file_bytes & ~(uint64_t)1,
            .code = segment->bytes, .first = flow->halves,
        };
        flow->halves += segment->file_bytes / 2;
    }
    return flow->piece != NULL && make_arrays(flow);
}

static void follow_all(struct flow *flow)
{
    size_t named = flow->functions;
    uint32_t entry;

    if (flow_function_at(flow, flow->image->entry, &entry)) {
        flow->function[entry].is_root = true;
        flow_enter(flow, entry);
        flow_run(flow);
    }
    for (uint32_t i = 0; i < named; i++) {
        flow_enter(flow, i);
        flow_run(flow);
    }
    flow_sweep(flow);
}

/* Drops everything except the functions that are called. */
static void start_again(struct flow *flow)
{
    size_t kept = 0;
    uint64_t *called = malloc((flow->functions + 1) * sizeof *called);

    if (called == NULL) {
        flow->is_out_of_memory = true;
        return;
    }
    for (size_t i = 0; i < flow->functions; i++)
        if (flow->function[i].is_called)
            called[kept++] = flow->function[i].address;
    clear_arrays(flow);
    flow->functions = flow->waits = 0;
    for (size_t i = 0; i < kept; i++)
        add_start(flow, called[i]);
    free(called);
}

/* Without symbols, the starts of functions are known only after a first pass, so the flow is
 * followed a second time. */
enum err flow_build(struct flow *flow, const struct image *image, struct diag *diag)
{
    enum err err;

    *flow = (struct flow){.image = image, .is_named = frames_is_named(image)};
    if (!find_pieces(flow))
        return diag_no_memory(diag, "stack frames");
    clear_arrays(flow);
    add_symbols(flow);
    err = add_fdes(flow, diag);
    if (err != ERR_OK)
        return err;
    follow_all(flow);
    if (!flow->is_named) {
        start_again(flow);
        follow_all(flow);
    }
    return flow->is_out_of_memory ? diag_no_memory(diag, "stack frames") : ERR_OK;
}

void flow_free(struct flow *flow)
{
    free(flow->piece);
    free(flow->decoded);
    free(flow->reached);
    free(flow->closed);
    free(flow->starting);
    free(flow->dispatching);
    free(flow->fact_at);
    free(flow->function_at);
    free(flow->fact);
    free(flow->function);
    free(flow->wait);
    free(flow->work);
    *flow = (struct flow){.pieces = 0};
}

/* The address of a halfword, the opposite of flow_index. */
static uint64_t address_of(const struct flow *flow, size_t index)
{
    const struct flow_piece *piece = flow->piece;

    while (index - piece->first >= piece->bytes / 2)
        piece++;
    return piece->address + 2 * (index - piece->first);
}

/* For code that has just loaded sp from memory: true if it then loads ra, and not from the new
 * stack. Until that load, sp and ra belong to different stacks. */
static bool loads_ra_apart(const struct flow *flow, size_t index)
{
    uint64_t address = address_of(flow, index);
    struct insn insn;

    for (unsigned i = 0; i < SWITCH_STEPS && flow_insn(flow, address, &insn); i++) {
        if (insn.rd == UNWIND_RA)
            return insn_info[insn.op].kind == KIND_LOAD && insn.rs1 != UNWIND_SP;
        address += insn.length;
    }
    return false;
}

/* True if the stack is another one, to which ra and s0 do not belong yet. */
static bool is_at_switch(const struct flow_fact *fact)
{
    const unsigned others = FRAME_SP_OTHER | FRAME_RA_OTHER | FRAME_FP_OTHER;

    return (fact->state.has & others) == FRAME_SP_OTHER;
}

uint32_t flow_rule_number(const struct flow *flow, size_t index)
{
    uint32_t fact = flow_has(flow->reached, index) ? flow->fact_at[index] : 0;

    return is_at_switch(&flow->fact[fact]) ? 0 : fact;
}

struct monitor_frame flow_rule(const struct flow *flow, size_t index)
{
    const struct flow_fact *fact;

    if (!flow_has(flow->reached, index))
        return (struct monitor_frame){.flags = 0};
    fact = &flow->fact[flow->fact_at[index]];
    if (flow->function[fact->owner].is_root ||
        (is_at_switch(fact) && loads_ra_apart(flow, index)))
        return (struct monitor_frame){.flags = UNWIND_RULE_KEPT | UNWIND_RULE_ROOT};
    return frame_rule(&fact->state);
}
