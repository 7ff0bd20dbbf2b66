/* The events counted while the in-order back end waits for a result. */
#include "sim/core/inorder/inorder_parts.h"
#include "sim/core/pipe/account_level.h"

struct inorder_wait inorder_wait_for(struct inorder_producer producer)
{
    static const struct { uint8_t lost, cpi; } of_class[CLASS_COUNT] = {
        [CLASS_ALU] = {EVENT_LOST_OPERAND, EVENT_CPI_INT},
        [CLASS_SHIFT] = {EVENT_LOST_OPERAND, EVENT_CPI_INT},
        [CLASS_BRANCH] = {EVENT_LOST_OPERAND, EVENT_CPI_INT},
        [CLASS_STORE] = {EVENT_LOST_OPERAND, EVENT_CPI_INT},
        [CLASS_MUL] = {EVENT_LOST_OPERAND, EVENT_CPI_MUL},
        [CLASS_DIV] = {EVENT_LOST_DIVIDER, EVENT_CPI_DIV},
        [CLASS_FADD] = {EVENT_LOST_OPERAND, EVENT_CPI_FP},
        [CLASS_FMUL] = {EVENT_LOST_OPERAND, EVENT_CPI_FP},
        [CLASS_FMA] = {EVENT_LOST_OPERAND, EVENT_CPI_FP},
        [CLASS_FDIV] = {EVENT_LOST_DIVIDER, EVENT_CPI_FP},
        [CLASS_FMISC] = {EVENT_LOST_OPERAND, EVENT_CPI_FP},
    };
    unsigned class = producer.unit_class;
    if (class == CLASS_LOAD)
        return (struct inorder_wait){EVENT_SLOTS_LOAD_USE,
                                     (uint8_t)account_lost_to_level(producer.level),
                                     (uint8_t)account_cpi_of_level(producer.level)};
    return (struct inorder_wait){EVENT_SLOTS_OPERAND, of_class[class].lost, of_class[class].cpi};
}
