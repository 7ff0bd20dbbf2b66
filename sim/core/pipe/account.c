/* Accounting: one cause for every dispatch slot and for every cycle of the pipeline.
 *
 * Slots, at dispatch. An empty slot is charged to the cause that delayed the missing instruction.
 * Fetch notes the cause in the instruction, or in core->fetch_cause while there is none. Slots lost
 * because the back end is full are charged to memory or to a division if the oldest instruction
 * waits for one, else to the full resource. The tree is pmu/exact/topdown.def.
 *
 * Cycles, at commit (a CPI stack: Eyerman, Eeckhout, Karkhanis and Smith, "A Performance Counter
 * Architecture for Computing Accurate CPI Components", ASPLOS 2006; the commit-stage form). Cycles
 * without commit are charged once, when the next instruction leaves: those before it entered the
 * reorder buffer to the front end, those after that to the instruction. So idle cycles need no
 * work, and skipping them changes nothing.
 *
 * With pmu.oracle the same cycles are charged to instructions (pmu/exact/oracle.h).
 *
 * Guarantees: with nothing in flight, the leaves of the tree sum up to cycles * dispatch width, the
 * cpi_* events to cycles (core_accounts_are_exact).
 * Left out: overlap; a slot or cycle has one cause even when several would have cost it. */
#include <inttypes.h>

#include "pmu/exact/accesses.h"
#include "pmu/exact/calls.h"
#include "pmu/exact/oracle.h"
#include "pmu/exact/topdown.h"
#include "sim/base/cycle.h"
#include "sim/core/core.h"
#include "sim/core/fetch/ftq.h"
#include "sim/core/pipe/account_level.h"
#include "sim/core/pipe/back_port.h"
#include "sim/core/pipe/latency.h"
#include "sim/core/pipe/stage_account.h"
#include "sim/core/pipe/stage_back.h"
#include "sim/core/profile/marks.h"
#include "sim/core/profile/observe.h"

enum { WAIT_BYTES = 4 };         /* WFI, and ecall */

/* ---- dispatch slots -------------------------------------------------------------------------- */

static const uint8_t refill_of[] = {
    [SQUASH_BRANCH] = EVENT_LOST_BRANCH_REFILL, [SQUASH_ORDER] = EVENT_LOST_ORDER_REFILL,
    [SQUASH_FLUSH] = EVENT_LOST_FLUSH_REFILL,
};

unsigned account_starved(const struct core *core)
{
    if (core->dispatch_seq == core->fetch_seq)
        return core->fetch_cause;
    const struct uop *uop = core_uop(core, core->dispatch_seq);
    if (uop->fetch_cycle == NOT_YET && core->ftq->cause != 0)
        return core->ftq->cause;
    return uop->refill_cause != 0 ? uop->refill_cause : uop->fetch_cause;
}

/* The SLOTS_* event that a cause in the front end belongs to. */
static unsigned slots_of(unsigned leaf)
{
    switch (leaf) {
    case EVENT_LOST_BRANCH_REFILL:
    case EVENT_LOST_ORDER_REFILL:
    case EVENT_LOST_FLUSH_REFILL:
    case EVENT_LOST_SYSCALL:
        return EVENT_SLOTS_RECOVERY;
    case EVENT_LOST_ICACHE:
    case EVENT_LOST_ITLB:
        return EVENT_SLOTS_ICACHE;
    default:
        return EVENT_SLOTS_FRONTEND;
    }
}

static bool is_load(const struct uop *uop)
{
    return uop->kind == KIND_LOAD || (uop->kind >= KIND_LR && uop->kind <= KIND_AMO);
}

/* The memory level or division that the oldest instruction waits for, or waited for until now; else
 * 0. It depends on no clock, so it stays the same while nothing happens. */
