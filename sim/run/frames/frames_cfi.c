/* Rules from call frame information: DWARF's tables, read by libdw.
 *
 * Rules are read from the start of each entry to its end. A file without sections has no list of
 * entries; there they are read from the start of each function that the flow knows, as long as one
 * table follows the other. A rule that sp and s0 cannot express is left out. */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>

#include "pmu/sorted.h"
#include "sim/base/array.h"
#include "sim/run/frames/frames_cfi.h"

struct reader {
    struct cfi *cfi;
    const struct flow *flow;
    struct fdes fdes;
    Dwarf_CFI *tables;
    bool is_out_of_memory;
};

/* ---- one row --------------------------------------------------------------------------------- */

enum saved { SAVED_NOT, SAVED_AT, SAVED_UNDEFINED, SAVED_UNKNOWN };

/* Finds where the caller's register is saved; *offset from the caller's sp. */
static enum saved saved_at(Dwarf_Frame *frame, int reg, int *offset)
{
    Dwarf_Op memory[3], *op = NULL;
    size_t count = 0;

    if (dwarf_frame_register(frame, reg, memory, &op, &count) != 0)
        return SAVED_UNKNOWN;
    if (count == 0)
        return op == NULL ? SAVED_NOT : SAVED_UNDEFINED;
    if (count > 2 || op[0].atom != DW_OP_call_frame_cfa ||
        (count == 2 && op[1].atom != DW_OP_plus_uconst))
        return SAVED_UNKNOWN;
    *offset = count == 2 ? (int)op[1].number : 0;
    return SAVED_AT;
}

static bool read_cfa(Dwarf_Frame *frame, struct monitor_frame *rule)
{
    Dwarf_Op *op = NULL;
    size_t count = 0;

    if (dwarf_frame_cfa(frame, &op, &count) != 0 || count != 1 || op[0].atom != DW_OP_bregx ||
        (op[0].number != UNWIND_SP && op[0].number != UNWIND_FP))
        return false;
    rule->sp = (int)op[0].number2;
    if (op[0].number == UNWIND_FP)
        rule->flags |= UNWIND_RULE_SP_BY_FP;
    return true;
}

static struct monitor_frame read_rule(Dwarf_Frame *frame, int return_register)
{
    const struct monitor_frame none = {.flags = 0};
    struct monitor_frame rule = {.flags = UNWIND_RULE_KEPT};
    int ra = 0, fp = 0;
    enum saved is_ra = saved_at(frame, return_register, &ra);
    enum saved is_fp = saved_at(frame, UNWIND_FP, &fp);

    if (is_ra == SAVED_UNDEFINED)
        return (struct monitor_frame){.flags = UNWIND_RULE_KEPT | UNWIND_RULE_ROOT};
    if (!read_cfa(frame, &rule) || is_ra == SAVED_UNKNOWN || is_fp == SAVED_UNKNOWN ||
        (is_ra == SAVED_NOT && return_register != UNWIND_RA))
        return none;
    rule.ra = rule.sp + ra;
    rule.fp = rule.sp + fp;
    if (is_ra == SAVED_AT)
        rule.flags |= UNWIND_RULE_HAS_RA |
                      ((rule.flags & UNWIND_RULE_SP_BY_FP) != 0 ? UNWIND_RULE_RA_BY_FP : 0);
    if (is_fp == SAVED_AT)
        rule.flags |= UNWIND_RULE_HAS_FP |
                      ((rule.flags & UNWIND_RULE_SP_BY_FP) != 0 ? UNWIND_RULE_FP_BY_FP : 0);
    return rule;
}

static bool add_row(struct reader *reader, struct cfi_row row)
{
    struct cfi *cfi = reader->cfi;
    struct cfi_row *grown = array_grow(cfi->row, cfi->rows, sizeof *grown);

    reader->is_out_of_memory |= grown == NULL;
    if (grown == NULL)
        return false;
    cfi->row = grown;
    cfi->row[cfi->rows++] = row;
    return true;
}

/* ---- all rows -------------------------------------------------------------------------------- */

/* *frame: size of the frame in which the function first saves its return address. At the jump to a
 * routine of -msave-restore, which restores registers, gcc describes the frame as it is afterwards,
 * and so has the return address below sp; there the frame is the first one. */
