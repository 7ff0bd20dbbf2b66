/* Branch prediction: direction, target buffers, return-address stack, indirect targets.
 *
 * Prediction happens at fetch. Its speculative changes (histories, return stack) are undone from a
 * snapshot in the instruction; data that do not fit there (indices and tags that a prediction used,
 * the long history) are in a ring of records that the snapshot names, so that training uses the
 * state that the prediction saw. Tables learn at commit, or when the instruction has executed
 * (bpred.train = resolve). Each predictor has a file, with the interface of predictor.h. */
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
    uint64_t ras_value;         /* entry of the return stack, to be restored */
    uint16_t ras_top;           /* before the instruction */
    uint16_t record;            /* number of its record */
    bool predicted_taken;
    bool is_known;              /* bpred_see(): the BTB had the instruction */
    uint8_t counter;            /* counter used by the prediction; with carried counters, and
                                 * part_write_buffer */
    bool stays_out;             /* not put into the BTB: fetch was right without it */
    uint8_t port;               /* port of issue, if outcomes are ordered by port */
    uint32_t path;              /* before the instruction; with part_indirect_index = path */
};

struct prediction {
    uint64_t next_pc;           /* BPRED_UNKNOWN: fetch waits until the instruction has executed */
    uint8_t bubble;             /* cycles before fetch continues at next_pc */
    uint8_t wait;               /* cycles for which it is held in the last stage of fetch */
    bool btb_miss;
    bool ras_underflow;
    bool turns;                 /* fetch is redirected, possibly to the next instruction */
};

/* No address of an instruction. */
#define BPRED_UNKNOWN UINT64_MAX

/* in_flight: instructions between fetch and commit, at most 65536; a power of two. NULL: no
 * memory. */
struct bpred *bpred_new(const struct config *config, uint32_t in_flight);
void bpred_free(struct bpred *bpred);

/* True if fetch does not use the predictor, because it knows the right path (bpred.kind =
 * perfect). */
bool bpred_is_perfect(const struct config *config);

/* Predicts the control transfer at pc, fetched in cycle `now`. `kind` is enum insn_kind. */
void bpred_predict(struct bpred *bpred, uint64_t now, uint64_t pc, const struct insn *insn,
                   unsigned kind, struct bpred_snapshot *snapshot, struct prediction *prediction);
/* Restores histories and stack to their state before the squashed instruction. Instructions are
 * undone from the youngest back. */
void bpred_undo(struct bpred *bpred, const struct bpred_snapshot *snapshot);
/* The instruction stays but was mispredicted: restores the state, then applies the actual
 * outcome. */
void bpred_correct(struct bpred *bpred, uint64_t pc, const struct insn *insn, unsigned kind,
                   const struct bpred_snapshot *snapshot, bool taken, uint64_t next_pc);
/* The instruction executes; its outcome is known in `cycle`, from which tables that train at
 * resolve learn. target: its target when taken. */
void bpred_resolve(struct bpred *bpred, uint64_t cycle, uint64_t pc, const struct insn *insn,
                   unsigned kind, const struct bpred_snapshot *snapshot, bool taken,
                   uint64_t target);
/* The instruction commits. */
void bpred_train(struct bpred *bpred, uint64_t pc, const struct insn *insn, unsigned kind,
                 const struct bpred_snapshot *snapshot, bool taken, uint64_t target);

/* True if the transfer is predicted taken; not for returns. Changes nothing. */
bool bpred_follows(struct bpred *bpred, uint64_t pc, const struct insn *insn, unsigned kind);
/* A mispredicted instruction has committed in cycle `now`, after bpred_train; or everything in
 * flight is fetched again for another reason. */
void bpred_mispredicted(struct bpred *bpred, uint64_t now, const struct insn *insn, unsigned kind,
                        const struct bpred_snapshot *snapshot, uint64_t target);
void bpred_flush(struct bpred *bpred, uint64_t now);
/* The next jump, with its last parcel at `end`, was fetched in cycle `since`, and waits in cycle
 * `now` with the target it read. */
void bpred_waits(struct bpred *bpred, uint64_t now, uint64_t since, uint64_t end, bool is_return);
/* An instruction at pc extends into the block of the next jump; 0: none. */
void bpred_reaches(struct bpred *bpred, uint64_t pc);

