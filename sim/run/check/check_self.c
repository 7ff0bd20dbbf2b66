/* The fast engine as the reference of a lock-step check: a second set of harts on a second memory,
 * which executes each instruction when it has committed here.
 *
 * There is no second set of devices: a read returns the value it returned here, a write has no
 * effect. */
#include <stdlib.h>
#include <string.h>

#include "isa/csr.h"
#include "isa/op.h"
#include "sim/mem/device/device.h"
#include "sim/mem/phys_touched.h"
#include "sim/run/check/check_internal.h"

struct window {
    struct phys_device device;
    struct self *self;
};

struct self_hart {
    struct cpu cpu;
    struct fast *fast;
    struct fast_observer observer;
    struct cpu_watch watch;
    struct fast_record record;
    struct insn insn;
    struct check_trap trap;         /* the last trap it took */
    bool has_trapped;
};

struct self {
    struct check_reference base;
    struct phys phys;
    struct self_hart *hart;
    struct window *window;
    unsigned windows;
    uint64_t input;                 /* value that a device read returns */
    bool refuses;                   /* the device refused this access here */
};

static struct self *self_of(struct check_reference *reference)
{
    return (struct self *)reference;
}

/* ---- devices --------------------------------------------------------------------------------- */

static bool read_window(struct phys_device *device, uint64_t offset, unsigned size, uint64_t *value)
{
    const struct window *window = (const struct window *)device;

    (void)offset;
    *value = low_bytes(window->self->input, size);
    return !window->self->refuses;
}

static bool write_window(struct phys_device *device, uint64_t offset, unsigned size, uint64_t value)
{
    const struct window *window = (const struct window *)device;

    (void)offset, (void)size, (void)value;
    return !window->self->refuses;
}

static bool copy_windows(struct self *self, const struct phys *phys)
{
    unsigned count = 0;

    for (const struct phys_device *device = phys->devices; device != NULL; device = device->next)
        count++;
    self->window = calloc(count + 1, sizeof self->window[0]);
    if (self->window == NULL)
        return false;
    for (const struct phys_device *device = phys->devices; device != NULL; device = device->next) {
        struct window *window = &self->window[self->windows++];
        *window = (struct window){
            .device = {.name = device->name, .base = device->base, .size = device->size,
                       .read = read_window, .write = write_window},
            .self = self,
        };
        phys_add_device(&self->phys, &window->device);
    }
    return true;
}

/* ---- one instruction ------------------------------------------------------------------------- */

static void keep_record(void *arg, const struct fast_record *record)
{
    struct self_hart *hart = arg;

    hart->record = *record;
    hart->insn = *record->insn;
}

static void keep_trap(void *arg, enum cpu_trap_kind kind, uint64_t cause, uint64_t pc,
                      uint64_t tval)
{
    struct self_hart *hart = arg;

    hart->trap = (struct check_trap){kind, cause, pc, tval};
    hart->has_trapped = true;
}

/* With several harts an atomic acts when it executes, and a load may read before older stores of
 * other harts commit: a value that differs is copied from this machine. */
static void take_shared_value(struct self *self, struct self_hart *hart,
                              const struct check_effect *ours)
{
    uint64_t pa = ours->pa & ~UINT64_C(7), bytes = 8;

    if (hart->cpu.hart.reg[ours->insn.rd] == ours->rd_value || ours->is_device)
        return;
    hart->cpu.hart.reg[ours->insn.rd] = ours->rd_value;
    if (ours->insn.op != OP_illegal && insn_info[ours->insn.op].kind == KIND_AMO &&
        phys_is_ram(&self->phys, pa, 8))
        self->base.ops->copy(&self->base, pa, bytes);
}

static void take_inputs(struct self *self, struct self_hart *hart, const struct check_effect *ours)
{
    unsigned kind = insn_info[ours->insn.op].kind;
    bool reads = kind == KIND_LOAD || kind == KIND_LR || kind == KIND_AMO;

    if (ours->is_input)
        hart->cpu.hart.reg[ours->insn.rd] = ours->rd_value;
    if (reads && self->base.machine->harts > 1)
        take_shared_value(self, hart, ours);
    hart->cpu.hart.waiting = false;
}

static void prepare(struct self *self, unsigned index, const struct check_effect *ours)
{
    const struct hart *from = &self->base.machine->cpu[index].hart;
    struct hart *hart = &self->hart[index].cpu.hart;

    self->input = ours->rd_value;
    self->refuses = false;
    hart->irq_lines = from->irq_lines;
    if (insn_info[ours->insn.op].kind == KIND_SC && ours->rd_value != 0)
        hart->reservation_valid = false;
    self->hart[index].has_trapped = false;
}

