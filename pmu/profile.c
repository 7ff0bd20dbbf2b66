/* The custom profiling registers: mode, the index/data pair and its registers, the monitor's trap
 * registers, and the record of the oldest pending indicator.
 *
 * Numbers, fields and reset values: pmu/abi.h. Registers that do not exist at the index read
 * as zero and ignore writes. Nothing here looks at guest memory: segments are only numbers. */
#include "pmu/profile.h"

#include <stddef.h>

#include "isa/hint.h"
#include "pmu/abi.h"
#include "pmu/gate.h"
#include "pmu/hint.h"
#include "pmu/key.h"
#include "pmu/limit.h"

enum { SEGMENT_WORDS = 4, RANGE_WORDS = 4, AREA_STRIDE = 8 };
enum {
    COUNTER_REGISTERS = 32, COUNTER_CYCLE = 0, COUNTER_TIME = 1, COUNTER_INSTRET = 2,
    COUNTER_FIRST = 3,
    CSR_MCOUNTINHIBIT = 0x320, CSR_MCYCLECFG = 0x321, CSR_MINSTRETCFG = 0x322,
    CSR_MHPMEVENT = 0x320, CSR_MCYCLE = 0xb00,
};

#define MODE_BITS   (UINT64_C(0) | PROF_MODE_ENABLE | PROF_MODE_CLAIM | PROF_MODE_USER_DATA | \
                     PROF_MODE_MASKABLE)
#define MEASURE_BITS (PROF_MEASURE_SAMPLE | PROF_MEASURE_GROUP | UINT64_C(0xff00))
#define TRANSFER_BITS UINT64_C(0x1f)
#define FORMAT_BITS (UINT64_C(0) | PROF_COUNTER_BITS | PROF_COUNTER_SATURATES)
#define STATUS_BITS UINT64_C(0x303)

static uint64_t *range_word(struct pmu_range *ranges, unsigned offset)
{
    struct pmu_range *range = &ranges[offset / RANGE_WORDS];
    uint64_t *word[RANGE_WORDS] = {&range->start, &range->end, &range->entries, &range->executed};

    return word[offset % RANGE_WORDS];
}

static unsigned event_csr(unsigned counter)
{
    if (counter == COUNTER_CYCLE)
        return CSR_MCYCLECFG;
    return counter == COUNTER_INSTRET ? CSR_MINSTRETCFG : CSR_MHPMEVENT + counter;
}

unsigned profile_csr(uint64_t index)
{
    unsigned counter = (unsigned)index % COUNTER_REGISTERS;

    if (index == PROF_REG_INHIBIT)
        return CSR_MCOUNTINHIBIT;
    if (index == PROF_REG_MODE)
        return CSR_PROF_MODE;
    if (index == PROF_REG_GATE)
        return CSR_PROF_TOGGLE;
    if (index < PROF_REG_COUNTER || index >= PROF_REG_EVENT + COUNTER_REGISTERS ||
        counter == COUNTER_TIME)
        return 0;
    return index < PROF_REG_EVENT ? CSR_MCYCLE + counter : event_csr(counter);
}

bool profile_is_of_thread(uint64_t index)
{
    uint64_t counter = index % COUNTER_REGISTERS;

    return index - PROF_REG_LATENCY < 3 || index == PROF_REG_MEASURE ||
           index - PROF_REG_IRANGE < 2 * (PROF_REG_DRANGE - PROF_REG_IRANGE) ||
           index - PROF_REG_HINT < 2 * HINT_PLACES ||
           index - PROF_REG_GATE < PROF_GATES * PROF_GATE_WORDS ||
           (index - PROF_REG_COUNTER < 2 * COUNTER_REGISTERS && counter >= COUNTER_FIRST);
}

bool profile_is_counting(uint64_t index)
{
    return (index >= PROF_REG_IRANGE && index < PROF_REG_LOST) || profile_csr(index) != 0;
}

static uint64_t *gate_word(struct pmu_gate *gate, uint64_t index)
{
    return index % PROF_GATE_WORDS == PROF_GATE_OPEN ? &gate->open : &gate->starts;
}

