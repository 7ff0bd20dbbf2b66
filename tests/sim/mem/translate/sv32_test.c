/* Sv32: two levels of four-byte entries, physical addresses of 34 bits, no sign to extend. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/sim/mem/translate/paging.h"

static int set_up_32(void **state)
{
    int result = set_up(state);
    select_sv32(*state);
    return result;
}

static void pages_of_both_sizes_translate_and_record_the_walk(void **state)
{
    struct machine *m = *state;
    uint64_t pa = 0, entry = map_at(m, 0xc0400000, 1, PHYS_RAM_BASE, KERNEL);

    assert_int_equal(mmu_translate(&m->mmu, 0xc0523456, 1, MMU_LOAD, &pa), TRAP_NONE);
    assert_int_equal(pa, PHYS_RAM_BASE + 0x123456);
    assert_int_equal(m->mmu.walk.levels, 1);
    assert_int_equal(m->mmu.walk.page_bits, 22);
    assert_int_equal(m->mmu.walk.pte[0], entry);
    assert_int_equal(entry, ROOT + 0x301 * 4);
    entry = map(m, 0xfffff000, DATA, KERNEL);
    assert_int_equal(mmu_translate(&m->mmu, 0xfffff678, 1, MMU_LOAD, &pa), TRAP_NONE);
    assert_int_equal(pa, DATA + 0x678);
    assert_int_equal(m->mmu.walk.levels, 2);
    assert_int_equal(m->mmu.walk.page_bits, 12);
    assert_int_equal(m->mmu.walk.pte[0], ROOT + 0x3ff * 4);
    assert_int_equal(m->mmu.walk.pte[1], entry);
}

static void an_address_past_the_end_is_the_first(void **state)
{
    struct machine *m = *state;
    uint64_t value, pa = 0;

    map(m, 0xfffff000, DATA, KERNEL);
    assert_int_equal(mmu_load(&m->mmu, 0xfffffffe, 4, &value), TRAP_LOAD_PAGE);
    assert_int_equal(hart_address(&m->hart, m->mmu.fault_va), 0);
    map(m, 0, DATA + PAGE, KERNEL);
    assert_int_equal(mmu_store(&m->mmu, 0xfffffffe, 4, 0x44332211), TRAP_NONE);
    assert_int_equal(mmu_load(&m->mmu, 0, 2, &value), TRAP_NONE);
    assert_int_equal(value, 0x4433);
    assert_int_equal(mmu_probe(&m->mmu, UINT64_C(1) << 32, MMU_LOAD, PRIV_S, &pa), TRAP_NONE);
    assert_int_equal(pa, DATA + PAGE);
}

static void a_misaligned_megapage_faults(void **state)
{
    struct machine *m = *state;
    uint64_t pa;

    for (uint64_t offset = PAGE; offset < 0x400000; offset <<= 1) {
        map_at(m, VA, 1, PHYS_RAM_BASE + offset, KERNEL);
        assert_int_equal(mmu_probe(&m->mmu, VA, MMU_LOAD, PRIV_S, &pa), TRAP_LOAD_PAGE);
    }
}

/* 2^32 and above exist as physical addresses of entries; nothing is there. */
static void an_address_above_4_gib_is_an_access_fault(void **state)
{
    struct machine *m = *state;
    uint64_t high = UINT64_C(3) << 32 | DATA;

    map(m, VA, high, KERNEL);
    assert_int_equal(translate(m, VA, MMU_LOAD), TRAP_LOAD_ACCESS);
    assert_int_equal(translate(m, VA, MMU_STORE), TRAP_STORE_ACCESS);
    map(m, VA, high, CODE);
    assert_int_equal(translate(m, VA, MMU_FETCH), TRAP_FETCH_ACCESS);
    map_at(m, VA, 1, high, V);                      /* as a table */
    assert_int_equal(translate(m, VA, MMU_LOAD), TRAP_LOAD_ACCESS);
    csr_write(&m->hart, CSR_satp, 0x80000000 | high >> 12);
    mmu_flush(&m->mmu);
    assert_int_equal(translate(m, VA, MMU_STORE), TRAP_STORE_ACCESS);
}

/* The last entry of the last page of memory is one; the next word is not. */
static void a_table_may_end_where_memory_ends(void **state)
{
    struct machine *m = *state;
    uint64_t last = PHYS_RAM_BASE + RAM_BYTES - PAGE;

    map_at(m, VA | 0x3ff000, 1, last, V);
    phys_write(&m->phys, last + PAGE - 4, 4, DATA >> 12 << 10 | KERNEL);
    assert_int_equal(translate(m, VA | 0x3ff000, MMU_LOAD), TRAP_NONE);
    map_at(m, VA | 0x3ff000, 1, last + PAGE, V);
    mmu_flush(&m->mmu);
    assert_int_equal(translate(m, VA | 0x3ff000, MMU_LOAD), TRAP_LOAD_ACCESS);
}

static void entries_beside_the_one_used_keep_their_bits(void **state)
{
    struct machine *m = *state;
    uint64_t leaf = map(m, VA, DATA, KERNEL & ~(A | D));

    phys_write(&m->phys, leaf - 4, 4, 0x12345678);
    phys_write(&m->phys, leaf + 4, 4, 0x9abcdef0);
    assert_int_equal(translate(m, VA, MMU_STORE), TRAP_NONE);
    assert_int_equal(read_entry(m, leaf) & 0xff, KERNEL);
    assert_int_equal(read_entry(m, leaf - 4), 0x12345678);
    assert_int_equal(read_entry(m, leaf + 4), 0x9abcdef0);
}

