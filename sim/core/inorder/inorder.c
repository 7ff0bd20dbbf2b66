/* The in-order back end: in each cycle the oldest instructions issue, in program order, up to the
 * width of dispatch. The first one that cannot issue ends the cycle and names the cause of every
 * lost slot.
 *
 * An instruction issues when its operands can be forwarded to it, its unit and a result port are
 * free, and the rules of the group allow it beside those already issued in the cycle. Results may
 * arrive out of order. Commit is in order and shared with the out-of-order engine, as are front
 * end, functional execution, store queue, predictors and profiling. */
#include "sim/core/inorder/inorder_parts.h"

#include <stdlib.h>

#include "sim/base/issue_plan.h"
#include "sim/core/bpred/bpred.h"
#include "sim/core/cpu.h"
#include "sim/core/inorder/inorder_port.h"
#include "sim/core/pipe/execute.h"
#include "sim/core/pipe/stage.h"
#include "sim/core/pipe/stage_back.h"
#include "sim/core/pipe/stage_lsu.h"
#include "sim/core/pipe/stage_stores.h"

/* True if a limit, of one class or of loads and stores together, has to be counted: the limit is
 * neither one, which `after` expresses, nor as wide as a group. */
static inline bool is_counted(const struct config *config, uint32_t limit)
{
    return limit > 1 && limit < config->dispatch_width;
}

/* True if the instructions of a group have to be counted. */
static inline bool counts_of(const struct config *config)
{
    return is_counted(config, config->unit_ints) ||
           is_counted(config, config->unit_branches) ||
           is_counted(config, config->unit_complexes) ||
           is_counted(config, config->unit_loads) ||
           is_counted(config, config->unit_stores) ||
           is_counted(config, config->unit_fps) ||
           is_counted(config, config->inorder_memory_ops);
}

/* The same for the machine. A model may need the numbers. */
static inline bool counts_in_groups(const struct core *core)
{
#ifdef MODEL_ANSWERS
    (void)core;
    return true;
#elif defined INSTANCE
    return counts_of(core_config(core));
#else
    return core->inorder->counts;
#endif
}

/* At most `limit` operations of these classes together issue in a cycle. With limit 1 they exclude
 * each other; higher limits are counted, unless they reach the width. */
static void set_limit(struct inorder *inorder, unsigned classes, uint32_t limit)
{
    for (unsigned class = 0; class < INORDER_CLASSES && limit == 1; class++)
        if (classes >> class & 1)
            inorder->after[class] &= (uint8_t)~classes;
}

/* Applies the setting inorder.pairs. */
static void set_pairs(struct inorder *inorder, const struct config *config)
{
    static const uint8_t unit_class[INORDER_CLASSES] = {
        [INORDER_INT] = CLASS_ALU, [INORDER_BRANCH] = CLASS_BRANCH, [INORDER_MUL] = CLASS_MUL,
        [INORDER_DIV] = CLASS_DIV, [INORDER_LOAD] = CLASS_LOAD, [INORDER_STORE] = CLASS_STORE,
        [INORDER_FP] = CLASS_FADD,
    };
    struct issue_plan plan;
    issue_plan_make(config, &plan, NULL);
    for (unsigned older = 0; older < INORDER_CLASSES; older++)
        for (unsigned class = 0; class < INORDER_CLASSES; class++)
            if (plan.after[unit_class[older]] >> unit_class[class] & 1)
                inorder->after[older] |= (uint8_t)(1u << class);
}

struct inorder *inorder_new(const struct config *config)
{
    struct inorder *inorder = calloc(1, sizeof *inorder);
    if (inorder == NULL)
        return NULL;
    const uint32_t limit[INORDER_CLASSES] = {
        [INORDER_INT] = config->unit_ints, [INORDER_BRANCH] = config->unit_branches,
        [INORDER_MUL] = config->unit_complexes, [INORDER_DIV] = 1,
        [INORDER_LOAD] = config->unit_loads, [INORDER_STORE] = config->unit_stores,
        [INORDER_FP] = config->unit_fps,
    };
    set_pairs(inorder, config);
    inorder->plain = inorder_plain_of(config);
    inorder->counts = counts_of(config);
    for (unsigned class = 0; class < INORDER_CLASSES; class++) {
        inorder->limit[class] = (uint8_t)limit[class];
        set_limit(inorder, 1u << class, limit[class]);
    }
    set_limit(inorder, 1u << INORDER_LOAD | 1u << INORDER_STORE, config->inorder_memory_ops);
    inorder->wake = NEVER;
    return inorder;
}

