/* Debug triggers: their registers, matching, and firing. */
#include "pmu/trigger.h"

#include <string.h>

#include "isa/trap.h"

#define BIT(number) (UINT64_C(1) << (number))
#define TYPE_SHIFT 60
#define CONTROL_CHAIN BIT(11)
#define CONTROL_EXECUTE BIT(2)
#define CONTROL_STORE BIT(1)
#define CONTROL_LOAD BIT(0)
#define CONTROL_MODES (BIT(6) | BIT(4) | BIT(3))
#define CONTROL_ACTION (UINT64_C(15) << 12)
#define CONTROL_MATCH (UINT64_C(15) << 7)
#define CONTROL_BITS                                                                               \
    (CONTROL_CHAIN | CONTROL_ACTION | CONTROL_MATCH | CONTROL_MODES | CONTROL_EXECUTE |            \
     CONTROL_STORE | CONTROL_LOAD)
#define CONTROL6_HIT (BIT(22) | BIT(25))
#define CONTROL6_HIT_BEFORE BIT(22)
#define CONTROL6_HIT_AFTER CONTROL6_HIT         /* "immediately after" */
#define CONTROL6_SIZE (UINT64_C(7) << 16)
#define CONTROL2_HIT BIT(20)
#define OTHER_MODES (BIT(9) | BIT(7) | BIT(6))
#define OTHER_ACTION UINT64_C(63)
#define COUNT_HIT BIT(24)
#define COUNT_PENDING BIT(8)
#define COUNT_ONE BIT(10)
#define COUNT_FIELD (UINT64_C(0x3fff) << 10)
#define TRAP_HIT BIT(58)

enum {
    CSR_SCONTEXT = 0x5a8, CSR_TSELECT = 0x7a0, CSR_TDATA1 = 0x7a1, CSR_TDATA2 = 0x7a2,
    CSR_TDATA3 = 0x7a3, CSR_TINFO = 0x7a4, CSR_MCONTEXT = 0x7a8,
    TYPE_MCONTROL = 2, TYPE_ICOUNT = 3, TYPE_ITRIGGER = 4, TYPE_ETRIGGER = 5, TYPE_MCONTROL6 = 6,
    TYPE_DISABLED = 15,
    MATCH_EQUAL = 0, MATCH_NAPOT = 1, MATCH_GE = 2, MATCH_LT = 3,
    ACTION_BREAK = 0, ACTION_TRACE_ON = 2, ACTION_TRACE_OFF = 3, ACTION_TRACE_NOTIFY = 4,
    ACTION_SIGNAL_8 = 8, ACTION_SIGNAL_9 = 9,
    VERSION = 1,
};
#define DISABLED ((uint64_t)TYPE_DISABLED << TYPE_SHIFT)
#define INFO                                                                                       \
    ((uint64_t)VERSION << 24 | BIT(TYPE_MCONTROL) | BIT(TYPE_ICOUNT) | BIT(TYPE_ITRIGGER) |        \
     BIT(TYPE_ETRIGGER) | BIT(TYPE_MCONTROL6) | BIT(TYPE_DISABLED))
/* Where XLEN is 32, the fields at the top of tdata1 are 32 bits lower. */
#define TOP_FIELDS (UINT64_C(0x3f) << 58)
#define LOW_FIELDS (BIT(26) - 1)

/* textra: places and widths of its fields in RV64, and in RV32. The upper two of RV64's 34 bits of
 * svalue, and the byte mask's bit for them, are zero: scontext has 32 bits. */
enum { SSELECT_IGNORE = 0, SSELECT_CONTEXT = 1, SSELECT_ASID = 2, MSELECT_IGNORE = 0,
       MSELECT_CONTEXT = 4, EXTRA_FIELDS = 5 };
