/* QEMU as the reference of a lock-step check: its `virt` machine, whose memory and devices have the
 * addresses of this one, stepped through gdb's remote protocol.
 *
 * It begins with a copy of memory and registers, for every kind of program. Instructions with
 * outside effects (devices, counters, interrupts, WFI, the profiling hardware) are not executed
 * there: QEMU receives their results. An interrupt is taken there by writing the registers it
 * changes. A trap that the host serves here enters a handler in QEMU, from which it is brought
 * back.
 *
 * Several harts are threads to gdb, of which one steps at a time, in the order in which
 * instructions commit here. A load may then have read before an older store of another hart
 * committed, so its value is an input.
 *
 * After each instruction all integer registers are compared, and the floating-point register
 * written; a store by the registers it takes its address and value from. Slow: two packets an
 * instruction. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/csr.h"
#include "isa/op.h"
#include "sim/mem/phys_touched.h"
#include "sim/run/check/check_internal.h"
#include "sim/run/check/gdb_remote.h"

enum { INTEGERS = 32, PC = 32, CSRS = 4096 };

struct qemu_hart {
    uint64_t before[INTEGERS + 1];      /* x0..x31 and pc of QEMU */
    uint64_t privilege;                 /* QEMU's; changes only with traps and returns */
};

struct qemu {
    struct check_reference base;
    struct check_child child;
    struct gdb_remote *remote;
    int pc, priv, f0, x0, fflags;       /* numbers of registers */
    struct qemu_hart *hart;             /* [machine->harts] */
    unsigned at;                        /* hart that gdb's thread selects */
};

/* Registers copied at the start and updated with the host's changes. Registers that QEMU lacks are
 * left out. */
static const uint16_t state_csr[] = {
    CSR_mstatus, CSR_medeleg, CSR_mideleg, CSR_mie, CSR_mtvec, CSR_mscratch, CSR_mepc, CSR_mcause,
    CSR_mtval, CSR_mcounteren, CSR_menvcfg, CSR_stvec, CSR_sscratch, CSR_sepc, CSR_scause,
    CSR_stval, CSR_scounteren, CSR_senvcfg, CSR_pmpaddr0, CSR_pmpaddr1, CSR_pmpaddr2, CSR_pmpaddr3,
    CSR_pmpaddr4, CSR_pmpaddr5, CSR_pmpaddr6, CSR_pmpaddr7, CSR_pmpaddr8, CSR_pmpaddr9,
    CSR_pmpaddr10, CSR_pmpaddr11, CSR_pmpaddr12, CSR_pmpaddr13, CSR_pmpaddr14, CSR_pmpaddr15,
    CSR_pmpcfg0, CSR_pmpcfg2, CSR_fflags, CSR_frm, CSR_satp,
};
/* Registers that a trap writes. */
static const uint16_t trap_csr[] = {
    CSR_mstatus, CSR_mepc, CSR_mcause, CSR_mtval, CSR_sepc, CSR_scause, CSR_stval,
};

static struct qemu *qemu_of(struct check_reference *reference)
{
    return (struct qemu *)reference;
}

static const struct hart *hart_of(const struct qemu *qemu)
{
    return &qemu->base.machine->cpu[qemu->at].hart;
}

static struct qemu_hart *there(struct qemu *qemu)
{
    return &qemu->hart[qemu->at];
}

static bool has_several(const struct qemu *qemu)
{
    return qemu->base.machine->harts != 1;
}

static bool select_hart(struct qemu *qemu, unsigned hart)
{
    bool is_same = qemu->at == hart;

    qemu->at = hart;
    return is_same || gdb_remote_select(qemu->remote, hart);
}

/* QEMU describes only the control registers that the program may use now, but serves all of them
 * under the same numbers. */
static int csr_number(const struct qemu *qemu, unsigned csr)
{
    return gdb_remote_register(qemu->remote, "mscratch") - CSR_mscratch + (int)csr;
}

static bool lost(struct qemu *qemu)
{
    if (!check_is_interrupted(qemu->base.check))
        check_give_up(qemu->base.check, "QEMU does not answer");
    return false;
}

/* ---- putting state there --------------------------------------------------------------------- */

