/* Opening traces and handing records to their writers; Spike's line format. */
#include "sim/run/trace/trace.h"

#include <stdlib.h>
#include <string.h>

#include "isa/bits.h"
#include "isa/csr.h"
#include "sim/run/trace/trace_internal.h"

static const char *const kind_name[] = {"commit", "kanata", "o3pipeview"};

static const char *next_kind(void *state)
{
    unsigned *at = state;
    return *at < sizeof kind_name / sizeof kind_name[0] ? kind_name[(*at)++] : NULL;
}

/* The position of "@marks" at the end of the spec; else the spec's end. */
static const char *end_of_path(const char *spec)
{
    static const char suffix[] = TRACE_BY_MARKS;
    size_t length = strlen(spec), bytes = sizeof suffix - 1;
    bool has_suffix = length > bytes && strcmp(spec + length - bytes, suffix) == 0;
    return spec + length - (has_suffix ? bytes : 0);
}

static enum err parse_spec(const char *spec, enum trace_kind *kind, const char **path,
                           struct diag *diag)
{
    const char *colon = strchr(spec, ':');
    if (colon == NULL || colon + 1 >= end_of_path(spec))
        return diag_set(diag, ERR_USAGE, "--trace %s: expected KIND:FILE", spec);
    for (unsigned i = 0; i < sizeof kind_name / sizeof kind_name[0]; i++) {
        if (strlen(kind_name[i]) == (size_t)(colon - spec) &&
            memcmp(kind_name[i], spec, (size_t)(colon - spec)) == 0) {
            *kind = (enum trace_kind)i;
            *path = colon + 1;
            return ERR_OK;
        }
    }
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)(colon - spec < 31 ? colon - spec : 31), spec);
    unsigned at = 0;
    const char *near = nearest_name(name, next_kind, &at);
    return diag_set(diag, ERR_USAGE, "--trace %s: unknown kind; %s%s", spec,
                    near ? "nearest is " : "expected commit, kanata or o3pipeview",
                    near ? near : "");
}

enum err trace_open(struct trace **out, const char *spec, const struct cpu *cpu, unsigned hart,
                    struct trace_window window, struct diag *diag)
{
    enum trace_kind kind = TRACE_COMMIT;
    const char *path = NULL;
    enum err err = parse_spec(spec, &kind, &path, diag);
    *out = NULL;
    if (err != ERR_OK)
        return err;
    struct trace *trace = calloc(1, sizeof *trace);
    if (trace == NULL)
        return diag_no_memory(diag, NULL);
    *trace = (struct trace){
        .kind = kind, .cpus = cpu, .cpu = &cpu[hart], .hart = hart, .window = window,
        .is_by_marks = *end_of_path(path) != '\0',
    };
    char *file = strndup(path, (size_t)(end_of_path(path) - path));
    err = file != NULL ? sink_open(&trace->sink, file, diag) : diag_no_memory(diag, NULL);
    free(file);
    if (err == ERR_OK && kind != TRACE_COMMIT) {
        trace->disasm = disasm_open_xlen(hart_xlen(&cpu->hart));
        trace->kanata = kind == TRACE_KANATA ? kanata_new() : NULL;
        trace->waiting = calloc(TRACE_WAITING, sizeof trace->waiting[0]);
        if (trace->disasm == NULL || trace->waiting == NULL ||
            (kind == TRACE_KANATA && trace->kanata == NULL))
            err = diag_no_memory(diag, NULL);
    }
    if (err != ERR_OK) {
        trace_discard(trace);
        return err;
    }
    *out = trace;
    return ERR_OK;
}

enum trace_kind trace_kind(const struct trace *trace)
{
    return trace->kind;
}

static enum err close_trace(struct trace *trace, bool is_complete, struct diag *diag)
{
    enum err err = sink_close(trace->sink, is_complete, diag);
    kanata_free(trace->kanata);
    free(trace->waiting);
    if (trace->disasm != NULL)
        disasm_close(trace->disasm);
    free(trace);
    return err;
}

enum err trace_close(struct trace *trace, const char *cut, struct diag *diag)
{
    if (trace == NULL)
        return ERR_OK;
    if (trace->kind == TRACE_KANATA)
        kanata_finish(trace);
    if (trace->kind == TRACE_O3PIPEVIEW)
        o3pipeview_finish(trace);
    if (cut != NULL && trace->kind != TRACE_COMMIT && trace->committed < trace->window.last)
        sink_printf(trace->sink, "%s %s\n", trace->kind == TRACE_KANATA ? "//" : "#", cut);
    return close_trace(trace, true, diag);
}

void trace_discard(struct trace *trace)
{
    if (trace != NULL)
        close_trace(trace, false, NULL);
}

bool trace_has_begun(const struct trace *trace)
{
    return trace->has_begun;
}

void trace_skip_to(struct trace *trace, uint64_t committed)
{
    trace->committed = committed;
}

/* With @marks: true while marks select the instruction; its own marks have acted already. Squashed
 * instructions do not begin a window of instructions, because neither engine executed them. */
static bool in_window(struct trace *trace, bool has_committed)
{
    if (trace->is_by_marks && !trace->cpu->pmu.toggle)
        return false;
    trace->has_begun |= trace->committed >= trace->window.first &&
                        (has_committed || trace->is_by_marks);
    return trace->committed >= trace->window.first && trace->committed < trace->window.last;
}

/* False: the instruction belongs to another file. */
static bool select_hart(struct trace *trace, unsigned hart)
{
    trace->cpu = &trace->cpus[hart];
    return trace->kind == TRACE_COMMIT || trace->hart == hart;
}

