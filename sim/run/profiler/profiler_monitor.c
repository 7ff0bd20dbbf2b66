/* The monitor of a run: the resident one is loaded into reserved guest memory, the host's monitor
 * runs here. Both use pmu/monitor/monitor.h, so the same interrupts leave the same records. */
#include "pmu/monitor/monitor.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/array.h"
#include "sim/core/profile/observe.h"
#include "sim/run/profiler/profiler_internal.h"
#include "sim/run/profiler/profiler_records.h"

enum {
    SLOTS_LARGE = 8192,                 /* samples are anywhere, and there are many stacks */
    SLOTS_SMALL = 1024,
    SLOTS_LEAST = 64,
    LARGE_MEMORY_MIB = 64,
    SMALL_MEMORY_MIB = 16,
    RULES_BYTES = MONITOR_RULES * sizeof(struct monitor_rule),  /* whole pages */
    MODULES_MOST = 256,
    HART_BYTES = PHYS_PAGE_BYTES + RULES_BYTES,
};

/* Rules of walks on a hart, all of code of one program (pmu/key.h). */
struct host_rules { uint64_t program; struct monitor_rule rule[MONITOR_RULES]; };

static uint64_t round_to_pages(uint64_t bytes)
{
    return (bytes + PHYS_PAGE_BYTES - 1) & ~((uint64_t)PHYS_PAGE_BYTES - 1);
}

static uint64_t table_bytes(uint64_t slots)
{
    return sizeof(struct monitor_header) + slots * sizeof(struct monitor_record);
}

void profiler_set_register(struct cpu *cpu, uint64_t index, uint64_t value)
{
    uint64_t before = cpu->pmu.index;
    unsigned changed;

    profile_csr_write(&cpu->pmu, &cpu->hart, CSR_PROF_INDEX, index, &changed);
    profile_csr_write(&cpu->pmu, &cpu->hart, CSR_PROF_DATA, value, &changed);
    profile_csr_write(&cpu->pmu, &cpu->hart, CSR_PROF_INDEX, before, &changed);
}

/* ---- plan ------------------------------------------------------------------------------------ */

/* The addresses the monitor's program occupies. */
static void program_span(const struct image *image, uint64_t *first, uint64_t *end)
{
    *first = UINT64_MAX;
    *end = 0;
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];

        if (segment->vaddr < *first)
            *first = segment->vaddr;
        if (segment->vaddr + segment->mem_bytes > *end)
            *end = segment->vaddr + segment->mem_bytes;
    }
    *first &= ~((uint64_t)PHYS_PAGE_BYTES - 1);
}

static uint64_t slots_for(unsigned memory_mib)
{
    if (memory_mib >= LARGE_MEMORY_MIB)
        return SLOTS_LARGE;
    return memory_mib >= SMALL_MEMORY_MIB ? SLOTS_SMALL : SLOTS_LEAST;
}

enum err profiler_monitor_plan(struct profiler *profiler, const char *path, struct diag *diag)
{
    uint64_t first, end;
    enum err err;

    profiler->slots = slots_for(profiler->config->machine_memory_mib);
    err = profiler->monitor != MONITOR_NONE
              ? frames_build(&profiler->frames, profiler->image, diag) : ERR_OK;
    if (err == ERR_OK)
        err = profiler_modules_begin(profiler, diag);
    if (err != ERR_OK || profiler->monitor != MONITOR_GUEST)
        return err;
    err = image_open(&profiler->monitor_image, path, diag);
    if (err == ERR_OK)
        err = profiler_check_image(&profiler->monitor_image, profiler->image->xlen, diag);
    if (err != ERR_OK)
        return err;
    program_span(&profiler->monitor_image, &first, &end);
    profiler->code_bytes = round_to_pages(end - first);
    profiler->monitor_bytes = profiler->code_bytes + round_to_pages(table_bytes(profiler->slots)) +
                              round_to_pages(profiler->frames.bytes) +
                              (uint64_t)profiler->config->machine_harts * HART_BYTES +
                              profiler_modules_plan(profiler);
    return ERR_OK;
}