/* The register with the upper half of register `whole`, where XLEN is 32; 0: there is none. */
static unsigned upper_half(const struct hart *hart, unsigned whole)
{
    bool is_high;

    for (unsigned number = 1; hart_xlen(hart) == 32 && number < CSRS; number++)
        if (csr_whole(number, &is_high) == whole && is_high)
            return number;
    return 0;
}

static void set_csrs(struct qemu *qemu, const uint16_t *number, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value = csr_read(hart_of(qemu), number[i]);
        unsigned high = upper_half(hart_of(qemu), number[i]);

        gdb_remote_set(qemu->remote, csr_number(qemu, number[i]), value);
        if (high != 0)
            gdb_remote_set(qemu->remote, csr_number(qemu, high), value >> 32);
    }
}

static bool set_place(struct qemu *qemu, uint64_t pc)
{
    there(qemu)->before[PC] = pc;
    there(qemu)->privilege = hart_of(qemu)->priv;
    return gdb_remote_set(qemu->remote, qemu->priv, hart_of(qemu)->priv) &&
           gdb_remote_set(qemu->remote, qemu->pc, pc);
}

static bool set_registers(struct qemu *qemu)
{
    const struct hart *hart = hart_of(qemu);
    bool is_fine = true;

    for (int i = 1; i < INTEGERS && is_fine; i++) {
        is_fine = gdb_remote_set(qemu->remote, qemu->x0 + i, hart->reg[i]);
        there(qemu)->before[i] = hart->reg[i];
    }
    for (int i = 0; i < INTEGERS && is_fine; i++)
        is_fine = gdb_remote_set(qemu->remote, qemu->f0 + i, hart->reg[REG_F0 + i]);
    return is_fine;
}

static bool set_memory(struct qemu *qemu)
{
    const struct phys *phys = &qemu->base.machine->phys;
    uint8_t *touched = phys_touched(phys);
    bool is_set = touched != NULL;

    for (uint64_t at = 0; at < phys->ram_bytes && is_set; at += PHYS_PAGE_BYTES)
        if (touched[at >> PHYS_PAGE_BITS] && !phys_page_is_zero(phys->ram + at))
            is_set = gdb_remote_write(qemu->remote, PHYS_RAM_BASE + at, phys->ram + at,
                                      PHYS_PAGE_BYTES);
    free(touched);
    return is_set;
}

/* ---- one instruction ------------------------------------------------------------------------- */

/* True if QEMU receives the result instead of executing the instruction. */
static bool is_given(const struct check_effect *ours)
{
    unsigned kind = insn_info[ours->insn.op].kind;

    return ours->is_device || kind == KIND_PROFILE || ours->insn.op == OP_wfi ||
           (kind == KIND_SC && ours->rd_value != 0) ||
           (kind == KIND_CSR && check_is_input_csr((unsigned)ours->insn.imm & 0xfff));
}

static bool set_rd(struct qemu *qemu, const struct check_effect *ours)
{
    unsigned rd = ours->insn.rd;

    if (rd == REG_SINK)
        return true;
    if (rd < INTEGERS)
        there(qemu)->before[rd] = ours->rd_value;
    return gdb_remote_set(qemu->remote, rd < REG_F0 ? qemu->x0 + (int)rd
                                                    : qemu->f0 + (int)(rd - REG_F0),
                          ours->rd_value);
}

static bool give(struct qemu *qemu, const struct check_effect *ours)
{
    uint64_t next = ours->pc + ours->insn.length;

    if (insn_info[ours->insn.op].kind == KIND_PROFILE)
        next = hart_of(qemu)->pc;
    return (set_rd(qemu, ours) && set_place(qemu, next)) || lost(qemu);
}

/* Reports a register other than rd that has changed as the destination. */
static void look_at_others(struct qemu *qemu, const uint64_t *after,
                           const struct check_effect *ours, struct check_effect *theirs)
{
    for (unsigned i = 1; i < INTEGERS; i++)
        if (i != ours->insn.rd && after[i] != there(qemu)->before[i]) {
            theirs->insn.rd = (uint8_t)i;
            theirs->insn.bits = ~ours->insn.bits;       /* differs, whatever the value */
            theirs->rd_value = after[i];
        }
}

