/* Translates instructions to the ops of a block.
 *
 * Addresses in an op are relative to the block: targets in imm as bytes from its start, return
 * addresses in rs2 as halfwords. Instructions that do nothing (writes to x0, fences) count but have
 * no op. A branch has in rd the number of instructions after it that are not executed when it is
 * taken. */
#include <string.h>

#include "pmu/exact/calls.h"
#include "pmu/hint.h"
#include "shadowcache/shadow.h"
#include "sim/core/pause.h"
#include "sim/core/profile/observe.h"
#include "sim/run/fast/fast_decode.h"
#include "sim/run/fast/fast_internal.h"

enum { RM_DYNAMIC = 7, RM_LAST = 4, HALFWORD = 2 };

struct decoder {
    struct fast *fast;
    struct decoded *out;
    uint64_t pc, pa;            /* of the block */
    unsigned offset;            /* of the next instruction, from there */
    bool has_ended;
};

/* ---- fetch ----------------------------------------------------------------------------------- */

static uint32_t read_half(const struct phys *phys, uint64_t pa)
{
    uint16_t half;

    memcpy(&half, phys_host(phys, pa), sizeof half);
    return half;
}

static unsigned offset_in_page(uint64_t address)
{
    return (unsigned)(address & (PHYS_PAGE_BYTES - 1));
}

/* An instruction across pages has a block of its own. False: its second half cannot be fetched. */
static bool fetch_second_half(struct decoder *decoder, uint64_t pc, uint32_t *bits)
{
    struct cpu *cpu = decoder->fast->cpu;
    uint64_t va = hart_address(&cpu->hart, pc + HALFWORD), pa;

    if (mmu_translate(&cpu->mmu, va, HALFWORD, MMU_FETCH, &pa) != TRAP_NONE ||
        !phys_is_ram(cpu->phys, pa, HALFWORD))
        return false;
    decoder->out->second_pa = pa;
    *bits |= read_half(cpu->phys, pa) << 16;
    return true;
}

/* False: the block ends before the instruction. */
static bool fetch(struct decoder *decoder, uint32_t *bits)
{
    const struct phys *phys = decoder->fast->cpu->phys;
    uint64_t pa = decoder->pa + decoder->offset;

    *bits = read_half(phys, pa);
    if (insn_length(*bits) == HALFWORD)
        return true;
    if (offset_in_page(pa) + HALFWORD == PHYS_PAGE_BYTES)
        return decoder->offset == 0 && fetch_second_half(decoder, decoder->pc, bits);
    *bits |= read_half(phys, pa + HALFWORD) << 16;
    return true;
}

/* ---- ops ------------------------------------------------------------------------------------- */

static struct fast_op *emit(struct decoder *decoder, unsigned run, const struct insn *insn)
{
    struct decoded *out = decoder->out;
    struct fast_op *op = &out->op[out->ops];

    out->code[out->ops++] = (uint16_t)run;
    *op = (struct fast_op){
        .run = decoder->fast->run[run],
        .imm = insn->imm,
        .rd = insn->rd,
        .rs1 = insn->rs1,
        .rs2 = insn->rs2,
        .slot = (uint8_t)out->insns,
    };
    return op;
}

static void emit_link(struct decoder *decoder)
{
    struct decoded *out = decoder->out;

    memset(&out->op[out->ops], 0, sizeof(struct link));
    out->code[out->ops++] = 0;
}

/* Ends a block that does not end with a jump. */
static void emit_end(struct decoder *decoder, unsigned run)
{
    static const struct insn nothing = {.rd = REG_SINK};

    emit(decoder, run, &nothing)->imm = (int32_t)decoder->offset;
    if (run == RUN_fall)
        emit_link(decoder);
    decoder->has_ended = true;
}

