/* biRISC-V: its differences from the in-order pipe (the questions are in port.h).
 *
 *   biriscv_rows.c     fetch by rows: contents of the buffer, notice of a misprediction
 *   biriscv_issue.c    rules of issue in a group and after others; loads and stores
 *   biriscv_skip.c     mispredictions that cost nothing */
#ifndef SIM_CORE_MODEL_BIRISCV_BIRISCV_H
#define SIM_CORE_MODEL_BIRISCV_BIRISCV_H

#include "sim/core/bpred/bpred.h"
#include "sim/core/pipe/core_state.h"

/* The row of this instruction is fetched again after it, which makes a misprediction. */
#define UOP_REPEATED UOP_MODEL

struct model {
    uint64_t row_end;               /* the first that is not in the buffer of rows */
    uint64_t rows_cycle;            /* in this cycle the buffer has rows_held, */
    uint32_t rows_held, rows_before;        /* and had rows_before a cycle before */
    uint64_t row_then;              /* fetch continues here after the next row; NEVER: as
                                     * predicted */
    bool repeats_row;               /* the next row is fetched twice */
    bool is_noticed_late;           /* the pending misprediction is noticed later than in its
                                     * cycle */
    bool is_written;                /* the store that issues was written to the data cache */
    uint64_t store_word;            /* address / 4 of the last store */
    uint64_t group_pc, group_row;   /* first instruction of this cycle, and its cycle of fetch */
};

struct model *biriscv_new(struct core *core);
void biriscv_free(struct model *model);

/* biriscv_rows.c */
bool biriscv_may_fetch(struct core *core);
void biriscv_fetched(struct core *core, uint64_t pc, uint64_t first);
bool biriscv_redirect(struct core *core, const struct redirect *redirect);
void biriscv_squashed(struct core *core);

/* biriscv_issue.c */
bool biriscv_joins(const struct core *core, const struct uop *uop);
bool biriscv_may_issue(struct core *core, const struct uop *uop, unsigned class);
void biriscv_issued(struct core *core, struct uop *uop, uint64_t seq);
bool biriscv_may_write(struct core *core, const struct uop *uop);
void biriscv_hold_for_line(struct core *core, uint64_t ready, unsigned level);
uint64_t biriscv_load_from(const struct core *core, const struct uop *uop);
bool biriscv_store(struct core *core, const struct uop *uop, uint64_t *ready);

/* biriscv_skip.c */
void biriscv_mispredicted(struct core *core, struct uop *uop, uint64_t seq);

/* ---- answers --------------------------------------------------------------------------------- */

#define PORT_STATE
#define port_new biriscv_new
#define port_free biriscv_free

#define PORT_MAY_FETCH
static inline bool port_is_in_fetch(const struct core *core)
{
    return core_config(core)->biriscv_rows != 0;
}
static inline bool port_may_fetch(struct core *core)
{
    return core_config(core)->biriscv_rows == 0 || biriscv_may_fetch(core);
}
static inline bool port_fetches(struct core *core) { return false; }

#define PORT_GROUP
static inline uint64_t port_group(struct core *core, uint64_t pc, uint64_t room)
{
    bool asks = core->config->part_lookup != 0 && room != 0;
    return asks && bpred_see_row(core->bpred, core->now, pc) ? 1 : room;
}
static inline void port_fetched(struct core *core, uint64_t pc, uint64_t first)
{
    if (core_config(core)->biriscv_rows != 0)
        biriscv_fetched(core, pc, first);
}

#define PORT_ISSUE
#define port_joins biriscv_joins
#define port_may_issue biriscv_may_issue
#define port_issued biriscv_issued
static inline void port_trapped(struct core *core, const struct uop *uop, uint64_t seq) { }
static inline bool port_is_starved(const struct core *core)
{
    return core->model->is_noticed_late;
}

#define PORT_MISPREDICTED
static inline void port_mispredicted(struct core *core, struct uop *uop, uint64_t seq)
{
    if (core_config(core)->biriscv_skip_to_target)
        biriscv_mispredicted(core, uop, seq);
}

#define PORT_LOAD_FROM
#define port_load_from biriscv_load_from

#define PORT_OPERANDS
static inline uint64_t port_slack(const struct core *core, const struct uop *uop, unsigned reg,
                                  bool is_data, uint64_t slack)
{
    return slack;
}
static inline bool port_may_write(struct core *core, const struct uop *uop)
{
    return !core_config(core)->biriscv_waw_stall || biriscv_may_write(core, uop);
}

#define PORT_LINE
static inline uint64_t port_line_cycles(const struct core *core)
{
    return core_config(core)->biriscv_relookup_cycles;
}
static inline void port_line_awaited(struct core *core, uint64_t ready, unsigned level)
{
    if (core_config(core)->biriscv_miss_stalls)
        biriscv_hold_for_line(core, ready, level);
}

#define PORT_STORE
#define port_store biriscv_store
static inline bool port_store_is_written(const struct core *core)
{
    return core->model->is_written;
}

#define PORT_REDIRECT
static inline bool port_redirect(struct core *core, const struct redirect *redirect)
{
    return core_config(core)->biriscv_rows != 0 && biriscv_redirect(core, redirect);
}

#define PORT_SQUASHED
static inline void port_squashed(struct core *core, enum squash_reason reason)
{
    if (core_config(core)->biriscv_rows != 0)
        biriscv_squashed(core);
}

#endif