static void describe(struct self_hart *hart, struct check_effect *theirs)
{
    const struct fast_record *record = &hart->record;
    const struct insn_info *info = &insn_info[hart->insn.op];

    theirs->pc = record->pc;
    theirs->insn = hart->insn;
    theirs->priv = record->priv;
    theirs->fflags = record->fflags;
    theirs->rd_value = hart->cpu.hart.reg[hart->insn.rd];
    theirs->va = record->va;
    theirs->has_va = info->mem_bytes != 0;
    theirs->store_bytes = info->kind == KIND_STORE ? info->mem_bytes : 0;
    theirs->store_value = low_bytes(record->store_value, theirs->store_bytes);
    if (theirs->csr >= 0)
        theirs->csr_value = csr_read(&hart->cpu.hart, (unsigned)theirs->csr);
}

static bool step(struct check_reference *reference, unsigned index,
                 const struct check_effect *ours, struct check_effect *theirs)
{
    struct self *self = self_of(reference);
    struct self_hart *hart = &self->hart[index];
    bool has_retired;

    if (hart->cpu.hart.pc != ours->pc) {
        theirs->pc = hart->cpu.hart.pc;
        return true;
    }
    prepare(self, index, ours);
    fast_single(hart->fast, &has_retired);
    if (!has_retired) {
        check_give_up(reference->check, "at pc 0x%llx the reference takes a trap: %s, tval 0x%llx",
                      (unsigned long long)ours->pc, trap_name(hart->trap.cause),
                      (unsigned long long)hart->trap.tval);
        return false;
    }
    self->phys.event = false;
    take_inputs(self, hart, ours);
    describe(hart, theirs);
    return true;
}

/* ---- traps ----------------------------------------------------------------------------------- */

/* The interrupt must be one that this hart would take now. */
static bool take_interrupt(struct self *self, unsigned index, const struct check_trap *ours,
                           struct check_trap *theirs)
{
    struct self_hart *hart = &self->hart[index];
    const struct hart *from = &self->base.machine->cpu[index].hart;
    int due;

    hart->cpu.hart.irq_lines = from->irq_lines;
    hart->cpu.hart.mip_software = from->mip_software;
    due = trap_pending_interrupt(&hart->cpu.hart);
    theirs->pc = hart->cpu.hart.pc;
    theirs->cause = due < 0 ? (uint64_t)TRAP_NONE : TRAP_INTERRUPT | (uint64_t)due;
    if (theirs->cause == ours->cause)
        cpu_trap(&hart->cpu, ours->cause, hart->cpu.hart.pc, 0);
    return true;
}

static bool take_exception(struct self *self, unsigned index, const struct check_trap *ours,
                           struct check_trap *theirs)
{
    struct self_hart *hart = &self->hart[index];
    bool has_retired;

    theirs->pc = hart->cpu.hart.pc;
    hart->has_trapped = false;
    self->refuses = ours->cause == TRAP_LOAD_ACCESS || ours->cause == TRAP_STORE_ACCESS;
    if (theirs->pc == ours->pc)
        fast_single(hart->fast, &has_retired);
    if (hart->has_trapped)
        *theirs = hart->trap;
    else
        theirs->cause = TRAP_NONE;
    return true;
}

static bool trap(struct check_reference *reference, unsigned index, const struct check_trap *ours,
                 struct check_trap *theirs)
{
    struct self *self = self_of(reference);
    struct hart *hart = &self->hart[index].cpu.hart;

    switch (ours->kind) {
    case CPU_TRAP_INTERRUPT:
        return take_interrupt(self, index, ours, theirs);
    case CPU_TRAP_MONITOR:
        hart->waiting = trap_interrupted_wait(&self->base.machine->cpu[index].hart);
        theirs->pc = trap_interrupted_pc(hart);
        trap_enter_monitor(hart, ours->cause, theirs->pc);
        cpu_privilege_changed(&self->hart[index].cpu);
        return true;
    default:
        return take_exception(self, index, ours, theirs);
    }
}

/* ---- following the host ---------------------------------------------------------------------- */

static bool follow(struct check_reference *reference, unsigned index)
{
    struct self_hart *hart = &self_of(reference)->hart[index];

    hart->cpu.hart = reference->machine->cpu[index].hart;
    mmu_flush(&hart->cpu.mmu);
    cpu_privilege_changed(&hart->cpu);
    return true;
}

static bool copy(struct check_reference *reference, uint64_t pa, uint64_t bytes)
{
    return phys_copy_in(&self_of(reference)->phys, pa, phys_host(&reference->machine->phys, pa),
                        bytes);
}

