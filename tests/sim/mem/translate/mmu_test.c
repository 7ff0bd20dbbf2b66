/* Views, host pointers, accesses across pages, and the cache against the walk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/sim/mem/translate/paging.h"

/* ---- views ----------------------------------------------------------------------------------- */

static void mprv_gives_machine_mode_the_data_rights_of_another(void **state)
{
    struct machine *m = *state;
    map(m, VA, DATA, KERNEL | X);
    set_priv(m, PRIV_M, 0);
    assert_int_equal(translate(m, VA, MMU_LOAD), TRAP_LOAD_ACCESS);     /* bare: nothing is there */
    set_priv(m, PRIV_M, MSTATUS_MPRV | (uint64_t)PRIV_S << MSTATUS_MPP_SHIFT);
    assert_int_equal(translate(m, VA, MMU_LOAD), TRAP_NONE);
    assert_int_equal(translate(m, VA, MMU_FETCH), TRAP_FETCH_ACCESS);
    set_priv(m, PRIV_M, MSTATUS_MPRV);
    assert_int_equal(translate(m, VA, MMU_LOAD), TRAP_LOAD_PAGE);
    m->hart.in_monitor = true;
    mmu_switch(&m->mmu);
    assert_int_equal(translate(m, DATA, MMU_LOAD), TRAP_NONE);
    assert_int_equal(translate(m, VA, MMU_LOAD), TRAP_LOAD_ACCESS);
}

static void views_do_not_leak_into_each_other(void **state)
{
    struct machine *m = *state;
    map(m, VA, DATA, USER);
    for (unsigned round = 0; round < 3; round++) {
        set_priv(m, PRIV_U, 0);
        assert_int_equal(translate(m, VA, MMU_LOAD), TRAP_NONE);
        set_priv(m, PRIV_S, 0);
        assert_int_equal(translate(m, VA, MMU_LOAD), TRAP_LOAD_PAGE);
        set_priv(m, PRIV_S, MSTATUS_SUM);
        assert_int_equal(translate(m, VA, MMU_LOAD), TRAP_NONE);
        set_priv(m, PRIV_M, 0);
        assert_int_equal(translate(m, VA, MMU_LOAD), TRAP_LOAD_ACCESS);
    }
    map(m, VA, DATA, USER & ~V);
    set_priv(m, PRIV_U, 0);
    assert_int_equal(translate(m, VA, MMU_LOAD), TRAP_NONE);    /* remembered until the fence */
    set_priv(m, PRIV_M, 0);
    mmu_flush(&m->mmu);
    set_priv(m, PRIV_U, 0);
    assert_int_equal(translate(m, VA, MMU_LOAD), TRAP_LOAD_PAGE);
}

static void mxr_applies_at_once(void **state)
{
    struct machine *m = *state;
    map(m, VA, DATA, V | X | A);
    for (unsigned round = 0; round < 2; round++) {
        set_priv(m, PRIV_S, MSTATUS_MXR);
        assert_int_equal(translate(m, VA, MMU_LOAD), TRAP_NONE);
        set_priv(m, PRIV_S, 0);
        assert_int_equal(translate(m, VA, MMU_LOAD), TRAP_LOAD_PAGE);
    }
}

/* ---- monitor, devices, flagged pages --------------------------------------------------------- */

