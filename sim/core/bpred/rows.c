/* Prediction by rows (part_lookup = row): fetch looks up an aligned block by its own address, and
 * one entry of the target buffer predicts for the whole block: that of the instruction at which
 * fetch begins, or else of the first one after it. The kind in the entry selects the prediction: a
 * return pops the stack, a jump is taken, for all others the counter decides.
 *
 * Entries are made and changed only when a misprediction is noticed. While its branch is in the
 * first stage of execution the predictor knows its kind; an entry made later has no kind, and need
 * not belong to a transfer (bpred_row_late).
 *
 * The return stack is a ring that is never empty, except for places never written, which are
 * neither pushed on nor popped. Fetch moves it, on wrong paths too, without undo: only a
 * mispredicted call or return sets it, to the position that mispredicted ones alone would have
 * reached.
 *
 * A lookup uses the state learned before its cycle.
 * Source: biRISC-V, biriscv_npc.v. */
#include "sim/core/bpred/bpred_internal.h"

enum { ROW_UNKNOWN = 1 };               /* no address: the stack's reset value */

void rows_init(struct rows *rows, const struct config *config, struct arena *arena)
{
    rows->entries = config->bpred_btb_entries;
    rows->depth = config->bpred_ras_entries;
    rows->bytes = config->fetch_bytes;
    rows->insn_bytes = 1u << config->bpred_pc_shift;
    rows->noise = 1;
    rows->entry = arena_take(arena, rows->entries, sizeof rows->entry[0]);
    rows->stack = arena_take(arena, rows->depth, sizeof rows->stack[0]);
    for (uint32_t i = 0; rows->entry != NULL && i < rows->entries; i++)
        rows->entry[i].pc = UINT64_MAX;
    for (uint32_t i = 0; rows->stack != NULL && i < rows->depth; i++)
        rows->stack[i] = ROW_UNKNOWN;
}

static unsigned shelf_of(uint64_t pc)
{
    return (unsigned)(pc >> 1) % ROW_SHELVES;
}

static struct row_entry *find(const struct rows *rows, uint64_t pc)
{
    if (rows->shelf[shelf_of(pc)] == 0)
        return NULL;
    for (uint32_t i = 0; i < rows->entries; i++)
        if (rows->entry[i].pc == pc)
            return &rows->entry[i];
    return NULL;
}

/* ---- learning -------------------------------------------------------------------------------- */

static struct row_entry *allocate(struct rows *rows, uint64_t pc)
{
    struct row_entry *entry = &rows->entry[rows->noise % rows->entries];
    rows->noise = lfsr_step(rows->noise);
    if (entry->pc != UINT64_MAX)
        rows->shelf[shelf_of(entry->pc)]--;
    rows->shelf[shelf_of(pc)]++;
    entry->pc = pc;
    return entry;
}

static void move_stack(struct rows *rows, const struct row_lesson *lesson)
{
    if (lesson->is_call)
        rows->real = (rows->real + 1) % rows->depth;
    else
        rows->real = (rows->real + rows->depth - 1) % rows->depth;
    rows->top = rows->real;
    if (lesson->is_call)
        rows->stack[rows->top] = lesson->pc + lesson->length;
}

static void learn(struct rows *rows)
{
    const struct row_lesson *lesson = &rows->lesson;
    struct row_entry *entry = find(rows, lesson->pc);
    bool is_new = entry == NULL;
    if (is_new)
        entry = allocate(rows, lesson->pc);
    if (is_new || lesson->is_taken)
        entry->target = lesson->target;
    entry->is_return = lesson->is_return;
    entry->is_call = lesson->is_call;
    entry->is_jump = lesson->is_jump;
    if (lesson->is_call || lesson->is_return)
        move_stack(rows, lesson);
    rows->has_lesson = false;
}

/* Learns the outcomes of cycles before `now`. */
static void learn_due(struct bpred *bpred, uint64_t now)
{
    struct rows *rows = &bpred->rows;
    struct bimodal *bimodal = &bpred->by.bimodal;
    while (rows->outcomes != 0 && rows->outcome[0].cycle < now) {
        bimodal_train(bimodal, rows->outcome[0].pc >> bimodal_shape(bimodal)->shift,
                      rows->outcome[0].is_taken);
        rows->outcomes--;
        for (uint32_t i = 0; i < rows->outcomes; i++)
            rows->outcome[i] = rows->outcome[i + 1];
    }
    if (rows->has_lesson && rows->lesson.cycle < now)
        learn(rows);
}

