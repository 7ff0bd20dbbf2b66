/* Spike's commit log as the reference of a lock-step check.
 *
 * The log cannot take our inputs (counters, the clock, devices, HTIF answers, the place of the
 * device tree, implementation-defined bits of a control register). Values that depend on an input
 * are tracked: a register or doubleword is *tainted* while its value comes from an input and
 * differs. Tainted values are not compared; a value that is equal again, or has only untainted
 * sources, is compared. When a branch on a tainted value goes another way in Spike, Spike's
 * instructions are skipped until it reaches our place (a loop that waits for a device), and taint
 * the values they write. When a loop ends in Spike and not here, our instructions are skipped until
 * it ends here.
 *
 * Interrupts come when Spike takes them: the harts are led (isa/hart.h). So a program with
 * interrupts is compared up to its end, handlers included, but its interrupts come at other places
 * than without the check. Interrupts that Spike takes while the two follow different paths are not
 * taken here.
 *
 * Several harts: each is compared with its own part of the log. A value that another hart may have
 * written is an input: every value that a load or an atomic finds in memory.
 *
 * Spike traps where it finds a page-table entry without its accessed or dirty bit, and this machine
 * sets the bit: the handler is skipped likewise. Spike is told to have the extensions this machine
 * has, and to do misaligned accesses (Zicclsm). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "isa/csr.h"
#include "sim/run/check/check_internal.h"
#include "sim/run/check/spike_log.h"
#include "sim/run/check/spike_taint.h"

enum { SKIP_MAX = 1000000, CSRS = 4096 };

struct spike_hart {
    bool has_begun, is_alone;       /* is_alone: Spike has ended before this hart */
    bool parts;                     /* after the last instruction Spike may follow a different
                                     * path */
    uint64_t branch_pc;             /* with parts: pc of the branch */
    uint64_t hold_pc;               /* with holds: pc at which Spike waits for us */
    bool holds;
    unsigned held;                  /* instructions held */
    uint64_t registers;             /* tainted registers, one bit each */
    bool csr[CSRS];                 /* tainted */
};

struct spike {
    struct check_reference base;
    struct check_child child;
    struct spike_log log;
    struct spike_hart *hart;        /* [machine->harts] */
    struct spike_taint memory;
};

static struct spike *spike_of(struct check_reference *reference)
{
    return (struct spike *)reference;
}

static void taint(struct spike *spike, uint64_t va, unsigned bytes)
{
    if (!spike_taint_add(&spike->memory, va, bytes))
        check_end(spike->base.check, "too much memory depends on inputs to compare on");
}

/* ---- reading the log ------------------------------------------------------------------------- */

static bool has_several(const struct spike *spike)
{
    return spike->base.machine->harts != 1;
}

/* After the paths have parted, Spike may end before it reaches our place; and when one of several
 * harts ends the program, the others may still run. */
static void end_of_log(struct spike *spike, struct spike_hart *hart)
{
    const char *says = spike->log.says;

    if (spike->log.end == SPIKE_FAR_AHEAD)
        check_end(spike->base.check, "one hart is too far ahead of another to compare on");
    else if (has_several(spike) && hart->has_begun)
        hart->is_alone = true;
    else if (hart->parts || hart->holds)
        check_end(spike->base.check,
                  "the program goes another way, depending on an input, and Spike ends");
    else if (!check_is_interrupted(spike->base.check))
        check_give_up(spike->base.check, "Spike's log ended%s%.*s", says[0] != '\0' ? ": " : "",
                      (int)strcspn(says, "\n"), says);
}

static const struct spike_line *peek(struct spike *spike, unsigned number)
{
    const struct spike_line *line = spike_log_peek(&spike->log, number);

    if (line == NULL)
        end_of_log(spike, &spike->hart[number]);
    return line;
}

static bool begin(struct spike *spike, unsigned number, uint64_t pc)
{
    struct spike_hart *hart = &spike->hart[number];

    while (!hart->has_begun) {
        const struct spike_line *line = peek(spike, number);
        if (line == NULL)
            return false;
        if (line->pc == pc && !line->is_exception)
            hart->has_begun = true;
        else
            spike_log_take(&spike->log, number);
    }
    return true;
}