static void monitor_pages_are_the_monitors(void **state)
{
    struct machine *m = *state;
    uint64_t pa, value;
    map(m, VA, DATA, KERNEL | X);
    set_priv(m, PRIV_S, 0);
    assert_int_equal(mmu_load(&m->mmu, VA, 8, &value), TRAP_NONE);
    phys_set_flags(&m->phys, DATA, 1, PHYS_MONITOR);        /* also takes cached pointers away */
    assert_int_equal(mmu_load(&m->mmu, VA, 8, &value), TRAP_LOAD_ACCESS);
    assert_int_equal(mmu_store(&m->mmu, VA, 8, 0), TRAP_STORE_ACCESS);
    assert_int_equal(translate(m, VA, MMU_FETCH), TRAP_FETCH_ACCESS);
    set_priv(m, PRIV_M, 0);
    assert_int_equal(mmu_load(&m->mmu, DATA, 8, &value), TRAP_LOAD_ACCESS);
    m->hart.in_monitor = true;
    mmu_switch(&m->mmu);
    assert_int_equal(mmu_store(&m->mmu, DATA, 8, 42), TRAP_NONE);
    assert_int_equal(mmu_load(&m->mmu, DATA, 8, &value), TRAP_NONE);
    assert_int_equal(value, 42);
    assert_int_equal(mmu_probe(&m->mmu, VA, MMU_LOAD, PRIV_S, &pa), TRAP_LOAD_ACCESS);
    map(m, VA + PAGE, DATA + PAGE, KERNEL);
    assert_int_equal(mmu_probe(&m->mmu, VA + PAGE, MMU_LOAD, PRIV_S, &pa), TRAP_NONE);
    assert_int_equal(pa, DATA + PAGE);
    m->hart.in_monitor = false;
    mmu_switch(&m->mmu);
    assert_int_equal(mmu_load(&m->mmu, DATA, 8, &value), TRAP_LOAD_ACCESS);
}

static void no_program_can_lock_the_monitor_out(void **state)
{
    struct machine *m = *state;
    csr_write(&m->hart, CSR_pmpcfg0, 0x98);     /* locked, no rights, everything */
    set_priv(m, PRIV_M, 0);
    mmu_flush(&m->mmu);
    assert_int_equal(translate(m, DATA, MMU_STORE), TRAP_STORE_ACCESS);
    m->hart.in_monitor = true;
    mmu_switch(&m->mmu);
    assert_int_equal(translate(m, DATA, MMU_STORE), TRAP_NONE);
}

static bool echo_read(struct phys_device *device, uint64_t offset, unsigned size, uint64_t *value)
{
    (void)device;
    *value = offset << 8 | size;
    return size == 4;
}

static bool echo_write(struct phys_device *device, uint64_t offset, unsigned size, uint64_t value)
{
    (void)device, (void)offset, (void)value;
    return size == 4;
}

static void devices_are_reached_without_host_pointers_and_hold_no_code(void **state)
{
    struct machine *m = *state;
    struct phys_device echo = {"echo", 0x10000000, PAGE, echo_read, echo_write, NULL};
    uint64_t value;
    phys_add_device(&m->phys, &echo);
    map(m, VA, 0x10000000, KERNEL | X);
    for (unsigned round = 0; round < 2; round++) {
        assert_int_equal(mmu_load(&m->mmu, VA + 0x20, 4, &value), TRAP_NONE);
        assert_int_equal(value, 0x2004);
        assert_int_equal(mmu_load(&m->mmu, VA + 0x28, 8, &value), TRAP_LOAD_ACCESS);
        assert_int_equal(m->mmu.fault_va, VA + 0x28);
        assert_int_equal(mmu_store(&m->mmu, VA + 0x30, 1, 0), TRAP_STORE_ACCESS);
    }
    map(m, VA - PAGE, DATA, KERNEL);
    phys_write(&m->phys, DATA + PAGE - 8, 8, 0);
    assert_int_equal(mmu_store(&m->mmu, VA - 4, 8, UINT64_MAX), TRAP_STORE_ACCESS);
    assert_int_equal(m->mmu.fault_va, VA);
    assert_int_equal(read64(m, DATA + PAGE - 8), 0);
    assert_null(m->mmu.cache[MMU_LOAD][(VA >> 12) % MMU_CACHE_ENTRIES].host);
    assert_int_equal(translate(m, VA, MMU_FETCH), TRAP_FETCH_ACCESS);
    m->phys.devices = NULL;
}

static uint8_t *store_pointer(struct machine *m, uint64_t va)
{
    const struct mmu_entry *entry = &m->mmu.cache[MMU_STORE][(va >> 12) % MMU_CACHE_ENTRIES];
    return entry->tag == va >> 12 ? entry->host : NULL;
}