static unsigned head_waits_for(const struct core *core)
{
    const struct uop *head = fusion_issued(core, core->commit_seq);
    if ((is_load(head) || head->kind == KIND_STORE) && head->state == UOP_WAITING &&
        (head->events & EVENT_BIT(DTLB_MISS)))
        return EVENT_LOST_DTLB;
    if (is_load(head))
        return account_lost_to_level(head->level);
    if (issue_is_iterative(head))
        return EVENT_LOST_DIVIDER;
    return 0;
}

/* The cause if no queue that takes the class of `uop` has room. */
static unsigned lost_to_queue(const struct core *core, const struct uop *uop)
{
    static const uint8_t leaf[UNIT_COUNT] = {
        [UNIT_INT] = EVENT_LOST_QUEUE_INT, [UNIT_BRANCH] = EVENT_LOST_QUEUE_BRANCH,
        [UNIT_COMPLEX] = EVENT_LOST_QUEUE_COMPLEX, [UNIT_LOAD] = EVENT_LOST_QUEUE_MEM,
        [UNIT_STORE] = EVENT_LOST_QUEUE_MEM, [UNIT_FP] = EVENT_LOST_QUEUE_FP,
    };
    uint32_t queues = core_shape(core)->class_queues[uop->unit_class];
    for (; queues != 0; queues &= queues - 1)
        if (core_groups_of(core, core->iq.left_groups, (unsigned)__builtin_ctz(queues)) != 0)
            return EVENT_LOST_PORTS;
    return leaf[uop->unit];
}

/* The cause if `uop` lacks a rename buffer of its kind or, failing that, the checkpoint of a
 * branch. A whole group waits for the kind of which fewer are free. */
static unsigned lost_to_renaming(const struct core *core, const struct uop *uop)
{
    unsigned rd = uop->insn.rd;
    bool waits_for_int = rd < REG_F0 && core->buffers_free[POOL_INT] == 0;
    bool waits_for_fp = rd / REG_F0 == POOL_FP && core->buffers_free[POOL_FP] == 0;
    if (port_is_whole(core)) {
        waits_for_int = core->buffers_free[POOL_INT] <= core->buffers_free[POOL_FP];
        waits_for_fp = !waits_for_int;
    }
    return waits_for_int ? EVENT_LOST_RENAME_INT
           : waits_for_fp ? EVENT_LOST_RENAME_FP : EVENT_LOST_CHECKPOINT;
}

/* slots: the SLOTS_* event of the resource that the next instruction lacks. */
static unsigned back_end_leaf(const struct core *core, unsigned slots)
{
    const struct uop *next = fusion_issued(core, core->dispatch_seq);
    if (slots == EVENT_SLOTS_LSQ_FULL && next->kind == KIND_STORE &&
        core->sq.head != core->sq.commit)
        return EVENT_LOST_STORE;
    unsigned waits_for = core_is_empty(core) ? 0 : head_waits_for(core);
    if (waits_for != 0)
        return waits_for;
    switch (slots) {
    case EVENT_SLOTS_RENAME_FULL: return lost_to_renaming(core, next);
    case EVENT_SLOTS_QUEUE_FULL: return lost_to_queue(core, next);
    case EVENT_SLOTS_LSQ_FULL: return EVENT_LOST_LOAD_QUEUE;
    default: return EVENT_LOST_ROB;
    }
}

void account_slots(struct core *core, unsigned cause, uint64_t slots)
{
    unsigned leaf = EVENT_NONE;
    if (cause > EVENT_SLOTS_IDLE) {
        leaf = cause;
        cause = slots_of(leaf);
    } else if (cause != EVENT_SLOTS_SERIAL) {
        leaf = back_end_leaf(core, cause);
    }
    account_lost(core, (struct lost){.slots = (uint8_t)cause, .leaf = (uint8_t)leaf}, slots);
}

void account_squash(struct core *core, enum squash_reason reason, uint64_t slots)
{
    static const uint8_t path[] = {
        [SQUASH_BRANCH] = EVENT_LOST_BRANCH_PATH, [SQUASH_ORDER] = EVENT_LOST_ORDER_PATH,
        [SQUASH_FLUSH] = EVENT_LOST_FLUSH_PATH,
    };
    core->events[EVENT_SLOTS_WRONG_PATH] += slots;
    core->events[path[reason]] += slots;
    core->fetch_cause = core->refill_cause = refill_of[reason];
}