/* ---- attach ---------------------------------------------------------------------------------- */

static struct monitor_header new_header(const struct profiler *profiler)
{
    const struct profiler_counters *counters = &profiler->counters;

    return (struct monitor_header){
        .magic = MONITOR_MAGIC, .slots = profiler->slots, .period = counters->period,
        .flags = counters->has_stacks ? 0 : MONITOR_NO_STACKS,
    };
}

static enum err attach_host(struct profiler *profiler, struct diag *diag)
{
    profiler->host_header = calloc(1, table_bytes(profiler->slots));
    profiler->host_insns = calloc(profiler->harts, sizeof *profiler->host_insns);
    profiler->host_rules = calloc(profiler->harts, sizeof *profiler->host_rules);
    if (profiler->host_header == NULL || profiler->host_insns == NULL ||
        profiler->host_rules == NULL)
        return diag_no_memory(diag, "the monitor");
    *profiler->host_header = new_header(profiler);
    for (unsigned i = 0; i < profiler->harts; i++) {
        profiler->cpu[i].host_monitor = true;
        profiler->host_insns[i] = pmu_program_insns(&profiler->cpu[i].pmu);
    }
    return ERR_OK;
}

/* at: address of the struct monitor_hart; frames: of the first program's table. */
struct guest_hart {
    struct profiler *profiler;
    struct pmu_listener listener;
    uint64_t at, frames;
};

static void set_word(const struct guest_hart *hart, size_t offset, uint64_t value)
{
    phys_copy_in(hart->profiler->phys, hart->at + offset, &value, sizeof value);
}

/* The hart goes on with another program: its monitor walks by that one's tables, keeps no rules of
 * the program before, and marks callers in the first one only, whose pages have metadata. */
static void use_program(void *arg, uint64_t program)
{
    const struct guest_hart *hart = arg;
    const struct profiler *profiler = hart->profiler;
    uint64_t rules = 0;

    set_word(hart, offsetof(struct monitor_hart, frames),
             program == 0 ? hart->frames : profiler_modules_kernel(profiler));
    set_word(hart, offsetof(struct monitor_hart, modules),
             profiler_modules_list(profiler, program));
    set_word(hart, offsetof(struct monitor_hart, callers),
             program == 0 ? profiler_callers_base(profiler) : 0);
    phys_copy_out(profiler->phys, hart->at + offsetof(struct monitor_hart, rules), &rules,
                  sizeof rules);
    memset(phys_host(profiler->phys, rules), 0, RULES_BYTES);
}

/* Copies the program; *entry: its entry point at the new address. */
static bool load_program(struct profiler *profiler, uint64_t base, uint64_t *entry)
{
    const struct image *image = &profiler->monitor_image;
    uint64_t first, end;

    program_span(image, &first, &end);
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];

        if (!phys_copy_in(profiler->phys, base + (segment->vaddr - first), segment->bytes,
                          segment->file_bytes))
            return false;
    }
    *entry = base + (image->entry - first);
    return true;
}

/* Points the hart to the monitor: vector, and a page with its stack and its struct monitor_hart;
 * its rules follow the page. */
static bool attach_hart(struct profiler *profiler, struct cpu *cpu, uint64_t entry, uint64_t page,
                        uint64_t frames)
{
    uint64_t top = page + MONITOR_STACK_BYTES;
    struct monitor_hart hart = {.header = profiler->guest_header,
                                .insns = pmu_program_insns(&cpu->pmu),
                                .callers = profiler_callers_base(profiler),
                                .rules = page + PHYS_PAGE_BYTES,
                                .frames = frames,
                                .modules = profiler->modules.at};
    unsigned changed;
    struct guest_hart *follower = &profiler->guest_hart[cpu - profiler->cpu];

    if (!phys_copy_in(profiler->phys, top, &hart, sizeof hart))
        return false;
    *follower = (struct guest_hart){
        .profiler = profiler, .at = top, .frames = frames,
        .listener = {.program = use_program, .arg = follower}};
    pmu_listen(&cpu->pmu.thread, &follower->listener);
    profile_csr_write(&cpu->pmu, &cpu->hart, CSR_MON_SCRATCH, top, &changed);
    profile_csr_write(&cpu->pmu, &cpu->hart, CSR_MON_VECTOR, entry, &changed);
    return true;
}