/* The register with this index; NULL: none, or without storage (PROF_REG_ACK and _SYNC). */
static uint64_t *indexed(struct pmu *pmu, uint64_t index)
{
    if (index - PROF_REG_SEGMENT < PROF_SEGMENTS * SEGMENT_WORDS)
        return &pmu->segment[index / SEGMENT_WORDS][index % SEGMENT_WORDS];
    if (index - PROF_REG_LATENCY < 3)
        return &pmu->latency[index - PROF_REG_LATENCY];
    if (index - PROF_REG_IRANGE < PROF_RANGES * RANGE_WORDS)
        return range_word(pmu->irange, (unsigned)(index - PROF_REG_IRANGE));
    if (index - PROF_REG_DRANGE < PROF_RANGES * RANGE_WORDS)
        return range_word(pmu->drange, (unsigned)(index - PROF_REG_DRANGE));
    if (index == PROF_REG_LOST)
        return &pmu->lost;
    if (index == PROF_REG_MEASURE)
        return &pmu->measure;
    if (index == PROF_REG_TRANSFERS)
        return &pmu->transfers;
    if (index == PROF_REG_USER)
        return &pmu->user;
    if (index == PROF_REG_COUNTER_FORMAT)
        return &pmu->counter_format;
    if (index == PROF_REG_NEAR)
        return &pmu->counter_near;
    if (index - PROF_REG_HINT < 2 * HINT_PLACES)
        return hint_register(pmu, (unsigned)(index - PROF_REG_HINT));
    if (index > PROF_REG_GATE && index - PROF_REG_GATE < PROF_GATES * PROF_GATE_WORDS)
        return gate_word(&pmu->gate[(index - PROF_REG_GATE) / PROF_GATE_WORDS], index);
    if (index - PROF_REG_AREA < PROF_AREAS * AREA_STRIDE && index % AREA_STRIDE < PROF_AREA_WORDS)
        return &pmu->area[(index - PROF_REG_AREA) / AREA_STRIDE][index % AREA_STRIDE];
    return NULL;
}

static void queue_drop(struct pmu *pmu, struct hart *hart)
{
    if (pmu->queue_length != 0) {
        pmu->queue_head = (pmu->queue_head + 1) % PMU_QUEUE;
        pmu->queue_length--;
    }
    if (pmu->queue_length == 0)
        hart->irq_lines &= ~(UINT64_C(1) << IRQ_INDICATOR);
}

/* Moving a bound restarts the range: the next instruction or access inside is an entry. */
static void range_moved(struct pmu *pmu, uint64_t index)
{
    bool is_data = index >= PROF_REG_DRANGE;
    uint64_t offset = index - (is_data ? PROF_REG_DRANGE : PROF_REG_IRANGE);

    if (offset % RANGE_WORDS < 2)
        pmu_range_set(pmu, &(is_data ? pmu->drange : pmu->irange)[offset / RANGE_WORDS]);
    pmu_ranges_changed(pmu);
}

/* True for registers on which shadow frames depend. */
static bool is_of_shadow(uint64_t index)
{
    return index < PROF_SEGMENTS * SEGMENT_WORDS || index == PROF_REG_COUNTER_FORMAT ||
           index == PROF_REG_NEAR || index == PROF_REG_SYNC ||
           index - PROF_REG_AREA < PROF_AREAS * AREA_STRIDE;
}

static void mode_write(struct pmu *pmu, uint64_t value, unsigned *changed)
{
    if (((pmu->mode ^ value) & PROF_MODE_ENABLE) != 0)
        hint_forget(pmu);
    pmu->mode = value & MODE_BITS;
    *changed |= PMU_CHANGED_MODE;
}

static void csr_by_number_write(struct pmu *pmu, unsigned csr, uint64_t value, unsigned *changed)
{
    if (csr == CSR_PROF_MODE)
        mode_write(pmu, value, changed);
    else if (csr == CSR_PROF_TOGGLE)
        pmu_set_toggle(pmu, (value & 1) != 0);
    else
        pmu_csr_write(pmu, csr, value);
}

static uint64_t writable_bits(uint64_t index)
{
    switch (index) {
    case PROF_REG_COUNTER_FORMAT:
        return FORMAT_BITS;
    case PROF_REG_MEASURE:
        return MEASURE_BITS;
    case PROF_REG_TRANSFERS:
        return TRANSFER_BITS;
    case PROF_REG_USER:
        return PROF_USER_ALL;
    default:
        return UINT64_MAX;
    }
}

void profile_register_write(struct pmu *pmu, struct hart *hart, uint64_t index, uint64_t value,
                            unsigned *changed)
{
    uint64_t *word = indexed(pmu, index);
    unsigned csr = profile_csr(index);

    if (csr != 0)
        csr_by_number_write(pmu, csr, value, changed);
    if (index == PROF_REG_ACK) {
        queue_drop(pmu, hart);
        *changed |= PMU_CHANGED_QUEUE;
    }
    if (is_of_shadow(index))
        *changed |= PMU_CHANGED_SEGMENTS;
    if (word == NULL)
        return;
    if (index - PROF_REG_HINT < 2 * HINT_PLACES) {
        hint_write(pmu, (unsigned)(index - PROF_REG_HINT), value);
        return;
    }
    *word = value & writable_bits(index);
    if (index >= PROF_REG_IRANGE && index < PROF_REG_LOST)
        range_moved(pmu, index);
    if (index - PROF_REG_GATE < PROF_GATES * PROF_GATE_WORDS)
        pmu_ranges_changed(pmu);
}

