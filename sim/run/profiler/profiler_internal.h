/* Shared by the parts of the profiler. */
#ifndef SIM_RUN_PROFILER_INTERNAL_H
#define SIM_RUN_PROFILER_INTERNAL_H

#include "pmu/monitor/monitor.h"
#include "sim/run/frames/frames_guest.h"
#include "sim/run/profiler/profiler_follow.h"

struct profiler_cover { struct pmu_cover place; uint64_t plain; };

struct profiler {
    const struct config *config;
    const struct image *image, *kernel;
    struct meta *meta;
    enum monitor_kind monitor;
    struct profiler_counters counters;
    struct image monitor_image;         /* MONITOR_GUEST */
    uint64_t room_bytes;                /* required for metadata */
    uint64_t table_bytes;               /* reserved for the perfinst image, whole pages */
    uint64_t monitor_bytes;             /* reserved for the monitor, whole pages */
    uint64_t callers_bytes;             /* for the monitor's own marks of callers, whole pages */
    uint64_t callers_sites;             /* sites for callers, a power of two */
    struct perfinst_site *found;        /* [found_count] of callers, after profiler_collect */
    size_t found_count;
    uint64_t code_bytes, slots;         /* of the monitor: its program, its record table */
    struct frames frames;               /* of the program; with a monitor */
    struct frames kernel_frames;        /* MONITOR_GUEST, with a kernel */
    /* MONITOR_GUEST: memory for frames of kernel, libraries, executed programs. at: 0: none */
    struct { uint64_t bytes, at; struct frames_guest guest; } modules;
    const struct image **early;         /* [earlies] libraries mapped before them */
    size_t earlies;
    struct profiler_cover *cover;       /* [covers] files at addresses of others; MONITOR_GUEST */
    size_t covers;
    struct late_part *late;             /* [lates] marks of libraries */
    size_t lates;
    struct early_page *page;            /* [pages] code that came into memory before */
    size_t pages;
    struct profiler_memory memory;      /* of processes; copies NULL: there is one */
    /* after profiler_attach */
    struct cpu *cpu;
    unsigned harts;
    struct phys *phys;
    struct perfinst perfinst;
    bool is_changed;                    /* marks were set since they were attached */
    bool is_kept;                       /* perfinst is profiler_replace_kept's caller's */
    uint64_t changed_bytes;             /* of blocks made by profiler_mark_set, after the image */
    struct profiler_area area[PROF_AREAS];
    size_t areas;
    struct monitor_header *host_header; /* MONITOR_HOST: header and records */
    uint64_t guest_header;              /* MONITOR_GUEST: their address in guest memory */
    unsigned long long *host_insns;     /* [harts] CSR_IND_INSNS of the last record */
    struct host_rules *host_rules; struct guest_hart *guest_hart;      /* [harts] */
    struct profiler_threads *threads;   /* profiler_threads.c; NULL: counts by thread are off */
    struct profiler_sample *sample;     /* [samples] with keeps_samples */
    size_t samples;
    /* after profiler_collect */
    struct profiler_mark *mark;         /* [marks] */
    size_t marks;
    struct profiler_range range[2 * PROF_RANGES];
    size_t ranges;
    struct monitor_header *collected; uint32_t *slot;   /* profiler_records.h */
};

/* ---- profiler_place.c: marks to physical memory ---------------------------------------------- */

/* Builds profiler->perfinst. translate: *pa of a virtual address; false: not mapped. */
typedef bool profiler_translate(void *arg, uint64_t va, bool is_code, uint64_t *pa);
enum err profiler_place(struct profiler *profiler, profiler_translate *translate, void *arg,
                        struct diag *diag);

/* ---- profiler_counters.c --------------------------------------------------------------------- */

/* profiler_counters_check: diagnoses if the first hart has too few counters. */
enum err profiler_counters_check(const struct profiler *profiler, struct diag *diag);
void profiler_counters_start(const struct profiler *profiler, struct cpu *cpu);
/* The sampling counter has overflowed: starts its next period. */
void profiler_sample_again(const struct profiler *profiler, struct cpu *cpu);

/* ---- profiler_area.c ------------------------------------------------------------------------- */

