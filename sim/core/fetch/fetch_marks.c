/* The marks of fetched instructions, from the shadow frame beside their line.
 *
 * Every fetched instruction carries its mark, on wrong paths too. Most marks only count: for these
 * an instruction stores the counter's address and frame, for others the whole mark. Marks take
 * effect at commit. */
#include "shadowcache/shadow.h"
#include "sim/core/cpu.h"
#include "sim/core/fetch/fetch_port.h"
#include "sim/core/pipe/stage_front.h"
#include "sim/core/profile/metadata.h"
#include "sim/mem/memsys.h"

/* True if the line of pa has marks; then *row has them. */
static bool open_row(const struct core *core, uint32_t frame, uint64_t pa, struct shadow_row *row)
{
    return core->cpu->marks_on && !core->hart->in_monitor && frame != MEM_NO_FRAME &&
           shadow_open_row(core->cpu->ishadow, frame,
                           pa & ~(uint64_t)(core->config->l1i_line_bytes - 1), row);
}

static void attach_mark(struct core *core, struct uop *uop, uint32_t frame)
{
    struct mark *mark = &core->imark[uop - core->ring];
    if (!shadow_mark(core->cpu->ishadow, frame, uop->insn_pa, mark))
        return;
    uop->flags |= UOP_MARKED;
    uop->counter_pa = mark->only_counts ? mark->item_pa : 0;
    uop->counter_frame = frame;
}

void fetch_attach_mark(struct core *core, struct uop *uop)
{
    uint32_t frame = metadata_iframe(core, uop->insn_pa);
    struct shadow_row row;
    if (open_row(core, frame, uop->insn_pa, &row))
        attach_mark(core, uop, frame);
}

/* True if a group that begins in the line of pa also ends there. An instruction across the end
 * needs the next line, and a loop buffer any line. */
static bool is_one_line(const struct core *core, uint64_t pa)
{
    uint64_t line = core->config->l1i_line_bytes;
    uint64_t last = core_uop(core, core->fetch_seq - 1)->insn_pa;
    return !port_feeds(core) && ((last ^ pa) & ~(line - 1)) == 0;
}

SELDOM void fetch_attach_marks(struct core *core, uint64_t first, uint64_t pa, uint32_t frame)
{
    struct shadow_row opened;
    bool has_marks = open_row(core, frame, pa, &opened);
    if (!has_marks && (first == core->fetch_seq || is_one_line(core, pa)))
        return;
    const struct shadow_row row = opened;
    uint64_t line = core->config->l1i_line_bytes;
    for (uint64_t seq = first; seq != core->fetch_seq; seq++) {
        struct uop *uop = core_uop(core, seq);
        bool is_inside = ((uop->insn_pa ^ pa) & ~(line - 1)) == 0;
        uint64_t counter_pa = has_marks ? shadow_row_counter(&row, uop->insn_pa) : 0;
        if (counter_pa != 0) {
            uop->flags |= UOP_MARKED;
            uop->counter_pa = counter_pa;
            uop->counter_frame = frame;
        } else if (!is_inside && uop->insn_pa != NEVER) {
            attach_mark(core, uop, metadata_iframe(core, uop->insn_pa));
        } else if (has_marks && is_inside) {
            attach_mark(core, uop, frame);
        }
    }
}
