/* libprofhw: the simulated machine's profiling hardware, for programs on the host.
 *
 * It does for a profiler such as OProfile what hardware does: run a program, set marks meanwhile,
 * read counters, deliver interrupts. Marks can be changed between two calls of profhw_run; no count
 * is lost. In programs that this one executes, events count, but not marks and ranges. Options for
 * compiler and linker: `pkg-config --cflags --libs profhw`. Functions that return false leave a
 * sentence in profhw_error. An object may be used by one thread only. */
#ifndef SIM_HOST_PROFHW_H
#define SIM_HOST_PROFHW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct profhw;

struct profhw_program {
    const char *path;               /* RISC-V ELF: bare-metal, or Linux, static or dynamic */
    int argc;                       /* arguments, argv[0] included; 0: the path alone */
    char **argv;
    const char *root;               /* its files and libraries; NULL: current directory */
    const char *config;             /* preset or file; NULL: "default" */
    const char *const *set;         /* settings "KEY=VALUE", NULL at the end; NULL: none */
    bool is_fast;                   /* functional engine: exact counts, no time */
    bool has_kernel;                /* --os kernel; false: if it needs that (threads, dynamic) */
    size_t metadata_bytes;          /* guest memory kept for metadata; 0: 1 MiB */
};

/* Loads the program; nothing is marked yet. NULL: `error` says why. Presets and the guest kernel
 * are looked for where this header lies, at `header`. */
enum { PROFHW_ERROR = 512 };
struct profhw *profhw_open_from(const struct profhw_program *program, const char *header,
                                char error[PROFHW_ERROR]);
static inline struct profhw *profhw_open(const struct profhw_program *program,
                                         char error[PROFHW_ERROR])
{
    return profhw_open_from(program, __FILE__, error);
}

void profhw_close(struct profhw *profhw);       /* NULL is allowed */
const char *profhw_error(const struct profhw *profhw);

/* From now on exactly the marks of this text are active: lines as in a .meta file. Earlier
 * counts stay, and continue where an instruction or datum is marked again. Addresses,
 * symbols and source lines are the program's. */
bool profhw_mark(struct profhw *profhw, const char *metadata);

/* Runs this many further instructions; 0: to the end. False: an error. */
bool profhw_run(struct profhw *profhw, uint64_t instructions);
/* The program ended: *status is its exit status, 128 + n when a trap killed it. */
bool profhw_has_ended(const struct profhw *profhw, int *status);

/* ---- counters -------------------------------------------------------------------------------- */

/* One instruction or datum that has had a counter. */
struct profhw_count {
    uint64_t address;
    uint64_t count;                 /* since the program started; limits do not clear it */
    uint64_t interrupts;            /* that it raised */
    bool is_code;
};

/* All, by address; *counts is valid until the next call of any function here. */
bool profhw_counts(struct profhw *profhw, const struct profhw_count **counts, size_t *number);
/* The sum of the counters in [address, address + bytes); 0 where there are none. */
uint64_t profhw_count(struct profhw *profhw, uint64_t address, uint64_t bytes);
/* An event of the event table, all harts, since the start. False: no such event, or, with is_fast,
 * one that needs time, caches or predictors: those of the program itself (branches, loads, calls,
 * traps, ...) are exact. */
bool profhw_event(struct profhw *profhw, const char *name, uint64_t *count);
/* Address and size of a function or datum. False: no such symbol. */
bool profhw_symbol(struct profhw *profhw, const char *name, uint64_t *address, uint64_t *bytes);

/* ---- programmable counters, ranges ----------------------------------------------------------- */

/* Programs a counter of each hart from the next instruction on, as `rvsim --count` takes it:
 * "loads:user,marked". False: no such event or filter, the fast engine does not count it, or every
 * counter is taken. *number is that of mhpmcounter, 3 and up. */
bool profhw_counter_open(struct profhw *profhw, const char *counter, unsigned *number);
bool profhw_counter_close(struct profhw *profhw, unsigned number);
/* The counter's sum over all harts; that of one hart is profhw_register "mhpmcounter3". */
bool profhw_counter(struct profhw *profhw, unsigned number, uint64_t *value);
/* Sets the counter of hart 0 to `value`, those of the other harts to 0; they go on counting. */
bool profhw_counter_set(struct profhw *profhw, unsigned number, uint64_t value);

/* A range register, "I0" to "I7" of instructions, "D0" to "D7" of data: virtual addresses. A line
 * `range I0 sort *` of profhw_mark sets one, too. */
struct profhw_range {
    uint64_t start, end;            /* end is the first address after it; start == end: nothing */
    uint64_t entries;               /* all harts: changes from outside to inside */
    uint64_t inside;                /* instructions executed, or accesses */
};
bool profhw_range(struct profhw *profhw, const char *name, struct profhw_range *range);
/* Sets the bounds; the counts of the range begin at 0. */
bool profhw_range_set(struct profhw *profhw, const char *name, uint64_t start, uint64_t end);

/* ---- registers, memory ----------------------------------------------------------------------- */

unsigned profhw_harts(const struct profhw *profhw);
/* "pc", "a0" or "x10", "fa0" or "f10" (bits), or a CSR such as "mstatus": the value between two
 * instructions, of a 32-bit hart without sign. The next instruction sees a written value. */
bool profhw_register(struct profhw *profhw, unsigned hart, const char *name, uint64_t *value);
bool profhw_register_set(struct profhw *profhw, unsigned hart, const char *name, uint64_t value);
/* Memory at a virtual address, as the hart sees it now; code may be written, too. False: some of
 * the bytes are not mapped; none is read or written. */
bool profhw_memory(struct profhw *profhw, unsigned hart, uint64_t address, void *bytes,
                   size_t count);
bool profhw_memory_set(struct profhw *profhw, unsigned hart, uint64_t address, const void *bytes,
                       size_t count);

/* ---- interrupts, the scheduler --------------------------------------------------------------- */

/* The fields of an indicator (CSR_IND_* of pmu/abi.h). */
struct profhw_interrupt {
    unsigned hart;
    uint64_t instruction_address, data_address;
    uint64_t count;                 /* of the counter before it was cleared */
    uint64_t cycles;                /* latency: issue to completion, or of the data access */
    uint64_t flags;                 /* MARK_* of the mark */
};

/* Sets the function that is called for each interrupt, in order, at no cost to the program. It may
 * not call profhw_run or profhw_mark. */
void profhw_on_interrupt(struct profhw *profhw,
                         void (*function)(void *arg, const struct profhw_interrupt *interrupt),
                         void *arg);

/* A scheduler's record; threads as gettid numbers them, 0: idle. "switch": `thread` leaves the hart
 * for `other`; "wake" by `other`, on hart `value`; "migrate" to hart `value`; "create" by `other`;
 * "exit"; "block", reason "lock" (value: address), "sleep" (value: end, in ticks), "io", "child",
 * "signal". Each hart's are in order; between harts a larger `order` is later, not the cycle. */
struct profhw_record {
    uint64_t cycle, value; uint32_t hart, thread, other, order; const char *event, *reason;
};
/* From the next instruction on, `function` receives the scheduler's records: at the next call, at
 * the end, and whenever a hart has 4,096 of them. NULL (initially): no records. False: the program
 * has no guest kernel. */
bool profhw_records(struct profhw *profhw,
                    void (*function)(void *arg, const struct profhw_record *record), void *arg);

#ifdef __cplusplus
}
#endif

#endif
