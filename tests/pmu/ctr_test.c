/* Control transfer records (H3, H4): types, filters, privileges, freezing, RAS emulation,
 * cycles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "isa/op.h"
#include "isa/trap.h"
#include "pmu/ctr.h"

enum { SCTRCTL = 0x14e, SCTRSTATUS = 0x14f, SCTRDEPTH = 0x15f, MCTRCTL = 0x34e, DEPTH = 16 };
enum { U = 1, S = 2, M = 4, RASEMU = 1 << 7, STE = 1 << 8, MTE = 1 << 9, BPFRZ = 1 << 11,
       LCOFIFRZ = 1 << 12 };
#define FILTER(type) (UINT64_C(1) << (32 + (type)))
#define FROZEN (UINT64_C(1) << 31)
#define CALL 0x008000efu            /* jal ra, .+8 */
#define RET 0x00008067u             /* jalr zero, 0(ra) */
#define JUMP 0x0080006fu            /* jal zero, .+8 */
#define BEQ 0x00000463u             /* beq zero, zero, .+8 */

static uint32_t jalr(unsigned rd, unsigned rs1)
{
    return rs1 << 15 | rd << 7 | 0x67;
}

static struct insn insn_of(uint32_t bits)
{
    struct insn insn;
    insn_decode(&insn, bits);
    assert_int_not_equal(insn.op, OP_illegal);
    return insn;
}

static struct ctr *fresh(unsigned depth, uint64_t control)
{
    static struct ctr ctr;
    ctr_init(&ctr, depth);
    ctr_csr_write(&ctr, MCTRCTL, control, 0);
    return &ctr;
}

static void go(struct ctr *ctr, uint32_t bits, uint64_t pc, uint64_t next, uint64_t now)
{
    struct insn insn = insn_of(bits);
    ctr_transfer(ctr, &insn, pc, next, next != pc + 4, false, now);
}

static uint64_t csr(const struct ctr *ctr, unsigned number)
{
    uint64_t value = 0;
    assert_true(ctr_csr_read(ctr, number, &value));
    return value;
}

static void expect(const struct ctr *ctr, unsigned entry, uint64_t source, uint64_t target,
                   unsigned type)
{
    assert_int_equal(ctr_read(ctr, entry, 0), source);
    assert_int_equal(ctr_read(ctr, entry, 1), target);
    assert_int_equal(ctr_read(ctr, entry, 2) & 15, type);
}

static void every_jump_has_the_type_of_the_standard(void **state)
{
    (void)state;
    static const struct { uint32_t bits; unsigned type; } row[] = {
        {0x00000463, CTR_BRANCH_TAKEN},
        {CALL, CTR_DIRECT_CALL}, {0x008002ef, CTR_DIRECT_CALL}, {JUMP, CTR_DIRECT_JUMP},
        {0x0080036f, CTR_OTHER_DIRECT},
        {0xa001, CTR_DIRECT_JUMP},                      /* c.j */
        {0x8082, CTR_RETURN}, {0x8302, CTR_INDIRECT_JUMP}, {0x9302, CTR_INDIRECT_CALL},
        {0x9282, CTR_SWAP},                             /* c.jalr t0 */
        {0x9082, CTR_INDIRECT_CALL},                    /* c.jalr ra */
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct insn insn = insn_of(row[i].bits);
        assert_int_equal(ctr_type_of(&insn, true), row[i].type);
    }
    /* jalr: by what is a link register */
    for (unsigned rd = 0; rd < 8; rd++)
        for (unsigned rs1 = 0; rs1 < 8; rs1++) {
            bool rd_links = rd == 1 || rd == 5, rs1_links = rs1 == 1 || rs1 == 5;
            unsigned type = rd_links && rs1_links && rd != rs1 ? CTR_SWAP
                          : rd_links ? CTR_INDIRECT_CALL
                          : rs1_links ? CTR_RETURN
                          : rd == 0 ? CTR_INDIRECT_JUMP : CTR_OTHER_INDIRECT;
            struct insn insn = insn_of(jalr(rd, rs1));
            assert_int_equal(ctr_type_of(&insn, true), type);
        }
    struct insn insn = insn_of(BEQ);
    assert_int_equal(ctr_type_of(&insn, false), CTR_BRANCH_NOT_TAKEN);
    insn = insn_of(0x13);
    assert_int_equal(ctr_type_of(&insn, false), CTR_NONE);
}

