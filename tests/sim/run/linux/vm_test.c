/* The address space of a user program: regions, pages and rights, as the MMU sees them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/sim/run/linux/space.h"

/* ---- pages ------------------------------------------------------------------------------ */

static void a_page_appears_when_touched_and_is_zero(void **state)
{
    uint64_t left;

    (void)state;
    assert_int_equal(map(BASE, 4, RW), 0);
    assert_int_equal(see(BASE, MMU_LOAD), TRAP_LOAD_PAGE);
    left = vm_pages_left(&vm.table);
    assert_int_equal(vm_touch(&vm, BASE + 5, VM_READ), VM_OK);
    assert_int_equal(see(BASE, MMU_LOAD), TRAP_NONE);
    assert_int_equal(see(BASE, MMU_STORE), TRAP_NONE);
    assert_int_equal(see(BASE, MMU_FETCH), TRAP_FETCH_PAGE);
    assert_int_equal(see(BASE + PAGE, MMU_LOAD), TRAP_LOAD_PAGE);
    assert_int_equal(load(BASE), 0);
    assert_int_equal(left - vm_pages_left(&vm.table), 3);   /* two tables and the page */
}

static void touching_says_why_it_cannot_be(void **state)
{
    (void)state;
    assert_int_equal(map(BASE, 1, VM_READ), 0);
    assert_int_equal(vm_touch(&vm, BASE - 1, VM_READ), VM_NO_REGION);
    assert_int_equal(vm_touch(&vm, BASE + PAGE, VM_READ), VM_NO_REGION);
    assert_int_equal(vm_touch(&vm, UINT64_MAX, VM_READ), VM_NO_REGION);
    assert_int_equal(vm_touch(&vm, BASE, VM_WRITE), VM_FORBIDDEN);
    assert_int_equal(vm_touch(&vm, BASE, VM_EXEC), VM_FORBIDDEN);
    assert_int_equal(vm_touch(&vm, BASE, VM_READ), VM_OK);
}

static void a_walk_finds_accessed_and_dirty_set(void **state)
{
    uint64_t pte;

    (void)state;
    assert_int_equal(map(BASE, 1, RW), 0);
    assert_int_equal(vm_touch(&vm, BASE, VM_READ), VM_OK);
    pte = vm_table_get(&vm.table, BASE);
    assert_int_equal(pte & 0x3ff, VM_PTE_VALID | VM_PTE_READ | VM_PTE_WRITE | VM_PTE_USER |
                                      VM_PTE_ACCESSED | VM_PTE_DIRTY);
}

static void pages_given_back_are_used_again_and_zeroed(void **state)
{
    uint64_t first_pa, again_pa, left = vm_pages_left(&vm.table);

    (void)state;
    assert_int_equal(map(BASE, 1, RW), 0);
    store(BASE, 42);
    assert_true(vm_translate(&vm, BASE, &first_pa));
    assert_int_equal(vm_unmap(&vm, BASE, PAGE), 0);
    assert_true(vm.changed);
    assert_false(vm_translate(&vm, BASE, &again_pa));
    assert_int_equal(left - vm_pages_left(&vm.table), 2);   /* the tables stay */
    assert_int_equal(map(BASE + PAGE, 1, RW), 0);
    assert_int_equal(load(BASE + PAGE), 0);
    assert_true(vm_translate(&vm, BASE + PAGE, &again_pa));
    assert_int_equal(first_pa, again_pa);
}

static void memory_ends_with_an_error_and_can_be_given_back(void **state)
{
    uint64_t i, pages = 0;
    struct vm_region region = {.start = BASE, .end = BASE + 1000 * PAGE, .prot = RW,
                               .flags = VM_RESERVE};

    (void)state;
    assert_int_equal(vm_map(&vm, &region), 0);
    for (i = 0; i < 1000 && vm_touch(&vm, BASE + i * PAGE, VM_WRITE) == VM_OK; i++) {
        pages++;
    }
    assert_in_range(pages, RAM_PAGES - 16 - 8, RAM_PAGES - 16);
    assert_int_equal(vm_touch(&vm, BASE + pages * PAGE, VM_WRITE), VM_NO_PAGE);
    assert_int_equal(vm_unmap(&vm, BASE, PAGE), 0);
    assert_int_equal(vm_touch(&vm, BASE + pages * PAGE, VM_WRITE), VM_OK);
}

