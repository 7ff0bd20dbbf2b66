/* The frame of a lock-step check: turns records into effects, asks the reference, compares, keeps
 * the last instructions, and reports a difference. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "isa/csr.h"
#include "sim/run/check/check_internal.h"

enum { PENDING_MAX = 64 };

struct range { uint64_t pa, bytes; };

struct check_hart {
    struct check *check;
    unsigned number;
    struct cpu_watch watch;
    struct check_effect last[CHECK_WINDOW];     /* ring of the last instructions that agreed */
    uint64_t agreed;
};

struct check {
    struct machine *machine;
    struct check_reference *reference;
    struct check_hart *hart;                    /* [harts] */
    struct phys_watch phys_watch;
    struct range pending[PENDING_MAX];          /* ranges written by the host, not copied yet */
    unsigned pendings;
    uint64_t insns, traps, skipped;
    bool has_failed, has_ended;
    char reason[CHECK_TEXT];                    /* reason of a failure or an early end */
    /* the difference */
    unsigned failed_hart;
    bool is_trap;
    struct check_effect ours, theirs;
    struct check_trap our_trap, their_trap;
};

static const char *const kind_name[] = {"self", "spike", "qemu"};

/* ---- small things ---------------------------------------------------------------------------- */

static bool is_over(const struct check *check)
{
    return check->has_failed || check->has_ended;
}

static void fail(struct check *check)
{
    check->has_failed = true;
    check->machine->halt = true;
    check->machine->phys.event = true;      /* makes the engine return soon */
}

void check_give_up(struct check *check, const char *format, ...)
{
    va_list arguments;

    if (is_over(check))
        return;
    va_start(arguments, format);
    vsnprintf(check->reason, sizeof check->reason, format, arguments);
    va_end(arguments);
    fail(check);
}

bool check_is_interrupted(struct check *check)
{
    const volatile sig_atomic_t *stop = check->machine->stop_request;

    if (stop == NULL || *stop == 0)
        return false;
    check_end(check, "the run was interrupted");
    check->machine->phys.event = true;      /* makes the engine return soon */
    return true;
}

void check_end(struct check *check, const char *format, ...)
{
    va_list arguments;

    if (is_over(check))
        return;
    va_start(arguments, format);
    vsnprintf(check->reason, sizeof check->reason, format, arguments);
    va_end(arguments);
    check->has_ended = true;
    check_lead_none(check->machine);
}

void check_lead_none(struct machine *machine)
{
    for (unsigned i = 0; i < machine->harts; i++)
        hart_lead(&machine->cpu[i].hart, HART_NOT_LED);
}

/* ---- writes of the host ---------------------------------------------------------------------- */

static void copy_pending(struct check *check)
{
    for (unsigned i = 0; i < check->pendings && !is_over(check); i++)
        check->reference->ops->copy(check->reference, check->pending[i].pa,
                                    check->pending[i].bytes);
    check->pendings = 0;
}

/* True if the range could be extended by these bytes: most writes are adjacent. */
static bool extends(struct range *last, uint64_t pa, uint64_t bytes)
{
    if (pa < last->pa || pa > last->pa + last->bytes)
        return false;
    if (pa + bytes > last->pa + last->bytes)
        last->bytes = pa + bytes - last->pa;
    return true;
}

/* The reference copies these bytes when it reaches the same place in the program. */
static void note_write(void *arg, uint64_t pa, uint64_t bytes)
{
    struct check *check = arg;

    if (is_over(check) || (check->pendings != 0 && extends(&check->pending[check->pendings - 1],
                                                           pa, bytes)))
        return;
    if (check->pendings == PENDING_MAX)
        copy_pending(check);
    check->pending[check->pendings++] = (struct range){pa, bytes};
}

/* ---- comparing ------------------------------------------------------------------------------- */

static bool is_same_effect(const struct check_effect *a, const struct check_effect *b)
{
    return a->pc == b->pc && a->insn.bits == b->insn.bits && a->priv == b->priv &&
           (a->insn.rd == REG_SINK || a->rd_value == b->rd_value) && a->fflags == b->fflags &&
           a->store_bytes == b->store_bytes && a->has_va == b->has_va &&
           (!a->has_va || a->va == b->va) &&
           (a->store_bytes == 0 || a->store_value == b->store_value) && a->csr == b->csr &&
           (a->csr < 0 || a->csr_value == b->csr_value);
}

