/* The walk by a table of frames, made by hand: its look-ups, the registers that it keeps, its end,
 * and a signal handler's frame, which leads to the code that the signal interrupted. No code is
 * readable but the calls in front of return addresses and the trampoline. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/monitor/monitor.h"

enum {
    BASE = 0x1000, LEAF = BASE, MIDDLE = BASE + 0x20, ROOT = BASE + 0x40, UNTOLD = BASE + 0x60,
    TRAMPOLINE = 0x2000, SP = 0x4000, MEMORY_BYTES = 0x6000,
};

struct walked {
    uint8_t memory[MEMORY_BYTES];
    unsigned reads;
    struct { struct monitor_frames head; struct monitor_row row[5]; struct monitor_frame frame[4]; }
        table;
    struct monitor_rule rules[MONITOR_RULES];
};

static bool read_memory(void *arg, unsigned long long va, unsigned long long *value)
{
    struct walked *walked = arg;

    walked->reads++;
    if (va > MEMORY_BYTES - 8)
        return false;
    memcpy(value, &walked->memory[va], 8);
    return true;
}

static void put(struct walked *walked, uint64_t va, uint64_t value, unsigned bytes)
{
    memcpy(&walked->memory[va], &value, bytes);
}

/* From leaf, a leaf, to middle, whose ra is at sp + 24 and s0 at sp + 16 of 32 bytes, to root. */
static void make(struct walked *walked)
{
    const unsigned kept = UNWIND_RULE_KEPT;

    memset(walked, 0, sizeof *walked);
    walked->table.head = (struct monitor_frames){.base = BASE, .bytes = 0x80, .rows = 5,
                                                 .xlen = 64};
    for (unsigned i = 0; i < 4; i++)
        walked->table.row[i] = (struct monitor_row){.pc = 0x20 * i, .frame = (i + 1) & 3};
    walked->table.row[4] = (struct monitor_row){.pc = 0x80, .frame = 0};
    walked->table.frame[1].flags = kept;
    walked->table.frame[2] = (struct monitor_frame){
        .sp = 32, .ra = 24, .fp = 16, .flags = kept | UNWIND_RULE_HAS_RA | UNWIND_RULE_HAS_FP};
    walked->table.frame[3].flags = kept | UNWIND_RULE_ROOT;
    put(walked, MIDDLE + 4, 0xef, 4);               /* jal ra, 0 */
    put(walked, ROOT + 4, 0xef, 4);
    put(walked, SP + 24, ROOT + 8, 8);
    put(walked, TRAMPOLINE, 0x08b00893, 4);         /* li a7, rt_sigreturn */
    put(walked, TRAMPOLINE + 4, 0x73, 4);           /* ecall */
}

static struct monitor_stack walk(struct walked *walked, uint64_t pc, uint64_t ra, uint64_t sp)
{
    struct monitor_stack stack;
    struct unwind unwind = {.read = read_memory, .arg = walked, .pc = pc, .ra = ra, .sp = sp,
                            .fp = 1, .frames = &walked->table.head, .rules = walked->rules};

    walked->reads = 0;
    monitor_walk(&unwind, &stack);
    return stack;
}

static void expect(const struct monitor_stack *stack, unsigned end, unsigned depth,
                   const uint64_t *address)
{
    assert_int_equal(stack->walk, end);
    assert_int_equal(stack->depth, depth);
    for (unsigned i = 0; i < depth; i++)
        assert_int_equal(stack->address[i], address[i]);
}

static void each_frame_is_looked_up_and_a_root_ends_the_walk(void **state)
{
    const uint64_t whole[] = {LEAF + 2, MIDDLE + 8, ROOT + 8};
    struct walked walked;
    struct monitor_stack stack;

    (void)state;
    make(&walked);
    stack = walk(&walked, LEAF + 2, MIDDLE + 8, SP);
    expect(&stack, MONITOR_WALK_OK, 3, whole);
    stack = walk(&walked, ROOT, 0x77, SP);
    expect(&stack, MONITOR_WALK_OK, 1, (const uint64_t[]){ROOT});
}

static void a_second_walk_reads_the_saved_registers_alone(void **state)
{
    const uint64_t whole[] = {LEAF + 2, MIDDLE + 8, ROOT + 8};
    struct walked walked;
    struct monitor_stack stack;

    (void)state;
    make(&walked);
    walk(&walked, LEAF + 2, MIDDLE + 8, SP);
    stack = walk(&walked, LEAF + 2, MIDDLE + 8, SP);
    expect(&stack, MONITOR_WALK_OK, 3, whole);
    assert_int_equal(walked.reads, 2);
}

