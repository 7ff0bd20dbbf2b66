/* See active_oracle.h. */
#include "sim/cli/command/active/active_oracle.h"

#include <stdlib.h>

#include "isa/op.h"
#include "pmu/abi_probe.h"
#include "pmu/pmu_modes.h"
#include "sim/base/array.h"
#include "sim/cli/command/active/active_stacks.h"
#include "sim/core/profile/observe.h"

enum { REG_RA = 1, REG_SP = 2, REG_T0 = 5, INSN_BYTES = 4, NO_THREAD = 0 };

/* A cycle of a hart. A thread's turns increase, while the cycles of harts may differ. */
struct moment { uint64_t cycle, turn; uint16_t hart; };

/* Of a hart: its cycles, and those of them in user mode. */
struct instant { uint64_t cycle, user; };

struct thread {
    uint32_t tid;
    uint32_t name;                      /* in the time line */
    struct moment last;                 /* its last instruction committed */
    uint64_t user, last_user;           /* its cycles in user mode without overhead: when it left
                                         * its hart, and at `last` */
    struct active_stacks stacks;        /* and the sections that it is in */
    bool has_returned;                  /* by its last instruction, through ra */
    uint64_t t0_ret;                    /* that was a call with this in t0; 0: was none */
    bool has_run;                       /* in user code */
};

/* A forked process that has not run: its pc, and the sections that it is in. */
struct fork { uint64_t pc, sp; struct moment moment; struct active_open *open; size_t opens; };

struct watched {
    struct active_oracle *oracle;
    struct cpu *cpu;
    struct pmu_listener listener;
    uint16_t hart;
    uint64_t turn;                      /* of the thread that it runs */
    uint64_t ra, sp;                    /* after the instruction that committed last */
    bool is_user;                       /* that instruction */
    struct instant left;                /* last instruction of user code, or return to it */
    bool may_trap;                      /* that was the instruction that committed last */
    bool is_in_probe, is_in_slot;       /* since probe_from, since slot */
    uint64_t breakpoint;                /* address */
    struct instant probe_from, slot;
    struct thread *thread;              /* that runs on this hart; NULL: idle */
    uint64_t not_its_own;               /* of the hart's cycles in user mode, those that are not
                                         * that thread's: of threads before it, and overhead */
    struct core_observer core;
    struct fast_observer fast;
};

struct active_oracle {
    struct machine *machine;
    const struct active_section *section;
    unsigned sections;
    uint32_t *name;                     /* [sections] in the time line */
    uint64_t *user;                     /* [sections] cycles in user mode, of outermost calls */
    struct timeline *timeline;
    struct watched *watched;            /* [harts] */
    struct thread **thread;
    size_t threads;
    uint64_t turns;                     /* of threads on harts, up to now */
    struct fork *fork;                  /* in order */
    size_t forks;
    struct diag diag;
    enum err err;
};

/* ---- events ---------------------------------------------------------------------------------- */

static void add(struct active_oracle *oracle, enum timeline_kind kind, const struct moment *moment,
                const struct thread *thread, uint32_t name)
{
    const struct timeline_event event = {
        .time = moment->cycle, .order = moment->turn, .thread = thread->name, .name = name,
        .hart = moment->hart, .kind = (uint8_t)kind, .has_overhead = true,
    };

    if (oracle->err == ERR_OK)
        oracle->err = timeline_add(oracle->timeline, &event, &oracle->diag);
}

static uint64_t now(const struct watched *watched)
{
    return watched->cpu->pmu.events[EVENT_CYCLES];
}

static struct moment moment_of(const struct watched *watched)
{
    return (struct moment){now(watched), watched->turn, watched->hart};
}

static struct instant instant_of(const struct watched *watched)
{
    return (struct instant){now(watched), pmu_mode_cycles(&watched->cpu->pmu, 0)};
}

/* Of the thread that the hart runs, at an instant of it. */
static uint64_t thread_user(const struct watched *watched, struct instant at)
{
    return watched->thread->user + at.user - watched->not_its_own;
}

