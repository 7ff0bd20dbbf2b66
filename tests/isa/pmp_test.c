/* Physical memory protection against a slow model that looks at every byte by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "isa/csr.h"

enum { FETCH, LOAD, STORE };
enum { RWX = PMP_R | PMP_W | PMP_X };

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void set_entry(struct hart *hart, unsigned entry, uint64_t address, uint8_t config)
{
    uint64_t word = csr_read(hart, entry < 8 ? CSR_pmpcfg0 : CSR_pmpcfg2);
    unsigned shift = 8 * (entry % 8);
    csr_write(hart, CSR_pmpaddr0 + entry, address);
    word = (word & ~(UINT64_C(0xff) << shift)) | (uint64_t)config << shift;
    csr_write(hart, entry < 8 ? CSR_pmpcfg0 : CSR_pmpcfg2, word);
}

/* ---- the model ------------------------------------------------------------------------------- */

static bool model_matches(const struct hart *hart, unsigned entry, uint64_t byte)
{
    uint64_t granule = byte >> 2, address = hart->pmpaddr[entry];
    switch (hart->pmpcfg[entry] & PMP_MODE) {
    case 0:
        return false;
    case PMP_TOR:
        return granule < address && (entry == 0 || granule >= hart->pmpaddr[entry - 1]);
    case PMP_NA4:
        return granule == address;
    default: {
        unsigned ones = 0;
        while (ones < 54 && (address >> ones & 1)) {
            ones++;
        }
        return granule >> (ones + 1) == address >> (ones + 1);
    }
    }
}

static bool model_allows(const struct hart *hart, uint64_t pa, unsigned size, unsigned access,
                         unsigned priv)
{
    for (unsigned entry = 0; entry < PMP_COUNT; entry++) {
        unsigned matched = 0;
        for (unsigned i = 0; i < size; i++) {
            matched += model_matches(hart, entry, pa + i);
        }
        if (matched != 0) {
            static const uint8_t needed[3] = {PMP_X, PMP_R, PMP_W};
            bool is_bound = priv != PRIV_M || (hart->pmpcfg[entry] & PMP_LOCK);
            return matched == size && (!is_bound || (hart->pmpcfg[entry] & needed[access]));
        }
    }
    return priv == PRIV_M;
}

static void random_entries_decide_as_the_byte_by_byte_model(void **state)
{
    (void)state;
    uint64_t random = 0x9e3779b97f4a7c15;
    unsigned allowed = 0, checks = 0;
    for (unsigned round = 0; round < 3000; round++) {
        struct hart hart;
        hart_reset(&hart, 0, 0, 0);
        for (unsigned entry = 0; entry < PMP_COUNT; entry++) {
            uint64_t bits = next_random(&random);
            uint8_t config = bits & 1 ? (uint8_t)(bits >> 8 & (PMP_MODE | RWX)) : 0;
            set_entry(&hart, entry, (0x80000000 >> 2) + (bits >> 16 & 0x1f), config);
        }
        for (unsigned i = 0; i < 40; i++) {
            uint64_t bits = next_random(&random);
            uint64_t pa = 0x80000000 - 8 + (bits & 0x8f);
            unsigned size = 1u << (bits >> 8 & 3), access = (unsigned)(bits >> 16) % 3;
            unsigned priv = bits >> 24 & 1 ? PRIV_M : PRIV_U;
            bool expected = model_allows(&hart, pa, size, access, priv);
            assert_int_equal(pmp_allows(&hart, pa, size, access, priv), expected);
            allowed += expected;
            checks++;
        }
    }
    assert_in_range(allowed, checks / 10, checks * 9 / 10);    /* both answers occur */
}

/* ---- single rules ---------------------------------------------------------------------------- */

static void after_reset_only_machine_mode_reaches_memory(void **state)
{
    (void)state;
    struct hart hart;
    hart_reset(&hart, 0, 0, 0);
    assert_true(pmp_allows(&hart, 0x80000000, 8, STORE, PRIV_M));
    assert_false(pmp_allows(&hart, 0x80000000, 8, LOAD, PRIV_S));
    assert_false(pmp_allows(&hart, 0x80000000, 8, LOAD, PRIV_U));
    pmp_open(&hart);
    assert_true(pmp_allows(&hart, 0x80000000, 8, LOAD, PRIV_U));
    assert_true(pmp_allows(&hart, (UINT64_C(1) << 56) - 4, 4, FETCH, PRIV_S));
}

