/* Runs of stores that fill consecutive entries of the write buffer (c910.write_run): their lines
 * are not read first. Source: openc910, lsu/rtl/ct_lsu_amr.v. */
#include "sim/core/port.h"

enum { RUN_LEVELS = 3 };

/* Filled entries that raise a run to the next level: 8, 16, 48 in the C910. */
static uint32_t needed(const struct core *core, uint32_t level)
{
    static const uint32_t times[RUN_LEVELS] = {1, 2, 6};
    return core_config(core)->c910_write_run * times[level];
}

void c910_run_follow(struct core *core, uint64_t block, uint64_t bytes, uint64_t all)
{
    struct write_run *run = &core->model->writes.run;
    bool was_full = run->bytes == all;
    uint64_t distance = block - run->block;
    bool goes_on = was_full ? distance == 1 || distance == UINT64_MAX
                            : distance == 0 && (run->bytes & bytes) == 0;
    run->block = block;
    run->bytes = goes_on && !was_full ? run->bytes | bytes : bytes;
    if (!goes_on) {
        run->filled = 0;
        run->level -= run->level != 0;
    } else if (was_full) {
        run->filled++;
        run->level += run->level < RUN_LEVELS && run->filled == needed(core, run->level);
    }
}
