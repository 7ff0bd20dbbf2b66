/* The flow of control through a program's code: for each halfword the frame before it, and the
 * functions that were found. */
#ifndef SIM_RUN_FRAMES_FLOW_H
#define SIM_RUN_FRAMES_FLOW_H

#include "sim/run/frames/frames_internal.h"

/* ---- frames_flow.c --------------------------------------------------------------------------- */

/* A range of executable bytes, whose first halfword is number `first` of all. */
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

/* What holds before an instruction. Most instructions leave it as it is. */
struct flow_fact {
    struct frame_state state;
    uint32_t owner;             /* index of the function from which it was reached */
};

/* When a function is known to return, `address` is reached with this fact; or, with address 0,
 * `owner` is known to return too. */
struct flow_wait {
    uint64_t address;
    uint32_t fact, owner;
    size_t next;
};

/* A place from which to continue. */
struct flow_work {
    uint64_t address;
    uint32_t fact;
};

enum { FLOW_DECODED_BITS = 13 };

struct flow {
    const struct image *image;
    struct flow_piece *piece;
    size_t pieces, halves;
    struct insn *decoded;           /* [1 << FLOW_DECODED_BITS] by a hash of the encoding; length 0:
                                     * none. Few encodings make up most of a program */
    /* Sets of halves, a bit each: the start of an instruction that was followed; that, or inside of
     * one; the start of a function; a jump through a register to one of several targets. */
    uint64_t *reached, *closed, *starting, *dispatching;
    uint32_t *fact_at;              /* [halves] index of the fact, where reached */
    uint32_t *function_at;          /* [halves] index of the function, where one starts */
    bool is_named;                  /* symbols name the starts of all functions */
    struct flow_fact *fact;         /* fact 0 is of no place */
    size_t facts;
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
/* The piece with the address; NULL: no code. */
static inline const struct flow_piece *flow_piece_at(const struct flow *flow, uint64_t address)
{
    for (size_t i = 0; i < flow->pieces; i++)
        if (address - flow->piece[i].address < flow->piece[i].bytes && (address & 1) == 0)
            return &flow->piece[i];
    return NULL;
}

/* The number of the halfword at an address of the piece. */
static inline size_t flow_place(const struct flow_piece *piece, uint64_t address)
{
    return piece->first + (size_t)(address - piece->address) / 2;
}

/* The same for any address. False: no code. */
static inline bool flow_index(const struct flow *flow, uint64_t address, size_t *index)
{
    const struct flow_piece *piece = flow_piece_at(flow, address);

    if (piece != NULL)
        *index = flow_place(piece, address);
    return piece != NULL;
}

/* The instruction at an address of the piece. False: none. */
bool flow_insn_of(const struct flow *flow, const struct flow_piece *piece, uint64_t address,
                  struct insn *insn);
/* The same at any address. */
bool flow_insn(const struct flow *flow, uint64_t address, struct insn *insn);
/* The rule that the flow found for a halfword; no flags: none. */
struct monitor_frame flow_rule(const struct flow *flow, size_t index);
/* A number that only halfwords with the same rule share; 0: none. */
uint32_t flow_rule_number(const struct flow *flow, size_t index);
/* The function that starts at this address, created if necessary. False: no code there, or no
 * memory. */
bool flow_function_at(struct flow *flow, uint64_t address, uint32_t *function);
/* Adds a place from which to continue. */
void flow_push(struct flow *flow, uint64_t address, uint32_t fact);
/* Adds a fact. 0: no memory. */
uint32_t flow_add_fact(struct flow *flow, const struct frame_state *state, uint32_t owner);

/* Without symbols: true if the code begins like a function that makes a frame. */
bool flow_is_prologue(const struct flow *flow, uint64_t address);

static inline bool flow_has(const uint64_t *set, size_t index)
{
    return (set[index / 64] >> index % 64 & 1) != 0;
}

static inline void flow_add(uint64_t *set, size_t index)
{
    set[index / 64] |= UINT64_C(1) << index % 64;
}

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

/* Keeps the routines that the image's flow found, for frames_find_routines. */
void frames_keep_routines(const struct image *image, const struct flow *flow);

#endif