static void the_widest_napot_encodings_cover_all_of_memory(void **state)
{
    (void)state;
    const uint64_t widest[] = {(UINT64_C(1) << 54) - 1, (UINT64_C(1) << 53) - 1};
    for (unsigned i = 0; i < 2; i++) {
        struct hart hart;
        hart_reset(&hart, 0, 0, 0);
        set_entry(&hart, 0, widest[i], PMP_NAPOT | RWX);
        assert_true(pmp_allows(&hart, 0, 8, LOAD, PRIV_U));
        assert_true(pmp_allows(&hart, (UINT64_C(1) << 56) - 8, 8, STORE, PRIV_U));
    }
}

static void an_access_half_inside_an_entry_fails_even_in_machine_mode(void **state)
{
    (void)state;
    struct hart hart;
    hart_reset(&hart, 0, 0, 0);
    set_entry(&hart, 0, 0x80000000 >> 2, PMP_NA4 | RWX);
    assert_true(pmp_allows(&hart, 0x80000000, 4, LOAD, PRIV_M));
    assert_false(pmp_allows(&hart, 0x80000000, 8, LOAD, PRIV_M));
    assert_true(pmp_allows(&hart, 0x80000004, 4, LOAD, PRIV_M));
    assert_false(pmp_allows(&hart, 0x80000004, 4, LOAD, PRIV_S));
}

static void a_locked_entry_binds_machine_mode_and_stays_until_reset(void **state)
{
    (void)state;
    struct hart hart;
    hart_reset(&hart, 0, 0, 0);
    set_entry(&hart, 0, (0x80000000 >> 2) | 0x1ff, PMP_NAPOT | PMP_R | PMP_LOCK);
    assert_true(pmp_allows(&hart, 0x80000ff8, 8, LOAD, PRIV_M));
    assert_false(pmp_allows(&hart, 0x80000ff8, 8, STORE, PRIV_M));
    set_entry(&hart, 0, 0, 0);
    assert_int_equal(hart.pmpcfg[0], PMP_NAPOT | PMP_R | PMP_LOCK);
    assert_int_equal(hart.pmpaddr[0], (0x80000000 >> 2) | 0x1ff);
    hart_reset(&hart, 0, 0, 0);
    assert_true(pmp_allows(&hart, 0x80000ff8, 8, STORE, PRIV_M));
}

static void a_locked_top_of_range_locks_the_address_below_it(void **state)
{
    (void)state;
    struct hart hart;
    hart_reset(&hart, 0, 0, 0);
    set_entry(&hart, 4, 0x100, 0);
    set_entry(&hart, 5, 0x200, PMP_TOR | PMP_R | PMP_LOCK);
    csr_write(&hart, CSR_pmpaddr4, 0x180);
    assert_int_equal(hart.pmpaddr[4], 0x100);
    csr_write(&hart, CSR_pmpaddr3, 0x180);
    assert_int_equal(hart.pmpaddr[3], 0x180);
    set_entry(&hart, 8, 0x300, PMP_NA4 | PMP_LOCK);
    csr_write(&hart, CSR_pmpaddr7, 0x180);
    assert_int_equal(hart.pmpaddr[7], 0x180);   /* other modes use their own address only */
}

static void write_without_read_is_reserved_and_keeps_the_permissions(void **state)
{
    (void)state;
    struct hart hart;
    hart_reset(&hart, 0, 0, 0);
    set_entry(&hart, 1, 0, PMP_NA4 | PMP_R | PMP_X);
    set_entry(&hart, 1, 0, PMP_TOR | PMP_W);
    assert_int_equal(hart.pmpcfg[1], PMP_TOR | PMP_R | PMP_X);
    set_entry(&hart, 1, 0, 0x60 | PMP_R);
    assert_int_equal(hart.pmpcfg[1], PMP_R);
}

static void the_active_count_ends_at_the_last_entry_that_is_on(void **state)
{
    (void)state;
    struct hart hart;
    hart_reset(&hart, 0, 0, 0);
    set_entry(&hart, 11, 0, PMP_NA4);
    assert_int_equal(hart.pmp_active, 12);
    set_entry(&hart, 2, 0, PMP_NA4);
    assert_int_equal(hart.pmp_active, 12);
    set_entry(&hart, 11, 0, 0);
    assert_int_equal(hart.pmp_active, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_entries_decide_as_the_byte_by_byte_model),
        cmocka_unit_test(after_reset_only_machine_mode_reaches_memory),
        cmocka_unit_test(the_widest_napot_encodings_cover_all_of_memory),
        cmocka_unit_test(an_access_half_inside_an_entry_fails_even_in_machine_mode),
        cmocka_unit_test(a_locked_entry_binds_machine_mode_and_stays_until_reset),
        cmocka_unit_test(a_locked_top_of_range_locks_the_address_below_it),
        cmocka_unit_test(write_without_read_is_reserved_and_keeps_the_permissions),
        cmocka_unit_test(the_active_count_ends_at_the_last_entry_that_is_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
