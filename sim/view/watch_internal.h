/* Shared by the two halves of watch. */
#ifndef SIM_VIEW_WATCH_INTERNAL_H
#define SIM_VIEW_WATCH_INTERNAL_H

#include "prof/annotate/source.h"
#include "sim/core/look.h"
#include "sim/view/watch.h"

enum { WATCH_LEFT = 512, WATCH_FLIGHT = 1024 };

/* An instruction that has left; its text is made when it is shown. */
struct watch_left { struct view_insn seen; struct insn insn; };

struct watch_hart {
    struct core_observer observer;
    struct watch_left left[WATCH_LEFT]; /* a ring of these; count: number of all up to now */
    uint64_t count, first_cycle;
    uint64_t marked;                    /* instructions with marks that committed */
};

struct watch {
    struct machine *machine;
    const struct target *target;
    FILE *output;
    struct watch_hart *of;              /* [harts] */
    struct core_look_insn *flight;
    struct disasm *disasm;
    struct sources sources;
    uint64_t first_insn;
};

void watch_take_caches(const struct watch *watch, unsigned hart, struct view_model *model);
void watch_take_predictor(const struct watch *watch, const struct bpred_seen *seen,
                          struct view_model *model);
void watch_take_counters(const struct watch *watch, unsigned hart, struct view_model *model);
void watch_take_harts(const struct watch *watch, struct view_model *model);
void watch_take_code(struct watch *watch, struct view_model *model);
void watch_take_output(const struct watch *watch, struct view_model *model);

#endif