uint64_t profile_register_read(struct pmu *pmu, uint64_t index)
{
    const uint64_t *word = indexed(pmu, index);
    unsigned csr = profile_csr(index);
    uint64_t value = 0;

    if (word != NULL)
        return *word;
    if (csr == CSR_PROF_MODE)
        return pmu->mode;
    if (csr == CSR_PROF_TOGGLE)
        return pmu->toggle;
    return csr != 0 && pmu_csr_read(pmu, csr, &value) ? value : 0;
}

/* Programs other than the first are distinguished in the monitor's records only. */
static uint64_t address_in(const struct pmu *pmu, const struct hart *hart, uint64_t address)
{
    return hart->in_monitor ? pmu_thread_key(&pmu->thread, address) : address;
}

static bool indicator_read(const struct pmu *pmu, const struct hart *hart, unsigned number,
                           uint64_t *value)
{
    static const struct indicator none;
    const struct indicator *oldest = pmu->queue_length != 0 ? &pmu->queue[pmu->queue_head] : &none;

    switch (number) {
    case CSR_IND_IADDR:
        *value = address_in(pmu, hart, oldest->iaddr);
        return true;
    case CSR_IND_DADDR:
        *value = address_in(pmu, hart, oldest->daddr);
        return true;
    case CSR_IND_COUNT:
        *value = oldest->count;
        return true;
    case CSR_IND_CYCLES:
        *value = oldest->cycles;
        return true;
    case CSR_IND_FLAGS:
        *value = oldest->flags;
        return true;
    case CSR_IND_LEVEL:
        *value = oldest->level;
        return true;
    case CSR_IND_INSNS:
        *value = oldest->insns;
        return true;
    default:
        return false;
    }
}

static bool monitor_read(const struct pmu *pmu, const struct hart *hart, unsigned number,
                         uint64_t *value)
{
    switch (number) {
    case CSR_MON_PLACE:
        *value = pmu_thread_key(&pmu->thread, hart->monitor_epc);
        return true;
    case CSR_MON_VECTOR:
        *value = hart->monitor_vector;
        return true;
    case CSR_MON_EPC:
        *value = hart->monitor_epc;
        return true;
    case CSR_MON_CAUSE:
        *value = hart->monitor_cause;
        return true;
    case CSR_MON_STATUS:
        *value = hart->monitor_status;
        return true;
    case CSR_MON_SCRATCH:
        *value = hart->monitor_scratch;
        return true;
    default:
        return false;
    }
}

/* ---- registers in use by a thread ------------------------------------------------------------ */

static uint64_t own_read(const struct pmu *pmu)
{
    const struct hint_pair *hint = &pmu->hint[HINT_AT_SUPERVISOR];
    uint64_t value = pmu->user & PROF_OWN_COUNTERS;

    for (unsigned gate = 0; gate < PROF_GATES; gate++)
        value |= (uint64_t)pmu_gate_is_open(pmu, gate) << gate;
    return hint->flags != 0 || hint->label != 0 ? value | PROF_OWN_HINTS : value;
}

static void own_write(struct pmu *pmu, uint64_t value)
{
    pmu->user = (pmu->user & PROF_USER_ALL) | (value & PROF_OWN_COUNTERS);
}

/* ---- for user mode --------------------------------------------------------------------------- */

bool profile_is_event(unsigned number)
{
    return number - CSR_PROF_EVENT - COUNTER_FIRST < COUNTER_REGISTERS - COUNTER_FIRST;
}

bool profile_leads_to_counting(const struct pmu *pmu, unsigned number)
{
    return (number == CSR_PROF_DATA && profile_is_counting(pmu->index)) ||
           (number == CSR_PROF_SDATA && profile_is_counting(pmu->sindex)) ||
           profile_is_event(number);
}

/* True if one of these bits of PROF_REG_USER lets lower modes reach the register, or the mode is
 * M. */
static bool user_may(const struct pmu *pmu, const struct hart *hart, uint64_t bits)
{
    return hart->priv == PRIV_M || (pmu->user & bits) != 0;
}

static bool user_read(struct pmu *pmu, const struct hart *hart, unsigned number, uint64_t *value)
{
    bool is_event = profile_is_event(number);
    unsigned counter = number - CSR_PROF_EVENT;

    if (!user_may(pmu, hart, is_event ? UINT64_C(1) << counter : PROF_USER_ALL))
        return false;
    *value = number == CSR_PROF_UMODE ? pmu->mode & PROF_MODE_ENABLE : 0;
    return !is_event || pmu_csr_read(pmu, event_csr(counter), value);
}

