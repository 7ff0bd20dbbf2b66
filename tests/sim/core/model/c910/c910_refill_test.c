/* A missing line of code that fetch takes block by block, the buffer of one line after it, and
 * answers that come late: addresses of code, and the data of loads that missed. To the cycle. */
#define MODEL_ANSWERS "sim/core/model/c910/c910.h"
#include "sim/core/port.h"
/* The instance of the model keeps its functions to itself. */
#include "sim/core/model/c910/c910_operands.c"
#include "tests/sim/core/rig.h"

enum { BLOCKS = 4, LINE = 64, INSNS = LINE / 4, BLOCK_INSNS = INSNS / BLOCKS };

static struct rig *new_rig(const char *setting)
{
    struct rig *rig = rig_new();
    rig_set_all(rig, SETTINGS("fetch.bytes=16", "fetch.width=4", "l1i.line_bytes=64",
                              "c910.by_block=true", "fetch.buffer=128", setting));
    return rig;
}

static void emit_lines(struct rig *rig, unsigned lines)
{
    for (unsigned i = 0; i < lines * INSNS; i++)
        emit(rig, addi(6, 0, 1));
}

/* One cycle; returns how many instructions were fetched in it. */
static uint64_t step(struct rig *rig)
{
    uint64_t before = rig->core->fetch_seq;
    core_run(rig->core, UINT64_MAX, 1, true);
    return rig->core->fetch_seq - before;
}

static void until(struct rig *rig, uint64_t cycle)
{
    while (rig->core->now < cycle)
        step(rig);
}

/* The blocks of a line come one a cycle; then the cache is idle for a cycle. The next miss is found
 * a cycle after the look-up, and asked for another cycle later. */
static void a_line_is_fetched_as_its_blocks_come(void **state)
{
    (void)state;
    struct rig *rig = new_rig("l1i.prefetch=none");
    emit_lines(rig, 3);
    rig_start(rig);
    const struct c910_refill *refill = &rig->core->model->refill;
    while (refill->request == UINT64_MAX)
        step(rig);
    uint64_t first = refill->first;
    assert_true(first > refill->request);
    until(rig, first);
    assert_int_equal(rig->core->fetch_seq, rig->core->commit_seq);
    for (unsigned i = 0; i < BLOCKS; i++)
        assert_int_equal(step(rig), BLOCK_INSNS);
    while (refill->request < first)
        assert_int_equal(step(rig), 0);
    assert_int_equal(refill->request, first + BLOCKS + 1 + 2);
    rig_free(rig);
}

/* Blocks also come one a cycle if an instruction lies across the end of each: the instruction is
 * put together when its second block comes, and waits for no other block. */
static void a_block_is_enough_for_what_lies_across_its_front(void **state)
{
    (void)state;
    enum { C_NOP = 0x0001 };
    struct rig *rig = new_rig("l1i.prefetch=none");
    rig_set(rig, "fetch.width=8");
    uint32_t insn = addi(6, 0, 1);
    emit(rig, insn << 16 | C_NOP);
    for (unsigned i = 0; i < 3 * INSNS; i++)
        emit(rig, insn << 16 | insn >> 16);
    rig_start(rig);
    const struct c910_refill *refill = &rig->core->model->refill;
    while (refill->request == UINT64_MAX)
        step(rig);
    uint64_t first = refill->first;
    until(rig, first);
    for (unsigned i = 0; i < BLOCKS; i++)
        assert_int_equal(step(rig), BLOCK_INSNS);
    while (refill->request < first)
        assert_int_equal(step(rig), 0);
    assert_int_equal(refill->request, first + BLOCKS + 1 + 2);
    rig_free(rig);
}

/* The rest of a block after its first branch has come with the branch; the next block passes
 * meanwhile, and is read again. */
