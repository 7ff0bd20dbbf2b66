/* The stack walk with rules kept from earlier walks: the same stacks as without, for code and
 * stacks of all kinds, with fewer reads; other code at the same address has its own rule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/monitor/monitor.h"

enum {
    CODE = 0x1000, CODE_BYTES = 0x800,          /* unreadable before and after */
    STACK = 0x8000, STACK_BYTES = 0x400,
    MEMORY_BYTES = STACK + STACK_BYTES,
    ROUNDS = 40, WALKS = 2000,
};

struct memory {
    uint8_t byte[MEMORY_BYTES];
    unsigned reads;
    uint64_t random;
};

static struct memory memory;
static struct monitor_rule rules[MONITOR_RULES];

static bool read_memory(void *arg, unsigned long long va, unsigned long long *value)
{
    struct memory *m = arg;
    bool is_code = va >= CODE && va < CODE + CODE_BYTES;

    assert_int_equal(va % 8, 0);
    m->reads++;
    if (!is_code && (va < STACK || va >= MEMORY_BYTES))
        return false;
    memcpy(value, m->byte + va, 8);
    return true;
}

static unsigned draw(unsigned below)
{
    memory.random = memory.random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(memory.random >> 33) % below;
}

static void put(uint64_t at, uint64_t value, size_t bytes)
{
    memcpy(memory.byte + at, &value, bytes);
}

static int fresh(void **state)
{
    (void)state;
    memset(&memory, 0, sizeof memory);
    memset(rules, 0, sizeof rules);
    return 0;
}

/* The same walk with rules and without. Reads of the one with rules. */
static unsigned expect_same(const struct unwind *start)
{
    struct unwind plain = *start, ruled = *start;
    struct monitor_stack expected, stack;
    unsigned reads;

    memset(&expected, 0, sizeof expected);
    memset(&stack, 0, sizeof stack);
    monitor_walk(&plain, &expected);
    reads = memory.reads;
    ruled.rules = rules;
    monitor_walk(&ruled, &stack);
    if (memcmp(&stack, &expected, sizeof stack) != 0)
        fail_msg("at 0x%llx, sp 0x%llx, s0 0x%llx: depth %u, not %u, walk %u, not %u", start->pc,
                 start->sp, start->fp, stack.depth, expected.depth, stack.walk, expected.walk);
    return memory.reads - reads;
}

static struct unwind at(uint64_t pc, uint64_t ra, uint64_t sp, uint64_t fp, bool is_32)
{
    return (struct unwind){.read = read_memory, .arg = &memory, .pc = pc, .ra = ra, .sp = sp,
                           .fp = fp, .is_32 = is_32};
}

/* ---- code of all kinds ----------------------------------------------------------------------- */

static const uint32_t palette[] = {
    0x00000013, 0x00000013, 0x00000013, 0x0001, 0x0001, 0x0001,     /* nop, c.nop */
    0x00813083, 0x01813083, 0x60e2, 0x00413083,     /* ld ra, 8(sp), 24(sp); c.ldsp; misaligned */
    0x00013403, 0x01013403, 0x6442,                 /* ld s0, 0(sp), 16(sp); c.ldsp */
    0x00c12083, 0x00812403, 0x40b2, 0x4422,         /* lw ra, lw s0; c.lwsp */
    0x00113423, 0xec06, 0x00112623,                 /* sd ra; c.sdsp ra; sw ra */
    0x01010113, 0x02010113, 0x6105, 0x0141,         /* addi sp, sp, 16, 32; c.addi16sp, c.addi */
    0xff010113, 0x1101,                             /* addi sp, sp, -16; c.addi */
    0xfe040113, 0xff040113,                         /* addi sp, s0, -32, -16 */
    0x010000ef, 0x9782, 0x010000ef, 0x9782,         /* jal ra; c.jalr a5 */
    0x00008067, 0x8082, 0x8082, 0x8082,             /* ret */
    0x0100006f, 0xfe1ff06f, 0xa009,                 /* j +16, -32; c.j */
    0x00078067, 0x0505,                             /* jr a5 */
};

static void put_random_code(void)
{
    for (uint64_t pc = CODE; pc + 4 <= CODE + CODE_BYTES;) {
        uint32_t insn = palette[draw(sizeof palette / sizeof palette[0])];
        unsigned bytes = (insn & 3) == 3 ? 4 : 2;

        put(pc, insn, bytes);
        pc += bytes;
    }
}

