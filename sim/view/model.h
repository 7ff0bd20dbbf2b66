/* The visible state of a machine that stands between two cycles: plain data, taken by reading only
 * (watch.h) and drawn by scene.h. It holds no pointers, so that it can cross to another process.
 *
 * Cycles are numbered as in traces: `now` cycles are over, the last one had the number now - 1. */
#ifndef SIM_VIEW_MODEL_H
#define SIM_VIEW_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    VIEW_ROWS = 1024, VIEW_TEXT = 56, VIEW_NAME = 32, VIEW_PLACES = 24, VIEW_MAPS = 5,
    VIEW_CELLS = 4096, VIEW_COUNTERS = 24, VIEW_HARTS = 64, VIEW_LINES = 33, VIEW_LINE = 120,
    VIEW_STACK = 8, VIEW_OUTPUT = 6, VIEW_WHY = 160, VIEW_HISTORY = 64, VIEW_MARKS = 6,
};

/* STAGE(id, letters, name, meaning): the stages of an instruction, in order. */
#define VIEW_STAGES(STAGE)                                                                         \
    STAGE(FETCH, "F", "fetch", "is being fetched, or waits in the instruction buffer")             \
    STAGE(DECODE, "Dc", "decode", "is decoded")                                                    \
    STAGE(RENAME, "Rn", "rename", "is renamed")                                                    \
    STAGE(DISPATCH, "Ds", "dispatch", "waits for operands or a unit")                              \
    STAGE(ISSUE, "X", "issue", "executes")                                                         \
    STAGE(COMPLETE, "Cm", "complete", "is done and waits until everything older has committed")
#define STAGE(id, letters, name, meaning) VIEW_##id,
enum view_stage { VIEW_STAGES(STAGE) VIEW_STAGE_COUNT };
#undef STAGE

enum view_end { VIEW_IN_FLIGHT, VIEW_COMMITTED, VIEW_SQUASHED };

struct view_insn {
    uint64_t id, pc;
    uint64_t at[VIEW_STAGE_COUNT];      /* cycle in which it entered the stage; 0: not yet */
    uint64_t left;                      /* cycle in which it left; in flight: 0 */
    uint64_t producer[3];               /* ids of the instructions that produce its operands; or
                                         * 0 */
    uint64_t address;                   /* of its data access */
    enum view_end end;
    bool is_marked, is_mispredicted, is_monitor, is_access;
    uint8_t rd, rs[3];                  /* registers, as struct insn has them */
    uint8_t queue;                      /* its issue queue; 0xff: none */
    char text[VIEW_TEXT];               /* disassembly */
};

/* A queue or buffer. fills: it is usually full, and that stalls nothing. */
struct view_place { char name[VIEW_NAME]; uint32_t used, size; bool fills; };

/* A structure as cells: frames of a cache by sets and ways, counters of a predictor. Low bits of a
 * cell: enum view_cell; CELL_META: its shadow frame has metadata; CELL_COUNTS: the metadata have
 * counts. */
enum view_cell { CELL_EMPTY, CELL_SHARED, CELL_CLEAN, CELL_MODIFIED, CELL_COMING,
                 CELL_NOT_TAKEN, CELL_WEAK_NOT, CELL_WEAK_TAKEN, CELL_TAKEN, CELL_KINDS };
enum { CELL_META = 0x40, CELL_COUNTS = 0x80, CELL_MASK = 0x3f };
struct view_map {
    char name[VIEW_NAME];
    uint32_t columns, rows;             /* cells: columns * rows at most VIEW_CELLS */
    uint32_t merged;                    /* number of frames in one cell */
    uint32_t used, total;               /* frames */
    uint8_t cell[VIEW_CELLS];           /* [row * columns + column] */
};

struct view_counter { char name[VIEW_NAME]; uint64_t value, before; };  /* before: as shown last */

struct view_hart {
    uint64_t pc, insns, cycles, thread;
    char place[VIEW_TEXT];              /* routine + offset */
    char mode;                          /* U, S, M, or P in the resident monitor */
    bool waits;                         /* in WFI */
};

struct view_line { uint64_t pc; unsigned number; char text[VIEW_LINE]; };

/* A marked instruction or datum; limit 0: none. */
struct view_mark { char place[VIEW_TEXT]; uint64_t count, limit, interrupts; bool is_code; };

struct view_indicator { uint64_t pc, data, count, cycles; };    /* waits for the monitor */

struct view_model {
    uint64_t now, insns, first_cycle, first_insn;   /* first: at the begin of the view */
    unsigned harts, hart;               /* hart: the one whose pipeline is shown */
    char machine[VIEW_NAME], program[VIEW_TEXT];
    bool has_ended, is_in_order;
    char end[VIEW_WHY];
    unsigned width;                     /* of dispatch, instructions a cycle */
    uint64_t next_pc, fetch_pc;
    size_t rows;
    struct view_insn row[VIEW_ROWS];    /* in the order of fetch */
    unsigned places, maps, counters;
    struct view_place place[VIEW_PLACES];
    struct view_map map[VIEW_MAPS];
    struct view_counter counter[VIEW_COUNTERS];
    struct view_hart of[VIEW_HARTS];
    uint64_t history;                   /* directions of branches, newest in bit 0 */
    unsigned stack;
    char return_to[VIEW_STACK][VIEW_TEXT];
    uint32_t btb_used, btb_entries;
    unsigned marks;                     /* the marks with the highest counts */
    struct view_mark mark[VIEW_MARKS];
    unsigned indicators;                /* in the queue of the profiling hardware */
    struct view_indicator indicator[8];
    char file[VIEW_TEXT];               /* of the line that commits next */
    unsigned line, source_lines, code_lines;
    struct view_line source[VIEW_LINES], code[VIEW_LINES];
    char output[VIEW_OUTPUT][VIEW_LINE];    /* the program's last lines */
};

/* Letters, name and meaning of a stage. */
const char *view_stage_letters(enum view_stage stage);
const char *view_stage_name(enum view_stage stage);
const char *view_stage_meaning(enum view_stage stage);

/* The stage of an instruction in a cycle; VIEW_STAGE_COUNT: none. */
enum view_stage view_stage_in(const struct view_insn *insn, uint64_t cycle, uint64_t now);
/* The row of an id, or -1. */
int view_find(const struct view_model *model, uint64_t id);
/* The row of the instruction that the instruction in `row` waits for now, a load among several; or
 * -1. */
int view_awaited(const struct view_model *model, size_t row);
/* A sentence on the present state of the instruction, and its cause. */
void view_explain(const struct view_model *model, size_t row, char text[VIEW_WHY]);

#endif
