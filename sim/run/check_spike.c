/* Spike's commit log as the reference of a lock-step check.
 *
 * The log cannot be given our inputs (counters, the clock, devices, HTIF answers, the place of the
 * device tree, what is implementation-defined in a control register). So what depends on one is
 * followed: a register or doubleword is *tainted* while its value comes from an input and differs.
 * Tainted values are not compared; a value that is equal again, or that comes from untainted
 * sources alone, is. When a branch on a tainted value goes another way there, what Spike executes
 * until it comes to our place (a loop that waits for a device) is skipped, and taints what it
 * writes. Interrupts come at other times there: the check ends in front of the first one.
 *
 * Spike traps where it finds a page-table entry without its accessed or dirty bit, and this machine
 * sets the bit: the handler is skipped likewise. Spike is told to have the extensions this machine
 * has, and to do misaligned accesses (Zicclsm). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "isa/csr.h"
#include "sim/run/check_internal.h"
#include "sim/run/spike_line.h"

enum { LINE = 512, TAINTED_MAX = 1 << 16, SKIP_MAX = 1000000, CSRS = 4096 };

struct spike {
    struct check_reference base;
    struct check_child child;
    FILE *log;
    struct spike_line line;
    bool has_line, has_begun;
    char says[112];                 /* the first line that is no log: why it ends, if it does */
    bool parts;                     /* the last instruction may go on elsewhere there */
    uint64_t registers;             /* tainted, a bit each */
    bool csr[CSRS];                 /* tainted */
    uint64_t *memory;               /* [TAINTED_MAX] tainted doublewords + 1; 0 = free */
    unsigned memory_used;
};

static struct spike *spike_of(struct check_reference *reference)
{
    return (struct spike *)reference;
}

/* ---- taint of memory ------------------------------------------------------------------------- */

static uint64_t *find(const struct spike *spike, uint64_t key)
{
    uint64_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> 48;

    while (spike->memory[at % TAINTED_MAX] != 0 && spike->memory[at % TAINTED_MAX] != key)
        at++;
    return &spike->memory[at % TAINTED_MAX];
}

static uint64_t key_of(uint64_t va)
{
    return (va >> 3) + 1;               /* never 0 */
}

static bool is_tainted(const struct spike *spike, uint64_t va, unsigned bytes)
{
    return *find(spike, key_of(va)) != 0 || *find(spike, key_of(va + bytes - 1)) != 0;
}

static void taint(struct spike *spike, uint64_t va, unsigned bytes)
{
    for (unsigned i = 0; i < 2; i++, va += bytes - 1) {
        uint64_t *entry = find(spike, key_of(va));
        if (*entry != 0)
            continue;
        if (++spike->memory_used > TAINTED_MAX / 2) {
            check_end(spike->base.check, "too much memory depends on inputs to compare on");
            return;
        }
        *entry = key_of(va);
    }
}

/* Open addressing: what follows the hole is put in again. */
static void cleanse(struct spike *spike, uint64_t va)
{
    uint64_t *entry = find(spike, key_of(va));
    size_t at = (size_t)(entry - spike->memory);

    if (*entry == 0)
        return;
    *entry = 0;
    spike->memory_used--;
    for (at = (at + 1) % TAINTED_MAX; spike->memory[at] != 0; at = (at + 1) % TAINTED_MAX) {
        uint64_t key = spike->memory[at];
        spike->memory[at] = 0;
        *find(spike, key) = key;
    }
}

/* ---- reading the log ------------------------------------------------------------------------- */

/* The line behind that of a page fault. */
static void read_tval(struct spike *spike)
{
    char text[LINE];
    const char *at = fgets(text, sizeof text, spike->log);

    at = at != NULL ? strstr(at, "tval 0x") : NULL;
    spike->line.tval = at != NULL ? strtoull(at + 5, NULL, 16) : 0;
}

/* Where the ways parted, Spike may well be through before it comes to our place. */
static void end_of_log(struct spike *spike)
{
    if (spike->parts)
        check_end(spike->base.check,
                  "the program goes another way, depending on an input, and Spike ends");
    else
        check_give_up(spike->base.check, "Spike's log ended%s%.*s",
                      spike->says[0] != '\0' ? ": " : "", (int)strcspn(spike->says, "\n"),
                      spike->says);
}