enum err profiler_monitor_attach(struct profiler *profiler, uint64_t base, struct diag *diag)
{
    struct monitor_header header = new_header(profiler);
    uint64_t frames = base + profiler->code_bytes + round_to_pages(table_bytes(profiler->slots));
    uint64_t page = frames + round_to_pages(profiler->frames.bytes), entry = 0;
    bool is_loaded;
    enum err err;

    if (profiler->monitor != MONITOR_NONE && !profiler_records_begin(profiler))
        return diag_no_memory(diag, "the monitor");
    if (profiler->monitor == MONITOR_HOST)
        return attach_host(profiler, diag);
    if (profiler->monitor != MONITOR_GUEST)
        return ERR_OK;
    profiler->guest_header = base + profiler->code_bytes;
    err = profiler_modules_attach(profiler, base + profiler->monitor_bytes, diag);
    if (err != ERR_OK)
        return err;
    profiler->guest_hart = calloc(profiler->harts, sizeof *profiler->guest_hart);
    if (profiler->guest_hart == NULL)
        return diag_no_memory(diag, "the monitor");
    is_loaded = load_program(profiler, base, &entry) &&
                phys_copy_in(profiler->phys, profiler->guest_header, &header, sizeof header) &&
                phys_copy_in(profiler->phys, frames, profiler->frames.table,
                             profiler->frames.bytes);
    for (unsigned i = 0; i < profiler->harts && is_loaded; i++)
        is_loaded = attach_hart(profiler, &profiler->cpu[i], entry,
                                page + (uint64_t)i * HART_BYTES, frames);
    if (!is_loaded)
        return diag_set(diag, ERR_USAGE, "%s: does not fit into the machine's memory",
                        profiler->monitor_image.path);
    phys_set_flags(profiler->phys, base, profiler->monitor_bytes, PHYS_MONITOR);
    return ERR_OK;
}

void profiler_monitor_free(struct profiler *profiler)
{
    if (profiler->monitor_image.path != NULL)
        image_close(&profiler->monitor_image);
    frames_free(&profiler->frames);
    free(profiler->host_header);
    free(profiler->host_insns);
    free(profiler->host_rules);
    free(profiler->guest_hart);
    free(profiler->sample);
    free(profiler->collected);
    free(profiler->slot);
}

/* ---- the host's monitor ---------------------------------------------------------------------- */

struct reader {
    const struct mmu *mmu;
    const struct phys *phys;
    unsigned priv;
};

static bool read_guest(void *arg, unsigned long long va, unsigned long long *value)
{
    const struct reader *reader = arg;
    uint64_t pa;

    return mmu_probe(reader->mmu, va, MMU_LOAD, reader->priv, &pa) == TRAP_NONE &&
           phys_copy_out(reader->phys, pa, value, sizeof *value);
}

static struct monitor_rule *rules_of(const struct profiler *profiler, const struct cpu *cpu)
{
    struct host_rules *rules = &profiler->host_rules[cpu - profiler->cpu];

    if (rules->program != cpu->pmu.thread.program)
        *rules = (struct host_rules){.program = cpu->pmu.thread.program};
    return rules->rule;
}

/* The guest kernel's machine mode answers interrupts between harts with the registers of the code
 * that it interrupted: the walk goes on with that code, which sees memory in its own way. */
static void walk_interrupted(const struct cpu *cpu, struct reader *reader, struct unwind *unwind,
                             struct monitor_stack *stack)
{
    unsigned long long trap = unwind->pc;

