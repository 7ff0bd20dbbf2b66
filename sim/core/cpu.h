/* One processor as both engines see it: hart, translation, profiling hardware, memory, devices'
 * lines. The fast engine and the commit stage share the functions here, so that an instruction, a
 * trap and a mark mean the same in both. */
#ifndef SIM_CORE_CPU_H
#define SIM_CORE_CPU_H

#include "isa/hart.h"
#include "isa/insn.h"
#include "isa/trap.h"
#include "pmu/ctr.h"
#include "pmu/pmu.h"
#include "pmu/trigger.h"
#include "sim/base/config.h"
#include "sim/mem/translate/mmu.h"
#include "sim/mem/phys.h"

/* Why an engine returned to the machine. */
enum stop {
    STOP_NONE, STOP_QUOTA,      /* QUOTA: executed the requested number */
    STOP_HOST_CALL,     /* a trap the host serves (host_serves_traps): cause, tval, pc are set */
    STOP_EVENT,         /* phys->event: HTIF, device */
    STOP_WAITING,       /* WFI with nothing pending */
    STOP_MONITOR_FAULT, /* the resident monitor itself trapped: cause, tval, pc are set */
    STOP_MARKER,        /* a magic instruction or watched pc */
    STOP_TRAP,          /* a trap without a handler: the first trap is set */
};

/* A trap, for the watcher of a cpu: pc is the instruction it was taken at. With SERVED the
 * host will act and the hart is untouched; else it is in the handler already. */
enum cpu_trap_kind { CPU_TRAP_EXCEPTION, CPU_TRAP_INTERRUPT, CPU_TRAP_MONITOR, CPU_TRAP_SERVED };
struct cpu_watch {
    void *arg;
    void (*trap)(void *arg, enum cpu_trap_kind kind, uint64_t cause, uint64_t pc, uint64_t tval);
};

struct cpu {
    struct hart hart;
    struct mmu mmu;
    struct pmu pmu;
    struct ctr ctr;
    struct triggers triggers;
    unsigned observers;                 /* observers of instructions: observe.h */
    struct calls *calls;                /* the call tree (pmu/exact/calls.h); NULL: not kept */
    const struct config *config;
    struct phys *phys;
    struct shadow *ishadow, *dshadow;   /* NULL when profiling is not built in for this run */
    struct cpu *peers;                  /* every hart of the machine, including this one */
    unsigned peer_count;                /* 1 or 0: alone */
    struct pauses *pauses;              /* stops of a debugger (pause.h); NULL: none */
    unsigned late_effects;              /* CSR_EFFECT_* | CPU_EFFECT_* of writes to profiling
                                           registers in memory, for the engine to follow */
    bool hints_on, marks_on;            /* PROF_MODE_ENABLE; marks_on: and at least one segment */
    struct { uint64_t pc, insns; } signalled;   /* cpu_signals_trap: where, and when, it did last */
    bool host_serves_traps;             /* user-mode program: exceptions from U go to the host */
    uint64_t sleeps_until;              /* wait.h: with hart.waiting, until this of
                                           events[EVENT_CYCLES]; UINT64_MAX: until an interrupt */
    bool host_monitor;      /* profiling interrupts are STOP_HOST_CALL, TRAP_INTERRUPT | cause */
    uint64_t left_monitor;              /* instructions retired when the monitor, or a handler of
                                           indicators, was left: at least one more comes before it
                                           is entered again; UINT64_MAX: never was */
    struct { bool is_on; unsigned entries_left; } ending;   /* machine_finish.c: an engine leaves
                                                               when the monitor returns */
    uint8_t in_handler;                 /* bit HINT_AT_*: handles an indicator or an overflow */
    uint8_t own_cycles;                 /* of this instruction, which the engine counts after it */
    uint64_t *mtime;                    /* the clock of the timers; NULL: there is none */
    uint64_t (*read_time)(void *arg);   /* the time CSR, after sync_time; NULL: it reads zero */
    /* Brings the clock and the timer lines up to events[EVENT_CYCLES]; NULL: time passes only while
     * no engine runs. */
    void (*sync_time)(void *arg);
    /* Cycles from events[EVENT_CYCLES] until a timer line can rise, at least 1, or UINT64_MAX. */
    uint64_t (*next_alarm)(void *arg);
    void *time_arg;
    struct { unsigned number; uint64_t a0, a1; } magic;     /* it retired, with phys->event */
    const struct cpu_watch *watch;      /* NULL: traps are not reported */
    uint64_t stop_cause, stop_tval, stop_pc;    /* of STOP_HOST_CALL, _MONITOR_FAULT, _TRAP */
};