/* Begins a new tally; the part before it ends with a branch. */
static void emit_count(struct decoder *decoder)
{
    static const struct insn nothing = {.rd = REG_SINK};
    struct decoded *out = decoder->out;

    if ((decoder->fast->view->context & CONTEXT_COUNTS) == 0)
        return;
    emit(decoder, RUN_count, &nothing)->imm = (int32_t)out->tallies;
    out->tally[out->tallies] = (struct tally){.of = {[EVENT_BRANCHES_TAKEN] = 0}};
    if (out->tallies != 0)
        out->tally[out->tallies].of[EVENT_BRANCHES_TAKEN] = -1;
    out->tallies++;
}

static void emit_add(struct decoder *decoder, const struct insn *insn)
{
    if (insn->rs1 == 0)
        emit(decoder, RUN_move, insn)->rs1 = insn->rs2;
    else
        emit(decoder, insn->op, insn);
}

static void emit_alu(struct decoder *decoder, const struct insn *insn)
{
    if (insn->rd == REG_SINK)
        return;
    switch (insn->op) {
    case OP_auipc:
    case OP_auipc_32:
        emit(decoder, insn->op, insn)->imm += (int32_t)decoder->offset;
        break;
    case OP_lui:
        emit(decoder, RUN_constant, insn);
        break;
    case OP_addi:
    case OP_addi_32:
        emit(decoder,
             insn->rs1 == 0 ? RUN_constant : insn->imm == 0 ? RUN_move : (unsigned)insn->op, insn);
        break;
    case OP_add:
    case OP_add_32:
        emit_add(decoder, insn);
        break;
    default:
        emit(decoder, insn->op, insn);
        break;
    }
}

static void emit_branch(struct decoder *decoder, const struct insn *insn)
{
    struct fast_op *op = emit(decoder, insn->op, insn);

    op->imm += (int32_t)decoder->offset;
    emit_link(decoder);
}

static uint8_t return_address(const struct decoder *decoder, const struct insn *insn)
{
    return (uint8_t)((decoder->offset + insn->length) / HALFWORD);
}

static void emit_jal(struct decoder *decoder, const struct insn *insn)
{
    struct fast_op *op = emit(decoder, insn->rd == REG_SINK ? RUN_jump : RUN_call, insn);

    op->imm += (int32_t)decoder->offset;
    op->rs2 = return_address(decoder, insn);
    emit_link(decoder);
    decoder->has_ended = true;
}

static void emit_jalr(struct decoder *decoder, const struct insn *insn)
{
    bool is_plain = insn->rd == REG_SINK;
    struct fast_op *op = emit(decoder, is_plain ? RUN_jump_register : RUN_call_register, insn);

    op->rs2 = return_address(decoder, insn);
    decoder->has_ended = true;
}