    reader->priv = (unsigned)(cpu->hart.mstatus >> MSTATUS_MPP_SHIFT & 3);
    unwind->pc = cpu->hart.mepc;
    monitor_walk(unwind, stack);
    stack->depth -= stack->depth == MONITOR_DEPTH_MAX;
    memmove(&stack->address[1], stack->address, stack->depth++ * sizeof stack->address[0]);
    stack->address[0] = trap;
    stack->address[1] |= 1;
}

/* The tables of a walk. Those of covering files (pmu/key.h) come first, so that they are found
 * before tables of files that lay at the same addresses. No program needs MODULES_MOST. */
struct tables { const struct monitor_frames *module[MODULES_MOST]; unsigned modules; };

static void find_tables(const struct profiler *profiler, const struct cpu *cpu,
                        const struct frames *frames, struct tables *tables)
{
    const struct pmu_thread *thread = &cpu->pmu.thread;

    tables->modules = 0;
    for (size_t i = 0; i < thread->covers && tables->modules < MODULES_MOST; i++) {
        const struct frames *own = frames_of(&profiler->frames, thread->cover[i].program);

        if (own->table != NULL)
            tables->module[tables->modules++] = own->table;
    }
    for (unsigned i = 0; i < frames->modules && tables->modules < MODULES_MOST; i++)
        tables->module[tables->modules++] = frames->module[i];
}

static void walk(const struct profiler *profiler, const struct cpu *cpu, struct reader *reader,
                 struct unwind *unwind, struct monitor_stack *stack)
{
    const struct frames *frames = frames_of(&profiler->frames, cpu->pmu.thread.program);
    struct tables tables;

    *reader = (struct reader){.mmu = &cpu->mmu, .phys = cpu->phys, .priv = cpu->hart.priv};
    *unwind = (struct unwind){
        .read = read_guest,
        .arg = reader,
        .pc = trap_interrupted_pc(&cpu->hart),
        .ra = hart_address(&cpu->hart, cpu->hart.reg[UNWIND_RA]),
        .sp = hart_address(&cpu->hart, cpu->hart.reg[UNWIND_SP]),
        .fp = hart_address(&cpu->hart, cpu->hart.reg[UNWIND_FP]),
        .frames = frames->table, .module = frames->module, .modules = frames->modules,
        .rules = rules_of(profiler, cpu),
        .is_32 = hart_xlen(&cpu->hart) == 32,
    };

    if (cpu->pmu.thread.covers != 0) {
        find_tables(profiler, cpu, frames, &tables);
        unwind->module = tables.module;
        unwind->modules = tables.modules;
    }
    if (profiler->kernel != NULL && cpu->hart.priv == PRIV_M && cpu->hart.mepc != 0)
        walk_interrupted(cpu, reader, unwind, stack);
    else
        monitor_walk(unwind, stack);
    if (cpu->pmu.thread.covers != 0)
        unwind->modules = 0;
}

static void keep(struct profiler *profiler, const struct cpu *cpu, uint64_t slot)
{
    struct profiler_sample *grown = array_grow(profiler->sample, profiler->samples, sizeof *grown);

    if (grown == NULL)
        return;
    profiler->sample = grown;
    profiler->sample[profiler->samples++] = (struct profiler_sample){
        .cycle = cpu->pmu.events[EVENT_CYCLES], .hart = (uint32_t)(cpu - profiler->cpu),
        .slot = (uint32_t)slot, .thread = (uint32_t)cpu->pmu.thread.id};
}

/* Replaces the addresses of a program other than the first by their keys. */
static void key(const struct cpu *cpu, struct monitor_sample *sample, struct monitor_stack *stack)
{
    sample->iaddr = cpu_key(cpu, sample->iaddr);
    sample->daddr = cpu_key(cpu, sample->daddr);
    for (unsigned i = 0; i < stack->depth; i++)
        stack->address[i] = cpu_key(cpu, stack->address[i]);
}

