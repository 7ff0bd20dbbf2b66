/* Branch prediction: direction, target buffers, return-address stack, indirect targets.
 *
 * Prediction happens at fetch. Its speculative changes (histories, return stack) are undone from
 * a snapshot in the instruction; what does not fit there (indices and tags that a prediction used,
 * the long history) lies in a ring of records that the snapshot names, so that training uses what
 * the prediction saw. Tables learn at commit, or when the instruction has executed
 * (bpred.train = resolve). One file a predictor, each as predictor.h has it. */
#ifndef SIM_CORE_BPRED_BPRED_H
#define SIM_CORE_BPRED_BPRED_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/insn.h"
#include "sim/base/config.h"

struct bpred;

/* Data to undo this instruction's effect on the predictor, and to learn from it. */
struct bpred_snapshot {
    uint64_t history;           /* before the instruction */
    uint64_t ras_value;         /* entry of the return stack that repair writes back */
    uint16_t ras_top;           /* before the instruction */
    uint16_t record;            /* number of its record */
    bool predicted_taken;
    bool is_known;              /* bpred_see(): the BTB had it */
    uint8_t counter;            /* that the prediction saw; where it is carried, and
                                   part_write_buffer */
    bool stays_out;             /* of the BTB: fetch found the right way without */
    uint8_t port;               /* where outcomes wait by port: that it was issued to */
    uint32_t path;              /* before the instruction; with part_indirect_index = path */
};

struct prediction {
    uint64_t next_pc;           /* BPRED_UNKNOWN: fetch waits until the instruction has executed */
    uint8_t bubble;             /* extra cycles before fetch continues at next_pc */
    uint8_t wait;               /* that it is held in the last stage of fetch */
    bool btb_miss;
    bool ras_underflow;
    bool turns;                 /* fetch goes elsewhere; that may be the next instruction */
};

/* No address of an instruction. */
#define BPRED_UNKNOWN UINT64_MAX

/* in_flight: instructions between fetch and commit, at most 65536; a power of two. NULL: no
 * memory. */
struct bpred *bpred_new(const struct config *config, uint32_t in_flight);
void bpred_free(struct bpred *bpred);

/* Is nothing here asked, because fetch knows what comes (bpred.kind = perfect)? */
bool bpred_is_perfect(const struct config *config);

/* Predicts the control transfer at pc, fetched in cycle `now`. `kind` is enum insn_kind. */
void bpred_predict(struct bpred *bpred, uint64_t now, uint64_t pc, const struct insn *insn,
                   unsigned kind, struct bpred_snapshot *snapshot, struct prediction *prediction);
/* Repairs histories and stack to what they were before the instruction, which is thrown away.
 * Instructions are undone from the youngest back. */
void bpred_undo(struct bpred *bpred, const struct bpred_snapshot *snapshot);
/* The instruction stays but went elsewhere: repair, then apply what really happened. */
void bpred_correct(struct bpred *bpred, uint64_t pc, const struct insn *insn, unsigned kind,
                   const struct bpred_snapshot *snapshot, bool taken, uint64_t next_pc);
/* The instruction executes; its outcome is known in `cycle`. Tables that learn then do. target:
 * where it goes when taken. */
void bpred_resolve(struct bpred *bpred, uint64_t cycle, uint64_t pc, const struct insn *insn,
                   unsigned kind, const struct bpred_snapshot *snapshot, bool taken,
                   uint64_t target);
/* The instruction commits. */
void bpred_train(struct bpred *bpred, uint64_t pc, const struct insn *insn, unsigned kind,
                 const struct bpred_snapshot *snapshot, bool taken, uint64_t target);

/* Is the transfer predicted to go elsewhere, but for returns? Changes nothing. */
bool bpred_follows(struct bpred *bpred, uint64_t pc, const struct insn *insn, unsigned kind);
/* Mispredicted, it has committed in cycle `now`, after bpred_train; or everything in flight is
 * fetched again for another reason. */
void bpred_mispredicted(struct bpred *bpred, uint64_t now, const struct insn *insn, unsigned kind,
                        const struct bpred_snapshot *snapshot, uint64_t target);
void bpred_flush(struct bpred *bpred, uint64_t now);
/* The next jump, whose last parcel is at end, is fetched in cycle `since`, and waits in `now`
 * with what it has read then. */
void bpred_waits(struct bpred *bpred, uint64_t now, uint64_t since, uint64_t end, bool is_return);
/* An instruction at pc reaches into the block of the next jump; 0: none. */
void bpred_reaches(struct bpred *bpred, uint64_t pc);

