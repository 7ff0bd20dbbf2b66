/* A made-up program and profile for the tests of prof/: routines at fixed addresses, real code
 * bytes for calls and returns, no debug information. */
#ifndef TESTS_PROF_MADE_H
#define TESTS_PROF_MADE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "prof/profile/profile.h"
#include "prof/symbols/symbols.h"

/* Each routine has 64 bytes: nops, at +16 a call (jal ra), at +32 a compressed call (c.jalr a5), at
 * +60 a return. */
enum { MADE_BASE = 0x1000, MADE_BYTES = 64 };
enum { MADE_CALL = 16, MADE_SHORT_CALL = 32, MADE_RETURN = 60 };
enum { START, MAIN, SORT, COMPARE, MADE_ROUTINES };

#define MADE_AT(routine, offset) (MADE_BASE + (uint64_t)(routine) * MADE_BYTES + (offset))
/* The code after the call at MADE_CALL. */
#define MADE_RETURN_TO(routine) MADE_AT(routine, MADE_CALL + 4)

static inline bool made_code(void *arg, uint64_t address, void *bytes, size_t count)
{
    static const uint8_t nop[] = {0x13, 0, 0, 0}, ret[] = {0x67, 0x80, 0, 0};
    static const uint8_t call[] = {0xef, 0, 0, 0}, short_call[] = {0x82, 0x97, 0x01, 0x00};
    uint8_t *to = bytes;

    (void)arg;
    for (size_t i = 0; i < count; i++) {
        uint64_t offset = (address + i) % MADE_BYTES, at = offset % 4;

        if (address + i < MADE_BASE || address + i >= MADE_AT(MADE_ROUTINES, 0))
            return false;
        to[i] = offset / 4 == MADE_CALL / 4         ? call[at]
                : offset / 4 == MADE_SHORT_CALL / 4 ? short_call[at]
                : offset / 4 == MADE_RETURN / 4     ? ret[at]
                                                    : nop[at];
    }
    return true;
}

static inline struct symbols *made_symbols(void)
{
    struct symbols_entry entry[] = {
        {"compare", MADE_AT(COMPARE, 0), MADE_BYTES, true, false},
        {"_start", MADE_AT(START, 0), MADE_BYTES, true, false},
        {"sort", MADE_AT(SORT, 0), MADE_BYTES, true, false},
        {"main", MADE_AT(MAIN, 0), MADE_BYTES, true, false},
        {"__sort_alias", MADE_AT(SORT, 0), MADE_BYTES, true, false},
        {"table", 0x8000, 256, false, false},
    };
    const struct symbols_program program = {
        .entry = entry, .entries = sizeof entry / sizeof entry[0], .code = made_code};
    struct symbols *symbols;
    struct diag diag;

    assert_int_equal(symbols_new(&symbols, &program, &diag), ERR_OK);
    return symbols;
}

/* A stack of up to four levels, leaf first; 0 ends it. */
struct made_record { uint64_t address, interrupts, executions; uint64_t stack[4]; unsigned walk; };

static inline void made_records(struct profile *profile, const struct made_record *from,
                                size_t count)
{
    profile->record = profile_alloc(profile, count, sizeof profile->record[0]);
    profile->records = count;
    for (size_t i = 0; i < count; i++) {
        struct profile_record *record = &profile->record[i];

        *record = (struct profile_record){
            .address = from[i].address, .interrupts = from[i].interrupts,
            .executions = from[i].executions, .instructions = 10 * from[i].interrupts,
            .cycles = 5, .walk = from[i].walk,
            .stack = profile_alloc(profile, 4, sizeof record->stack[0])};
        while (record->depth < 4 && from[i].stack[record->depth] != 0) {
            record->stack[record->depth] = from[i].stack[record->depth];
            record->depth++;
        }
    }
}