static void compare(struct check *check, unsigned hart, const struct check_effect *ours)
{
    struct check_hart *state = &check->hart[hart];
    struct check_effect theirs = *ours;
    bool is_host_part = ours->store_bytes != 0 || insn_info[ours->insn.op].kind == KIND_AMO ||
                        insn_info[ours->insn.op].kind == KIND_SC;

    if (!is_host_part)
        copy_pending(check);
    if (is_over(check) || !check->reference->ops->step(check->reference, hart, ours, &theirs) ||
        is_over(check))
        return;
    check->skipped += check->reference->has_skipped;
    check->insns += !check->reference->has_skipped;
    if (check->reference->has_skipped)
        return;
    if (!is_same_effect(ours, &theirs)) {
        check->ours = *ours;
        check->theirs = theirs;
        check->failed_hart = hart;
        fail(check);
        return;
    }
    state->last[state->agreed++ % CHECK_WINDOW] = *ours;
    if (is_host_part)       /* a store may have been a request to the host */
        copy_pending(check);
}

/* Called when the cpu has entered the handler, or before the host serves the trap. */
static void on_trap(void *arg, enum cpu_trap_kind kind, uint64_t cause, uint64_t pc, uint64_t tval)
{
    struct check_hart *hart = arg;
    struct check *check = hart->check;
    const struct check_trap ours = {kind, cause, pc, tval};
    struct check_trap theirs = ours;

    if (is_over(check))
        return;
    copy_pending(check);
    if (!check->reference->ops->trap(check->reference, hart->number, &ours, &theirs) ||
        is_over(check))
        return;
    check->traps++;
    if (theirs.cause == cause && theirs.pc == pc && theirs.tval == tval)
        return;
    check->our_trap = ours;
    check->their_trap = theirs;
    check->is_trap = true;
    check->failed_hart = hart->number;
    fail(check);
}

static void on_served(void *arg, struct cpu *cpu)
{
    struct check *check = arg;

    if (is_over(check))
        return;
    copy_pending(check);
    check->reference->ops->follow(check->reference, (unsigned)(cpu - check->machine->cpu));
}

/* ---- records --------------------------------------------------------------------------------- */

static void set_csr(struct check_effect *effect, const struct hart *hart)
{
    unsigned number = (unsigned)effect->insn.imm & 0xfff;
    bool writes = (effect->insn.bits >> 12 & 3) == 1 || (effect->insn.bits >> 15 & 31) != 0;

    effect->is_input = check_is_input_csr(number);
    if (!writes || effect->is_input)
        return;
    effect->csr = (int)number;
    effect->csr_value = csr_read(hart, number);
}

/* True for tohost and fromhost, the words of the HTIF, which the host changes too. */
static bool is_htif(const struct machine *machine, uint64_t pa)
{
    const struct htif *htif = &machine->devices->htif;

    return pa != 0 && ((htif->tohost != 0 && pa - htif->tohost < 8) ||
                       (htif->fromhost != 0 && pa - htif->fromhost < 8));
}

static void finish_effect(const struct check *check, unsigned hart, struct check_effect *effect,
                          uint64_t store_value)
{
    const struct machine *machine = check->machine;
    const struct insn_info *info = &insn_info[effect->insn.op];

    effect->csr = -1;
    effect->has_va = info->mem_bytes != 0;
    effect->is_device = effect->has_va && effect->pa != 0 &&
                        !phys_is_ram(&machine->phys, effect->pa, 1);
    effect->is_input = effect->is_device || info->kind == KIND_PROFILE ||
                       (info->kind == KIND_LOAD && is_htif(machine, effect->pa));
    if (info->kind == KIND_STORE) {
        effect->store_bytes = info->mem_bytes;
        effect->store_value = low_bytes(store_value, info->mem_bytes);
    }
    if (info->kind == KIND_CSR)
        set_csr(effect, &machine->cpu[hart].hart);
}

void check_record(struct check *check, unsigned hart, const struct core_trace_record *record)
{
    struct check_effect effect = {
        .pc = record->pc, .insn = *record->insn, .priv = record->priv, .fflags = record->fflags,
        .rd_value = record->rd_value, .va = record->va, .pa = record->pa,
    };

    if (is_over(check) || !record->committed)
        return;
    finish_effect(check, hart, &effect, record->store_value);
    compare(check, hart, &effect);
}