enum extra_field { EXTRA_SSELECT, EXTRA_SVALUE, EXTRA_SBYTEMASK, EXTRA_MSELECT, EXTRA_MVALUE };
struct place { uint8_t shift, bits; };
static const struct place extra_64[EXTRA_FIELDS] = {{0, 2}, {2, 32}, {36, 4}, {48, 3}, {51, 13}},
                          extra_32[EXTRA_FIELDS] = {{0, 2}, {2, 16}, {18, 2}, {23, 3}, {26, 6}};

static unsigned type_of(const struct trigger *trigger)
{
    return (unsigned)(trigger->data1 >> TYPE_SHIFT);
}

static bool is_control(const struct trigger *trigger)
{
    return type_of(trigger) == TYPE_MCONTROL || type_of(trigger) == TYPE_MCONTROL6;
}

static unsigned match_of(const struct trigger *trigger)
{
    return (unsigned)((trigger->data1 & CONTROL_MATCH) >> 7);
}

static unsigned action_of(const struct trigger *trigger)
{
    return (unsigned)(is_control(trigger) ? (trigger->data1 & CONTROL_ACTION) >> 12
                                          : trigger->data1 & OTHER_ACTION);
}

static uint64_t field_of(uint64_t word, const struct place *place)
{
    return word >> place->shift & (BIT(place->bits) - 1);
}

static uint64_t extra(const struct trigger *trigger, enum extra_field field)
{
    return field_of(trigger->data3, &extra_64[field]);
}

/* The bits of scontext that svalue is compared with. */
static uint64_t compared_bits(const struct trigger *trigger)
{
    uint64_t ignored = extra(trigger, EXTRA_SBYTEMASK), mask = 0;

    for (unsigned byte = 0; byte < sizeof(uint32_t); byte++)
        if ((ignored >> byte & 1) == 0)
            mask |= UINT64_C(0xff) << 8 * byte;
    return mask;
}

static bool is_in_context(const struct triggers *triggers, const struct trigger *trigger)
{
    uint64_t value = extra(trigger, EXTRA_SVALUE);

    if (extra(trigger, EXTRA_MSELECT) == MSELECT_CONTEXT &&
        extra(trigger, EXTRA_MVALUE) != triggers->mcontext)
        return false;
    switch (extra(trigger, EXTRA_SSELECT)) {
    case SSELECT_CONTEXT:
        return ((value ^ triggers->scontext) & compared_bits(trigger)) == 0;
    case SSELECT_ASID:
        return (value & triggers->asid_mask) == triggers->asid;
    default:
        return true;
    }
}

/* In all types the fields m, s, u have the same distances: U, S, M are bits 0, 1, 3 counted from
 * that of U. */
static bool is_enabled_in(const struct triggers *triggers, const struct trigger *trigger,
                          unsigned priv)
{
    unsigned lowest = is_control(trigger) ? 3 : 6;

    return (trigger->data1 >> (lowest + priv) & 1) != 0 &&
           (trigger->data3 == 0 || is_in_context(triggers, trigger));
}

static const uint8_t fires[] = {
    [ACTION_BREAK] = TRIGGER_BREAKS, [ACTION_TRACE_ON] = TRIGGER_STARTS,
    [ACTION_TRACE_OFF] = TRIGGER_STOPS, [ACTION_TRACE_NOTIFY] = TRIGGER_TOGGLES,
    [ACTION_SIGNAL_8] = TRIGGER_SIGNAL_8, [ACTION_SIGNAL_9] = TRIGGER_SIGNAL_9,
};

static bool is_action(uint64_t action)
{
    return action < sizeof fires && fires[action] != 0;
}

/* ---- registers ------------------------------------------------------------------------------- */

static void look_again(struct triggers *triggers)
{
    triggers->looks_before = triggers->looks_at_retired = triggers->looks_at_traps = false;
    for (unsigned i = 0; i < TRIGGERS; i++) {
        const struct trigger *trigger = &triggers->trigger[i];
        bool counts = type_of(trigger) == TYPE_ICOUNT;
        bool chains = (trigger->data1 & CONTROL_CHAIN) != 0;

        if (type_of(trigger) == TYPE_DISABLED)
            continue;
        if (is_control(trigger) && !chains) {
            triggers->looks_before |= action_of(trigger) == ACTION_BREAK;
            triggers->looks_at_retired |= action_of(trigger) != ACTION_BREAK;
        }
        triggers->looks_before |= counts;
        triggers->looks_at_retired |= counts;
        triggers->looks_at_traps |= !is_control(trigger);
    }
}

