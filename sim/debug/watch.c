/* While a watchpoint exists, every hart pauses in front of every instruction, and the address of
 * its access is computed from the registers. */
#include "sim/debug/watch.h"

#include <string.h>

#include "sim/debug/session_internal.h"
#include "sim/host/state.h"

/* A store conditional counts as a write, as it is not known yet whether it will succeed. */
static bool is_watched(const struct breaking *point, unsigned kind)
{
    bool writes = kind == KIND_STORE || kind == KIND_AMO || kind == KIND_SC;
    bool reads = kind == KIND_LOAD || kind == KIND_LR || kind == KIND_AMO;

    switch (point->kind) {
    case BREAK_WRITE: return writes;
    case BREAK_READ: return reads;
    case BREAK_ACCESS: return reads || writes;
    default: return false;
    }
}

static bool fetch(struct cpu *cpu, uint64_t pc, struct insn *insn)
{
    enum { SHORT = 2, LONG = 4 };
    unsigned char bytes[LONG] = {0};
    uint32_t bits;

    if (!state_read(cpu, cpu->hart.priv, pc, bytes, SHORT))
        return false;
    if ((bytes[0] & 3) == 3 &&
        !state_read(cpu, cpu->hart.priv, pc + SHORT, bytes + SHORT, LONG - SHORT))
        return false;
    memcpy(&bits, bytes, sizeof bits);
    insn_decode_xlen(insn, bits, hart_xlen(&cpu->hart));
    return true;
}

const struct breaking *watch_find(const struct session *session, struct cpu *cpu, uint64_t pc)
{
    const struct insn_info *info;
    struct insn insn;
    struct hart view;
    uint64_t va;

    if (!session->breaks.has_watch || cpu->hart.in_monitor || !fetch(cpu, pc, &insn))
        return NULL;
    info = &insn_info[insn.op];
    if (info->mem_bytes == 0)
        return NULL;
    state_view(session->machine, (unsigned)cpu->hart.id, &view);
    va = view.reg[insn.rs1];
    if (info->kind == KIND_LOAD || info->kind == KIND_STORE)
        va += (uint64_t)(int64_t)insn.imm;
    va = hart_address(&view, va);
    for (size_t i = 0; i < session->breaks.count; i++) {
        const struct breaking *point = &session->breaks.point[i];

        if (is_watched(point, info->kind) &&
            (va - point->address < point->bytes || point->address - va < info->mem_bytes))
            return point;
    }
    return NULL;
}
