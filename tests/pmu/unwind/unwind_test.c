/* The stack walk: interrupted anywhere in a function, it finds the same callers; a corrupt stack
 * ends it. Code and stack are made by hand: f called from g at G_RETURN, g from h at H_RETURN. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/hart.h"
#include "isa/insn.h"
#include "pmu/monitor/monitor.h"

enum {
    MEMORY_BYTES = 0x10000,
    F = 0x1000,
    OTHER = 0x1800,
    G_RETURN = 0x2008,
    H_RETURN = 0x3006,
    SP = 0x8000,                /* at entry of f */
    G_FRAME = 0x8040,
    GARBAGE = 0x5a5a5a5a,
};

enum { RA = 1, SP_REG = 2, S0 = 8 };

static uint8_t memory[MEMORY_BYTES];

static bool read_memory(void *arg, unsigned long long va, unsigned long long *value)
{
    (void)arg;
    assert_int_equal(va % 8, 0);
    *value = 0;
    if (va < 0x1000 || va > MEMORY_BYTES - 8)
        return false;
    memcpy(value, memory + va, 8);
    return true;
}

static void put(uint64_t at, uint64_t value, size_t bytes)
{
    memcpy(memory + at, &value, bytes);
}

/* ---- instructions ---------------------------------------------------------------------------- */

static uint32_t addi(unsigned rd, unsigned rs1, int imm)
{
    return (uint32_t)imm << 20 | rs1 << 15 | rd << 7 | 0x13;
}

static uint32_t ld(unsigned rd, int imm)
{
    return (uint32_t)imm << 20 | SP_REG << 15 | 3 << 12 | rd << 7 | 0x03;
}

static uint32_t sd(unsigned rs2, int imm)
{
    return ((uint32_t)imm >> 5 & 0x7f) << 25 | rs2 << 20 | SP_REG << 15 | 3 << 12 |
           ((uint32_t)imm & 31) << 7 | 0x23;
}

static uint32_t jal(unsigned rd, int offset)
{
    uint32_t o = (uint32_t)offset;

    return (o >> 20 & 1) << 31 | (o >> 1 & 0x3ff) << 21 | (o >> 11 & 1) << 20 |
           (o >> 12 & 0xff) << 12 | rd << 7 | 0x6f;
}

enum { NOP = 0x13, RET = 0x8067, JR_A5 = 0x00078067 };
#define BNE_BACK 0xfe051ee3u     /* bnez a0, -4 */

/* One instruction of a function under test, and the state before it. */
struct line {
    uint32_t code;              /* 16 bits when the low bits are not 11 */
    int sp;                     /* relative to entry */
    bool ra_is_live, fp_is_live;
    bool ra_is_saved, fp_is_saved;
};

static unsigned length_of(uint32_t code)
{
    return (code & 3) == 3 ? 4 : 2;
}

static int fresh(void **state)
{
    (void)state;
    memset(memory, 0, sizeof memory);
    put(G_RETURN - 4, jal(RA, 0x100), 4);
    put(H_RETURN - 2, 0x9782, 2);               /* c.jalr a5 */
    put(G_FRAME - 8, H_RETURN, 8);
    put(G_FRAME - 16, 0, 8);
    return 0;
}

static void put_code(uint64_t at, const struct line *line, size_t count)
{
    for (size_t i = 0; i < count; at += length_of(line[i].code), i++)
        put(at, line[i].code, length_of(line[i].code));
}

static struct unwind start(uint64_t pc, uint64_t ra, uint64_t sp, uint64_t fp)
{
    return (struct unwind){.read = read_memory, .pc = pc, .ra = ra, .sp = sp, .fp = fp};
}

static void expect_callers(struct unwind unwind)
{
    struct monitor_stack stack;
    unsigned long long pc = unwind.pc;

    monitor_walk(&unwind, &stack);
    if (stack.depth != 3 || stack.address[1] != G_RETURN || stack.address[2] != H_RETURN)
        fail_msg("interrupted at 0x%llx: depth %u, 0x%llx, 0x%llx", pc, stack.depth,
                 stack.address[1], stack.address[2]);
    assert_int_equal(stack.address[0], pc);
    assert_int_equal(stack.walk, MONITOR_WALK_OK);
}

