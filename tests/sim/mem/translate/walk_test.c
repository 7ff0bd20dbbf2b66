/* The page-table walk: page sizes, malformed entries, permission by the manual's sentences, PMP. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/sim/mem/translate/paging.h"

/* ---- walks ----------------------------------------------------------------------------------- */

static void pages_of_every_size_translate_and_record_the_walk(void **state)
{
    struct machine *m = *state;
    static const unsigned modes[] = {SATP_SV39, SATP_SV48};
    for (unsigned i = 0; i < 2; i++) {
        memset(phys_host(&m->phys, ROOT), 0, PAGE);
        select_mode(m, modes[i]);
        for (unsigned level = 0; level < m->levels; level++) {
            uint64_t bits = 12 + 9 * level, offset = 0x100123 & ((UINT64_C(1) << bits) - 1);
            uint64_t base = PHYS_RAM_BASE >> bits << bits, va = (level + 1) * (UINT64_C(1) << bits);
            uint64_t pa = 0, entry = map_at(m, va, level, base, KERNEL);
            enum trap_cause cause = mmu_translate(&m->mmu, va | offset, 1, MMU_LOAD, &pa);
            bool is_ram = (base | offset) >= PHYS_RAM_BASE;     /* larger pages begin below */
            assert_int_equal(cause, is_ram ? TRAP_NONE : TRAP_LOAD_ACCESS);
            assert_true(!is_ram || pa == (base | offset));
            assert_int_equal(m->mmu.walk.page_bits, bits);
            assert_int_equal(m->mmu.walk.levels, m->levels - level);
            assert_int_equal(m->mmu.walk.pte[m->levels - level - 1], entry);
            memset(phys_host(&m->phys, ROOT), 0, PAGE);
            mmu_flush(&m->mmu);
        }
    }
}

static void a_misaligned_superpage_faults(void **state)
{
    struct machine *m = *state;
    map_at(m, VA, 1, PHYS_RAM_BASE + 0x200000, KERNEL);
    assert_int_equal(translate(m, VA, MMU_LOAD), TRAP_NONE);
    mmu_flush(&m->mmu);
    map_at(m, VA, 1, PHYS_RAM_BASE + 0x201000, KERNEL);
    assert_int_equal(translate(m, VA, MMU_LOAD), TRAP_LOAD_PAGE);
}

static void addresses_must_be_canonical(void **state)
{
    struct machine *m = *state;
    for (unsigned mode = SATP_SV39; mode <= SATP_SV48; mode++) {
        memset(phys_host(&m->phys, ROOT), 0, PAGE);
        select_mode(m, mode);
        uint64_t top = UINT64_C(1) << (mode == SATP_SV39 ? 38 : 47);
        map(m, top - PAGE, DATA, KERNEL);
        map(m, -top, DATA, KERNEL);
        map(m, top, DATA, KERNEL);
        assert_int_equal(translate(m, top - PAGE, MMU_LOAD), TRAP_NONE);
        assert_int_equal(translate(m, -top, MMU_LOAD), TRAP_NONE);
        assert_int_equal(translate(m, top, MMU_LOAD), TRAP_LOAD_PAGE);
        assert_int_equal(translate(m, top, MMU_STORE), TRAP_STORE_PAGE);
        assert_int_equal(translate(m, top, MMU_FETCH), TRAP_FETCH_PAGE);
    }
}

static void reserved_bits_fault(void **state)
{
    struct machine *m = *state;
    uint64_t leaf = map(m, VA, DATA, KERNEL), good = read64(m, leaf);
    for (unsigned bit = 54; bit < 64; bit++) {
        mmu_flush(&m->mmu);
        phys_write(&m->phys, leaf, 8, good | UINT64_C(1) << bit);
        assert_int_equal(translate(m, VA, MMU_LOAD), TRAP_LOAD_PAGE);
    }
    phys_write(&m->phys, leaf, 8, good | 3 << 8);       /* for software */
    assert_int_equal(translate(m, VA, MMU_LOAD), TRAP_NONE);
    uint64_t root = ROOT + (VA >> 30 & 511) * 8, table = read64(m, root);
    static const unsigned forbidden[] = {A, D, U, W};
    for (unsigned i = 0; i < 4; i++) {
        mmu_flush(&m->mmu);
        phys_write(&m->phys, root, 8, table | forbidden[i]);
        assert_int_equal(translate(m, VA, MMU_LOAD), TRAP_LOAD_PAGE);
    }
    mmu_flush(&m->mmu);
    phys_write(&m->phys, root, 8, table | G);
    assert_int_equal(translate(m, VA, MMU_LOAD), TRAP_NONE);
}

static void a_table_outside_memory_is_an_access_fault(void **state)
{
    struct machine *m = *state;
    phys_write(&m->phys, ROOT + (VA >> 30 & 511) * 8, 8, UINT64_C(0x1000) >> 12 << 10 | V);
    assert_int_equal(translate(m, VA, MMU_LOAD), TRAP_LOAD_ACCESS);
    assert_int_equal(translate(m, VA, MMU_FETCH), TRAP_FETCH_ACCESS);
}

