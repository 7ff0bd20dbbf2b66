/* Shared by the parts of the table of frames. */
#ifndef SIM_RUN_FRAMES_INTERNAL_H
#define SIM_RUN_FRAMES_INTERNAL_H

#include "isa/insn.h"
#include "sim/run/frames/frames.h"

/* ---- frames_step.c: the effect of one instruction on its frame ------------------------------- */

enum {
    FRAME_SP = 1,           /* the caller's sp is sp + state.sp */
    FRAME_FP = 2,           /* ... is s0 + state.fp */
    FRAME_RA_LIVE = 4,      /* the return address is in ra */
    FRAME_RA_SAVED = 8,     /* ... at the caller's sp + state.ra_at */
    FRAME_FP_LIVE = 16,     /* the caller's s0 is in s0 */
    FRAME_FP_SAVED = 32,    /* ... at the caller's sp + state.fp_at */
    FRAME_REACHED = 64,     /* the instruction was reached by the flow of control */
    FRAME_DISPATCH = 128,   /* it jumps through a register to one of several targets */
    FRAME_INSIDE = 256,     /* it is the second half of an instruction */
};

/* The state of the frame before an instruction. */
struct frame_state {
    int sp, fp, ra_at, fp_at;
    unsigned has;           /* FRAME_* */
};

/* Constants in registers, on a straight line. */
struct frame_constants {
    uint64_t value[32];
    uint32_t known;         /* bit i: of x[i] */
};

struct frame_state frame_fresh(void);
void frame_step(struct frame_state *state, struct frame_constants *constants,
                const struct insn *insn, uint64_t pc, unsigned xlen);
struct monitor_frame frame_rule(const struct frame_state *state);

/* ---- frames_flow.c: the same along the flow of control --------------------------------------- */

/* A range of executable bytes, with a state for each halfword from index `first` of flow.state
 * on. */
struct flow_piece {
    uint64_t address, bytes;
    const uint8_t *code;
    size_t first;
};

/* A function, identified by its start. */
struct flow_function {
    uint64_t address;
    bool is_followed;           /* its start was or will be followed */
    bool is_called;             /* called directly */
    bool returns;               /* it returns to its caller */
    bool is_root;               /* it has no caller: a trap handler, the program's start */
    size_t waiting;             /* 1 + index of the first flow.wait for its return; 0: none */
};

/* When a function is known to return, `address` is reached with this state; or, with address 0,
 * `owner` is known to return too. */
struct flow_wait {
    uint64_t address;
    struct frame_state state;
    uint32_t owner;
    size_t next;
};

/* A place from which to continue. */
struct flow_work {
    uint64_t address;
    struct frame_state state;
    uint32_t owner;
};

struct flow {
    const struct image *image;
    struct flow_piece *piece;
    size_t pieces, halves;
    struct insn *insn;              /* [halves] length 0: not decoded yet */
    struct frame_state *state;      /* [halves] */
    uint32_t *owner;                /* [halves] index of the function from which it was reached */
    bool is_named;                  /* symbols name the starts of all functions */
    uint32_t *start;                /* [halves] 1 + index of the function that starts; 0: none */
    struct flow_function *function;
    size_t functions;
    struct flow_wait *wait;
    size_t waits;
    struct flow_work *work;
    size_t works;
    bool is_out_of_memory;
};

enum err flow_build(struct flow *flow, const struct image *image, struct diag *diag);
void flow_free(struct flow *flow);
/* The index of flow.state for the address. False: no code. */
bool flow_index(const struct flow *flow, uint64_t address, size_t *index);
/* False: no instruction. */
bool flow_insn(const struct flow *flow, uint64_t address, struct insn *insn);
/* The rule that the flow found for a halfword; no flags: none. */
struct monitor_frame flow_rule(const struct flow *flow, size_t index);
/* The function that starts at this address, created if necessary. False: no code there, or no
 * memory. */
bool flow_function_at(struct flow *flow, uint64_t address, uint32_t *function);
/* Adds a place from which to continue. */
void flow_push(struct flow *flow, uint64_t address, const struct frame_state *state,
               uint32_t owner);

/* Without symbols: true if the code begins like a function that makes a frame. */
bool flow_is_prologue(const struct flow *flow, uint64_t address);

/* ---- frames_follow.c: the instructions ------------------------------------------------------- */

/* Follows all pushed places, and the places reached from them. */
void flow_run(struct flow *flow);
/* Follows a function from its start, if that has not been done. */
void flow_enter(struct flow *flow, uint32_t function);

/* ---- frames_sweep.c: code that no known jump leads to ---------------------------------------- */

/* Follows the targets of jumps through registers; in a program without symbols, functions that are
 * only called through pointers; code after calls that were not seen to return. */
void flow_sweep(struct flow *flow);
/* True for padding: no instruction, or one without effect. */
bool flow_is_filling(const struct flow *flow, uint64_t address);

/* ---- frames_routines.c ----------------------------------------------------------------------- */

/* True if symbols name the functions of at least half of the code. */
bool frames_is_named(const struct image *image);

#endif