static void more_writable_memory_than_pages_is_refused(void **state)
{
    (void)state;
    assert_int_equal(map(BASE, vm.pages + 1, RW), -ENOMEM);
    assert_int_equal(map(BASE, vm.pages - 10, RW), 0);
    assert_int_equal(map(BASE + vm.pages * PAGE, 11, RW), -ENOMEM);
    assert_int_equal(map(BASE + vm.pages * PAGE, 10, RW), 0);
    assert_int_equal(map(BASE + vm.pages * 2 * PAGE, 1000, VM_READ), 0);
}

/* ---- regions ---------------------------------------------------------------------------- */

static void neighbours_alike_become_one_region(void **state)
{
    (void)state;
    assert_int_equal(map(BASE + PAGE, 1, RW), 0);
    assert_int_equal(map(BASE + 3 * PAGE, 1, RW), 0);
    assert_int_equal(map(BASE, 1, VM_READ), 0);
    assert_int_equal(vm.region_count, 3);
    assert_int_equal(map(BASE + 2 * PAGE, 1, RW), 0);
    assert_int_equal(vm.region_count, 2);
    assert_int_equal(vm_region_at(&vm, BASE + 2 * PAGE)->end, BASE + 4 * PAGE);
}

static void a_hole_splits_a_region(void **state)
{
    (void)state;
    assert_int_equal(map(BASE, 5, RW), 0);
    store(BASE + 4 * PAGE, 7);
    assert_int_equal(vm_unmap(&vm, BASE + 2 * PAGE, PAGE), 0);
    assert_int_equal(vm.region_count, 2);
    assert_null(vm_region_at(&vm, BASE + 2 * PAGE));
    assert_int_equal(load(BASE + 4 * PAGE), 7);
    assert_true(vm_is_used(&vm, BASE, 3 * PAGE));
    assert_false(vm_is_used(&vm, BASE + 2 * PAGE, PAGE));
}

static void mapping_over_something_replaces_it(void **state)
{
    (void)state;
    assert_int_equal(map(BASE, 4, RW), 0);
    store(BASE + PAGE, 1);
    assert_int_equal(map(BASE + PAGE, 2, VM_READ), 0);
    assert_int_equal(load(BASE + PAGE), 0);
    assert_int_equal(vm_touch(&vm, BASE + PAGE, VM_WRITE), VM_FORBIDDEN);
    assert_int_equal(vm_touch(&vm, BASE + 3 * PAGE, VM_WRITE), VM_OK);
}

static void the_highest_gap_that_fits_is_found(void **state)
{
    (void)state;
    assert_int_equal(vm_find_gap(&vm, PAGE), MAP_TOP - PAGE);
    assert_int_equal(map(MAP_TOP - PAGE, 1, RW), 0);
    assert_int_equal(map(MAP_TOP - 4 * PAGE, 1, RW), 0);
    assert_int_equal(vm_find_gap(&vm, 2 * PAGE), MAP_TOP - 3 * PAGE);
    assert_int_equal(vm_find_gap(&vm, 3 * PAGE), MAP_TOP - 7 * PAGE);
    assert_int_equal(vm_find_gap(&vm, VM_USER_END), 0);
}