/* ---- cycles ---------------------------------------------------------------------------------- */

static unsigned cpi_of_lost(unsigned leaf)
{
    switch (leaf) {
    case EVENT_LOST_BRANCH_REFILL: return EVENT_CPI_BRANCH;
    case EVENT_LOST_ORDER_REFILL: return EVENT_CPI_ORDER;
    case EVENT_LOST_FLUSH_REFILL: return EVENT_CPI_FLUSH;
    case EVENT_LOST_SYSCALL: return EVENT_CPI_SYSCALL;
    case EVENT_LOST_ICACHE: return EVENT_CPI_ICACHE;
    case EVENT_LOST_ITLB: return EVENT_CPI_ITLB;
    default: return EVENT_CPI_FETCH;
    }
}

/* The cause for which commit waits while an instruction is at the head. */
static unsigned cpi_of_head(const struct uop *uop)
{
    if (is_load(uop))
        return account_cpi_of_level(uop->level);
    if (uop->flags & UOP_SERIAL)
        return EVENT_CPI_SERIAL;
    switch (uop->kind) {
    case KIND_STORE: return EVENT_CPI_STORE;
    case KIND_FP: return EVENT_CPI_FP;
    default:
        return uop->latency == LAT_DIV ? EVENT_CPI_DIV :
               uop->latency == LAT_MUL ? EVENT_CPI_MUL : EVENT_CPI_INT;
    }
}

/* The cause that kept an instruction, which had arrived at dispatch, out of the empty reorder
 * buffer. */
static unsigned cpi_at_door(const struct core *core, const struct uop *head)
{
    if (core_is_in_order(core) && (head->flags & UOP_SERIAL) == 0)
        return head->door_cause;
    return head->kind == KIND_STORE ? EVENT_CPI_STORE : EVENT_CPI_SERIAL;
}

unsigned account_waiting(const struct core *core)
{
    const struct uop *next = core_uop(core, core->dispatch_seq);
    if (!core_is_empty(core)) {
        const struct uop *head = fusion_issued(core, core->commit_seq);
        bool is_walked_for = (head->events & EVENT_BIT(DTLB_MISS)) && head->state != UOP_ISSUED;
        return is_walked_for ? EVENT_CPI_DTLB : cpi_of_head(head);
    }
    bool has_arrived = core->dispatch_seq != core->decode_seq &&
                       next->decode_cycle + core_config(core)->decode_stages +
                               core_config(core)->rename_stages < core->now;
    return has_arrived ? cpi_at_door(core, next) : cpi_of_lost(account_starved(core));
}

/* The cpi_* events, as an array of causes. */
static uint64_t *cpi_events(struct core *core)
{
    return &core->events[EVENT_CPI_BASE];
}

/* Counts `empty` cycles until `head` entered the empty reorder buffer: its time until fetch, in the
 * pipeline, and at dispatch (at the door). own: for the cycles at the door that `head` caused
 * itself. */
static void count_empty(const struct core *core, const struct uop *head, uint64_t empty,
                        uint64_t lost[EVENT_CAUSES], uint64_t own[EVENT_CAUSES])
{
    const struct config *settings = core_config(core);
    uint64_t begin = head->dispatch_cycle - empty;
    uint64_t arrived = head->decode_cycle + settings->decode_stages + settings->rename_stages;
    uint64_t at_door = head->dispatch_cycle - later(arrived, begin);
    uint64_t in_pipe = later(arrived, begin) - later(head->fetch_cycle, begin);
    unsigned refill = head->refill_cause != 0 ? head->refill_cause : head->fetch_cause;
    if (core_extras(core) & EXTRA_UNDO)
        oracle_cause(lost, cpi_of_lost(refill), at_door);
    else if (at_door != 0)      /* else there is no cause either */
        oracle_cause(own, cpi_at_door(core, head), at_door);
    oracle_cause(lost, cpi_of_lost(refill), in_pipe);
    oracle_cause(lost, cpi_of_lost(head->fetch_cause), empty - at_door - in_pipe);
}