static void the_rest_of_a_block_comes_after_its_first_branch(void **state)
{
    (void)state;
    struct rig *rig = new_rig("l1i.prefetch=none");
    rig_set_all(rig, SETTINGS("bpred.kind=bimode", "c910.bimode_index=rows",
                              "bpred.train=resolve", "c910.write_buffer=4",
                              "bpred.btb_miss=none", "c910.branches=1"));
    while (rig->count < BLOCK_INSNS)
        emit(rig, addi(6, 0, 1));
    emit(rig, bne(0, 0, 2 * LINE));
    emit(rig, bne(0, 0, 2 * LINE));
    emit_lines(rig, 3);
    rig_start(rig);
    const struct c910_refill *refill = &rig->core->model->refill;
    while (refill->request == UINT64_MAX)
        step(rig);
    until(rig, refill->first);
    assert_int_equal(step(rig), BLOCK_INSNS);
    assert_int_equal(step(rig), 1);
    assert_int_equal(step(rig), BLOCK_INSNS - 1);
    while (rig->core->now < refill->first + BLOCKS + 1)
        assert_int_equal(step(rig), 0);
    assert_int_equal(step(rig), BLOCK_INSNS);
    rig_free(rig);
}

/* A return at the end of a line that has passed sends fetch elsewhere late, so that the next line
 * is asked for. */
static void a_line_after_a_return_is_asked_for(void **state)
{
    (void)state;
    const uint32_t ret = 0x8067;
    struct rig *rig = new_rig("l1i.prefetch=none");
    rig_set_all(rig, SETTINGS("bpred.btb_miss_stage=8", "c910.return_bubble=3"));
    while (rig->count < BLOCK_INSNS - 1)
        emit(rig, addi(6, 0, 1));
    emit(rig, jal(1, LINE - 4 * BLOCK_INSNS));
    while (rig->count < INSNS - 1)
        emit(rig, addi(6, 0, 1));
    emit(rig, ret);
    emit_lines(rig, 2);
    rig_start(rig);
    const struct c910_refill *refill = &rig->core->model->refill;
    for (uint64_t first = rig->core->fetch_seq; rig->core->fetch_seq <= first + BLOCK_INSNS;)
        step(rig);
    uint64_t fetched = rig->core->now;
    until(rig, fetched + 3);
    assert_int_equal(refill->block, PHYS_RAM_BASE + LINE);
    assert_true(refill->request >= fetched);
    rig_free(rig);
}

/* A branch at the end of the first line leads two lines further, but fetch went to the next line.
 * If the misprediction is known before that line comes, the line is dropped, but holds up the next
 * miss. */
static void a_line_nobody_waits_for_is_dropped_and_passes(void **state)
{
    (void)state;
    struct rig *rig = new_rig("l1i.prefetch=none");
    rig_set(rig, "bpred.kind=not_taken");
    rig_set(rig, "bpred.btb_miss=none");
    while (rig->count < INSNS - 1)
        emit(rig, addi(6, 0, 1));
    emit(rig, beq(0, 0, 2 * LINE + 4));
    emit_lines(rig, 4);
    rig_start(rig);
    const struct c910_refill *refill = &rig->core->model->refill;
    while (!refill->is_dropped)
        step(rig);
    uint64_t first = refill->first;
    assert_int_equal(refill->block, PHYS_RAM_BASE + LINE);
    assert_true(rig->core->now <= first);
    while (refill->is_dropped)
        assert_int_equal(step(rig), 0);
    assert_int_equal(refill->block & ~(uint64_t)(LINE - 1), PHYS_RAM_BASE + 3 * LINE);
    assert_int_equal(refill->request, first + BLOCKS + 1);
    assert_int_equal(memsys_find_iframe(rig->core->mem, PHYS_RAM_BASE + LINE), MEM_NO_FRAME);
    rig_free(rig);
}

/* The line in the buffer at the start is of no use, and keeps the buffer until the second miss; the
 * third is followed by a prefetch, which the fourth finds. */