static void decoding_withdraws_store_pointers_and_the_first_store_returns_them(void **state)
{
    struct machine *m = *state;
    map(m, VA, DATA, KERNEL);
    map(m, VA + 7 * PAGE, DATA, KERNEL);        /* an alias */
    mmu_store(&m->mmu, VA, 8, 1);
    mmu_store(&m->mmu, VA + 7 * PAGE, 8, 1);
    assert_ptr_equal(store_pointer(m, VA), phys_host(&m->phys, DATA));
    phys_mark_code(&m->phys, DATA);
    assert_null(store_pointer(m, VA));
    assert_null(store_pointer(m, VA + 7 * PAGE));
    mmu_store(&m->mmu, VA + 7 * PAGE, 8, 2);
    assert_int_equal(m->phys.stale_pages, 1);
    assert_non_null(store_pointer(m, VA + 7 * PAGE));
    mmu_store(&m->mmu, VA, 8, 3);
    assert_non_null(store_pointer(m, VA));
    assert_int_equal(read64(m, DATA), 3);
}

static void an_htif_page_never_gets_a_store_pointer(void **state)
{
    struct machine *m = *state;
    map(m, VA, DATA, KERNEL);
    mmu_store(&m->mmu, VA, 8, 1);
    phys_set_flags(&m->phys, DATA + 64, 8, PHYS_HTIF);
    mmu_store(&m->mmu, VA, 8, 2);
    assert_null(store_pointer(m, VA));
    assert_int_equal(read64(m, DATA), 2);
}

/* ---- accesses -------------------------------------------------------------------------------- */

static void accesses_of_any_size_and_alignment_are_bytes_in_order(void **state)
{
    struct machine *m = *state;
    map(m, VA, DATA + 5 * PAGE, KERNEL);            /* neighbours in va, not in pa */
    map(m, VA + PAGE, DATA, KERNEL);
    for (unsigned size = 1; size <= 8; size *= 2) {
        for (unsigned at = PAGE - 12; at < PAGE + 4; at++) {
            uint64_t value = 0x8877665544332211, loaded;
            uint64_t mask = size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
            assert_int_equal(mmu_store(&m->mmu, VA + at, size, value), TRAP_NONE);
            for (unsigned i = 0; i < size; i++) {
                uint64_t byte, offset = at + i;
                uint64_t pa = offset < PAGE ? DATA + 5 * PAGE + offset : DATA + offset - PAGE;
                assert_true(phys_read(&m->phys, pa, 1, &byte));
                assert_int_equal(byte, 0x11 * (i + 1));
            }
            assert_int_equal(mmu_load(&m->mmu, VA + at, size, &loaded), TRAP_NONE);
            assert_int_equal(loaded, value & mask);
        }
    }
}

static void a_fault_on_the_second_page_names_it_and_writes_nothing(void **state)
{
    struct machine *m = *state;
    uint64_t value;
    map(m, VA, DATA, KERNEL);
    phys_write(&m->phys, DATA + PAGE - 8, 8, 0);
    assert_int_equal(mmu_store(&m->mmu, VA + PAGE - 3, 8, UINT64_MAX), TRAP_STORE_PAGE);
    assert_int_equal(m->mmu.fault_va, VA + PAGE);
    assert_int_equal(read64(m, DATA + PAGE - 8), 0);
    assert_int_equal(mmu_load(&m->mmu, VA + PAGE - 3, 8, &value), TRAP_LOAD_PAGE);
    assert_int_equal(m->mmu.fault_va, VA + PAGE);
    assert_int_equal(mmu_load(&m->mmu, VA - 3, 8, &value), TRAP_LOAD_PAGE);
    assert_int_equal(m->mmu.fault_va, VA - 3);
}