/* ---- any table ------------------------------------------------------------------------------- */

/* The manual's algorithm (10.3.2) for a load of one byte from S-mode with SUM and MXR clear,
 * written for two levels: returns the expected result, and *pa. */
static enum trap_cause model_load(struct machine *m, uint64_t root, uint32_t va, uint64_t *pa)
{
    uint64_t first_pa = root + (va >> 22) * 4, second_pa, first, second;

    if (!phys_read(&m->phys, first_pa, 4, &first))
        return TRAP_LOAD_ACCESS;
    if ((first & V) == 0 || (first & (R | W)) == W)
        return TRAP_LOAD_PAGE;
    if ((first & (R | X)) != 0) {
        *pa = first >> 20 << 22 | (va & 0x3fffff);
        if ((first & U) != 0 || (first & R) == 0 || (first >> 10 & 0x3ff) != 0)
            return TRAP_LOAD_PAGE;
    } else {
        if ((first & (A | D | U)) != 0)
            return TRAP_LOAD_PAGE;
        second_pa = (first >> 10 << 12) + (va >> 12 & 0x3ff) * 4;
        if (!phys_read(&m->phys, second_pa, 4, &second))
            return TRAP_LOAD_ACCESS;
        if ((second & V) == 0 || (second & R) == 0 || (second & U) != 0)
            return TRAP_LOAD_PAGE;
        *pa = second >> 10 << 12 | (va & 0xfff);
    }
    return phys_is_ram(&m->phys, *pa, 1) ? TRAP_NONE : TRAP_LOAD_ACCESS;
}

static uint64_t next_random(uint64_t *random)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return *random >> 24;
}

/* An entry of any bits, but often one that leads somewhere. */
static uint32_t any_entry(uint64_t *random)
{
    uint64_t bits = next_random(random);
    uint64_t page = (PHYS_RAM_BASE >> 12) + (bits >> 8) % (RAM_BYTES / PAGE + 2);

    if (bits >> 32 & 1)
        page &= ~UINT64_C(0x3ff);
    return bits & 64 ? (uint32_t)(page << 10 | (bits & 0x3f) | V) : (uint32_t)bits;
}

static void random_tables_are_walked_as_the_manual_says(void **state)
{
    struct machine *m = *state;
    uint64_t random = 88172645463325252;
    unsigned seen[16] = {0};

    for (uint64_t at = 0; at < RAM_BYTES; at += 4)
        phys_write(&m->phys, PHYS_RAM_BASE + at, 4, any_entry(&random));
    for (unsigned round = 0; round < 200000; round++) {
        uint64_t root = (PHYS_RAM_BASE >> 12) + next_random(&random) % (RAM_BYTES / PAGE + 1);
        uint64_t pa = 0, expected_pa = 0;
        uint32_t va = (uint32_t)next_random(&random);
        enum trap_cause expected = model_load(m, root << 12, va, &expected_pa);

        csr_write(&m->hart, CSR_satp, UINT64_C(1) << 31 | root);
        assert_int_equal(mmu_probe(&m->mmu, va, MMU_LOAD, PRIV_S, &pa), expected);
        assert_true(expected != TRAP_NONE || (uint32_t)pa == (uint32_t)expected_pa);
        seen[expected & 15]++;
    }
    assert_true(seen[TRAP_NONE & 15] > 1000 && seen[TRAP_LOAD_PAGE] > 1000 &&
                seen[TRAP_LOAD_ACCESS] > 1000);
}

/* Stores through tables that are the data as well: every outcome is one of three. */
static void tables_that_map_themselves_do_no_harm(void **state)
{
    struct machine *m = *state;
    uint64_t random = 1;

    for (uint64_t at = 0; at < RAM_BYTES; at += 4)
        phys_write(&m->phys, PHYS_RAM_BASE + at, 4, any_entry(&random));
    for (unsigned round = 0; round < 100000; round++) {
        uint64_t value, bits = next_random(&random);
        uint32_t va = (uint32_t)next_random(&random);
        unsigned size = 1u << (bits & 3);
        uint32_t fetched;

        set_priv(m, bits & 4 ? PRIV_S : PRIV_U, bits & (MSTATUS_SUM | MSTATUS_MXR));
        enum trap_cause cause = mmu_store(&m->mmu, va, size, bits);
        assert_true(cause == TRAP_NONE || cause == TRAP_STORE_PAGE || cause == TRAP_STORE_ACCESS);
        cause = mmu_load(&m->mmu, va, size, &value);
        assert_true(cause == TRAP_NONE || cause == TRAP_LOAD_PAGE || cause == TRAP_LOAD_ACCESS);
        cause = mmu_fetch(&m->mmu, va & ~1u, &fetched, &value);
        assert_true(cause == TRAP_NONE || cause == TRAP_FETCH_PAGE || cause == TRAP_FETCH_ACCESS);
        if ((bits >> 20 & 63) == 0)
            mmu_flush(&m->mmu);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_32, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pages_of_both_sizes_translate_and_record_the_walk),
        TEST(an_address_past_the_end_is_the_first),
        TEST(a_misaligned_megapage_faults),
        TEST(an_address_above_4_gib_is_an_access_fault),
        TEST(a_table_may_end_where_memory_ends),
        TEST(entries_beside_the_one_used_keep_their_bits),
        TEST(random_tables_are_walked_as_the_manual_says),
        TEST(tables_that_map_themselves_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
