/* Call stacks with their measured values, from a profile: exports of stacks are written
 * from. They are those of the exact call tree with its cycles; if these were not measured, those
 * of the interrupts, if there are any. Frames are linked from the leaf on. */
#ifndef PROF_EXPORT_STACKS_H
#define PROF_EXPORT_STACKS_H

#include "prof/profile.h"
#include "prof/symbols.h"
#include "sim/base/err.h"

enum { STACKS_VALUES = 3 };

struct stacks_frame {
    uint32_t function;              /* in stacks->function */
    uint32_t caller;                /* frame + 1; 0: none */
    uint64_t address;               /* of the call, of the leaf's instruction; 0: not known */
};

struct stacks_sample {
    uint32_t leaf;                  /* frame + 1; 0: an empty stack */
    uint64_t value[STACKS_VALUES];
};

struct stacks_function {
    uint64_t routine;               /* its first address; 0: nothing of the program */
    char *name;
    const char *file;               /* "" where nothing is known; the symbols' */
    unsigned line;
};

struct stacks_value { const char *name, *unit; };       /* "cycles", "count" */

struct stacks {
    struct stacks_value value[STACKS_VALUES];
    unsigned values, main;          /* main: the one to show first */
    struct stacks_sample *sample;
    size_t samples, samples_room;
    struct stacks_frame *frame;
    size_t frames, frames_room;
    struct stacks_function *function;
    size_t functions, functions_room;
};

/* stacks_free is due afterwards, also after an error. */
enum err stacks_make(struct stacks *stacks, const struct profile *profile,
                     const struct symbols *symbols, struct diag *diag);
/* For (f = sample->leaf; f != 0; f = frame->caller). */
static inline const struct stacks_frame *stacks_frame(const struct stacks *stacks, uint32_t number)
{
    return &stacks->frame[number - 1];
}
void stacks_free(struct stacks *stacks);

#endif
