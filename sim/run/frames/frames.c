/* The table of a program's frames, from call frame information where it exists, else from the flow
 * of control; packed into the monitor's format. */
#include "sim/run/frames/frames.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/array.h"
#include "sim/run/frames/frames_cfi.h"
#include "sim/run/frames/frames_store.h"
#include "sim/run/load/image_program.h"

/* A table under construction. Frames are few, and found by their hash. */
struct packing {
    uint64_t base;
    struct monitor_row *row;
    size_t rows;
    struct monitor_frame *frame;
    size_t frames, frame_room;      /* room: a power of two; slot has twice as many */
    uint32_t *slot;                 /* [2 * frame_room] index of frame; 0: free */
    bool is_out_of_memory;
};

/* ---- frames ---------------------------------------------------------------------------------- */

static size_t hash_of(const struct monitor_frame *frame)
{
    uint64_t hash = ((uint64_t)(uint32_t)frame->sp << 32 | (uint32_t)frame->ra) *
                    0x9e3779b97f4a7c15u;

    hash = (hash ^ ((uint64_t)(uint32_t)frame->fp << 32 | frame->flags)) * 0x9e3779b97f4a7c15u;
    return (size_t)(hash >> 32);
}

static bool is_same(const struct monitor_frame *a, const struct monitor_frame *b)
{
    return a->sp == b->sp && a->ra == b->ra && a->fp == b->fp && a->flags == b->flags;
}

/* The slot that has the frame's index, or will. */
static uint32_t *slot_of(const struct packing *packing, const struct monitor_frame *frame)
{
    size_t mask = 2 * packing->frame_room - 1, i = hash_of(frame) & mask;

    while (packing->slot[i] != 0 && !is_same(&packing->frame[packing->slot[i]], frame))
        i = (i + 1) & mask;
    return &packing->slot[i];
}

static bool grow_frames(struct packing *packing)
{
    size_t room = packing->frame_room != 0 ? 2 * packing->frame_room : 256;
    struct monitor_frame *frame = realloc(packing->frame, room * sizeof *frame);
    uint32_t *slot = calloc(2 * room, sizeof *slot);

    if (frame != NULL)
        packing->frame = frame;
    if (frame == NULL || slot == NULL) {
        free(slot);
        packing->is_out_of_memory = true;
        return false;
    }
    free(packing->slot);
    packing->slot = slot;
    packing->frame_room = room;
    for (size_t i = 1; i < packing->frames; i++)
        *slot_of(packing, &frame[i]) = (uint32_t)i;
    return true;
}

