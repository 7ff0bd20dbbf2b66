/* The profiling set-up of a run: metadata and monitor into guest memory, registers set, results
 * out.
 *
 * Life: profiler_new before the program is loaded (it says how much memory at the top of RAM it
 * needs), profiler_attach when it lies in memory, profiler_serve at every stop for the host
 * monitor, profiler_collect before results are read (as often as wanted).
 * Reserved memory, from its start: perfinst image (tables and blocks); then, only with a guest
 * monitor, pages that only it can touch (PHYS_MONITOR): the monitor's code and data, its record
 * table, the table of the program's frames, for each hart a page (struct monitor_hart above its
 * stack) and its MONITOR_RULES, and room for frames of kernel and libraries (monitor_modules).
 * Marks on addresses that are not mapped when the program starts (heap, stack) are warnings. */
#ifndef SIM_RUN_PROFILER_H
#define SIM_RUN_PROFILER_H

#include "shadowcache/meta_late.h"
#include "shadowcache/perfinst.h"
#include "sim/run/machine.h"

/* Events of the programmable counters from the start: mhpmcounter3 + i by select[i], as mhpmevent
 * has it (pmu/abi_register.h). With a period the first of them, MONITOR_SAMPLING_COUNTER, overflows
 * after that many events each, and the monitor keeps a record of where. */
struct profiler_counters {
    uint64_t select[PMU_COUNTERS_MAX];
    unsigned count;
    uint64_t period;                    /* 0: no samples */
    bool is_maskable;                   /* PROF_MODE_MASKABLE */
    bool has_stacks;                    /* samples with their call stacks */
    bool without_marks;                 /* nothing of it needs marks or hints looked at */
    bool keeps_samples;                 /* the host's monitor: each interrupt apart, too */
};

struct profiler_options {
    const struct config *config;
    const struct image *image, *kernel; /* program, guest kernel or NULL; outlive the profiler */
    struct meta *meta;                  /* the marks; must outlive it too; takes warnings */
    enum monitor_kind monitor;          /* used only when profiler_needs_monitor */
    const char *monitor_path;           /* ELF of the guest monitor */
    struct profiler_counters counters;
    uint64_t room_bytes;                /* for metadata, at least, and a monitor in any case: marks
                                           come later, by profiler_replace; 0: none do */
};

enum err profiler_new(struct profiler **out, const struct profiler_options *options,
                      struct diag *diag);
void profiler_free(struct profiler *profiler);
/* The program has loaded a library: the monitor walks through it from now on; the resident one by
 * its code where its table of frames finds no room. */
enum err profiler_add_module(struct profiler *profiler, const struct image *image,
                             struct diag *diag);

/* Adds the marks of a part (meta_read_late); those not in memory wait for profiler_page; range
 * registers are set again. Both must outlive the profiler or the next profiler_replace. */
enum err profiler_add_late(struct profiler *profiler, const struct image *image,
                           const struct meta_part *part, struct diag *diag);
/* A page of code was read into memory, of the file at `path`, whose addresses have `bias` added;
 * path NULL: of no such file. A fault is a warning of the metadata. */
void profiler_page(struct profiler *profiler, const char *path, uint64_t bias, uint64_t va,
                   uint64_t pa);

/* Bytes at the top of RAM to be left alone (machine->reserve_top_bytes); whole pages; 0 when
 * nothing is marked. */
uint64_t profiler_reserved_bytes(const struct profiler *profiler);

/* mhpmcounter3 + index, summed over the harts; after profiler_collect too. */
uint64_t profiler_counter(const struct profiler *profiler, unsigned index);
/* The same of one hart. */
uint64_t profiler_hart_counter(const struct profiler *profiler, unsigned hart, unsigned index);

/* Between two machine_run: from now on the counters count this, from 0, the range registers are
 * those of `meta`; samples go on with the first counter if there is a period, which is that of the
 * start, and those stored stay. */