static void rights_change_page_by_page(void **state)
{
    (void)state;
    assert_int_equal(map(BASE, 3, RW), 0);
    store(BASE + PAGE, 9);
    vm.changed = false;
    assert_int_equal(vm_protect(&vm, BASE + PAGE, PAGE, VM_READ | VM_EXEC), 0);
    assert_true(vm.changed);
    assert_int_equal(see(BASE + PAGE, MMU_STORE), TRAP_STORE_PAGE);
    assert_int_equal(see(BASE + PAGE, MMU_FETCH), TRAP_NONE);
    assert_int_equal(vm_touch(&vm, BASE + 2 * PAGE, VM_WRITE), VM_OK);
    assert_int_equal(vm_protect(&vm, BASE + PAGE, PAGE, 0), 0);
    assert_int_equal(see(BASE + PAGE, MMU_LOAD), TRAP_LOAD_PAGE);
    assert_int_equal(vm_touch(&vm, BASE + PAGE, VM_READ), VM_FORBIDDEN);
    assert_int_equal(vm_protect(&vm, BASE + PAGE, PAGE, RW), 0);
    assert_int_equal(load(BASE + PAGE), 9);
    assert_int_equal(vm.region_count, 1);
    assert_int_equal(vm_protect(&vm, BASE + 2 * PAGE, 2 * PAGE, RW), -ENOMEM);
}

static void moving_takes_the_pages_along(void **state)
{
    uint64_t before, after, to = BASE + (UINT64_C(1) << 30);

    (void)state;
    assert_int_equal(map(BASE, 4, RW), 0);
    store(BASE + 2 * PAGE, 5);
    assert_true(vm_translate(&vm, BASE + 2 * PAGE, &before));
    assert_int_equal(vm_move(&vm, BASE + PAGE, to, 2 * PAGE), 0);
    assert_true(vm_translate(&vm, to + PAGE, &after));
    assert_int_equal(before, after);
    assert_int_equal(load(to + PAGE), 5);
    assert_null(vm_region_at(&vm, BASE + PAGE));
    assert_non_null(vm_region_at(&vm, BASE + 3 * PAGE));
}

static void discarded_memory_is_zero_again(void **state)
{
    (void)state;
    assert_int_equal(map(BASE, 3, RW), 0);
    store(BASE, 1);
    store(BASE + PAGE, 2);
    assert_int_equal(vm_discard(&vm, BASE + PAGE, 2 * PAGE), 0);
    assert_int_equal(load(BASE), 1);
    assert_int_equal(load(BASE + PAGE), 0);
}

/* ---- segments --------------------------------------------------------------------------- */

static void a_loaded_segment_lies_where_it_was_put(void **state)
{
    uint64_t pa, i;

    (void)state;
    assert_int_equal(vm_load(&vm, BASE + 0x10, 3 * PAGE, VM_READ | VM_EXEC,
                             PHYS_RAM_BASE + 0x10), 0);
    for (i = 0; i < 4; i++) {
        assert_true(vm_translate(&vm, BASE + i * PAGE, &pa));
        assert_int_equal(pa, PHYS_RAM_BASE + i * PAGE);
    }
    assert_false(vm_translate(&vm, BASE + 4 * PAGE, &pa));
    assert_int_equal(see(BASE, MMU_FETCH), TRAP_NONE);
    assert_int_equal(see(BASE, MMU_STORE), TRAP_STORE_PAGE);
}

static void two_segments_in_one_page_share_it_with_the_rights_of_both(void **state)
{
    uint64_t pa;

    (void)state;
    assert_int_equal(vm_load(&vm, BASE, PAGE + 0x100, VM_READ | VM_EXEC, PHYS_RAM_BASE), 0);
    assert_int_equal(vm_load(&vm, BASE + PAGE + 0x100, PAGE, RW, PHYS_RAM_BASE + PAGE), 0);
    assert_int_equal(see(BASE, MMU_STORE), TRAP_STORE_PAGE);
    assert_int_equal(see(BASE + PAGE, MMU_STORE), TRAP_NONE);
    assert_int_equal(see(BASE + PAGE, MMU_FETCH), TRAP_NONE);
    assert_int_equal(see(BASE + 2 * PAGE, MMU_FETCH), TRAP_FETCH_PAGE);
    assert_true(vm_translate(&vm, BASE + 2 * PAGE, &pa));
    assert_int_equal(pa, PHYS_RAM_BASE + 2 * PAGE);
}

