/* Call stacks with their measured values, from a profile: the source of all exports of stacks. They
 * come from the exact call tree with its cycles or, if these were not measured, from the
 * interrupts. Frames are linked from the leaf to the root. */
#ifndef PROF_EXPORT_STACKS_H
#define PROF_EXPORT_STACKS_H

#include "prof/profile/profile.h"
#include "prof/symbols/symbols.h"
#include "sim/base/err.h"

enum { STACKS_VALUES = 3, STACKS_DEPTH = 1024 };
#define STACKS_DEEPER "[deeper]"

struct stacks_frame {
    uint32_t function;              /* in stacks->function */
    uint32_t caller;                /* frame + 1; 0: none */
    uint64_t address;               /* of the call, or of the leaf's instruction; 0: unknown */
};

struct stacks_sample {
    uint32_t leaf;                  /* frame + 1; 0: an empty stack */
    uint64_t value[STACKS_VALUES];
};

struct stacks_function {
    uint64_t routine;               /* its first address; 0: outside the program */
    char *name;
    const char *file;               /* "" if unknown; owned by the symbols */
    unsigned line;
};

struct stacks_value { const char *name, *unit; };       /* "cycles", "count" */

struct stacks {
    struct stacks_value value[STACKS_VALUES];
    unsigned values, main;          /* main: index of the value to show first */
    struct stacks_sample *sample;
    size_t samples;
    struct stacks_frame *frame;
    size_t frames;
    struct stacks_function *function;
    size_t functions;
    uint32_t *of_record;            /* [profile->records] sample + 1, 0: none; NULL: the stacks are
                                     * those of the call tree */
};

/* stacks_free is due afterwards, also after an error. */
enum err stacks_make(struct stacks *stacks, const struct profile *profile,
                     const struct symbols *symbols, struct diag *diag);
/* For formats that write each stack out: a stack of the call tree with more than STACKS_DEPTH
 * frames keeps the outermost ones, and one frame STACKS_DEEPER for all below them. Such stacks are
 * one sample with the sum of their values. Otherwise a recursion has the size of its depth
 * squared. */
enum err stacks_limit(struct stacks *stacks, struct diag *diag);
/* For (f = sample->leaf; f != 0; f = frame->caller). */
static inline const struct stacks_frame *stacks_frame(const struct stacks *stacks, uint32_t number)
{
    return &stacks->frame[number - 1];
}
void stacks_free(struct stacks *stacks);

#endif
