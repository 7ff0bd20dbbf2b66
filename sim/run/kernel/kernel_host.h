/* The host-call device of a guest kernel: files, console and host information, served by the system
 * call handlers of sim/run/linux.
 *
 * A context is the host's state of one guest process: descriptors, directory, umask. Context 0 is
 * the first program's. User memory is reached through the guest's page tables; a missing page is
 * reported to the kernel, which makes it present and repeats the request; until then the request
 * has no effect. Handles are files that the kernel maps. */
#ifndef SIM_RUN_KERNEL_HOST_H
#define SIM_RUN_KERNEL_HOST_H

#include "pmu/abi_kernel.h"
#include "sim/mem/device/devices.h"
#include "sim/run/frames/frames_guest.h"
#include "sim/run/linux/process.h"

/* path: guest path; NULL: closed. code: host path of an ELF file that is mapped in a process; else
 * NULL. first_pa: physical address of the file's first page, if it was read before the file was
 * placed; 0: none. */
struct kernel_handle {
    int fd;
    char *path, *code;
    uint64_t bias, first_pa;
    bool is_shared;                 /* for all shared mappings of the file */
    uint64_t device, inode;
};

/* program: its number, as in a key (pmu/key.h). */
struct kernel_context { uint64_t id, program; struct process *process; };

/* Called if struct kernel_boot says follows_pages: private memory of a program has the page at pa
 * for the address of this key (pmu/key.h) from now on; the page has no owner any more. NULL: no. */
struct kernel_follower {
    void (*came)(void *arg, uint64_t key, uint64_t pa);
    void (*freed)(void *arg, uint64_t pa);
    void *arg;
};

struct kernel_wait { int fd; short events; };     /* of a socket: the host's descriptor, POLL* */

struct kernel_node { uint64_t device, inode; };     /* of a named pipe or a socket's name */

struct kernel_host {
    struct phys_device device;
    struct phys *phys;
    struct kernel_context *contexts;
    size_t context_count;
    struct kernel_handle *handles;          /* handle n is at n - 1 */
    size_t handle_count;
    struct open_file **held;                /* open files on their way; number n is at n */
    size_t held_count;
    struct kernel_node *nodes;              /* number n is at n - 1 */
    size_t node_count;
    FILE *log;
    struct devices *devices;
    uint64_t look_ticks;                    /* ticks between checks of awaited sockets */
    uint64_t look_ns;
    struct kernel_wait *waits;
    size_t wait_count;
    bool has_come;                          /* one of them is ready */
    uint64_t latency_ticks;                 /* ticks until a call on files is answered */
    bool is_ready;                          /* booted; the machine has not handled that yet */
    bool has_ended;
    int exit_code, signal;
    uint64_t end_pc, end_va, end_reason;
    /* Receives a ring's records, in order, when it is full or the run has ended. NULL: they are
     * dropped. */
    void (*records)(void *arg, unsigned hart, const struct kernel_record *record, size_t count);
    void *records_arg;
    /* Called when an ELF file is mapped in the calling process at its addresses plus bias; path: on
     * the host; is_next: for the program that the process is about to become. Returns the bias by
     * which `paged` knows the file. May be NULL. */
    uint64_t (*placed)(void *arg, const char *path, uint64_t bias, bool is_next);
    /* Called when a page of a file was read. path: of a placed file whose code the page has, else
     * NULL. May be NULL. */
    void (*paged)(void *arg, const char *path, uint64_t bias, uint64_t va, uint64_t pa);
    void *placed_arg;                   /* of both */
    struct kernel_follower follower;
    /* executing: the calling process opens a program to execute. executed: it continues as the
     * program of this host path. forked: it has made a child, whose process, context and thread
     * have this number. Each may be NULL. */
    void (*executing)(void *arg);
    void (*executed)(void *arg, const char *path);
    void (*forked)(void *arg, uint64_t child);
    /* The key (pmu/key.h) of an address that a thread uses, by its number. May be NULL. */
    uint64_t (*key)(void *arg, uint64_t thread, uint64_t va);
    void *executed_arg;                 /* of these four */
    uint64_t caller;                    /* context of the process whose call is served */
    uint64_t rings_pa, sampler_pa;      /* 0: no sampling of idle harts */
    uint64_t sampler_programs_pa;       /* kernel_sampler.c: lists of tables, by program */
    struct frames_guest sampler_frames;
    uint64_t directory_pa;              /* of its threads: struct kernel_directory; 0: none */
    unsigned harts;
};

/* Puts the device on phys's bus; `first`, from process_new_guest, becomes the host's. look_ticks:
 * KERNEL_LOOK_NS in ticks of mtime. False: no memory. */
bool kernel_host_init(struct kernel_host *host, struct phys *phys, struct process *first,
                      struct devices *devices, uint64_t look_ticks);
void kernel_host_free(struct kernel_host *host);
/* The program of a context, as in a key; 0: the first one, or there is no such context. */
uint64_t kernel_host_program(const struct kernel_host *host, uint64_t context);
void kernel_host_set_program(struct kernel_host *host, uint64_t context, uint64_t program);
/* The key of an address that a thread uses, by its number. Without a kernel (host NULL), or where
 * nobody follows the programs, the address itself. */
uint64_t kernel_host_key(const struct kernel_host *host, uint64_t thread, uint64_t va);
/* Hands over the records in the rings. From now on the rings receive the records of `kinds`:
 * KERNEL_RING_*; 0: none. */
void kernel_host_record(struct kernel_host *host, uint64_t kinds);
/* Hands over the records in the rings. */
void kernel_host_drain(struct kernel_host *host);

#endif