static void the_youngest_record_is_entry_0(void **state)
{
    (void)state;
    struct ctr *ctr = fresh(DEPTH, M);
    for (unsigned i = 0; i < DEPTH + 4; i++)
        go(ctr, CALL, 0x1000 + 0x10 * i, 0x2000 + 0x10 * i, i);
    for (unsigned i = 0; i < DEPTH; i++)
        expect(ctr, i, 0x1001 + 0x10 * (DEPTH + 3 - i), 0x2000 + 0x10 * (DEPTH + 3 - i),
               CTR_DIRECT_CALL);
    expect(ctr, DEPTH, 0, 0, 0);
    assert_int_equal(csr(ctr, SCTRSTATUS), 4);
    ctr_write(ctr, 2, 1, 77);
    assert_int_equal(ctr_read(ctr, 2, 1), 77);
    assert_int_equal(ctr_read(ctr, 2, 3), 0);
    ctr_write(ctr, 0, 2, UINT64_MAX);
    assert_int_equal(ctr_read(ctr, 0, 2), 0xffff800f);
    ctr_clear(ctr, 30);
    for (unsigned i = 0; i < DEPTH; i++)
        expect(ctr, i, 0, 0, 0);
}

static void a_filter_bit_takes_out_its_type_only(void **state)
{
    (void)state;
    static const uint32_t bits[] = {[CTR_BRANCH_TAKEN] = BEQ, [CTR_INDIRECT_CALL] = 0x000300e7,
        [CTR_DIRECT_CALL] = CALL, [CTR_INDIRECT_JUMP] = 0x00030067, [CTR_DIRECT_JUMP] = JUMP,
        [CTR_SWAP] = 0x000280e7, [CTR_RETURN] = RET, [CTR_OTHER_INDIRECT] = 0x00030367,
        [CTR_OTHER_DIRECT] = 0x0080036f};
    for (unsigned type = CTR_BRANCH_TAKEN; type < 16; type++) {
        if (bits[type] == 0)
            continue;
        struct ctr *ctr = fresh(DEPTH, M | FILTER(type));
        assert_int_equal(csr(ctr, MCTRCTL), M | FILTER(type));
        go(ctr, bits[type], 0x100, 0x200, 1);
        assert_int_equal(csr(ctr, SCTRSTATUS), 0);
        ctr_csr_write(ctr, MCTRCTL, M | ((UINT64_C(0xff3e) << 32) & ~FILTER(type) &
                                         ~FILTER(CTR_BRANCH_NOT_TAKEN)), 2);
        go(ctr, bits[type], 0x100, 0x200, 3);
        expect(ctr, 0, 0x101, 0x200, type);
    }
    struct ctr *ctr = fresh(DEPTH, M);
    go(ctr, BEQ, 0x100, 0x104, 1);
    assert_int_equal(csr(ctr, SCTRSTATUS), 0);
    ctr_csr_write(ctr, MCTRCTL, M | FILTER(CTR_BRANCH_NOT_TAKEN), 2);
    go(ctr, BEQ, 0x100, 0x104, 3);
    expect(ctr, 0, 0x101, 0x104, CTR_BRANCH_NOT_TAKEN);
}

static void a_misprediction_is_bit_0_of_the_target(void **state)
{
    (void)state;
    struct ctr *ctr = fresh(DEPTH, M);
    struct insn insn = insn_of(BEQ);
    ctr_transfer(ctr, &insn, 0x100, 0x108, true, true, 1);
    expect(ctr, 0, 0x101, 0x109, CTR_BRANCH_TAKEN);
}

