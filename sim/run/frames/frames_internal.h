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
    FRAME_SP_OTHER = 64,    /* sp, ra, s0 were loaded from elsewhere than the frame: another */
    FRAME_RA_OTHER = 128,   /* stack's, while a context is switched */
    FRAME_FP_OTHER = 256,
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
/* False: the frame's state is the same. */
bool frame_step(struct frame_state *state, struct frame_constants *constants,
                const struct insn *insn, uint64_t pc, unsigned xlen);
struct monitor_frame frame_rule(const struct frame_state *state);

/* ---- frames_routines.c ----------------------------------------------------------------------- */

/* True if symbols name the functions of at least half of the code. */
bool frames_is_named(const struct image *image);

#endif
