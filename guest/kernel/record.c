/* Records of the scheduler, into the ring of this hart (pmu/abi_kernel.h). */
#include "thread.h"

struct kernel_record *record(enum kernel_event event, const struct thread *thread, uint32_t other,
                             enum kernel_reason reason, uint64_t value)
{
    struct hart *hart = this_hart();
    struct kernel_ring *ring = boot->rings_pa != 0 ? at_pa(boot->rings_pa) : NULL;
    struct kernel_record *record;

    if (ring == NULL || !ring[hart->id].is_on)
        return NULL;
    ring += hart->id;
    if (ring->is_on == KERNEL_RING_COUNTS && event != KERNEL_COUNT)
        return NULL;
    if (ring->written == ring->capacity)
        host_simple(KERNEL_OP_RING, hart->id, 0, 0, 0);
    record = (struct kernel_record *)at_pa(ring->records_pa) + ring->written++;
    *record = (struct kernel_record){
        .cycle = csr_read(cycle), .thread = thread->tid, .other = other,
        .event = (uint8_t)event, .reason = (uint8_t)reason, .hart = (uint16_t)hart->id,
        .value = value, .pc = thread->frame != NULL ? thread->frame->reg[REG_PC] : 0,
    };
    return record;
}
