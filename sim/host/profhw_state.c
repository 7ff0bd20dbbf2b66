/* The state of the machine that libprofhw reads and writes between two runs: counters, ranges,
 * registers, memory. No hart has instructions in flight then. */
#include <stdio.h>
#include <string.h>

#include "isa/bits.h"
#include "isa/csr.h"
#include "pmu/profile.h"
#include "sim/core/csr_access.h"
#include "sim/host/counting.h"
#include "sim/host/profhw_internal.h"
#include "sim/host/state.h"

enum { FIRST_COUNTER = 3, NAME_BYTES = 16, CSRS = 4096 };

static bool fail(struct profhw *profhw, const char *what, const char *name)
{
    diag_set(&profhw->diag, ERR_USAGE, what, name);
    return false;
}

/* ---- programmable counters ------------------------------------------------------------------- */

static bool is_open(struct profhw *profhw, unsigned number)
{
    char text[NAME_BYTES];

    if (number < 32 && (profhw->opened >> number & 1) != 0)
        return true;
    snprintf(text, sizeof text, "%u", number);
    return fail(profhw, "counter %s is not open", text);
}

/* From zero; select 0 counts nothing. */
static void program(struct profhw *profhw, unsigned number, uint64_t select)
{
    for (unsigned i = 0; i < profhw->machine.harts; i++)
        pmu_program(&profhw->machine.cpu[i].pmu, number, select, 0);
    machine_changed(&profhw->machine);
}

/* One that neither this library nor the program has; 0: none. */
static unsigned free_counter(const struct profhw *profhw)
{
    for (unsigned i = FIRST_COUNTER; i < FIRST_COUNTER + profhw->config.pmu_counters; i++)
        if ((profhw->opened >> i & 1) == 0 &&
            (profhw->machine.cpu[0].pmu.counter[i].select & 0xff) == EVENT_NONE)
            return i;
    return 0;
}

/* True for a counter of a thread, where the host serves the system calls. */
static bool is_without_threads(const struct profhw *profhw, const struct counting *counting)
{
    return (counting->select >> PMU_FILTER_SHIFT & 7) == PMU_FILTER_THREAD &&
           profhw->machine.image->is_linux && profhw->machine.kernel == NULL;
}

bool profhw_counter_open(struct profhw *profhw, const char *counter, unsigned *number)
{
    struct counting counting;

    if (counting_parse(&counting, counter, &profhw->diag) != ERR_OK)
        return false;
    if (!counting_is_possible(&counting, profhw->machine.engine == ENGINE_DETAILED, false))
        return fail(profhw, "%s: the fast engine does not count it", counter);
    if (is_without_threads(profhw, &counting))
        return fail(profhw, "%s: there are threads under the guest kernel only (has_kernel)",
                    counter);
    *number = free_counter(profhw);
    if (*number == 0) {
        diag_set(&profhw->diag, ERR_USAGE, "%s: all %u counters (pmu.counters) are taken", counter,
                 profhw->config.pmu_counters);
        return false;
    }
    profhw->opened |= UINT32_C(1) << *number;
    program(profhw, *number, counting.select);
    return true;
}

bool profhw_counter_close(struct profhw *profhw, unsigned number)
{
    if (!is_open(profhw, number))
        return false;
    profhw->opened &= ~(UINT32_C(1) << number);
    program(profhw, number, EVENT_NONE);
    return true;
}

bool profhw_counter(struct profhw *profhw, unsigned number, uint64_t *value)
{
    if (!is_open(profhw, number))
        return false;
    *value = 0;
    for (unsigned i = 0; i < profhw->machine.harts; i++)
        *value += profiler_hart_counter(profhw->profiler, i, number - FIRST_COUNTER);
    return true;
}

