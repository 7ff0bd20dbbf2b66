/* The pipeline picture of a few instructions: the stage of each in each cycle.
 *
 * A row is an instruction, a column a cycle, and a letter marks the cycle in which a stage began.
 * Rows are in the order in which instructions left the pipeline, committed or squashed. */
#ifndef PROF_PICTURE_PICTURE_H
#define PROF_PICTURE_PICTURE_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "isa/insn.h"
#include "prof/symbols/symbols.h"
#include "sim/base/err.h"

enum picture_stage {
#define PICTURE_STAGE(id, letter, name) PICTURE_##id,
#include "prof/picture/stage.def"
#undef PICTURE_STAGE
    PICTURE_STAGES
};

/* Cycles since measurement began; 0: the instruction did not reach this stage. */
struct picture_insn {
    uint64_t pc, stage[PICTURE_STAGES];
    uint64_t leave;                 /* cycle in which it was committed or squashed */
    struct insn insn;
    bool is_committed;
};

/* Rows before the requested row: at most BEFORE, at most COMMITTED of them committed. */
enum { PICTURE_BEFORE = 12, PICTURE_COMMITTED = 6, PICTURE_AFTER = 8,
       PICTURE_ROWS = PICTURE_BEFORE + 1 + PICTURE_AFTER, PICTURE_COLUMNS = 72,
       PICTURE_TITLE = 512 };

struct picture {
    char title[PICTURE_TITLE];
    struct picture_insn insn[PICTURE_ROWS];
    unsigned insns, focus;          /* focus: index of the requested row */
    unsigned hart;
    uint64_t taken;                 /* cycle of the sample; 0: no sample */
};

void picture_print(const struct picture *picture, const struct symbols *symbols, FILE *out);
/* As an object: the same rows, and the cycles of all stages (docs/reference/schema/common.json). */
enum err picture_add_json(cJSON *root, const struct picture *picture,
                          const struct symbols *symbols, struct diag *diag);

#endif