static bool describe_fp(struct qemu *qemu, const struct check_effect *ours,
                        struct check_effect *theirs)
{
    const struct insn *insn = &ours->insn;
    uint64_t flags = 0;

    if (insn->rd >= REG_F0 && insn->rd != REG_SINK &&
        !gdb_remote_get(qemu->remote, qemu->f0 + insn->rd - REG_F0, &theirs->rd_value))
        return false;
    if (insn_info[insn->op].kind != KIND_FP)
        return true;
    if (!gdb_remote_get(qemu->remote, qemu->fflags, &flags))
        return false;
    if (flags != hart_of(qemu)->fflags)
        theirs->fflags = (uint8_t)~ours->fflags & 31;
    return true;
}

static void describe_access(struct qemu *qemu, const struct check_effect *ours,
                            struct check_effect *theirs)
{
    const struct insn *insn = &ours->insn;
    unsigned kind = insn_info[insn->op].kind;

    if (kind == KIND_LOAD || kind == KIND_STORE)
        theirs->va = hart_address(hart_of(qemu),
                                  there(qemu)->before[insn->rs1] + (uint64_t)(int64_t)insn->imm);
    else if (ours->has_va)
        theirs->va = hart_address(hart_of(qemu), there(qemu)->before[insn->rs1]);
    if (kind == KIND_STORE && insn->rs2 < REG_F0)
        theirs->store_value = low_bytes(there(qemu)->before[insn->rs2], ours->store_bytes);
}

static bool describe_csr(struct qemu *qemu, struct check_effect *theirs)
{
    return theirs->csr < 0 || theirs->csr == CSR_mstatus || theirs->csr == CSR_sstatus ||
           gdb_remote_get(qemu->remote, csr_number(qemu, (unsigned)theirs->csr),
                          &theirs->csr_value);
}

/* The registers as struct hart has them. */
static bool get_integers(struct qemu *qemu, uint64_t value[INTEGERS + 1])
{
    const struct hart *hart = hart_of(qemu);
    bool is_fine = gdb_remote_get_integers(qemu->remote, hart_xlen(hart), value);

    for (unsigned i = 0; i < INTEGERS && is_fine; i++)
        value[i] = hart_value(hart, value[i]);
    return is_fine;
}

static bool execute(struct qemu *qemu, const struct check_effect *ours,
                    struct check_effect *theirs)
{
    uint64_t after[INTEGERS + 1];
    bool may_return = insn_info[ours->insn.op].kind == KIND_SYSTEM;

    theirs->priv = (uint8_t)there(qemu)->privilege;
    if (!gdb_remote_step(qemu->remote, has_several(qemu)) || !get_integers(qemu, after) ||
        (may_return && !gdb_remote_get(qemu->remote, qemu->priv, &there(qemu)->privilege)))
        return lost(qemu);
    describe_access(qemu, ours, theirs);
    look_at_others(qemu, after, ours, theirs);
    if (ours->insn.rd < INTEGERS && theirs->insn.rd == ours->insn.rd)
        theirs->rd_value = after[ours->insn.rd];
    memcpy(there(qemu)->before, after, sizeof after);
    return (describe_fp(qemu, ours, theirs) && describe_csr(qemu, theirs)) || lost(qemu);
}

/* Copies the doubleword of an atomic, whose new value depends on the old one in memory. */
static bool copy_word(struct qemu *qemu, uint64_t pa)
{
    const struct phys *phys = &qemu->base.machine->phys;

    pa &= ~UINT64_C(7);
    return !phys_is_ram(phys, pa, 8) ||
           gdb_remote_write(qemu->remote, pa, phys_host(phys, pa), 8);
}

static bool take_inputs(struct qemu *qemu, const struct check_effect *ours,
                        struct check_effect *theirs)
{
    unsigned kind = insn_info[ours->insn.op].kind;
    bool is_atomic = kind == KIND_AMO || kind == KIND_SC;
    bool is_shared = has_several(qemu) && (is_atomic || kind == KIND_LOAD || kind == KIND_LR);
    bool differs = theirs->insn.rd == ours->insn.rd && theirs->rd_value != ours->rd_value;