/* The next line that tells something; false: there is none. */
static bool peek(struct spike *spike)
{
    char text[LINE];

    while (!spike->has_line) {
        if (fgets(text, sizeof text, spike->log) == NULL) {
            end_of_log(spike);
            return false;
        }
        spike->has_line = spike_line_parse(&spike->line, text);
        if (spike->line.is_page_fault)
            read_tval(spike);
        if (strncmp(text, "core", 4) != 0 && spike->says[0] == '\0')
            snprintf(spike->says, sizeof spike->says, "%.100s", text);
    }
    return true;
}

static bool begin(struct spike *spike, uint64_t pc)
{
    while (!spike->has_begun) {
        if (!peek(spike))
            return false;
        if (spike->line.pc == pc && !spike->line.is_exception)
            spike->has_begun = true;
        else
            spike->has_line = false;
    }
    return true;
}

/* ---- one instruction ------------------------------------------------------------------------- */

static void taint_line(struct spike *spike)
{
    const struct spike_line *line = &spike->line;

    if (line->has_rd)
        spike->registers |= UINT64_C(1) << line->rd;
    if (line->has_store)
        taint(spike, line->store_va, 8);
}

/* Goes on in the log until Spike is at our place. */
static bool come_to(struct spike *spike, const struct check_effect *ours)
{
    for (unsigned skipped = 0; peek(spike); skipped++) {
        if (spike->line.is_interrupt) {
            check_end(spike->base.check, "Spike takes an interrupt at pc 0x%" PRIx64,
                      spike->line.pc);
            return false;
        }
        if ((spike->line.pc == ours->pc && !spike->line.is_exception) || !spike->parts)
            return true;
        if (skipped == SKIP_MAX) {
            check_end(spike->base.check, "the program goes another way at pc 0x%" PRIx64
                      ", depending on an input", ours->pc);
            return false;
        }
        taint_line(spike);
        spike->has_line = false;
    }
    return false;
}

static bool is_register_tainted(const struct spike *spike, unsigned number)
{
    return number < REG_SINK && (spike->registers >> number & 1) != 0;
}

/* Registers that two implementations may well have differently. */
static bool is_own_csr(unsigned number)
{
    return check_is_input_csr(number) || number == CSR_misa || number >> 4 == 0xf1 ||
           number == CSR_menvcfg || number == CSR_senvcfg || number == CSR_mcounteren ||
           number == CSR_scounteren || number == CSR_mstatus || number == CSR_sstatus ||
           number == CSR_mideleg || number == CSR_medeleg || number == CSR_mie ||
           number == CSR_sie || number >> 4 == 0x7a || number >> 6 == 0x3a0 >> 6;
}

static void fill(const struct spike *spike, const struct check_effect *ours,
                 struct check_effect *theirs)
{
    const struct spike_line *line = &spike->line;
    const struct hart *hart = &spike->base.machine->cpu[0].hart;

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

/* Whether the result may differ because a source does. */
static bool depends(const struct spike *spike, const struct check_effect *ours)
{
    const struct insn *insn = &ours->insn;
    unsigned kind = insn_info[insn->op].kind, number = (unsigned)insn->imm & 0xfff;

    if (ours->is_input || is_register_tainted(spike, insn->rs1) ||
        is_register_tainted(spike, insn->rs2) || is_register_tainted(spike, insn->rs3))
        return true;
    if (kind == KIND_CSR)
        return is_own_csr(number) || spike->csr[number] ||
               ((insn->bits >> 14 & 1) == 0 &&
                is_register_tainted(spike, insn->bits >> 15 & 31));
    return kind == KIND_SC ||
           (ours->has_va && is_tainted(spike, ours->va, insn_info[insn->op].mem_bytes));
}

static void forgive_memory(struct spike *spike, const struct check_effect *ours,
                           struct check_effect *theirs, bool is_dependent)
{
    bool is_atomic = insn_info[ours->insn.op].kind == KIND_AMO;
    bool differs = theirs->store_value != ours->store_value || theirs->va != ours->va;

    if (is_dependent && (ours->store_bytes != 0 || is_atomic) && (differs || is_atomic)) {
        taint(spike, ours->va, insn_info[ours->insn.op].mem_bytes);
        taint(spike, theirs->va, insn_info[ours->insn.op].mem_bytes);
    } else if (!differs && ours->store_bytes == 8 && (ours->va & 7) == 0) {
        cleanse(spike, ours->va);
    }
    if (is_dependent) {
        theirs->store_value = ours->store_value;
        theirs->va = ours->va;
    }
}

/* Takes from the difference what comes from inputs, and remembers where it went. */
static void forgive(struct spike *spike, const struct check_effect *ours,
                    struct check_effect *theirs)
{
    bool is_dependent = depends(spike, ours);
    uint64_t bit = ours->insn.rd < REG_SINK ? UINT64_C(1) << ours->insn.rd : 0;
    unsigned kind = insn_info[ours->insn.op].kind;

