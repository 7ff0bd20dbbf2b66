/* Questions to the model; see model.h. */
#include "sim/view/model.h"

#include <stdio.h>
#include <string.h>

enum { NO_REGISTER = 64 };              /* REG_SINK: a destination that no instruction reads */

#define STAGE(id, letters, name, meaning) {letters, name, meaning},
static const struct { const char *letters, *name, *meaning; } stages[] = {VIEW_STAGES(STAGE)};
#undef STAGE

const char *view_stage_letters(enum view_stage stage)
{
    return stages[stage].letters;
}

const char *view_stage_name(enum view_stage stage)
{
    return stages[stage].name;
}

const char *view_stage_meaning(enum view_stage stage)
{
    return stages[stage].meaning;
}

enum view_stage view_stage_in(const struct view_insn *insn, uint64_t cycle, uint64_t now)
{
    uint64_t end = insn->end == VIEW_IN_FLIGHT ? now : insn->left;
    enum view_stage found = VIEW_STAGE_COUNT;

    if (cycle < insn->at[VIEW_FETCH] || cycle >= now ||
        (cycle >= end && cycle != insn->at[VIEW_FETCH]))
        return VIEW_STAGE_COUNT;
    for (unsigned i = 0; i < VIEW_STAGE_COUNT; i++)
        if (i == VIEW_FETCH || (insn->at[i] != 0 && insn->at[i] <= cycle))
            found = (enum view_stage)i;
    return found;
}

int view_find(const struct view_model *model, uint64_t id)
{
    for (size_t i = 0; id != 0 && i < model->rows; i++)
        if (model->row[i].id == id)
            return (int)i;
    return -1;
}

/* The youngest older instruction in flight that writes the register and is not done. */
static int writer_of(const struct view_model *model, size_t row, unsigned reg)
{
    for (size_t i = row; reg != 0 && i-- > 0;) {
        const struct view_insn *insn = &model->row[i];

        if (insn->end == VIEW_COMMITTED)
            return -1;
        if (insn->end == VIEW_IN_FLIGHT && insn->rd == reg && reg != NO_REGISTER)
            return insn->at[VIEW_COMPLETE] == 0 ? (int)i : -1;
    }
    return -1;
}

int view_awaited(const struct view_model *model, size_t row)
{
    const struct view_insn *insn = &model->row[row];
    int awaited = -1;

    if (insn->end != VIEW_IN_FLIGHT || insn->at[VIEW_DECODE] == 0 || insn->at[VIEW_ISSUE] != 0)
        return -1;
    for (unsigned i = 0; i < 3; i++) {
        int at = insn->at[VIEW_DISPATCH] != 0 && insn->producer[i] != 0
                     ? view_find(model, insn->producer[i])
                     : writer_of(model, row, insn->rs[i]);

        if (at >= 0 && model->row[at].end == VIEW_IN_FLIGHT &&
            model->row[at].at[VIEW_COMPLETE] == 0 &&
            (awaited < 0 || (model->row[at].is_access && !model->row[awaited].is_access)))
            awaited = at;
    }
    return awaited;
}

static void explain_wait(const struct view_model *model, const struct view_insn *insn, int awaited,
                         char text[VIEW_WHY])
{
    const struct view_insn *other = &model->row[awaited];
    const char *how = other->at[VIEW_ISSUE] == 0 ? "has not begun"
                      : other->is_access         ? "is being loaded"
                                                 : "is being computed";

    snprintf(text, VIEW_WHY, "%s waits for the result of %s, which %s.", insn->text, other->text,
             how);
}

void view_explain(const struct view_model *model, size_t row, char text[VIEW_WHY])
{
    const struct view_insn *insn = &model->row[row];
    enum view_stage stage = view_stage_in(insn, model->now - 1, model->now);
    int awaited = view_awaited(model, row);

    if (insn->end == VIEW_COMMITTED)
        snprintf(text, VIEW_WHY, "%s committed in cycle %llu.", insn->text,
                 (unsigned long long)insn->left);
    else if (insn->end == VIEW_SQUASHED)
        snprintf(text, VIEW_WHY, "%s was squashed in cycle %llu: it was on a wrong path, or has to "
                 "be fetched again.", insn->text, (unsigned long long)insn->left);
    else if (awaited >= 0)
        explain_wait(model, insn, awaited, text);
    else if (stage == VIEW_STAGE_COUNT)
        snprintf(text, VIEW_WHY, "%s is on its way from the instruction cache.", insn->text);
    else
        snprintf(text, VIEW_WHY, "%s %s.", insn->text, view_stage_meaning(stage));
}