/* The table "Trap and Trap Return Recording" and the one of external traps. */
static void traps_are_recorded_as_the_tables_say(void **state)
{
    (void)state;
    static const struct { uint64_t control; unsigned from, to; uint64_t source, target; } row[] = {
        {U | S, PRIV_U, PRIV_S, 0x101, 0x200}, {S, PRIV_U, PRIV_S, 1, 0x200},
        {U, PRIV_U, PRIV_S, 0, 0}, {M, PRIV_U, PRIV_S, 0, 0},
        {U | STE, PRIV_U, PRIV_S, 0x101, 0}, {U | MTE, PRIV_U, PRIV_S, 0, 0},
        {U | MTE, PRIV_U, PRIV_M, 0, 0}, {U | STE, PRIV_U, PRIV_M, 0, 0},
        {U | STE | MTE, PRIV_U, PRIV_M, 0x101, 0}, {S | MTE, PRIV_S, PRIV_M, 0x101, 0},
        {S | STE, PRIV_S, PRIV_M, 0, 0}, {M, PRIV_M, PRIV_M, 0x101, 0x200},
        {S | FILTER(CTR_EXCEPTION), PRIV_U, PRIV_S, 0, 0},
        {S | FILTER(CTR_INTERRUPT), PRIV_U, PRIV_S, 1, 0x200},
        {U | STE | FILTER(CTR_EXCEPTION), PRIV_U, PRIV_S, 0x101, 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct ctr *ctr = fresh(DEPTH, row[i].control);
        ctr_set_privilege(ctr, row[i].from, false, 0);
        ctr_trap(ctr, TRAP_ILLEGAL, 0x100, 0x200, row[i].to, 1);
        expect(ctr, 0, row[i].source, row[i].target, row[i].source != 0 ? CTR_EXCEPTION : 0);
    }
}

static void trap_returns_are_recorded_from_recorded_modes(void **state)
{
    (void)state;
    static const struct { uint64_t control; uint64_t source, target; } row[] = {
        {U | S, 0x101, 0x200}, {S, 0x101, 0}, {U, 0, 0}, {M, 0, 0},
        {U | S | FILTER(CTR_TRAP_RETURN), 0, 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct ctr *ctr = fresh(DEPTH, row[i].control);
        ctr_set_privilege(ctr, PRIV_S, false, 0);
        ctr_trap_return(ctr, 0x100, 0x200, PRIV_U, 1);
        expect(ctr, 0, row[i].source, row[i].target, row[i].source != 0 ? CTR_TRAP_RETURN : 0);
    }
}

static void overflow_and_breakpoint_freeze_when_told_to(void **state)
{
    (void)state;
    uint64_t lcofi = TRAP_INTERRUPT | IRQ_LCOFI;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t cause = i & 1 ? lcofi : TRAP_BREAKPOINT;
        bool freezes = i < 2;
        struct ctr *ctr = fresh(DEPTH, M | (freezes ? (i & 1 ? LCOFIFRZ : BPFRZ) : 0));
        ctr_trap(ctr, cause, 0x100, 0x200, PRIV_M, 1);
        assert_int_equal(csr(ctr, SCTRSTATUS), freezes ? FROZEN : 1);
        go(ctr, CALL, 0x300, 0x400, 2);
        assert_int_equal(csr(ctr, SCTRSTATUS), freezes ? FROZEN : 2);
        assert_int_equal(ctr_is_on(ctr), !freezes);
        ctr_csr_write(ctr, SCTRSTATUS, 0, 3);
        go(ctr, CALL, 0x300, 0x400, 4);
        expect(ctr, 0, 0x301, 0x400, CTR_DIRECT_CALL);
    }
}

static void ras_emulation_keeps_the_calls_that_have_not_returned(void **state)
{
    (void)state;
    struct ctr *ctr = fresh(DEPTH, M | RASEMU | FILTER(CTR_DIRECT_CALL) | FILTER(CTR_RETURN));
    go(ctr, CALL, 0x100, 0x1000, 10);
    go(ctr, JUMP, 0x1000, 0x1100, 20);
    go(ctr, 0x000300e7, 0x1100, 0x2000, 30);        /* jalr ra, t1 */
    go(ctr, RET, 0x2000, 0x1104, 40);
    ctr_trap(ctr, TRAP_ILLEGAL, 0x1104, 0x9000, PRIV_M, 45);
    go(ctr, CALL, 0x1108, 0x3000, 50);
    expect(ctr, 0, 0x1109, 0x3000, CTR_DIRECT_CALL);
    expect(ctr, 1, 0x101, 0x1000, CTR_DIRECT_CALL);
    assert_int_equal(ctr_read(ctr, 2, 0) & 1, 0);
    assert_int_equal(csr(ctr, SCTRSTATUS), 2);
    /* from the first call to this one, through the call that returned */
    assert_int_equal(ctr_read(ctr, 0, 2), CTR_DIRECT_CALL | 1 << 15 | UINT64_C(40) << 16);
    assert_int_equal(ctr_read(ctr, 1, 2), CTR_DIRECT_CALL | UINT64_C(10) << 16);
    go(ctr, 0x000280e7, 0x3004, 0x4000, 60);        /* jalr ra, t0: a swap */
    expect(ctr, 0, 0x3005, 0x4000, CTR_SWAP);
    expect(ctr, 1, 0x101, 0x1000, CTR_DIRECT_CALL);
    go(ctr, RET, 0x4000, 0x1108, 70);
    go(ctr, RET, 0x110c, 0x104, 80);
    assert_int_equal(csr(ctr, SCTRSTATUS), 0);
    assert_int_equal(ctr_read(ctr, 0, 0) & 1, 0);
    /* one return too many goes round */
    go(ctr, RET, 0x200, 0x300, 90);
    assert_int_equal(csr(ctr, SCTRSTATUS), DEPTH - 1);
}

static void cycle_counts_are_floating_and_saturate(void **state)
{
    (void)state;
    assert_int_equal(ctr_encode_cycles(0), 0);
    assert_int_equal(ctr_encode_cycles(4095), 4095);
    assert_int_equal(ctr_encode_cycles(4096), 0x1000);
    assert_int_equal(ctr_encode_cycles(8191), 0x1fff);
    assert_int_equal(ctr_encode_cycles(8192), 0x2000);
    assert_int_equal(ctr_encode_cycles(8193), 0x2000);
    assert_int_equal(ctr_encode_cycles(8194), 0x2001);
    assert_int_equal(ctr_decode_cycles(0x1fff), 8191);
    assert_int_equal(ctr_decode_cycles(0x2fff), 16382);     /* "Cycle Counter Size Options" */
    assert_int_equal(ctr_decode_cycles(0x3fff), 32764);
    assert_int_equal(ctr_decode_cycles(0x7fff), 524224);
    assert_int_equal(ctr_decode_cycles(0xffff), 134201344);
    assert_int_equal(ctr_encode_cycles(134201344), 0xffff);
    assert_int_equal(ctr_encode_cycles(UINT64_C(1) << 40), 0xffff);
    for (uint64_t cycles = 1; cycles < 134201344; cycles = cycles * 3 / 2 + 1) {
        uint64_t back = ctr_decode_cycles(ctr_encode_cycles(cycles));
        assert_true(back <= cycles && cycles - back <= cycles / 4096);
    }
}

static void cycles_are_those_of_recorded_modes_since_the_last_record(void **state)
{
    (void)state;
    struct ctr *ctr = fresh(DEPTH, U);
    ctr_set_privilege(ctr, PRIV_U, false, 100);
    go(ctr, CALL, 0x100, 0x200, 130);
    assert_int_equal(ctr_read(ctr, 0, 2), CTR_DIRECT_CALL | UINT64_C(30) << 16);
    ctr_set_privilege(ctr, PRIV_S, false, 140);
    ctr_set_privilege(ctr, PRIV_U, false, 1000);
    ctr_set_privilege(ctr, PRIV_M, true, 1003);
    ctr_set_privilege(ctr, PRIV_U, false, 2000);
    go(ctr, CALL, 0x200, 0x300, 2005);
    assert_int_equal(ctr_read(ctr, 0, 2), CTR_DIRECT_CALL | 1 << 15 | UINT64_C(18) << 16);
    ctr_csr_write(ctr, SCTRCTL, U, 2010);
    go(ctr, CALL, 0x200, 0x300, 2016);
    assert_int_equal(ctr_read(ctr, 0, 2), CTR_DIRECT_CALL | UINT64_C(6) << 16);
    go(ctr, CALL, 0x200, 0x300, 2020);
    ctr_clear(ctr, 2030);
    go(ctr, CALL, 0x200, 0x300, 2037);
    assert_int_equal(ctr_read(ctr, 0, 2), CTR_DIRECT_CALL | UINT64_C(7) << 16);
}

static void nothing_is_recorded_in_the_monitor(void **state)
{
    (void)state;
    struct ctr *ctr = fresh(DEPTH, M | U);
    ctr_set_privilege(ctr, PRIV_M, true, 0);
    go(ctr, CALL, 0x100, 0x200, 1);
    ctr_trap_return(ctr, 0x100, 0x200, PRIV_U, 2);
    assert_int_equal(csr(ctr, SCTRSTATUS), 0);
}

static void registers_keep_legal_values(void **state)
{
    (void)state;
    struct ctr *ctr = fresh(64, UINT64_MAX);
    uint64_t all = U | S | M | RASEMU | STE | MTE | BPFRZ | LCOFIFRZ | UINT64_C(0xff3e) << 32;
    assert_int_equal(csr(ctr, MCTRCTL), all);
    assert_int_equal(csr(ctr, SCTRCTL), all & ~(uint64_t)(M | MTE));
    ctr_csr_write(ctr, SCTRCTL, 0, 0);
    assert_int_equal(csr(ctr, MCTRCTL), M | MTE);
    assert_int_equal(csr(ctr, SCTRDEPTH), 2);
    ctr_csr_write(ctr, SCTRSTATUS, UINT64_MAX, 0);
    assert_int_equal(csr(ctr, SCTRSTATUS), FROZEN | 63);
    ctr_csr_write(ctr, SCTRDEPTH, 0, 0);
    assert_int_equal(csr(ctr, SCTRDEPTH), 0);
    assert_int_equal(csr(ctr, SCTRSTATUS), FROZEN | 15);
    for (unsigned depth = 3; depth < 8; depth++) {
        ctr_csr_write(ctr, SCTRDEPTH, depth, 0);
        assert_int_equal(csr(ctr, SCTRDEPTH), 0);
    }
    ctr_csr_write(ctr, SCTRDEPTH, 1, 0);
    assert_int_equal(csr(ctr, SCTRDEPTH), 1);
    uint64_t value;
    assert_false(ctr_csr_read(fresh(0, 0), MCTRCTL, &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_jump_has_the_type_of_the_standard),
        cmocka_unit_test(the_youngest_record_is_entry_0),
        cmocka_unit_test(a_filter_bit_takes_out_its_type_only),
        cmocka_unit_test(a_misprediction_is_bit_0_of_the_target),
        cmocka_unit_test(traps_are_recorded_as_the_tables_say),
        cmocka_unit_test(trap_returns_are_recorded_from_recorded_modes),
        cmocka_unit_test(overflow_and_breakpoint_freeze_when_told_to),
        cmocka_unit_test(ras_emulation_keeps_the_calls_that_have_not_returned),
        cmocka_unit_test(cycle_counts_are_floating_and_saturate),
        cmocka_unit_test(cycles_are_those_of_recorded_modes_since_the_last_record),
        cmocka_unit_test(nothing_is_recorded_in_the_monitor),
        cmocka_unit_test(registers_keep_legal_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