/* In the first `bytes` of RAM; false: there is none. */
static bool first_difference(const struct phys *a, const struct phys *b, uint64_t bytes,
                             uint64_t *at)
{
    uint8_t *in_a = phys_touched(a), *in_b = phys_touched(b);
    bool is_known = in_a != NULL && in_b != NULL;

    for (*at = 0; *at < bytes; *at += PHYS_PAGE_BYTES) {
        uint64_t page = *at >> PHYS_PAGE_BITS;

        if (is_known && !in_a[page] && !in_b[page])
            continue;
        if (memcmp(a->ram + *at, b->ram + *at, PHYS_PAGE_BYTES) != 0)
            break;
    }
    free(in_a);
    free(in_b);
    if (*at >= bytes)
        return false;
    while (a->ram[*at] == b->ram[*at])
        ++*at;
    return true;
}

/* Memory with metadata that shadow frames write back belongs to the profiling hardware, and is not
 * compared. */
static bool finish(struct check_reference *reference)
{
    struct self *self = self_of(reference);
    const struct machine *machine = reference->machine;
    uint64_t bytes = self->phys.ram_bytes - machine->reserve_top_bytes, at;

    if (!first_difference(&machine->phys, &self->phys, bytes, &at))
        return true;
    check_give_up(reference->check,
                  "memory differs at the end: 0x%llx holds 0x%02x, in the reference 0x%02x",
                  (unsigned long long)(PHYS_RAM_BASE + at), machine->phys.ram[at],
                  self->phys.ram[at]);
    return false;
}

/* ---- life ------------------------------------------------------------------------------------ */

static void free_self(struct check_reference *reference)
{
    struct self *self = self_of(reference);

    for (unsigned i = 0; self->hart != NULL && i < reference->machine->harts; i++) {
        fast_free(self->hart[i].fast);
        if (self->hart[i].cpu.phys != NULL)
            cpu_free(&self->hart[i].cpu);
    }
    free(self->hart);
    free(self->window);
    phys_free(&self->phys);
    free(self);
}

static bool copy_memory(struct self *self, const struct phys *from)
{
    uint8_t *touched = phys_touched(from);

    if (touched == NULL)
        return false;
    for (uint64_t at = 0; at < from->ram_bytes; at += PHYS_PAGE_BYTES)
        if (touched[at >> PHYS_PAGE_BITS] && !phys_page_is_zero(from->ram + at))
            memcpy(self->phys.ram + at, from->ram + at, PHYS_PAGE_BYTES);
    free(touched);
    return true;
}

static bool make_hart(struct self *self, unsigned index)
{
    struct self_hart *hart = &self->hart[index];
    const struct cpu *from = &self->base.machine->cpu[index];

    if (!cpu_init(&hart->cpu, &self->base.machine->config, &self->phys, index))
        return false;
    hart->cpu.host_serves_traps = from->host_serves_traps;
    hart->cpu.hart = from->hart;
    hart->cpu.pmu.user = from->pmu.user;
    hart->watch = (struct cpu_watch){.arg = hart, .trap = keep_trap};
    hart->cpu.watch = &hart->watch;
    hart->fast = fast_new(&hart->cpu);
    if (hart->fast == NULL)
        return false;
    hart->observer = (struct fast_observer){.arg = hart, .step = keep_record};
    fast_set_observer(hart->fast, &hart->observer);
    mmu_flush(&hart->cpu.mmu);
    cpu_privilege_changed(&hart->cpu);
    return true;
}

enum err check_self_new(struct check_reference **out, struct machine *machine, struct diag *diag)
{
    static const struct check_ops ops = {step, trap, follow, copy, finish, free_self};
    struct self *self = calloc(1, sizeof *self);
    bool is_made = self != NULL;

    if (self != NULL) {
        self->base = (struct check_reference){.ops = &ops, .machine = machine};
        self->hart = calloc(machine->harts, sizeof self->hart[0]);
        is_made = self->hart != NULL && phys_init(&self->phys, machine->phys.ram_bytes) &&
                  copy_windows(self, &machine->phys);
        for (unsigned i = 0; is_made && i < machine->harts; i++)
            is_made = make_hart(self, i);
        is_made = is_made && copy_memory(self, &machine->phys);
    }
    if (!is_made) {
        if (self != NULL)
            free_self(&self->base);
        return diag_set(diag, ERR_NO_MEMORY, "not enough memory for a second machine (--check)");
    }
    *out = &self->base;
    return ERR_OK;
}
