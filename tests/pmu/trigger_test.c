/* Debug triggers (R1-R3 by the standard's means): registers, matching, chains, counting, traps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "isa/hart.h"
#include "isa/trap.h"
#include "pmu/trigger.h"

enum { SCONTEXT = 0x5a8, TSELECT = 0x7a0, TDATA1 = 0x7a1, TDATA2 = 0x7a2, TDATA3 = 0x7a3,
       TINFO = 0x7a4, MCONTEXT = 0x7a8 };
enum { LOAD = 1, STORE = 2, EXECUTE = 4, U = 8, S = 16, M = 64, NAPOT = 1 << 7, GE = 2 << 7,
       LT = 3 << 7, CHAIN = 1 << 11, SIGNAL_8 = 8 << 12, SIGNAL_9 = 9 << 12 };
#define TYPE(type) ((uint64_t)(type) << 60)
#define MCONTROL6 TYPE(6)
#define DISABLED TYPE(15)
#define HIT(n) ((uint64_t)((n) & 1) << 22 | (uint64_t)((n) >> 1) << 25)

static struct triggers *fresh(void)
{
    static struct triggers triggers;
    triggers_init(&triggers);
    return &triggers;
}

static uint64_t get(const struct triggers *triggers, unsigned number)
{
    uint64_t value = 0;
    assert_true(triggers_csr_read(triggers, number, 64, &value));
    return value;
}

static void put(struct triggers *triggers, unsigned number, uint64_t value)
{
    assert_true(triggers_csr_write(triggers, number, 64, value));
}

static void set(struct triggers *triggers, unsigned index, uint64_t data1, uint64_t data2)
{
    put(triggers, TSELECT, index);
    put(triggers, TDATA1, 0);
    put(triggers, TDATA2, data2);
    put(triggers, TDATA1, data1);
    triggers->was_written = false;
}

static uint64_t data1_of(struct triggers *triggers, unsigned index)
{
    put(triggers, TSELECT, index);
    return get(triggers, TDATA1);
}

static unsigned before(struct triggers *triggers, struct trigger_access access, uint64_t *tval)
{
    return triggers_before(triggers, &access, true, tval);
}

static bool breaks_at(struct triggers *triggers, uint64_t pc)
{
    uint64_t tval;
    return before(triggers, (struct trigger_access){.pc = pc, .insn_bytes = 4, .priv = PRIV_M},
                  &tval) == TRIGGER_BREAKS;
}

static bool breaks_on_load(struct triggers *triggers, uint64_t va, unsigned bytes)
{
    uint64_t tval;
    struct trigger_access access = {.pc = 1 << 20, .va = va, .insn_bytes = 4,
                                    .access_bytes = (uint8_t)bytes, .is_load = true,
                                    .priv = PRIV_M};
    bool breaks = before(triggers, access, &tval) == TRIGGER_BREAKS;
    assert_true(!breaks || tval == va);
    return breaks;
}

static void a_debugger_finds_eight_triggers(void **state)
{
    (void)state;
    struct triggers *t = fresh();
    for (unsigned i = 0; i < 8; i++) {
        put(t, TSELECT, i);
        assert_int_equal(get(t, TSELECT), i);
        assert_int_equal(get(t, TDATA1), DISABLED);
        assert_int_equal(get(t, TINFO), 1 << 24 | 0x807c);
    }
    put(t, TSELECT, 8);
    assert_int_equal(get(t, TSELECT), 7);
}

static void an_unsupported_value_disables_the_trigger(void **state)
{
    (void)state;
    static const uint64_t bad[] = {
        0, TYPE(1), TYPE(7), TYPE(12), MCONTROL6 | 1 << 12 /* Debug Mode */,
        MCONTROL6 | 4 << 7 /* masks */, MCONTROL6 | 1 << 21 /* data */,
        MCONTROL6 | 4 << 16 /* 48 bits */, TYPE(2) | NAPOT, TYPE(2) | 1 << 19, TYPE(3) | 1,
        TYPE(4) | 5, TYPE(5) | 63,
    };
    struct triggers *t = fresh();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        put(t, TDATA1, MCONTROL6 | M | EXECUTE);
        put(t, TDATA1, bad[i]);
        assert_int_equal(get(t, TDATA1), DISABLED);
        assert_false(t->looks_before || t->looks_at_retired || t->looks_at_traps);
    }
    put(t, TDATA1, UINT64_MAX >> 4 & ~TYPE(15));
    assert_int_equal(get(t, TDATA1), DISABLED);
    /* fields that are not there read as zero; the last trigger ends every chain */
    put(t, TDATA1, MCONTROL6 | 1ull << 59 | 1 << 26 | 1 << 23 | 1 << 5 | CHAIN | M);
    assert_int_equal(get(t, TDATA1), MCONTROL6 | CHAIN | M);
    set(t, 7, MCONTROL6 | CHAIN | M, 0);
    assert_int_equal(get(t, TDATA1), MCONTROL6 | M);
}

