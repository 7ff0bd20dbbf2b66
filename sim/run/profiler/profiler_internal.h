/* Shared by the parts of the profiler. */
#ifndef SIM_RUN_PROFILER_INTERNAL_H
#define SIM_RUN_PROFILER_INTERNAL_H

#include "pmu/monitor.h"
#include "sim/run/frames/frames.h"
#include "sim/run/profiler/profiler.h"

struct profiler {
    const struct config *config;
    const struct image *image, *kernel;
    struct meta *meta;
    enum monitor_kind monitor;
    struct profiler_counters counters;
    struct image monitor_image;         /* MONITOR_GUEST */
    uint64_t room_bytes;                /* wanted for metadata */
    uint64_t table_bytes;               /* reserved for the perfinst image, whole pages */
    uint64_t monitor_bytes;             /* reserved for the monitor, whole pages */
    uint64_t callers_bytes;             /* reserved for callers the monitor marks, whole pages */
    uint64_t callers_sites;             /* places for them, a power of two */
    struct perfinst_site *found;        /* [found_count] of callers, after profiler_collect */
    size_t found_count;
    uint64_t code_bytes, slots;         /* of the monitor: its program, its record table */
    struct frames frames;               /* of the program; with a monitor */
    struct frames kernel_frames;        /* MONITOR_GUEST, with a kernel */
    /* MONITOR_GUEST: where the frames of kernel and libraries go, physical. at: struct
     * monitor_modules, 0: none are taken; next..end: free */
    struct { uint64_t bytes, at, next, end, count; } modules;
    const struct image **early;         /* [earlies] libraries that were there before them */
    size_t earlies;
    struct late_part *late;             /* [lates] marks of libraries */
    size_t lates;
    /* after profiler_attach */
    struct cpu *cpu;
    unsigned harts;
    struct phys *phys;
    struct perfinst perfinst;
    bool is_kept;                       /* its memory is the caller's of profiler_replace_kept */
    uint64_t changed_bytes;             /* of blocks made by profiler_mark_set, after the image */
    struct profiler_area area[PROF_AREAS];
    size_t areas;
    struct monitor_header *host_header; /* MONITOR_HOST: header and records */
    uint64_t guest_header;              /* MONITOR_GUEST: where they lie in guest memory */
    unsigned long long *host_insns;     /* [harts] CSR_IND_INSNS of the last record */
    struct monitor_rule *host_rules;    /* [harts][MONITOR_RULES] */
    struct profiler_threads *threads;   /* profiler_threads.c; NULL: nobody follows them */
    struct profiler_sample *sample;     /* [samples] with keeps_samples */
    size_t samples, samples_room;
    /* after profiler_collect */
    struct profiler_mark *mark;         /* [marks] */
    size_t marks;
    struct profiler_range range[2 * PROF_RANGES];
    size_t ranges;
    struct monitor_header *collected;   /* MONITOR_GUEST: copy of header and records */
};

/* ---- profiler_place.c: marks to physical memory ---------------------------------------------- */

/* Builds profiler->perfinst. translate: *pa of a virtual address; false: not mapped. */
typedef bool profiler_translate(void *arg, uint64_t va, bool is_code, uint64_t *pa);
enum err profiler_place(struct profiler *profiler, profiler_translate *translate, void *arg,
                        struct diag *diag);

/* ---- profiler_counters.c --------------------------------------------------------------------- */

/* The first hart has as many? */
enum err profiler_counters_check(const struct profiler *profiler, struct diag *diag);
void profiler_counters_start(const struct profiler *profiler, struct cpu *cpu);
/* The sampling counter has overflowed: on to the next period. */
void profiler_sample_again(const struct profiler *profiler, struct cpu *cpu);

/* ---- profiler_area.c ------------------------------------------------------------------------- */

/* Finds the pieces of all areas and room for their counts, in profiler->perfinst. */
enum err profiler_area_place(struct profiler *profiler, profiler_translate *translate, void *arg,
                             struct diag *diag);
