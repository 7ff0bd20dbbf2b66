/* The address space of a user program: regions, pages, rights, copies; checked through the MMU
 * too. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/mem/mmu.h"
#include "sim/run/vm.h"

enum { PAGE = PHYS_PAGE_BYTES, RAM_PAGES = 256, RW = VM_READ | VM_WRITE };
#define BASE UINT64_C(0x20000000)
#define MAP_TOP UINT64_C(0x3f00000000)
#define POOL_START (PHYS_RAM_BASE + 16 * PAGE)

static struct phys phys;
static struct vm vm;
static struct hart hart;
static struct mmu mmu;

static int set_up(void **state)
{
    (void)state;
    assert_true(phys_init(&phys, RAM_PAGES * PAGE));
    assert_true(vm_init(&vm, &phys, POOL_START, PHYS_RAM_BASE + RAM_PAGES * PAGE, MAP_TOP));
    memset(&hart, 0, sizeof hart);
    hart.priv = PRIV_U;
    hart.satp = vm_satp(&vm);
    hart.pmpcfg[0] = 0x1f;
    hart.pmpaddr[0] = (UINT64_C(1) << 54) - 1;
    hart.pmp_active = 1;
    mmu_init(&mmu, &hart, &phys);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    mmu_free(&mmu);
    vm_free(&vm);
    phys_free(&phys);
    return 0;
}

static int map(uint64_t start, uint64_t pages, unsigned prot)
{
    struct vm_region region = {.start = start, .end = start + pages * PAGE, .prot = prot};

    return vm_map(&vm, &region);
}

/* A temporary file with `bytes` of the alphabet, as vm_map wants it. */
static struct vm_file *make_file(size_t bytes)
{
    char name[] = "/tmp/vm_test.XXXXXX";
    struct vm_file *file = calloc(1, sizeof *file);
    size_t i;

    assert_non_null(file);
    file->fd = mkstemp(name);
    assert_true(file->fd >= 0);
    unlink(name);
    for (i = 0; i < bytes; i++) {
        char letter = (char)('a' + i % 26);

        assert_int_equal(write(file->fd, &letter, 1), 1);
    }
    return file;
}

static int map_file(uint64_t start, uint64_t pages, unsigned flags, struct vm_file *file,
                    uint64_t offset)
{
    struct vm_region region = {.start = start, .end = start + pages * PAGE, .prot = RW,
                               .flags = flags, .file = file, .offset = offset};

    return vm_map(&vm, &region);
}

/* What the program itself would see. */
static enum trap_cause see(uint64_t va, enum mmu_access access)
{
    uint64_t pa;

    return mmu_probe(&mmu, va, access, PRIV_U, &pa);
}

static uint64_t load(uint64_t va)
{
    uint64_t value = 0;

    assert_true(vm_read(&vm, va, &value, sizeof value));
    return value;
}

static void store(uint64_t va, uint64_t value)
{
    assert_true(vm_write(&vm, va, &value, sizeof value));
}

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

/* ---- files ------------------------------------------------------------------------------ */

static void a_private_file_page_is_read_when_touched(void **state)
{
    char text[4];

    (void)state;
    assert_int_equal(map_file(BASE, 3, 0, make_file(PAGE + 30), 0), 0);
    assert_true(vm_read(&vm, BASE + 1, text, 3));
    assert_memory_equal(text, "bcd", 3);
    assert_true(vm_read(&vm, BASE + PAGE + 29, text, 2));
    assert_int_equal(text[0], 'a' + (PAGE + 29) % 26);
    assert_int_equal(text[1], 0);
    assert_int_equal(vm_touch(&vm, BASE + 2 * PAGE, VM_READ), VM_BEYOND_FILE);
}

static void a_split_file_region_keeps_its_offsets(void **state)
{
    char letter;

    (void)state;
    assert_int_equal(map_file(BASE, 3, 0, make_file(5 * PAGE), PAGE), 0);
    assert_int_equal(vm_unmap(&vm, BASE + PAGE, PAGE), 0);
    assert_true(vm_read(&vm, BASE + 2 * PAGE, &letter, 1));
    assert_int_equal(letter, 'a' + 3 * PAGE % 26);
}

static void shared_pages_go_back_to_the_file_and_no_further(void **state)
{
    struct vm_file *file = make_file(100);
    int copy = dup(file->fd);
    char text[2] = "";

    (void)state;
    assert_int_equal(map_file(BASE, 1, VM_SHARED, file, 0), 0);
    assert_true(vm_write(&vm, BASE + 10, "X", 1));
    vm_sync(&vm, BASE, PAGE);
    assert_int_equal(pread(copy, text, 1, 10), 1);
    assert_int_equal(text[0], 'X');
    assert_true(vm_write(&vm, BASE + 11, "Y", 1));
    assert_int_equal(vm_unmap(&vm, BASE, PAGE), 0);
    assert_int_equal(pread(copy, text, 1, 11), 1);
    assert_int_equal(text[0], 'Y');
    assert_int_equal(lseek(copy, 0, SEEK_END), 100);
    close(copy);
}

/* ---- segments --------------------------------------------------------------------------- */

