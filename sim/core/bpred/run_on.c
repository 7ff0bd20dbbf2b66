/* Fetch that runs on while the loop buffer feeds decode: as in the C910 (ct_ifu_ifctrl.v,
 * ct_ifu_ipctrl.v, ct_ifu_l0_btb.v beside ct_ifu_lbuf.v in state ACTIVE).
 *
 * When the loop buffer takes over, fetch is redirected to the start of the loop and goes round it
 * as predicted, block by block; its instructions do not reach decode. But its branches and the rows
 * of blocks it enters hold up writes to the tables of directions, its changes of flow hold up the
 * queue of outcomes (bimode_port.c), and the chained first level of targets learns from it. Two
 * stages matter: the first reads a block and follows the chained first level, the second has the
 * direction and may redirect fetch. In the cycle in which the loop buffer takes over, that level is
 * not read, and its entry for the address where fetch was is followed from the start of the loop.
 * Left out: misses of the cache; calls and indirect jumps after the loop, and the code after a
 * return, which is assumed to have no transfer; pops of the stack by returns. */
#include "sim/core/bpred/run_on.h"

enum { BLOCK_BYTES = RUN_ON_BLOCK_BYTES, ROW_BYTES = 128, SURE = 3, TAKEN = 2 };

static uint64_t run_on_block(uint64_t pc)
{
    return pc & ~(uint64_t)(BLOCK_BYTES - 1);
}

static uint64_t next_block(uint64_t pc)
{
    return run_on_block(pc) + BLOCK_BYTES;
}

/* ---- branches in and after the loop --------------------------------------------------------- */

void run_on_add(struct run_on_text *text, const struct run_on_transfer *transfer)
{
    if (text->count != RUN_ON_TRANSFERS)
        text->transfer[text->count++] = *transfer;
}

void run_on_close(struct run_on_text *text)
{
    unsigned number = 0;
    for (unsigned i = 0; i <= RUN_ON_BLOCKS; i++) {
        uint64_t block = run_on_block(text->start) + i * BLOCK_BYTES;
        while (number != text->count && text->transfer[number].end < block)
            number++;
        text->first[i] = (uint8_t)number;
    }
}

/* The number of the first transfer of the block that fetch enters at pc, or text.count. */
static unsigned first_at(const struct run_on *run_on, uint64_t pc, bool flows)
{
    const struct run_on_text *text = &run_on->text;
    uint64_t block = (pc - run_on_block(text->start)) / BLOCK_BYTES;
    if (block >= RUN_ON_BLOCKS)
        return text->count;
    unsigned i = text->first[block], end = text->first[block + 1];
    while (i != end && text->transfer[i].pc < pc && !flows)
        i++;
    return i != end ? i : text->count;
}

const struct run_on_transfer *run_on_first_branch(const struct run_on *run_on, uint64_t pc)
{
    unsigned first = first_at(run_on, pc, false);
    const struct run_on_transfer *transfer = &run_on->text.transfer[first];
    return first != run_on->text.count && transfer->kind == RUN_ON_BRANCH ? transfer : NULL;
}

static uint8_t run_on_find(const struct run_on *run_on, uint64_t pc)
{
    return chain_number(run_on->chain, pc);
}

static const struct chain_entry *entry_of(const struct run_on *run_on, uint8_t number)
{
    return number != 0 ? &run_on->chain->entry[number - 1] : NULL;
}

static bool run_on_is_followed(const struct chain_entry *entry)
{
    return entry != NULL && entry->is_ready;
}

static uint64_t run_on_leads_to(const struct run_on *run_on, const struct chain_entry *entry)
{
    return entry->is_return ? run_on->early_top : entry->target;
}

/* ---- the second stage ------------------------------------------------------------------------ */

static void redirect(struct run_on_cycle *cycle, uint64_t pc)
{
    cycle->is_redirected = true;
    cycle->next_pc = pc;
}

/* Fetch followed the chained first level to a wrong address. */
static void run_on_come_back(const struct run_on *run_on, struct run_on_cycle *cycle)
{
    if (!run_on->second.is_led)
        return;
    cycle->is_mistaken = true;
    redirect(cycle, next_block(run_on->second.pc));
    cycle->update = (struct run_on_update){.change = CHANGE_DROP, .entry = run_on->second.hit};
}