static void addresses_match_as_they_are_asked(void **state)
{
    (void)state;
    struct triggers *t = fresh();
    set(t, 0, MCONTROL6 | M | EXECUTE, 0x1000);
    assert_true(t->looks_before && !t->looks_at_retired);
    assert_true(breaks_at(t, 0x1000));
    assert_false(breaks_at(t, 0xffe) || breaks_at(t, 0x1002));
    assert_int_equal(data1_of(t, 0), MCONTROL6 | M | EXECUTE | HIT(1));
    set(t, 0, MCONTROL6 | M | EXECUTE | NAPOT, 0x1007);     /* 0x1000..0x100f */
    assert_true(breaks_at(t, 0x1000) && breaks_at(t, 0x100e));
    assert_false(breaks_at(t, 0xffe) || breaks_at(t, 0x1010));
    set(t, 0, MCONTROL6 | M | EXECUTE | GE, 0x1000);
    assert_true(breaks_at(t, 0x1000) && breaks_at(t, UINT64_MAX - 1));
    assert_false(breaks_at(t, 0xffe));
    set(t, 0, MCONTROL6 | M | EXECUTE | LT, 0x1000);
    assert_true(breaks_at(t, 0) && breaks_at(t, 0xffe));
    assert_false(breaks_at(t, 0x1000));
    /* of data every byte is compared */
    set(t, 0, MCONTROL6 | M | LOAD, 0x2003);
    assert_true(breaks_on_load(t, 0x2000, 4) && breaks_on_load(t, 0x2003, 1));
    assert_false(breaks_on_load(t, 0x2004, 8) || breaks_on_load(t, 0x2000, 2));
    assert_false(breaks_at(t, 0x2003));
    set(t, 0, MCONTROL6 | M | STORE, 0x2003);
    assert_false(breaks_on_load(t, 0x2000, 4));
    set(t, 0, MCONTROL6 | M | LOAD | 3 << 16, 0x2003);      /* words only */
    assert_true(breaks_on_load(t, 0x2000, 4));
    assert_false(breaks_on_load(t, 0x2000, 8) || breaks_on_load(t, 0x2003, 1));
}

static void half_of_memory_is_the_largest_range(void **state)
{
    (void)state;
    struct triggers *t = fresh();
    set(t, 0, MCONTROL6 | M | EXECUTE | NAPOT, 0);
    put(t, TDATA2, UINT64_MAX);
    assert_int_equal(get(t, TDATA2), UINT64_MAX & ~(UINT64_C(1) << 62));
    assert_true(breaks_at(t, UINT64_C(1) << 63));
    assert_false(breaks_at(t, 0x1000));
}

static void the_mode_must_be_enabled(void **state)
{
    (void)state;
    static const uint64_t bit[] = {[PRIV_U] = U, [PRIV_S] = S, [PRIV_M] = M};
    static const uint8_t privs[] = {PRIV_U, PRIV_S, PRIV_M};
    struct triggers *t = fresh();
    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < 3; k++) {
            struct trigger_access access = {.pc = 8, .insn_bytes = 4, .priv = privs[k]};
            uint64_t tval;
            set(t, 0, MCONTROL6 | EXECUTE | bit[privs[i]], 8);
            assert_int_equal(before(t, access, &tval), i == k ? TRIGGER_BREAKS : 0);
        }
}