void rows_resolve(struct bpred *bpred, uint64_t cycle, uint64_t pc, bool is_taken)
{
    struct rows *rows = &bpred->rows;
    if (rows->outcomes == ROW_OUTCOMES)
        learn_due(bpred, rows->outcome[0].cycle + 1);
    rows->outcome[rows->outcomes++] = (struct row_outcome){cycle, pc, is_taken};
}

void rows_correct(struct bpred *bpred, uint64_t pc, const struct insn *insn, unsigned kind,
                  bool is_taken, uint64_t next_pc)
{
    struct rows *rows = &bpred->rows;
    bool is_jump = kind != KIND_BRANCH, is_jalr = kind == KIND_JALR;
    if (rows->has_lesson)
        learn(rows);
    rows->has_lesson = true;
    rows->lesson = (struct row_lesson){
        .cycle = rows->now, .pc = pc, .target = next_pc, .length = insn->length,
        .is_taken = is_jump || is_taken, .is_return = is_jalr && insn->rs1 == 1 && insn->imm == 0,
    };
    rows->lesson.is_call = is_jump && insn->rd == 1 && !rows->lesson.is_return;
    rows->lesson.is_jump = kind == KIND_JAL ||
                           (is_jalr && !rows->lesson.is_call && !rows->lesson.is_return);
}

void bpred_row_late(struct bpred *bpred, uint64_t now, uint64_t pc, uint64_t target)
{
    struct rows *rows = &bpred->rows;
    if (rows->has_lesson && rows->lesson.cycle != now)
        learn(rows);
    rows->has_lesson = true;
    rows->lesson = (struct row_lesson){.cycle = now, .pc = pc, .target = target};
}

/* ---- prediction ------------------------------------------------------------------------------ */

static const struct row_entry *find_row(const struct rows *rows, uint64_t pc, uint64_t end)
{
    const struct row_entry *entry = NULL;
    for (; entry == NULL && pc < end; pc += rows->insn_bytes)
        entry = find(rows, pc);
    return entry;
}

/* Pushes the entry's return address, or pops its target. A misprediction of this cycle sets the
 * stack instead. */
static void follow_stack(struct rows *rows, uint64_t now, const struct row_entry *entry)
{
    bool is_set = rows->has_lesson && rows->lesson.cycle == now &&
                  (rows->lesson.is_call || rows->lesson.is_return);
    if (is_set || rows->stack[rows->top] == ROW_UNKNOWN)
        return;
    if (entry->is_call) {
        rows->top = (rows->top + 1) % rows->depth;
        rows->stack[rows->top] = entry->pc + rows->insn_bytes;
    } else if (entry->is_return) {
        rows->top = (rows->top + rows->depth - 1) % rows->depth;
    }
}

bool bpred_see_row(struct bpred *bpred, uint64_t now, uint64_t pc)
{
    struct rows *rows = &bpred->rows;
    uint64_t end = (pc & ~(uint64_t)(rows->bytes - 1)) + rows->bytes;
    learn_due(bpred, now);
    const struct row_entry *entry = find_row(rows, pc, end);
    rows->seen = (struct row_sight){.cycle = now, .end = end, .pc = BPRED_UNKNOWN};
    if (entry == NULL)
        return false;
    uint64_t top = rows->stack[rows->top];
    bool pops = entry->is_return && top != ROW_UNKNOWN;
    const struct bimodal *bimodal = &bpred->by.bimodal;
    bool counts = bimodal_predict(bimodal, entry->pc >> bimodal_shape(bimodal)->shift, true);
    rows->seen.pc = entry->pc;
    rows->seen.is_taken = pops || counts || entry->is_jump;
    rows->seen.next_pc = pops ? top : entry->target;
    follow_stack(rows, now, entry);
    return rows->seen.is_taken && entry->pc == pc;
}

void rows_predict(struct bpred *bpred, uint64_t now, uint64_t pc, const struct insn *insn,
                  struct bpred_snapshot *snapshot, struct prediction *prediction)
{
    struct rows *rows = &bpred->rows;
    if (rows->seen.cycle != now || rows->seen.end - 1 - pc >= rows->bytes)
        bpred_see_row(bpred, now, pc);
    bool is_known = rows->seen.pc == pc, is_taken = is_known && rows->seen.is_taken;
    *snapshot = (struct bpred_snapshot){.predicted_taken = is_taken};
    *prediction = (struct prediction){
        .next_pc = is_taken ? rows->seen.next_pc : pc + insn->length, .btb_miss = !is_known,
    };
}

uint64_t rows_storage(const struct rows *rows)
{
    return (uint64_t)rows->entries * (1 + 2 * ADDRESS_BITS + 3);
}

uint64_t rows_stack_storage(const struct rows *rows)
{
    return (uint64_t)rows->depth * (1 + ADDRESS_BITS) + 2 * log2_of(rows->depth);
}
