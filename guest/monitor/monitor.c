/* The resident monitor: takes indicator interrupts, walks the interrupted stack, keeps records.
 *
 * Runs in machine mode in memory of its own (pmu/abi.h: monitor_header, monitor_hart); nothing
 * interrupts it. The interrupted program's memory is read with the probe instruction only, which
 * does not trap, so that a corrupt stack ends the walk and nothing else. All queued indicators are
 * served by one walk: they belong to the same place. Position independent: no address is stored in
 * data. The records themselves: pmu/monitor.h, shared with the monitor on the host. */
#include "pmu/monitor_mark.h"

/* As entry.S saved it; a register's width each. */
struct interrupted {
    unsigned long ra, sp, fp;       /* of the interrupted code */
    unsigned long saved[16];
};

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#define PROBE_FAULTED (1ul << 8)

void monitor_main(const struct interrupted *frame, struct monitor_hart *hart);

/* The number is part of the instruction: a constant at every call. */
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

/* Of 64 bits: where XLEN is 32, `high` is the number of the upper half. For what does not carry
 * from one half to the other meanwhile. */
ALWAYS_INLINE unsigned long long csr_read_wide(unsigned number, unsigned high)
{
#if __riscv_xlen == 32
    return (unsigned long long)csr_read(high) << 32 | csr_read(number);
#else
    (void)high;
    return csr_read(number);
#endif
}

/* The upper half first: a counter close to its overflow must not carry into it before it is set. */
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

/* Registers that a write makes act: the low half of the value is all of it. */
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

/* The oldest pending indicator. False: none. */
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

/* As wide as an atomic is: where XLEN is 32 the low half does. */
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

/* Lets the counter run to its next overflow. The flag goes first: an overflow while it is set,
 * after a period of a few cycles, would not interrupt. */
static void sample_again(const struct monitor_header *header)
{
    if (header->period == 0)
        return;
    csr_write(SAMPLING_SELECT, csr_read(SAMPLING_SELECT) & ~SELECT_OVERFLOWED);
    csr_write_wide(SAMPLING_COUNT, SAMPLING_COUNTH,
                   monitor_next_period(csr_read_wide(SAMPLING_COUNT, SAMPLING_COUNTH),
                                       header->period));
}

/* The program may be in the middle of using the index register: it gets it back. */
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
        sample_again(header);
        sample.iaddr = csr_read(CSR_MON_EPC);
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
    csr_write(CSR_PROF_INDEX, index);
}
