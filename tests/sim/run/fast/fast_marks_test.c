/* Marks and filtered counters under the fast engine: exact, and precise to the instruction. */
#include "shadowcache/shadow.h"
#include "tests/sim/run/fast/fast_bench.h"

enum { LINE_BYTES = 64, TEXT_GRANULE = 2, DATA_GRANULE = 8 };

static uint64_t item_pa(uint64_t block, unsigned index)
{
    return block + sizeof(struct perfinst_block) + index * sizeof(struct perfinst_item);
}

/* One line of metadata at `block` for the line at `pa`, through registers 4 * segment. */
static void register_line(struct bench *b, unsigned segment, uint64_t pa, uint64_t block,
                          unsigned kind, unsigned granule)
{
    struct perfinst_block head = {.items = LINE_BYTES / granule,
                                  .granule_log2 = (unsigned char)__builtin_ctz(granule)};
    uint64_t *words = b->board.cpu.pmu.segment[segment];
    put64(&b->board, block - 64, block);
    phys_copy_in(&b->board.phys, block, &head, sizeof head);
    words[0] = pa;
    words[1] = LINE_BYTES;
    words[2] = block - 64;
    words[3] = kind;
}

static void mark(struct bench *b, uint64_t block, unsigned index, unsigned flags, unsigned limit)
{
    struct perfinst_item item = {.flags = (unsigned short)flags, .limit = limit};
    phys_copy_in(&b->board.phys, item_pa(block, index), &item, sizeof item);
}

static uint64_t count_of(struct bench *b, uint64_t block, unsigned index)
{
    struct perfinst_item item;
    phys_copy_out(&b->board.phys, item_pa(block, index), &item, sizeof item);
    return item.count + item.cleared;
}

static void enable_marks(struct bench *b)
{
    b->board.cpu.pmu.mode = PROF_MODE_ENABLE;
    cpu_profiling_changed(&b->board.cpu);
    assert_true(b->board.cpu.marks_on);
    fast_flush(b->fast);
}

static void marked_instructions_and_data_are_counted_exactly(void **state)
{
    struct bench *b = *state;
    uint64_t text = META + 64, data = META + 0x1000;
    b->reg[A1] = DATA;
    PROGRAM(&b->board, CODE, addi(A0, A0, 1), ld(A2, A1, 8), sd(A0, A1, 16), ld(A3, A1, 0),
            jal(ZERO, -16));
    run(b, 50);                                 /* blocks exist before the marks do */
    register_line(b, 0, CODE, text, PROF_SEGMENT_TEXT, TEXT_GRANULE);
    register_line(b, 1, DATA, data, PROF_SEGMENT_DATA, DATA_GRANULE);
    mark(b, text, 2, MARK_COUNTER | MARK_COUNT, 0);
    mark(b, data, 1, MARK_COUNTER, 0);
    mark(b, data, 2, MARK_COUNTER | MARK_COUNT, 0);
    enable_marks(b);
    run(b, 5003);
    shadow_flush(b->board.cpu.ishadow);
    shadow_flush(b->board.cpu.dshadow);
    assert_int_equal(count_of(b, text, 2), 1001);
    assert_int_equal(count_of(b, data, 0), 0);
    assert_int_equal(count_of(b, data, 1), 1001);
    assert_int_equal(count_of(b, data, 2), 1001);
    assert_int_equal(b->events[EVENT_MARKED_INSNS], 1001);
    assert_int_equal(b->events[EVENT_MARKED_DATA], 1001);
    assert_int_equal(b->reg[A0], 1011);
}

static void an_indicator_interrupts_right_after_its_instruction(void **state)
{
    struct bench *b = *state;
    uint64_t text = META + 64;
    PROGRAM(&b->board, CODE, addi(A0, A0, 1), addi(A1, A1, 1), addi(A2, A2, 1), jal(ZERO, -12));
    PROGRAM(&b->board, MONITOR, addi(A4, A4, 1), jal(ZERO, 0));
    register_line(b, 0, CODE, text, PROF_SEGMENT_TEXT, TEXT_GRANULE);
    mark(b, text, 2, MARK_COUNTER | MARK_INTERRUPT, 13);
    b->hart->monitor_vector = MONITOR;
    enable_marks(b);
    run(b, 4 * 13 + 2);
    run(b, 1);
    assert_true(b->hart->in_monitor);
    assert_int_equal(b->hart->monitor_epc, CODE + 8);
    assert_int_equal(b->reg[A1], 14);
    assert_int_equal(b->reg[A2], 13);
    assert_int_equal(b->board.cpu.pmu.queue[b->board.cpu.pmu.queue_head].iaddr, CODE + 4);
    assert_int_equal(b->board.cpu.pmu.queue[b->board.cpu.pmu.queue_head].count, 14);
    assert_int_equal(b->events[EVENT_INSNS_MONITOR], 1);
}

static void filtered_counters_see_every_instruction(void **state)
{
    struct bench *b = *state;
    uint64_t text = META + 64;
    PROGRAM(&b->board, CODE, addi(A0, A0, 1), ld(A2, A1, 0), ld(A3, A1, 8), jal(ZERO, -12));
    b->reg[A1] = DATA;
    register_line(b, 0, CODE, text, PROF_SEGMENT_TEXT, TEXT_GRANULE);
    mark(b, text, 4, MARK_COUNT, 0);
    enable_marks(b);
    assert_true(pmu_csr_write(&b->board.cpu.pmu, CSR_mhpmevent3,
                              EVENT_LOADS | PMU_FILTER_MARKED << PMU_FILTER_SHIFT));
    run(b, 400);
    uint64_t loads = 0;
    assert_true(pmu_csr_read(&b->board.cpu.pmu, CSR_mhpmcounter3, &loads));
    assert_int_equal(loads, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(marked_instructions_and_data_are_counted_exactly),
        TEST(an_indicator_interrupts_right_after_its_instruction),
        TEST(filtered_counters_see_every_instruction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