/* ---- threads --------------------------------------------------------------------------------- */

/* NULL: no memory. */
static struct thread *add_thread(struct active_oracle *oracle, uint32_t tid)
{
    struct thread **grown = array_grow(oracle->thread, oracle->threads, sizeof *grown);
    struct thread *thread = grown != NULL ? calloc(1, sizeof *thread) : NULL;
    char text[16];

    if (grown != NULL)
        oracle->thread = grown;
    if (thread == NULL) {
        oracle->err = diag_no_memory(&oracle->diag, "threads");
        return NULL;
    }
    snprintf(text, sizeof text, "%u", (unsigned)tid);
    thread->tid = tid;
    oracle->err = names_add(&oracle->timeline->thread, text, &thread->name, &oracle->diag);
    oracle->thread[oracle->threads++] = thread;
    return thread;
}

static struct thread *thread_of(struct active_oracle *oracle, uint32_t tid)
{
    for (size_t i = oracle->threads; i-- > 0;)
        if (oracle->thread[i]->tid == tid)
            return oracle->thread[i];
    return oracle->err == ERR_OK ? add_thread(oracle, tid) : NULL;
}

static void thread_changes(void *arg, uint64_t before, uint64_t tid)
{
    struct watched *watched = arg;
    struct active_oracle *oracle = watched->oracle;
    struct moment moment = moment_of(watched);
    const struct instant at = instant_of(watched);

    (void)before;
    watched->is_in_probe = false;
    if (watched->thread != NULL) {
        add(oracle, TIMELINE_SWITCH_OUT, &moment, watched->thread, TIMELINE_NO_NAME);
        watched->thread->user = thread_user(watched, at);
    }
    watched->not_its_own = at.user;
    moment.turn = watched->turn = ++oracle->turns;
    watched->thread = tid != NO_THREAD ? thread_of(oracle, (uint32_t)tid) : NULL;
    if (watched->thread != NULL)
        add(oracle, TIMELINE_SWITCH_IN, &moment, watched->thread, TIMELINE_NO_NAME);
}

/* ---- instructions ---------------------------------------------------------------------------- */

static bool has_memory(struct active_oracle *oracle, bool fits)
{
    oracle->err = fits ? oracle->err : diag_no_memory(&oracle->diag, "sections");
    return fits;
}

static void enter(struct watched *watched, unsigned section, struct instant at)
{
    const struct moment moment = moment_of(watched);
    struct thread *thread = watched->thread;
    const struct active_open open = {
        .ret = thread->t0_ret != 0 ? thread->t0_ret : watched->ra, .sp = watched->sp,
        .section = section, .user = thread_user(watched, at),
    };

    if (has_memory(watched->oracle, active_stacks_open(&thread->stacks, &open)))
        add(watched->oracle, TIMELINE_ENTER, &moment, thread, watched->oracle->name[section]);
}

/* The innermost section on the thread's stack. */
static void end_innermost(struct watched *watched)
{
    struct thread *thread = watched->thread;
    const struct active_open open = *active_stacks_innermost(&thread->stacks);
    bool is_inner = false;

    active_stacks_close(&thread->stacks);
    for (size_t i = 0; i < thread->stacks.opens; i++)
        is_inner |= thread->stacks.open[i].section == open.section;
    if (!is_inner)
        watched->oracle->user[open.section] += thread->last_user - open.user;
    add(watched->oracle, TIMELINE_LEAVE, &thread->last, thread,
        watched->oracle->name[open.section]);
}

/* The instruction at pc is about to be counted: ends the sections that it returns from, and the
 * sections that an exception or longjmp has left: their stack is gone, or a return has reached
 * their caller's stack pointer at another place than after the call. Those on other stacks of the
 * thread go on. */