static struct run_on_update run_on_learn(const struct run_on *run_on,
                                         const struct run_on_transfer *transfer)
{
    const struct chain_entry *entry = entry_of(run_on, run_on->second.hit);
    bool is_branch = transfer->kind == RUN_ON_BRANCH;
    bool is_sure = !is_branch || run_on->second.counter == SURE;
    bool is_right = entry != NULL && !entry->is_return && entry->target == transfer->target;
    struct run_on_update update = {CHANGE_NONE, run_on->second.hit, false, run_on->second.pc,
                                   transfer->pc, transfer->target};
    if (entry == NULL || entry->is_return)
        update.change = is_sure && run_on->waits ? CHANGE_MAKE : CHANGE_NONE;
    else if (!entry->is_ready)
        update.change = is_right && is_branch && is_sure ? CHANGE_READY : CHANGE_NONE;
    else if (run_on->second.is_led && !is_right)
        update.change = run_on->waits ? CHANGE_DROP : CHANGE_NONE;
    else if (run_on->second.is_led && !is_sure)
        update.change = CHANGE_DROP;
    return update;
}

/* Without a target in the target buffer, fetch goes to the address at which it entered the block;
 * that is not corrected while the loop buffer feeds decode (lbuf_addrgen_active_state). */
static void take(const struct run_on *run_on, const struct run_on_transfer *transfer,
                 struct run_on_cycle *cycle)
{
    cycle->is_taken = true;
    if (!transfer->is_known) {
        redirect(cycle, run_on->second.pc);
        return;
    }
    cycle->update = run_on_learn(run_on, transfer);
    if (!run_on->second.is_led || run_on->second.led_to != transfer->target)
        redirect(cycle, transfer->target);
}

/* A return redirects from the third stage; with an empty stack, to the address at which fetch
 * entered its block; it does not redirect if the chained first level has already done so
 * (ras_chgflw_mask). */
static void turn_back(const struct run_on *run_on, const struct run_on_transfer *transfer,
                      struct run_on_cycle *cycle)
{
    cycle->returns_to = run_on->top != 0 ? run_on->top : run_on->second.pc;
    cycle->returns = !run_on->second.is_led || run_on->second.led_to != cycle->returns_to;
    if (run_on->second.hit == 0 && run_on->waits)
        cycle->update = (struct run_on_update){CHANGE_MAKE, 0, true, run_on->second.pc,
                                               transfer->pc, cycle->returns_to};
}

/* The first branch of the block is not taken: another branch takes a further cycle, a jump does
 * not. */
static void pass(const struct run_on *run_on, unsigned number, struct run_on_cycle *cycle)
{
    const struct run_on_text *text = &run_on->text;
    uint64_t block = run_on_block(run_on->second.pc);
    unsigned i = number + 1;
    if (i < text->count && run_on_block(text->transfer[i].end) == block) {
        if (text->transfer[i].kind == RUN_ON_BRANCH)
            cycle->is_held = true;
        else if (text->transfer[i].kind == RUN_ON_JUMP)
            take(run_on, &text->transfer[i], cycle);
        else if (text->transfer[i].kind == RUN_ON_RETURN)
            turn_back(run_on, &text->transfer[i], cycle);
    } else {
        run_on_come_back(run_on, cycle);
    }
}

static void look_at_second(const struct run_on *run_on, struct run_on_cycle *cycle)
{
    unsigned number = first_at(run_on, run_on->second.pc, run_on->second.flows);
    const struct run_on_transfer *transfer = &run_on->text.transfer[number];
    if (number == run_on->text.count) {
        run_on_come_back(run_on, cycle);
    } else if (transfer->kind == RUN_ON_BRANCH) {
        cycle->has_branch = true;
        if (run_on->second.counter >= TAKEN)
            take(run_on, transfer, cycle);
        else
            pass(run_on, number, cycle);
    } else if (transfer->kind == RUN_ON_JUMP) {
        take(run_on, transfer, cycle);
    } else if (transfer->kind == RUN_ON_RETURN) {
        turn_back(run_on, transfer, cycle);
    }
}

/* ---- a cycle --------------------------------------------------------------------------------- */

struct run_on_cycle run_on_look(const struct run_on *run_on)
{
    struct run_on_cycle cycle = {.next_pc = next_block(run_on->pc)};
    const struct chain_entry *entry = entry_of(run_on, run_on->hit);
    cycle.crosses = (run_on->pc / ROW_BYTES) != (cycle.next_pc / ROW_BYTES);
    if (run_on->returns)
        redirect(&cycle, run_on->returns_to);
    else if (run_on->second.is_valid)
        look_at_second(run_on, &cycle);
    if (!cycle.is_redirected && !cycle.is_held && run_on_is_followed(entry)) {
        cycle.leads = true;
        cycle.led_to = cycle.next_pc = run_on_leads_to(run_on, entry);
    }
    cycle.reads_choices = cycle.is_redirected || cycle.leads || cycle.crosses;
    cycle.choices_at = cycle.next_pc;
    return cycle;
}