void triggers_init(struct triggers *triggers)
{
    memset(triggers, 0, sizeof *triggers);
    for (unsigned i = 0; i < TRIGGERS; i++)
        triggers->trigger[i].data1 = DISABLED;
}

static uint64_t legal_control(uint64_t value, bool is_last)
{
    bool is_6 = value >> TYPE_SHIFT == TYPE_MCONTROL6;
    uint64_t hits = is_6 ? CONTROL6_HIT | CONTROL6_SIZE : CONTROL2_HIT;
    unsigned match = (unsigned)((value & CONTROL_MATCH) >> 7), size = (unsigned)(value >> 16 & 7);
    bool has_select = (value & (is_6 ? BIT(21) : BIT(19))) != 0;

    if (!is_action((value & CONTROL_ACTION) >> 12) || match > MATCH_LT || has_select ||
        (!is_6 && match == MATCH_NAPOT) || (is_6 && (size == 4 || size > 5)))
        return DISABLED;
    if (is_last)
        value &= ~CONTROL_CHAIN;
    return value & (UINT64_C(15) << TYPE_SHIFT | CONTROL_BITS | hits);
}

static uint64_t legal_data1(uint64_t value, bool is_last)
{
    uint64_t mask = UINT64_C(15) << TYPE_SHIFT | OTHER_MODES | OTHER_ACTION;

    switch (value >> TYPE_SHIFT) {
    case TYPE_MCONTROL:
    case TYPE_MCONTROL6:
        return legal_control(value, is_last);
    case TYPE_ICOUNT:
        mask |= COUNT_HIT | COUNT_FIELD | COUNT_PENDING;
        break;
    case TYPE_ITRIGGER:
    case TYPE_ETRIGGER:
        mask |= TRAP_HIT;
        break;
    default:
        return DISABLED;
    }
    return is_action(value & OTHER_ACTION) ? value & mask : DISABLED;
}

/* A NAPOT range cannot cover all of memory: the largest is half of it. */
static void limit_napot(struct trigger *trigger, unsigned xlen)
{
    uint64_t most = BIT(xlen - 1) - 1;

    if (type_of(trigger) == TYPE_MCONTROL6 && match_of(trigger) == MATCH_NAPOT &&
        (trigger->data2 & most) == most)
        trigger->data2 &= ~BIT(xlen - 2);
}

/* Unsupported selections become "ignore"; a reserved bit reads as zero. */
static uint64_t legal_data3(uint64_t value, const struct place *from)
{
    uint64_t legal = 0;

    for (unsigned i = 0; i < EXTRA_FIELDS; i++) {
        uint64_t field = field_of(value, &from[i]);
        bool is_ignored = (i == EXTRA_SSELECT && field > SSELECT_ASID) ||
                          (i == EXTRA_MSELECT && field != MSELECT_CONTEXT);

        if (!is_ignored)
            legal |= field << extra_64[i].shift;
    }
    return legal;
}

static uint64_t data3_of_32(const struct trigger *trigger)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < EXTRA_FIELDS; i++)
        value |= extra(trigger, (enum extra_field)i) << extra_32[i].shift;
    return value;
}

bool triggers_csr_read(const struct triggers *triggers, unsigned number, unsigned xlen,
                       uint64_t *value)
{
    const struct trigger *trigger = &triggers->trigger[triggers->select];

    switch (number) {
    case CSR_TSELECT:
        *value = triggers->select;
        return true;
    case CSR_TDATA1:
        *value = xlen == 64 ? trigger->data1
                            : (trigger->data1 & TOP_FIELDS) >> 32 | (trigger->data1 & LOW_FIELDS);
        return true;
    case CSR_TDATA2:
        *value = trigger->data2;
        return true;
    case CSR_TDATA3:
        *value = xlen == 64 ? trigger->data3 : data3_of_32(trigger);
        return true;
    case CSR_TINFO:
        *value = INFO;
        return true;
    case CSR_SCONTEXT:
        *value = triggers->scontext;
        return true;
    case CSR_MCONTEXT:
        *value = triggers->mcontext;
        return true;
    default:
        return false;
    }
}