static void the_next_line_comes_out_of_the_buffer(void **state)
{
    (void)state;
    struct rig *rig = new_rig("l1i.prefetch=next_line");
    emit_lines(rig, 5);
    rig_start(rig);
    const struct c910_refill *refill = &rig->core->model->refill;
    while (refill->request == UINT64_MAX || refill->block < PHYS_RAM_BASE + 3 * LINE)
        step(rig);
    assert_true(refill->is_from_buffer);
    uint64_t last = refill->line_end > refill->request ? refill->line_end : refill->request;
    assert_int_equal(refill->grant, last + 1);
    assert_int_equal(refill->first, last + 2);
    until(rig, refill->first);
    for (unsigned i = 0; i < BLOCKS; i++)
        assert_int_equal(step(rig), BLOCK_INSNS);
    assert_int_equal(event(rig, EVENT_PREFETCH_ISSUED), 1);
    assert_int_equal(event(rig, EVENT_PREFETCH_USEFUL), 1);
    assert_int_equal(event(rig, EVENT_PREFETCH_UNUSED), 0);
    rig_free(rig);
}

static uint64_t cycles_with(const char *setting, const uint32_t *code, unsigned count)
{
    struct rig *rig = rig_new();
    rig_set(rig, setting);
    for (unsigned i = 0; i < count; i++)
        emit(rig, code[i]);
    uint64_t cycles = run(rig, rig->count);
    rig_free(rig);
    return cycles;
}

static void an_address_of_code_can_come_late(void **state)
{
    (void)state;
    const uint32_t auipc_x6 = 0x317, code[] = {auipc_x6, addi(7, 6, 0)};
    uint64_t plain = cycles_with("latency.int=1", code, 2);
    assert_int_equal(cycles_with("c910.pc=1", code, 2), plain);
    assert_int_equal(cycles_with("c910.pc=4", code, 2), plain + 3);
}

/* The load misses; its dependent instruction waits for it in its queue. */
static void all_but_memory_operations_learn_late_of_the_data_of_a_miss(void **state)
{
    (void)state;
    const uint32_t sum[] = {load(6, 9, 0), addi(7, 6, 0)};
    const uint32_t kept[] = {load(6, 9, 0), store(6, 9, 8)};
    const char *off = "c910.miss_wake_cycles=0", *on = "c910.miss_wake_cycles=3";
    assert_int_equal(cycles_with(on, sum, 2), cycles_with(off, sum, 2) + 3);
    assert_int_equal(cycles_with(on, kept, 2), cycles_with(off, kept, 2));
}

/* When a consumer that comes to its queue in cycle `now`, or waits there, has data that come in
 * cycle 200. */
static uint64_t has_data_at(struct core *core, uint64_t now, unsigned state, unsigned bytes)
{
    struct uop *producer = core_uop(core, core->fetch_seq + 1), *consumer = producer + 1;
    *producer = (struct uop){.kind = KIND_LOAD, .issue_cycle = 10, .complete_cycle = 200};
    *consumer = (struct uop){.kind = KIND_ALU, .state = (uint8_t)state,
                             .access_bytes = (uint8_t)bytes};
    core->now = now;
    return c910_operands_ready(core, producer, consumer, 0);
}

static void an_instruction_dispatched_as_the_data_come_is_issued_at_once(void **state)
{
    (void)state;
    struct rig *rig = new_rig("c910.miss_lead=2");
    rig_set(rig, "c910.miss_wake_cycles=3");
    emit_lines(rig, 1);
    rig_start(rig);
    for (uint64_t now = 190; now <= 199; now++) {
        bool is_near = now >= 198;
        assert_int_equal(has_data_at(rig->core, now, UOP_FETCHED, 0),
                         now == 199 ? now - 1 : is_near ? now : 203);
        assert_int_equal(has_data_at(rig->core, now, UOP_WAITING, 0), 203);
        assert_int_equal(has_data_at(rig->core, now, UOP_WAITING, 8), 200);
    }
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_fetched_as_its_blocks_come),
        cmocka_unit_test(a_block_is_enough_for_what_lies_across_its_front),
        cmocka_unit_test(the_rest_of_a_block_comes_after_its_first_branch),
        cmocka_unit_test(a_line_after_a_return_is_asked_for),
        cmocka_unit_test(a_line_nobody_waits_for_is_dropped_and_passes),
        cmocka_unit_test(the_next_line_comes_out_of_the_buffer),
        cmocka_unit_test(an_address_of_code_can_come_late),
        cmocka_unit_test(all_but_memory_operations_learn_late_of_the_data_of_a_miss),
        cmocka_unit_test(an_instruction_dispatched_as_the_data_come_is_issued_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
