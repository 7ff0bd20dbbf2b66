/* Loads in front of memory that serves hits of open rows first: none has its value before its line
 * has come, and none much later, however often memory puts lines off. */
#include "sim/core/pipe/core_state.h"
#include "tests/sim/core/rig.h"

enum { ROWS = 4, LOADS = 48, ROW_STRIDE = 0x8000, LINE = 64 };

static uint32_t lui(uint32_t rd, uint32_t upper)
{
    return upper << 12 | rd << 7 | 0x37;
}

/* x20 to x23 point at one row each, of one bank; loads of new lines go from row to row. */
static void emit_loads(struct rig *rig, unsigned offset)
{
    for (unsigned row = 0; row < ROWS; row++) {
        emit(rig, lui(6, row * ROW_STRIDE >> 12));
        emit(rig, add(20 + row, 9, 6));
    }
    for (unsigned i = 0; i < LOADS; i++) {
        unsigned row = i * 7 / 3 % ROWS, column = i / ROWS * 2 * LINE + offset;
        emit(rig, load(12 + i % 8, 20 + row, (int32_t)column));
        for (unsigned reg = 12; i % 8 == 7 && reg < 20; reg++)
            emit(rig, add(28, 28, reg));
    }
}

struct seen { uint64_t id, comes; };

/* Every load in flight completes with the last of its lines: within `most` cycles of the latest
 * time that memory told for it. Returns the number of loads whose time has changed since the cycle
 * before. */
static unsigned check_loads(const struct rig *rig, struct seen *seen, uint64_t most)
{
    const struct core *core = rig->core;
    unsigned changed = 0;
    for (uint64_t seq = core->commit_seq; seq < core->dispatch_seq; seq++) {
        const struct uop *uop = core_uop(core, seq);
        if (uop->access_bytes == 0 || uop->state != UOP_ISSUED || uop->complete_cycle == NEVER ||
            uop->complete_cycle <= core->now || uop->kind == KIND_STORE)
            continue;
        uint64_t comes = 0;
        for (uint64_t pa = uop->pa; pa < uop->pa + 8; pa += 7) {
            uint64_t arrival = memsys_arrival(core->mem, pa, memsys_find_dframe(core->mem, pa));
            comes = arrival > comes ? arrival : comes;
        }
        struct seen *before = &seen[seq % RING_MAX];
        if (before->id == uop->id && before->comes > comes)
            comes = before->comes;                      /* it was told so once */
        assert_true(uop->complete_cycle >= comes);
        assert_true(comes <= core->now || uop->complete_cycle <= comes + most);
        changed += before->id == uop->id && before->comes != comes;
        *before = (struct seen){uop->id, comes};
    }
    return changed;
}

static void run_loads(const char *setting, unsigned offset)
{
    static struct seen seen[RING_MAX];
    unsigned changed = 0;
    struct rig *rig = rig_new();
    memset(seen, 0, sizeof seen);
    rig_set(rig, "dram.kind=banked");
    rig_set(rig, "l2.kib=0");
    rig_set(rig, "l1d.ways=32");
    rig_set(rig, "l1d.mshrs=64");
    rig_set(rig, "lsq.misaligned_cycles=2");
    rig_set(rig, setting);
    emit_loads(rig, offset);
    rig_start(rig);
    while (event(rig, EVENT_INSNS_RETIRED) < rig->count) {
        assert_true(event(rig, EVENT_CYCLES) < 100000);
        core_run(rig->core, rig->count - event(rig, EVENT_INSNS_RETIRED), 1, true);
        changed += check_loads(rig, seen, rig->config.latency_load + 2);
    }
    assert_true(changed > 0);
    core_settle(rig->core);
    rig_free(rig);
}

static void a_load_waits_for_the_line_that_memory_puts_off(void **state)
{
    (void)state;
    run_loads("core.kind=out_of_order", 0);
    run_loads("core.kind=in_order", 0);
}

static void a_load_across_lines_waits_for_the_later_one(void **state)
{
    (void)state;
    run_loads("core.kind=out_of_order", 60);
    run_loads("core.kind=in_order", 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_waits_for_the_line_that_memory_puts_off),
        cmocka_unit_test(a_load_across_lines_waits_for_the_later_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