void inorder_free(struct inorder *inorder)
{
    free(inorder);
}

static inline unsigned issue_class(const struct uop *uop)
{
    return uop->latency == LAT_DIV ? INORDER_DIV : uop->unit;
}

static inline bool is_memory(unsigned class)
{
    return class == INORDER_LOAD || class == INORDER_STORE;
}

/* ---- why the oldest instruction waits -------------------------------------------------------- */

static const struct inorder_wait wait_for_group = {EVENT_SLOTS_PAIRING, EVENT_LOST_PAIRING,
                                                   EVENT_CPI_INT};
/* Cycles after its issue in which the instruction can still receive the operand: the late integer
 * unit, and the data of a store. */
static uint64_t operand_slack(const struct core *core, const struct uop *uop, unsigned reg,
                              bool is_data)
{
    const struct config *settings = core_config(core);
    bool is_late = inorder_is_late_capable(uop) || uop->kind == KIND_BRANCH;
    uint64_t slack = is_data ? settings->inorder_store_data_late
                     : is_late ? settings->inorder_late_alu : 0;
    return port_slack(core, uop, reg, is_data, slack);
}

/* The register has its value in cycle `until`. */
static enum inorder_result wait_for_register(struct core *core, unsigned reg, uint64_t until)
{
    struct inorder *inorder = core->inorder;
    if (port_knows_all(core))
        inorder->stalled_until = until;
    return inorder_wait(inorder, until, inorder_wait_for(inorder->producer[reg]));
}

IN_BOTH enum inorder_result need_by_rules(struct core *core, const struct uop *uop, unsigned reg,
                                          bool is_data)
{
    struct inorder *inorder = core->inorder;
    uint64_t ready = inorder->ready[reg];
    if (ready <= core->now)
        return INORDER_GO;
    uint64_t slack = operand_slack(core, uop, reg, is_data);
    return ready <= core->now + slack ? INORDER_GO : wait_for_register(core, reg, ready - slack);
}

/* True if the late unit, if there is one, receives all operands in time. */
static inline bool comes_in_time(const struct core *core, const struct uop *uop)
{
#ifdef MODEL_ANSWERS
    (void)core, (void)uop;
    return false;
#else
    const uint64_t *ready = core->inorder->ready;
    uint64_t last = core->now + core_config(core)->inorder_late_alu;
    return (inorder_is_late_capable(uop) || uop->kind == KIND_BRANCH) &&
           ready[uop->insn.rs1] <= last && ready[uop->insn.rs2] <= last;
#endif
}

APART enum inorder_result need_each_by_rules(struct core *core, const struct uop *uop)
{
    if (need_by_rules(core, uop, uop->insn.rs1, false) != INORDER_GO ||
        need_by_rules(core, uop, uop->insn.rs2, uop->kind == KIND_STORE) != INORDER_GO)
        return INORDER_WAIT;
    return need_by_rules(core, uop, uop->insn.rs3, false);
}

IN_BOTH enum inorder_result need_operands(struct core *core, const struct uop *uop,
                                          const bool rules)
{
    const uint64_t *ready = core->inorder->ready;
    const struct insn *insn = &uop->insn;
    uint64_t now = core->now;
    unsigned reg = ready[insn->rs1] > now ? insn->rs1 : insn->rs2;
    if (ready[reg] <= now) {
        reg = insn->rs3;
        if (reg == 0 || ready[reg] <= now)
            return INORDER_GO;
    }
    if (!rules)
        return wait_for_register(core, reg, ready[reg]);
    return comes_in_time(core, uop) ? INORDER_GO : need_each_by_rules(core, uop);
}

/* True if the group of this cycle can take another operation of the class. */
IN_BOTH bool joins(const struct core *core, const struct uop *uop, unsigned class,
                   const bool rules)
{
    return (core->inorder->group.allowed >> class & 1) != 0 && (!rules || port_joins(core, uop));
}