    if (bit != 0 && theirs->insn.rd == ours->insn.rd) {
        spike->registers &= ~bit;
        if (theirs->rd_value != ours->rd_value && is_dependent) {
            spike->registers |= bit;
            theirs->rd_value = ours->rd_value;
        }
    }
    if (is_dependent)
        theirs->fflags = ours->fflags;
    if (ours->csr >= 0) {
        spike->csr[ours->csr] = theirs->csr_value != ours->csr_value && is_dependent;
        if (spike->csr[ours->csr])
            theirs->csr_value = ours->csr_value;
    }
    forgive_memory(spike, ours, theirs, is_dependent);
    spike->parts = is_dependent && (kind == KIND_BRANCH || kind == KIND_JALR);
}

static bool step(struct check_reference *reference, unsigned hart, const struct check_effect *ours,
                 struct check_effect *theirs)
{
    struct spike *spike = spike_of(reference);

    (void)hart;
    if (!begin(spike, ours->pc) || !come_to(spike, ours))
        return false;
    if (spike->line.is_page_fault) {
        spike->parts = true;
        spike->has_line = false;
        if (!come_to(spike, ours))
            return false;
    }
    if (spike->line.is_exception) {
        check_give_up(reference->check, "at pc 0x%" PRIx64 " Spike takes a trap", spike->line.pc);
        return false;
    }
    spike->has_line = false;
    fill(spike, ours, theirs);
    if (theirs->pc == ours->pc)
        forgive(spike, ours, theirs);
    return true;
}

static bool trap(struct check_reference *reference, unsigned hart, const struct check_trap *ours,
                 struct check_trap *theirs)
{
    struct spike *spike = spike_of(reference);

    (void)hart;
    if (ours->kind != CPU_TRAP_EXCEPTION) {
        check_end(reference->check, "an interrupt is taken at pc 0x%" PRIx64, ours->pc);
        return false;
    }
    if (!begin(spike, ours->pc) || !peek(spike))
        return false;
    while (spike->line.is_page_fault && spike->line.tval != ours->tval) {
        do {                    /* the handler of a fault that does not happen here */
            taint_line(spike);
            spike->has_line = false;
            if (!peek(spike))
                return false;
        } while (spike->line.pc != ours->pc);
    }
    theirs->pc = spike->line.pc;
    if (!spike->line.is_exception)
        theirs->cause = TRAP_NONE;
    else
        spike->has_line = false;
    return true;
}

/* The host's writes answer requests to HTIF, which Spike answers too. */
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

    if (spike->log != NULL)
        fclose(spike->log);
    check_child_stop(&spike->child);
    free(spike->memory);
    free(spike);
}

static enum err start(struct spike *spike, const char *path, const char *program,
                      struct diag *diag)
{
    const struct machine *machine = spike->base.machine;
    char memory[32];
    char *argv[] = {
        (char *)(uintptr_t)(path != NULL ? path : "spike"),
        (char *)(uintptr_t)(machine->xlen == 32 ? "--isa=rv32" HART_ISA_STRING "_zicclsm"
                                                : "--isa=rv64" HART_ISA_STRING "_svadu_zicclsm"),
        memory, (char *)(uintptr_t)"-l",
        (char *)(uintptr_t)"--log-commits", (char *)(uintptr_t)program, NULL,
    };
    enum err err;

    snprintf(memory, sizeof memory, "-m%" PRIu64, machine->phys.ram_bytes >> 20);
    err = check_child_start(&spike->child, argv, CHECK_READS_ERRORS, diag);
    if (err != ERR_OK)
        return err;
    spike->log = fdopen(dup(spike->child.fd), "r");
    return spike->log != NULL ? ERR_OK : diag_set(diag, ERR_NO_MEMORY, "not enough memory");
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
    if (spike != NULL)
        spike->memory = calloc(TAINTED_MAX, sizeof spike->memory[0]);
    if (spike == NULL || spike->memory == NULL) {
        free(spike);
        return diag_set(diag, ERR_NO_MEMORY, "not enough memory for --check");
    }
    spike->base = (struct check_reference){.ops = &ops, .machine = machine};
    spike->registers = 1 << 5 | 1 << 11;        /* its boot ROM used t0; a1: the device tree */
    err = start(spike, path, program, diag);
    if (err != ERR_OK)
        free_spike(&spike->base);
    else
        *out = &spike->base;
    return err;
}
