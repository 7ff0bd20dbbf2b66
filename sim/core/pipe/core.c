/* The pipeline as a whole: construction, one cycle, skipping of idle cycles. */
#include "pmu/exact/oracle.h"
#include "sim/base/issue_plan.h"
#include "sim/core/bpred/bpred.h"
#include "sim/core/fetch/fetch_port.h"
#include "sim/core/fetch/ftq.h"
#include "sim/core/fetch/predecode.h"
#include "sim/core/inorder/inorder.h"
#include "sim/core/instance/instance.h"
#include "sim/core/lsu/late_loads.h"
#include "sim/core/lsu/memdep.h"
#include "sim/core/pipe/back_port.h"
#include "sim/core/inorder/inorder_port.h"
#include "sim/core/pipe/stage.h"
#include "sim/core/pipe/stage_back.h"
#include "sim/core/pipe/stage_front.h"
#include "sim/core/pipe/stage_mode.h"
#include "sim/core/pipe/stage_queue.h"
#include "sim/core/pipe/stage_stores.h"
#include "sim/core/pipe/tally.h"
#include "sim/core/profile/awaited.h"
#include "sim/core/profile/metadata.h"
#include "sim/core/profile/profile_window.h"
#include "sim/core/wait.h"

#include <assert.h>
#include <stdlib.h>

static void set_tables(struct core *core, const struct config *config)
{
    const uint32_t latency[LAT_COUNT] = {
        [LAT_INT] = config->latency_int, [LAT_MUL] = config->latency_mul,
        [LAT_DIV] = config->latency_div, [LAT_LOAD] = config->latency_load,
        [LAT_FADD] = config->latency_fadd, [LAT_FMUL] = config->latency_fmul,
        [LAT_FMA] = config->latency_fma, [LAT_FDIV] = config->latency_fdiv,
        [LAT_FSQRT] = config->latency_fsqrt, [LAT_FMISC] = config->latency_fmisc,
        [LAT_FMV_F] = config->latency_fmisc, [LAT_FCVT_X] = config->latency_fmisc,
        [LAT_FCVT_F] = config->latency_fmisc, [LAT_CSR] = config->latency_csr,
        [LAT_PC] = config->latency_int,
    };
    memcpy(core->latency, latency, sizeof latency);
    core->extras = core_extras_of(config);
    core->early_cycles = config->latency_load;
    core->iq.issuing = NOT_ISSUING;
    core->learns_at_issue = config->bpred_train != 0;
    core->iq.acts_at_issue = UOP_REPLAYING | UOP_MISPREDICTED | UOP_CHECKPOINT | UOP_FUSED |
                             (core->learns_at_issue ? UOP_CONTROL : 0);
    uint32_t mapped = config->rename_kind == RENAME_PHYSICAL ? REG_F0 : 0;
    const uint32_t buffers[] = {config->rename_int_buffers - mapped,
                                config->rename_fp_buffers - mapped, RING_MAX};
    memcpy(core->buffers_free, buffers, sizeof buffers);
    if (core_extras(core) & EXTRA_SHARED)
        rename_share_init(core, config->rename_int_buffers);
}

static void set_ports(struct core *core, const struct issue_plan *plan, unsigned queue)
{
    for (unsigned port = 0; port < plan->port_count; port++) {
        if ((plan->port[port].queues >> queue & 1) == 0)
            continue;
        for (unsigned class = 0; class < CLASS_COUNT; class++)
            if (plan->queue[queue].classes & plan->port[port].classes & 1u << class)
                core->iq.class_ports[queue][class] |= 1u << port;
    }
    for (unsigned class = 0; class < CLASS_COUNT; class++)
        core->iq.queue_ports[queue] |= core->iq.class_ports[queue][class];
}