static void leave(struct watched *watched, uint64_t pc)
{
    const struct active_stacks *stacks = &watched->thread->stacks;
    const bool has_returned = watched->thread->has_returned;
    const struct active_open *open;

    while ((open = active_stacks_innermost(stacks)) != NULL && open->sp < watched->sp)
        end_innermost(watched);
    while ((open = active_stacks_innermost(stacks)) != NULL && open->ret == pc &&
           open->sp == watched->sp)
        end_innermost(watched);
    while (has_returned && (open = active_stacks_innermost(stacks)) != NULL &&
           open->sp <= watched->sp)
        end_innermost(watched);
}

/* True if the trap is a fork: a call of clone that names no new stack. Called after the kernel's
 * first instruction, which has not changed the registers looked at. */
static bool is_fork(const struct hart *hart)
{
    enum { CAUSE_ECALL = 8, CALL_CLONE = 220, REG_A1 = 11, REG_A7 = 17 };

    return hart->scause == CAUSE_ECALL && hart->reg[REG_A7] == CALL_CLONE &&
           hart->reg[REG_A1] == 0;
}

static void note_fork(struct watched *watched, uint64_t pc)
{
    struct active_oracle *oracle = watched->oracle;
    const struct active_stacks *stacks = &watched->thread->stacks;
    struct fork *grown = array_grow(oracle->fork, oracle->forks, sizeof *grown);
    struct active_open *open = malloc((stacks->opens + 1) * sizeof *open);

    oracle->fork = grown != NULL ? grown : oracle->fork;
    if (!has_memory(oracle, grown != NULL && open != NULL)) {
        free(open);
        return;
    }
    for (size_t i = 0; i < stacks->opens; i++) {
        open[i] = stacks->open[i];
        open[i].user = 0;               /* what the child had run */
    }
    grown[oracle->forks++] =
        (struct fork){pc, watched->sp, moment_of(watched), open, stacks->opens};
}

/* A forked child continues the sections of its parent, from the fork on. */
static void inherit(struct watched *watched, uint64_t pc)
{
    struct active_oracle *oracle = watched->oracle;
    struct fork own;
    size_t at = 0;

    while (at < oracle->forks && (oracle->fork[at].pc != pc || oracle->fork[at].sp != watched->sp))
        at++;
    if (at == oracle->forks)
        return;
    own = oracle->fork[at];
    for (oracle->forks--; at < oracle->forks; at++)
        oracle->fork[at] = oracle->fork[at + 1];
    for (size_t i = 0; i < own.opens &&
         has_memory(oracle, active_stacks_open(&watched->thread->stacks, &own.open[i])); i++)
        add(oracle, TIMELINE_ENTER, &own.moment, watched->thread,
            oracle->name[own.open[i].section]);
    free(own.open);
}

/* ---- probes ---------------------------------------------------------------------------------- */

static bool is_in_page(uint64_t pc)
{
    return pc - PROBE_PAGE < PHYS_PAGE_BYTES;
}

/* The section whose replaced instruction has this slot; `sections`: none. */
static unsigned section_of_slot(const struct active_oracle *oracle, uint64_t pc)
{
    uint64_t slot = (pc - PROBE_PAGE - PROBE_SLOTS) / PROBE_SLOT_BYTES;

    return is_in_page(pc) && (pc - PROBE_PAGE) % PROBE_SLOT_BYTES == 0 && slot < oracle->sections
               ? (unsigned)slot : oracle->sections;
}

/* The cycles after `from` and before `to` are no program's. Without a probe the next instruction
 * would have committed a cycle after `from`. */
static void add_overhead(struct watched *watched, struct instant from, struct instant to)
{
    struct active_oracle *oracle = watched->oracle;
    const struct timeline_event event = {
        .time = from.cycle + 1, .order = watched->turn,
        .overhead = to.cycle > from.cycle ? to.cycle - from.cycle - 1 : 0,
        .thread = watched->thread->name, .name = TIMELINE_NO_NAME, .hart = watched->hart,
        .kind = TIMELINE_SAMPLE, .has_overhead = true,
    };

    watched->not_its_own += to.user > from.user ? to.user - from.user - 1 : 0;
    if (oracle->err == ERR_OK && event.overhead != 0)
        oracle->err = timeline_add(oracle->timeline, &event, &oracle->diag);
}