static const struct inorder_wait wait_for_entry = {EVENT_SLOTS_ROB_FULL, 0, EVENT_CPI_INT};

IN_BOTH enum inorder_result need_all(struct core *core, struct uop *uop, uint64_t seq,
                                     unsigned class, uint64_t *ready, const bool rules)
{
    struct inorder *inorder = core->inorder;
    if (inorder_holds(core) && inorder->held_until > core->now && inorder->held_at != core->now)
        return inorder_wait(inorder, inorder->held_until, inorder->held);
    if (seq >= inorder->group.full_seq)
        return inorder_wait(inorder, NEVER, wait_for_entry);
    if (!joins(core, uop, class, rules))
        return inorder_wait(inorder, core->now + 1, wait_for_group);
    if (uop->trap != TRAP_NONE) {
        port_trapped(core, uop, seq);
        return INORDER_GO;
    }
    if (rules && !port_may_issue(core, uop, class))
        return INORDER_WAIT;
    if (need_operands(core, uop, rules) != INORDER_GO || (rules && !port_may_write(core, uop)))
        return INORDER_WAIT;
    if (inorder_is_iterative(uop, class) && inorder_need_unit(core, uop, class) != INORDER_GO)
        return INORDER_WAIT;
    if (rules && !port_may_start(core, uop, class))
        return INORDER_WAIT;
    return uop->flags & UOP_ACCESSES ? inorder_access(core, uop, ready) : INORDER_GO;
}

/* ---- issue ----------------------------------------------------------------------------------- */

/* For traces; core_set_observer drops older producers. */
static void name_producers(const struct core *core, struct uop *uop)
{
    const unsigned source[3] = {uop->insn.rs1, uop->insn.rs2, uop->insn.rs3};
    for (unsigned i = 0; i < 3; i++)
        uop->producer_back[i] = source[i] != 0 && core->last_writer[source[i]] >= core->commit_seq
            ? (uint32_t)(uop->id - core_uop(core, core->last_writer[source[i]])->id) : 0;
}

static inline void take_register(struct core *core, struct uop *uop, uint64_t seq)
{
    struct inorder *inorder = core->inorder;
    unsigned rd = uop->insn.rd;
    if (core->observer != NULL)
        name_producers(core, uop);
    if (rd == REG_SINK)
        return;
    uop->previous_writer = core->last_writer[rd];
    uop->ready_at = inorder->ready[rd];
    core->last_writer[rd] = seq;
    inorder->ready[rd] = uop->complete_cycle;
    inorder->producer[rd] = (struct inorder_producer){uop->unit_class, uop->level};
}

/* Group rules that few machines have. */
static inline void count_in_group(struct core *core, unsigned class)
{
    struct inorder *inorder = core->inorder;
    struct inorder_group *group = &inorder->group;
    if (++group->used[class] >= inorder->limit[class])
        group->allowed &= (uint8_t)~(1u << class);
    if (is_memory(class) && ++group->memory >= core_config(core)->inorder_memory_ops)
        group->allowed &= (uint8_t)~(1u << INORDER_LOAD | 1u << INORDER_STORE);
}

static inline void join_group(struct core *core, unsigned class)
{
    struct inorder *inorder = core->inorder;
    inorder->group.allowed &= inorder->after[class];
    if (counts_in_groups(core))
        count_in_group(core, class);
}

/* The cycle in which the result of an operation is available; for accesses memory decides. cycles:
 * duration, 0: its latency. */
IN_BOTH uint64_t compute(struct core *core, const struct uop *uop, unsigned class, uint32_t cycles,
                         const bool rules)
{
    uint64_t duration = rules && cycles != 0 ? cycles : core->latency[uop->latency];
    if (inorder_is_plain(core, uop, class))
        return core->now + duration;
    uint64_t done = inorder_start(core, uop, class) + duration;
    if (inorder_is_iterative(uop, class))
        inorder_take_divider(core, uop, class, done);
    return done;
}

/* The actions common to all instructions that issue; uop->complete_cycle is known. */
static inline void leave_issue(struct core *core, struct uop *uop, uint64_t seq, unsigned class)
{
    join_group(core, class);
    take_register(core, uop, seq);
    inorder_count(core, uop);
}

