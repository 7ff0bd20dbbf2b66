/* The fast engine's inner loop: threaded code over the ops of blocks.
 *
 * fast_execute is one function, expanded from isa/insn.def: each op ends with a jump to the code
 * of the next one. State that matters lives in locals; hart->pc and the budget are exact on return
 * only. The budget is charged for a whole block when it is entered, and given back for what is not
 * executed.
 *
 * Labels as values are not ISO C; gcc and clang have them, and nothing else is as fast. */
#pragma GCC diagnostic ignored "-Wpedantic"

#include <string.h>

#include "isa/bits.h"
#include "isa/fp.h"
#include "sim/run/fast/fast_decode.h"
#include "sim/run/fast/fast_internal.h"

#define LIKELY(condition) __builtin_expect((condition), 1)
#define UNLIKELY(condition) __builtin_expect((condition), 0)

/* gcc keeps one indirect jump for each op, which host branch predictors need. clang merges them
 * into one, and takes minutes over the flow graph when there are many. */
#ifdef __clang__
#define THREADED_CODE __attribute__((no_sanitize("coverage", "address", "undefined")))
#define RUN_OP() goto run_op
#else
#define THREADED_CODE __attribute__((optimize("no-gcse", "no-crossjumping")))
#define RUN_OP() goto *op->run
#endif

#define PAGE_MASK (~(uint64_t)(PHYS_PAGE_BYTES - 1))

/* ---- steps between ops ----------------------------------------------------------------------- */

#define NEXT(count)                                                                                \
    do {                                                                                           \
        op += (count);                                                                             \
        RUN_OP();                                                                                  \
    } while (0)

#define ENTER(next)                                                                                \
    do {                                                                                           \
        block = (next);                                                                            \
        budget -= block->insns;                                                                    \
        if (UNLIKELY(budget < 0))                                                                  \
            goto out_of_budget;                                                                    \
        op = block->op;                                                                            \
        RUN_OP();                                                                                  \
    } while (0)

/* Goes on at op->imm bytes from the start of the block; the link is after the op. */
#define FOLLOW_LINK()                                                                              \
    do {                                                                                           \
        struct block *linked = ((const struct link *)(op + 1))->block;                             \
        if (UNLIKELY(linked == NULL))                                                              \
            goto unlinked;                                                                         \
        ENTER(linked);                                                                             \
    } while (0)

#define JUMP()                                                                                     \
    do {                                                                                           \
        const struct jump *entry = &view->jump[target >> 1 & (JUMP_ENTRIES - 1)];                  \
        if (UNLIKELY(entry->pc != target))                                                         \
            goto unknown;                                                                          \
        ENTER(entry->block);                                                                       \
    } while (0)

/* Leaves in the middle of the block, before instruction `number`. */
#define LEAVE_AT(number)                                                                           \
    do {                                                                                           \
        fast->left = block;                                                                        \
        fast->left_at = (unsigned)(number);                                                        \
        target = address_of_slot(block, (unsigned)(number));                                       \
        budget += block->insns - (number);                                                         \
        goto leave;                                                                                \
    } while (0)

/* ---- code of the rows of insn.def ------------------------------------------------------------ */

#define IMMEDIATE ((uint64_t)(int64_t)op->imm)

/* Results and conditions as functions, so that rows can be named. */
#define XLEN 64
#define ALU(name, pattern, format, unit, latency, expression)                                      \
    static inline uint64_t alu_##name(uint64_t rs1, uint64_t rs2, int64_t imm, uint64_t pc)        \
    {                                                                                              \
        (void)rs1, (void)rs2, (void)imm, (void)pc;                                                 \
        return (uint64_t)(expression);                                                             \
    }
#define BRANCH(name, pattern, condition)                                                           \
    static inline bool is_taken_##name(uint64_t rs1, uint64_t rs2)                                 \
    {                                                                                              \
        return condition;                                                                          \
    }
#define LOAD(name, pattern, format, type, flags)                                                   \
    typedef type type_##name;                                                                      \
    static inline uint64_t load_##name(const void *host)                                           \
    {                                                                                              \
        type value;                                                                                \
        memcpy(&value, host, sizeof value);                                                        \
        return ((flags) & INSN_IS_FP) != 0 && sizeof value == sizeof(uint32_t)                     \
                   ? f32_box((uint32_t)value)                                                      \
                   : (uint64_t)(int64_t)value;                                                     \
    }