/* The first two ports that take simple integer operations have events of their own. */
static void name_int_units(struct core *core)
{
    uint32_t ports = 0;
    for (unsigned queue = 0; queue < core_shape(core)->queue_count; queue++)
        ports |= core->iq.class_ports[queue][CLASS_ALU] | core->iq.class_ports[queue][CLASS_SHIFT];
    for (unsigned event = EVENT_UNIT_INT_A_BUSY; ports != 0 && event <= EVENT_UNIT_INT_B_BUSY;
         ports &= ports - 1, event++)
        core->iq.int_event[__builtin_ctz(ports)] = (uint8_t)event;
}

static void set_issue(struct core *core, const struct config *config)
{
    struct issue_plan plan;
    enum err err = issue_plan_make(config, &plan, NULL);
    assert(err == ERR_OK);          /* config_check refuses the others */
    (void)err;
    core->iq.shape = core_shape_of(config);
    core->iq.ready = core->iq.bitmaps[0];
    core->iq.ready_next = core->iq.bitmaps[1];
    for (unsigned queue = 0; queue < plan.queue_count; queue++) {
        core->iq.queue_size[queue] = plan.queue[queue].size;
        set_ports(core, &plan, queue);
        core->iq.ports |= core->iq.queue_ports[queue];
    }
    name_int_units(core);
    for (unsigned class = 0; class < CLASS_COUNT; class++) {
        uint32_t queues = core->iq.shape.class_queues[class];   /* 0: no such operations are made */
        bool is_one = queues != 0 && (queues & (queues - 1)) == 0;
        core->iq.class_queue[class] = is_one ? (uint8_t)__builtin_ctz(queues) : QUEUE_SEVERAL;
    }
}

static void set_rings(struct core *core, const struct config *config)
{
    uint32_t entries = core_ring_entries(config);
    core->decode_room = core_decode_room(config);
    core->ring_mask = entries - 1;
    core->ring_words = entries / 64;
    core->sq.places = store_queue_places(config);
    core->sq.mask = core_power_above(core->sq.places) - 1;
    core->commit_seq = core->dispatch_seq = core->decode_seq = core->fetch_seq = core->next_id = 1;
    core->redirect_next = core->commit_page = core->stopped_seq = NEVER;
    core->needs_restart = true;
    core->stop_pc = NO_STOP_PC;
    core->now = core->mode_from = 1;
    core->fetch_cause = EVENT_LOST_BANDWIDTH;
}

/* The fields of an instruction are ordered by cache lines of the host. */
static struct uop *new_ring(struct core *core, size_t entries)
{
    struct uop *ring = aligned_alloc(UOP_LINE_BYTES, entries * sizeof *ring);
    if (ring != NULL)
        memset(ring, 0, entries * sizeof *ring);
    for (size_t i = 0; ring != NULL && i < entries; i++)
        core->at[i] = &ring[i];
    return ring;
}