static void fetching_takes_halves_and_names_the_faulting_one(void **state)
{
    struct machine *m = *state;
    uint64_t fault_va = 0;
    uint32_t bits;
    map(m, VA, DATA, CODE);
    phys_write(&m->phys, DATA, 8, 0x00a28293);
    phys_write(&m->phys, DATA + PAGE - 4, 4, 0x02130001);
    assert_int_equal(mmu_fetch(&m->mmu, VA, &bits, &fault_va), TRAP_NONE);
    assert_int_equal(bits, 0x00a28293);
    assert_int_equal(mmu_fetch(&m->mmu, VA + PAGE - 4, &bits, &fault_va), TRAP_NONE);
    assert_int_equal(bits, 1);                      /* compressed: its upper half is zero */
    assert_int_equal(mmu_fetch(&m->mmu, VA + PAGE - 2, &bits, &fault_va), TRAP_FETCH_PAGE);
    assert_int_equal(fault_va, VA + PAGE);
    map(m, VA + PAGE, DATA + 3 * PAGE, CODE);
    phys_write(&m->phys, DATA + 3 * PAGE, 2, 0x1234);
    assert_int_equal(mmu_fetch(&m->mmu, VA + PAGE - 2, &bits, &fault_va), TRAP_NONE);
    assert_int_equal(bits, 0x12340213);
    assert_int_equal(mmu_fetch(&m->mmu, VA - 2, &bits, &fault_va), TRAP_FETCH_PAGE);
    assert_int_equal(fault_va, VA - 2);
}

/* ---- the cache against the walk -------------------------------------------------------------- */

/* Changes tables, privileges and status at random, with the flushes the manual asks for; a cached
 * answer must always be what a fresh probe says. */
static void cached_translations_are_what_a_walk_would_say(void **state)
{
    struct machine *m = *state;
    uint64_t random = 88172645463325252;
    unsigned agreed[2] = {0, 0};
    for (unsigned round = 0; round < 60000; round++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint64_t bits = random >> 16;
        uint64_t va = VA + (bits & 3) * PAGE * 256 + (bits >> 2 & 0xff) * 8;
        if ((bits >> 12 & 15) == 0) {
            map(m, va, DATA + (bits >> 20 & 15) * PAGE, (bits >> 24 & 0xff) | V);
            mmu_flush(&m->mmu);
        } else if ((bits >> 12 & 15) <= 4) {
            static const uint8_t privs[4] = {PRIV_U, PRIV_S, PRIV_S, PRIV_M};
            uint64_t status = bits & (MSTATUS_SUM | MSTATUS_MXR | MSTATUS_MPRV);
            set_priv(m, privs[bits >> 40 & 3], status | (bits >> 42 & 1) << MSTATUS_MPP_SHIFT);
        }
        enum mmu_access access = (enum mmu_access)((bits >> 32) % 3);
        unsigned priv = access == MMU_FETCH ? m->hart.priv : hart_data_priv(&m->hart);
        uint64_t probed = 0, translated = 0;
        enum trap_cause expected = mmu_probe(&m->mmu, va, access, priv, &probed);
        assert_int_equal(mmu_translate(&m->mmu, va, 1, access, &translated), expected);
        assert_true(expected != TRAP_NONE || probed == translated);
        agreed[expected == TRAP_NONE]++;
    }
    assert_in_range(agreed[1], 5000, 55000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(mprv_gives_machine_mode_the_data_rights_of_another),
        TEST(views_do_not_leak_into_each_other),
        TEST(mxr_applies_at_once),
        TEST(monitor_pages_are_the_monitors),
        TEST(no_program_can_lock_the_monitor_out),
        TEST(devices_are_reached_without_host_pointers_and_hold_no_code),
        TEST(decoding_withdraws_store_pointers_and_the_first_store_returns_them),
        TEST(an_htif_page_never_gets_a_store_pointer),
        TEST(accesses_of_any_size_and_alignment_are_bytes_in_order),
        TEST(a_fault_on_the_second_page_names_it_and_writes_nothing),
        TEST(fetching_takes_halves_and_names_the_faulting_one),
        TEST(cached_translations_are_what_a_walk_would_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
