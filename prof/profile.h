/* All measurements of a run, as plain data: the source of statistics and reports.
 *
 * The simulator fills it after a run; prof/profile_file.h keeps it in a file. Numbers are final and
 * exact; nothing in it depends on the host but host_seconds. All memory is the profile's. */
#ifndef PROF_PROFILE_H
#define PROF_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/abi.h"
#include "prof/profile_calls.h"
#include "prof/profile_cost.h"
#include "prof/profile_count.h"
#include "prof/profile_over_time.h"
#include "prof/profile_samples.h"

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

/* A marked instruction or datum that has an own counter, or could have interrupted. */
struct profile_mark {
    uint64_t address;
    uint32_t bytes;
    bool is_code;
    bool has_counter;
    const char *flags;              /* words of the metadata file, a space between them */
    unsigned label;                 /* 0 = none */
    uint32_t limit;                 /* of the counter; 0 = none */
    uint64_t count, interrupts;
    const char *source;             /* "app.meta:4" */
};

struct profile_range {
    const char *name;               /* "I0", "D0" */
    const char *place;              /* as the metadata file called it */
    bool is_data;
    uint64_t start, end, entries;
    uint64_t executed;              /* of data: accesses */
};

/* The record of the monitor for one instruction and call stack. */
struct profile_record {
    uint64_t address;               /* of the marked instruction */
    uint64_t data_address;          /* last one, of a data access */
    uint64_t interrupts;
    uint64_t executions;            /* that these interrupts stand for */
    uint64_t cycles;                /* sum of latencies */
    uint64_t instructions;          /* executed since the interrupt before, summed */
    bool is_data;
    unsigned kind;                  /* IND_KIND_*: why it interrupted */
    /* of a trap, and of the return from one */
    unsigned trap;                  /* IND_KIND_EXCEPTION, _INTERRUPT, _SYSCALL; 0: it is none */
    uint32_t cause, number;         /* number of the system call; 0 where it has none */
    const char *name;               /* of the system call; NULL: not known */
    unsigned walk;                  /* MONITOR_WALK_* */
    unsigned depth;
    uint64_t *stack;                /* [depth] interrupted pc, then return addresses, leaf first */
};

/* Storage of a part of the machine, in bits. */
struct profile_storage { const char *name; uint64_t bits; };

struct profile {
    const char *program, *program_id;   /* path; build-id or checksum */
    uint64_t bias;                      /* added to the addresses of the file */
    struct profile_module { const char *path, *id; uint64_t bias; } *module;    /* libraries */
    size_t modules;
    bool has_kernel;                    /* it ran under the guest kernel */
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
    const char **event_name;
    size_t events;
    uint64_t *event;                    /* [events] of all harts */
    uint64_t *monitor_event;            /* [events] of these, in the resident monitor; NULL: none */
    struct profile_hart *hart;
    size_t harts;
    struct profile_modes *modes;        /* statistics only; NULL: without guest kernel */
    struct profile_region *region;      /* in the order of their ends; statistics only */
    size_t regions;
    struct profile_mark *mark;          /* by address */
    size_t marks;
    struct profile_range *range;
    size_t ranges;
    struct profile_count *count;        /* [counts] as they were asked for */
    size_t counts;
    struct profile_record *record;
    size_t records;
    struct profile_sampling *sampling;  /* NULL: `rvsim record` did not make it */
    struct profile_over_time over_time;
    uint64_t units_per_cycle;           /* 0: without oracle profile */
    uint64_t outside;                   /* units charged to no instruction */
    struct profile_cost *cost;          /* by is_monitor, address */
    size_t costs;
    struct profile_call *call;          /* a parent before its children */
    size_t calls;                       /* 0: calls were not followed */
    struct profile_edge *edge;          /* by site, routine, kind */
    size_t edges;
    uint64_t cut;                       /* entries without a node of their own */
    uint64_t interrupts, dropped, lost; /* taken by the monitor; not stored; never delivered */
    struct profile_memory *memory;
};

/* Zeroed memory; NULL when there is none. */
void *profile_alloc(struct profile *profile, size_t count, size_t bytes);
const char *profile_text(struct profile *profile, const char *text);
void profile_free(struct profile *profile);

/* Interrupts whose stack walk ended so: MONITOR_WALK_*. */
uint64_t profile_walks(const struct profile *profile, unsigned walk);
/* The value of a setting; NULL: the profile has none of that name. */
const char *profile_setting(const struct profile *profile, const char *key);
/* The place of an event in event_name; `events`: it has none. */
size_t profile_event_place(const struct profile *profile, const char *name);
/* The count of an event by its name; 0 when there is no such event. */
uint64_t profile_event(const struct profile *profile, const char *name);
/* The counts by event code; 0 of events that this program does not know. */
enum { PROFILE_CODES = 256 };
void profile_events(const struct profile *profile, uint64_t events[PROFILE_CODES]);
/* The same without what happened in the resident monitor. */
void profile_program_events(const struct profile *profile, uint64_t events[PROFILE_CODES]);
uint64_t profile_hart_event(const struct profile *profile, size_t hart, unsigned code);

#endif