/* Counts the cycles from `begin` to `end`, with `head` at the head and no commit. A TLB miss delays
 * issue; the rest belongs to the operation. */
static void count_stalled(const struct uop *head, uint64_t begin, uint64_t end,
                          uint64_t causes[EVENT_CAUSES])
{
    uint64_t walked = begin;
    if (head->events & EVENT_BIT(DTLB_MISS)) {
        walked = head->state == UOP_ISSUED ? later(head->issue_cycle, begin) : end;
        walked = walked < end ? walked : end;
        oracle_cause(causes, EVENT_CPI_DTLB, walked - begin);
    }
    oracle_cause(causes, cpi_of_head(head), end - walked);
}

static struct oracle_place oracle_place_of(const struct core *core, const struct uop *uop)
{
    return oracle_at(core->oracle, uop->pc, uop->insn_pa, (uop->flags & UOP_MONITOR) != 0);
}

/* The number that the instruction has, or will have, among the program's committed instructions. */
static uint64_t ordinal_of(const struct core *core, const struct uop *uop)
{
    uint64_t index = (uint64_t)(uop - core->ring), ring = (uint64_t)core->ring_mask + 1;
    uint64_t distance = (index - core->commit_seq) & core->ring_mask;
    uint64_t next = pmu_program_insns(&core->cpu->pmu) + 1 + distance;

    return distance >= ring / 2 ? next - ring : next;
}

/* Charges the oracle with the cycles that count_waiting counts. A function of its own, so that
 * machines without the oracle keep their registers. */
APART void charge_waiting(struct core *core, const struct uop *head, uint64_t begin,
                          uint64_t entered, uint64_t last)
{
    struct oracle_causes empty = {.cycles = {0}}, stalled = {.cycles = {0}};
    if (entered > begin)
        count_empty(core, head, entered - begin, empty.cycles, stalled.cycles);
    count_stalled(head, entered, last, stalled.cycles);
    core->oracle->head_at = ordinal_of(core, head);
    oracle_wait(core->oracle, oracle_place_of(core, head), &empty, &stalled);
}
APART void charge_drained(struct core *core, unsigned cause, uint64_t cycles)
{
    struct oracle_causes empty = {.cycles = {0}};
    oracle_cause(empty.cycles, cause, cycles);
    oracle_drain(core->oracle, &empty);
}

/* Counts the cycles after counted_cycle up to `last`, in which nothing committed. `head` is the
 * next instruction to commit afterwards, or would have been. */
static void count_waiting(struct core *core, const struct uop *head, uint64_t last)
{
    uint64_t begin = core->counted_cycle, entered = later(head->dispatch_cycle, begin);
    if (last <= begin)
        return;
    if (entered > begin)
        count_empty(core, head, entered - begin, cpi_events(core), cpi_events(core));
    count_stalled(head, entered, last, cpi_events(core));
    core->counted_cycle = last;
    if (core->oracle != NULL)
        charge_waiting(core, head, begin, entered, last);
}

/* The same with nothing in the reorder buffer. */
static void count_drained(struct core *core, uint64_t last)
{
    uint64_t cycles = last - core->counted_cycle;
    if (last <= core->counted_cycle)
        return;
    unsigned cause = cpi_of_lost(account_starved(core));
    core->events[cause] += cycles;
    core->counted_cycle = last;
    if (core->oracle != NULL)
        charge_drained(core, cause, cycles);
}

/* The level that has the line of a committed store. */
static enum access_level store_level(const struct core *core, const struct uop *uop)
{
    switch (memsys_probe(core->mem, uop->pa)) {
    case MEM_L2: return ACCESS_L2;
    case MEM_L3: return ACCESS_L3;
    default: return ACCESS_DRAM;
    }
}

