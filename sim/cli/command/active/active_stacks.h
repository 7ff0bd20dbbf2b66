/* The stacks of a thread, its own, those of coroutines (swapcontext) and those of signal handlers,
 * with the sections that are open on each.
 *
 * An instruction that loads the stack pointer, or takes it from another register, may switch
 * stacks. It has switched if the new stack pointer is outside the memory that the old stack has
 * used up to now; longjmp and exceptions stay inside. Left out: a coroutine whose stack is an array
 * on the stack of its caller counts as part of that stack. */
#ifndef SIM_CLI_COMMAND_ACTIVE_ACTIVE_STACKS_H
#define SIM_CLI_COMMAND_ACTIVE_ACTIVE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/insn.h"

/* A section that has not returned; user: what the thread had run in user mode at its entry. */
struct active_open { uint64_t ret, sp; unsigned section; uint64_t user; size_t stack; };

/* The lowest and the highest stack pointer seen. is_signal: a signal handler began it. */
struct active_stack { uint64_t low, high; bool is_signal; };

struct active_stacks {
    struct active_stack *stack;         /* in order of first use */
    size_t stacks, current;
    struct active_open *open;           /* in order of entry, on all stacks */
    size_t opens;
    size_t innermost;                   /* number of the innermost one on the current stack, plus 1;
                                         * 0: none */
    uint64_t sp;                        /* before the thread's next instruction */
    bool has_written, may_switch;       /* its last instruction wrote sp; from elsewhere */
};

/* The thread continues with this stack pointer, perhaps on another stack. If it left a signal
 * handler's stack by longjmp, the open sections of that stack move to the new one, with a stack
 * pointer of 0, so that they count as left. False: no memory. */
bool active_stacks_move(struct active_stacks *stacks, uint64_t sp);
/* Notes an instruction of the thread, which is about to execute. */
void active_stacks_step(struct active_stacks *stacks, const struct insn *insn);
/* Opens a section on the current stack, which extends at least up to the section's sp. False: no
 * memory. */
bool active_stacks_open(struct active_stacks *stacks, const struct active_open *open);
/* The innermost section on the current stack; NULL: none. */
static inline const struct active_open *active_stacks_innermost(const struct active_stacks *stacks)
{
    return stacks->innermost != 0 ? &stacks->open[stacks->innermost - 1] : NULL;
}
/* Closes the innermost section on the current stack. */
void active_stacks_close(struct active_stacks *stacks);
void active_stacks_free(struct active_stacks *stacks);

#endif