bool profhw_counter_set(struct profhw *profhw, unsigned number, uint64_t value)
{
    if (!is_open(profhw, number))
        return false;
    for (unsigned i = 0; i < profhw->machine.harts; i++) {
        struct pmu *pmu = &profhw->machine.cpu[i].pmu;

        pmu_program(pmu, number, pmu->counter[number].select, i == 0 ? value : 0);
    }
    machine_changed(&profhw->machine);
    return true;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

/* The first of the four registers of "D3"; false: there is no such range. */
static bool find_range(struct profhw *profhw, const char *name, uint64_t *index)
{
    bool is_data = name[0] == 'D';
    unsigned number = (unsigned)(name[0] != '\0' ? name[1] - '0' : 0);

    if ((!is_data && name[0] != 'I') || number >= PROF_RANGES || name[2] != '\0')
        return fail(profhw, "%s: expected a range, I0 to I7 or D0 to D7", name);
    *index = (is_data ? PROF_REG_DRANGE : PROF_REG_IRANGE) + 4 * number;
    return true;
}

bool profhw_range(struct profhw *profhw, const char *name, struct profhw_range *range)
{
    uint64_t index;

    if (!find_range(profhw, name, &index))
        return false;
    *range = (struct profhw_range){
        .start = profile_register_read(&profhw->machine.cpu[0].pmu, index),
        .end = profile_register_read(&profhw->machine.cpu[0].pmu, index + 1),
    };
    for (unsigned i = 0; i < profhw->machine.harts; i++) {
        range->entries += profile_register_read(&profhw->machine.cpu[i].pmu, index + 2);
        range->inside += profile_register_read(&profhw->machine.cpu[i].pmu, index + 3);
    }
    return true;
}

static void set_range(struct profhw *profhw, uint64_t index, uint64_t start, uint64_t end)
{
    const uint64_t word[4] = {start, end, 0, 0};
    unsigned changed = 0;

    for (unsigned i = 0; i < profhw->machine.harts; i++)
        for (unsigned k = 0; k < 4; k++)
            profile_register_write(&profhw->machine.cpu[i].pmu, &profhw->machine.cpu[i].hart,
                                   index + k, word[k], &changed);
}

bool profhw_range_set(struct profhw *profhw, const char *name, uint64_t start, uint64_t end)
{
    uint64_t index;

    if (!find_range(profhw, name, &index))
        return false;
    set_range(profhw, index, start, end);
    machine_changed(&profhw->machine);
    return true;
}

static void follow(struct profhw *profhw, uint64_t first, const struct meta_range *range)
{
    struct pmu *pmu = &profhw->machine.cpu[0].pmu;

    for (unsigned i = 0; i < PROF_RANGES; i++) {
        uint64_t index = first + 4 * i;

        if (range[i].is_set && (profile_register_read(pmu, index) != range[i].start ||
                                profile_register_read(pmu, index + 1) != range[i].end))
            set_range(profhw, index, range[i].start, range[i].end);
    }
}

void profhw_follow_ranges(struct profhw *profhw)
{
    follow(profhw, PROF_REG_IRANGE, profhw->meta.irange);
    follow(profhw, PROF_REG_DRANGE, profhw->meta.drange);
}

/* ---- registers ------------------------------------------------------------------------------- */

unsigned profhw_harts(const struct profhw *profhw)
{
    return profhw->machine.harts;
}

static struct cpu *find_hart(struct profhw *profhw, unsigned hart)
{
    char text[NAME_BYTES];

    if (hart < profhw->machine.harts)
        return &profhw->machine.cpu[hart];
    snprintf(text, sizeof text, "%u", hart);
    fail(profhw, "there is no hart %s", text);
    return NULL;
}

/* pc, or one of struct hart's registers; NULL: another. */
static uint64_t *find_word(struct hart *hart, const char *name)
{
    char plain[NAME_BYTES];

    if (strcmp(name, "pc") == 0)
        return &hart->pc;
    if (strcmp(name, "fp") == 0)
        name = "s0";
    for (unsigned i = 0; disasm_register(i) != NULL; i++) {
        snprintf(plain, sizeof plain, "%c%u", i < REG_F0 ? 'x' : 'f', i % REG_F0);
        if (strcmp(name, disasm_register(i)) == 0 || strcmp(name, plain) == 0)
            return &hart->reg[i];
    }
    return NULL;
}

/* An integer register: of 32 bits it is kept sign-extended. */
static bool is_integer(const struct hart *hart, const uint64_t *word)
{
    return word >= hart->reg && word < &hart->reg[REG_F0];
}

/* CSRS: there is none of this name. Halves are for 32-bit code alone. */
static unsigned find_csr(const char *name)
{
    unsigned number = 0;
    bool is_high;

    while (number < CSRS && (csr_name(number) == NULL || strcmp(csr_name(number), name) != 0))
        number++;
    csr_whole(number, &is_high);
    return is_high ? CSRS : number;
}

bool profhw_register(struct profhw *profhw, unsigned hart, const char *name, uint64_t *value)
{
    struct cpu *cpu = find_hart(profhw, hart);
    const uint64_t *word = cpu != NULL ? find_word(&cpu->hart, name) : NULL;
    uint64_t modify;

    if (cpu == NULL)
        return false;
    if (word == NULL)
        return cpu_csr_read(cpu, find_csr(name), value, &modify) ||
               fail(profhw, "%s: no such register", name);
    *value = is_integer(&cpu->hart, word) ? zext(*word, hart_xlen(&cpu->hart)) : *word;
    return true;
}

static bool set_csr(struct profhw *profhw, struct cpu *cpu, const char *name, uint64_t value)
{
    unsigned number = find_csr(name);
    uint64_t old, modify;

    if (!cpu_csr_read(cpu, number, &old, &modify))
        return fail(profhw, "%s: no such register", name);
    return state_set_csr(cpu, number, value) || fail(profhw, "%s: cannot be written", name);
}

bool profhw_register_set(struct profhw *profhw, unsigned hart, const char *name, uint64_t value)
{
    struct cpu *cpu = find_hart(profhw, hart);
    uint64_t *word = cpu != NULL ? find_word(&cpu->hart, name) : NULL;

    if (cpu == NULL || (word == NULL && !set_csr(profhw, cpu, name, value)))
        return false;
    if (word == &cpu->hart.reg[0])
        return fail(profhw, "%s: cannot be written", name);
    if (word != NULL && is_integer(&cpu->hart, word))
        value = hart_value(&cpu->hart, value);
    if (word == &cpu->hart.pc)
        value = hart_address(&cpu->hart, value);
    if (word != NULL)
        state_set_word(&cpu->hart, word, value);
    machine_changed(&profhw->machine);
    return true;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static bool access_memory(struct profhw *profhw, unsigned hart, uint64_t address,
                          unsigned char *bytes, size_t count, bool is_write)
{
    struct cpu *cpu = find_hart(profhw, hart);
    char text[NAME_BYTES + 8];

    if (cpu == NULL)
        return false;
    if (is_write ? state_write(cpu, cpu->hart.priv, address, bytes, count)
                 : state_read(cpu, cpu->hart.priv, address, bytes, count))
        return true;
    snprintf(text, sizeof text, "0x%llx", (unsigned long long)address);
    return fail(profhw, "the memory at %s is not all mapped", text);
}

bool profhw_memory(struct profhw *profhw, unsigned hart, uint64_t address, void *bytes,
                   size_t count)
{
    return access_memory(profhw, hart, address, bytes, count, false);
}

bool profhw_memory_set(struct profhw *profhw, unsigned hart, uint64_t address, const void *bytes,
                       size_t count)
{
    unsigned char *from = (unsigned char *)(uintptr_t)bytes;

    if (!access_memory(profhw, hart, address, from, count, true))
        return false;
    machine_changed(&profhw->machine);
    return true;
}