static void a_chain_fires_when_all_of_it_match(void **state)
{
    (void)state;
    struct triggers *t = fresh();
    struct trigger_access access = {.pc = 0x1000, .insn_bytes = 4, .priv = PRIV_M};
    set(t, 0, MCONTROL6 | M | EXECUTE | GE | CHAIN, 0x1000);
    set(t, 1, MCONTROL6 | M | EXECUTE | LT | SIGNAL_8, 0x1010);
    set(t, 2, MCONTROL6 | M | EXECUTE | SIGNAL_9, 0x1008);
    assert_true(!t->looks_before && t->looks_at_retired);
    for (uint64_t pc = 0xff0; pc < 0x1020; pc += 4) {
        access.pc = pc;
        assert_int_equal(triggers_retired(t, &access),
                         (pc >= 0x1000 && pc < 0x1010 ? TRIGGER_SIGNAL_8 : 0) |
                         (pc == 0x1008 ? TRIGGER_SIGNAL_9 : 0));
    }
    assert_int_equal(data1_of(t, 0), MCONTROL6 | M | EXECUTE | GE | CHAIN | HIT(3));
    assert_int_equal(data1_of(t, 1), MCONTROL6 | M | EXECUTE | LT | SIGNAL_8 | HIT(3));
    /* a chain that is broken by another type never fires */
    set(t, 1, TYPE(5) | 1 << 9, 0);
    access.pc = 0x1004;
    assert_int_equal(triggers_retired(t, &access), 0);
}

static void a_kept_back_breakpoint_leaves_no_trace(void **state)
{
    (void)state;
    struct triggers *t = fresh();
    struct trigger_access access = {.pc = 8, .insn_bytes = 4, .priv = PRIV_M};
    uint64_t tval;
    set(t, 0, MCONTROL6 | M | EXECUTE, 8);
    assert_int_equal(triggers_before(t, &access, false, &tval), 0);
    assert_int_equal(data1_of(t, 0), MCONTROL6 | M | EXECUTE);
}

static void the_counter_fires_after_its_last_instruction(void **state)
{
    (void)state;
    struct triggers *t = fresh();
    struct trigger_access access = {.pc = 8, .insn_bytes = 4, .priv = PRIV_U};
    uint64_t tval = 1;
    set(t, 0, TYPE(3) | 3 << 10 | 1 << 6, 0);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(before(t, access, &tval), 0);
        triggers_retired(t, &access);
    }
    assert_int_equal(data1_of(t, 0), TYPE(3) | 1 << 10 | 1 << 6);
    access.priv = PRIV_M;                               /* another mode: does not count */
    triggers_retired(t, &access);
    assert_int_equal(triggers_trap(t, TRAP_ECALL_U, PRIV_U, true), 0);     /* this does */
    assert_int_equal(data1_of(t, 0), TYPE(3) | 1 << 8 | 1 << 6);
    assert_int_equal(before(t, access, &tval), 0);      /* nor does it fire there */
    access.priv = PRIV_U;
    assert_int_equal(before(t, access, &tval), TRIGGER_BREAKS);
    assert_int_equal(tval, 0);
    assert_int_equal(data1_of(t, 0), TYPE(3) | 1 << 24 | 1 << 6);
    assert_int_equal(before(t, access, &tval), 0);
    /* the instruction that writes it does not count */
    put(t, TDATA1, TYPE(3) | 1 << 10 | 1 << 6);
    triggers_retired(t, &access);
    assert_int_equal(data1_of(t, 0), TYPE(3) | 1 << 10 | 1 << 6);
}

static void traps_are_chosen_by_cause_and_mode(void **state)
{
    (void)state;
    struct triggers *t = fresh();
    set(t, 0, TYPE(5) | 1 << 6 | 8, 1 << TRAP_ILLEGAL);
    set(t, 1, TYPE(4) | 1 << 9 | 9, 1 << IRQ_MTI);
    set(t, 2, TYPE(5) | 1 << 6, 1 << TRAP_ECALL_U);
    assert_int_equal(triggers_trap(t, TRAP_ILLEGAL, PRIV_U, true), TRIGGER_SIGNAL_8);
    assert_int_equal(triggers_trap(t, TRAP_ILLEGAL, PRIV_M, true), 0);
    assert_int_equal(triggers_trap(t, TRAP_BREAKPOINT, PRIV_U, true), 0);
    assert_int_equal(triggers_trap(t, TRAP_INTERRUPT | IRQ_MTI, PRIV_M, true), TRIGGER_SIGNAL_9);
    assert_int_equal(triggers_trap(t, TRAP_INTERRUPT | TRAP_ILLEGAL, PRIV_U, true), 0);
    assert_int_equal(triggers_trap(t, TRAP_ECALL_U, PRIV_U, false), 0);
    assert_int_equal(triggers_trap(t, TRAP_ECALL_U, PRIV_U, true), TRIGGER_BREAKS);
    assert_int_equal(data1_of(t, 2), TYPE(5) | UINT64_C(1) << 58 | 1 << 6);
}