/* True: the record is new, or there was no room for it. */
static bool store_keyed(struct profiler *profiler, const struct cpu *cpu,
                        const struct monitor_sample *sample, const struct monitor_stack *stack)
{
    struct monitor_header *header = profiler->host_header;
    const struct monitor_record *table = (const struct monitor_record *)(const void *)(header + 1),
                                *record;
    unsigned long long used = header->used;
    bool is_new = monitor_store(header, sample, stack);

    if (header->used == used && !profiler->counters.keeps_samples && profiler->threads == NULL)
        return is_new;
    record = monitor_find(header, sample, stack);
    if (record == NULL)
        return is_new;
    if (header->used != used)
        profiler->slot[used] = (uint32_t)(record - table);
    profiler_threads_record(profiler, cpu, (uint64_t)(record - table), sample);
    if (profiler->counters.keeps_samples)
        keep(profiler, cpu, (uint64_t)(record - table));
    return is_new;
}

static bool store(struct profiler *profiler, const struct cpu *cpu,
                  const struct monitor_sample *sample, const struct monitor_stack *stack)
{
    struct monitor_sample keyed_sample;
    struct monitor_stack keyed_stack;

    if (cpu->pmu.thread.program == 0 && cpu->pmu.thread.covers == 0)
        return store_keyed(profiler, cpu, sample, stack);
    keyed_sample = *sample;
    keyed_stack = *stack;
    key(cpu, &keyed_sample, &keyed_stack);
    return store_keyed(profiler, cpu, &keyed_sample, &keyed_stack);
}

void profiler_serve(void *arg, struct machine *machine, struct cpu *cpu)
{
    struct profiler *profiler = arg;
    size_t hart = (size_t)(cpu - profiler->cpu);
    unsigned long long *last = &profiler->host_insns[hart];
    struct pmu *pmu = &cpu->pmu;
    struct monitor_sample sample = {.iaddr = trap_interrupted_pc(&cpu->hart)};
    struct monitor_stack stack;
    struct reader reader;
    struct unwind unwind;
    bool is_overflow = pmu->queue_length == 0, is_new = false;

    if (is_overflow && !profiler->counters.has_stacks)
        monitor_no_walk(sample.iaddr, &stack);
    else
        walk(profiler, cpu, &reader, &unwind, &stack);
    if (is_overflow) {
        profiler_sample_again(profiler, cpu);
        sample.insns = monitor_insns_until(last, pmu_program_insns(pmu));
        store(profiler, cpu, &sample, &stack);
    }
    while (pmu->queue_length != 0) {
        const struct indicator *oldest = &pmu->queue[pmu->queue_head];

        sample.iaddr = oldest->iaddr;
        sample.daddr = oldest->daddr;
        sample.count = oldest->count;
        sample.cycles = oldest->cycles;
        sample.flags = oldest->flags;
        sample.insns = monitor_insns_until(last, oldest->insns);
        is_new |= store(profiler, cpu, &sample, &stack);
        profiler_set_register(cpu, PROF_REG_ACK, 0);
    }
    if (is_new && cpu->pmu.thread.program == 0 &&
        profiler_callers_mark(profiler, cpu, &unwind, &stack))
        machine_changed(machine);
}

/* ---- results --------------------------------------------------------------------------------- */

size_t profiler_samples(const struct profiler *profiler, const struct profiler_sample **sample)
{
    *sample = profiler->sample;
    return profiler->samples;
}

uint64_t profiler_throttled(const struct profiler *profiler)
{
    uint64_t sum = 0, throttled = 0;

    for (unsigned i = 0; profiler->guest_hart != NULL && i < profiler->harts; i++, sum += throttled)
        phys_copy_out(profiler->phys,
                      profiler->guest_hart[i].at + offsetof(struct monitor_hart, throttled),
                      &throttled, sizeof throttled);
    return sum;
}