    if (!ours->is_input && !(is_shared && differs))
        return true;
    theirs->rd_value = ours->rd_value;
    return set_rd(qemu, ours) && (!is_shared || !is_atomic || copy_word(qemu, ours->pa));
}

static bool step(struct check_reference *reference, unsigned hart, const struct check_effect *ours,
                 struct check_effect *theirs)
{
    struct qemu *qemu = qemu_of(reference);

    if (!select_hart(qemu, hart))
        return lost(qemu);
    if (qemu->hart[hart].before[PC] != ours->pc) {
        theirs->pc = qemu->hart[hart].before[PC];
        return true;
    }
    if (is_given(ours))
        return give(qemu, ours);
    if (!execute(qemu, ours, theirs))
        return false;
    return take_inputs(qemu, ours, theirs) || lost(qemu);
}

/* ---- traps ----------------------------------------------------------------------------------- */

static bool read_cause(struct qemu *qemu, bool is_supervisor, struct check_trap *theirs)
{
    unsigned cause = is_supervisor ? CSR_scause : CSR_mcause;
    unsigned epc = is_supervisor ? CSR_sepc : CSR_mepc;

    return gdb_remote_get(qemu->remote, csr_number(qemu, cause), &theirs->cause) &&
           gdb_remote_get(qemu->remote, csr_number(qemu, epc), &theirs->pc);
}

/* An instruction that only this machine has must trap there exactly where it traps here. */
static bool take_exception(struct qemu *qemu, const struct check_trap *ours,
                           struct check_trap *theirs)
{
    uint64_t priv;

    if (there(qemu)->before[PC] != ours->pc) {
        theirs->pc = there(qemu)->before[PC];
        return true;
    }
    if (!gdb_remote_step(qemu->remote, has_several(qemu)) ||
        !get_integers(qemu, there(qemu)->before) ||
        !gdb_remote_get(qemu->remote, qemu->priv, &priv) ||
        !read_cause(qemu, priv == PRIV_S, theirs))
        return lost(qemu);
    return true;
}

static bool trap(struct check_reference *reference, unsigned hart, const struct check_trap *ours,
                 struct check_trap *theirs)
{
    struct qemu *qemu = qemu_of(reference);
    bool is_exception = ours->kind == CPU_TRAP_EXCEPTION || ours->kind == CPU_TRAP_SERVED;

    if (!select_hart(qemu, hart))
        return lost(qemu);
    if (is_exception && !take_exception(qemu, ours, theirs))
        return false;
    if (ours->kind == CPU_TRAP_SERVED)
        return true;            /* follow() brings it back */
    if (!is_exception)
        theirs->pc = there(qemu)->before[PC];
    set_csrs(qemu, trap_csr, sizeof trap_csr / sizeof trap_csr[0]);
    return set_place(qemu, hart_of(qemu)->pc) || lost(qemu);
}

static bool follow(struct check_reference *reference, unsigned hart)
{
    struct qemu *qemu = qemu_of(reference);

    if (!select_hart(qemu, hart))
        return lost(qemu);
    set_csrs(qemu, trap_csr, sizeof trap_csr / sizeof trap_csr[0]);
    set_csrs(qemu, (const uint16_t[]){CSR_satp}, 1);    /* drops its cached translations */
    return (set_registers(qemu) && set_place(qemu, hart_of(qemu)->pc)) || lost(qemu);
}

static bool copy(struct check_reference *reference, uint64_t pa, uint64_t bytes)
{
    struct qemu *qemu = qemu_of(reference);

    return gdb_remote_write(qemu->remote, pa, phys_host(&reference->machine->phys, pa), bytes) ||
           lost(qemu);
}

/* ---- life ------------------------------------------------------------------------------------ */

static void free_qemu(struct check_reference *reference)
{
    struct qemu *qemu = qemu_of(reference);

    gdb_remote_free(qemu->remote);
    check_child_stop(&qemu->child);
    free(qemu->hart);
    free(qemu);
}

static const char *default_program(const struct machine *machine)
{
    return machine->xlen == 32 ? "qemu-system-riscv32" : "qemu-system-riscv64";
}