static void loaded_pages_are_neither_discarded_nor_given_to_others(void **state)
{
    uint64_t left, pa;

    (void)state;
    assert_int_equal(vm_load(&vm, BASE, PAGE, RW, PHYS_RAM_BASE), 0);
    store(BASE, 3);
    assert_int_equal(vm_discard(&vm, BASE, PAGE), 0);
    assert_int_equal(load(BASE), 3);
    left = vm_pages_left(&vm.table);
    assert_int_equal(vm_unmap(&vm, BASE, PAGE), 0);
    assert_int_equal(vm_pages_left(&vm.table), left);
    assert_false(vm_translate(&vm, BASE, &pa));
}

/* ---- anything --------------------------------------------------------------------------- */

enum { MODEL_PAGES = 24 };
struct model_page { unsigned prot; uint64_t value; bool is_mapped; };

/* Makes in the model the change of an operation (0 map, 1 unmap, 2 protect). */
static void model_change(struct model_page *model, unsigned what, unsigned count)
{
    for (; count > 0; count--, model++) {
        model->value = what == 2 ? model->value : 0;
        model->is_mapped = what != 1;
        model->prot = what == 0 ? RW : VM_READ;
    }
}

static void model_compare(const struct model_page *model)
{
    for (unsigned i = 0; i < MODEL_PAGES; i++) {
        uint64_t va = BASE + i * PAGE;

        assert_int_equal(vm_region_at(&vm, va) != NULL, model[i].is_mapped);
        if (model[i].is_mapped) {
            assert_int_equal(load(va), model[i].value);
            assert_int_equal(see(va, MMU_STORE) == TRAP_NONE, model[i].prot == RW);
        }
    }
}

static bool model_is_whole(const struct model_page *model, unsigned count)
{
    while (count > 0 && model->is_mapped) {
        count--;
        model++;
    }
    return count == 0;
}

static void random_operations_agree_with_a_table_of_pages(void **state)
{
    struct model_page model[MODEL_PAGES] = {{0}};
    uint32_t seed = 1;

    (void)state;
    for (unsigned round = 0; round < 4000; round++) {
        unsigned first, count, what;
        uint64_t va;

        seed = seed * 1664525 + 1013904223;
        first = seed >> 8 & 15;
        count = 1 + (seed >> 16 & 7);
        what = seed >> 28 & 3;
        va = BASE + first * PAGE;
        if (what == 0) {
            assert_int_equal(map(va, count, RW), 0);
            model_change(&model[first], what, count);
        } else if (what == 1) {
            assert_int_equal(vm_unmap(&vm, va, count * PAGE), 0);
            model_change(&model[first], what, count);
        } else if (what == 2 && model_is_whole(&model[first], count)) {
            assert_int_equal(vm_protect(&vm, va, count * PAGE, VM_READ), 0);
            model_change(&model[first], what, count);
        } else if (what == 2) {
            assert_int_equal(vm_protect(&vm, va, count * PAGE, VM_READ), -ENOMEM);
        } else if (model[first].is_mapped && model[first].prot == RW) {
            store(va, round + 1);
            model[first].value = round + 1;
        }
        model_compare(model);
    }
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(a_page_appears_when_touched_and_is_zero),
        CASE(touching_says_why_it_cannot_be),
        CASE(a_walk_finds_accessed_and_dirty_set),
        CASE(pages_given_back_are_used_again_and_zeroed),
        CASE(memory_ends_with_an_error_and_can_be_given_back),
        CASE(more_writable_memory_than_pages_is_refused),
        CASE(neighbours_alike_become_one_region),
        CASE(a_hole_splits_a_region),
        CASE(mapping_over_something_replaces_it),
        CASE(the_highest_gap_that_fits_is_found),
        CASE(rights_change_page_by_page),
        CASE(moving_takes_the_pages_along),
        CASE(discarded_memory_is_zero_again),
        CASE(a_loaded_segment_lies_where_it_was_put),
        CASE(two_segments_in_one_page_share_it_with_the_rights_of_both),
        CASE(loaded_pages_are_neither_discarded_nor_given_to_others),
        CASE(random_operations_agree_with_a_table_of_pages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
