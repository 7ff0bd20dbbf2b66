/* How to leave the frame of every instruction of a program: the table of a stack walk.
 *
 * Made once of the program's file: from its call frame information (.eh_frame, also found by its
 * program header, and .debug_frame); and for functions without any, as a C library usually has,
 * from their code: the flow of control is followed from each function's start, and with it where
 * sp, ra and s0 of the caller are (frames_flow.c). The result is a table in the monitor's format
 * (struct monitor_frames of pmu/abi_monitor.h), which the monitor on the host uses in place and the
 * resident one as a copy in guest memory. */
#ifndef SIM_RUN_FRAMES_H
#define SIM_RUN_FRAMES_H

#include "pmu/monitor.h"
#include "sim/run/load/image.h"

struct frames {
    struct monitor_frames *table;
    size_t bytes;                   /* of the table; a multiple of 8 */
    /* Of libraries that the program has loaded: used on the host. */
    const struct monitor_frames **module;
    unsigned modules;
};

/* On failure *frames is as after frames_free. A program that nothing is known of has an empty
 * table. */
enum err frames_build(struct frames *frames, const struct image *image, struct diag *diag);
/* Walks lead through this library, too. */
enum err frames_add_module(struct frames *frames, const struct image *image, struct diag *diag);
void frames_free(struct frames *frames);

struct frames_routines {
    struct image_function *routine; /* in order of address, disjoint */
    size_t count;
};

/* The functions of the code that has no symbols, as in a stripped program: where call frame
 * information says that one starts, else where a call leads to or code starts that makes a frame. A
 * program whose symbols name at least half of its code has none of these. On failure *routines is
 * as after frames_free_routines. */
enum err frames_find_routines(struct frames_routines *routines, const struct image *image,
                              struct diag *diag);
void frames_free_routines(struct frames_routines *routines);

/* The registers that a walk starts from, of any thread of the program that is not running or
 * stopped between two instructions. */
struct frames_registers {
    uint64_t pc, ra, sp, fp;
};

/* Reads the aligned doubleword at va as the program sees it; false: it cannot. */
typedef bool frames_read(void *arg, unsigned long long va, unsigned long long *value);

/* The stack, leaf first: the pc, then return addresses; how it ended is stack->walk
 * (MONITOR_WALK_*). */
void frames_walk(const struct frames *frames, const struct frames_registers *at, frames_read *read,
                 void *arg, struct monitor_stack *stack);

#endif
