/* The events of instructions in the fast engine: loads, branches, calls ...
 *
 * In a run that counts, a block has an op for each part that is executed as a whole; the op counts
 * the entries of the part. After each run of blocks, the events of each part are multiplied by its
 * entries, so that events[] is exact whenever it can be read. In other runs blocks have no such
 * ops. */
#include "pmu/event.h"
#include "sim/run/fast/fast_count.h"

void fast_count_events(struct fast *fast, bool on)
{
    fast->counts = on;
}

bool fast_is_counting(const struct fast *fast)
{
    return fast->counts || fast->cpu->pmu.selecting != 0;
}

void fast_tally(struct tally *tally, uint32_t events)
{
    events &= (uint32_t)event_bits_architectural;
    for (uint32_t rest = events; rest != 0; rest &= rest - 1)
        tally->of[__builtin_ctz(rest)]++;
    if ((events & EVENT_BIT(BRANCHES)) != 0)
        tally->of[EVENT_BRANCHES_TAKEN]++;
}

/* Adds the events of a tally, `times` times. */
static void add(uint64_t *events, const int8_t of[TALLY_EVENTS], uint64_t times)
{
    for (unsigned code = 0; code < TALLY_EVENTS; code++)
        events[code] += (uint64_t)(int64_t)of[code] * times;
}

/* Subtracts the events of the part's remaining instructions: the part was entered, but fast_step
 * took over within it. */
static void take_back(struct fast *fast)
{
    const struct block *block = fast->left;
    struct tally rest = {.entered = 0};
    unsigned end = (unsigned)block->insns;

    for (unsigned i = fast->left_at; i < end; i++) {
        fast_tally(&rest, predecode_events(&block->insn[i]));
        if (insn_info[block->insn[i].op].kind == KIND_BRANCH)
            break;
    }
    add(fast->cpu->pmu.events, rest.of, UINT64_MAX);
}

void fast_fold_tallies(struct fast *fast)
{
    uint64_t *events = fast->cpu->pmu.events;
    bool counts = (fast->view->context & CONTEXT_COUNTS) != 0;

    for (struct tally *tally = fast->touched; tally != NULL; tally = tally->next) {
        add(events, tally->of, tally->entered);
        tally->entered = 0;
    }
    if (counts && fast->left != NULL)
        take_back(fast);
    if (counts)
        events[EVENT_MISALIGNED] += fast->misaligned;
    fast->touched = NULL;
    fast->left = NULL;
    fast->misaligned = 0;
}