/* A load, store or atomic of the program has committed. */
APART void note_access(const struct core *core, const struct uop *uop)
{
    bool is_store = uop->kind == KIND_STORE;
    const struct access access = {
        .pc = cpu_key(core->cpu, uop->pc), .va = cpu_key(core->cpu, uop->va),
        .events = uop->events,
        .kind = is_store ? ACCESS_STORE : uop->kind == KIND_LOAD ? ACCESS_LOAD : ACCESS_ATOMIC,
        .is_user = uop->priv == PRIV_U,
        .store_level = is_store ? store_level(core, uop) : ACCESS_NONE,
        .cycles = is_store ? 0 : uop->access_cycles,
    };

    if ((uop->flags & UOP_MONITOR) == 0)
        accesses_add(core->oracle->accesses, &access);
}

/* If calls are measured in an event instead of cycles, an instruction is charged even if the event
 * did not happen to it, since calls take effect when the instruction after them is charged. */
static void charge_calls(const struct core *core, struct oracle_place place, const struct uop *uop,
                         uint64_t units)
{
    struct calls *calls = core->oracle->calls;
    unsigned event = calls_event(calls);

    if (event != EVENT_NONE)
        units = ORACLE_UNITS * (event_scope(event) == SCOPE_INSN
                                    ? uop->events >> event & 1
                                    : calls_happened(calls, core->events[event]));
    oracle_charge_calls(calls, place, ordinal_of(core, uop), units);
}

RARELY void account_charge(struct core *core, uint64_t first)
{
    uint32_t count = (uint32_t)(core->commit_seq - first), share = ORACLE_UNITS / count;
    uint32_t units = ORACLE_UNITS - (count - 1) * share;
    const struct uop *uop = NULL;
    struct oracle_place place = {NULL, 0};
    for (uint64_t seq = first; seq != core->commit_seq; seq++, units = share) {
        uop = core_uop(core, seq);
        place = oracle_place_of(core, uop);
        oracle_commit(place, units);
        oracle_happened(place, uop->events);
        if (core->oracle->accesses != NULL &&
            cpu_accessed_bytes(uop->kind, uop->access_bytes, uop->value) != 0)
            note_access(core, uop);
        if (core->oracle->calls != NULL)
            charge_calls(core, place, uop, units);
        if (uop->kind == KIND_BRANCH || uop->kind == KIND_JAL || uop->kind == KIND_JALR)
            oracle_branch(place, uop->kind != KIND_BRANCH ||
                                 (uop->events & EVENT_BIT(BRANCHES_TAKEN)) != 0,
                          (uop->flags & UOP_MISPREDICTED) != 0);
    }
    bool flushes = (uop->flags & (UOP_MISPREDICTED | UOP_FLUSH_AFTER)) != 0;
    oracle_blame(core->oracle, flushes ? &place : NULL, (uop->flags & UOP_MISPREDICTED) != 0);
    core->oracle->culprit_at = ordinal_of(core, uop);
}

void account_waited(struct core *core, uint64_t first)
{
    count_waiting(core, fusion_issued(core, first), core->now - 1);
}

void account_flush(struct core *core, uint64_t cycle, const struct uop *culprit)
{
    if (culprit != NULL)
        count_waiting(core, culprit, cycle);
    else if (!core_is_empty(core))
        count_waiting(core, fusion_issued(core, core->commit_seq), cycle);
    else
        count_drained(core, cycle);
    if (core->sampling != NULL)
        sampling_flush(core, cycle, culprit);
    if (core->oracle == NULL)
        return;
    struct oracle_place place = {NULL, 0};
    if (culprit != NULL)
        place = oracle_place_of(core, culprit);
    core->oracle->culprit_at = culprit != NULL ? ordinal_of(core, culprit) : 0;
    oracle_blame(core->oracle, culprit != NULL ? &place : NULL, false);
}

