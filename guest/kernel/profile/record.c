/* Records of the scheduler, into the rings of the harts (pmu/abi_record.h). While they are off, one
 * costs the test whether they are on. */
#include "process/process.h"
#include "profile/sampler.h"

/* NULL: there are none. */
static struct kernel_ring *rings(void)
{
    return boot->rings_pa != 0 ? at_pa(boot->rings_pa) : NULL;
}

static inline struct kernel_record *append(struct kernel_ring *ring, uint32_t hart,
                                           const struct kernel_record *from)
{
    struct kernel_record *record;

    if (ring->written == ring->capacity)
        host_simple(KERNEL_OP_RING, hart, 0, 0, 0);
    record = (struct kernel_record *)at_pa(ring->records_pa) + ring->written++;
    *record = *from;
    return record;
}

static uint64_t pc_of(const struct thread *thread)
{
    return thread->frame != NULL ? thread->frame->reg[REG_PC] : 0;
}

struct kernel_record *record(enum kernel_event event, const struct thread *thread, uint32_t other,
                             enum kernel_reason reason, uint64_t value)
{
    struct hart *hart = this_hart();
    struct kernel_ring *ring = rings();

    if (ring == NULL || !ring[hart->id].is_on)
        return NULL;
    ring += hart->id;
    if (ring->is_on == KERNEL_RING_PAUSED ||
        (ring->is_on == KERNEL_RING_COUNTS && event != KERNEL_COUNT))
        return NULL;
    return append(ring, hart->id, &(struct kernel_record){
        .cycle = csr_read(cycle), .thread = thread->tid, .other = other,
        .event = (uint8_t)event, .reason = (uint8_t)reason, .hart = (uint16_t)hart->id,
        .order = kernel_order(), .value = value, .pc = pc_of(thread),
    });
}

/* ---- the program's switch -------------------------------------------------------------------- */

/* Of a run with samples of idle harts the program switches these: the causes of idle times need
 * every record. */
bool records_are_on(void)
{
    const struct kernel_ring *ring = rings();

    if (boot->sampler_pa != 0)
        return !samples_are_off;
    return ring != NULL && (ring->is_on == KERNEL_RING_ALL || ring->is_on == KERNEL_RING_OPEN);
}

/* Of a run that needs every record, or counts alone: whoever reads them learns of the wish. */
static void note_wish(struct kernel_ring *ring)
{
    const struct hart *hart = this_hart();

    append(&ring[hart->id], hart->id, &(struct kernel_record){
        .cycle = csr_read(cycle), .thread = hart->current->tid, .event = KERNEL_ASKED,
        .hart = (uint16_t)hart->id, .order = kernel_order()});
}

static void switch_records(bool is_on)
{
    struct kernel_ring *ring = rings();
    uint32_t i;

    if (ring != NULL && (ring->is_on == KERNEL_RING_ALL || ring->is_on == KERNEL_RING_COUNTS))
        note_wish(ring);
    for (i = 0; ring != NULL && i < boot->harts; i++) {
        const struct thread *thread = harts[i].current;
        struct kernel_record record = {
            .cycle = csr_read(cycle), .thread = thread->tid, .pc = pc_of(thread),
            .event = is_on ? KERNEL_RESUME : KERNEL_PAUSE, .hart = (uint16_t)i,
            .order = kernel_order()};

        if (ring[i].is_on != (is_on ? KERNEL_RING_PAUSED : KERNEL_RING_OPEN))
            continue;
        append(&ring[i], i, &record);
        ring[i].is_on = is_on ? KERNEL_RING_OPEN : KERNEL_RING_PAUSED;
        host_simple(KERNEL_OP_RING, i, 0, 0, 0);        /* what the hart did until now is told */
    }
}

int64_t records_write(uint64_t va, uint64_t bytes)
{
    char digit;

    if (bytes == 0)
        return 0;
    if (!user_read(va, &digit, sizeof digit))
        return -EFAULT;
    if (digit != '0' && digit != '1')
        return -EINVAL;
    if (boot->sampler_pa != 0)
        samples_are_off = digit == '0';
    else
        switch_records(digit == '1');
    return (int64_t)bytes;
}