/* Interrupts before every instruction; ra_offset, fp_offset: from the entry sp, where saved. */
static void interrupt_everywhere(const struct line *line, size_t count, int ra_offset,
                                 int fp_offset)
{
    uint64_t pc = F;

    put_code(F, line, count);
    for (size_t i = 0; i < count; pc += length_of(line[i].code), i++) {
        if (ra_offset != 0)
            put((uint64_t)(SP + ra_offset), line[i].ra_is_saved ? G_RETURN : GARBAGE, 8);
        if (fp_offset != 0)
            put((uint64_t)(SP + fp_offset), line[i].fp_is_saved ? G_FRAME : GARBAGE, 8);
        expect_callers(start(pc, line[i].ra_is_live ? G_RETURN : F + 0x18,
                             (uint64_t)(SP + line[i].sp), line[i].fp_is_live ? G_FRAME : SP));
    }
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void a_function_with_a_frame_is_undone_from_every_instruction(void **state)
{
    const struct line f[] = {
        {addi(SP_REG, SP_REG, -32), 0, true, true, false, false},
        {sd(RA, 24), -32, true, true, false, false},
        {sd(S0, 16), -32, true, true, true, false},
        {addi(S0, SP_REG, 32), -32, true, true, true, true},
        {NOP, -32, true, false, true, true},
        {jal(RA, 0x400), -32, true, false, true, true},
        {NOP, -32, false, false, true, true},
        {ld(RA, 24), -32, false, false, true, true},
        {ld(S0, 16), -32, true, false, true, true},
        {addi(SP_REG, SP_REG, 32), -32, true, true, true, true},
        {RET, 0, true, true, false, false},
    };

    (void)state;
    interrupt_everywhere(f, COUNT(f), -8, -16);
}

static void a_function_of_16_bit_instructions_is_undone_from_every_one(void **state)
{
    const struct line f[] = {
        {0x1101, 0, true, true, false, false},      /* c.addi sp, -32 */
        {0xec06, -32, true, true, false, false},    /* c.sdsp ra, 24 */
        {0xe822, -32, true, true, true, false},     /* c.sdsp s0, 16 */
        {0x1000, -32, true, true, true, true},      /* c.addi4spn s0, 32 */
        {0x0001, -32, true, false, true, true},     /* c.nop */
        {0x9782, -32, true, false, true, true},     /* c.jalr a5 */
        {0xa009, -32, false, false, true, true},    /* c.j +2 */
        {0x60e2, -32, false, false, true, true},    /* c.ldsp ra, 24 */
        {0x6442, -32, true, false, true, true},     /* c.ldsp s0, 16 */
        {0x6105, -32, true, true, true, true},      /* c.addi16sp 32 */
        {0x8082, 0, true, true, false, false},      /* c.jr ra */
    };

    (void)state;
    interrupt_everywhere(f, COUNT(f), -8, -16);
}

static void a_large_frame_with_16_bit_instructions(void **state)
{
    const struct line f[] = {
        {0x7175, 0, true, true, false, false},      /* c.addi16sp -144 */
        {0xe506, -144, true, true, false, false},   /* c.sdsp ra, 136 */
        {0xe122, -144, true, true, true, false},    /* c.sdsp s0, 128 */
        {0x0900, -144, true, true, true, true},     /* c.addi4spn s0, 144 */
        {0x9782, -144, true, false, true, true},    /* c.jalr a5 */
        {0x60aa, -144, false, false, true, true},   /* c.ldsp ra, 136 */
        {0x640a, -144, true, false, true, true},    /* c.ldsp s0, 128 */
        {0x6149, -144, true, true, true, true},     /* c.addi16sp 144 */
        {0x8082, 0, true, true, false, false},      /* c.jr ra */
    };

    (void)state;
    interrupt_everywhere(f, COUNT(f), -8, -16);
}

static void a_leaf_that_saves_only_s0_is_undone_from_every_instruction(void **state)
{
    const struct line f[] = {
        {addi(SP_REG, SP_REG, -16), 0, true, true, false, false},
        {sd(S0, 8), -16, true, true, false, false},
        {addi(S0, SP_REG, 16), -16, true, true, false, true},
        {NOP, -16, true, false, false, true},
        {ld(S0, 8), -16, true, false, false, true},
        {addi(SP_REG, SP_REG, 16), -16, true, true, false, true},
        {RET, 0, true, true, false, false},
    };

    (void)state;
    interrupt_everywhere(f, COUNT(f), 0, -8);
}

static void a_leaf_without_a_frame_has_its_caller_in_ra(void **state)
{
    const struct line f[] = {
        {NOP, 0, true, true, false, false},
        {BNE_BACK, 0, true, true, false, false},
        {jal(0, 8), 0, true, true, false, false},
        {0, 0, true, true, false, false},
        {0, 0, true, true, false, false},
        {RET, 0, true, true, false, false},
    };

    (void)state;
    put_code(F, f, COUNT(f));
    for (uint64_t pc = F; pc <= F + 8; pc += 4)
        expect_callers(start(pc, G_RETURN, SP, G_FRAME));
}

static void a_frame_that_grew_is_measured_from_s0(void **state)
{
    const struct line f[] = {
        {NOP, 0, 0, 0, 0, 0},
        {addi(SP_REG, S0, -32), 0, 0, 0, 0, 0},
        {ld(RA, 24), 0, 0, 0, 0, 0},
        {ld(S0, 16), 0, 0, 0, 0, 0},
        {addi(SP_REG, SP_REG, 32), 0, 0, 0, 0, 0},
        {RET, 0, 0, 0, 0, 0},
    };

    (void)state;
    put_code(F, f, COUNT(f));
    put(SP - 8, G_RETURN, 8);
    put(SP - 16, G_FRAME, 8);
    expect_callers(start(F, F + 4, SP - 512, SP));
}

static void another_functions_prologue_may_follow_a_tail_jump(void **state)
{
    const struct line f[] = {
        {ld(RA, 24), -32, false, false, true, true},
        {ld(S0, 16), -32, true, false, true, true},
        {addi(SP_REG, SP_REG, 32), -32, true, true, true, true},
        {jal(0, OTHER - F - 12), 0, true, true, false, false},
    };
    const struct line other[] = {{addi(SP_REG, SP_REG, -48), 0, 0, 0, 0, 0}};

    (void)state;
    put_code(OTHER, other, 1);
    interrupt_everywhere(f, COUNT(f), -8, -16);
}

/* No epilogue after the call: what follows is the next function. */
static void a_function_that_does_not_return_is_undone_by_its_frame(void **state)
{
    const struct line f[] = {
        {NOP, 0, 0, 0, 0, 0},
        {jal(RA, 0x400), 0, 0, 0, 0, 0},
        {addi(SP_REG, SP_REG, -16), 0, 0, 0, 0, 0},
        {sd(RA, 8), 0, 0, 0, 0, 0},
    };

    (void)state;
    put_code(F, f, COUNT(f));
    put(SP - 8, G_RETURN, 8);
    put(SP - 16, G_FRAME, 8);
    expect_callers(start(F, F + 8, SP - 32, SP));
    expect_callers(start(F + 4, F + 8, SP - 32, SP));
}

static void an_unknown_jump_and_an_endless_loop_are_undone_by_the_frame(void **state)
{
    const struct line jump[] = {{NOP, 0, 0, 0, 0, 0}, {JR_A5, 0, 0, 0, 0, 0}};
    const struct line loop[] = {{NOP, 0, 0, 0, 0, 0}, {jal(0, -4), 0, 0, 0, 0, 0}};

    (void)state;
    put(SP - 8, G_RETURN, 8);
    put(SP - 16, G_FRAME, 8);
    put_code(F, jump, COUNT(jump));
    expect_callers(start(F, F + 8, SP - 32, SP));
    put_code(F, loop, COUNT(loop));
    expect_callers(start(F, F + 8, SP - 32, SP));
}

static void a_loop_is_passed_over_and_a_jump_back_to_an_epilogue_is_taken(void **state)
{
    const struct line loop[] = {
        {addi(SP_REG, SP_REG, -32), 0, 1, 0, 0, 0}, {sd(RA, 24), -32, 1, 0, 0, 0},
        {NOP, -32, 1, 0, 1, 0}, {jal(0, -4), -32, 0, 0, 1, 0}, {ld(RA, 24), -32, 0, 0, 1, 0},
        {addi(SP_REG, SP_REG, 32), -32, 1, 0, 1, 0}, {RET, 0, 1, 0, 1, 0},
        {jal(0, -12), -32, 0, 0, 1, 0},
    };

    (void)state;
    put_code(F, loop, COUNT(loop));
    put(SP - 8, G_RETURN, 8);
    for (size_t i = 2; i < COUNT(loop); i++)
        expect_callers(start(F + 4 * i, i == 5 || i == 6 ? G_RETURN : F + 0x18,
                             (uint64_t)(SP + loop[i].sp), G_FRAME));
}

/* From f, a leaf, to g and h, which keep something else in s0; zero in it is the end. */
static void frames_without_frame_pointers_are_undone_by_their_code(void **state)
{
    const struct line g[] = {{NOP, 0, 0, 0, 0, 0}, {ld(RA, 40), 0, 0, 0, 0, 0},
                             {ld(S0, 32), 0, 0, 0, 0, 0}, {addi(SP_REG, SP_REG, 48), 0, 0, 0, 0, 0},
                             {RET, 0, 0, 0, 0, 0}};
    struct monitor_stack stack;
    struct unwind unwind;

    (void)state;
    put(F, RET, 4);
    put_code(G_RETURN, g, COUNT(g));
    put(SP + 40, H_RETURN, 8);
    for (uint64_t s0 = 0; s0 <= 0x77; s0 += 0x77) {
        put(SP + 32, s0, 8);
        unwind = start(F, G_RETURN, SP, 0x77);
        monitor_walk(&unwind, &stack);
        assert_int_equal(stack.depth, 3);
        assert_int_equal(stack.address[1], G_RETURN);
        assert_int_equal(stack.address[2], H_RETURN);
        assert_int_equal(stack.walk, s0 == 0 ? MONITOR_WALK_OK : MONITOR_WALK_BROKEN);
    }
}

/* ---- corrupt stacks -------------------------------------------------------------------------- */

/* From a leaf with this frame pointer. */
static struct monitor_stack walk_from(uint64_t ra, uint64_t fp)
{
    struct unwind unwind = start(F, ra, SP, fp);
    struct monitor_stack stack;

    put(F, RET, 4);
    monitor_walk(&unwind, &stack);
    return stack;
}

static void expect_broken(struct monitor_stack stack, unsigned depth)
{
    assert_int_equal(stack.walk, MONITOR_WALK_BROKEN);
    assert_int_equal(stack.depth, depth);
}

static void a_bad_frame_pointer_breaks_the_walk(void **state)
{
    (void)state;
    expect_broken(walk_from(G_RETURN, G_FRAME + 4), 2);
    expect_broken(walk_from(G_RETURN, SP), 2);
    expect_broken(walk_from(G_RETURN, SP - 64), 2);
    expect_broken(walk_from(G_RETURN, MEMORY_BYTES + 64), 2);
    expect_broken(walk_from(G_RETURN, UINT64_MAX & ~7ull), 2);
}

static void a_chain_that_does_not_ascend_breaks_the_walk(void **state)
{
    (void)state;
    put(G_FRAME - 16, G_FRAME, 8);
    expect_broken(walk_from(G_RETURN, G_FRAME), 3);
    put(G_FRAME - 16, G_FRAME - 8, 8);
    expect_broken(walk_from(G_RETURN, G_FRAME), 3);
}

static void a_return_address_that_follows_no_call_breaks_the_walk(void **state)
{
    (void)state;
    expect_broken(walk_from(F + 0x40, G_FRAME), 1);
    expect_broken(walk_from(G_RETURN + 1, G_FRAME), 1);
    put(G_FRAME - 8, 0x6000, 8);
    expect_broken(walk_from(G_RETURN, G_FRAME), 2);
}

static void a_return_address_of_zero_ends_the_walk_well(void **state)
{
    struct monitor_stack stack = walk_from(0, 0);

    (void)state;
    assert_int_equal(stack.walk, MONITOR_WALK_OK);
    assert_int_equal(stack.depth, 1);
    stack = walk_from(G_RETURN, 0);
    assert_int_equal(stack.walk, MONITOR_WALK_OK);
    assert_int_equal(stack.depth, 2);
    put(G_FRAME - 8, 0, 8);
    stack = walk_from(G_RETURN, G_FRAME);
    assert_int_equal(stack.walk, MONITOR_WALK_OK);
    assert_int_equal(stack.depth, 2);
}

static void unreadable_code_still_gives_the_frame_chain(void **state)
{
    struct unwind unwind = start(0x200, F, SP, G_FRAME);
    struct monitor_stack stack;

    (void)state;
    monitor_walk(&unwind, &stack);
    assert_int_equal(stack.depth, 2);
    assert_int_equal(stack.address[1], H_RETURN);
    assert_int_equal(stack.walk, MONITOR_WALK_OK);
}

static struct monitor_stack walk_frames(unsigned frames)
{
    for (unsigned i = 0; i < frames; i++) {
        uint64_t fp = G_FRAME + 32 * i;

        put(fp - 8, H_RETURN, 8);
        put(fp - 16, i + 1 == frames ? 0 : fp + 32, 8);
    }
    return walk_from(G_RETURN, G_FRAME);
}

static void a_stack_deeper_than_the_record_is_truncated(void **state)
{
    struct monitor_stack stack = walk_frames(MONITOR_DEPTH_MAX - 2);

    (void)state;
    assert_int_equal(stack.walk, MONITOR_WALK_OK);
    assert_int_equal(stack.depth, MONITOR_DEPTH_MAX);
    stack = walk_frames(MONITOR_DEPTH_MAX - 1);
    assert_int_equal(stack.walk, MONITOR_WALK_TRUNCATED);
    assert_int_equal(stack.depth, MONITOR_DEPTH_MAX);
    stack = walk_frames(500);
    assert_int_equal(stack.walk, MONITOR_WALK_TRUNCATED);
}

#define TEST(name) cmocka_unit_test_setup(name, fresh)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_function_with_a_frame_is_undone_from_every_instruction),
        TEST(a_function_of_16_bit_instructions_is_undone_from_every_one),
        TEST(a_large_frame_with_16_bit_instructions),
        TEST(a_leaf_that_saves_only_s0_is_undone_from_every_instruction),
        TEST(a_leaf_without_a_frame_has_its_caller_in_ra),
        TEST(a_frame_that_grew_is_measured_from_s0),
        TEST(another_functions_prologue_may_follow_a_tail_jump),
        TEST(a_function_that_does_not_return_is_undone_by_its_frame),
        TEST(an_unknown_jump_and_an_endless_loop_are_undone_by_the_frame),
        TEST(a_loop_is_passed_over_and_a_jump_back_to_an_epilogue_is_taken),
        TEST(frames_without_frame_pointers_are_undone_by_their_code),
        TEST(a_bad_frame_pointer_breaks_the_walk),
        TEST(a_chain_that_does_not_ascend_breaks_the_walk),
        TEST(a_return_address_that_follows_no_call_breaks_the_walk),
        TEST(a_return_address_of_zero_ends_the_walk_well),
        TEST(unreadable_code_still_gives_the_frame_chain),
        TEST(a_stack_deeper_than_the_record_is_truncated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