static bool user_write(struct pmu *pmu, struct hart *hart, unsigned number, uint64_t value,
                       unsigned *changed)
{
    bool is_event = profile_is_event(number);
    unsigned counter = number - CSR_PROF_EVENT;

    if (!user_may(pmu, hart, is_event ? UINT64_C(1) << counter : PROF_USER_ALL))
        return false;
    if (number == CSR_PROF_USYNC)
        profile_register_write(pmu, hart, PROF_REG_SYNC, 0, changed);
    if (number == CSR_PROF_UMODE)
        mode_write(pmu, (pmu->mode & ~(uint64_t)PROF_MODE_ENABLE) | (value & PROF_MODE_ENABLE),
                   changed);
    if (!is_event)
        return true;
    if (counter - COUNTER_FIRST < pmu->counters)
        pmu->user |= UINT64_C(1) << (PROF_OWN_COUNTER + counter);
    return pmu_csr_write(pmu, event_csr(counter), value);
}

static bool is_of_user(unsigned number)
{
    return number == CSR_PROF_USYNC || number == CSR_PROF_UMODE || profile_is_event(number);
}

/* ---- all of them ----------------------------------------------------------------------------- */

bool profile_csr_read(struct pmu *pmu, const struct hart *hart, unsigned number, uint64_t *value)
{
    switch (number) {
    case CSR_PROF_MODE:
    case CSR_PROF_SMODE:
        *value = pmu->mode;
        return true;
    case CSR_PROF_THREAD:
        *value = pmu->thread.id;
        return true;
    case CSR_PROF_TOGGLE:
        *value = pmu->toggle;
        return true;
    case CSR_PROF_LIMITS:
    case CSR_PROF_LIMIT:
    case CSR_PROF_LIMIT_DATA:
        *value = pmu_limits_read(pmu, number);
        return true;
    case CSR_PROF_SINDEX:
        *value = pmu->sindex;
        return true;
    case CSR_PROF_SDATA:
        *value = profile_is_of_thread(pmu->sindex) ? profile_register_read(pmu, pmu->sindex) : 0;
        return true;
    case CSR_PROF_OWN:
        *value = own_read(pmu);
        return true;
    case CSR_PROF_INDEX:
        *value = pmu->index;
        return true;
    case CSR_PROF_DATA:
        *value = profile_register_read(pmu, pmu->index);
        return true;
    case CSR_PROF_INSNS:
        *value = pmu_program_insns(pmu);
        return true;
    case CSR_PROF_LINES:
        *value = pmu->iline_log2 | (uint64_t)pmu->dline_log2 << 8;
        return true;
    default:
        if (is_of_user(number))
            return user_read(pmu, hart, number, value);
        return monitor_read(pmu, hart, number, value) ||
               indicator_read(pmu, hart, number, value);
    }
}

static bool monitor_write(struct hart *hart, unsigned number, uint64_t value)
{
    switch (number) {
    case CSR_MON_VECTOR:
        hart->monitor_vector = value & ~UINT64_C(3);
        return true;
    case CSR_MON_EPC:
        hart->monitor_epc = value & ~UINT64_C(1);
        return true;
    case CSR_MON_CAUSE:
        hart->monitor_cause = value;
        return true;
    case CSR_MON_STATUS:
        hart->monitor_status = value & STATUS_BITS;
        return true;
    case CSR_MON_SCRATCH:
        hart->monitor_scratch = value;
        return true;
    default:
        return false;
    }
}

bool profile_csr_write(struct pmu *pmu, struct hart *hart, unsigned number, uint64_t value,
                       unsigned *changed)
{
    *changed = 0;
    switch (number) {
    case CSR_PROF_MODE:
    case CSR_PROF_SMODE:
        mode_write(pmu, value, changed);
        return true;
    case CSR_PROF_THREAD:
        pmu_set_thread(pmu, value);
        return true;
    case CSR_PROF_TOGGLE:
        pmu_set_toggle(pmu, (value & 1) != 0);
        return true;
    case CSR_PROF_LIMITS:
    case CSR_PROF_LIMIT:
    case CSR_PROF_LIMIT_DATA:
        *changed |= pmu_limits_write(pmu, number, value) ? PMU_CHANGED_MODE : 0;
        return true;
    case CSR_PROF_SINDEX:
        pmu->sindex = value;
        return true;
    case CSR_PROF_SDATA:
        if (profile_is_of_thread(pmu->sindex))
            profile_register_write(pmu, hart, pmu->sindex, value, changed);
        return true;
    case CSR_PROF_OWN:
        own_write(pmu, value);
        return true;
    case CSR_PROF_INDEX:
        pmu->index = value;
        return true;
    case CSR_PROF_DATA:
        profile_register_write(pmu, hart, pmu->index, value, changed);
        return true;
    default:
        return is_of_user(number) ? user_write(pmu, hart, number, value, changed)
                                  : monitor_write(hart, number, value);
    }
}