static void emit_fp(struct decoder *decoder, const struct insn *insn)
{
    unsigned rm = insn->rm == RM_DYNAMIC ? 0 : insn->rm;

    emit(decoder, insn->op, insn)->imm = (int32_t)(insn->rs3 | rm << 8);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* True also for a hint, as the instructions after it are marked. */
static bool is_marked(const struct decoder *decoder, const struct insn *insn)
{
    struct cpu *cpu = decoder->fast->cpu;
    uint64_t pa = decoder->pa + decoder->offset;
    struct mark mark;

    return (decoder->fast->view->context & CONTEXT_MARKS) != 0 &&
           (hint_is(insn->bits, pa) || predecode_bundle(cpu->phys, pa) != 0 ||
            (cpu->marks_on && shadow_mark(cpu->ishadow, SHADOW_NO_FRAME, pa, &mark)));
}

/* An operation that fast_step executes. */
static bool is_rare(const struct decoder *decoder, const struct insn *insn)
{
    const struct insn_info *info = &insn_info[insn->op];
    const struct cpu *cpu = decoder->fast->cpu;
    uint64_t pc = hart_address(&cpu->hart, decoder->pc + decoder->offset);

    if (cpu->calls != NULL && calls_concern(cpu->calls, insn, cpu_key(cpu, pc)))
        return true;
    if (cpu->pmu.limits.is_used && cpu_is_return(insn))
        return true;
    if ((info->flags & INSN_IS_FP) != 0)
        return (decoder->fast->view->context & CONTEXT_FP) == 0 ||
               ((info->flags & INSN_HAS_RM) != 0 && insn->rm > RM_LAST && insn->rm != RM_DYNAMIC);
    switch (info->kind) {
    case KIND_ILLEGAL:
    case KIND_FENCE_I:
    case KIND_CSR:
    case KIND_SYSTEM:
    case KIND_PROFILE:
        return true;
    default:
        return false;
    }
}

static void emit_insn(struct decoder *decoder, const struct insn *insn)
{
    switch (insn_info[insn->op].kind) {
    case KIND_ALU:
        emit_alu(decoder, insn);
        break;
    case KIND_BRANCH:
        emit_branch(decoder, insn);
        emit_count(decoder);
        break;
    case KIND_JAL:
        emit_jal(decoder, insn);
        break;
    case KIND_JALR:
        emit_jalr(decoder, insn);
        break;
    case KIND_FP:
        emit_fp(decoder, insn);
        break;
    case KIND_LOAD:
    case KIND_STORE:
        emit(decoder, insn->op, insn);
        break;
    case KIND_FENCE:
        break;
    default:
        emit(decoder, RUN_atomic, insn);
        break;
    }
}

static bool is_stop(const struct fast *fast, uint64_t pc)
{
    const struct pauses *pauses = fast->cpu->pauses;

    pc = hart_address(&fast->cpu->hart, pc);
    return pc == fast->stop_pc || (pauses != NULL && pause_has_pc(pauses, pc));
}

/* False: the block ended before the instruction at `offset`. */
static bool decode_next(struct decoder *decoder)
{
    struct decoded *out = decoder->out;
    struct insn *insn = &out->insn[out->insns];
    uint32_t bits;

    if (!fetch(decoder, &bits))
        return false;
    insn_decode_xlen(insn, bits, hart_xlen(&decoder->fast->cpu->hart));
    if (is_rare(decoder, insn) || is_marked(decoder, insn) ||
        is_stop(decoder->fast, decoder->pc + decoder->offset)) {
        emit_end(decoder, RUN_step);
        return true;
    }
    if (out->tallies != 0)
        fast_tally(&out->tally[out->tallies - 1], predecode_events(insn));
    emit_insn(decoder, insn);
    decoder->offset += insn->length;
    out->insns++;
    return true;
}

static void finish_branches(struct decoded *out)
{
    for (unsigned i = 0; i < out->ops; i++)
        if (out->code[i] < OP_COUNT && insn_info[out->code[i]].kind == KIND_BRANCH)
            out->op[i].rd = (uint8_t)(out->insns - 1 - out->op[i].slot);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* Combines two ops into one where there is code for the pair; the second keeps its place. */
static void join_pairs(struct decoder *decoder)
{
    static const uint16_t pair[RUN_SINGLES][RUN_SINGLES] = {
#define FAST_PAIR(first, second) [RUN_##first][RUN_##second] = RUN_##first##_##second,
#include "sim/run/fast/fast_pair.def"
    };
    struct decoded *out = decoder->out;

    for (unsigned i = 0; i + 1 < out->ops; i++) {
        unsigned run = pair[out->code[i]][out->code[i + 1]];
        if (run != 0) {
            out->op[i].run = decoder->fast->run[run];
            i++;
        }
    }
}

bool fast_decode(struct fast *fast, uint64_t pc, uint64_t pa, struct decoded *decoded)
{
    struct decoder decoder = {.fast = fast, .out = decoded, .pc = pc, .pa = pa};

    decoded->ops = decoded->insns = decoded->tallies = 0;
    decoded->second_pa = 0;
    emit_count(&decoder);
    while (!decoder.has_ended && decoded->insns < BLOCK_INSNS &&
           offset_in_page(pa) + decoder.offset < PHYS_PAGE_BYTES)
        if (!decode_next(&decoder))
            break;
    if (!decoder.has_ended && decoder.offset == 0)
        return false;
    if (!decoder.has_ended)
        emit_end(&decoder, RUN_fall);
    finish_branches(decoded);
    join_pairs(&decoder);
    return true;
}
