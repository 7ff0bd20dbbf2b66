/* Arrays that grow by one element at a time, and copies of arrays with texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sim/base/array.h"

enum { COUNT = 1000 };

static void a_growing_array_keeps_its_elements(void **state)
{
    uint32_t *array = NULL;

    (void)state;
    for (size_t count = 0; count < COUNT; count++) {
        uint32_t *grown = array_grow(array, count, sizeof *grown);

        assert_non_null(grown);
        array = grown;
        array[count] = (uint32_t)(3 * count);
    }
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(array[i], 3 * i);
    free(array);
}

/* Up and down by random steps; the sanitized build sees a write outside. */
static void an_array_may_shrink_between_additions(void **state)
{
    uint64_t *array = NULL, random = 1;
    size_t count = 0;

    (void)state;
    for (unsigned step = 0; step < 200; step++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        for (size_t more = random >> 58; more != 0; more--) {
            uint64_t *grown = array_grow(array, count, sizeof *grown);

            assert_non_null(grown);
            array = grown;
            array[count] = count;
            count++;
        }
        count -= (random >> 40) % (count + 1);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(array[i], i);
    }
    free(array);
}

/* Moves at powers of two only, so that adding n elements copies fewer than 2n. */
static void an_array_moves_seldom(void **state)
{
    uint8_t here;

    (void)state;
    for (size_t count = 1; count < COUNT; count++)
        if (count < 8 || (count & (count - 1)) != 0)
            assert_ptr_equal(array_grow(&here, count, 1), &here);
}

static void an_array_beyond_memory_is_refused(void **state)
{
    uint8_t *array = malloc(1);

    (void)state;
    assert_non_null(array);
    assert_null(array_grow(array, SIZE_MAX / 2 + 1, 1));
    assert_null(array_grow(array, (size_t)1 << 40, (size_t)1 << 40));
    array[0] = 1;
    free(array);
}

static void a_copy_has_texts_of_its_own(void **state)
{
    struct named { int number; const char *name; } named[] = {{1, "one"}, {2, ""}, {3, "three"}};
    struct named *copy = array_copy_texts(named, 3, sizeof *copy, offsetof(struct named, name));

    (void)state;
    assert_non_null(copy);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(copy[i].number, named[i].number);
        assert_string_equal(copy[i].name, named[i].name);
        assert_ptr_not_equal(copy[i].name, named[i].name);
    }
    array_free_texts(copy, 3, sizeof *copy, offsetof(struct named, name));
    copy = array_copy_texts(NULL, 0, sizeof *copy, offsetof(struct named, name));
    assert_non_null(copy);
    array_free_texts(copy, 0, sizeof *copy, offsetof(struct named, name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_growing_array_keeps_its_elements),
        cmocka_unit_test(an_array_may_shrink_between_additions),
        cmocka_unit_test(an_array_moves_seldom),
        cmocka_unit_test(an_array_beyond_memory_is_refused),
        cmocka_unit_test(a_copy_has_texts_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
