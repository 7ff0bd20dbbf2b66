/* Frames of signal handlers, as Linux lays them out on RISC-V (struct rt_sigframe). */
#include "signal/signal_frame.h"
#include "process/process.h"

enum { SS_ONSTACK = 1, SS_DISABLE = 2, EXTENDED_BYTES = 528, FS_DIRTY = 3 << 13 };

struct signal_frame {
    struct siginfo info;
    uint64_t flags, link;
    uint64_t stack;
    int32_t stack_flags, zero;
    uint64_t stack_bytes;
    uint64_t mask, unused[15];
    uint64_t pad;                       /* the next field is aligned to 16 */
    uint64_t reg[32];
    uint64_t fp[32];
    uint32_t fcsr;
    uint8_t fp_rest[EXTENDED_BYTES - 32 * 8 - 4];
};

_Static_assert(sizeof(struct signal_frame) == 128 + 176 + 256 + 528, "struct rt_sigframe");

bool signal_is_on_stack(const struct thread_signals *signals, uint64_t sp)
{
    return signals->stack_flags != SS_DISABLE && sp - signals->stack - 1 < signals->stack_bytes;
}

bool signal_enter(struct thread *thread, const struct siginfo *info)
{
    struct signal_action *action = &thread->process->action[info->signo];
    struct thread_signals *signals = &thread->signals;
    uint64_t *reg = thread->frame->reg, sp = reg[REG_SP], mask = signals->blocked;
    struct signal_frame frame = {.info = *info, .stack = signals->stack,
                                 .stack_flags = signals->stack_flags,
                                 .stack_bytes = signals->stack_bytes};

    if ((action->flags & SA_ONSTACK) && signals->stack_flags != SS_DISABLE &&
        !signal_is_on_stack(signals, sp))
        sp = signals->stack + signals->stack_bytes;
    if (signal_is_on_stack(signals, reg[REG_SP]))
        frame.stack_flags = SS_ONSTACK;
    sp = (sp - sizeof frame) & ~UINT64_C(15);
    if (frame.stack_flags == SS_ONSTACK && !signal_is_on_stack(signals, sp))
        return false;                   /* the alternate stack is full: never over what is below */
    frame.mask = signals->has_saved ? signals->saved : mask;
    fp_keep(thread);
    memcpy(frame.reg, reg, sizeof frame.reg);
    memcpy(frame.fp, thread->fp, sizeof frame.fp);
    frame.fcsr = (uint32_t)thread->fp[32];
    if (!user_write(sp, &frame, sizeof frame))
        return false;
    reg[REG_PC] = action->handler;
    reg[REG_SP] = sp;
    reg[REG_RA] = TRAMPOLINE;
    reg[REG_A0] = (uint64_t)info->signo;
    reg[REG_A0 + 1] = sp;
    reg[REG_A0 + 2] = sp + sizeof frame.info;
    mask |= action->mask | (action->flags & SA_NODEFER ? 0 : signal_bit(info->signo));
    signal_set_mask(thread, mask);
    if (action->flags & SA_RESETHAND)
        action->handler = 0;
    return true;
}

int64_t signal_return(struct thread *thread)
{
    struct signal_frame frame;
    uint64_t *reg = thread->frame->reg;

    if (!user_read(reg[REG_SP], &frame, sizeof frame)) {
        signal_fault(thread, SIGSEGV, 1, reg[REG_SP]);
        return 0;
    }
    memcpy(reg, frame.reg, sizeof frame.reg);
    memcpy(thread->fp, frame.fp, sizeof frame.fp);
    thread->fp[32] = frame.fcsr;
    csr_set(sstatus, FS_DIRTY);
    fp_restore(thread->fp);
    signal_set_mask(thread, frame.mask);
    if (frame.stack_flags != SS_ONSTACK) {
        thread->signals.stack = frame.stack;
        thread->signals.stack_flags = frame.stack_flags;
        thread->signals.stack_bytes = frame.stack_bytes;
    }
    return (int64_t)reg[REG_A0];
}

void signal_restart(struct thread *thread, const struct siginfo *info)
{
    uint64_t *reg = thread->frame->reg;
    bool again = info == NULL;

    thread->is_restarted = false;
    if (thread->restart == 0)
        return;
    if (info != NULL)
        again = thread->restart == ERESTART_ALWAYS ||
                (thread->restart == ERESTART &&
                 (thread->process->action[info->signo].flags & SA_RESTART) != 0);
    if (again) {
        reg[REG_PC] -= 4;
        reg[REG_A0] = thread->first_argument;
        thread->is_restarted = info == NULL;    /* else the handler calls first */
    } else {
        reg[REG_A0] = (uint64_t)-EINTR;
    }
    thread->restart = 0;
}