/* ---- permission ------------------------------------------------------------------------------ */

/* Written from the sentences of 10.3.1 and 3.1.6.3, not from the code. */
static bool model_permits(unsigned flags, unsigned priv, bool sum, bool mxr, enum mmu_access access)
{
    if (!(flags & V) || ((flags & W) && !(flags & R)) || !(flags & (R | X))) {
        return false;
    }
    if (priv == PRIV_U && !(flags & U)) {
        return false;
    }
    if (priv == PRIV_S && (flags & U) && (access == MMU_FETCH || !sum)) {
        return false;
    }
    return access == MMU_FETCH  ? flags & X
           : access == MMU_LOAD ? (flags & R) || (mxr && (flags & X))
                                : flags & W;
}

static void every_combination_of_flags_permits_what_the_manual_says(void **state)
{
    struct machine *m = *state;
    for (unsigned flags = 0; flags < 256; flags++) {
        for (unsigned mode = 0; mode < 8; mode++) {
            unsigned priv = mode & 1 ? PRIV_S : PRIV_U;
            bool sum = mode & 2, mxr = mode & 4;
            set_priv(m, priv, (sum ? MSTATUS_SUM : 0) | (mxr ? MSTATUS_MXR : 0));
            for (unsigned access = MMU_FETCH; access <= MMU_STORE; access++) {
                static const enum trap_cause fault[] = {TRAP_FETCH_PAGE, TRAP_LOAD_PAGE,
                                                        TRAP_STORE_PAGE};
                uint64_t leaf = map(m, VA, DATA, flags), pa;
                bool permitted = model_permits(flags, priv, sum, mxr, access);
                enum trap_cause expected = permitted ? TRAP_NONE : fault[access];
                mmu_flush(&m->mmu);
                assert_int_equal(mmu_probe(&m->mmu, VA, access, priv, &pa), expected);
                assert_int_equal(read64(m, leaf) & 0x3ff, flags);
                assert_int_equal(translate(m, VA, access), expected);
                unsigned set = permitted ? A | (access == MMU_STORE ? D : 0) : 0;
                assert_int_equal(read64(m, leaf) & 0x3ff, flags | set);
            }
        }
    }
}

static void a_store_after_a_load_still_sets_the_dirty_bit(void **state)
{
    struct machine *m = *state;
    uint64_t leaf = map(m, VA, DATA, V | R | W), value;
    assert_int_equal(mmu_load(&m->mmu, VA, 8, &value), TRAP_NONE);
    assert_int_equal(read64(m, leaf) & 0xff, V | R | W | A);
    assert_int_equal(mmu_store(&m->mmu, VA, 8, 1), TRAP_NONE);
    assert_int_equal(read64(m, leaf) & 0xff, V | R | W | A | D);
}

static void pmp_guards_data_and_page_tables(void **state)
{
    struct machine *m = *state;
    uint64_t leaf = map(m, VA, DATA, KERNEL & ~(A | D));
    csr_write(&m->hart, CSR_pmpaddr0, DATA >> 2 | 0x3f);                /* 512 bytes of the page */
    csr_write(&m->hart, CSR_pmpaddr1, leaf >> 2);                       /* the entry itself */
    csr_write(&m->hart, CSR_pmpaddr2, (UINT64_C(1) << 54) - 1);
    csr_write(&m->hart, CSR_pmpcfg0, 0x1f1f18);
    mmu_flush(&m->mmu);
    assert_int_equal(translate(m, VA, MMU_LOAD), TRAP_LOAD_ACCESS);
    assert_int_equal(translate(m, VA + 512, MMU_LOAD), TRAP_NONE);      /* one page, two answers */
    assert_int_equal(translate(m, VA, MMU_LOAD), TRAP_LOAD_ACCESS);
    csr_write(&m->hart, CSR_pmpcfg0, 0x1f1900);                         /* the table is read-only */
    phys_write(&m->phys, leaf, 8, DATA >> 12 << 10 | (KERNEL & ~(A | D)));
    mmu_flush(&m->mmu);
    assert_int_equal(translate(m, VA, MMU_LOAD), TRAP_LOAD_ACCESS);     /* A cannot be set */
    phys_write(&m->phys, leaf, 8, DATA >> 12 << 10 | (KERNEL & ~D));
    assert_int_equal(translate(m, VA, MMU_LOAD), TRAP_NONE);
    assert_int_equal(translate(m, VA, MMU_STORE), TRAP_STORE_ACCESS);   /* D cannot be set */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pages_of_every_size_translate_and_record_the_walk),
        TEST(a_misaligned_superpage_faults),
        TEST(addresses_must_be_canonical),
        TEST(reserved_bits_fault),
        TEST(a_table_outside_memory_is_an_access_fault),
        TEST(every_combination_of_flags_permits_what_the_manual_says),
        TEST(a_store_after_a_load_still_sets_the_dirty_bit),
        TEST(pmp_guards_data_and_page_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
