/* The profiling set-up of a run: metadata and monitor into guest memory, registers set, results
 * out.
 *
 * Life: profiler_new before the program is loaded (it computes the memory reserved at the top of
 * RAM), profiler_attach when the program is in memory, profiler_serve at every stop for the host
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

/* Events of the programmable counters from the start: mhpmcounter3 + i counts select[i], encoded as
 * in mhpmevent (pmu/abi_register.h). With a period, the first of them, MONITOR_SAMPLING_COUNTER,
 * overflows after that many events, and the monitor records the place. */
struct profiler_counters {
    uint64_t select[PMU_COUNTERS_MAX];
    unsigned count;
    uint64_t period;                    /* 0: no samples */
    bool is_maskable;                   /* PROF_MODE_MASKABLE */
    bool has_stacks;                    /* samples have their call stacks */
    bool without_marks;                 /* run without marks and hints */
    bool keeps_samples;                 /* host's monitor: stores each interrupt too */
};

struct profiler_options {
    const struct config *config;
    const struct image *image, *kernel; /* program; guest kernel or NULL; outlive the profiler */
    struct meta *meta;                  /* the marks; must outlive it too; receives warnings */
    enum monitor_kind monitor;          /* used only when profiler_needs_monitor */
    const char *monitor_path;           /* ELF of the guest monitor */
    struct profiler_counters counters;
    uint64_t room_bytes;                /* at least, for metadata, and a monitor in any case: marks
                                         * come later, by profiler_replace; 0: none do */
};

/* Refuses a file that is no monitor for programs of xlen bits. */
enum err profiler_check_monitor(const char *path, unsigned xlen, struct diag *diag);
enum err profiler_new(struct profiler **out, const struct profiler_options *options,
                      struct diag *diag);
void profiler_free(struct profiler *profiler);
/* The program has loaded a library: the monitor walks through it from now on. The resident monitor
 * walks by the library's code if its table of frames does not fit. */
enum err profiler_add_module(struct profiler *profiler, const struct image *image,
                             struct diag *diag);

/* Bytes reserved at the top of RAM (machine->reserve_top_bytes), in whole pages; 0 if nothing is
 * marked. */
uint64_t profiler_reserved_bytes(const struct profiler *profiler);

/* The value of mhpmcounter3 + index, summed over the harts; also after profiler_collect. */
uint64_t profiler_counter(const struct profiler *profiler, unsigned index);
/* As profiler_counter, for one hart. */
uint64_t profiler_hart_counter(const struct profiler *profiler, unsigned hart, unsigned index);

/* Between two machine_run: sets new counters and the range registers of `meta`, all starting at 0.
 * With a period, which must be that of the start, the first counter keeps sampling; stored samples
 * stay. */
enum err profiler_recount(struct profiler *profiler, const struct profiler_counters *counters,
                          const struct meta *meta, struct diag *diag);

/* True if an indicator interrupt can occur: marks, hints in the program, or transfers
 * (pmu.transfers). */
bool profiler_needs_monitor(const struct config *config, const struct meta *meta);

/* The program is in memory and translation is set up: writes tables and monitor, sets the registers
 * of all harts and switches marks on. */
enum err profiler_attach(struct profiler *profiler, struct cpu *cpu, unsigned harts,
                         struct phys *phys, struct diag *diag);

/* Between two machine_run: replaces all marks by those of `meta`, in the memory that the marks of
 * profiler_new took. Counts of the old marks are lost unless collected; monitor, ranges and
 * counters stay. The program must be in the address space it started in. */
enum err profiler_replace(struct profiler *profiler, struct meta *meta, struct diag *diag);
/* As profiler_replace, for marks that will be set again: their tables stay in *kept (zeroed before
 * the first call), which the caller frees when the profiler is freed or has other marks. Work areas
 * and profiler_mark_set are not supported for such marks. */
enum err profiler_replace_kept(struct profiler *profiler, struct meta *meta,
                               struct perfinst *kept, struct diag *diag);

/* Between two runs of the harts: marks the instruction at the address, or the datum around it, from
 * now on (S8), or removes its mark. Instructions in flight keep their marks. Counts are kept and
 * reported. A page without marks becomes a segment. Refused if the address is not mapped, all
 * segments are in use, or there is no room (marks at the start leave some; see room_bytes).
 * action->granule is ignored: a datum has the granule of its line. */
enum err profiler_mark_set(struct profiler *profiler, uint64_t address, bool is_code,
                           const struct meta_action *action, struct diag *diag);
enum err profiler_mark_remove(struct profiler *profiler, uint64_t address, bool is_code,
                              struct diag *diag);

/* machine->monitor, with the profiler as monitor_arg: works like the guest monitor, at no cost to
 * the guest. */
void profiler_serve(void *profiler, struct machine *machine, struct cpu *cpu);

/* ---- results; the numbers are final and exact after profiler_collect ------------------------- */

/* One marked instruction or datum that has an item, in address order. */
struct profiler_mark {
    const struct perfinst_site *site;   /* address, action */
    const struct meta_mark *origin;     /* its entry, the last of several */
    uint64_t count;                     /* of its own counter, including cleared counts */
    uint32_t interrupts;
};

struct profiler_range {
    const struct meta_range *range;
    char name[4];                       /* "I0" */
    bool is_data;
    uint64_t entries, executed;         /* executed: for data, accesses; all harts */
};

/* A piece of a work area of the metadata, and its counts; count[0] is of the granule of va. */
struct profiler_area {
    const struct meta_area *area;
    uint64_t va, pa, bytes;
    uint64_t counts, cells;             /* counts: physical address of the first one */
    uint64_t *count;
};

/* Writes back the metadata in shadow frames, and reads all results. */
enum err profiler_collect(struct profiler *profiler, struct diag *diag);
size_t profiler_marks(const struct profiler *profiler, const struct profiler_mark **mark);
size_t profiler_ranges(const struct profiler *profiler, const struct profiler_range **range);
size_t profiler_areas(const struct profiler *profiler, const struct profiler_area **area);
/* NULL without a monitor. record: the table. After profiler_collect, slot: [header->used] places
 * in the table that have a record, in order. */
const struct monitor_header *profiler_records(const struct profiler *profiler,
                                              const struct monitor_record **record);
const uint32_t *profiler_slots(const struct profiler *profiler);
/* The interrupts that the host's monitor stored, in order, with keeps_samples: cycle, hart, slot of
 * its record, thread. Lack of memory ends them early. */
struct profiler_sample { uint64_t cycle; uint32_t hart, slot, thread; };
size_t profiler_samples(const struct profiler *profiler, const struct profiler_sample **sample);
/* All harts: indicator interrupts lost because a queue was full; samples that the resident monitor
 * left out, as the period is shorter than its work. */
uint64_t profiler_lost(const struct profiler *), profiler_throttled(const struct profiler *);
void profiler_will_change(struct profiler *profiler);   /* marks anywhere: whole segments */

#endif