/* True for the second branch of a block, or a return that waits for the misprediction. */
bool run_on_is_held(const struct run_on *run_on)
{
    return run_on->returns || run_on_look(run_on).is_held;
}

/* A new entry is found in the same cycle in which it is made. */
static void make(struct run_on *run_on)
{
    const struct run_on_update *update = &run_on->update;
    if (update->change == CHANGE_MAKE)
        chain_make(run_on->chain, update->key, update->pc, update->target, update->is_return);
}

static void run_on_change_entry(struct run_on *run_on)
{
    const struct run_on_update *update = &run_on->update;
    if (update->entry == 0)
        return;
    struct chain_entry *entry = &run_on->chain->entry[update->entry - 1];
    if (update->change == CHANGE_DROP)
        chain_drop(run_on->chain, entry);
    else if (update->change == CHANGE_READY)
        entry->is_ready = true;
}

/* True if the state that makes entries changes to WAIT (l0_btb_next_state). */
static bool waits_on(const struct run_on *run_on, const struct run_on_cycle *cycle)
{
    if (!run_on->waits)
        return cycle->leads || run_on->returns || (cycle->is_redirected && cycle->is_taken);
    if (cycle->is_mistaken)
        return false;
    bool is_empty = first_at(run_on, run_on->second.pc, run_on->second.flows) ==
                    run_on->text.count;
    return cycle->is_redirected || cycle->is_held || !run_on->second.is_valid ||
           (is_empty && (run_on->second.pc & BLOCK_BYTES / 2) != 0);
}

static void run_on_move(struct run_on *run_on, const struct run_on_cycle *cycle, uint8_t counter)
{
    run_on->second.is_valid = !cycle->is_redirected;
    run_on->second.flows = run_on->flows;
    run_on->second.pc = run_on->pc;
    run_on->second.hit = run_on->hit;
    run_on->second.counter = counter;
    run_on->second.is_led = cycle->leads;
    run_on->second.led_to = cycle->led_to;
    run_on->pc = cycle->next_pc;
    run_on->hit = cycle->is_mistaken ? 0 : run_on_find(run_on, run_on->pc);
    run_on->flows = !cycle->is_redirected && !cycle->leads;
}

void run_on_step(struct run_on *run_on, const struct run_on_cycle *cycle, uint8_t counter)
{
    run_on->waits = waits_on(run_on, cycle);
    make(run_on);
    if (cycle->is_held) {
        unsigned number = first_at(run_on, run_on->second.pc, run_on->second.flows);
        run_on->second.pc = run_on->text.transfer[number].end + 2;
        run_on->second.flows = false;
        run_on->second.counter = counter;
    } else {
        run_on_move(run_on, cycle, counter);
    }
    run_on_change_entry(run_on);
    run_on->returns = cycle->returns;
    run_on->returns_to = cycle->returns_to;
    run_on->update = cycle->update;
}

/* ---- the loop buffer takes over -------------------------------------------------------------- */

/* The next address of the first stage after pc, by the chained first level. */
static uint64_t follow(const struct run_on *run_on, uint64_t pc, bool *is_led)
{
    const struct chain_entry *entry = entry_of(run_on, run_on_find(run_on, pc));
    *is_led = run_on_is_followed(entry);
    return *is_led ? run_on_leads_to(run_on, entry) : next_block(pc);
}

/* The second stage has the block of head, with a predicted branch. */
static uint64_t correct(const struct run_on *run_on, uint64_t head, bool is_taken, uint64_t led_to,
                        bool *is_busy)
{
    const struct run_on_transfer *branch = run_on_first_branch(run_on, head);
    bool was_led = led_to != next_block(head);
    *is_busy = true;
    uint64_t target = branch == NULL ? 0 : branch->is_known ? branch->target : head;
    if (branch != NULL && is_taken && led_to != target)
        return target;
    if (was_led && (branch == NULL || !is_taken))
        return next_block(head);
    return follow(run_on, led_to, is_busy);
}

struct run_on_busy run_on_begin(struct run_on *run_on, uint64_t from, uint64_t head,
                                unsigned bubble, bool is_taken)
{
    struct run_on_busy busy = {{false, false, false, true}};
    uint64_t at;
    if (bubble != 0) {
        at = follow(run_on, head, &busy.at[2]);
    } else {
        at = follow(run_on, head, &busy.at[1]);
        at = correct(run_on, head, is_taken, at, &busy.at[2]);
    }
    run_on->from = from;
    run_on->until = UINT64_MAX;
    run_on->pc = head;
    run_on->hit = run_on_find(run_on, at);
    run_on->second.is_valid = run_on->flows = run_on->returns = false;
    run_on->waits = true;
    run_on->update = (struct run_on_update){.change = CHANGE_NONE};
    return busy;
}
