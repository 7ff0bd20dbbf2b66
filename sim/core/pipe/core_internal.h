/* The pipeline's state, private to its stages.
 *
 * Instructions in flight are in one ring, indexed by sequence number. Four sequence numbers divide
 * the ring into stages; except in a squash they only increase:
 *
 *     commit_seq <= dispatch_seq <= decode_seq <= fetch_seq
 *     [commit, dispatch)  reorder buffer      [dispatch, decode)  decoded, waiting for dispatch
 *     [decode, fetch)     instruction buffer; with a fetch-target queue [decode, read) is the
 *                         buffer and [read, fetch) is predicted and not read from the cache yet
 *
 * A squash moves the three on the right back. The effects of an instruction on the speculative
 * register state happen when it dispatches, and are undone from the youngest back; stores reach
 * memory at commit. The cycles of its issue and completion are decided afterwards, by operand
 * readiness, units and memory.
 *
 * Invariants (core_is_sane checks them):
 *   1. last_writer[r] is the youngest dispatched writer of r, or older than commit_seq.
 *   2. A waiting instruction has pending = number of its operand links still in producers' lists.
 *   3. ready[q] holds exactly q's waiting instructions with pending = 0 whose ready_at has come, at
 *      the end of a cycle also those dispatched in it for the next one.
 *   4. The store queue holds, in order, every dispatched store that has not drained.
 *   5. A mispredicted branch that has issued has its redirect pending until that is taken.
 *   6. `mode` agrees with the hart's privilege, mstatus, monitor state and marks. */
#ifndef SIM_CORE_PIPE_CORE_INTERNAL_H
#define SIM_CORE_PIPE_CORE_INTERNAL_H

#include "sim/core/lsu/store_queue.h"
#include "sim/core/pipe/core_types.h"
#include "sim/core/pipe/issue_queues.h"
#include "sim/core/pipe/uop.h"

struct ahead; struct awaited; struct bpred; struct bpred_snapshot; struct config;
struct core_instance; struct core_observer; struct cpu; struct ftq; struct hart; struct inorder;
struct isolation; struct known_lines; struct late_loads; struct mark; struct memdep; struct memsys;
struct model; struct oracle; struct predecode; struct predecode_page; struct predecode_slot;
struct sampling; struct tlb;

/* The first fields are those that most of the code reads, within 128 bytes of the beginning: host
 * instructions that access it are three bytes shorter. The table of the ring's places begins there,
 * too. */
struct core {
    uint64_t now;                   /* cycles since core_new */
    uint64_t commit_seq, dispatch_seq, decode_seq, fetch_seq;
    uint64_t *events;
    struct model *model;            /* state of the core's model (port.h); NULL: none */
    struct memsys *mem;
    struct cpu *cpu;
    struct hart *hart;
    struct bpred *bpred;
    const struct config *config;
    uint64_t extras;                /* EXTRA_*: features of the settings */
    uint64_t fetch_pc;
    uint32_t rob_used;              /* entries, when several instructions share one */
    bool active;                    /* a stage did work in this cycle */
    uint8_t stop;                   /* enum stop: set by commit when the run must end */
    uint8_t fetch_cause;            /* LOST_*: delay of the next instruction to be fetched */
    uint8_t refill_cause;           /* LOST_*_REFILL: it is the first one after a squash; or 0 */
    struct uop *at[RING_MAX];       /* the places of `ring`: core_at() */

    const struct known_lines *code_lines, *data_lines;      /* of `mem`; so is the TLB of data */
    const struct tlb *dtlb;
    struct predecode *predecode;
    bool shares_predecode;          /* another core owns it */
    struct inorder *inorder;        /* the in-order back end; NULL: out of order */
    struct ahead *ahead;            /* perfect prediction; NULL: off */
    struct isolation *isolation;    /* the monitor's own structures; NULL: it shares all */
    const struct core_observer *observer;
    uint64_t commit_pc;
    uint32_t ring_mask, ring_words;
    uint64_t next_id;
    const struct core_instance *instance;   /* that runs the core: instance.h */
    bool learns_at_issue;           /* the predictor is trained by branches that execute */
    uint8_t mode;                   /* enum core_mode, of the hart's state */
    uint64_t mode_from;             /* cycles of this mode are not counted yet from this one on */
    bool clock_touched;             /* the next timer interrupt may have moved: go back */
    uint64_t attend_at;             /* from this cycle on the run may end, the hart sleep or a
                                       counter overflow: 0 is set by its changes */
    bool needs_restart;             /* refetch from hart->pc before the next cycle */
    uint64_t host_call_cycles;      /* cycles for which fetch waits for the call just served */

