/* The contract between the guest kernel (guest/kernel), the machine that loads it and the tools:
 * start information from the machine and host calls.
 * For C and, as far as they are numbers, for assembly. Codes are ABI: append, never renumber. */
#ifndef PMU_ABI_KERNEL_H
#define PMU_ABI_KERNEL_H

#include "pmu/abi_probe.h"
#include "pmu/abi_record.h"
#include "pmu/abi_sampler.h"

/* ---- places ---------------------------------------------------------------------------------- */
#define KERNEL_PA           0x80000000  /* the kernel, linked for KERNEL_MAP + this */
#define KERNEL_BYTES        0x400000    /* its memory; the program's image follows */
#define KERNEL_BOOT_PA      0x80300000  /* struct kernel_boot, and the strings after it */
#define KERNEL_BOOT_SAMPLER 168         /* offset of its sampler_pa */
#define KERNEL_MAP          0xffffffc000000000  /* all of physical memory, in every address space */
#define KERNEL_HOST_PA      0x1000000   /* doorbell: the physical address of a struct kernel_call */
#define KERNEL_HOST_BYTES   0x1000

#ifndef __ASSEMBLER__

/* ---- the start ------------------------------------------------------------------------------- */
#define KERNEL_MAGIC        0x6c656e72656b7672ull
#define KERNEL_SEGMENTS     16

struct kernel_segment { unsigned long long va, bytes, prot, offset; };  /* offset: in the file */

struct kernel_boot {
    unsigned long long magic, harts;
    unsigned long long memory_pa, memory_end;   /* free physical memory, whole pages */
    unsigned long long tick_ns_up, tick_ns_down;    /* a tick of `time` lasts up / down ns */
    unsigned long long epoch_seconds;           /* CLOCK_REALTIME at time 0 */
    unsigned long long seed, hwcap, slice_ns;
    unsigned long long exec_stack;              /* the program wants an executable stack */
    unsigned long long entry, phdr_va, phdr_bytes, phdr_count, segments;
    unsigned long long interpreter_va;          /* PT_INTERP's path in the image; 0: none */
    unsigned long long argc, envc;
    unsigned long long strings_bytes;           /* after this structure: the path of the program,
                                                   arguments, environment, each with its 0 */
    unsigned long long rings_pa;                /* struct kernel_ring[harts]; 0: none */
    unsigned long long sampler_pa;              /* struct kernel_sampler[harts]; 0: none */
    unsigned long long image_root_pa;           /* root of the page tables that map the segments */
    struct kernel_segment segment[KERNEL_SEGMENTS];
    unsigned long long has_limits;              /* limits on functions (abi_register.h) */
    struct kernel_words words;                  /* PROF_REG_* that belong to a thread */
    unsigned long long probes;
    struct kernel_probe probe[KERNEL_PROBES];
    unsigned long long follows_pages;           /* the host wants KERNEL_OP_PAGE_CAME and _FREED */
};

/* ---- advice ---------------------------------------------------------------------------------- */
/* Sets of madvise's advice numbers, one bit each. KNOWN: accepted numbers; all others get EINVAL,
 * even if Linux supports them. DISCARDS: numbers that drop the contents (MADV_DONTNEED, _FREE,
 * _DONTNEED_LOCKED); the other known numbers have no effect. */
#define KERNEL_ADVICE_KNOWN     0x13bf91full
#define KERNEL_ADVICE_DISCARDS  0x1000110ull

/* ---- host calls ------------------------------------------------------------------------------ */
/* The kernel fills in a block and stores its physical address to the doorbell. The block is
 * answered when the store has been performed. With KERNEL_CALL_FAULT the call had no effect: user
 * memory [fault_va, fault_va + fault_bytes) is not present for the access. The kernel makes it
 * present and calls again, or sets bad_va to the first address that is not accessible. With
 * KERNEL_CALL_WAIT a blocking call on a socket has moved `result` bytes (or 0); the kernel repeats
 * it for the rest when the socket can move more.
 *
 * The device checks the awaited sockets every KERNEL_LOOK_NS. When at least one of them is ready,
 * it sends hart 0 one machine software interrupt for all of them; the next load from KERNEL_HOST_PA
 * then returns 1, later ones 0. */