#define STORE(name, pattern, format, type, flags) typedef type type_##name;
#include "isa/insn.def"
#undef XLEN
#define XLEN 32
#define ALUX(name, pattern, format, unit, latency, expression)                                     \
    static inline uint64_t alu_##name##_32(uint64_t rs1, uint64_t rs2, int64_t imm, uint64_t pc)   \
    {                                                                                              \
        (void)rs1, (void)rs2, (void)imm, (void)pc;                                                 \
        return sext32((uint64_t)(expression));                                                     \
    }
#define ISA_RV32
#include "isa/insn.def"
#undef XLEN

#define DO_ALU(name)                                                                               \
    reg[op->rd] = alu_##name(reg[op->rs1], reg[op->rs2], (int64_t)op->imm, block->pc);

#define DO_BRANCH(name)                                                                            \
    if (is_taken_##name(reg[op->rs1], reg[op->rs2])) {                                             \
        budget += op->rd;                                                                          \
        FOLLOW_LINK();                                                                             \
    }                                                                                              \
    op++;

/* host: the address of the datum at va, if the view's cache has it (it never has misaligned
 * ones). */
#define LOOK_UP(name, cache)                                                                       \
    const uint64_t va = reg[op->rs1] + IMMEDIATE;                                                  \
    const struct tlb *const entry = &view->cache[va >> PHYS_PAGE_BITS & (TLB_ENTRIES - 1)];        \
    void *host = (void *)(uintptr_t)(va + entry->offset);                                          \
    const bool is_known = entry->page == (va & (PAGE_MASK | (sizeof(type_##name) - 1)));

#define DO_LOAD(name)                                                                              \
    {                                                                                              \
        LOOK_UP(name, load)                                                                        \
        if (UNLIKELY(!is_known)) {                                                                 \
            host = fast_data_address(fast, va, sizeof(type_##name), MMU_LOAD);                     \
            if (host == NULL)                                                                      \
                goto step_here;                                                                    \
        }                                                                                          \
        reg[op->rd] = load_##name(host);                                                           \
    }

#define DO_STORE(name)                                                                             \
    {                                                                                              \
        const type_##name value = (type_##name)reg[op->rs2];                                       \
        LOOK_UP(name, store)                                                                       \
        if (LIKELY(is_known)) {                                                                    \
            memcpy(host, &value, sizeof value);                                                    \
        } else {                                                                                   \
            if (!fast_store(fast, va, sizeof value, value))                                        \
                goto step_here;                                                                    \
            if (UNLIKELY(*event))                                                                  \
                goto leave_after;                                                                 \
        }                                                                                          \
    }

#define RUN_FP(name, expression)                                                                   \
    op_##name:                                                                                     \
    {                                                                                              \
        const uint64_t rs1 = reg[op->rs1], rs2 = reg[op->rs2], rs3 = reg[op->imm & 0xff];          \
        const unsigned rm = (unsigned)op->imm >> 8;                                                \
        unsigned flags = hart->fflags, *const fflags = &flags;                                     \
        (void)rs1, (void)rs2, (void)rs3, (void)rm, (void)fflags;                                   \
        reg[op->rd] = (uint64_t)(expression);                                                      \
        hart->fflags = (uint8_t)flags;                                                             \
        NEXT(1);                                                                                   \
    }

/* The ops of fast_op.def. */
#define DO_step                                                                                    \
    target = block->pc + IMMEDIATE;                                                                \
    goto leave;
#define DO_fall FOLLOW_LINK();
#define DO_jump FOLLOW_LINK();
#define DO_call                                                                                    \
    reg[op->rd] = block->pc + 2u * op->rs2;                                                        \
    FOLLOW_LINK();
#define DO_jump_register                                                                           \
    target = (reg[op->rs1] + IMMEDIATE) & ~UINT64_C(1);                                            \
    JUMP();
#define DO_call_register                                                                           \
    target = (reg[op->rs1] + IMMEDIATE) & ~UINT64_C(1);                                            \
    reg[op->rd] = block->pc + 2u * op->rs2;                                                        \
    JUMP();
#define DO_constant reg[op->rd] = IMMEDIATE;
#define DO_move reg[op->rd] = reg[op->rs1];
#define DO_atomic                                                                                  \
    if (UNLIKELY(!fast_atomic(fast, &block->insn[op->slot])))                                      \
        goto step_here;
#define DO_count                                                                                   \
    {                                                                                              \
        struct tally *const tally = &block->tally[op->imm];                                        \
        if (tally->entered++ == 0) {                                                               \
            tally->next = fast->touched;                                                           \
            fast->touched = tally;                                                                 \
        }                                                                                          \
    }

/* The parts of pairs. */
#define DO_addi DO_ALU(addi)
#define DO_add DO_ALU(add)
#define DO_addiw DO_ALU(addiw)
#define DO_addw DO_ALU(addw)
#define DO_slli DO_ALU(slli)
#define DO_srli DO_ALU(srli)
#define DO_slliw DO_ALU(slliw)
#define DO_srliw DO_ALU(srliw)
#define DO_andi DO_ALU(andi)
#define DO_xor DO_ALU(xor)
#define DO_or DO_ALU(or)
#define DO_and DO_ALU(and)
#define DO_mul DO_ALU(mul)
#define DO_mulw DO_ALU(mulw)
#define DO_auipc DO_ALU(auipc)
#define DO_addi_32 DO_ALU(addi_32)
#define DO_add_32 DO_ALU(add_32)
#define DO_slli_32 DO_ALU(slli_32)
#define DO_srli_32 DO_ALU(srli_32)
#define DO_sub DO_ALU(sub)
#define DO_slt DO_ALU(slt)
#define DO_sltu DO_ALU(sltu)
#define DO_ld DO_LOAD(ld)
#define DO_lw DO_LOAD(lw)
#define DO_lwu DO_LOAD(lwu)
#define DO_lbu DO_LOAD(lbu)
#define DO_lh DO_LOAD(lh)
#define DO_lhu DO_LOAD(lhu)
#define DO_fld DO_LOAD(fld)
#define DO_sd DO_STORE(sd)
#define DO_sw DO_STORE(sw)
#define DO_sb DO_STORE(sb)
#define DO_sh DO_STORE(sh)
#define DO_fsd DO_STORE(fsd)
#define DO_beq DO_BRANCH(beq)
#define DO_bne DO_BRANCH(bne)
#define DO_blt DO_BRANCH(blt)
#define DO_bge DO_BRANCH(bge)
#define DO_bltu DO_BRANCH(bltu)
#define DO_bgeu DO_BRANCH(bgeu)

/* ---- the loop -------------------------------------------------------------------------------- */

static uint64_t address_of_slot(const struct block *block, unsigned slot)
{
    uint64_t address = block->pc;

    for (unsigned i = 0; i < slot; i++)
        address += block->insn[i].length;
    return address;
}

THREADED_CODE const void *const *fast_execute(struct fast *fast)
{
    static const void *const run[RUN_COUNT] = {
#include "sim/run/fast/fast_label.def"
    };
    if (fast == NULL)
        return run;
    struct hart *const hart = &fast->cpu->hart;
    uint64_t *const reg = hart->reg, target = hart_value(hart, hart->pc);
    struct view *const view = fast->view;
    const bool *const event = &fast->cpu->phys->event;
    const struct fast_op *op;
    struct block *block;
    int64_t budget = fast->budget;
    fast->is_short = false;
    JUMP();

#include "sim/run/fast/fast_code.def"
#ifdef __clang__
run_op:
    goto *op->run;
#endif
unlinked: /* the first time, or a target that no link can hold */
    target = block->pc + IMMEDIATE;
    if (((target ^ block->pc) & PAGE_MASK) != 0 || (~target & (PHYS_PAGE_BYTES - 2)) == 0)
        JUMP();
    block = fast_block_after(fast, block, (struct link *)(uintptr_t)(op + 1), target);
    if (block != NULL)
        ENTER(block);
    goto leave;
unknown:
    block = fast_block_at(fast, target);
    if (block == NULL)
        goto leave;
    view->jump[target >> 1 & (JUMP_ENTRIES - 1)] = (struct jump){.pc = target, .block = block};
    ENTER(block);
leave_after: /* after the instruction of this op, the outer loop must act */
    LEAVE_AT(op->slot + 1);
step_here: /* the instruction of this op was not executed */
    LEAVE_AT(op->slot);
out_of_budget:
    budget += block->insns;
    target = block->pc;
    fast->is_short = true;
leave:
    hart->pc = hart_address(hart, target);
    fast->budget = budget;
    return NULL;
}