/* Reset state, nothing mapped; privilege M, pc 0. False: no memory. */
bool cpu_init(struct cpu *cpu, const struct config *config, struct phys *phys, uint64_t hart_id);
void cpu_free(struct cpu *cpu);

/* Engines call this before an access to a device, which may look at the time or set an alarm. */
static inline void cpu_sync_time(struct cpu *cpu)
{
    if (cpu->sync_time != NULL)
        cpu->sync_time(cpu->time_arg);
}

/* Executes one instruction of kind CSR, SYSTEM, FENCE, FENCE_I or PROFILE at hart->pc == pc. Writes
 * rd and sets hart->pc to the next instruction. Returns TRAP_NONE or the exception (*tval set,
 * nothing changed). *effects: CSR_EFFECT_* | CPU_EFFECT_*. The mmu's own caches, the privilege in
 * mmu and pmu and the marks have followed already; WAIT: hart->waiting is set. events[] must
 * include all earlier events. */
enum { CPU_EFFECT_FENCE_I = 1 << 8, CPU_EFFECT_TLB = 1 << 9, CPU_EFFECT_WAIT = 1 << 10,
       CPU_EFFECT_SHADOW = 1 << 11, CPU_EFFECT_REDIRECT = 1 << 12,
       CPU_EFFECT_REMAP = 1 << 13,      /* satp, PMP, sfence.vma: every translation was dropped */
       CPU_EFFECT_MARKS = 1 << 14 };    /* other instructions or data may be marked now */
enum trap_cause cpu_system(struct cpu *cpu, const struct insn *insn, uint64_t pc, uint64_t *tval,
                           unsigned *effects);

/* LR, SC, AMO at hart->pc; writes memory and rd; hart->pc moves on. *pa: the address, unless it
 * trapped. The reservation is the 64-byte granule. Another hart's store to it ends it: an engine
 * whose harts may hold reservations while others store calls cpu_break_reservations, one that does
 * not drops them when it switches harts (cpu_drop_reservation). */
enum trap_cause cpu_atomic(struct cpu *cpu, const struct insn *insn, uint64_t *tval, uint64_t *va,
                           uint64_t *pa);

static inline void cpu_drop_reservation(struct cpu *cpu)
{
    cpu->hart.reservation_valid = false;
}

/* This hart stores `bytes` at pa: ends the reservations of other harts that the store touches. */
void cpu_break_reservations(const struct cpu *cpu, uint64_t pa, unsigned bytes);

/* Takes an exception or interrupt: to the guest's handler, or STOP_HOST_CALL when the host serves
 * it: then the hart is untouched, with pc at the instruction. STOP_MONITOR_FAULT and STOP_TRAP
 * (the handler traps at its first instruction, for ever) likewise end the run. Handles privilege
 * change in mmu and pmu. The caller counts EVENT_TRAPS; interrupts are counted here. */
enum stop cpu_trap(struct cpu *cpu, uint64_t cause, uint64_t pc, uint64_t tval);

/* The pending lines to be considered: those enabled, IRQ_LED, and, with a monitor, counter
 * overflow. */
static inline uint64_t cpu_interrupts(const struct cpu *cpu)
{
    const struct hart *hart = &cpu->hart;
    uint64_t pending = trap_mip(hart);

    if (pending == 0)
        return 0;
    if (cpu->host_monitor || hart->monitor_vector != 0)
        return pending & (hart->mie | UINT64_C(1) << IRQ_LCOFI | UINT64_C(1) << IRQ_LED);
    return pending & (hart->mie | UINT64_C(1) << IRQ_LED);
}

/* Before the next instruction: is a monitor entry, an interrupt or an indicator due? Enters it.
 * True when hart->pc changed; *stop: the host must act. Call after pmu/irq_lines changed. */
bool cpu_take_interrupt(struct cpu *cpu, enum stop *stop);
/* True if cpu_take_interrupt would take something now. */
bool cpu_is_interrupted(struct cpu *cpu);
/* Entries of the monitor for pending causes: one for indicators, one for overflows. */
unsigned cpu_monitor_entries(const struct cpu *cpu);
/* The hart's privilege or monitor state changed: tell mmu and pmu. */
void cpu_privilege_changed(struct cpu *cpu);
void cpu_privilege_left(struct cpu *cpu);   /* by this instruction, not counted yet: in that one */
/* PROF_MODE or segments changed: recompute marks_on, hand the segments to the shadows. */
void cpu_profiling_changed(struct cpu *cpu);

#endif