struct core *core_new(struct cpu *cpu, struct memshared *shared)
{
    struct core *core = calloc(1, sizeof *core);
    if (core == NULL)
        return NULL;
    core->cpu = cpu;
    core->hart = &cpu->hart;
    core->events = cpu->pmu.events;
    core->config = cpu->config;
    set_tables(core, cpu->config);
    set_rings(core, cpu->config);
    set_issue(core, cpu->config);
    core->mem = memsys_new(cpu->config, shared, core->events);
    core->ftq = ftq_new(core->fetch_seq);
    core->memdep = calloc(1, sizeof *core->memdep);
    core->ahead = ahead_new(cpu->config);
    core->bpred = bpred_new(cpu->config, core->ring_mask + 1);
    core->fetches_otherwise = core->ahead != NULL;
    core->predecode = predecode_new(cpu->phys, hart_xlen(&cpu->hart));
    core->ring = new_ring(core, core->ring_mask + 1);
    core->imark = calloc(core->ring_mask + 1, sizeof core->imark[0]);
    core->snapshot = calloc(core->ring_mask + 1, sizeof core->snapshot[0]);
    core->sq.store = calloc(core->sq.mask + 1, sizeof core->sq.store[0]);
    core->awaited = calloc(core->sq.mask + 1, sizeof core->awaited[0]);
    if (cpu->config->pmu_oracle)
        core->oracle = oracle_new(PHYS_RAM_BASE, cpu->phys->ram_bytes);
    if (cpu->config->sampling_period != 0)
        core->sampling = sampling_new(cpu->config);
    if (core->oracle != NULL)
        oracle_follow(core->oracle, &cpu->pmu.thread);
    if (core->oracle != NULL || core->sampling != NULL)
        core->extras |= EXTRA_BESIDE;
    if (cpu->config->core_kind == CORE_IN_ORDER)
        core->inorder = inorder_new(cpu->config);
    bool is_late = late_loads_are_followed(cpu->config);
    core->late = is_late ? late_loads_new() : NULL;
    if (core_extras(core) & EXTRA_SLOTS)
        slots_init(core);
    if ((is_late && core->late == NULL) || !core->mem || !core->bpred ||
        !core->predecode || !core->ring || !core->imark || !core->snapshot || !core->sq.store ||
        !core->awaited || !core->ftq || !core->memdep ||
        (cpu->config->pmu_oracle && !core->oracle) ||
        (cpu->config->sampling_period != 0 && !core->sampling) ||
        (cpu->config->core_kind == CORE_IN_ORDER && !core->inorder)) {
        core_free(core);
        return NULL;
    }
    core->fetch_across = predecode_across(core->predecode);
    core_use_memory(core, core->mem);
    memsys_set_entry_bytes(core->mem, hart_xlen(core->hart) / 8);
    core->instance = instance_find(core->config, core->extras);
    if (isolation_init(core) && instance_start(core))
        return core;
    core_free(core);
    return NULL;
}

void core_free(struct core *core)
{
    if (core == NULL)
        return;
    memsys_free(core->mem);
    late_loads_free(core->late);
    bpred_free(core->bpred);
    ahead_free(core->ahead);
    isolation_free(core->isolation);
    if (!core->shares_predecode)
        predecode_free(core->predecode);
    oracle_free(core->oracle);
    sampling_free(core->sampling);
    inorder_free(core->inorder);
    instance_end(core);
    free(core->ring);
    free(core->imark);
    free(core->snapshot);
    free(core->sq.store);
    free(core->awaited);
    free(core->ftq);
    free(core->memdep);
    free(core);
}

void core_share_code(struct core *core, const struct core *owner)
{
    if (!core->shares_predecode)
        predecode_free(core->predecode);
    core->predecode = owner->predecode;
    core->fetch_across = predecode_across(core->predecode);
    core->shares_predecode = true;
}

struct memsys *core_memsys(struct core *core)
{
    return core->mem;
}

APART void run_cycles(struct core *core, uint64_t deadline, bool skip);

/* An instruction that acts at the head of the reorder buffer has its effects before it commits, and
 * must not be executed again. */
static void commit_acted(struct core *core)
{
    const uint64_t acted = UOP_SERIAL | UOP_EXECUTED;
    while (!core_is_empty(core)) {
        const struct uop *head = core_uop(core, core->commit_seq);
        if ((head->flags & acted) != acted || head->trap != TRAP_NONE)
            return;
        core_note_mode(core);
        core->attend_at = 0;
        core->limit_seq = core->commit_seq + 1;     /* though the run's limit is reached */
        run_cycles(core, core->now + 1, false);
    }
}

void core_discard(struct core *core)
{
    if (core->needs_restart)
        return;
    commit_acted(core);
    account_flush(core, core->now - 1, NULL);
    squash_all(core, core->commit_pc);
    core->hart->pc = core->commit_pc;
    core->needs_restart = true;
}

void core_restart(struct core *core)
{
    core_settle(core);
    predecode_drop_stale(core->predecode);
    memsys_flush_tlbs(core->mem);
}

/* The system call has been served, and its sleep is over. */
static void charge_host_call(struct core *core)
{
    if (core->host_call_cycles == 0)
        return;
    core->fetch_stall_until = core->now + core->host_call_cycles;
    core->fetch_cause = EVENT_LOST_SYSCALL;
    core->host_call_cycles = 0;
}