enum err profiler_recount(struct profiler *profiler, const struct profiler_counters *counters,
                          const struct meta *meta, struct diag *diag);

/* Whether anything can raise an indicator interrupt: a mark, hints in the program, or
 * transfers (pmu.transfers). */
bool profiler_needs_monitor(const struct config *config, const struct meta *meta);

/* The program is in memory and translation is set up: writes tables and monitor, sets the registers
 * of all harts and switches marks on. */
enum err profiler_attach(struct profiler *profiler, struct cpu *cpu, unsigned harts,
                         struct phys *phys, struct diag *diag);

/* Between two machine_run: from now on what `meta` marks is marked, and nothing else. Room is what
 * the marks of profiler_new took. Counts of the marks before are lost unless collected;
 * monitor, ranges and counters stay. The program must be in the address space it started in. */
enum err profiler_replace(struct profiler *profiler, struct meta *meta, struct diag *diag);
/* The same, for marks that come again: what was made of them stays in *kept, zeroed before the
 * first time, until the caller frees it - when the profiler is freed or has others. Work areas and
 * profiler_mark_set are not for such marks. */
enum err profiler_replace_kept(struct profiler *profiler, struct meta *meta,
                               struct perfinst *kept, struct diag *diag);

/* Between two runs of the harts: the instruction that begins at the address, or the datum around
 * it, is marked so from now on (S8), or no more; instructions in flight keep their marks.
 * Its counts are kept and reported. A page in which nothing was marked becomes a
 * segment. Refused: an address that is not mapped, a page more than there are segments for, no room
 * (marks at the start leave some; see room_bytes). action->granule is not looked at: a
 * datum has the granule of its line. */
enum err profiler_mark_set(struct profiler *profiler, uint64_t address, bool is_code,
                           const struct meta_action *action, struct diag *diag);
enum err profiler_mark_remove(struct profiler *profiler, uint64_t address, bool is_code,
                              struct diag *diag);

/* machine->monitor, with the profiler as monitor_arg: does what the guest monitor does, at no cost
 * to the guest. */
void profiler_serve(void *profiler, struct machine *machine, struct cpu *cpu);

/* ---- results; the numbers are final and exact after profiler_collect ------------------------- */

/* One marked instruction or datum that has an item, in address order. */
struct profiler_mark {
    const struct perfinst_site *site;   /* address, action */
    const struct meta_mark *origin;     /* the entry; last one of several */
    uint64_t count;                     /* of the own counter, clears included */
    uint32_t interrupts;
};

struct profiler_range {
    const struct meta_range *range;
    char name[4];                       /* "I0" */
    bool is_data;
    uint64_t entries, executed;         /* executed: of data, accesses; all harts */
};

/* A piece of a work area of the metadata, with its counts: count[0] is of the granule of va. */
struct profiler_area {
    const struct meta_area *area;
    uint64_t va, pa, bytes;
    uint64_t counts;                    /* physical address of the first one */
    uint64_t cells;
    uint64_t *count;
};

/* Writes back what shadow frames hold and reads everything. */
enum err profiler_collect(struct profiler *profiler, struct diag *diag);
size_t profiler_marks(const struct profiler *profiler, const struct profiler_mark **mark);
size_t profiler_ranges(const struct profiler *profiler, const struct profiler_range **range);
size_t profiler_areas(const struct profiler *profiler, const struct profiler_area **area);
/* NULL without a monitor. records: header->slots of them, hash 0 = free. */
const struct monitor_header *profiler_records(const struct profiler *profiler,
                                              const struct monitor_record **record);
/* The interrupts that the host's monitor stored, in order, where keeps_samples says so: when, in
 * which of the records, of which thread. Memory that was lacking ends them early. */
struct profiler_sample { uint64_t cycle; uint32_t hart, slot, thread; };
size_t profiler_samples(const struct profiler *profiler, const struct profiler_sample **sample);
/* Indicator interrupts lost because a queue was full, all harts. */
uint64_t profiler_lost(const struct profiler *profiler);

#endif