static void trace_actions_start_stop_and_toggle(void **state)
{
    (void)state;
    static const struct { uint64_t action; unsigned fires; } rows[] = {
        {2, TRIGGER_STARTS}, {3, TRIGGER_STOPS}, {4, TRIGGER_TOGGLES},
    };
    struct trigger_access access = {.pc = 8, .insn_bytes = 4, .priv = PRIV_M};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct triggers *t = fresh();
        uint64_t tval;
        set(t, 0, MCONTROL6 | rows[i].action << 12 | M | EXECUTE, 8);
        assert_true(t->looks_at_retired);
        assert_int_equal(before(t, access, &tval), 0);
        assert_int_equal(triggers_retired(t, &access), rows[i].fires);
        assert_int_equal(data1_of(t, 0) & HIT(3), HIT(3));
        set(t, 0, TYPE(5) | 1 << 9 | rows[i].action, 1 << TRAP_ILLEGAL);
        assert_int_equal(triggers_trap(t, TRAP_ILLEGAL, PRIV_M, false), rows[i].fires);
        set(t, 0, TYPE(3) | 1 << 10 | 1 << 9 | rows[i].action, 0);
        triggers_retired(t, &access);
        assert_int_equal(triggers_before(t, &access, false, &tval), rows[i].fires);
    }
}

#define SVALUE(value) ((uint64_t)(value) << 2)