/* ---- one instruction ------------------------------------------------------------------------- */

static void taint_line(struct spike *spike, unsigned number, const struct spike_line *line)
{
    if (line->has_rd)
        spike->hart[number].registers |= UINT64_C(1) << line->rd;
    if (line->has_store)
        taint(spike, line->store_va, 8);
}

static void goes_another_way(struct spike *spike, uint64_t pc)
{
    check_end(spike->base.check, "the program goes another way at pc 0x%" PRIx64
              ", depending on an input", pc);
}

/* Reads the log until Spike is at our place. */
static const struct spike_line *come_to(struct spike *spike, unsigned number,
                                        const struct check_effect *ours)
{
    const struct spike_hart *hart = &spike->hart[number];
    const struct spike_line *line;

    for (unsigned skipped = 0; (line = peek(spike, number)) != NULL; skipped++) {
        if (line->is_interrupt && !hart->parts) {
            check_end(spike->base.check, "Spike takes an interrupt at pc 0x%" PRIx64
                      ", inside what is executed as one here", line->pc);
            return NULL;
        }
        if ((line->pc == ours->pc && !line->is_exception) || !hart->parts)
            return line;
        if (skipped == SKIP_MAX) {
            goes_another_way(spike, ours->pc);
            return NULL;
        }
        taint_line(spike, number, line);
        spike_log_take(&spike->log, number);
    }
    return NULL;
}

/* After a branch on a tainted value: true if a loop ended in Spike and continues here. */
static bool should_hold(struct spike *spike, unsigned number, const struct check_effect *ours)
{
    const struct spike_hart *hart = &spike->hart[number];
    const struct spike_line *line = hart->parts ? spike_log_peek(&spike->log, number) : NULL;

    return line != NULL && !line->is_exception && line->pc > hart->branch_pc &&
           ours->pc <= hart->branch_pc;
}

/* True while Spike waits for us at the end of a loop: nothing is compared, and values written here
 * become tainted. */
static bool is_held(struct spike *spike, unsigned number, const struct check_effect *ours)
{
    struct spike_hart *hart = &spike->hart[number];

    if (!hart->holds && should_hold(spike, number, ours)) {
        hart->holds = true;
        hart->hold_pc = spike_log_peek(&spike->log, number)->pc;
        hart->held = 0;
    }
    if (hart->holds && ours->pc == hart->hold_pc)
        hart->holds = hart->parts = false;
    if (!hart->holds)
        return false;
    if (++hart->held > SKIP_MAX)
        goes_another_way(spike, ours->pc);
    if (ours->insn.rd < REG_SINK)
        hart->registers |= UINT64_C(1) << ours->insn.rd;
    if (ours->has_va && ours->store_bytes != 0)
        taint(spike, ours->va, ours->store_bytes);
    return true;
}

static bool is_register_tainted(const struct spike_hart *hart, unsigned number)
{
    return number < REG_SINK && (hart->registers >> number & 1) != 0;
}

/* Registers in which implementations may legitimately differ. */
static bool is_own_csr(unsigned number)
{
    return check_is_input_csr(number) || number == CSR_misa || number >> 4 == 0xf1 ||
           number == CSR_menvcfg || number == CSR_senvcfg || number == CSR_mcounteren ||
           number == CSR_scounteren || number == CSR_mstatus || number == CSR_sstatus ||
           number == CSR_mideleg || number == CSR_medeleg || number == CSR_mie ||
           number == CSR_sie || number >> 4 == 0x7a || number >> 6 == 0x3a0 >> 6;
}