void check_step(struct check *check, unsigned hart, const struct fast_record *record)
{
    struct check_effect effect = {
        .pc = record->pc, .insn = *record->insn, .priv = record->priv, .fflags = record->fflags,
        .rd_value = check->machine->cpu[hart].hart.reg[record->insn->rd],
        .va = record->va, .pa = record->pa,
    };

    if (is_over(check))
        return;
    finish_effect(check, hart, &effect, record->store_value);
    compare(check, hart, &effect);
}

/* ---- life ------------------------------------------------------------------------------------ */

static const char *next_kind(void *state)
{
    unsigned *at = state;

    return *at < sizeof kind_name / sizeof kind_name[0] ? kind_name[(*at)++] : NULL;
}

enum err check_parse(const char *spec, enum check_kind *kind, const char **path, struct diag *diag)
{
    size_t length = strcspn(spec, ":");
    unsigned at = 0;
    const char *near;
    char name[32];

    *path = spec[length] == ':' ? spec + length + 1 : NULL;
    for (unsigned i = 0; i < sizeof kind_name / sizeof kind_name[0]; i++)
        if (strlen(kind_name[i]) == length && memcmp(spec, kind_name[i], length) == 0) {
            *kind = (enum check_kind)i;
            if (*path != NULL && (*kind == CHECK_SELF || **path == '\0'))
                break;
            return ERR_OK;
        }
    snprintf(name, sizeof name, "%.*s", (int)(length < 31 ? length : 31), spec);
    near = nearest_name(name, next_kind, &at);
    return diag_set(diag, ERR_USAGE,
                    "--check %s: expected self, spike[:PATH] or qemu[:PATH]%s%s%s", spec,
                    near != NULL && strcmp(near, name) != 0 ? "; did you mean " : "",
                    near != NULL && strcmp(near, name) != 0 ? near : "",
                    near != NULL && strcmp(near, name) != 0 ? "?" : "");
}

static enum err make_reference(struct check *check, const char *spec, const char *program,
                               struct diag *diag)
{
    enum check_kind kind = CHECK_SELF;
    const char *path = NULL;
    enum err err = check_parse(spec, &kind, &path, diag);

    if (err != ERR_OK)
        return err;
    if (kind == CHECK_SPIKE)
        return check_spike_new(&check->reference, check->machine, path, program, diag);
    if (kind == CHECK_QEMU)
        return check_qemu_new(&check->reference, check->machine, path, diag);
    return check_self_new(&check->reference, check->machine, diag);
}

static void attach(struct check *check)
{
    struct machine *machine = check->machine;

    check->reference->check = check;
    check->phys_watch = (struct phys_watch){.arg = check, .wrote = note_write};
    machine->phys.watch = &check->phys_watch;
    machine->served = on_served;
    machine->served_arg = check;
    for (unsigned i = 0; i < machine->harts; i++) {
        struct check_hart *hart = &check->hart[i];
        hart->check = check;
        hart->number = i;
        hart->watch = (struct cpu_watch){.arg = hart, .trap = on_trap};
        machine->cpu[i].watch = &hart->watch;
    }
}

enum err check_open(struct check **out, struct machine *machine, const char *spec,
                    const char *program, struct diag *diag)
{
    struct check *check = calloc(1, sizeof *check);
    enum err err = ERR_NO_MEMORY;

    *out = NULL;
    if (check != NULL)
        check->hart = calloc(machine->harts, sizeof check->hart[0]);
    if (check == NULL || check->hart == NULL) {
        diag_set(diag, err, "not enough memory for --check");
    } else {
        check->machine = machine;
        err = make_reference(check, spec, program, diag);
    }
    if (err != ERR_OK) {
        check_close(check);
        return err;
    }
    attach(check);
    *out = check;
    return ERR_OK;
}

void check_finish(struct check *check)
{
    if (is_over(check))
        return;
    copy_pending(check);
    if (check->reference->ops->finish != NULL)
        check->reference->ops->finish(check->reference);
}

bool check_has_failed(const struct check *check)
{
    return check->has_failed;
}

void check_close(struct check *check)
{
    if (check == NULL)
        return;
    if (check->reference != NULL) {
        check->machine->phys.watch = NULL;
        check->machine->served = NULL;
        for (unsigned i = 0; i < check->machine->harts; i++)
            check->machine->cpu[i].watch = NULL;
        check->reference->ops->free(check->reference);
    }
    free(check->hart);
    free(check);
}

/* ---- telling --------------------------------------------------------------------------------- */

