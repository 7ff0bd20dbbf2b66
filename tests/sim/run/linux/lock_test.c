/* Locks of files: which owners exclude each other, and the rest of a lock of which a part is
 * released. Every case is compared with a table of bytes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/run/linux/lock.h"

enum { BYTES = 24, OWNERS = 3, ROUNDS = 20000 };

static const char owners[OWNERS];

static struct lock lock_of(unsigned owner, unsigned start, unsigned end, enum lock_type type)
{
    return (struct lock){.device = 1, .inode = 2, .start = start, .end = end, .type = type,
                         .owner = &owners[owner], .pid = owner};
}

static void readers_share_and_a_writer_does_not(void **state)
{
    struct locks *locks = locks_new();
    struct lock one = lock_of(0, 0, 10, LOCK_READ), two = lock_of(1, 5, 15, LOCK_READ);

    (void)state;
    assert_int_equal(locks_set(locks, &one), 0);
    assert_int_equal(locks_set(locks, &two), 0);
    two.type = LOCK_WRITE;
    assert_int_equal(locks_set(locks, &two), -EAGAIN);
    assert_int_equal(locks_find(locks, &two)->pid, 0);
    one.type = LOCK_NONE;
    assert_int_equal(locks_set(locks, &one), 0);
    assert_int_equal(locks_set(locks, &two), 0);
    locks_drop(locks);
}

static void another_file_and_another_kind_are_apart(void **state)
{
    struct locks *locks = locks_new();
    struct lock one = lock_of(0, 0, UINT32_MAX, LOCK_WRITE), two = lock_of(1, 0, 1, LOCK_WRITE);

    (void)state;
    assert_int_equal(locks_set(locks, &one), 0);
    two.is_flock = true;
    assert_int_equal(locks_set(locks, &two), 0);
    two.is_flock = false;
    two.inode = 3;
    assert_int_equal(locks_set(locks, &two), 0);
    two.inode = 2;
    assert_int_equal(locks_set(locks, &two), -EAGAIN);
    locks_forget(locks, &owners[0], 1, 3);
    assert_int_equal(locks_set(locks, &two), -EAGAIN);
    locks_forget(locks, &owners[0], 0, 0);
    assert_int_equal(locks_set(locks, &two), 0);
    locks_drop(locks);
}

/* Whether the owner may have it, byte by byte. */
static bool is_free(enum lock_type table[OWNERS][BYTES], unsigned owner, const struct lock *lock)
{
    for (unsigned other = 0; other < OWNERS; other++)
        for (uint64_t at = lock->start; other != owner && at < lock->end; at++)
            if (table[other][at] == LOCK_WRITE ||
                (table[other][at] == LOCK_READ && lock->type == LOCK_WRITE))
                return false;
    return true;
}

static void random_locks_are_as_a_table_of_bytes_has_them(void **state)
{
    struct locks *locks = locks_new();
    enum lock_type table[OWNERS][BYTES];
    uint32_t seed = 1;

    (void)state;
    for (unsigned i = 0; i < OWNERS * BYTES; i++)
        table[i / BYTES][i % BYTES] = LOCK_NONE;
    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned owner, start, end;
        struct lock lock;

        seed = seed * 1664525 + 1013904223;
        owner = (seed >> 8) % OWNERS;
        start = (seed >> 12) % BYTES;
        end = start + 1 + (seed >> 18) % (BYTES - start);
        lock = lock_of(owner, start, end, (enum lock_type)((seed >> 26) % 3));
        if (lock.type == LOCK_NONE || is_free(table, owner, &lock)) {
            assert_int_equal(locks_set(locks, &lock), 0);
            for (unsigned at = start; at < end; at++)
                table[owner][at] = lock.type;
        } else {
            assert_int_equal(locks_set(locks, &lock), -EAGAIN);
        }
    }
    locks_drop(locks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_share_and_a_writer_does_not),
        cmocka_unit_test(another_file_and_another_kind_are_apart),
        cmocka_unit_test(random_locks_are_as_a_table_of_bytes_has_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
