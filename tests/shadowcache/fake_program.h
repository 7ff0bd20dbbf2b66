/* A program for tests of the metadata reader: sections, symbols, lines, code; no ELF file.
 *
 *   .text 0x10000, 0x400 bytes   sort  0x10000 +0x200  four-byte nops
 *                                qsort 0x10200 +0x100  four-byte nops
 *                                main  0x10300 +0x1c   see main_code
 *                                stub  0x1031c +0      a label
 *                                tail  0x10340 +8      after data that does not decode in step
 *                                twin  0x10210 and 0x10220
 *   .data 0x20000, 0x200 bytes   table 0x20040 +0x40, other 0x20080 +8
 *   sort.c:42 is two pieces of sort, sort.c:43 has no code. */
#ifndef TESTS_SHADOWCACHE_FAKE_PROGRAM_H
#define TESTS_SHADOWCACHE_FAKE_PROGRAM_H

#include <string.h>

#include "shadowcache/meta.h"

enum { TEXT = 0x10000, TEXT_BYTES = 0x400, DATA = 0x20000, DATA_BYTES = 0x200 };
enum { SORT = TEXT, QSORT = TEXT + 0x200, MAIN = TEXT + 0x300, STUB = TEXT + 0x31c,
       TAIL = TEXT + 0x340, TABLE = DATA + 0x40 };

/* Offsets in main: call +2, branch +6, c.beqz +10, c.jalr +12, jump +14, c.ret +18, call t0 +20 */
static const uint16_t main_code[] = {
    0x1141,                     /* +0  c.addi sp, -16 */
    0x00ef, 0x0040,             /* +2  jal ra, +4 */
    0x8463, 0x00b5,             /* +6  beq a1, a1, ... */
    0xc119,                     /* +10 c.beqz a0 */
    0x9782,                     /* +12 c.jalr a5 */
    0x006f, 0x0040,             /* +14 j +4 */
    0x8082,                     /* +18 c.jr ra */
    0x02ef, 0x0040,             /* +20 jal t0, +4 */
    0x0001, 0x0001,             /* +24 c.nop */
};

struct fake_name {
    const char *name;
    struct meta_place place;
};

static const struct fake_name fake_sections[] = {
    {".text", {TEXT, TEXT_BYTES, true}},
    {".data", {DATA, DATA_BYTES, false}},
};

static const struct fake_name fake_symbols[] = {
    {"sort", {SORT, 0x200, true}},   {"qsort", {QSORT, 0x100, true}},
    {"main", {MAIN, 0x1c, true}},    {"stub", {STUB, 0, true}},
    {"tail", {TAIL, 8, true}},       {"table", {TABLE, 0x40, false}},
    {"other", {DATA + 0x80, 8, false}}, {"twin", {QSORT + 0x10, 4, true}},
    {"twin", {QSORT + 0x20, 4, true}},
};

#define FAKE_COUNT(array) (sizeof(array) / sizeof(array)[0])

static inline const char *fake_section(void *arg, size_t index, struct meta_place *place)
{
    (void)arg;
    if (index >= FAKE_COUNT(fake_sections))
        return NULL;
    *place = fake_sections[index].place;
    return fake_sections[index].name;
}

static inline const char *fake_symbol(void *arg, size_t index, struct meta_place *place)
{
    (void)arg;
    if (index >= FAKE_COUNT(fake_symbols))
        return NULL;
    *place = fake_symbols[index].place;
    return fake_symbols[index].name;
}

static inline size_t fake_line(void *arg, const char *file, unsigned line,
                               struct meta_place *pieces, size_t max)
{
    (void)arg;
    if (strcmp(file, "sort.c") != 0)
        return 0;
    if (line == 42 && max == 1)
        return 2;                   /* more than asked for */
    if (line == 42 && max >= 2) {
        pieces[0] = (struct meta_place){SORT + 0x10, 8, true};
        pieces[1] = (struct meta_place){SORT + 0x40, 4, true};
        return 2;
    }
    return line == 0;
}

static inline bool fake_code(void *arg, uint64_t address, void *bytes, size_t count)
{
    static const uint8_t nop[4] = {0x13, 0, 0, 0};
    uint8_t *out = bytes;

    (void)arg;
    for (size_t i = 0; i < count; i++) {
        uint64_t at = address + i;

        if (at < TEXT || at >= TEXT + TEXT_BYTES)
            return false;
        if (at >= MAIN && at < MAIN + sizeof main_code)
            out[i] = ((const uint8_t *)main_code)[at - MAIN];
        else if (at >= STUB && at < TAIL)
            out[i] = at % 2 == 0 ? 0x13 : 0;    /* any two steps look like a word */
        else
            out[i] = nop[at % 4];
    }
    return true;
}

static const struct meta_resolver fake_resolver = {
    .section = fake_section, .symbol = fake_symbol, .line = fake_line, .code = fake_code};

#endif
