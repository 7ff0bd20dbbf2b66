/* Redirects that have been requested and not taken: mispredictions and violations of memory order.
 * The list has no order; redirect_next is the earliest cycle in it. */

#include <assert.h>

#include "sim/core/pipe/stage.h"

/* keep: the youngest instruction that stays. At most one redirect an instruction is pending. */
void redirect_schedule(struct core *core, uint64_t cycle, uint64_t keep, uint64_t pc,
                       bool violation)
{
    core->redirects[core->redirect_count++] =
        (struct redirect){.cycle = cycle, .keep = keep, .pc = pc, .is_violation = violation};
    if (cycle < core->redirect_next)
        core->redirect_next = cycle;
}

/* True if the redirect stays pending after a squash of everything younger than `keep`. A violation
 * names the last instruction before its load; a misprediction names the branch, which stays when
 * the instructions after it are squashed for another reason. */
static bool outlives_squash(const struct redirect *redirect, uint64_t keep)
{
    return redirect->keep < keep || (redirect->keep == keep && !redirect->is_violation);
}

void redirects_forget(struct core *core, uint64_t keep)
{
    unsigned kept = 0;
    core->redirect_next = NEVER;
    for (unsigned i = 0; i < core->redirect_count; i++) {
        if (!outlives_squash(&core->redirects[i], keep))
            continue;
        if (core->redirects[i].cycle < core->redirect_next)
            core->redirect_next = core->redirects[i].cycle;
        core->redirects[kept++] = core->redirects[i];
    }
    core->redirect_count = kept;
}

/* A misprediction is older than a violation by the load after the same branch. */
static bool is_older(const struct redirect *a, const struct redirect *b)
{
    return a->keep < b->keep || (a->keep == b->keep && b->is_violation && !a->is_violation);
}

struct redirect redirects_take_oldest(struct core *core)
{
    struct redirect *oldest = NULL;
    for (unsigned i = 0; i < core->redirect_count; i++) {
        struct redirect *redirect = &core->redirects[i];
        if (redirect->cycle <= core->now && (oldest == NULL || is_older(redirect, oldest)))
            oldest = redirect;
    }
    assert(oldest != NULL);                     /* by redirect_next one is due */
    const struct redirect taken = *oldest;
    *oldest = core->redirects[--core->redirect_count];
    return taken;
}