bool triggers_csr_write(struct triggers *triggers, unsigned number, unsigned xlen, uint64_t value)
{
    struct trigger *trigger = &triggers->trigger[triggers->select];

    switch (number) {
    case CSR_TSELECT:
        if (value < TRIGGERS)
            triggers->select = (unsigned)value;
        return true;
    case CSR_TDATA1:
        if (xlen == 32)
            value = (value << 32 & TOP_FIELDS) | (value & LOW_FIELDS);
        trigger->data1 = legal_data1(value, triggers->select == TRIGGERS - 1);
        triggers->was_written = true;
        break;
    case CSR_TDATA2:
        trigger->data2 = xlen == 32 ? (uint32_t)value : value;
        break;
    case CSR_TDATA3:
        trigger->data3 = legal_data3(value, xlen == 64 ? extra_64 : extra_32);
        return true;
    case CSR_SCONTEXT:
        triggers->scontext = (uint32_t)(xlen == 64 ? value : value & UINT16_MAX);
        return true;
    case CSR_MCONTEXT:
        triggers->mcontext =
            (uint16_t)(value & (BIT((xlen == 64 ? extra_64 : extra_32)[EXTRA_MVALUE].bits) - 1));
        return true;
    default:
        return number == CSR_TINFO;
    }
    limit_napot(trigger, xlen);
    look_again(triggers);
    return true;
}

/* ---- addresses ------------------------------------------------------------------------------- */

/* True if [first, last] overlaps the range that the trigger matches. */
static bool meets(const struct trigger *trigger, uint64_t first, uint64_t last)
{
    uint64_t data2 = trigger->data2;

    switch (match_of(trigger)) {
    case MATCH_EQUAL:
        return first <= data2 && data2 <= last;
    case MATCH_NAPOT:
        return first <= (data2 | (data2 + 1)) && last >= (data2 & (data2 + 1));
    case MATCH_GE:
        return last >= data2;
    default:
        return first < data2;
    }
}

static bool is_size(const struct trigger *trigger, unsigned bytes)
{
    static const uint8_t sizes[] = {0, 1, 2, 4, 0, 8, 0, 0};
    unsigned size = (unsigned)(trigger->data1 & CONTROL6_SIZE) >> 16;

    return type_of(trigger) == TYPE_MCONTROL || size == 0 || sizes[size] == bytes;
}

/* *tval: the address that matched. */
static bool matches(const struct triggers *triggers, const struct trigger *trigger,
                    const struct trigger_access *access, uint64_t *tval)
{
    uint64_t data1 = trigger->data1;

    if (!is_control(trigger) || !is_enabled_in(triggers, trigger, access->priv))
        return false;
    if ((data1 & CONTROL_EXECUTE) != 0 && is_size(trigger, access->insn_bytes) &&
        meets(trigger, access->pc, access->pc)) {
        *tval = access->pc;
        return true;
    }
    if (access->access_bytes == 0 || !is_size(trigger, access->access_bytes) ||
        !(((data1 & CONTROL_LOAD) != 0 && access->is_load) ||
          ((data1 & CONTROL_STORE) != 0 && access->is_store)) ||
        !meets(trigger, access->va, access->va + access->access_bytes - 1))
        return false;
    *tval = access->va;
    return true;
}

static void hit(struct trigger *trigger, bool is_before)
{
    if (type_of(trigger) == TYPE_MCONTROL)
        trigger->data1 |= CONTROL2_HIT;
    else
        trigger->data1 = (trigger->data1 & ~CONTROL6_HIT) |
                         (is_before ? CONTROL6_HIT_BEFORE : CONTROL6_HIT_AFTER);
}

