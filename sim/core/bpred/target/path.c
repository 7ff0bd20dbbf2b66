/* Targets of indirect jumps by the path to them (part_indirect_index = path), read in a front end
 * of several stages, as in the C910 (ct_ifu_ind_btb.v, ct_ifu_ipdp.v, ct_ifu_ibctrl.v).
 *
 * A target is read once, in the stage after fetch. So the index has the directions of the previous
 * blocks, without branches of the jump's own block, while commit writes with all of them: a jump
 * that shares its block with a branch reads one entry and writes another. A jump that waits in the
 * next stage for a misprediction to commit keeps the target it has read, although the path then had
 * the wrong target in it. In the cycle in which a mispredicted jump is written nothing can be read,
 * and the last target read is used again.
 *
 * Only mispredictions are written, when they commit. A jump without an entry goes back to the
 * address at which fetch entered its block (part_ras_miss = block), and that address becomes part
 * of the path. */
#include "sim/core/bpred/bpred_internal.h"

enum { TARGET_STAGES = 3 };             /* from fetch until the target has entered the path */

/* Fetch reaches a transfer: before the first one of a block the history is stored. */
void path_begin_block(struct bpred *bpred, uint64_t now)
{
    if (bpred->group_cycle == now || bpred->asked != BPRED_UNKNOWN)
        return;
    bpred->group_cycle = now;
    bpred->group_history = bpred->history;
}

static uint64_t path_look(const struct bpred *bpred, uint64_t history, uint32_t path)
{
    return target_cache_predict(&bpred->to.target_cache, 0, history, path);
}

static uint64_t read_early(const struct bpred *bpred, uint64_t now)
{
    const struct jump_path *path = &bpred->jump_path;
    if (path->loaded == now && path->is_written)
        return path->last_read;
    return path_look(bpred, bpred->group_history, path->live);
}

/* While it waits, a return redirects fetch to its target in each cycle, another jump in every
 * second one, between which it reads the target. So directions are read too (chgflw_vld), unless
 * the chained first level of targets has already redirected there. That level is followed only
 * once. */
static void turn_in_vain(struct bpred *bpred, uint64_t now, uint64_t since, uint64_t end,
                         bool is_return)
{
    struct bimode *bimode = &bpred->by.bimode;
    bool is_led = is_return && chain_returns(&bpred->chain, end);
    if (is_led && now == since) {
        bpred->early_top = ras_early_top(&bpred->ras, now);
        bimode_reads_choices(bimode, now, bpred->early_top, false);
    }
    if (is_return ? !is_led || bpred->early_top != bpred->held_target : ((now - since) & 1) != 0)
        bimode_reads(bimode, now + RAS_STAGE);
}

void bpred_waits(struct bpred *bpred, uint64_t now, uint64_t since, uint64_t end, bool is_return)
{
    const struct bpred_shape *shape = bpred_shape(bpred);
    const struct ras_shape *ras = ras_shape(&bpred->ras);
    ELSEWHERE(bpred_waits, bpred, now, since, end, is_return);
    bool is_held = is_return ? ras->repair == RAS_COMMITTED && ras->entries != 0 : shape->by_path;
    if (!is_held)
        return;
    if (now == since) {
        path_begin_block(bpred, now);
        bpred->held_target = is_return ? ras_read_at(&bpred->ras, now) : read_early(bpred, now);
        bpred->asked = now;
    }
    if (shape->buffers_writes)
        turn_in_vain(bpred, now, since, end, is_return);
}

uint64_t path_target(const struct bpred *bpred)
{
    return bpred->asked != BPRED_UNKNOWN ? bpred->held_target
                                         : path_look(bpred, bpred->group_history, bpred->path);
}

/* Reads the next target, after the transfer. */
void path_follow(struct bpred *bpred, uint64_t now, uint64_t target)
{
    struct jump_path *path = &bpred->jump_path;
    path->turned = now;
    path->before = path->live;
    path->live = target_cache_path(path->live, target);
    path->last_read = path_look(bpred, bpred->history, path->live);
}

void path_squash(struct bpred *bpred, uint64_t now)
{
    struct jump_path *path = &bpred->jump_path;
    bpred->asked = BPRED_UNKNOWN;
    if (path->turned != 0 && path->turned + TARGET_STAGES >= now)
        path->live = path->before;
    path->turned = 0;
}

static void load(struct bpred *bpred, uint64_t now, bool is_written)
{
    if (!bpred_shape(bpred)->has_stages)
        return;
    ras_load(&bpred->ras, now);
    bpred->jump_path.live = bpred->path;
    bpred->jump_path.loaded = now;
    bpred->jump_path.is_written = is_written;
}

void bpred_mispredicted(struct bpred *bpred, uint64_t now, const struct insn *insn, unsigned kind,
                        const struct bpred_snapshot *snapshot, uint64_t target)
{
    ELSEWHERE(bpred_mispredicted, bpred, now, insn, kind, snapshot, target);
    bool is_jump = kind == KIND_JALR && !insn_is_return(insn);
    if (is_jump && bpred_shape(bpred)->by_path)
        target_cache_train(&bpred->to.target_cache, 0, snapshot->history, snapshot->path, target);
    load(bpred, now, is_jump);
}

void bpred_flush(struct bpred *bpred, uint64_t now)
{
    ELSEWHERE(bpred_flush, bpred, now);
    load(bpred, now, false);
}

void bpred_reaches(struct bpred *bpred, uint64_t pc)
{
    bpred->reaches = pc;
}

/* The address at which fetch entered the block of pc, or the instruction that extends into it. */
uint64_t path_block_start(const struct bpred *bpred, uint64_t pc)
{
    uint64_t block = pc & ~(uint64_t)(bpred_shape(bpred)->ras_miss_block - 1);
    if (bpred->entered > block && bpred->entered <= pc)
        return bpred->entered;
    return bpred->reaches < block && block - bpred->reaches < 4 ? bpred->reaches : block;
}