/* rows.c, with part_lookup = row. see: fetch begins at pc and predicts for the rest of its block,
 * before bpred_predict; true: the block ends with the instruction at pc, whatever it is. late: a
 * misprediction of cycle `now` is noticed when the transfer has left the first stage of execution,
 * and is put down to the instruction at pc, which `target` followed. */
bool bpred_see_row(struct bpred *bpred, uint64_t now, uint64_t pc);
void bpred_row_late(struct bpred *bpred, uint64_t now, uint64_t pc, uint64_t target);

/* at_decode.c, for a front end in lock step: fetch knows nothing but what the BTB says; directions
 * of a group are predicted with the history before it. */
void bpred_begin_group(struct bpred *bpred);
void bpred_see(struct bpred *bpred, uint64_t now, uint64_t pc, const struct insn *insn,
               unsigned kind, struct bpred_snapshot *snapshot, struct prediction *prediction);
/* The direction is predicted once more, and the history shifted. */
bool bpred_see_again(struct bpred *bpred, uint64_t pc, const struct insn *insn);
/* Decode looks at what fetch predicted. DECODE_PASS: the next of the group may be looked at;
 * DECODE_REDIRECT: fetch has to go to *next_pc. */
enum bpred_verdict { DECODE_PASS, DECODE_STOP, DECODE_REDIRECT };
enum bpred_verdict bpred_decode(struct bpred *bpred, uint64_t pc, const struct insn *insn,
                                unsigned kind, const struct bpred_snapshot *snapshot,
                                uint64_t predicted_pc, uint64_t *next_pc);
/* Outcomes of earlier cycles have been learned. */
void bpred_settle(struct bpred *bpred, uint64_t now);
/* The branch went elsewhere: the history only. */
void bpred_correct_history(struct bpred *bpred, unsigned kind,
                           const struct bpred_snapshot *snapshot, bool taken);

/* Everything fetched that has not moved the return-address stack by `now` is thrown away. */
void bpred_squash(struct bpred *bpred, uint64_t now);
/* Fetch is sent to pc by a squash, histories are those of pc. is_held: its stages stand still, so
 * that what is read for pc is not taken over. is_branch: it is a misprediction. */
void bpred_redirected(struct bpred *bpred, uint64_t now, uint64_t pc, bool is_held, bool is_branch);
/* A block has been fetched in cycle `now`: fetch is at `next` from cycle `until` on, and between
 * them after the block. goes_on: not for what was left of it, nor from the loop buffer. */
struct bpred_move { uint64_t now, block, until, next; bool goes_on; };
void bpred_fetched(struct bpred *bpred, const struct bpred_move *move);
/* The stages of fetch stall, with the instructions of that cycle in the last stage but one. True if
 * fetch was already redirected to this target, so that the redirect would be repeated. */
bool bpred_stands_still(struct bpred *bpred, uint64_t cycle);
/* Had the chained first level sent fetch elsewhere at the transfer taken in that cycle? */
bool bpred_was_led(const struct bpred *bpred, uint64_t cycle);
/* What follows the transfer that is predicted next, in its block, except jalr? */
enum bpred_rest { BLOCK_ENDS, BLOCK_JUMPS, BLOCK_BRANCHES };
void bpred_rest_of_block(struct bpred *bpred, enum bpred_rest rest);
/* Does the loop buffer feed fetch from now on, or is it being filled? It is left for pc, which is
 * asked for in `cycle`. */
void bpred_in_loop(struct bpred *bpred, bool in_loop, bool fills_loop);
/* It feeds fetch from cycle `from` on, after a branch of cycle `now` that leads to head, with
 * `bubbles`. text: before that, its content. */
struct run_on_text;
bool bpred_knows_loop(const struct bpred *bpred, uint64_t start, uint64_t end);
void bpred_loop_text(struct bpred *bpred, const struct run_on_text *text);
void bpred_enters_loop(struct bpred *bpred, uint64_t now, uint64_t from, uint64_t head,
                       unsigned bubble);
void bpred_leaves_loop(struct bpred *bpred, uint64_t cycle, uint64_t pc);

/* Storage in bits. Addresses are counted with the 38 bits that Sv39 leaves of an even address;
 * a full tag is what the index leaves of them. */
struct bpred_storage { uint64_t direction, history, btb, ras, indirect; };
/* False: no memory. */
bool bpred_storage(const struct config *config, struct bpred_storage *storage);

#endif
