/* The resident monitor: takes indicator interrupts, walks the interrupted stack, keeps records.
 *
 * The monitor runs in machine mode in memory of its own (pmu/abi.h: monitor_header, monitor_hart);
 * nothing interrupts it. It reads the interrupted program's memory with the probe instruction only,
 * which does not trap, so a corrupt stack ends the walk and nothing else. One walk serves all
 * queued indicators, because they belong to the same place. The code is position independent: no
 * address is stored in data. pmu/monitor/monitor.h, which the monitor on the host shares, has the
 * records.
 */
#include "pmu/monitor/monitor_mark.h"

/* The frame that entry.S saves; each member has the width of a register. */
struct interrupted {
    unsigned long ra, sp, fp;       /* of the interrupted code */
    unsigned long saved[16];
};

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#define PROBE_FAULTED (1ul << 8)

void monitor_main(const struct interrupted *frame, struct monitor_hart *hart);
void monitor_pace_main(struct monitor_hart *hart);

/* `number` must be a constant: it is part of the instruction. */
ALWAYS_INLINE unsigned long csr_read(unsigned number)
{
    unsigned long value;

    __asm__ volatile("csrr %0, %1" : "=r"(value) : "i"(number));
    return value;
}

ALWAYS_INLINE void csr_write(unsigned number, unsigned long value)
{
    __asm__ volatile("csrw %0, %1" : : "i"(number), "r"(value));
}

/* Reads a register of 64 bits. Where XLEN is 32, `high` is the number of its upper half; only for
 * registers that do not carry from one half to the other between the two reads. */
ALWAYS_INLINE unsigned long long csr_read_wide(unsigned number, unsigned high)
{
#if __riscv_xlen == 32
    return (unsigned long long)csr_read(high) << 32 | csr_read(number);
#else
    (void)high;
    return csr_read(number);
#endif
}

/* Writes the upper half first: a low half close to overflow could carry into an upper half that is
 * then overwritten. */
ALWAYS_INLINE void csr_write_wide(unsigned number, unsigned high, unsigned long long value)
{
#if __riscv_xlen == 32
    csr_write(high, (unsigned long)(value >> 32));
#else
    (void)high;
#endif
    csr_write(number, (unsigned long)value);
}

ALWAYS_INLINE unsigned long probe_word(unsigned long va)
{
    unsigned long value;

    __asm__ volatile(".insn r 0x0b, %2, 0, %0, %1, x0"
                     : "=r"(value)
                     : "r"(va), "i"(PROF_F3_PROBE)
                     : "memory");
    return value;
}

static bool probe(void *arg, unsigned long long va, unsigned long long *value)
{
    (void)arg;
    *value = probe_word((unsigned long)va);
#if __riscv_xlen == 32
    if ((csr_read(CSR_MON_STATUS) & PROBE_FAULTED) != 0)
        return false;
    *value |= (unsigned long long)probe_word((unsigned long)va + 4) << 32;
#endif
    return (csr_read(CSR_MON_STATUS) & PROBE_FAULTED) == 0;
}

static void take_modules(const struct monitor_hart *hart, struct unwind *unwind)
{
    const struct monitor_modules *modules =
        (const struct monitor_modules *)(unsigned long)hart->modules;

    unwind->modules = 0;
    if (modules == (const struct monitor_modules *)0 || __riscv_xlen != 64)
        return;
    unwind->module = (const struct monitor_frames *const *)(const void *)modules->frames;
    unwind->modules = (unsigned)modules->count;
}

static void walk(const struct interrupted *frame, const struct monitor_hart *hart,
                 struct unwind *unwind, struct monitor_stack *stack)
{
    unwind->read = probe;
    unwind->arg = (void *)0;
    unwind->pc = csr_read(CSR_MON_EPC);
    unwind->ra = frame->ra;
    unwind->sp = frame->sp;
    unwind->fp = frame->fp;
    unwind->has_line = false;
    unwind->rules = (struct monitor_rule *)(unsigned long)hart->rules;
    unwind->frames = (const struct monitor_frames *)(unsigned long)hart->frames;
    take_modules(hart, unwind);
    monitor_walk(unwind, stack);
}

/* ---- marking callers ------------------------------------------------------------------------- */

static bool locate(void *arg, unsigned long long va, unsigned long long *pa)
{
    unsigned long found;

    (void)arg;
    __asm__ volatile(".insn r 0x0b, %2, 0, %0, %1, x0"
                     : "=r"(found)
                     : "r"((unsigned long)va), "i"(PROF_F3_LOCATE)
                     : "memory");
    *pa = found;
    return (csr_read(CSR_MON_STATUS) & PROBE_FAULTED) == 0;
}

/* The monitor's own accesses are physical. */
static unsigned long long read_memory(void *arg, unsigned long long pa)
{
    (void)arg;
    return *(const volatile unsigned long long *)(unsigned long)pa;
}

static void write_memory(void *arg, unsigned long long pa, unsigned long long value)
{
    (void)arg;
    *(volatile unsigned long long *)(unsigned long)pa = value;
}

static unsigned long long get_register(void *arg, unsigned long long index)
{
    (void)arg;
    csr_write(CSR_PROF_INDEX, (unsigned long)index);
    return csr_read_wide(CSR_PROF_DATA, CSR_PROF_DATAH);
}

/* For registers whose write triggers an action; their value fits in the low half. */
static void set_register(void *arg, unsigned long long index, unsigned long long value)
{
    (void)arg;
    csr_write(CSR_PROF_INDEX, (unsigned long)index);
    csr_write(CSR_PROF_DATA, (unsigned long)value);
}