/* Fires the chains whose triggers all match, and whose last trigger's action is a breakpoint
 * (is_before), or a signal or trace action (not is_before). */
static unsigned fire_chains(struct triggers *triggers, const struct trigger_access *access,
                            bool is_before, uint64_t *tval)
{
    unsigned fired = 0, first = 0;
    uint64_t where = 0;
    bool all = true;

    for (unsigned i = 0; i < TRIGGERS; i++) {
        struct trigger *trigger = &triggers->trigger[i];
        unsigned action = action_of(trigger);

        all = matches(triggers, trigger, access, &where) && all;
        if (is_control(trigger) && (trigger->data1 & CONTROL_CHAIN) != 0)
            continue;
        if (all && (action == ACTION_BREAK) == is_before) {
            fired |= fires[action];
            *tval = where;
            for (unsigned k = first; k <= i; k++)
                hit(&triggers->trigger[k], is_before);
        }
        first = i + 1;
        all = true;
    }
    return fired;
}

/* ---- counting -------------------------------------------------------------------------------- */

static unsigned fire_pending(struct triggers *triggers, unsigned priv, bool may_break,
                             uint64_t *tval)
{
    unsigned fired = 0;

    for (unsigned i = 0; i < TRIGGERS; i++) {
        struct trigger *trigger = &triggers->trigger[i];

        if (type_of(trigger) != TYPE_ICOUNT || (trigger->data1 & COUNT_PENDING) == 0 ||
            !is_enabled_in(triggers, trigger, priv) ||
            (action_of(trigger) == ACTION_BREAK && !may_break))
            continue;
        trigger->data1 = (trigger->data1 & ~COUNT_PENDING) | COUNT_HIT;
        fired |= fires[action_of(trigger)];
        *tval = 0;
    }
    return fired;
}

static void count(struct triggers *triggers, unsigned priv)
{
    for (unsigned i = 0; i < TRIGGERS; i++) {
        struct trigger *trigger = &triggers->trigger[i];

        if (type_of(trigger) != TYPE_ICOUNT || (trigger->data1 & COUNT_FIELD) == 0 ||
            !is_enabled_in(triggers, trigger, priv))
            continue;
        trigger->data1 -= COUNT_ONE;
        if ((trigger->data1 & COUNT_FIELD) == 0)
            trigger->data1 |= COUNT_PENDING;
    }
}

/* ---- triggers that fire ---------------------------------------------------------------------- */

unsigned triggers_before(struct triggers *triggers, const struct trigger_access *access,
                         bool may_break, uint64_t *tval)
{
    unsigned fired = fire_pending(triggers, access->priv, may_break, tval);

    triggers->was_written = false;
    if ((fired & TRIGGER_BREAKS) != 0 || !may_break)
        return fired;
    return fired | fire_chains(triggers, access, true, tval);
}

unsigned triggers_retired(struct triggers *triggers, const struct trigger_access *access)
{
    uint64_t tval;

    if (!triggers->was_written)
        count(triggers, access->priv);
    triggers->was_written = false;
    return fire_chains(triggers, access, false, &tval);
}

unsigned triggers_trap(struct triggers *triggers, uint64_t cause, unsigned from, bool may_break)
{
    unsigned type = (cause & TRAP_INTERRUPT) != 0 ? TYPE_ITRIGGER : TYPE_ETRIGGER, fired = 0;

    count(triggers, from);
    for (unsigned i = 0; i < TRIGGERS; i++) {
        struct trigger *trigger = &triggers->trigger[i];

        if (type_of(trigger) != type || (trigger->data2 >> (cause & 63) & 1) == 0 ||
            !is_enabled_in(triggers, trigger, from) ||
            (action_of(trigger) == ACTION_BREAK && !may_break))
            continue;
        trigger->data1 |= TRAP_HIT;
        fired |= fires[action_of(trigger)];
    }
    return fired;
}