static void restart(struct core *core)
{
    core->needs_restart = false;
    port_restarts(core);
    core->commit_pc = core->fetch_pc = core->hart->pc;
    core->commit_page = NEVER;
    core->fetch_page_va = NO_FETCH_PAGE;
    core->fetch_blocked = false;
    core->fetch_stall_until = core->now;
    if (!core->hart->waiting)
        charge_host_call(core);
    core_profiling_changed(core);
}

/* ---- cycles ---------------------------------------------------------------------------------- */

/* Accounts for `count` cycles in which the pipeline had its present state. tally_settle_mode counts
 * the cycles of the hart's mode. */
static inline void account(struct core *core, uint64_t count, bool committed)
{
    uint64_t *events = core->events;
    events[EVENT_CYCLES] += count;
    if (!committed)
        events[EVENT_CYCLES_NO_COMMIT] += count;
    core->now += count;
    port_passed(core, count);
}

/* False: wheel_step would do nothing. */
static inline bool wheel_has_due(const struct core *core)
{
    return core->iq.wheel_groups[core->now % WHEEL_SLOTS] != 0;
}

/* False: issue_step would do nothing. Parts that most machines are without do something in each
 * cycle. */
static inline bool issue_has_work(const struct core *core)
{
    return core->iq.ready_groups != 0 || !issue_is_at_once(core_extras(core));
}

static inline bool decode_has_work(const struct core *core)
{
    return core->decode_seq != core->fetch_seq &&
           core->decode_seq - core->dispatch_seq < core->decode_room;
}

/* The in-order stage is entered unless an instruction continues to wait for a register, or none is
 * there. */
static inline void run_in_order(struct core *core, uint64_t freed)
{
    if (inorder_is_stalled(core)) {
        account_skipped(core, 1);
    } else if (core->dispatch_seq == core->decode_seq && port_knows_all(core)) {
        core->inorder->wake = NEVER;
        account_slots(core, account_starved(core), core_config(core)->dispatch_width);
    } else {
        inorder_step(core, freed);
    }
}

/* Stages without work are not entered. They are called only here, so that an optimization of the
 * whole program makes them one function with this one. */
static inline void run_cycle(struct core *core)
{
    uint64_t first = core->commit_seq;
    if (core->redirect_next <= core->now)
        resolve_step(core);
    if ((!commit_is_interrupted(core) || !commit_interrupt(core)) && commit_is_due(core))
        commit_step(core);
    if (core->sq.head != core->sq.commit)
        drain_step(core);
    if (!core_is_in_order(core)) {
        if (wheel_has_due(core))
            wheel_step(core);
        core->iq.left_groups = 0;
        if (issue_has_work(core))
            issue_step(core);
        dispatch_step(core);
    } else {
        run_in_order(core, first);
    }
    if ((core_extras(core) & EXTRA_BESIDE) && core->sampling != NULL)
        sampling_step(core);
    if (!port_decodes(core) && decode_has_work(core))
        decode_step(core);
    if (port_is_in_fetch(core) || fetch_has_work(core))
        fetch_step(core);
    account(core, 1, core->commit_seq != first);
#ifdef RVSIM_CHECK
    assert(core_is_sane(core));
#endif
}

static void skip_idle(struct core *core, uint64_t deadline)
{
    uint64_t next = earlier(idle_until(core), deadline);
    if (next == NEVER || next <= core->now || core->cpu->pmu.armed != 0 ||
        !port_is_settled(core))
        return;
    uint64_t count = next - core->now;
    account_skipped(core, count);
    if (core->sampling != NULL)
        sampling_skip(core, count);
    account(core, count, false);
}

static void idle(struct core *core, uint64_t count)
{
    core->events[EVENT_CYCLES_IDLE] += count;
    account_idle(core, count);
    core->stuck_seq = core->commit_seq;             /* a waiting hart is not stuck */
    core->stuck_from = core->counted_cycle;
    if (core->sampling != NULL)
        sampling_skip(core, count);
    places_pass(core, count);
    account(core, count, false);
}

