/* The size of the ring of instructions and the layout of bitmaps over it, from the settings
 * alone. */
#include <assert.h>

#include "sim/base/issue_plan.h"
#include "sim/core/instance/instance.h"
#include "sim/core/pipe/issue_queues.h"

uint32_t core_power_above(uint32_t value)
{
    uint32_t power = 64;
    while (power < value)
        power *= 2;
    return power;
}

uint32_t core_decode_room(const struct config *config)
{
    return config->decode_width * (config->decode_stages + config->rename_stages + 1);
}

/* Dispatched instructions never reach round the ring into the word of the bitmaps that has the
 * oldest of them: issue relies on it. Where an entry of the reorder buffer holds several
 * instructions, those that committed last can still be read. */
uint32_t core_ring_entries(const struct config *config)
{
    uint32_t in_front = config->fetch_buffer + config->fetch_width + core_decode_room(config) +
                        config->fetch_ftq * config->fetch_width;
    uint32_t entry = config->part_fold * (config->decode_fusion != 0 ? 2 : 1);
    uint32_t dispatched = config->rob_entries * entry;
    uint32_t committed = entry > 1 ? config->commit_width * entry : 0;
    uint32_t entries = core_power_above(dispatched + committed +
                                        (in_front < 64 ? 64 : in_front + 1));
    assert(entries <= RING_MAX);
    return entries;
}

static uint32_t largest_queue(const struct issue_plan *plan)
{
    uint32_t size = 0;
    for (uint32_t queue = 0; queue < plan->queue_count; queue++)
        size = plan->queue[queue].size > size ? plan->queue[queue].size : size;
    return size;
}

struct ring_shape core_shape_of(const struct config *config)
{
    struct issue_plan plan;
    struct ring_shape shape = {0};
    enum err err = issue_plan_make(config, &plan, NULL);
    assert(err == ERR_OK);          /* config_check refuses the others */
    (void)err;
    shape.queue_count = plan.queue_count;
    shape.by_slot = config->issue_select != SELECT_OLDEST &&
                    config->lsq_store_data != STORE_DATA_MICRO_OP;
    uint32_t bits = shape.by_slot ? largest_queue(&plan) : core_ring_entries(config);
    shape.words_log2 = (uint8_t)__builtin_ctz(core_power_above(bits) / 64);
    shape.slot_words = plan.queue_count << shape.words_log2;
    while (shape.slot_words >> shape.group_log2 > 64)
        shape.group_log2++;
    shape.queue_groups_log2 = (uint8_t)(shape.words_log2 - shape.group_log2);
    shape.queue_groups = (UINT64_C(1) << (1u << shape.queue_groups_log2)) - 1;
    for (uint32_t queue = 0; queue < plan.queue_count && shape.group_log2 == 0; queue++)
        shape.first_words |= UINT64_C(1) << (queue << shape.words_log2);
    unsigned seen = 0, twice = 0;
    for (uint32_t queue = 0; queue < plan.queue_count; queue++) {
        twice |= seen & plan.queue[queue].classes;
        seen |= plan.queue[queue].classes;
        for (unsigned class = 0; class < CLASS_COUNT; class++)
            shape.class_queues[class] |= (plan.queue[queue].classes >> class & 1) << queue;
    }
    shape.has_one_queue = twice == 0;
    return shape;
}