/* In rows.c, with part_lookup = row. see: fetch begins at pc and predicts for the rest of its
 * block, before bpred_predict; true: the block ends with the instruction at pc, even if it is no
 * transfer. late: a misprediction of cycle `now` is noticed when the transfer has left the first
 * stage of execution, and is attributed to the instruction at pc, which `target` followed. */
bool bpred_see_row(struct bpred *bpred, uint64_t now, uint64_t pc);
void bpred_row_late(struct bpred *bpred, uint64_t now, uint64_t pc, uint64_t target);

/* In at_decode.c, for a front end in lock step: fetch knows only the BTB's entries; directions of a
 * group are predicted with the history before it. */
void bpred_begin_group(struct bpred *bpred);
void bpred_see(struct bpred *bpred, uint64_t now, uint64_t pc, const struct insn *insn,
               unsigned kind, struct bpred_snapshot *snapshot, struct prediction *prediction);
/* Predicts the direction again, and shifts it into the history. */
bool bpred_see_again(struct bpred *bpred, uint64_t pc, const struct insn *insn);
/* Decode checks fetch's prediction. DECODE_PASS: the next of the group may be checked;
 * DECODE_REDIRECT: fetch must go to *next_pc. */
enum bpred_verdict { DECODE_PASS, DECODE_STOP, DECODE_REDIRECT };
enum bpred_verdict bpred_decode(struct bpred *bpred, uint64_t pc, const struct insn *insn,
                                unsigned kind, const struct bpred_snapshot *snapshot,
                                uint64_t predicted_pc, uint64_t *next_pc);
/* Learns the outcomes of earlier cycles. */
void bpred_settle(struct bpred *bpred, uint64_t now);
/* The branch was mispredicted: corrects the history only. */
void bpred_correct_history(struct bpred *bpred, unsigned kind,
                           const struct bpred_snapshot *snapshot, bool taken);

/* Squashes all fetched instructions that have not moved the return-address stack by `now`. */
void bpred_squash(struct bpred *bpred, uint64_t now);
/* A squash redirects fetch to pc; histories are those of pc. is_held: its stages stand still, so
 * that data read for pc are discarded. is_branch: because of a misprediction. */
void bpred_redirected(struct bpred *bpred, uint64_t now, uint64_t pc, bool is_held, bool is_branch);
/* A block was fetched in cycle `now`: fetch is at `next` from cycle `until` on, and in the cycles
 * between directly after the block. goes_on: the block was fetched as a whole, and not by the loop
 * buffer. */
struct bpred_move { uint64_t now, block, until, next; bool goes_on; };
void bpred_fetched(struct bpred *bpred, const struct bpred_move *move);
/* The stages of fetch stall, with the instructions of that cycle in the last stage but one. True if
 * fetch was already redirected to this target, so that the redirect would be repeated. */
bool bpred_stands_still(struct bpred *bpred, uint64_t cycle);
/* True if the chained first level had redirected fetch at the transfer taken in that cycle. */
bool bpred_was_led(const struct bpred *bpred, uint64_t cycle);
/* The transfers in the rest of the block, after the one predicted next, without jalr. */
enum bpred_rest { BLOCK_ENDS, BLOCK_JUMPS, BLOCK_BRANCHES };
void bpred_rest_of_block(struct bpred *bpred, enum bpred_rest rest);
/* in_loop: the loop buffer feeds fetch from now on; fills_loop: the loop buffer is being filled.
 * leave: fetch leaves the loop buffer for pc, which is requested in `cycle`. */
void bpred_in_loop(struct bpred *bpred, bool in_loop, bool fills_loop);
/* The loop buffer feeds fetch from cycle `from` on, after a branch of cycle `now` to head, with
 * `bubbles`. text: called before that, with the content of the loop buffer. */
struct run_on_text;
bool bpred_knows_loop(const struct bpred *bpred, uint64_t start, uint64_t end);
void bpred_loop_text(struct bpred *bpred, const struct run_on_text *text);
void bpred_enters_loop(struct bpred *bpred, uint64_t now, uint64_t from, uint64_t head,
                       unsigned bubble);
void bpred_leaves_loop(struct bpred *bpred, uint64_t cycle, uint64_t pc);

/* Storage in bits. Addresses count as 38 bits, an even Sv39 address; a full tag is the part of it
 * outside the index. */
struct bpred_storage { uint64_t direction, history, btb, ras, indirect; };
/* False: no memory. */
bool bpred_storage(const struct config *config, struct bpred_storage *storage);

#endif