static void fill(const struct hart *hart, const struct spike_line *line,
                 const struct check_effect *ours, struct check_effect *theirs)
{
    theirs->pc = line->pc;
    theirs->priv = (uint8_t)line->priv;
    if (line->bits != ours->insn.bits)
        insn_decode_xlen(&theirs->insn, (uint32_t)line->bits, hart_xlen(hart));
    if (ours->insn.rd != REG_SINK || line->has_rd) {
        theirs->insn.rd = line->has_rd ? (uint8_t)line->rd : REG_SINK;
        theirs->rd_value = line->rd < REG_F0 ? hart_value(hart, line->rd_value) : line->rd_value;
    }
    if (insn_info[ours->insn.op].kind != KIND_CSR)
        theirs->fflags = !line->has_fflags ? 0
                         : line->fflags == hart->fflags ? ours->fflags : (uint8_t)line->fflags;
    if (line->has_store && ours->store_bytes != 0)
        theirs->store_value = line->store_value;
    if (line->has_store || line->has_load)
        theirs->va = line->has_store ? line->store_va : line->load_va;
    for (unsigned i = 0; i < line->csrs; i++)
        if (ours->csr >= 0 && line->csr[i].number == (unsigned)ours->csr)
            theirs->csr_value = line->csr[i].value;
}

static bool is_memory_input(const struct spike *spike, const struct check_effect *ours)
{
    const struct insn_info *info = &insn_info[ours->insn.op];
    unsigned kind = info->kind;
    bool reads = kind == KIND_LOAD || kind == KIND_LR || kind == KIND_AMO;

    return kind == KIND_SC || (reads && has_several(spike)) ||
           (ours->has_va && spike_taint_meets(&spike->memory, ours->va, info->mem_bytes));
}

/* True if the result may differ because a source does. */
static bool depends(const struct spike *spike, const struct spike_hart *hart,
                    const struct check_effect *ours)
{
    const struct insn *insn = &ours->insn;
    unsigned kind = insn_info[insn->op].kind, number = (unsigned)insn->imm & 0xfff;

    if (ours->is_input || is_register_tainted(hart, insn->rs1) ||
        is_register_tainted(hart, insn->rs2) || is_register_tainted(hart, insn->rs3))
        return true;
    if (kind == KIND_CSR)
        return is_own_csr(number) || hart->csr[number] ||
               ((insn->bits >> 14 & 1) == 0 &&
                is_register_tainted(hart, insn->bits >> 15 & 31));
    return is_memory_input(spike, ours);
}

/* puts_tainted: a store conditional of a tainted value, or one that failed on one side only. */
static void forgive_memory(struct spike *spike, const struct check_effect *ours,
                           struct check_effect *theirs, bool is_dependent, bool puts_tainted)
{
    bool is_atomic = insn_info[ours->insn.op].kind == KIND_AMO || puts_tainted;
    bool differs = theirs->store_value != ours->store_value || theirs->va != ours->va;

    if (is_dependent && (ours->store_bytes != 0 || is_atomic) && (differs || is_atomic)) {
        taint(spike, ours->va, insn_info[ours->insn.op].mem_bytes);
        taint(spike, theirs->va, insn_info[ours->insn.op].mem_bytes);
    } else if (!differs && ours->store_bytes == 8 && (ours->va & 7) == 0) {
        spike_taint_remove(&spike->memory, ours->va);
    }
    if (is_dependent) {
        theirs->store_value = ours->store_value;
        theirs->va = ours->va;
    }
}

/* Flags accumulate: once they differ, the register that has them does. */
static void forgive_flags(struct spike_hart *hart, const struct check_effect *ours,
                          struct check_effect *theirs, bool is_dependent)
{
    if (is_dependent && theirs->fflags != ours->fflags)
        hart->csr[CSR_fflags] = hart->csr[CSR_fcsr] = true;
    if (is_dependent || hart->csr[CSR_fflags])
        theirs->fflags = ours->fflags;
}

/* Removes differences that come from inputs, and marks the registers and memory they were written
 * to. */