static void a_loaded_segment_lies_where_it_was_put(void **state)
{
    uint64_t pa, i;

    (void)state;
    assert_int_equal(vm_load(&vm, BASE + 0x10, 3 * PAGE, VM_READ | VM_EXEC, PHYS_RAM_BASE + 0x10), 0);
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

/* ---- copies ----------------------------------------------------------------------------- */

static void copies_cross_pages_that_lie_apart(void **state)
{
    uint8_t out[3 * PAGE], in[3 * PAGE];
    size_t i;

    (void)state;
    assert_int_equal(map(BASE, 4, RW), 0);
    assert_int_equal(vm_touch(&vm, BASE + 3 * PAGE, VM_READ), VM_OK);
    assert_int_equal(vm_touch(&vm, BASE + PAGE, VM_READ), VM_OK);
    for (i = 0; i < sizeof out; i++) {
        out[i] = (uint8_t)(i * 7);
    }
    assert_true(vm_write(&vm, BASE + 100, out, sizeof out));
    assert_true(vm_read(&vm, BASE + 100, in, sizeof in));
    assert_memory_equal(in, out, sizeof in);
}

static void copies_stop_at_the_first_bad_page(void **state)
{
    uint8_t bytes[2 * PAGE] = {0};

    (void)state;
    assert_int_equal(map(BASE, 1, RW), 0);
    assert_int_equal(map(BASE + PAGE, 1, VM_READ), 0);
    assert_false(vm_write(&vm, BASE, bytes, sizeof bytes));
    assert_true(vm_read(&vm, BASE, bytes, sizeof bytes));
    assert_false(vm_read(&vm, BASE + 1, bytes, sizeof bytes));
    assert_int_equal(vm_accessible(&vm, BASE + 10, 2 * PAGE, VM_WRITE), PAGE - 10);
    assert_int_equal(vm_accessible(&vm, BASE + 10, 5, VM_WRITE), 5);
    assert_int_equal(vm_accessible(&vm, 0, 5, VM_WRITE), 0);
    assert_false(vm_read(&vm, UINT64_MAX - 3, bytes, 8));
}

static void a_string_ends_at_its_zero_or_with_an_error(void **state)
{
    char text[16];

    (void)state;
    assert_int_equal(map(BASE, 2, RW), 0);
    assert_true(vm_write(&vm, BASE + PAGE - 3, "across", 7));
    assert_int_equal(vm_read_string(&vm, BASE + PAGE - 3, text, sizeof text), 6);
    assert_string_equal(text, "across");
    assert_int_equal(vm_read_string(&vm, BASE + PAGE - 3, text, 6), -ENAMETOOLONG);
    assert_int_equal(vm_read_string(&vm, 0, text, sizeof text), -EFAULT);
    assert_true(vm_write(&vm, BASE + 2 * PAGE - 4, "open", 4));
    assert_int_equal(vm_read_string(&vm, BASE + 2 * PAGE - 4, text, sizeof text), -EFAULT);
}

/* Random operations against a plain table of pages. */
static void random_operations_agree_with_a_table_of_pages(void **state)
{
    enum { PAGES = 24 };
    struct { unsigned prot; uint64_t value; bool is_mapped; } model[PAGES] = {{0}};
    uint32_t seed = 1;
    unsigned round, i;

    (void)state;
    for (round = 0; round < 4000; round++) {
        unsigned first, count, what;
        uint64_t va;

        seed = seed * 1664525 + 1013904223;
        first = seed >> 8 & 15;
        count = 1 + (seed >> 16 & 7);
        what = seed >> 28 & 3;
        va = BASE + first * PAGE;
        if (what == 0) {
            assert_int_equal(map(va, count, RW), 0);
        } else if (what == 1) {
            assert_int_equal(vm_unmap(&vm, va, count * PAGE), 0);
        } else if (what == 2) {
            bool is_whole = true;

            for (i = first; i < first + count; i++) {
                is_whole &= model[i].is_mapped;
            }
            assert_int_equal(vm_protect(&vm, va, count * PAGE, VM_READ) == 0, is_whole);
            if (!is_whole) {
                continue;
            }
        } else if (model[first].is_mapped && model[first].prot == RW) {
            store(va, round + 1);
            model[first].value = round + 1;
        }
        for (i = first; i < first + count && what < 3; i++) {
            model[i].value = what == 2 ? model[i].value : 0;
            model[i].is_mapped = what != 1;
            model[i].prot = what == 0 ? RW : VM_READ;
        }
        for (i = 0; i < PAGES; i++) {
            assert_int_equal(vm_region_at(&vm, BASE + i * PAGE) != NULL, model[i].is_mapped);
            if (model[i].is_mapped) {
                assert_int_equal(load(BASE + i * PAGE), model[i].value);
                assert_int_equal(see(BASE + i * PAGE, MMU_STORE) == TRAP_NONE, model[i].prot == RW);
            }
        }
    }
    for (i = 1; i < vm.region_count; i++) {
        assert_true(vm.regions[i - 1].end <= vm.regions[i].start);
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
        CASE(a_private_file_page_is_read_when_touched),
        CASE(a_split_file_region_keeps_its_offsets),
        CASE(shared_pages_go_back_to_the_file_and_no_further),
        CASE(a_loaded_segment_lies_where_it_was_put),
        CASE(two_segments_in_one_page_share_it_with_the_rights_of_both),
        CASE(loaded_pages_are_neither_discarded_nor_given_to_others),
        CASE(copies_cross_pages_that_lie_apart),
        CASE(copies_stop_at_the_first_bad_page),
        CASE(a_string_ends_at_its_zero_or_with_an_error),
        CASE(random_operations_agree_with_a_table_of_pages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