/* The call is the last instruction of middle: root's row begins at the return address. */
static void a_return_address_is_looked_up_at_its_call(void **state)
{
    struct walked walked;
    struct monitor_stack stack;

    (void)state;
    make(&walked);
    put(&walked, ROOT - 4, 0xef, 4);
    stack = walk(&walked, LEAF, ROOT, SP);
    expect(&stack, MONITOR_WALK_OK, 3, (const uint64_t[]){LEAF, ROOT, ROOT + 8});
}

static void code_without_a_row_or_a_return_address_without_a_call_breaks_the_walk(void **state)
{
    struct walked walked;
    struct monitor_stack stack;

    (void)state;
    make(&walked);
    stack = walk(&walked, UNTOLD, 0x77, SP);
    expect(&stack, MONITOR_WALK_BROKEN, 1, (const uint64_t[]){UNTOLD});
    stack = walk(&walked, LEAF, MIDDLE + 12, SP);
    expect(&stack, MONITOR_WALK_BROKEN, 1, (const uint64_t[]){LEAF});
}

/* The root was never called: any instruction may precede its return address, but the address may
 * not be the root's first instruction. */
static void code_without_caller_is_a_caller_wherever_it_is_left(void **state)
{
    struct walked walked;
    struct monitor_stack stack;

    (void)state;
    make(&walked);
    for (unsigned i = 0; i < 2; i++) {
        stack = walk(&walked, LEAF, ROOT + 14, SP);
        expect(&stack, MONITOR_WALK_OK, 2, (const uint64_t[]){LEAF, ROOT + 14});
        stack = walk(&walked, LEAF, ROOT, SP);
        expect(&stack, MONITOR_WALK_BROKEN, 1, (const uint64_t[]){LEAF});
    }
    walked.table.head.xlen = 32;
    stack = walk(&walked, LEAF, ROOT + 14, SP);
    assert_int_not_equal(stack.walk, MONITOR_WALK_OK);
}

static void a_rule_of_one_width_is_not_used_for_the_other(void **state)
{
    struct walked walked;
    struct monitor_stack stack;

    (void)state;
    make(&walked);
    walk(&walked, LEAF + 2, MIDDLE + 8, SP);
    walked.table.head.xlen = 32;
    stack = walk(&walked, LEAF + 2, MIDDLE + 8, SP);
    assert_int_not_equal(stack.depth, 3);
}

/* middle was interrupted at its first instruction, when ra was still the address after root's
 * call; the handler is the leaf, or the trampoline itself. */
static void a_signal_handlers_frame_leads_to_the_interrupted_code(void **state)
{
    const uint64_t whole[] = {LEAF, LEAF + 6 + 1, MIDDLE + 8, ROOT + 8};
    const uint64_t registers = SP - 0x800 + 128 + 176;
    struct walked walked;
    struct monitor_stack stack;

    (void)state;
    make(&walked);
    put(&walked, registers, LEAF + 6, 8);
    put(&walked, registers + 8, MIDDLE + 8, 8);
    put(&walked, registers + 16, SP, 8);
    stack = walk(&walked, LEAF, TRAMPOLINE, SP - 0x800);
    expect(&stack, MONITOR_WALK_OK, 4, whole);
    for (unsigned i = 0; i < 8; i += 4) {
        stack = walk(&walked, TRAMPOLINE + i, 0x77, SP - 0x800);
        assert_int_equal(stack.walk, MONITOR_WALK_OK);
        assert_int_equal(stack.depth, 4);
        assert_int_equal(stack.address[1], LEAF + 6 + 1);
        assert_int_equal(stack.address[3], ROOT + 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_frame_is_looked_up_and_a_root_ends_the_walk),
        cmocka_unit_test(a_second_walk_reads_the_saved_registers_alone),
        cmocka_unit_test(a_return_address_is_looked_up_at_its_call),
        cmocka_unit_test(code_without_a_row_or_a_return_address_without_a_call_breaks_the_walk),
        cmocka_unit_test(code_without_caller_is_a_caller_wherever_it_is_left),
        cmocka_unit_test(a_rule_of_one_width_is_not_used_for_the_other),
        cmocka_unit_test(a_signal_handlers_frame_leads_to_the_interrupted_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
