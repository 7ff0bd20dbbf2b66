/* The machine: harts, memory, devices, program, engines; runs it to an end and records the reason.
 * It owns everything of a run; two machines in one process are independent.
 *
 * Order of use: machine_init, set the public choices (engine, skip, ...), machine_load, machine_run
 * as often as wanted, machine_free. */
#ifndef SIM_RUN_MACHINE_H
#define SIM_RUN_MACHINE_H

#include <signal.h>
#include <stdio.h>

#include "sim/base/config.h"
#include "sim/base/err.h"
#include "sim/core/core.h"
#include "sim/core/cpu.h"
#include "sim/core/profile/profile_window.h"
#include "sim/mem/device/devices.h"
#include "sim/run/fast/fast.h"
#include "sim/run/load/program.h"
#include "sim/run/result.h"

enum engine { ENGINE_DETAILED, ENGINE_FAST, ENGINE_WARM };
enum monitor_kind { MONITOR_NONE, MONITOR_GUEST, MONITOR_HOST };

struct process;     /* user-mode Linux program: process.h */
struct kernel_host; /* serves a guest kernel: kernel_host.h */
struct kernel_wants; struct calls_map; struct faster; struct profiler;

/* Files of the guest's console and of its first descriptors; -1 and NULL: see machine_init. */
struct machine_io {
    FILE *out, *err;            /* console of a bare-metal program */
    int in;                     /* file descriptor, -1 = no input */
    int fds[3];                 /* host descriptors of a Linux program's 0, 1, 2 */
    FILE *log;                  /* a line per unsupported system call; NULL = none */
    bool trace_syscalls;
};

struct machine {
    struct config config;
    struct phys phys;
    unsigned harts;
    unsigned xlen;                  /* 32 or 64; after machine_load */
    struct cpu *cpu;                /* [harts] */
    struct core **core;             /* [harts], detailed engine, made on first use */
    struct fast **fast;             /* [harts] */
    struct memshared *memshared;
    struct devices *devices;
    struct profile_window window;   /* on the bus when pmu.window_base says so */
    struct process *process;        /* NULL: bare metal */
    struct kernel_host *kernel;     /* NULL: no guest kernel */
    uint64_t boot_insns;            /* of the guest kernel's boot; in no other figure */
    struct profiler *profiler;      /* NULL: no metadata */
    struct faster *faster;          /* routines run at a virtual speed (faster.h); NULL: none */
    const struct image *image;      /* the program: own_image, or the image given to machine_load */
    struct image own_image;
    /* chosen by the user between machine_init and machine_run */
    enum engine engine;
    bool skip, counts;              /* skip: idle cycles; counts: each event, fast engine */
    struct machine_io io;
    uint64_t reserve_top_bytes;     /* at the top of RAM, left to the monitor; whole pages */
    volatile sig_atomic_t *stop_request;    /* set by a signal handler; may be NULL */
    void (*progress)(void *arg, const struct machine *machine);     /* ten times a second; NULL */
    void *progress_arg;
    double next_progress;           /* in the host's clock */
    /* cpu->host_monitor: handles the entries of cpu->pmu.queue, or a counter overflow (stop_cause).
     * Entries left in the queue are dropped one by one. */
    void (*monitor)(void *arg, struct machine *machine, struct cpu *cpu);
    void *monitor_arg;
    /* Called after the host served a trap or monitor of a cpu (with precise registers); NULL. */
    void (*served)(void *arg, struct cpu *cpu);
    void *served_arg;
    void (*magic)(void *arg, struct cpu *cpu);  /* gem5's, except exit and fail; may set engine */
    void *magic_arg;
    const struct kernel_wants *wants;   /* of the guest kernel, set before machine_load; or NULL */
    uint64_t (*placed)(void *arg, const char *path, uint64_t bias, bool is_next);
    void (*paged)(void *arg, const char *path, uint64_t bias, uint64_t va, uint64_t pa);
    void *placed_arg;               /* of placed and paged: see kernel_host.h; NULL */
    bool has_limits;                /* some marks have MARK_ALARM: limits are per thread */
    void (*at_stop)(void *arg);     /* called at machine_stop_at's place; must move it or halt */
    void *at_stop_arg;
    /* One hart: called when the observation of instructions observe_from (or a few less) to
     * observe_to, counted from the start, begins and ends. NULL: never. */
    void (*observe)(void *arg, bool on);
    void *observe_arg;
    uint64_t observe_from, observe_to;
    bool is_observed;
    /* Called at cycle next_interval, which it sets anew; or NULL. With interval_cuts, cycles are
     * those of interval_hart, whose turns end there; otherwise the call comes when all harts have
     * reached the cycle. While every hart waits, the call is late unless interval_wakes is set. */
    void (*interval)(void *arg, struct machine *machine);
    void *interval_arg;
    uint64_t next_interval;
    unsigned interval_hart;
    bool interval_wakes, interval_cuts;
    bool halt;                      /* set by an observer to end the run: RESULT_HALTED */
    /* the run */
    struct result result;
    bool ended, was_detailed;       /* the program has ended; the detailed engine has run */
    enum engine running;            /* engine of the last machine_run */
    uint64_t synced_cycles;         /* cycles passed to the devices */
    unsigned active_hart;           /* hart whose cycles the clock follows */
    /* Several harts: end of the turn; hart whose turn it is, `harts` if all have had it; end of the
     * round, and its cycles. */
    uint64_t turn_end, round_end, round_cycles;
    unsigned turn_hart;
};

/* Default io: standard streams, no console input. After a failure nothing is left to free. */
enum err machine_init(struct machine *machine, const struct config *config, struct diag *diag);
/* After a failure machine_free is still due. */
enum err machine_load(struct machine *machine, const struct program *program, struct diag *diag);
/* Runs to an end; the reason is in machine->result. Can be called again after a limit, also with
 * another engine. Limits count from the start of the program. Pending profiling interrupts are
 * served first (machine_finish.c), unless an observer halts the run. */
void machine_run(struct machine *machine, const struct limits *limits);
void machine_free(struct machine *machine);

/* Instructions committed by all harts, without those of the resident monitor. */
uint64_t machine_insns(const struct machine *machine);
uint64_t machine_cycles(const struct machine *machine);     /* of the hart that ran longest */
uint64_t machine_time_ns(const struct machine *machine);    /* the same by machine.clock_mhz */

/* Makes the chosen engine of a hart before machine_run would, so that a caller can attach
 * observers: machine->core[hart] in the detailed engine, machine->fast[hart] in the others. A
 * second call makes nothing new. False: not enough memory. */
bool machine_make_engine(struct machine *machine, unsigned hart);

/* Stops the first hart in front of the instruction at pc, once each time it gets there; in the
 * detailed engine when that instruction is about to commit. Then at_stop is called or, if that is
 * NULL, the run ends with RESULT_HALTED. MACHINE_NO_STOP: nowhere. False: not enough memory. */
#define MACHINE_NO_STOP UINT64_C(1)
bool machine_stop_at(struct machine *machine, uint64_t pc);

/* From now on every hart keeps its call tree (cpu->calls) by these routines; the map stays the
 * caller's. Call machine_changed afterwards. False: no memory. */
bool machine_track_calls(struct machine *machine, const struct calls_map *map);

/* The host changed code, translations or marks: every engine drops its cached copies. */
void machine_changed(struct machine *machine);
#endif