static void print_register(FILE *out, unsigned rd, uint64_t value)
{
    if (rd < REG_F0)
        fprintf(out, "  x%u 0x%016" PRIx64, rd, value);
    else if (rd != REG_SINK)
        fprintf(out, "  f%u 0x%016" PRIx64, rd - REG_F0, value);
}

static void print_effect(FILE *out, const struct check_effect *effect)
{
    print_register(out, effect->insn.rd, effect->rd_value);
    if (effect->fflags != 0)
        fprintf(out, "  fflags |= 0x%x", effect->fflags);
    if (effect->has_va)
        fprintf(out, "  [0x%" PRIx64 "]", effect->va);
    if (effect->store_bytes != 0)
        fprintf(out, " = 0x%0*" PRIx64, 2 * effect->store_bytes, effect->store_value);
    if (effect->csr >= 0)
        fprintf(out, "  %s = 0x%" PRIx64, csr_name((unsigned)effect->csr), effect->csr_value);
}

static void print_insn(const struct check *check, FILE *out, struct disasm *disasm,
                       const struct check_effect *effect)
{
    const struct image_symbol *symbol = image_symbol_at(check->machine->image, effect->pc);
    char text[96] = "", place[64] = "";

    if (disasm != NULL)
        disasm_text(disasm, &effect->insn, effect->pc, text, sizeof text);
    if (symbol != NULL)
        snprintf(place, sizeof place, "%.40s+0x%" PRIx64, symbol->name, effect->pc - symbol->addr);
    fprintf(out, "  0x%016" PRIx64 " %-24s %c  %-28s", effect->pc, place, "US?M"[effect->priv & 3],
            text);
}

static void print_window(const struct check *check, FILE *out, struct disasm *disasm)
{
    const struct check_hart *hart = &check->hart[check->failed_hart];
    uint64_t first = hart->agreed > CHECK_WINDOW ? hart->agreed - CHECK_WINDOW : 0;

    for (uint64_t i = first; i < hart->agreed; i++) {
        const struct check_effect *effect = &hart->last[i % CHECK_WINDOW];
        print_insn(check, out, disasm, effect);
        print_effect(out, effect);
        fputc('\n', out);
    }
}

static void print_trap(FILE *out, const char *who, const struct check_trap *trap)
{
    if (trap->cause == TRAP_NONE)
        fprintf(out, "  %-10s no trap at pc 0x%" PRIx64 "\n", who, trap->pc);
    else
        fprintf(out, "  %-10s %s at pc 0x%" PRIx64 ", tval 0x%" PRIx64 "\n", who,
                trap_name(trap->cause), trap->pc, trap->tval);
}

static void print_side(const struct check *check, FILE *out, struct disasm *disasm,
                       const char *who, const struct check_effect *effect)
{
    fprintf(out, "  %s\n", who);
    print_insn(check, out, disasm, effect);
    print_effect(out, effect);
    fputc('\n', out);
}

static void print_difference(struct check *check, FILE *out)
{
    struct disasm *disasm = disasm_open_xlen(check->machine->xlen);

    fprintf(out, "rvsim: check: hart %u differs at its instruction %" PRIu64 "; before it:\n",
            check->failed_hart, check->hart[check->failed_hart].agreed);
    print_window(check, out, disasm);
    if (check->is_trap) {
        print_trap(out, "rvsim", &check->our_trap);
        print_trap(out, "reference", &check->their_trap);
    } else {
        print_side(check, out, disasm, "rvsim", &check->ours);
        print_side(check, out, disasm, "reference", &check->theirs);
    }
    if (disasm != NULL)
        disasm_close(disasm);
}

static void print_agreement(const struct check *check, FILE *out)
{
    fprintf(out, "rvsim: check: %" PRIu64 " instruction%s and %" PRIu64 " trap%s agree",
            check->insns, check->insns == 1 ? "" : "s", check->traps,
            check->traps == 1 ? "" : "s");
    if (check->skipped != 0)
        fprintf(out, ", %" PRIu64 " not compared", check->skipped);
    fprintf(out, "%s%s\n", check->has_ended ? "; then " : "", check->reason);
}

void check_report(struct check *check, FILE *out)
{
    if (check->has_failed && check->reason[0] == '\0')
        print_difference(check, out);
    else if (check->has_failed)
        fprintf(out, "rvsim: check: after %" PRIu64 " instructions: %s\n", check->insns,
                check->reason);
    else
        print_agreement(check, out);
}