/* The hart waits in WFI or sleeps in a system call: cycles without any work, until the deadline or
 * until an interrupt, a counter that overflows or the end of its sleep wakes it. */
static enum stop wait_for_interrupt(struct core *core, uint64_t deadline)
{
    struct pmu *pmu = &core->cpu->pmu;
    account_wait(core);
    while (cpu_sleeps(core->cpu)) {
        if (cpu_is_interrupted(core->cpu))
            return commit_interrupt_wait(core);
        uint64_t quiet = pmu_quiet_cycles(pmu, core_config(core)->dispatch_width);
        if (deadline == NEVER && quiet == NEVER)
            return STOP_WAITING;
        if (core->now >= deadline)
            return STOP_QUOTA;
        quiet = earlier(quiet, cpu_sleep_left(core->cpu));
        idle(core, earlier(quiet, deadline - core->now));
        core_note_overflow(core);
    }
    cpu_wake(core->cpu);
    charge_host_call(core);
    return core->now >= deadline ? STOP_QUOTA : STOP_NONE;
}

/* A change of the clock by a cycle is checked before the next one. */
static inline bool clock_stops(const struct core *core)
{
    return core->clock_touched && core->stop == STOP_NONE;
}

/* True if the run does not end before the next cycle and the hart does not sleep. */
static inline bool goes_on(struct core *core, uint64_t deadline)
{
    if (core->now < core->attend_at)
        return true;
    if (core->stop != STOP_NONE || core->clock_touched || core->hart->waiting ||
        core->now >= deadline)
        return false;
    core->attend_at = core->cpu->pmu.armed != 0 ? 0 : deadline;
    return true;
}

/* Runs at least one cycle. Without skip no cycle counts as idle. */
APART void run_cycles(struct core *core, uint64_t deadline, bool skip)
{
    do {
        core->active = !skip;
        run_cycle(core);
        if (core->active && core->now < core->attend_at)
            continue;
        if (core->cpu->pmu.armed != 0)
            core_note_overflow(core);
        if (!core->active && !clock_stops(core))
            skip_idle(core, deadline);
    } while (goes_on(core, deadline));
    tally_settle(core);
}

/* Returns STOP_NONE if cycles can be run, up to attend_at. */
static enum stop attend(struct core *core, uint64_t deadline)
{
    enum stop stop = core->stop;
    if (stop == STOP_NONE && core->now >= deadline)
        stop = STOP_QUOTA;
    if (stop == STOP_NONE && core->hart->waiting && core_is_empty(core))
        stop = wait_for_interrupt(core, deadline);
    bool is_apart = core->hart->waiting || core->clock_touched || core->cpu->pmu.armed != 0;
    core->attend_at = is_apart ? 0 : deadline;
    return stop;
}

static enum stop run_until(struct core *core, uint64_t deadline, bool skip)
{
    enum stop stop;
    while ((stop = attend(core, deadline)) == STOP_NONE) {
        run_cycles(core, deadline, skip);
        if (clock_stops(core)) {
            core->clock_touched = false;
            return STOP_QUOTA;
        }
    }
    return stop;
}

enum stop core_advance(struct core *core, uint64_t insns, uint64_t cycles, bool skip)
{
    uint64_t deadline = cycles > NEVER - core->now ? NEVER : core->now + cycles;
    core->limit_seq = core->commit_seq + earlier(later(insns, 1), NEVER - core->commit_seq);
    core->stop = STOP_NONE;
    if (core->needs_restart) {
        restart(core);
        if (core->cpu->phys->event)                 /* of instructions committed as the core
                                                     * settled */
            return STOP_EVENT;
    }
    if (cpu_take_late_effects(core->cpu) != 0)      /* by another hart */
        core_profiling_changed(core);
    core_note_mode(core);
    return run_until(core, deadline, skip);
}