static enum err start(struct qemu *qemu, const char *path, struct diag *diag)
{
    char memory[32], harts[32];
    char *argv[] = {
        (char *)(uintptr_t)(path != NULL ? path : default_program(qemu->base.machine)),
        (char *)(uintptr_t)"-M", (char *)(uintptr_t)"virt", (char *)(uintptr_t)"-bios",
        (char *)(uintptr_t)"none", (char *)(uintptr_t)"-display", (char *)(uintptr_t)"none",
        (char *)(uintptr_t)"-serial", (char *)(uintptr_t)"null", (char *)(uintptr_t)"-monitor",
        (char *)(uintptr_t)"none", (char *)(uintptr_t)"-m", memory,
        (char *)(uintptr_t)"-smp", harts, (char *)(uintptr_t)"-accel",
        (char *)(uintptr_t)"tcg,thread=single", (char *)(uintptr_t)"-S",
        (char *)(uintptr_t)"-gdb", (char *)(uintptr_t)"stdio", NULL,
    };
    enum err err;

    snprintf(memory, sizeof memory, "%" PRIu64, qemu->base.machine->phys.ram_bytes >> 20);
    snprintf(harts, sizeof harts, "%u", qemu->base.machine->harts);
    err = check_child_start(&qemu->child, argv, CHECK_TALKS, diag);
    if (err == ERR_OK && (qemu->remote = gdb_remote_new(qemu->child.fd)) == NULL)
        return diag_set(diag, ERR_USAGE, "--check qemu: %s does not speak gdb's protocol", argv[0]);
    return err;
}

static bool set_harts(struct qemu *qemu)
{
    bool is_fine = true;

    for (unsigned i = 0; i < qemu->base.machine->harts && is_fine; i++) {
        qemu->at = i;
        is_fine = !has_several(qemu) || gdb_remote_select(qemu->remote, i);
        if (is_fine)
            set_csrs(qemu, state_csr, sizeof state_csr / sizeof state_csr[0]);
        is_fine = is_fine && set_registers(qemu) && set_place(qemu, hart_of(qemu)->pc);
    }
    return is_fine;
}

static enum err copy_state(struct qemu *qemu, struct diag *diag)
{
    struct gdb_remote *remote = qemu->remote;

    qemu->pc = gdb_remote_register(remote, "pc");
    qemu->priv = gdb_remote_register(remote, "priv");
    qemu->x0 = gdb_remote_register(remote, "zero");
    qemu->f0 = gdb_remote_register(remote, "ft0");
    qemu->fflags = csr_number(qemu, CSR_fflags);
    if (gdb_remote_register(remote, "mscratch") < 0 || qemu->priv < 0 || qemu->f0 < 0 ||
        !gdb_remote_use_physical(remote))
        return diag_set(diag, ERR_USAGE, "--check qemu: this QEMU shows no privilege or no "
                        "physical memory to gdb; version 7 is known to");
    if (!set_memory(qemu) || !set_harts(qemu))
        return diag_set(diag, ERR_USAGE, "--check qemu: QEMU takes no state");
    return ERR_OK;
}

enum err check_qemu_new(struct check_reference **out, struct machine *machine, const char *path,
                        struct diag *diag)
{
    static const struct check_ops ops = {step, trap, follow, copy, NULL, free_qemu};
    struct qemu *qemu;
    enum err err;

    if (machine->profiler != NULL)
        return diag_set(diag, ERR_USAGE, "--check qemu: QEMU has no profiling hardware; leave out "
                        "--meta and --hints");
    qemu = calloc(1, sizeof *qemu);
    if (qemu == NULL)
        return diag_set(diag, ERR_NO_MEMORY, "not enough memory for --check");
    qemu->base = (struct check_reference){.ops = &ops, .machine = machine};
    qemu->hart = calloc(machine->harts, sizeof qemu->hart[0]);
    if (qemu->hart == NULL) {
        free_qemu(&qemu->base);
        return diag_set(diag, ERR_NO_MEMORY, "not enough memory for --check");
    }
    err = start(qemu, path, diag);
    if (err == ERR_OK)
        err = copy_state(qemu, diag);
    if (err != ERR_OK)
        free_qemu(&qemu->base);
    else
        *out = &qemu->base;
    return err;
}
