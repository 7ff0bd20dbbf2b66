/* See annotate_text.h. */
#include "prof/annotate/annotate_text.h"

#include <inttypes.h>
#include <string.h>

#include "isa/op.h"

enum { NAME_MOST = 300, DISASM_BYTES = 96 };

static void put_target(const struct symbols *symbols, uint64_t target, const char *before,
                       char *text, size_t bytes)
{
    char name[SYMBOLS_TEXT];
    bool has_name = symbols_at(symbols, target) != NULL;

    symbols_describe(symbols, target, name);
    snprintf(text, bytes, "%s%" PRIx64 "%s%.*s%s", before,
             symbols_address(symbols, target), has_name ? " <" : "",
             has_name ? NAME_MOST : 0, name, has_name ? ">" : "");
}

/* Replaces the last operand, a distance, by the target's address and name. */
static void make_absolute(const struct symbols *symbols, uint64_t target, char *text, size_t bytes)
{
    char *last = strrchr(text, ' ');

    if (last != NULL)
        put_target(symbols, target, " ", last, bytes - (size_t)(last - text));
}

/* True for a jalr through the register that the auipc before it wrote. */
static bool is_far(const struct annotate_insn *insn, size_t at, uint64_t *target)
{
    const struct annotate_insn *before = &insn[-1];

    if (at == 0 || !before->has_code || before->insn.op != OP_auipc ||
        insn_info[insn->insn.op].kind != KIND_JALR || before->insn.rd != insn->insn.rs1 ||
        before->address + before->insn.length != insn->address)
        return false;
    *target = before->address + (uint64_t)(int64_t)before->insn.imm +
              (uint64_t)(int64_t)insn->insn.imm;
    return true;
}

const char *annotate_insn_text(struct disasm *disasm, const struct symbols *symbols,
                               const struct annotate *annotate, size_t at,
                               char text[ANNOTATE_TEXT])
{
    const struct annotate_insn *insn = &annotate->insn[at];
    unsigned kind = insn->has_code ? insn_info[insn->insn.op].kind : 0;
    size_t length;
    uint64_t target;

    if (!insn->has_code) {
        snprintf(text, ANNOTATE_TEXT, "(no code)");
        return text;
    }
    disasm_text(disasm, &insn->insn, insn->address, text, DISASM_BYTES);
    length = strlen(text);
    if (kind == KIND_BRANCH || kind == KIND_JAL)
        make_absolute(symbols, insn->address + (uint64_t)(int64_t)insn->insn.imm, text,
                      ANNOTATE_TEXT);
    else if (is_far(insn, at, &target))
        put_target(symbols, target, "  # ", text + length, ANNOTATE_TEXT - length);
    return text;
}
