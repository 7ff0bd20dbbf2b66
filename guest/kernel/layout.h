/* Numbers that C and assembly share. */
#ifndef GUEST_KERNEL_LAYOUT_H
#define GUEST_KERNEL_LAYOUT_H

#define HARTS_MAX           64
#define BOOT_STACK_LOG2     12          /* also the idle thread's stack */
#define STACK_BYTES         8192        /* of a thread in the kernel */
#define FRAME_BYTES         272         /* struct frame, rounded up to 16 */

#define CLINT_PA            0x2000000   /* msip: 4 bytes a hart */

#define THREAD_BEGIN        4           /* bytes from thread_entry to where threads begin */

/* struct machine_hart, in physical memory: machine mode's state of a hart */
#define MACHINE_HART_LOG2   6
#define MACHINE_MSIP        16
#define MACHINE_ASKED       24
#define MACHINE_DONE        32

/* struct hart */
#define HART_SP             0
#define HART_FRAME          8
#define HART_TRAPPED        16

#endif
