/* Instances of the pipe: its sources compiled once more, with the answers of a model (port.h), or
 * with the settings of one machine as constants, so that parts unused by the machine cost neither
 * time nor code.
 *
 * Instances of the same model do not differ otherwise: they work on the same struct core, and a
 * core may be run by any of them in turn. The Makefile names the machines that have one
 * (INSTANCES), which are presets; generate.c writes each one's constants. Each model has an
 * instance for any settings, and so has the pipe without a model, the general one. A core is run by
 * the instance of its model with equal settings of the pipeline, or else by the one for any
 * settings. */
#ifndef SIM_CORE_INSTANCE_INSTANCE_H
#define SIM_CORE_INSTANCE_INSTANCE_H

#include "sim/core/core.h"

typedef enum stop core_runner(struct core *core, uint64_t insns, uint64_t cycles, bool skip);
struct model;
struct predictor_shape;

struct core_instance {
    const char *name;               /* of the preset; or of the model; or NULL: the general pipe */
    const char *model;              /* the model with this section of settings; NULL: none */
    const struct config *config;    /* the constants; NULL: for any settings */
    uint64_t extras;                /* with constants: core->extras without EXTRAS_FREE */
    const struct predictor_shape *predictor;    /* then: that of the preset (bpred/shape.h) */
    core_runner *run;               /* as core_run (core.h) */
    void (*settle)(struct core *core);      /* as core_settle */
    bool (*is_sane)(const struct core *core);       /* as core_is_sane */
    struct model *(*model_new)(struct core *core);  /* NULL: the model has no state */
    void (*model_free)(struct model *model);
};

/* The instances of machines and models, written by the Makefile; NULL after the last. */
extern const struct core_instance *const core_instances[];
extern const struct core_instance core_instance_general;

/* core.c, sane.c: as core_run, core_settle and core_is_sane, in this instance. */
core_runner core_advance;
void core_discard(struct core *core);
bool sane_check(const struct core *core);
/* extras.c, shape.c, of the settings: core->extras, the ring's entries, the layout of bitmaps over
 * the ring. */
uint64_t core_extras_of(const struct config *config);
uint32_t core_ring_entries(const struct config *config);
struct ring_shape core_shape_of(const struct config *config);
/* shape.c: instructions between decode and dispatch; the next power of two, from 64 on. */
uint32_t core_decode_room(const struct config *config);
uint32_t core_power_above(uint32_t value);

/* The instance of a core with known extras. */
const struct core_instance *instance_find(const struct config *config, uint64_t extras);
/* Start: makes core->model, when core->instance is set and all other parts exist; false: no memory.
 * End: frees it. */
bool instance_start(struct core *core);
void instance_end(struct core *core);

#endif