/* The perfinst image lies at `base`. */
void profiler_area_locate(struct profiler *profiler, uint64_t base);
void profiler_area_set(const struct profiler *profiler, struct cpu *cpu);
enum err profiler_area_collect(struct profiler *profiler, struct diag *diag);
void profiler_area_free(struct profiler *profiler);

/* ---- profiler_monitor.c ---------------------------------------------------------------------- */

/* How much memory the monitor needs; opens its program. */
enum err profiler_monitor_plan(struct profiler *profiler, const char *path, struct diag *diag);
/* Loads it at `base` and points the harts to it, or makes the host's tables. */
enum err profiler_monitor_attach(struct profiler *profiler, uint64_t base, struct diag *diag);
void profiler_monitor_free(struct profiler *profiler);

/* ---- profiler_modules.c: frames of kernel and libraries in guest memory ---------------------- */

/* Makes those of the kernel: walks lead through it, too. */
enum err profiler_modules_begin(struct profiler *profiler, struct diag *diag);
/* How much memory is kept for them, whole pages; 0 for a program without kernel and libraries. */
uint64_t profiler_modules_plan(struct profiler *profiler);
/* The table ends at `end`; libraries that are mapped already go into it. */
enum err profiler_modules_attach(struct profiler *profiler, uint64_t end, struct diag *diag);
void profiler_modules_free(struct profiler *profiler);

/* ---- profiler_late.c: marks on code of libraries --------------------------------------------- */

/* Room that they want for their metadata. */
uint64_t profiler_late_plan(const struct profiler *profiler);
/* Sets the marks whose pages are in memory already. */
enum err profiler_late_attach(struct profiler *profiler, struct diag *diag);
void profiler_late_free(struct profiler *profiler);

/* ---- profiler_change.c ----------------------------------------------------------------------- */

/* Also between two instructions: the instruction is marked, whose physical address is known. */
enum err profiler_mark_add(struct profiler *profiler, const struct meta_mark *mark, uint64_t pa,
                           struct diag *diag);
/* No instruction in the page is marked any more; what was counted there is kept. */
void profiler_forget_page(struct profiler *profiler, uint64_t pa);

/* ---- profiler_callers.c: callers that the monitor marks -------------------------------------- */

/* How much memory they need; 0 when the monitor does not mark any. */
uint64_t profiler_callers_plan(struct profiler *profiler);
/* Where their struct monitor_callers lies, after profiler_attach; 0: nowhere. */
uint64_t profiler_callers_base(const struct profiler *profiler);
/* Makes it and what follows. False: no such memory. */
bool profiler_callers_attach(struct profiler *profiler);
/* The host's monitor found a new stack. True: marks changed. */
bool profiler_callers_mark(struct profiler *profiler, struct cpu *cpu, struct unwind *unwind,
                           const struct monitor_stack *stack);
/* Fills profiler->found with the callers that have no site of the metadata. */
enum err profiler_callers_collect(struct profiler *profiler, struct diag *diag);

/* ---- profiler_threads.c ---------------------------------------------------------------------- */

/* The host's monitor stored the sample in the record of this slot. */
void profiler_threads_record(struct profiler *profiler, const struct cpu *cpu, uint64_t slot,
                             const struct monitor_sample *sample);
/* Charges what was counted until now. */
enum err profiler_threads_collect(struct profiler *profiler, struct diag *diag);
void profiler_threads_free(struct profiler *profiler);

/* profiler_translate, with a struct cpu: what its translation says now. */
bool profiler_translate_mapped(void *cpu, uint64_t va, bool is_code, uint64_t *pa);
/* The range registers that meta sets; others stay. */
void profiler_set_ranges(struct cpu *cpu, const struct meta *meta);
/* Sets a register through CSR_PROF_INDEX / CSR_PROF_DATA; leaves the index as it was. */
void profiler_set_register(struct cpu *cpu, uint64_t index, uint64_t value);

#endif
