/* The table of a stack walk: for every instruction of a program, where its caller's registers are.
 *
 * It is made once from the program's file: from call frame information (.eh_frame, also found by
 * its program header, and .debug_frame); for functions without any, as in most C libraries, from
 * their code, by following the flow of control from each function's start and tracking sp, ra and
 * s0 of the caller (frames_flow.c). The result is a table in the monitor's format (struct
 * monitor_frames of pmu/abi_monitor.h), which the monitor on the host uses in place and the
 * resident one as a copy in guest memory. */
#ifndef SIM_RUN_FRAMES_H
#define SIM_RUN_FRAMES_H

#include "pmu/monitor/monitor.h"
#include "sim/run/load/image.h"

struct frames {
    struct monitor_frames *table;
    size_t bytes;                   /* size of the table; a multiple of 8 */
    /* tables of libraries that the program has loaded, for walks on the host */
    const struct monitor_frames **module;
    unsigned modules;
    uint64_t program;               /* as in a key (pmu/key.h) */
    struct frames *other;           /* [others] the same of further programs; their tables have
                                     * addresses, not keys */
    unsigned others, taken;         /* taken: images given to frames_add_module */
};

/* On failure *frames is as after frames_free. A program without any information has an empty
 * table. */
enum err frames_build(struct frames *frames, const struct image *image, struct diag *diag);
/* Lets walks pass through this library, or another program: that of the image's addresses, which
 * are keys. */
enum err frames_add_module(struct frames *frames, const struct image *image, struct diag *diag);
/* The tables of a program, numbered as in a key. For an unknown program it has no table, and walks
 * read the code. */
const struct frames *frames_of(const struct frames *frames, uint64_t program);
void frames_free(struct frames *frames);

struct frames_routines {
    struct image_function *routine; /* in order of address, disjoint */
    size_t count;
};

/* The functions in code without symbols, as in a stripped program. One starts where call frame
 * information says so; elsewhere, at the target of a call, or at code that makes a frame. A program
 * whose symbols name at least half of its code has none. On failure *routines is as after
 * frames_free_routines. */
enum err frames_find_routines(struct frames_routines *routines, const struct image *image,
                              struct diag *diag);
void frames_free_routines(struct frames_routines *routines);

/* The registers from which a walk starts, of any thread of the program that is not running or
 * stopped between two instructions. */
struct frames_registers {
    uint64_t pc, ra, sp, fp;
};

/* Reads the aligned doubleword at va as the program sees it. False: not readable. */
typedef bool frames_read(void *arg, unsigned long long va, unsigned long long *value);

/* Walks the stack into *stack, leaf first: the pc, then return addresses; stack->walk says how the
 * walk ended (MONITOR_WALK_*). */
void frames_walk(const struct frames *frames, const struct frames_registers *at, frames_read *read,
                 void *arg, struct monitor_stack *stack);

#endif