static void extra_conditions_keep_what_is_legal(void **state)
{
    (void)state;
    static const struct { unsigned xlen; uint64_t written, read; } rows[] = {
        {64, UINT64_MAX, UINT64_C(0xfff800f3fffffffc)},     /* both selections are reserved */
        {64, UINT64_C(4) << 48 | SVALUE(5) | 1, UINT64_C(4) << 48 | SVALUE(5) | 1},
        {64, UINT64_C(1) << 48 | 2, 2},
        {64, UINT64_C(6) << 48 | 3, 0},
        {32, 0xffffffff, 0xfc0ffffc},
        {32, 63u << 26 | 4u << 23 | 3u << 18 | SVALUE(0xffff) | 2,
         63u << 26 | 4u << 23 | 3u << 18 | SVALUE(0xffff) | 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct triggers *t = fresh();
        uint64_t value = 0;
        assert_true(triggers_csr_write(t, TDATA3, rows[i].xlen, rows[i].written));
        assert_true(triggers_csr_read(t, TDATA3, rows[i].xlen, &value));
        if (value != rows[i].read)
            fail_msg("%zu: %#llx", i, (unsigned long long)value);
    }
}

static void contexts_are_as_wide_as_what_they_are_compared_with(void **state)
{
    (void)state;
    struct triggers *t = fresh();
    put(t, SCONTEXT, UINT64_MAX);
    put(t, MCONTEXT, UINT64_MAX);
    assert_int_equal(get(t, SCONTEXT), UINT32_MAX);
    assert_int_equal(get(t, MCONTEXT), 0x1fff);
    triggers_csr_write(t, SCONTEXT, 32, UINT32_MAX);
    triggers_csr_write(t, MCONTEXT, 32, UINT32_MAX);
    assert_int_equal(get(t, SCONTEXT), UINT16_MAX);
    assert_int_equal(get(t, MCONTEXT), 63);
}

static void a_trigger_can_be_limited_to_contexts(void **state)
{
    (void)state;
    struct triggers *t = fresh();
    t->asid_mask = 0xffff;
    set(t, 0, MCONTROL6 | M | EXECUTE, 8);
    put(t, TDATA3, SVALUE(0x12345678) | 1);
    assert_false(breaks_at(t, 8));
    put(t, SCONTEXT, 0x12345678);
    assert_true(breaks_at(t, 8));
    for (unsigned byte = 0; byte < 4; byte++) {         /* each byte decides, unless it is masked */
        put(t, SCONTEXT, 0x12345678 ^ 0x80u << 8 * byte);
        put(t, TDATA3, SVALUE(0x12345678) | 1);
        assert_false(breaks_at(t, 8));
        put(t, TDATA3, UINT64_C(1) << (36 + byte) | SVALUE(0x12345678) | 1);
        assert_true(breaks_at(t, 8));
        put(t, TDATA3, UINT64_C(1) << (36 + (byte ^ 1)) | SVALUE(0x12345678) | 1);
        assert_false(breaks_at(t, 8));
    }
    t->asid = 0x42;                                     /* the mask is not for the ASID */
    put(t, TDATA3, UINT64_C(15) << 36 | SVALUE(0x43) | 2);
    assert_false(breaks_at(t, 8));
    put(t, TDATA3, SVALUE(0x42) | 2);
    assert_true(breaks_at(t, 8));
    put(t, TDATA3, SVALUE(0x242) | 2);
    assert_false(breaks_at(t, 8));
    t->asid_mask = 0x1ff;                               /* XLEN = 32: nine bits */
    assert_true(breaks_at(t, 8));
    put(t, TDATA3, UINT64_C(9) << 51 | UINT64_C(4) << 48 | SVALUE(0x42) | 2);
    assert_false(breaks_at(t, 8));
    put(t, MCONTEXT, 9);
    assert_true(breaks_at(t, 8));                       /* both hold */
    put(t, MCONTEXT, 10);
    assert_false(breaks_at(t, 8));
}

static void counting_and_traps_look_at_contexts_too(void **state)
{
    (void)state;
    struct triggers *t = fresh();
    struct trigger_access access = {.pc = 8, .insn_bytes = 4, .priv = PRIV_M};
    set(t, 0, TYPE(5) | 1 << 9 | 8, 1 << TRAP_ILLEGAL);
    put(t, TDATA3, SVALUE(1) | 1);
    set(t, 1, TYPE(3) | 2 << 10 | 1 << 9, 0);
    put(t, TDATA3, SVALUE(1) | 1);
    t->was_written = false;
    triggers_retired(t, &access);
    assert_int_equal(triggers_trap(t, TRAP_ILLEGAL, PRIV_M, true), 0);
    assert_int_equal(data1_of(t, 1), TYPE(3) | 2 << 10 | 1 << 9);
    put(t, SCONTEXT, 1);
    triggers_retired(t, &access);
    assert_int_equal(data1_of(t, 1), TYPE(3) | 1 << 10 | 1 << 9);
    assert_int_equal(triggers_trap(t, TRAP_ILLEGAL, PRIV_M, true), TRIGGER_SIGNAL_8);
}

static void the_fields_lie_lower_where_xlen_is_32(void **state)
{
    (void)state;
    struct triggers *t = fresh();
    uint64_t value = 0;
    assert_true(triggers_csr_write(t, TDATA1, 32, UINT64_C(6) << 28 | M | EXECUTE | HIT(3)));
    assert_int_equal(get(t, TDATA1), MCONTROL6 | M | EXECUTE | HIT(3));
    triggers_csr_read(t, TDATA1, 32, &value);
    assert_int_equal(value, UINT64_C(6) << 28 | M | EXECUTE | HIT(3));
    assert_true(triggers_csr_write(t, TDATA1, 32, UINT64_C(5) << 28 | 1 << 26 | 1 << 9));
    assert_int_equal(get(t, TDATA1), TYPE(5) | UINT64_C(1) << 58 | 1 << 9);
    triggers_csr_read(t, TDATA1, 32, &value);
    assert_int_equal(value, UINT64_C(5) << 28 | 1 << 26 | 1 << 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_debugger_finds_eight_triggers),
        cmocka_unit_test(an_unsupported_value_disables_the_trigger),
        cmocka_unit_test(addresses_match_as_they_are_asked),
        cmocka_unit_test(half_of_memory_is_the_largest_range),
        cmocka_unit_test(the_mode_must_be_enabled),
        cmocka_unit_test(a_chain_fires_when_all_of_it_match),
        cmocka_unit_test(a_kept_back_breakpoint_leaves_no_trace),
        cmocka_unit_test(the_counter_fires_after_its_last_instruction),
        cmocka_unit_test(traps_are_chosen_by_cause_and_mode),
        cmocka_unit_test(trace_actions_start_stop_and_toggle),
        cmocka_unit_test(extra_conditions_keep_what_is_legal),
        cmocka_unit_test(contexts_are_as_wide_as_what_they_are_compared_with),
        cmocka_unit_test(a_trigger_can_be_limited_to_contexts),
        cmocka_unit_test(counting_and_traps_look_at_contexts_too),
        cmocka_unit_test(the_fields_lie_lower_where_xlen_is_32),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
