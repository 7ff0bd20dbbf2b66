/* The shape of a predictor: the numbers that follow from its settings alone and never change. Each
 * part of the predictor holds its shape beside its state, and reads it through a function like
 * btb_shape().
 *
 * The files in PREDICTOR_SRC (Makefile) are compiled once for the library, and once more in the
 * instance of each preset (sim/core/instance/instance.h). There those functions return the shape of
 * the preset's predictor, which is a constant, whatever predictor they are asked about. So in an
 * instance each function that the pipe calls begins with ELSEWHERE: if the predictor has another
 * shape, the library's function of the same name does the work. A function needs no ELSEWHERE if
 * neither it nor what it calls reads a shape. */
#ifndef SIM_CORE_BPRED_SHAPE_H
#define SIM_CORE_BPRED_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

/* The predictor as a whole. The enums are in predictor.h and bpred_internal.h. */
struct bpred_shape {
    uint32_t write_slots;               /* 0: any number of lessons a cycle */
    uint8_t direction, indirect;        /* enum direction, enum indirect */
    uint8_t btb_miss, btb_allocate;     /* enum btb_miss_policy, enum btb_allocate */
    bool is_speculative;                /* history shifts at fetch */
    bool learns_at_resolve;
    bool has_records;                   /* a predictor writes records */
    bool is_plain;                      /* snapshots are enough: no record, no lesson */
    bool is_usual;                      /* it has records and a long history, of a branch only the
                                           direction is asked, and all learn at commit */
    bool is_simple;                     /* the same of gshare, without records */
    bool asks_first;                    /* a prediction begins with more than a record */
    bool btb_leads;                     /* a BTB hit redirects before the direction is known */
    bool has_long_history;
    bool ras_at_decode, is_at_decode;   /* at_decode.c */
    bool jumps_ask, jumps_turn, carries_counters;
    bool by_path;                       /* part_indirect_index */
    bool runs_past;                     /* part_indirect_runs */
    bool reads_ahead;                   /* gshare: see gshare_port.c */
    bool ras_first;                     /* part_ras_first */
    bool buffers_writes;                /* bimode: see bimode_port.c */
    bool has_port, has_flow, has_stages;    /* flow.c: any of several; has_stages: path.c, ras.c */
    uint8_t taken_bubble, miss_bubble, main_bubble, ras_bubble, indirect_bubble;
    uint8_t indirect_wait;
    uint8_t ras_miss_block;             /* bytes; 0: after a miss a return falls through */
    uint8_t return_bubble;
};

struct btb_shape {
    uint64_t name_mask;                 /* the bits of a pc that are compared */
    uint32_t sets, ways, first_entries;
    uint8_t replacement, block_bits, set_bits, tag_bits, skipped_bits;
    bool has_tags, has_buffer;
    bool has_names;                     /* in_main is kept: a set has many ways */
    bool has_hints;                     /* a name belongs to one set only */
    bool is_quick;                      /* all these entries are asked first */
    bool is_odd;                        /* sets are no power of two: the remainder is the index */
};

struct ras_shape {
    uint64_t inverse;                   /* 2^64 / entries, rounded up */
    uint32_t entries;
    uint32_t mask;                      /* entries - 1, if that is a power of two; else 0 */
    uint16_t kept_entries;
    uint8_t repair;                     /* enum ras_repair */
    bool drops;                         /* entries below `bottom` are unknown */
    bool saves_below;                   /* a repair needs the top entry, not the next one above */
};

struct chain_shape { uint64_t block_mask; uint32_t entries; };

struct bimodal_shape {
    uint64_t mask, entries;
    uint8_t shift, bits, max, half;
};

struct gshare_shape {
    uint64_t history_mask, pc_mask;
    uint64_t older_mask;                /* of the history older than the branch left out */
    uint8_t history_shift;
};

struct bimode_shape {
    uint64_t choice_mask, bank_mask, history_mask, pc_mask;
    uint8_t shift, bits, max, half, index_bits, column_bits;
    uint8_t write_buffer;
    bool has_rows;
    bool reads_rows;                    /* predictions use the data read */
};

/* All shapes. bimodal: that of gshare's table. The shape of a part that is not used is 0. */
struct predictor_shape {
    struct bpred_shape bpred;
    struct btb_shape btb;
    struct ras_shape ras;
    struct chain_shape chain;
    struct bimodal_shape bimodal;
    struct gshare_shape gshare;
    struct bimode_shape bimode;
};

/* The same as bytes, as generate.c writes it for an instance: that needs no list of the fields. */
union predictor_constant {
    uint8_t byte[sizeof(struct predictor_shape)];
    struct predictor_shape shape;
};

struct bpred;
/* In layout.c. */
void bpred_shape_of(const struct bpred *bpred, struct predictor_shape *shape);
/* An instance with this constant runs the predictor from now on; NULL: one without. True if the
 * predictor has that shape, so that the instance uses functions of its own. */
bool bpred_set_instance(struct bpred *bpred, const struct predictor_shape *constant);

#ifdef INSTANCE
#define SHAPE_OF(part, state) ((void)(state), &instance_predictor.shape.part)
/* ELSEWHERE takes the function's name and all its parameters. RETURN_ELSEWHERE is for a function
 * with a result. */
#define LIBRARY_HAS(function)                                                                      \
    extern __typeof__(INSTANCE_SYMBOL(function)) library_##function __asm__(#function)
#define IS_ELSEWHERE(bpred) ((bpred)->instance != &instance_predictor.shape)
#define ELSEWHERE(function, bpred, ...)                                                            \
    LIBRARY_HAS(function);                                                                         \
    if (IS_ELSEWHERE(bpred)) {                                                                     \
        library_##function(bpred, __VA_ARGS__);                                                    \
        return;                                                                                    \
    }
#define RETURN_ELSEWHERE(function, bpred, ...)                                                     \
    LIBRARY_HAS(function);                                                                         \
    if (IS_ELSEWHERE(bpred))                                                                       \
        return library_##function(bpred, __VA_ARGS__);
#else
#define SHAPE_OF(part, state) (&(state)->shape)
#define ELSEWHERE(function, ...) (void)0
#define RETURN_ELSEWHERE(function, ...) (void)0
#endif

#endif
