/* Leaves functions without unwind tables, for instance those of a static C library on RISC-V; see
 * assert_timer_code.h.
 *
 * The rest of the function is executed on a copy of the registers as far as it is known: additions
 * of constants, saves to the stack and loads from there. A call leaves only saved registers known.
 * At a conditional branch both ways are followed, until one returns to a known address. A way that
 * goes on after a call that does not return, into the next function, has no known address to return
 * to, because that call made ra unknown. */
#define _GNU_SOURCE
#include "assert_timer_code.h"

#ifdef __riscv
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { RA = 1, SP = 2, FP = 8, STEPS = 4096, PAGE_BYTES = 4096 };
/* What a call leaves: sp, gp, tp, s0 to s11. */
#define KEPT (1u << SP | 3u << 3 | 3u << FP | 0x3ffu << 18)

enum outcome { GO_ON, LEFT, LOST };

/* ---- memory ---------------------------------------------------------------------------------- */

/* Asks the kernel, which reads the set of signals before it looks at the number of the operation,
 * and knows none of that number. */
static bool is_readable(struct code_work *work, uintptr_t address)
{
    const uintptr_t page = address & ~(uintptr_t)(PAGE_BYTES - 1);

    if (page == work->page)
        return true;
    if (syscall(SYS_rt_sigprocmask, -1, (void *)page, NULL, 8) == 0 || errno != EINVAL)
        return false;
    work->page = page;
    return true;
}

/* The instruction at pc. False: no memory. */
static bool fetch(struct code_work *work, uintptr_t pc, uint32_t *insn)
{
    uint16_t half[2] = {0, 0};

    if ((pc & 1) != 0 || !is_readable(work, pc))
        return false;
    memcpy(&half[0], (const void *)pc, sizeof half[0]);
    if ((half[0] & 3) == 3) {
        if (!is_readable(work, pc + 2))
            return false;
        memcpy(&half[1], (const void *)(pc + 2), sizeof half[1]);
    }
    *insn = half[0] | (uint32_t)half[1] << 16;
    return true;
}

static bool is_known(const struct code_registers *at, unsigned reg)
{
    return reg == 0 || (at->known >> reg & 1) != 0;
}

static void set(struct code_registers *at, unsigned reg, uintptr_t value, bool is_value_known)
{
    if (reg == 0)
        return;
    at->x[reg] = value;
    at->known = (at->known & ~(1u << reg)) | (uint32_t)is_value_known << reg;
}

/* Loads from where sp and s0 point to; what other registers point to is not read. */
static void load(struct code_work *work, const struct code_insn *insn)
{
    struct code_way *way = &work->now;
    struct code_registers *at = &way->at;
    uintptr_t address = at->x[insn->rs1] + (uintptr_t)insn->constant, value = 0;
    bool is_stack = (insn->rs1 == SP || insn->rs1 == FP) && is_known(at, insn->rs1) &&
                    address % sizeof value == 0;

    for (unsigned i = way->stores; is_stack && i-- > 0;) {
        if (way->store[i].address == address) {
            set(at, insn->rd, way->store[i].value, way->store[i].is_known);
            return;
        }
    }
    is_stack = is_stack && is_readable(work, address);
    if (is_stack)
        memcpy(&value, (const void *)address, sizeof value);
    set(at, insn->rd, value, is_stack);
}

static enum outcome store(struct code_way *way, const struct code_insn *insn)
{
    const struct code_registers *at = &way->at;

    if (!is_known(at, insn->rs1) || (insn->rs1 != SP && insn->rs1 != FP))
        return GO_ON;
    if (way->stores == CODE_STORES)
        return LOST;
    way->store[way->stores].address = at->x[insn->rs1] + (uintptr_t)insn->constant;
    way->store[way->stores].value = at->x[insn->rs2];
    way->store[way->stores++].is_known = is_known(at, insn->rs2);
    return GO_ON;
}

/* ---- one instruction ------------------------------------------------------------------------- */

static void compute(struct code_registers *at, const struct code_insn *insn)
{
    uintptr_t one = at->x[insn->rs1], constant = (uintptr_t)insn->constant;
    bool is_one = is_known(at, insn->rs1), is_two = is_known(at, insn->rs2);

    switch (insn->kind) {
    case CODE_ADD_CONSTANT: set(at, insn->rd, one + constant, is_one); break;
    case CODE_ADD_WORD: set(at, insn->rd, (uintptr_t)(int32_t)(one + constant), is_one); break;
    case CODE_ADD: set(at, insn->rd, one + at->x[insn->rs2], is_one && is_two); break;
    case CODE_SUBTRACT: set(at, insn->rd, one - at->x[insn->rs2], is_one && is_two); break;
    default: set(at, insn->rd, 0, false); break;
    }
}

/* True if another way was at this place and knew as much of what a return needs. */
static bool was_seen(struct code_work *work, uintptr_t pc)
{
    const struct code_registers *at = &work->now.at;
    uint32_t known = at->known & (1u << RA | 1u << SP | 1u << FP);

    for (unsigned i = 0; i < work->seen; i++)
        if (work->place[i].pc == pc && work->place[i].sp == at->x[SP] &&
            work->place[i].known == known)
            return true;
    if (work->seen == CODE_SEEN)
        return true;
    work->place[work->seen].pc = pc;
    work->place[work->seen].sp = at->x[SP];
    work->place[work->seen++].known = known;
    return false;
}

static enum outcome branch(struct code_work *work, uintptr_t target)
{
    if (work->ways < CODE_WAYS && !was_seen(work, target)) {
        work->way[work->ways] = work->now;
        work->way[work->ways++].at.pc = target;
    }
    return GO_ON;
}

static enum outcome leave(struct code_registers *at)
{
    at->pc = at->x[RA];
    return is_known(at, RA) && is_known(at, SP) ? LEFT : LOST;
}

static enum outcome execute(struct code_work *work)
{
    struct code_registers *at = &work->now.at;
    struct code_insn insn;
    uint32_t code;
    uintptr_t target;

    if (!fetch(work, at->pc, &code))
        return LOST;
    insn = code_decode(code);
    target = at->pc + (uintptr_t)insn.constant;
    at->pc += insn.bytes;
    switch (insn.kind) {
    case CODE_LOAD: load(work, &insn); return GO_ON;
    case CODE_STORE: return store(&work->now, &insn);
    case CODE_BRANCH: return branch(work, target);
    case CODE_JUMP: at->pc = target; return was_seen(work, target) ? LOST : GO_ON;
    case CODE_CALL: at->known &= KEPT; return GO_ON;
    case CODE_RETURN: case CODE_TAIL: return leave(at);
    case CODE_END: return LOST;
    default: compute(at, &insn); return GO_ON;
    }
}

bool code_leave(struct code_work *work, struct code_registers *at)
{
    enum outcome outcome = GO_ON;

    work->seen = 0;
    work->ways = 1;
    work->way[0] = (struct code_way){.at = *at};
    work->page = 1;
    for (unsigned steps = 0; steps < STEPS && outcome != LEFT; steps++) {
        if (steps == 0 || outcome == LOST) {
            if (work->ways == 0)
                return false;
            work->now = work->way[--work->ways];
        }
        outcome = execute(work);
    }
    if (outcome != LEFT || work->now.at.x[SP] < at->x[SP])
        return false;
    *at = work->now.at;
    return true;
}
#endif
