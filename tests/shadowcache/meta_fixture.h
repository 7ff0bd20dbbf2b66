/* One struct meta and its diagnosis, fresh before each case and freed after it. */
#ifndef TESTS_SHADOWCACHE_META_FIXTURE_H
#define TESTS_SHADOWCACHE_META_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/shadowcache/fake_program.h"

static struct meta meta;
static struct diag diag;

static inline int fresh(void **state)
{
    (void)state;
    memset(&meta, 0, sizeof meta);
    memset(&diag, 0, sizeof diag);
    return 0;
}

static inline int done(void **state)
{
    (void)state;
    meta_free(&meta);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, done)

#endif