/* Does nothing unless the wait began in another engine, or a monitor has interrupted it, whose
 * return then was the last instruction to leave. */
void account_wait(struct core *core)
{
    uint64_t va = hart_address(core->hart, core->commit_pc - WAIT_BYTES), pa;
    if (core->sampling != NULL)
        sampling_wait(core, va);
    if (core->oracle == NULL ||
        mmu_probe(&core->cpu->mmu, va, MMU_FETCH, core->hart->priv, &pa) != TRAP_NONE)
        return;
    struct oracle_place place = oracle_at(core->oracle, va, pa, false);
    const struct oracle_place *last = &core->oracle->culprit;
    if (last->page == place.page && last->slot == place.slot)
        return;
    core->oracle->culprit_at = pmu_program_insns(&core->cpu->pmu);
    oracle_blame(core->oracle, &place, false);
}

void account_idle(struct core *core, uint64_t cycles)
{
    core->events[EVENT_SLOTS_IDLE] += cycles * core_config(core)->dispatch_width;
    core->events[EVENT_CPI_IDLE] += cycles;
    core->counted_cycle += cycles;
    if (core->oracle != NULL)
        charge_drained(core, EVENT_CPI_IDLE, cycles);
}

/* ---- the sums -------------------------------------------------------------------------------- */

static uint64_t sum_of_scope(const struct core *core, unsigned scope)
{
    uint64_t sum = 0;
    for (unsigned code = 1; code < EVENT_COUNT; code++)
        sum += event_scope(code) == scope ? core->events[code] : 0;
    return sum;
}

bool core_accounts_are_exact(const struct core *core, char *text, size_t bytes)
{
    uint64_t cycles = core->now - 1 - core->warm_cycles;
    uint64_t slots = cycles * core_config(core)->dispatch_width, tree[TOPDOWN_COUNT];
    uint64_t in_flight = core->dispatch_seq - core->commit_seq - core->fused_in_flight;
    uint64_t flat = sum_of_scope(core, SCOPE_SLOT), cpi = sum_of_scope(core, SCOPE_CPI);
    topdown_sum(core->events, tree);
    if (flat + in_flight == slots && tree[TOPDOWN_SLOTS] + in_flight == slots &&
        cpi == core->counted_cycle - core->warm_cycles && (!core->needs_restart || cpi == cycles))
        return true;
    snprintf(text, bytes, "accounts are wrong: of %" PRIu64 " cycles (%" PRIu64 " dispatch slots, "
             "%" PRIu64 " in flight), %" PRIu64 " cycles and %" PRIu64 " slots have a cause, "
             "%" PRIu64 " a finer one", cycles, slots, in_flight, cpi, flat, tree[TOPDOWN_SLOTS]);
    return false;
}

bool core_oracle_is_exact(const struct core *core, char *text, size_t bytes)
{
    uint64_t cycles = core->counted_cycle - core->warm_cycles;
    if (core->oracle == NULL)
        return true;
    if (oracle_total(core->oracle) != cycles * ORACLE_UNITS) {
        snprintf(text, bytes, "the oracle profile is wrong: %" PRIu64 " units in %" PRIu64
                 " cycles", oracle_total(core->oracle), cycles);
        return false;
    }
    const struct oracle_causes causes = oracle_causes(core->oracle);
    for (unsigned code = EVENT_CPI_BASE + 1; code <= EVENT_CPI_IDLE; code++) {
        uint64_t charged = causes.cycles[code - EVENT_CPI_BASE];
        if (charged == core->events[code])
            continue;
        snprintf(text, bytes, "the oracle profile is wrong: %" PRIu64 " of %" PRIu64 " %s",
                 charged, core->events[code], event_name(code));
        return false;
    }
    return true;
}

void core_follow_accesses(struct core *core, struct accesses *accesses)
{
    if (core->oracle != NULL)
        core->oracle->accesses = accesses;
}

const struct oracle *core_oracle(const struct core *core)
{
    return core->oracle;
}
