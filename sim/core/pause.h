/* The places where a debugger stops harts: before instructions, ahead of any of their effects,
 * while the run stays inside an engine. A stop takes no simulated time, and statistics are those of
 * a run without it.
 *
 * `reached` is called by the engine; the instructions in flight stay so. It may read everything
 * (core_view has the registers) and change nothing; to change something, it ends the run. */
#ifndef SIM_CORE_PAUSE_H
#define SIM_CORE_PAUSE_H

#include "sim/core/cpu.h"

enum { PAUSE_HARTS = 64 };

struct pauses {
    uint64_t every;                 /* harts, a bit each, that stop in front of each instruction */
    uint64_t at;                    /* stop at this pause_position, or the first one later */
    const uint64_t *pc;             /* [pcs] in front of these, virtual addresses, rising */
    size_t pcs;
    uint64_t filter;                /* pause_bit of each */
    uint64_t held;                  /* harts that do not take their turns */
    /* False: the run ends here with STOP_MARKER; once the engine has settled, the hart is precise
     * before the instruction. */
    bool (*reached)(void *arg, struct cpu *cpu, uint64_t pc);
    void *arg;
    /* Of each hart: where it stopped last. It does not stop there again before it has retired
     * something, or is elsewhere. */
    struct { uint64_t pc, insns; } last[PAUSE_HARTS];
};

static inline uint64_t pause_bit(uint64_t pc)
{
    return UINT64_C(1) << (pc >> 1 & 63);
}

/* A position in the run: instructions, traps and interrupts of all harts up to now. */
uint64_t pause_position(const struct cpu *cpu);
/* True if each execution of the instruction at this address stops. */
bool pause_has_pc(const struct pauses *pauses, uint64_t pc);
/* True if the hart stops before every instruction. */
static inline bool pause_is_every(const struct cpu *cpu)
{
    return cpu->pauses != NULL && (cpu->pauses->every >> cpu->hart.id & 1) != 0;
}

/* The hart is about to execute the instruction at pc. False: it stops, and the engine leaves. */
bool pause_passes(struct cpu *cpu, uint64_t pc);
/* The hart is stopped in front of pc already. */
void pause_note(struct cpu *cpu, uint64_t pc);
/* Instructions that can pass before a position has to be looked at, at least 1. */
uint64_t pause_left(const struct cpu *cpu);

#endif
