/* Inside libprofhw: shared by its parts. */
#ifndef SIM_HOST_PROFHW_INTERNAL_H
#define SIM_HOST_PROFHW_INTERNAL_H

#include "sim/host/copies.h"
#include "sim/host/images.h"
#include "sim/host/profhw.h"
#include "sim/host/target.h"
#include "sim/run/profiler/profiler.h"

struct counts {
    struct profhw_count *row;
    size_t rows;
};

struct profhw {
    struct config config;
    struct target target;
    struct meta meta;
    struct profiler *profiler;
    struct machine machine;
    bool has_machine;
    struct images *images;          /* NULL: without the guest kernel */
    struct copies *copies;          /* the same */
    struct counts kept, shown;
    uint32_t opened;                /* counters of profhw_counter_open, a bit each */
    void (*on_interrupt)(void *arg, const struct profhw_interrupt *interrupt);
    void *on_interrupt_arg;
    void (*on_record)(void *arg, const struct profhw_record *record);
    void *on_record_arg;
    struct diag diag;
};

/* profhw_state.c: the range registers that the metadata sets, where they are not so already. */
void profhw_follow_ranges(struct profhw *profhw);

#endif
