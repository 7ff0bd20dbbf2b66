/* A piece of memory with one segment of text, its table, and a block for each of its lines. */
#ifndef TESTS_SHADOWCACHE_BLOCKS_H
#define TESTS_SHADOWCACHE_BLOCKS_H

#include "shadowcache/shadow.h"

enum { LINE = 64, RAM_BYTES = 1 << 16, LINES = 16, TEXT_ITEMS = LINE / 2 };

#define BASE  UINT64_C(0x80000000)
#define TEXT  (BASE + 0x1000)       /* LINES lines of marked text */
#define TABLE (BASE + 0x4000)
#define BLOCK (BASE + 0x5000)       /* one block for each line, BLOCK_BYTES apart */
enum { BLOCK_BYTES = sizeof(struct perfinst_block) + LINE * sizeof(struct perfinst_item) };

static uint8_t ram[RAM_BYTES];
static uint64_t segment[PROF_SEGMENTS][4];

static inline struct shadow_memory memory(void)
{
    return (struct shadow_memory){.ram = ram, .base = BASE, .bytes = RAM_BYTES};
}

static inline void put64(uint64_t pa, uint64_t value)
{
    memcpy(ram + (pa - BASE), &value, sizeof value);
}

static inline uint64_t block_pa(unsigned line)
{
    return BLOCK + (uint64_t)line * BLOCK_BYTES;
}

static inline uint64_t item_pa(unsigned line, unsigned item)
{
    return block_pa(line) + sizeof(struct perfinst_block) + item * sizeof(struct perfinst_item);
}

static inline void put_block(unsigned line, struct perfinst_block block)
{
    memcpy(ram + (block_pa(line) - BASE), &block, sizeof block);
    put64(TABLE + line * 8, block_pa(line));
}

static inline void put_item(unsigned line, unsigned item, struct perfinst_item record)
{
    put_block(line, (struct perfinst_block){.items = TEXT_ITEMS, .granule_log2 = 1});
    memcpy(ram + (item_pa(line, item) - BASE), &record, sizeof record);
}

static inline struct perfinst_item get_item(unsigned line, unsigned item)
{
    struct perfinst_item record;

    memcpy(&record, ram + (item_pa(line, item) - BASE), sizeof record);
    return record;
}

static inline uint64_t total(unsigned line, unsigned item)
{
    struct perfinst_item record = get_item(line, item);

    return record.count + record.cleared;
}

static inline int fresh(void **state)
{
    (void)state;
    memset(ram, 0, sizeof ram);
    memset(segment, 0, sizeof segment);
    segment[3][0] = TEXT;
    segment[3][1] = LINES * LINE;
    segment[3][2] = TABLE;
    segment[3][3] = PROF_SEGMENT_TEXT;
    return 0;
}

static inline struct shadow *make(uint32_t frames)
{
    struct shadow *shadow = shadow_new(memory(), frames, LINE, PROF_SEGMENT_TEXT);

    assert_non_null(shadow);
    shadow_set_segments(shadow, (const uint64_t(*)[4])segment);
    return shadow;
}

/* Executes the instruction at `pa` whose line is in `frame`. True: its limit was passed. */
static inline bool execute(struct shadow *shadow, uint32_t frame, uint64_t pa, uint64_t *count)
{
    struct mark mark;

    assert_true(shadow_mark(shadow, frame, pa, &mark));
    return shadow_count(shadow, frame, &mark, count) == SHADOW_LIMIT;
}

static inline void fill(struct shadow *shadow, uint32_t frame, uint64_t pa)
{
    struct shadow_traffic traffic;

    shadow_fill(shadow, frame, pa, &traffic);
}

#endif
