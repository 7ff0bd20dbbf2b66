/* When writes of write-buffer entries (c910_writes.c) come before loads and stores: once all
 * entries except one are in use, or while an entry must go so that a store can make it anew.
 * Source: openc910, lsu/rtl/ct_lsu_wmb.v (write_imme). */
#include "sim/base/cycle.h"
#include "sim/core/model/c910/c910_memory.h"

void c910_hurry_entry(struct core *core, struct write_entry *entry, uint64_t cycle)
{
    struct c910_writes *writes = &core->model->writes;
    entry->hurried = earlier(entry->hurried, cycle);
    writes->calm_from = later(writes->calm_from, entry->number + 1);
}

/* If all entries but one are in use and the entry after the next one to be made would find its
 * place still occupied: the entry in that place. Otherwise NULL. */
static struct write_entry *find_last_but_one(struct core *core, uint64_t cycle)
{
    struct c910_writes *writes = &core->model->writes;
    uint64_t entries = core_config(core)->part_store_buffer;
    if (writes->made + 1 < entries + writes->oldest)
        return NULL;
    struct write_entry *entry = write_entry_at(writes, writes->made + 1 - entries);
    return write_entry_is_used(entry, cycle) && entry->sent >= cycle ? entry : NULL;
}

/* Decides from the state of the cycle before, when some entry may be in use. */
SELDOM static void decide_of_entries(struct core *core)
{
    struct c910_writes *writes = &core->model->writes;
    uint64_t cycle = core->now + 1;
    struct write_entry *last = find_last_but_one(core, cycle), *first = NULL;
    bool first_hurries = false, others_hurry = false;
    for (uint64_t number = writes->oldest; number != writes->made; number++) {
        struct write_entry *entry = write_entry_at(writes, number);
        if (!write_entry_is_used(entry, cycle) || entry->sent < cycle)
            continue;
        first = first == NULL ? entry : first;
        first_hurries |= entry->hurried <= cycle && entry == first;
        others_hurry |= entry->hurried <= cycle && entry != first;
    }
    bool clears = first == NULL || (first->sent == cycle && !others_hurry && !writes->holds);
    writes->hurried = writes->hurries;
    writes->may_hold = !writes->holds && !clears && last != NULL;
    if (last != NULL && last != first)
        writes->hurries = true;
    else if (clears)
        writes->hurries = false;
    else
        writes->hurries |= last != NULL || writes->holds || first_hurries || others_hurry;
    if (last != NULL)
        c910_hurry_entry(core, last, cycle + 1);
}

/* True if no entry has to be written soon, writes do not come first now, and more than one entry is
 * free, so that writes will not come first. */
static inline bool is_calm(const struct core *core)
{
    const struct c910_writes *writes = &core->model->writes;
    return writes->calm_from <= writes->oldest && !writes->hurries && !writes->holds &&
           writes->made + 1 < core_config(core)->part_store_buffer + writes->oldest;
}

void c910_hurry_decide(struct core *core)
{
    struct c910_writes *writes = &core->model->writes;
    bool is_none = writes->oldest == writes->made && core_config(core)->part_store_buffer > 1;
    if (!is_none && !is_calm(core)) {
        decide_of_entries(core);
        return;
    }
    writes->hurried = writes->hurries;
    writes->hurries = writes->may_hold = false;
}

void c910_hurry_relax(struct core *core, const struct write_entry *first)
{
    struct c910_writes *writes = &core->model->writes;
    const struct write_entry *last = find_last_but_one(core, core->now);
    bool others = writes->holds || (last != NULL && last != first);
    for (uint64_t number = writes->next; number != writes->made; number++) {
        const struct write_entry *entry = write_entry_at(writes, number);
        others |= entry->sent == NEVER && entry->hurried <= core->now;
    }
    writes->hurries &= others;
}