static void forgive(struct spike *spike, struct spike_hart *hart,
                    const struct check_effect *ours, struct check_effect *theirs)
{
    bool is_dependent = depends(spike, hart, ours);
    uint64_t bit = ours->insn.rd < REG_SINK ? UINT64_C(1) << ours->insn.rd : 0;
    unsigned kind = insn_info[ours->insn.op].kind;
    bool puts_tainted = kind == KIND_SC && (is_register_tainted(hart, ours->insn.rs2) ||
                                            theirs->rd_value != ours->rd_value);

    if (bit != 0 && theirs->insn.rd == ours->insn.rd) {
        hart->registers &= ~bit;
        if (theirs->rd_value != ours->rd_value && is_dependent) {
            hart->registers |= bit;
            theirs->rd_value = ours->rd_value;
        }
    }
    forgive_flags(hart, ours, theirs, is_dependent);
    if (ours->csr >= 0) {
        hart->csr[ours->csr] = theirs->csr_value != ours->csr_value && is_dependent;
        if (hart->csr[ours->csr])
            theirs->csr_value = ours->csr_value;
    }
    forgive_memory(spike, ours, theirs, is_dependent, puts_tainted);
    hart->parts = is_dependent && (kind == KIND_BRANCH || kind == KIND_JALR);
    hart->branch_pc = ours->pc;
}

/* Makes the hart take the next interrupt of Spike's log. After its last line there is none. */
static void lead(struct spike *spike, unsigned number)
{
    const struct spike_line *line = spike_log_peek(&spike->log, number);
    struct hart *hart = &spike->base.machine->cpu[number].hart;

    if (line != NULL && line->is_interrupt && !spike->hart[number].parts)
        hart_lead(hart, (int)line->interrupt);
}

static bool step(struct check_reference *reference, unsigned number,
                 const struct check_effect *ours, struct check_effect *theirs)
{
    struct spike *spike = spike_of(reference);
    struct spike_hart *hart = &spike->hart[number];
    const struct spike_line *line;

    if (!hart->is_alone && !begin(spike, number, ours->pc))
        return false;
    reference->has_skipped = hart->is_alone || is_held(spike, number, ours);
    if (reference->has_skipped)
        return true;
    line = come_to(spike, number, ours);
    if (line != NULL && line->is_page_fault) {
        hart->parts = true;
        spike_log_take(&spike->log, number);
        line = come_to(spike, number, ours);
    }
    if (line == NULL)
        return false;
    if (line->is_exception) {
        check_give_up(reference->check, "at pc 0x%" PRIx64 " Spike takes %s", line->pc, line->trap);
        return false;
    }
    fill(&reference->machine->cpu[number].hart, line, ours, theirs);
    spike_log_take(&spike->log, number);
    if (theirs->pc == ours->pc)
        forgive(spike, hart, ours, theirs);
    lead(spike, number);
    return true;
}

/* Reports an interrupt that this check led the hart to take. */
static bool interrupt(struct spike *spike, unsigned number, struct check_trap *theirs)
{
    const struct spike_line *line = peek(spike, number);

    hart_lead(&spike->base.machine->cpu[number].hart, HART_LED);
    if (line == NULL)
        return false;
    theirs->pc = line->pc;
    theirs->cause = line->is_interrupt ? TRAP_INTERRUPT | line->interrupt : TRAP_NONE;
    spike_log_take(&spike->log, number);
    return true;
}

static bool trap(struct check_reference *reference, unsigned number,
                 const struct check_trap *ours, struct check_trap *theirs)
{
    struct spike *spike = spike_of(reference);
    struct spike_hart *hart = &spike->hart[number];
    const struct spike_line *line;

    if (hart->is_alone || hart->holds)
        return false;
    if (ours->kind != CPU_TRAP_EXCEPTION)
        return interrupt(spike, number, theirs);
    if (!begin(spike, number, ours->pc) || (line = peek(spike, number)) == NULL)
        return false;
    while (line->is_page_fault && line->tval != ours->tval) {
        do {                    /* skips the handler of a fault that does not happen here */
            taint_line(spike, number, line);
            spike_log_take(&spike->log, number);
            if ((line = peek(spike, number)) == NULL)
                return false;
        } while (line->pc != ours->pc);
    }
    theirs->pc = line->pc;
    if (!line->is_exception)
        theirs->cause = TRAP_NONE;
    else
        spike_log_take(&spike->log, number);
    lead(spike, number);
    return true;
}

/* The host writes answers to HTIF requests, which Spike writes itself. */
static bool copy(struct check_reference *reference, uint64_t pa, uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes; at += 8)
        taint(spike_of(reference), pa + at, 8);
    return true;
}