static void mend_rule(struct monitor_frame *rule, int *frame)
{
    bool is_by_sp = (rule->flags & (UNWIND_RULE_HAS_RA | UNWIND_RULE_SP_BY_FP)) ==
                    UNWIND_RULE_HAS_RA;
    int more;

    if (is_by_sp && *frame == 0 && rule->ra >= 0)
        *frame = rule->sp;
    if (!is_by_sp || *frame == 0 || rule->ra >= 0)
        return;
    more = *frame - rule->sp;
    rule->sp += more;
    rule->ra += more;
    rule->fp += more;
}

/* Reads the rules between two addresses. */
static void read_range(struct reader *reader, uint64_t start, uint64_t end)
{
    uint64_t bias = reader->flow->image->bias, address = start - bias;
    Dwarf_Frame *frame;
    int first = 0;

    while (address < end - bias &&
           dwarf_cfi_addrframe(reader->tables, address, &frame) == 0) {
        Dwarf_Addr from, to;
        bool is_signal;
        int return_register = dwarf_frame_info(frame, &from, &to, &is_signal);
        struct cfi_row row = {.from = address + bias, .to = to + bias};

        row.rule = read_rule(frame, return_register);
        mend_rule(&row.rule, &first);
        row.is_bare = address + bias == start && to + bias == end && row.rule.sp == 0 &&
                      row.rule.flags == UNWIND_RULE_KEPT;
        free(frame);
        if (to <= address || !add_row(reader, row))
            return;
        address = to;
    }
}

static int compare_rows(const void *a, const void *b)
{
    const struct cfi_row *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to < y->to) - (x->to > y->to);
}

/* Sorts the rows, and removes duplicates reached from several functions' starts. */
static void tidy(struct cfi *cfi)
{
    size_t kept = 0;

    if (cfi->rows != 0)
        qsort(cfi->row, cfi->rows, sizeof *cfi->row, compare_rows);
    for (size_t i = 0; i < cfi->rows; i++)
        if (kept == 0 || cfi->row[i].from >= cfi->row[kept - 1].to)
            cfi->row[kept++] = cfi->row[i];
    cfi->rows = kept;
}

static bool ends_before(const void *row, const void *address)
{
    const struct cfi_row *at = row;

    return at->to <= *(const uint64_t *)address;
}

static bool is_read(const struct cfi *cfi, uint64_t address)
{
    size_t at = sorted_place(cfi->row, cfi->rows, sizeof cfi->row[0], ends_before, &address);

    return at < cfi->rows && cfi->row[at].from <= address;
}

static void read_tables(struct reader *reader, Dwarf_CFI *tables)
{
    const struct flow *flow = reader->flow;
    const struct fdes *fdes = &reader->fdes;
    struct cfi before = *reader->cfi;

    if (tables == NULL)
        return;
    reader->tables = tables;
    for (size_t i = 0; i < fdes->count; i++) {
        before.row = reader->cfi->row;
        if (!is_read(&before, fdes->fde[i].from))
            read_range(reader, fdes->fde[i].from, fdes->fde[i].to);
    }
    for (size_t i = 0; i < flow->functions && fdes->count == 0; i++) {
        if (is_read(reader->cfi, flow->function[i].address))
            continue;
        read_range(reader, flow->function[i].address, UINT64_MAX);
        tidy(reader->cfi);
    }
    tidy(reader->cfi);
}

enum err cfi_build(struct cfi *cfi, const struct flow *flow, struct diag *diag)
{
    struct reader reader = {.cfi = cfi, .flow = flow};
    Elf *elf = elf_version(EV_CURRENT) != EV_NONE
                   ? elf_memory((char *)flow->image->file, flow->image->file_bytes) : NULL;
    Dwarf_CFI *loaded = elf != NULL ? dwarf_getcfi_elf(elf) : NULL;
    Dwarf *dwarf;
    enum err err;

    *cfi = (struct cfi){.rows = 0};
    err = fdes_read(&reader.fdes, flow->image, diag);
    read_tables(&reader, err == ERR_OK ? loaded : NULL);
    dwarf = elf != NULL ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
    read_tables(&reader, dwarf != NULL ? dwarf_getcfi(dwarf) : NULL);
    if (dwarf != NULL)
        dwarf_end(dwarf);
    if (loaded != NULL)
        dwarf_cfi_end(loaded);
    if (elf != NULL)
        elf_end(elf);
    fdes_free(&reader.fdes);
    return reader.is_out_of_memory ? diag_no_memory(diag, "call frame information") : err;
}

void cfi_free(struct cfi *cfi)
{
    free(cfi->row);
    *cfi = (struct cfi){.rows = 0};
}