    /* fetch */
    uint64_t fetch_stall_until;
    bool fetch_blocked;             /* after a fetch fault or a flushing serial: until a redirect */
    uint64_t fetch_page_va, fetch_page_pa;
    bool fetch_checks_pmp;          /* PMP differs within the page: check each instruction */
    struct predecode_page *fetch_page;
    struct predecode_slot *fetch_across;    /* the instruction that begins at its end */
    uint64_t fetch_events;          /* EVENT_BIT mask for the next instruction fetched */
    bool fetches_otherwise;         /* with perfect prediction */
    uint64_t fetch_half_pc;         /* instruction whose first half has arrived */
    struct fetch_miss fetch_miss;
    struct ftq *ftq;                /* the fetch-target queue, with fetch.ftq */
    struct lost lost;               /* cause of the last cycle's lost slots */
    struct oracle *oracle;          /* NULL: off */
    struct sampling *sampling;      /* profiling schemes that look on; NULL: none */
    uint64_t counted_cycle;         /* last cycle that has its cause (cpi_* events) */
    uint32_t decode_room;           /* decoded instructions that fit between decode and dispatch */
    /* dispatch */
    uint64_t last_writer[REG_COUNT];
    uint64_t value_ready[REG_COUNT];        /* when the committed value can be used */
    uint32_t buffers_free[POOL_COUNT], loads_used;
    struct metadata_arrival arrival[2][METADATA_ARRIVALS];  /* of code, of data; metadata.c */
    uint64_t move_end[METADATA_MOVES];      /* metadata.c: of the last transfers */
    uint32_t moves;
    uint64_t count_write[COUNT_WRITES];     /* metadata.c: counts that L1D has not taken */
    uint32_t count_writes;
    struct late_loads *late;                /* NULL: no line is later than announced */
    uint16_t int_map[REG_F0], int_free[REGS_MAX];   /* int_free: a stack, buffers_free deep */
    uint16_t int_refs[REGS_MAX];            /* names of each physical register, also in flight */
    uint32_t fold_room;                     /* instructions that the youngest entry still takes */
    uint32_t checkpoints_used;
    uint32_t fused_in_flight;               /* dispatched with the instruction before: no slot */
    uint64_t undo_until;                    /* a squash is being undone: no dispatch before */
    uint64_t recover_until;                 /* nothing commits before */
    uint32_t early_cycles;      /* from the issue of a load until it can commit so */
    uint64_t late_value;        /* when the last load that committed without its value has it */
    struct fetch_line fetch_line[2];        /* an instruction may be in two lines */
    bool is_resolving;                      /* execution requested the squash under way */
    uint8_t undo_cause;                     /* enum event that the slots are lost to meanwhile */
    bool serial_in_flight;
    /* issue */
    struct issue_queues iq;
    uint32_t latency[LAT_COUNT];
    struct store_queue sq;
    struct memdep *memdep;
    struct redirect redirects[RING_MAX];  /* an instruction has at most one */
    unsigned redirect_count;
    uint64_t redirect_next;                 /* earliest cycle among redirects */
    /* commit */
    uint64_t stop_pc, stopped_seq;                  /* core_stop_at; where it stopped last */
    uint64_t stuck_seq, stuck_from;                 /* stuck.c */
    uint64_t warm_block, warm_cycles;       /* core_warm: fetched last; of `now`, nobody's */
    uint64_t limit_seq;             /* commit_seq at which to stop */
    uint64_t commit_page;                   /* virtual page of the last committed instruction */
    bool hints_on;                          /* as before the instruction that commits */

    /* [ring]; what an instruction has beside it when it is marked, or a branch or jump */
    struct uop *ring;
    struct mark *imark;             /* unless uop->counter_pa says it all */
    struct awaited *awaited;        /* [store queue] */
    struct bpred_snapshot *snapshot;
    struct tally tally[1 << TALLY_LOG2];
};

#endif