static void mark_caller(const struct monitor_hart *hart, struct unwind *unwind,
                        const struct monitor_stack *stack)
{
    struct monitor_callers *callers = (struct monitor_callers *)(unsigned long)hart->callers;
    struct monitor_access access;

    access.locate = locate;
    access.read = read_memory;
    access.write = write_memory;
    access.get = get_register;
    access.set = set_register;
    access.arg = (void *)0;
    access.sites = callers->sites;
    access.line_log2 = (unsigned)csr_read(CSR_PROF_LINES) & 0xff;
    monitor_mark_caller(&access, callers, unwind, stack);
}

/* ---- an interrupt ---------------------------------------------------------------------------- */

/* Takes the oldest pending indicator. False: none is pending. */
static bool take_indicator(struct monitor_sample *sample, struct monitor_hart *hart)
{
    sample->flags = csr_read(CSR_IND_FLAGS);
    if (sample->flags == 0)
        return false;
    sample->iaddr = csr_read(CSR_IND_IADDR);
    sample->daddr = csr_read(CSR_IND_DADDR);
    sample->count = csr_read_wide(CSR_IND_COUNT, CSR_IND_COUNTH);
    sample->cycles = csr_read_wide(CSR_IND_CYCLES, CSR_IND_CYCLESH);
    sample->insns = monitor_insns_until(&hart->insns, csr_read_wide(CSR_IND_INSNS, CSR_IND_INSNSH));
    csr_write(CSR_PROF_INDEX, PROF_REG_ACK);
    csr_write(CSR_PROF_DATA, 0);
    return true;
}

/* The lock as a word that an atomic takes: where XLEN is 32, the low half of the member. */
ALWAYS_INLINE unsigned long *lock_of(struct monitor_header *header)
{
    return (unsigned long *)(void *)&header->lock;
}

static void lock(struct monitor_header *header)
{
    while (__atomic_exchange_n(lock_of(header), 1, __ATOMIC_ACQUIRE) != 0)
        ;
}

static void unlock(struct monitor_header *header)
{
    __atomic_store_n(lock_of(header), 0, __ATOMIC_RELEASE);
}

#define SAMPLING_COUNT  (0xb00 + MONITOR_SAMPLING_COUNTER)     /* mhpmcounter */
#define SAMPLING_COUNTH (0xb80 + MONITOR_SAMPLING_COUNTER)
#if __riscv_xlen == 32
#define SAMPLING_SELECT (0x720 + MONITOR_SAMPLING_COUNTER)     /* mhpmeventh has the flag */
#else
#define SAMPLING_SELECT (0x320 + MONITOR_SAMPLING_COUNTER)     /* mhpmevent */
#endif
#define SELECT_OVERFLOWED (1ul << (__riscv_xlen - 1))

/* Lets the counter run to its next overflow; last of all, as the time that the monitor took is
 * counted. The overflow flag is cleared before the counter is set: an overflow while the flag is
 * set, as in a period shorter than the monitor, does not interrupt. */
static void sample_again(const struct monitor_header *header)
{
    unsigned long long period = header->period, count;

    if (period == 0)
        return;
    csr_write(SAMPLING_SELECT, csr_read(SAMPLING_SELECT) & ~SELECT_OVERFLOWED);
    count = csr_read_wide(SAMPLING_COUNT, SAMPLING_COUNTH);
    if (!monitor_took_period(count, period) && count < period)
        csr_write_wide(SAMPLING_COUNT, SAMPLING_COUNTH, count - period);
    else
        __asm__ volatile("jal t0, monitor_pace" : : : "t0", "memory");
}

/* Restores the index register at the end: the interrupted program may be using it. */
void monitor_main(const struct interrupted *frame, struct monitor_hart *hart)
{
    struct monitor_header *header = (struct monitor_header *)(unsigned long)hart->header;
    unsigned long index = csr_read(CSR_PROF_INDEX);
    struct monitor_sample sample;
    struct monitor_stack stack;
    struct unwind unwind;
    bool is_overflow = csr_read(CSR_MON_CAUSE) == PROF_CAUSE_LCOFI, is_new = false;

    if (is_overflow && (header->flags & MONITOR_NO_STACKS) != 0)
        monitor_no_walk(csr_read(CSR_MON_EPC), &stack);
    else
        walk(frame, hart, &unwind, &stack);
    lock(header);
    if (is_overflow) {
        sample.iaddr = csr_read(CSR_MON_PLACE);
        sample.daddr = sample.count = sample.cycles = sample.flags = 0;
        sample.insns =
            monitor_insns_until(&hart->insns, csr_read_wide(CSR_PROF_INSNS, CSR_PROF_INSNSH));
        monitor_store(header, &sample, &stack);
    }
    while (take_indicator(&sample, hart))
        is_new |= monitor_store(header, &sample, &stack);
    if (is_new && hart->callers != 0)
        mark_caller(hart, &unwind, &stack);
    unlock(header);
    if (is_overflow)
        sample_again(header);
    csr_write(CSR_PROF_INDEX, index);
}

/* ---- a period shorter than the monitor ------------------------------------------------------- */

#define STATUS_WAITING (1ul << 9)

/* The monitor has taken the period. Called by monitor_pace (entry.S), which the usual way through
 * the monitor has no registers to save for; `hart` lies above the stack. */
void monitor_pace_main(struct monitor_hart *hart)
{
    const struct monitor_header *header =
        (const struct monitor_header *)(unsigned long)hart->header;
    bool is_waiting = (csr_read(CSR_MON_STATUS) & STATUS_WAITING) != 0;

    csr_write_wide(SAMPLING_COUNT, SAMPLING_COUNTH,
                   monitor_throttle(header, hart, csr_read_wide(SAMPLING_COUNT, SAMPLING_COUNTH),
                                    is_waiting));
}