/* A probe ends: the program continues at pc, or is interrupted before it does. */
static void end_probe(struct watched *watched, uint64_t pc, struct instant at)
{
    const struct active_oracle *oracle = watched->oracle;
    bool is_probe = is_in_page(pc) || is_in_page(watched->breakpoint);

    if (!watched->is_in_probe)
        return;
    for (unsigned i = 0; i < oracle->sections; i++)
        is_probe |= oracle->section[i].address == watched->breakpoint;
    if (is_probe)
        add_overhead(watched, watched->probe_from, at);
    watched->is_in_probe = false;
}

/* Handles an instruction of the kernel, which may be the first one of a trap from user code. */
static void see_trap(struct watched *watched, uint64_t pc, const struct insn *insn)
{
    enum { CAUSE_BREAKPOINT = 3 };
    const struct hart *hart = &watched->cpu->hart;

    if (watched->may_trap && pc == hart->stvec) {
        end_probe(watched, 0, watched->left);
        watched->is_in_probe = hart->scause == CAUSE_BREAKPOINT;
        watched->breakpoint = hart->sepc;
        watched->probe_from = watched->left;
    }
    watched->may_trap = insn->op == OP_sret || insn->op == OP_mret;
    if (watched->may_trap)
        watched->left = instant_of(watched);
}

/* Handles an instruction of the program, which may end a probe or be in or after a slot. */
static void see_probe_end(struct watched *watched, uint64_t pc, struct instant at)
{
    if (watched->is_in_slot && !is_in_page(pc)) {
        add_overhead(watched, watched->slot, at);
        watched->is_in_slot = false;
    }
    end_probe(watched, pc, at);
    if (section_of_slot(watched->oracle, pc) < watched->oracle->sections) {
        watched->is_in_slot = true;
        watched->slot = at;
    }
    watched->may_trap = true;
    watched->left = at;
}

/* An instruction of the program, of the thread on its hart. */
static void see_own(struct watched *watched, uint64_t pc, const struct insn *insn)
{
    struct active_oracle *oracle = watched->oracle;
    const struct instant at = instant_of(watched);
    const uint64_t key = cpu_key(watched->cpu, pc), slot = section_of_slot(oracle, pc);

    see_probe_end(watched, pc, at);
    if (!has_memory(oracle, active_stacks_move(&watched->thread->stacks, watched->sp)))
        return;
    if (!watched->thread->has_run)
        inherit(watched, pc);
    watched->thread->has_run = true;
    leave(watched, pc);
    for (unsigned i = 0; i < oracle->sections; i++)
        if (oracle->section[i].address == key || slot == i)
            enter(watched, i, at);
    watched->thread->last = moment_of(watched);
    watched->thread->last_user = thread_user(watched, at);
    watched->thread->has_returned = insn_is_return(insn) && insn->rs1 == REG_RA;
    watched->thread->t0_ret = insn_is_call(insn) && insn->rd == REG_T0 ? pc + insn->length : 0;
    active_stacks_step(&watched->thread->stacks, insn);
}

/* Called before the instruction's own registers are taken over. */
static void see(struct watched *watched, uint64_t pc, unsigned priv, const struct insn *insn)
{
    if (priv != 0 && watched->is_user && watched->thread != NULL &&
        watched->thread->stacks.opens > 0 && is_fork(&watched->cpu->hart))
        note_fork(watched, watched->cpu->hart.sepc + INSN_BYTES);
    watched->is_user = priv == 0;
    if (priv != 0)
        see_trap(watched, pc, insn);
    else if (watched->thread != NULL)
        see_own(watched, pc, insn);
}

static void on_step(void *arg, const struct fast_record *record)
{
    struct watched *watched = arg;

    see(watched, record->pc, record->priv, record->insn);
    watched->ra = watched->cpu->hart.reg[REG_RA];
    watched->sp = watched->cpu->hart.reg[REG_SP];
}