/* An integer operation: it does not trap and was not predicted. */
IN_BOTH void issue_simple(struct core *core, struct uop *uop, uint64_t seq, unsigned class,
                          const bool rules)
{
    uint32_t cycles = rules ? inorder_operand_cycles(core, uop, class) : 0;
    execute_simple(core, uop);
    uop->complete_cycle = compute(core, uop, class, cycles, rules);
    if (rules) {
        uop->complete_cycle = port_ends(core, uop, seq, class, cycles);
        port_issued(core, uop, seq);
    }
    leave_issue(core, uop, seq, class);
}

IN_BOTH void issue(struct core *core, struct uop *uop, uint64_t seq, unsigned class, uint64_t ready,
                   const bool rules)
{
#ifndef MODEL_ANSWERS           /* a model's answers stand at one place */
    if (execute_is_simple(uop)) {
        issue_simple(core, uop, seq, class, rules);
        return;
    }
#endif
    if (class == INORDER_LOAD) {
        uop->flags |= UOP_IS_LOAD;
        core->loads_used++;
    } else if (class == INORDER_STORE) {
        uop->flags |= UOP_IS_STORE;
    }
    uint32_t cycles = rules ? inorder_operand_cycles(core, uop, class) : 0;
#ifdef MODEL_ANSWERS
    execute_uop(core, uop);
#else
    execute_the_others(core, uop);
#endif
    if (uop->trap != TRAP_NONE)
        ready = core->now + 1;
    uop->complete_cycle = ready != 0 ? ready : compute(core, uop, class, cycles, rules);
    if (rules && uop->trap == TRAP_NONE)
        uop->complete_cycle = port_ends(core, uop, seq, class, cycles);
    if (rules && (uop->flags & UOP_MISPREDICTED))
        port_mispredicted(core, uop, seq);
    if (uop->flags & UOP_MISPREDICTED) {        /* later ones must not commit before */
        uop->complete_cycle += uop->predicted_pc == BPRED_UNKNOWN
                                   ? 0 : core_config(core)->recover_resolve_cycles;
        redirect_schedule(core, uop->complete_cycle, seq, uop->next_pc, false);
    }
    if (rules)
        port_issued(core, uop, seq);
    if (rules && core->learns_at_issue && (uop->flags & UOP_CONTROL))
        control_resolve(core, uop);
    if (uop->flags & UOP_IS_STORE) {
        store_queue_push(core, uop, seq);
        struct store *store = store_queue_at(core, uop->store_number);
        store->is_issued = true;
        store->data_ready = ready;
        store->is_written = rules && port_store_is_written(core);
        store->is_fp = rules && uop->insn.rs2 >= REG_F0;
    }
    leave_issue(core, uop, seq, class);
}

/* A due interrupt comes before an instruction that acts at once. */
static bool may_act(struct core *core, const struct uop *uop)
{
    if (!core_is_empty(core) || cpu_is_interrupted(core->cpu))
        return false;
    if (uop->kind != KIND_CSR)
        return core->sq.head == core->sq.tail;
    return port_csr_may_act(core);
}

static uint64_t acting_cycles(struct core *core, struct uop *uop)
{
    bool is_access = uop->kind == KIND_LOAD || uop->kind == KIND_STORE ||
                     (uop->kind >= KIND_LR && uop->kind <= KIND_AMO);
    return is_access ? lsu_serial_cycles(core, uop) : core->latency[LAT_CSR];
}

APART void issue_serial(struct core *core, struct uop *uop, uint64_t seq)
{
    execute_serial(core, uop);
    uop->complete_cycle = core->now + acting_cycles(core, uop);
    port_issued(core, uop, seq);
    take_register(core, uop, seq);
    core->serial_in_flight = true;
}

/* ---- the stage ------------------------------------------------------------------------------- */

/* Issues the next instruction, or returns the cause of its wait: a SLOTS_* event, or the LOST_*
 * event if there is no instruction. rules: inorder_has_rules(). */
