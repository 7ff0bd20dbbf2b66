/* Instructions that execute alone on the C906, CSR accesses and fences, to the cycle. */
#include "tests/sim/core/inorder/extra_cycles.h"

#define ALONE(a, b) SETTINGS("core.kind=in_order", "dispatch.width=1", "l2.kib=0", \
                             "l1i.prefetch=none", "latency.csr=1", a, b)

/* It issues when all older instructions have committed, and the instructions after it issue when it
 * has committed. */
static void an_access_alone_waits_for_commits(void **state)
{
    (void)state;
    const uint32_t read[] = {NOP, csr(T1, CSR_mscratch, SET, 0), NOP};
    int64_t cycles = extra_cycles(ALONE("latency.csr=1", "c906.csr_wait=0"), read, 3);
    assert_int_equal(extra_cycles(ALONE("latency.csr=0", "c906.csr_wait=0"), read, 3) - cycles,
                     -1);
    assert_int_equal(extra_cycles(ALONE("latency.csr=1", "c906.csr_wait=3"), read, 3) - cycles,
                     3);
}

/* Fetch goes on later after instructions that make it begin again, and another cycle later if they
 * have a result. */
static void fetch_may_go_on_later_after_a_write(void **state)
{
    (void)state;
    const uint32_t write[] = {csr(0, CSR_mscratch, WRITE, A0), NOP};
    const uint32_t exchange[] = {csr(T1, CSR_mscratch, WRITE, A0), NOP};
    const char *const *never = ALONE("recover.csr_writes=true", "c906.serial_cycles=4");
    const char *const *at_once = ALONE("recover.csr_writes=all", "c906.serial_cycles=0");
    const char *const *later = ALONE("recover.csr_writes=all", "c906.serial_cycles=4");
    assert_true(extra_cycles(at_once, write, 2) > extra_cycles(never, write, 2));
    assert_int_equal(extra_cycles(later, write, 2), extra_cycles(at_once, write, 2) + 4);
    assert_int_equal(extra_cycles(later, exchange, 2), extra_cycles(at_once, exchange, 2) + 5);
}

static void a_fence_may_be_an_operation_like_others(void **state)
{
    (void)state;
    const uint32_t body[] = {store(A0, 9, 0), FENCE, mul(T1, A0, A0)};
    const char *const *plain = ALONE("c906.plain_fences=true", "l1d.prefetch=none");
    const char *const *alone = ALONE("c906.plain_fences=false", "l1d.prefetch=none");
    const uint32_t none[] = {store(A0, 9, 0), NOP, mul(T1, A0, A0)};
    assert_int_equal(extra_cycles(plain, body, 3), extra_cycles(plain, none, 3));
    assert_true(extra_cycles(alone, body, 3) > extra_cycles(alone, none, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_access_alone_waits_for_commits),
        cmocka_unit_test(fetch_may_go_on_later_after_a_write),
        cmocka_unit_test(a_fence_may_be_an_operation_like_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
