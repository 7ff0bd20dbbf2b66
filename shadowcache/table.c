/* Lookup of perfinst blocks in guest memory; table.h has the contract. */
#include "shadowcache/table.h"

#include <string.h>

struct table table_make(struct shadow_memory memory, uint32_t line_bytes, unsigned kind)
{
    return (struct table){
        .memory = memory,
        .line_bytes = line_bytes,
        .line_log2 = (unsigned)__builtin_ctz(line_bytes),
        .max_items = kind == PROF_SEGMENT_TEXT ? line_bytes / 2 : line_bytes,
    };
}

void table_set_segments(struct table *table, const uint64_t segment[PROF_SEGMENTS][4],
                        unsigned kind)
{
    table->segments = 0;
    for (unsigned i = 0; i < PROF_SEGMENTS; i++) {
        uint64_t start = segment[i][0], bytes = segment[i][1];

        if (segment[i][3] != kind || bytes == 0 || start + bytes < start)
            continue;
        table->segment[table->segments++] =
            (struct table_segment){.start = start, .end = start + bytes, .table = segment[i][2]};
    }
}

bool table_in_ram(const struct table *table, uint64_t pa, uint64_t bytes)
{
    uint64_t offset = pa - table->memory.base;

    return offset < table->memory.bytes && bytes <= table->memory.bytes - offset;
}

uint8_t *table_host(const struct table *table, uint64_t pa)
{
    return table->memory.ram + (pa - table->memory.base);
}

struct perfinst_item table_load_item(const struct table *table, uint64_t pa)
{
    struct perfinst_item item;

    memcpy(&item, table_host(table, pa), sizeof item);
    return item;
}

void table_store_item(const struct table *table, uint64_t pa, const struct perfinst_item *item)
{
    memcpy(table_host(table, pa), item, sizeof *item);
}

static const struct table_segment *find_segment(const struct table *table, uint64_t line_pa)
{
    for (unsigned i = 0; i < table->segments; i++) {
        const struct table_segment *segment = &table->segment[i];
        if (line_pa < segment->end && line_pa + table->line_bytes > segment->start)
            return segment;
    }
    return NULL;
}

bool table_covers(const struct table *table, uint64_t line_pa)
{
    return find_segment(table, line_pa) != NULL;
}

static bool block_is_valid(const struct table *table, const struct table_place *place)
{
    const struct perfinst_block *block = &place->block;
    uint64_t bytes = sizeof *block + (uint64_t)block->items * sizeof(struct perfinst_item);
    uint32_t items;

    if (block->items == 0 && block->bitmap == 0 && (block->flags & MARK_AREA) == 0)
        return true;
    if (block->granule_log2 > table->line_log2)
        return false;
    items = table->line_bytes >> block->granule_log2;
    if (items > table->max_items)
        return false;
    if (block->items == 0)
        return items <= TABLE_BITMAP_ITEMS || block->bitmap == 0;
    return block->items == items && table_in_ram(table, place->pa, bytes);
}

bool table_find(const struct table *table, uint64_t line_pa, struct table_place *place)
{
    const struct table_segment *segment = find_segment(table, line_pa);
    uint64_t block_pa;

    place->in_segment = segment != NULL;
    if (segment == NULL)
        return false;
    place->pa = segment->table + ((line_pa >> table->line_log2) -
                                  (segment->start >> table->line_log2)) * TABLE_WORD_BYTES;
    if (place->pa % TABLE_WORD_BYTES != 0 || !table_in_ram(table, place->pa, TABLE_WORD_BYTES))
        return false;
    memcpy(&block_pa, table_host(table, place->pa), sizeof block_pa);
    if (block_pa == 0 || block_pa % TABLE_BLOCK_ALIGN != 0 ||
        !table_in_ram(table, block_pa, sizeof place->block))
        return false;
    place->pa = block_pa;
    memcpy(&place->block, table_host(table, block_pa), sizeof place->block);
    return block_is_valid(table, place);
}