static uint64_t random_code_address(void)
{
    return CODE + 2 * draw(CODE_BYTES / 2);
}

static uint64_t random_stack_address(void)
{
    static const uint64_t odd[] = {0, 4, STACK - 16, MEMORY_BYTES + 8, UINT64_MAX - 7};

    return draw(8) == 0 ? odd[draw(sizeof odd / sizeof odd[0])]
                        : STACK + 8 * draw(STACK_BYTES / 8);
}

/* Words half of which look like return addresses, the others like frame pointers. */
static void put_random_stack(unsigned bytes)
{
    for (uint64_t va = STACK; va < MEMORY_BYTES; va += bytes)
        put(va, draw(2) == 0 ? random_code_address() : random_stack_address(), bytes);
}

static void compare_random_walks(bool is_32)
{
    unsigned reads = 0, plain_reads;

    for (unsigned round = 0; round < ROUNDS; round++) {
        memset(rules, 0, sizeof rules);
        put_random_code();
        for (unsigned i = 0; i < WALKS; i++) {
            uint64_t pc = draw(50) == 0 ? random_code_address() + 1 : random_code_address();
            struct unwind start = at(pc, random_code_address(), random_stack_address(),
                                     random_stack_address(), is_32);

            if (is_32) {
                start.sp &= UINT32_MAX;
                start.fp &= UINT32_MAX;
            }
            if (i % 16 == 0)
                put_random_stack(is_32 ? 4 : 8);
            reads += expect_same(&start);
        }
    }
    plain_reads = memory.reads - reads;
    assert_true(reads < plain_reads);
}

static void any_code_and_any_stack_give_the_same_walk(void **state)
{
    (void)state;
    compare_random_walks(false);
}

static void any_rv32_code_and_any_stack_give_the_same_walk(void **state)
{
    (void)state;
    compare_random_walks(true);
}

/* ---- one function ---------------------------------------------------------------------------- */

enum { F = CODE, G = CODE + 0x400, NOPS = 100 };

/* NOPS, then: ld ra; addi sp; ret. Called from G, which has no caller. */
static void put_function(unsigned ra_offset, unsigned frame)
{
    for (unsigned i = 0; i < NOPS; i++)
        put(F + 4 * i, 0x13, 4);
    put(F + 4 * NOPS, 0x00013083 | ra_offset << 20, 4);
    put(F + 4 * NOPS + 4, 0x00010113 | frame << 20, 4);
    put(F + 4 * NOPS + 8, 0x8082, 2);
    put(G - 4, 0x010000ef, 4);
    put(G, 0x00000013, 4);
    put(G + 4, 0x00078067, 4);
    put(STACK + 8, G, 8);
    put(STACK + 24, G + 8, 8);
}

static unsigned walk_function(unsigned depth)
{
    struct unwind start = at(F, 0, STACK, 0, false), ruled = start;
    struct monitor_stack stack;
    unsigned reads = expect_same(&start);

    ruled.rules = rules;
    monitor_walk(&ruled, &stack);
    assert_int_equal(stack.depth, depth);
    return reads;
}

static void a_second_walk_reads_the_ends_of_the_code_only(void **state)
{
    unsigned first, second;

    (void)state;
    put_function(8, 16);
    first = walk_function(2);
    second = walk_function(2);
    assert_true(first > NOPS / 2);
    assert_true(second <= 8);
}

static void another_epilogue_at_the_same_place_has_its_own_rule(void **state)
{
    (void)state;
    put_function(8, 16);
    walk_function(2);
    put_function(24, 32);               /* no call in front of G + 8 */
    walk_function(1);
}

static void other_code_at_the_pc_has_its_own_rule(void **state)
{
    (void)state;
    put_function(8, 16);
    walk_function(2);
    put(F, 0x00078067, 4);              /* jr a5 */
    walk_function(1);
}

#define TEST(name) cmocka_unit_test_setup(name, fresh)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(any_code_and_any_stack_give_the_same_walk),
        TEST(any_rv32_code_and_any_stack_give_the_same_walk),
        TEST(a_second_walk_reads_the_ends_of_the_code_only),
        TEST(another_epilogue_at_the_same_place_has_its_own_rule),
        TEST(other_code_at_the_pc_has_its_own_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
