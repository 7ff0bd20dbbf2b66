/* The user stack's part of a signal: frames for handlers, and calls to be made again. */
#ifndef GUEST_KERNEL_SIGNAL_SIGNAL_FRAME_H
#define GUEST_KERNEL_SIGNAL_SIGNAL_FRAME_H

#include "process/thread.h"

/* The stack pointer is in the alternate stack, as Linux has it: the lowest byte is not. */
bool signal_is_on_stack(const struct thread_signals *signals, uint64_t sp);
/* Builds the frame and goes to the handler. False: the stack is not there. */
bool signal_enter(struct thread *thread, const struct siginfo *info);
/* A call that a signal interrupted is made again, or returns EINTR; info NULL: no handler runs. */
void signal_restart(struct thread *thread, const struct siginfo *info);
/* One of these signals that is pending for the thread, taken. */
_Noreturn void process_exit_quietly(void);

#endif