static bool follow(struct check_reference *reference, unsigned hart)
{
    (void)hart;
    check_end(reference->check, "the host changed registers");
    return false;
}

/* ---- life ------------------------------------------------------------------------------------ */

static void free_spike(struct check_reference *reference)
{
    struct spike *spike = spike_of(reference);

    check_lead_none(reference->machine);
    spike_log_free(&spike->log);
    check_child_stop(&spike->child);
    free(spike->hart);
    spike_taint_free(&spike->memory);
    free(spike);
}

/* Waits for the log's first line, unless the user ends the wait. */
static enum err await_log(struct spike *spike, const char *path, struct diag *diag)
{
    const volatile sig_atomic_t *stop = spike->base.machine->stop_request;
    const char *says = spike->log.says;

    if (spike_log_peek(&spike->log, 0) != NULL || spike->log.end != SPIKE_ENDS ||
        (stop != NULL && *stop != 0))
        return ERR_OK;
    return diag_set(diag, ERR_USAGE, "--check spike: %s ended without a line of Spike's commit "
                    "log%s%.*s", path, says[0] != '\0' ? "; it says: " : "",
                    (int)strcspn(says, "\n"), says);
}

static enum err start(struct spike *spike, const char *path, const char *program,
                      struct diag *diag)
{
    const struct machine *machine = spike->base.machine;
    char memory[32], harts[32];
    char *argv[] = {
        (char *)(uintptr_t)(path != NULL ? path : "spike"),
        (char *)(uintptr_t)(machine->xlen == 32 ? "--isa=rv32" HART_ISA_STRING "_svadu_zicclsm"
                                                : "--isa=rv64" HART_ISA_STRING "_svadu_zicclsm"),
        memory, harts, (char *)(uintptr_t)"-l",
        (char *)(uintptr_t)"--log-commits", (char *)(uintptr_t)program, NULL,
    };
    enum err err;

    snprintf(memory, sizeof memory, "-m%" PRIu64, machine->phys.ram_bytes >> 20);
    snprintf(harts, sizeof harts, "-p%u", machine->harts);
    err = check_child_start(&spike->child, argv, CHECK_READS_ERRORS, diag);
    if (err != ERR_OK)
        return err;
    return spike_log_init(&spike->log, fdopen(dup(spike->child.fd), "r"), machine->harts) &&
                   spike->log.file != NULL
               ? await_log(spike, argv[0], diag)
               : diag_set(diag, ERR_NO_MEMORY, "not enough memory");
}

enum err check_spike_new(struct check_reference **out, struct machine *machine, const char *path,
                         const char *program, struct diag *diag)
{
    static const struct check_ops ops = {step, trap, follow, copy, NULL, free_spike};
    struct spike *spike;
    enum err err;

    if (machine->process != NULL)
        return diag_set(diag, ERR_USAGE, "--check spike: bare-metal programs only; Spike has no "
                        "Linux system calls");
    if (machine->profiler != NULL)
        return diag_set(diag, ERR_USAGE, "--check spike: Spike has no profiling hardware; leave "
                        "out --meta and --hints");
    spike = calloc(1, sizeof *spike);
    if (spike == NULL)
        return diag_set(diag, ERR_NO_MEMORY, "not enough memory for --check");
    spike->base = (struct check_reference){.ops = &ops, .machine = machine};
    spike->hart = calloc(machine->harts, sizeof spike->hart[0]);
    if (!spike_taint_init(&spike->memory) || spike->hart == NULL) {
        free_spike(&spike->base);
        return diag_set(diag, ERR_NO_MEMORY, "not enough memory for --check");
    }
    for (unsigned i = 0; i < machine->harts; i++) {
        spike->hart[i].registers = 1 << 5 | 1 << 11;    /* its boot ROM: t0; a1: the device tree */
        hart_lead(&machine->cpu[i].hart, HART_LED);
    }
    err = start(spike, path, program, diag);
    if (err != ERR_OK)
        free_spike(&spike->base);
    else
        *out = &spike->base;
    return err;
}