IN_BOTH unsigned issue_next(struct core *core, const bool rules)
{
    struct inorder *inorder = core->inorder;
    uint64_t seq = core->dispatch_seq, ready = 0;
    if (seq == core->decode_seq)
        return account_starved(core);
    struct uop *uop = core_uop(core, seq);
    if (uop->decode_cycle + core_config(core)->decode_stages + core_config(core)->rename_stages >
        core->now)
        return account_starved(core);
    if (core->serial_in_flight && (!rules || !port_goes_on(core)))
        return EVENT_SLOTS_SERIAL;
    if (rules && port_is_starved(core))
        return account_starved(core);
    unsigned class = issue_class(uop);
    if ((uop->flags & (UOP_ACCESSES | UOP_ADDRESSED | UOP_SERIAL)) == UOP_ACCESSES &&
        (!rules || !port_gives(core, uop->insn.rs1)))
        execute_address(core, uop);
    if (rules && uop->kind == KIND_FENCE)
        port_fence(core, uop);
    bool is_serial = (uop->flags & UOP_SERIAL) != 0;
    bool is_buffered = rules && is_serial && port_buffers(core, uop);
    if (is_serial && !is_buffered && !may_act(core, uop))
        return EVENT_SLOTS_SERIAL;
    if (is_buffered ? !port_may_buffer(core, uop, seq)
                    : !is_serial &&
                          need_all(core, uop, seq, class, &ready, rules) != INORDER_GO) {
        uop->door_cause = inorder->wait.cpi;
        return inorder->wait.slots;
    }
    uop->dispatch_cycle = uop->issue_cycle = core->now;
    uop->state = UOP_ISSUED;
    if (is_buffered) {
        port_buffered(core, uop, seq);
        take_register(core, uop, seq);
    } else if (is_serial) {
        issue_serial(core, uop, seq);
    } else {
        issue(core, uop, seq, class, ready, rules);
    }
    core->dispatch_seq++;
    return 0;
}

/* Charges slots to the cause returned by issue_next. */
static inline void lose_slots(struct core *core, unsigned cause, uint32_t slots)
{
    if (cause >= EVENT_SLOTS_OPERAND && cause <= EVENT_SLOTS_PAIRING)
        account_lost(core, (struct lost){(uint8_t)cause, core->inorder->wait.lost}, slots);
    else
        account_slots(core, cause, slots);
}

IN_BOTH void issue_group(struct core *core, const bool rules)
{
    uint32_t width = core_config(core)->dispatch_width, used = 0;
    unsigned cause = 0;
    while (used < width && (cause = issue_next(core, rules)) == 0)
        used++;
    if (used != 0) {
        core->active = true;
        core->events[EVENT_DISPATCHED] += used;
        core->events[EVENT_ISSUED] += used;
    }
    if (used != width)
        lose_slots(core, cause, width - used);
}

APART void issue_by_rules(struct core *core)
{
    issue_group(core, true);
}

void inorder_step(struct core *core, uint64_t freed)
{
    struct inorder *inorder = core->inorder;
    const bool rules = inorder_has_rules(core);
    inorder->wake = NEVER;
    port_step(core);
    if (counts_in_groups(core))
        inorder->group = (struct inorder_group){.allowed = 0};
    inorder->group.allowed = UINT8_MAX;
    inorder->group.full_seq = freed + core_config(core)->rob_entries;
    if (__builtin_constant_p(rules) && rules)
        issue_group(core, true);        /* in such an instance it is the usual way */
    else if (rules)
        issue_by_rules(core);
    else
        issue_group(core, false);
}

uint64_t inorder_next(const struct core *core)
{
    return earlier(core->inorder->wake, port_next(core));
}

bool inorder_is_sane(const struct core *core)
{
    const struct inorder *inorder = core->inorder;
    for (uint64_t seq = core->commit_seq; seq < core->dispatch_seq; seq++) {
        const struct uop *uop = core_uop(core, seq);
        unsigned rd = uop->insn.rd;
        if (port_is_late(core, uop, seq))
            continue;
        if (uop->state != UOP_ISSUED || uop->complete_cycle == NEVER)
            return false;
        if (rd != REG_SINK && core->last_writer[rd] == seq &&
            inorder->ready[rd] != uop->complete_cycle)
            return false;
    }
    return inorder->wake >= core->now;
}