/* Index 0 is the frame without information. */
static uint32_t index_of(struct packing *packing, const struct monitor_frame *frame)
{
    uint32_t *slot;

    if (packing->frames == packing->frame_room && !grow_frames(packing))
        return 0;
    if (packing->frames == 0)
        packing->frame[packing->frames++] = (struct monitor_frame){.flags = 0};
    if (frame->flags == 0)
        return 0;
    slot = slot_of(packing, frame);
    if (*slot == 0) {
        *slot = (uint32_t)packing->frames;
        packing->frame[packing->frames++] = *frame;
    }
    return *slot;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void add_row(struct packing *packing, uint64_t address, const struct monitor_frame *frame)
{
    uint32_t index = index_of(packing, frame);
    struct monitor_row *row = packing->row;

    if (packing->rows != 0 && row[packing->rows - 1].frame == index)
        return;
    row = array_grow(row, packing->rows, sizeof *row);
    packing->is_out_of_memory |= row == NULL;
    if (row == NULL)
        return;
    packing->row = row;
    row[packing->rows++] =
        (struct monitor_row){.pc = (uint32_t)(address - packing->base), .frame = index};
}

/* For assembly, whose call frame information may be without contents, the result of the flow takes
 * precedence; it also serves where the information has no rule by sp or s0 (setcontext). */
static bool is_description(const struct cfi_row *row)
{
    return !row->is_bare && row->rule.flags != 0;
}

/* The row that has the address, or NULL; the search goes on from row *next. */
static const struct cfi_row *row_at(const struct cfi *cfi, size_t *next, uint64_t address)
{
    while (*next < cfi->rows && cfi->row[*next].to <= address)
        ++*next;
    return *next < cfi->rows && cfi->row[*next].from <= address ? &cfi->row[*next] : NULL;
}

static void add_piece(struct packing *packing, const struct flow *flow, const struct cfi *cfi,
                      const struct flow_piece *piece)
{
    const struct monitor_frame none = {.flags = 0};
    uint64_t end = piece->address + piece->bytes, next;
    uint32_t number = 0, last = 0;      /* number: of the last rule, if the flow found it */
    size_t k = 0;

    for (uint64_t at = piece->address; at < end; at = next, last = number) {
        const struct cfi_row *row = row_at(cfi, &k, at);
        size_t index = flow_place(piece, at);
        struct monitor_frame rule;

        next = at + 2;
        if (row != NULL && is_description(row)) {
            number = 0;
            rule = row->rule;
            next = (row->to + 1) & ~(uint64_t)1;
        } else if (row == NULL && flow_has(flow->closed, index) &&
                   !flow_has(flow->reached, index)) {
            continue;
        } else {
            number = row == NULL ? flow_rule_number(flow, index) : 0;
            if (number != 0 && number == last)
                continue;
            rule = flow_rule(flow, index);
            if (row != NULL && rule.flags == 0)
                rule = row->rule;
        }
        add_row(packing, at, &rule);
    }
    add_row(packing, end, &none);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static enum err pack(struct frames *frames, const struct packing *packing, uint64_t bytes,
                     unsigned xlen, struct diag *diag)
{
    struct monitor_frames head = {.base = packing->base, .bytes = bytes,
                                  .rows = (unsigned)packing->rows, .xlen = xlen};
    size_t row_bytes = packing->rows * sizeof *packing->row;
    size_t frame_bytes = packing->frames * sizeof *packing->frame;

    frames->bytes = sizeof head + row_bytes + frame_bytes;
    frames->table = malloc(frames->bytes);
    if (frames->table == NULL || packing->is_out_of_memory)
        return diag_no_memory(diag, "stack frames");
    *frames->table = head;
    if (packing->rows != 0)
        memcpy(frames->table + 1, packing->row, row_bytes);
    if (packing->frames != 0)
        memcpy((char *)(frames->table + 1) + row_bytes, packing->frame, frame_bytes);
    return ERR_OK;
}

/* Pieces are in order of address; pieces too far from the first are left out. */
static enum err pack_pieces(struct frames *frames, const struct flow *flow, const struct cfi *cfi,
                            struct diag *diag)
{
    struct packing packing = {.base = flow->pieces != 0 ? flow->piece[0].address : 0};
    uint64_t bytes = 0;
    enum err err;

    for (size_t i = 0; i < flow->pieces; i++) {
        const struct flow_piece *piece = &flow->piece[i];

        if (piece->address + piece->bytes - packing.base > UINT32_MAX)
            break;
        add_piece(&packing, flow, cfi, piece);
        bytes = piece->address + piece->bytes - packing.base;
    }
    err = pack(frames, &packing, bytes, flow->image->xlen, diag);
    free(packing.row);
    free(packing.frame);
    free(packing.slot);
    return err;
}

static void keep(const struct image *image, const struct flow *flow, const struct frames *frames)
{
    if (image->store == NULL)
        return;
    frames_store_keep_table(image, frames);
    frames_keep_routines(image, flow);
}

enum err frames_build(struct frames *frames, const struct image *image, struct diag *diag)
{
    struct flow flow;
    struct cfi cfi = {.rows = 0};
    enum err err;

    if (frames_store_table(image, frames))
        return ERR_OK;
    *frames = (struct frames){.bytes = 0};
    err = flow_build(&flow, image, diag);
    if (err == ERR_OK)
        err = cfi_build(&cfi, &flow, diag);
    if (err == ERR_OK)
        err = pack_pieces(frames, &flow, &cfi, diag);
    if (err == ERR_OK)
        keep(image, &flow, frames);
    cfi_free(&cfi);
    flow_free(&flow);
    if (err != ERR_OK)
        frames_free(frames);
    return err;
}

/* ---- further programs ------------------------------------------------------------------------ */

/* NULL: it has none. */
static struct frames *find_other(const struct frames *frames, uint64_t program)
{
    for (unsigned i = 0; i < frames->others; i++)
        if (frames->other[i].program == program)
            return &frames->other[i];
    return NULL;
}

const struct frames *frames_of(const struct frames *frames, uint64_t program)
{
    static const struct frames none = {.bytes = 0};
    const struct frames *other = program != 0 ? find_other(frames, program) : frames;

    return other != NULL ? other : &none;
}

static bool is_kernels(const struct monitor_frames *table)
{
    return table->base >= KERNEL_MAP;
}

/* False: no memory; the table is freed. */
static bool append(struct frames *frames, struct monitor_frames *table)
{
    const struct monitor_frames **grown = array_grow(frames->module, frames->modules,
                                                     sizeof *grown);

    if (grown == NULL) {
        free(table);
        return false;
    }
    frames->module = grown;
    frames->module[frames->modules++] = table;
    return true;
}

/* Walks of all programs pass through the kernel, whose table is the first program's. */
static bool add_program(struct frames *frames, struct frames *other)
{
    struct frames *grown = array_grow(frames->other, frames->others, sizeof *grown);

    if (grown == NULL) {
        free(other->table);
        return false;
    }
    frames->other = grown;
    for (unsigned i = 0; i < frames->modules; i++)
        if (is_kernels(frames->module[i])) {
            other->module = array_grow(NULL, 0, sizeof other->module[0]);
            other->modules = other->module != NULL;
            if (other->module != NULL)
                other->module[0] = frames->module[i];
            break;
        }
    frames->other[frames->others++] = *other;
    return true;
}

enum err frames_add_module(struct frames *frames, const struct image *image, struct diag *diag)
{
    uint64_t program = image_program(image);
    struct frames *there = program != 0 ? find_other(frames, program) : frames, own;
    bool is_added;
    enum err err = frames_build(&own, image, diag);

    if (err != ERR_OK)
        return err;
    own.program = program;
    own.table->base -= own.table->bytes != 0 ? program : 0;
    is_added = there != NULL ? append(there, own.table) : add_program(frames, &own);
    if (!is_added)
        return diag_no_memory(diag, image->path);
    frames->taken++;
    return ERR_OK;
}

void frames_free(struct frames *frames)
{
    for (unsigned i = 0; i < frames->others; i++)
        frames_free(&frames->other[i]);
    for (unsigned i = 0; i < frames->modules; i++)
        if (frames->program == 0 || !is_kernels(frames->module[i]))
            free((void *)(uintptr_t)frames->module[i]);
    free(frames->other);
    free(frames->module);
    free(frames->table);
    *frames = (struct frames){.bytes = 0};
}

void frames_walk(const struct frames *frames, const struct frames_registers *at, frames_read *read,
                 void *arg, struct monitor_stack *stack)
{
    struct unwind unwind = {
        .read = read, .arg = arg, .pc = at->pc, .ra = at->ra, .sp = at->sp, .fp = at->fp,
        .frames = frames->table, .module = frames->module, .modules = frames->modules,
        .is_32 = frames->table != NULL && frames->table->xlen == 32,
    };

    monitor_walk(&unwind, stack);
}