enum kernel_op {
    KERNEL_OP_SYSCALL,      /* number, argument[6], as the program called */
    KERNEL_OP_READY,        /* booted: the next instruction is the first of user code */
    KERNEL_OP_EXIT,         /* argument: exit code; or signal, pc, address, reason: killed */
    KERNEL_OP_CLONE,        /* argument: context to make, as a copy of `context` */
    KERNEL_OP_DROP,         /* frees `context` */
    KERNEL_OP_EXEC,         /* `context`: close on exec, argument: handle of the program; result:
                             * the program's number, as pmu/key.h has it, from 0 */
    KERNEL_OP_OPEN_EXEC,    /* argument: user path, directory, flags; result: handle */
    KERNEL_OP_OPEN_KERNEL,  /* argument: physical address of a path; result: handle */
    KERNEL_OP_MAP_FILE,     /* argument: descriptor, prot, is shared, address, offset in the file;
                             * result: handle, 0: zeros */
    KERNEL_OP_SIZE,         /* argument: handle */
    KERNEL_OP_READ_PAGE,    /* argument: handle, offset, physical address, bytes */
    KERNEL_OP_WRITE_PAGE,   /* as KERNEL_OP_READ_PAGE */
    KERNEL_OP_CLOSE_HANDLE, /* argument: handle */
    KERNEL_OP_NEW_FD,       /* argument: close on exec; result: descriptor of a kernel's file */
    KERNEL_OP_POLL,         /* argument: descriptor, events, has_wait (1: if a socket is not ready,
                             * the device watches it), is_for_epoll (1: -EPERM for a file that epoll
                             * does not accept); result: events that are ready; from bit 16 on: the
                             * socket's calls up to now that moved bytes or found none */
    KERNEL_OP_NOTE,         /* argument: physical address of a line of text */
    KERNEL_OP_RING,         /* argument: hart, whose ring the host shall empty */
    KERNEL_OP_EXE_PATH,     /* of `context`; argument: physical address, bytes; result: length */
    KERNEL_OP_PLACED,       /* argument: handle of an ELF file, bias added to its addresses */
    KERNEL_OP_SOCKET_NAME,  /* argument: physical address of a path, 1: to be made; result: number
                             * of the file, a socket's name; other files have other numbers */
    KERNEL_OP_DESCRIPTORS,  /* argument: physical address of 16,384 bits: those in use are set */
    KERNEL_OP_HANDLE_PATH,  /* argument: handle, physical address, bytes; result: path's length */
    KERNEL_OP_FILE_LIMIT,   /* argument: number of descriptors that `context` may have; bytes up to
                             * which it may write a file, or UINT64_MAX */
    KERNEL_OP_HOLD,         /* argument: descriptor; result: a number under which the host keeps its
                             * open file until KERNEL_OP_DROP_HELD */
    KERNEL_OP_TAKE_HELD,    /* argument: that number, close on exec; result: descriptor */
    KERNEL_OP_DROP_HELD,    /* argument: that number */
    KERNEL_OP_CREATE,       /* argument: physical address of a path, bytes: a file of zeros that its
                             * user alone may read, in place of a former one; result: handle */
    KERNEL_OP_PAGE_CAME,    /* argument: physical address of a page, the user's address that it is
                             * about to have in private memory, number of the program */
    KERNEL_OP_PAGE_FREED,   /* argument: physical address of a page that has no owner any more */
    KERNEL_OP_IMAGE_PAGE,   /* argument: physical address of a page, the user's address of it in the
                             * first program: gets the contents that it has in the program's file */
};
enum kernel_call_status { KERNEL_CALL_DONE, KERNEL_CALL_FAULT, KERNEL_CALL_WAIT };
#define KERNEL_LOOK_NS 100000

struct kernel_call {
    unsigned long long op, number, context, satp, bad_va;
    unsigned long long argument[6];
    unsigned long long status, fault_va, fault_bytes, fault_prot;   /* PROT_* */
    unsigned long long events;              /* KERNEL_CALL_WAIT: POLL* that it waits for */
    long long result;                       /* as a system call's: -errno */
    unsigned long long ready;               /* value of `time` from which on the call is answered */
    unsigned long long node;                /* of the named pipe that a system call opened, or 0 */
};

#endif
#endif
