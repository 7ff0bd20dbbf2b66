/* All measurements of a run, as plain data: the source of statistics and reports.
 *
 * The simulator fills it after a run; prof/profile/profile_file.h keeps it in a file. Numbers are
 * final and exact; only host_seconds depends on the host. All memory is the profile's. */
#ifndef PROF_PROFILE_PROFILE_H
#define PROF_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/abi.h"
#include "prof/profile/profile_calls.h"
#include "prof/profile/profile_cost.h"
#include "prof/profile/profile_count.h"
#include "prof/profile/profile_maps.h"
#include "prof/profile/profile_marks.h"
#include "prof/profile/profile_over_time.h"
#include "prof/profile/profile_samples.h"
#include "prof/profile/profile_schemes.h"
#include "prof/profile/profile_threads.h"

/* "l1d.kib", "32" */
enum profile_setting_kind { PROFILE_NUMBER, PROFILE_BOOL, PROFILE_WORD };
struct profile_setting { const char *key, *value; enum profile_setting_kind kind; };

struct profile_hart {
    uint64_t cycles, instructions;
    uint64_t *event;                /* [events] */
};

/* A region that the program marked. */
struct profile_region {
    const char *kind;               /* "dump": since the last reset; "work": of a work item */
    uint64_t id;                    /* of the work item */
    uint64_t cycles, instructions;
    double host_seconds;
    struct profile_hart *hart;      /* [harts] */
};

/* Storage of a part of the machine, in bits. */
struct profile_storage { const char *name; uint64_t bits; };

/* A program that the run executed: its instructions and cycles in user mode. */
struct profile_image { const char *path; uint64_t instructions, cycles; };

/* A thread of the guest kernel, as gettid has it, and its name, as prctl sets it. */
struct profile_thread_name { uint32_t thread; const char *name; };

struct profile {
    const char *program, *program_id;   /* path; build-id or checksum */
    uint64_t bias;                      /* added to the addresses of the file */
    /* libraries, and other programs with theirs, each after its program */
    struct profile_module { const char *path, *id; uint64_t bias; } *module;
    size_t modules;
    const char **covered;               /* files whose code was mapped at addresses of these
                                         * modules, by name */
    size_t covereds;
    struct profile_image *image;        /* [images] if there was more than one; addresses of the
                                         * others are keys (pmu/key.h) by their place here */
    size_t images;
    struct profile_thread_name *thread_name;    /* [thread_names] by number, if several ran */
    size_t thread_names;
    bool has_kernel;                    /* run under the guest kernel */
    const char **command;
    size_t commands;
    struct profile_setting *setting;
    size_t settings;
    struct profile_storage *storage;    /* statistics only */
    size_t storages;
    const char *engine, *monitor;       /* "detailed"; "guest", "host" or "none" */
    const char *reason, *text;          /* how the run ended */
    int exit_code;
    double host_seconds;
    uint64_t cycles, instructions;
    uint64_t fast_forwarded;            /* instructions before measurement began */
    uint64_t counted_from;              /* instructions before marks and ranges began to count;
                                         * each routine has its own begin, which may be later */
    const char **event_name;
    size_t events;
    uint64_t *event;                    /* [events] of all harts */
    uint64_t *monitor_event;            /* [events] of these, in the resident monitor; NULL: none */
    struct profile_hart *hart;
    size_t harts;
    struct profile_modes *modes;        /* NULL: without guest kernel */
    uint64_t *user_event;               /* [events] of `event`, in user mode; only of a run that
                                         * divided them, in no file; else NULL */
    struct profile_region *region;      /* in the order of their ends; statistics only */
    size_t regions;
    struct profile_mark *mark;          /* by address */
    size_t marks;
    struct profile_range *range;
    size_t ranges;
    struct profile_count *count;        /* [counts] in the order of the request */
    size_t counts;
    struct profile_record *record;
    size_t records;
    struct profile_sampling *sampling;  /* NULL: neither sampled nor made by `rvsim record` */
    struct profile_over_time over_time;
    struct profile_map *map;            /* of the detailed engine */
    size_t maps;
    struct profile_threads *threads;    /* NULL: --threads was not given */
    struct profile_schemes *schemes;    /* NULL: not made by `rvsim compare-profilers` */
    uint64_t units_per_cycle;           /* 0: without oracle profile */
    uint64_t outside;                   /* units charged to no instruction */
    struct profile_cost *cost;          /* by is_monitor, address */
    size_t costs;
    struct profile_cost *thread_cost;   /* the same, divided: by thread, is_monitor, address */
    size_t thread_costs;            /* 0: there was one thread */
    struct profile_call *call;          /* a parent before its children */
    size_t calls;                       /* 0: calls were not tracked */
    struct profile_edge *edge;          /* by site, routine, kind */
    size_t edges;
    uint64_t cut;                       /* entries without a node of their own */
    uint64_t interrupts, dropped, lost; /* taken by the monitor; not stored; never delivered */
    uint64_t throttled;                 /* samples left out: faster than the resident monitor */
    struct profile_memory *memory;
};

/* Zeroed memory; a copy of `count` elements with room for `more`, not both 0. NULL: no memory. */
void *profile_alloc(struct profile *profile, size_t count, size_t bytes);
void *profile_grown(struct profile *profile, const void *array, size_t count, size_t more,
                    size_t bytes);
const char *profile_text(struct profile *profile, const char *text);
void profile_free(struct profile *profile);

/* The path of the program that has a key (pmu/key.h); of the kernel's code the first program's. */
const char *profile_program_of(const struct profile *profile, uint64_t key);
/* Number of interrupts whose stack walk ended with this MONITOR_WALK_*. */
uint64_t profile_walks(const struct profile *profile, unsigned walk);
/* The value of a setting; NULL: the profile has none of that name. */
const char *profile_setting(const struct profile *profile, const char *key);
/* The index of an event in event_name; `events`: it is absent. The search begins at `from`. */
size_t profile_event_place(const struct profile *profile, const char *name);
size_t profile_event_place_from(const struct profile *profile, const char *name, size_t from);
/* The index of the first mark at or after the address. */
size_t profile_marks_from(const struct profile *profile, uint64_t address);
/* The count of an event by its name; 0 if there is no such event. */
uint64_t profile_event(const struct profile *profile, const char *name);
/* The counts by event code, without events unknown to this program. */
enum { PROFILE_CODES = 256 };
void profile_events(const struct profile *profile, uint64_t events[PROFILE_CODES]);
/* Adds the values [events] of a hart, or of the monitor, to sums by code, or takes them away. */
void profile_add_events(const struct profile *profile, const uint64_t *value, bool is_taken,
                        uint64_t events[PROFILE_CODES]);
/* As profile_events, without the counts of the resident monitor. */
void profile_program_events(const struct profile *profile, uint64_t events[PROFILE_CODES]);
uint64_t profile_hart_event(const struct profile *profile, size_t hart, unsigned code);

#endif
