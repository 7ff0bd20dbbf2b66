/* Where a debugger stops harts: in front of instructions, before anything of them is done, while
 * the run goes on inside an engine. A stop takes no simulated time and disturbs nothing: statistics
 * are those of a run without it.
 *
 * `reached` is called by the engine; the instructions in flight stay so. It may look at everything
 * (core_view has the registers) and change nothing; whoever wants to change something leaves. */
#ifndef SIM_CORE_PAUSE_H
#define SIM_CORE_PAUSE_H

#include "sim/core/cpu.h"

enum { PAUSE_HARTS = 64 };

struct pauses {
    uint64_t every;                 /* harts, a bit each, that stop in front of each instruction */
    uint64_t at;                    /* in front of the first one at this pause_position or later */
    const uint64_t *pc;             /* [pcs] in front of these, virtual addresses, rising */
    size_t pcs;
    uint64_t filter;                /* pause_bit of each */
    uint64_t held;                  /* harts that do not take their turns */
    /* False: the run ends here with STOP_MARKER, and once the engine has settled, the hart is
     * precise in front of the instruction. */
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

/* A place in the run: instructions, traps and interrupts of all harts so far. */
uint64_t pause_position(const struct cpu *cpu);
/* Is there a stop in front of each execution of the instruction at this address? */
bool pause_has_pc(const struct pauses *pauses, uint64_t pc);
/* Does the hart stop in front of every instruction? */
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