void trace_record(struct trace *trace, unsigned hart, const struct core_trace_record *record)
{
    if (!select_hart(trace, hart))
        return;
    if (in_window(trace, record->committed)) {
        if (trace->kind == TRACE_KANATA)
            kanata_write(trace, record);
        else if (trace->kind == TRACE_O3PIPEVIEW)
            o3pipeview_add(trace, record);
        else if (record->committed)
            commit_write(trace,
                         &(struct fast_record){
                             .pc = record->pc, .insn = record->insn, .va = record->va,
                             .store_value = record->store_value, .priv = record->priv,
                             .fflags = record->fflags,
                         },
                         record->rd_value);
    }
    trace->committed += record->committed;
}

void trace_stored(struct trace *trace, unsigned hart, uint64_t store_number, uint64_t cycle)
{
    if (trace->kind == TRACE_O3PIPEVIEW && trace->hart == hart)
        o3pipeview_stored(trace, store_number, cycle);
}

void trace_step(struct trace *trace, unsigned hart, const struct fast_record *record)
{
    if (!select_hart(trace, hart))
        return;
    if (in_window(trace, true) && trace->kind == TRACE_COMMIT)
        commit_write(trace, record, trace->cpu->hart.reg[record->insn->rd]);
    trace->committed++;
}

/* ---- Spike's commit log ---------------------------------------------------------------------- */

/* Writes as many digits as a register of the hart has. */
static void write_word(struct trace *trace, const char *before, uint64_t value)
{
    const struct hart *hart = &trace->cpu->hart;

    sink_text(trace->sink, before);
    sink_text(trace->sink, "0x");
    sink_hex(trace->sink, hart_address(hart, value), hart_xlen(hart) / 4);
}

static void write_csr_value(struct trace *trace, unsigned number)
{
    bool is_high;
    uint64_t value = csr_read(&trace->cpu->hart, csr_whole(number, &is_high));
    sink_printf(trace->sink, " c%u_%s", number, csr_name(number));
    write_word(trace, " ", is_high ? value >> 32 : value);
}

/* The register a CSR instruction wrote; fcsr counts as its two parts. */
static void write_csr(struct trace *trace, const struct insn *insn)
{
    unsigned number = (unsigned)insn->imm & 0xfff;
    unsigned source = insn->bits >> 15 & 31;
    bool writes = (insn->bits >> 12 & 3) == 1 || source != 0;
    if (!writes || csr_owner(number) != CSR_HART)
        return;
    if (number == CSR_fcsr) {
        write_csr_value(trace, CSR_fflags);
        write_csr_value(trace, CSR_frm);
    } else {
        write_csr_value(trace, number);
    }
}

/* " x5  " or " x10 ". */
static void write_name(struct trace *trace, const char *letter, unsigned number)
{
    sink_text(trace->sink, letter);
    sink_decimal(trace->sink, number, 1);
    sink_text(trace->sink, number < 10 ? "  " : " ");
}

static void write_register(struct trace *trace, unsigned rd, uint64_t value)
{
    if (rd < REG_F0) {
        write_name(trace, " x", rd);
        write_word(trace, "", value);
    } else if (rd != REG_SINK) {
        write_name(trace, " f", rd - REG_F0);
        sink_text(trace->sink, "0x");
        sink_hex(trace->sink, value, 16);
    }
}

static void write_store(struct trace *trace, uint64_t va, uint64_t value, unsigned bytes)
{
    write_word(trace, " mem ", va);
    sink_text(trace->sink, " 0x");
    sink_hex(trace->sink, low_bytes(value, bytes), 2 * bytes);
}

/* For an atomic operation, first the value read, then the value written. A failed store conditional
 * accessed nothing. */
static void write_access(struct trace *trace, const struct fast_record *record,
                         const struct insn_info *info, uint64_t rd_value)
{
    bool is_amo = info->kind == KIND_AMO;
    if (info->kind == KIND_LOAD || info->kind == KIND_LR || is_amo)
        write_word(trace, " mem ", record->va);
    if (info->kind == KIND_STORE || is_amo || (info->kind == KIND_SC && rd_value == 0))
        write_store(trace, record->va,
                    is_amo ? insn_amo(record->insn, rd_value, record->store_value)
                           : record->store_value,
                    info->mem_bytes);
}

/* Register writes are in the order of their numbers, as in Spike's map: x1 and f0 before fflags
 * (c1), all others after it. */
void commit_write(struct trace *trace, const struct fast_record *record, uint64_t rd_value)
{
    const struct insn *insn = record->insn;
    const struct insn_info *info = &insn_info[insn->op];
    bool rd_first = (insn->rd & (REG_F0 - 1)) <= 1;

    sink_text(trace->sink, "core");
    sink_decimal(trace->sink, trace->cpu->hart.id, 4);
    sink_text(trace->sink, ": ");
    sink_decimal(trace->sink, record->priv, 1);
    write_word(trace, " ", record->pc);
    sink_text(trace->sink, " (0x");
    sink_hex(trace->sink, insn->bits, insn->length == 2 ? 4 : 8);
    sink_text(trace->sink, ")");
    if (rd_first && insn->rd != REG_SINK)
        write_register(trace, insn->rd, rd_value);
    if (record->fflags != 0)
        write_csr_value(trace, CSR_fflags);
    if (!rd_first)
        write_register(trace, insn->rd, rd_value);
    if (info->kind == KIND_CSR)
        write_csr(trace, insn);
    write_access(trace, record, info, rd_value);
    sink_write(trace->sink, "\n", 1);
}