/* Finds the pieces of all areas and memory for their counts, in profiler->perfinst. */
enum err profiler_area_place(struct profiler *profiler, profiler_translate *translate, void *arg,
                             struct diag *diag);
/* Sets the address of the perfinst image. */
void profiler_area_locate(struct profiler *profiler, uint64_t base);
void profiler_area_set(const struct profiler *profiler, struct cpu *cpu);
enum err profiler_area_collect(struct profiler *profiler, struct diag *diag);
void profiler_area_free(struct profiler *profiler);

/* ---- profiler_monitor.c ---------------------------------------------------------------------- */

/* Computes the memory that the monitor needs; opens its program. */
enum err profiler_monitor_plan(struct profiler *profiler, const char *path, struct diag *diag);
/* Loads the monitor at `base` and points the harts to it, or makes the host's tables. */
enum err profiler_monitor_attach(struct profiler *profiler, uint64_t base, struct diag *diag);
void profiler_monitor_free(struct profiler *profiler);

/* ---- profiler_modules.c: frames of kernel and libraries in guest memory ---------------------- */

/* Builds the kernel's table, so that walks pass through the kernel too. */
enum err profiler_modules_begin(struct profiler *profiler, struct diag *diag);
/* The memory reserved for these tables, in whole pages. */
uint64_t profiler_modules_plan(struct profiler *profiler);
/* `end`: end of the area. Adds the libraries that are already mapped. */
enum err profiler_modules_attach(struct profiler *profiler, uint64_t end, struct diag *diag);
void profiler_modules_free(struct profiler *profiler);
/* The kernel's table, a program's (pmu/key.h) struct monitor_modules; 0: none. */
uint64_t profiler_modules_kernel(const struct profiler *profiler);
/* In monitor_file.c: as profiler_check_monitor. */
enum err profiler_check_image(const struct image *image, unsigned xlen, struct diag *diag);
/* A file is mapped where its program had another file. bias: with the file's own program number,
 * plain: with that of its program. */
void profiler_modules_cover(struct profiler *profiler, const char *path, uint64_t bias,
                            uint64_t plain);
/* A record of the resident monitor has the key of the interrupted place and the addresses of the
 * stack: makes keys of them. */
void profiler_modules_key(const struct profiler *profiler, struct monitor_record *record);
uint64_t profiler_modules_list(const struct profiler *profiler, uint64_t program);

/* ---- profiler_callers.c: callers that the monitor marks -------------------------------------- */

/* Memory for callers; 0 if the monitor does not mark any. */
uint64_t profiler_callers_plan(struct profiler *profiler);
/* The address of struct monitor_callers, after profiler_attach; 0: none. */
uint64_t profiler_callers_base(const struct profiler *profiler);
/* Writes struct monitor_callers and its list. False: no such memory. */
bool profiler_callers_attach(struct profiler *profiler);
/* The host's monitor found a new stack: marks its callers. True: marks changed. */
bool profiler_callers_mark(struct profiler *profiler, struct cpu *cpu, struct unwind *unwind,
                           const struct monitor_stack *stack);
/* Fills profiler->found with the callers without a site of the metadata. */
enum err profiler_callers_collect(struct profiler *profiler, struct diag *diag);

/* ---- profiler_threads.c ---------------------------------------------------------------------- */

/* The host's monitor stored the sample in the record of this slot. */
void profiler_threads_record(struct profiler *profiler, const struct cpu *cpu, uint64_t slot,
                             const struct monitor_sample *sample);
/* Charges all counts up to now. */
enum err profiler_threads_collect(struct profiler *profiler, struct diag *diag);
void profiler_threads_free(struct profiler *profiler);

/* profiler_translate by the present translation of a struct cpu. */
bool profiler_translate_mapped(void *cpu, uint64_t va, bool is_code, uint64_t *pa);
/* Sets the range registers that meta names; others stay. */
void profiler_set_ranges(struct cpu *cpu, const struct meta *meta);
/* Sets a register through CSR_PROF_INDEX / CSR_PROF_DATA; restores the index. */
void profiler_set_register(struct cpu *cpu, uint64_t index, uint64_t value);

#endif