static void on_leave(void *arg, const struct core_trace_record *record)
{
    struct watched *watched = arg;

    if (!record->committed)
        return;
    see(watched, record->pc, record->priv, record->insn);
    if (record->insn->rd == REG_RA)
        watched->ra = record->rd_value;
    if (record->insn->rd == REG_SP)
        watched->sp = record->rd_value;
}

/* ---- watching -------------------------------------------------------------------------------- */

static bool watch(struct active_oracle *oracle, unsigned hart)
{
    struct machine *machine = oracle->machine;
    struct watched *watched = &oracle->watched[hart];

    *watched = (struct watched){
        .oracle = oracle, .cpu = &machine->cpu[hart], .hart = (uint16_t)hart,
        .core = {.arg = watched, .leave = on_leave},
        .fast = {.arg = watched, .step = on_step},
        .listener = {.changed = thread_changes, .arg = watched},
    };
    watched->ra = watched->cpu->hart.reg[REG_RA];
    watched->sp = watched->cpu->hart.reg[REG_SP];
    if (!machine_make_engine(machine, hart))
        return false;
    if (machine->engine == ENGINE_DETAILED)
        core_set_observer(machine->core[hart], &watched->core);
    else
        fast_set_observer(machine->fast[hart], &watched->fast);
    return true;
}

static bool name_sections(struct active_oracle *oracle)
{
    oracle->name = calloc(oracle->sections + 1, sizeof *oracle->name);
    oracle->user = calloc(oracle->sections + 1, sizeof *oracle->user);
    for (unsigned i = 0; i < oracle->sections && oracle->name != NULL; i++)
        if (names_add(&oracle->timeline->name, oracle->section[i].name, &oracle->name[i],
                      &oracle->diag) != ERR_OK)
            return false;
    return oracle->name != NULL && oracle->user != NULL;
}

bool active_oracle_open(struct active_oracle **out, struct machine *machine,
                        const struct active_section *section, unsigned sections,
                        struct timeline *timeline)
{
    struct active_oracle *oracle = calloc(1, sizeof *oracle);
    bool fits;

    *out = oracle;
    if (oracle == NULL)
        return false;
    *oracle = (struct active_oracle){.machine = machine, .section = section,
                                     .sections = sections, .timeline = timeline};
    oracle->watched = calloc(machine->harts, sizeof *oracle->watched);
    fits = oracle->watched != NULL && name_sections(oracle);
    for (unsigned i = 0; i < machine->harts && fits; i++) {
        fits = watch(oracle, i);
        pmu_listen(&machine->cpu[i].pmu.thread, &oracle->watched[i].listener);
        if (fits)                       /* after --roi a hart may run a thread */
            thread_changes(&oracle->watched[i], NO_THREAD, machine->cpu[i].pmu.thread.id);
    }
    return fits;
}

enum err active_oracle_end(struct active_oracle *oracle, struct diag *diag)
{
    struct machine *machine = oracle->machine;

    for (unsigned i = 0; i < machine->harts && oracle->watched != NULL; i++) {
        pmu_unlisten(&machine->cpu[i].pmu.thread, &oracle->watched[i].listener);
        if (machine->core[i] != NULL)
            core_set_observer(machine->core[i], NULL);
        if (machine->fast[i] != NULL)
            fast_set_observer(machine->fast[i], NULL);
    }
    *diag = oracle->err != ERR_OK ? oracle->diag : *diag;
    return oracle->err;
}

uint64_t active_oracle_user(const struct active_oracle *oracle, unsigned section)
{
    return oracle->user[section];
}

void active_oracle_free(struct active_oracle *oracle)
{
    if (oracle == NULL)
        return;
    for (size_t i = 0; i < oracle->threads; i++) {
        active_stacks_free(&oracle->thread[i]->stacks);
        free(oracle->thread[i]);
    }
    for (size_t i = 0; i < oracle->forks; i++)
        free(oracle->fork[i].open);
    free(oracle->fork);
    free(oracle->thread);
    free(oracle->watched);
    free(oracle->name);
    free(oracle->user);
    free(oracle);
}