/* Every element of a profile, once. */
static inline void made_profile(struct profile *profile)
{
    static const char *command[] = {"rvsim", "--meta", "a \"quoted\" name", "app"};
    static struct profile_setting setting[] = {{"l1d.kib", "32", PROFILE_NUMBER},
                                               {"l1d.prefetch", "true", PROFILE_BOOL},
                                               {"bpred.kind", "gshare", PROFILE_WORD}};
    static const char *event_name[] = {"insns_retired", "cycles"};
    static uint64_t sums[] = {UINT64_C(1) << 53, 3000}, counts[] = {UINT64_C(1) << 53, 3000};
    static struct profile_hart hart[] = {{3000, UINT64_C(1) << 53, counts}};
    static struct profile_share share[] = {{5, {40, 1}}, {9, {5, 2}}};
    static struct profile_mark mark[] = {
        {MADE_BASE, 4, true, true, "interrupt counter", 2, 13, 45, 3, true, 6, {share, 2}, "a.m:2"},
        {0x8000, 8, false, false, "interrupt", 0, 0, 0, 9, false, 0, {NULL, 0}, "a.m:3"}};
    static struct profile_range range[] = {{"I0", "sort", false, 0x1080, 0x10c0, 7, 70, {NULL, 0}},
                                           {"D0", "table", true, 0x8000, 0x8100, 8, 80, {NULL, 0}}};
    static struct profile_cost_event happened[] = {{0, 10}, {1, UINT64_C(1) << 53}};
    static struct profile_cost cost[] = {
        {MADE_AT(SORT, 4), 0, false, true, 10, 8400, 7, 3, 420, happened, 2},
        {MADE_AT(COMPARE, 0), 0, false, false, 28, 11760, 0, 0, 0, NULL, 0},
        {0x80000000, 0, true, false, 5, UINT64_C(1) << 53, 0, 0, 0, NULL, 0}};
    static struct profile_span span[] = {
        {1000, 1, {[PROFILE_THREAD_RUNNING] = 1000}, 7},
        {1500, 1, {[PROFILE_THREAD_IDLE] = 500}, 0},
        {3000, 12, {[PROFILE_THREAD_RUNNING] = 1400, [PROFILE_THREAD_LOCK] = 100}, 0}};
    static struct profile_track track[] = {
        {3, 0, {[PROFILE_THREAD_RUNNING] = 2400, [PROFILE_THREAD_LOCK] = 100,
                [PROFILE_THREAD_IDLE] = 500}, 5, 2, 1, 4, 200, 90, span, 3}};
    static struct profile_threads threads = {3000, 64, track, track, 1, 1, 2};
    static struct profile_scheme scheme[] = {
        {"tip", 0.25, 0.125, 0, true, true, true, 0.0625, 0.2, 0.3, 12, 456, 88, 24000},
        {"counts", 0.5, 0.5, 0.5, false, false, false, 0, 0, 0, 0, 9, 0, 0}};
    static struct profile_schemes schemes = {997, 5, 13, scheme, 2};
    static const struct made_record record[] = {
        {MADE_AT(COMPARE, 0), 2, 28, {MADE_AT(COMPARE, 4), MADE_RETURN_TO(SORT)}, 0},
        {MADE_AT(COMPARE, 0), 1, 14, {MADE_AT(COMPARE, 4), MADE_RETURN_TO(MAIN)},
         MONITOR_WALK_BROKEN}};

    *profile = (struct profile){
        .program = "/tmp/app", .program_id = "crc32:12345678", .bias = 0x10000000,
        .command = command, .commands = 4, .setting = setting, .settings = 3, .engine = "detailed",
        .monitor = "guest", .reason = "trap", .text = "a line\twith a tab", .exit_code = 139,
        .host_seconds = 1.5, .cycles = 3000, .instructions = UINT64_C(1) << 53, .counted_from = 70,
        .fast_forwarded = 100, .event_name = event_name, .events = 2, .event = sums, .hart = hart,
        .harts = 1, .mark = mark, .marks = 2, .range = range, .ranges = 2, .interrupts = 12,
        .dropped = 1, .lost = 2, .units_per_cycle = 840, .outside = 1, .cost = cost, .costs = 3,
        .threads = &threads, .schemes = &schemes};
    made_records(profile, record, 2);
}

/* The output of a writer, as text for free(). */
#define MADE_TEXT(text, bytes, call)                        \
    do {                                                    \
        FILE *out = open_memstream(&(text), &(bytes));      \
        assert_non_null(out);                               \
        assert_int_equal(call, ERR_OK);                     \
        fclose(out);                                        \
    } while (0)

#endif
