/* Any bits as instructions: decoded, written as text, computed. Nothing may crash, and operands
 * must stay inside the register file. */
#include <stdlib.h>
#include <string.h>

#include "isa/hart.h"
#include "isa/insn.h"
#include "isa/op.h"

enum { INSN_BYTES = 4, OPERANDS = 3, TEXT = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void expect(bool is_right)
{
    if (!is_right)
        abort();
}

static void check_shape(const struct insn *insn, uint32_t bits)
{
    expect(insn->op < OP_COUNT);
    expect(insn->length == insn_length(bits));
    expect(insn->bits == (insn->length == 2 ? bits & 0xffff : bits));
    expect(insn->rd != 0 && insn->rd <= REG_SINK);
    expect(insn->rs1 < REG_SINK && insn->rs2 < REG_SINK && insn->rs3 < REG_SINK);
    expect(insn->rm < 8);
    expect(insn->op != OP_illegal || (insn->rd == REG_SINK && insn->imm == 0));
}

/* A branch is taken or its opposite is; a load keeps the bytes it read. */
static void check_results(const struct insn *insn, unsigned xlen, const uint64_t operand[OPERANDS])
{
    uint64_t a = operand[0], b = operand[1];
    unsigned flags = 0, bytes = insn_info[insn->op].mem_bytes;
    struct insn opposite;

    insn_alu(insn, a, b, operand[2]);
    insn_amo(insn, a, b);
    for (unsigned rm = 0; rm < 5; rm++)
        insn_fp(insn, a, b, operand[2], rm, &flags);
    expect(flags < 32);
    if (bytes != 0) {
        uint64_t kept = bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
        expect((insn_extend(insn, a & kept) & kept) == (a & kept));
    }
    if (insn_info[insn->op].kind == KIND_BRANCH) {
        insn_decode_xlen(&opposite, insn->bits ^ 1u << (insn->length == 4 ? 12 : 13), xlen);
        expect(insn_is_taken(insn, a, b) != insn_is_taken(&opposite, a, b));
    }
}

static void check_text(struct disasm *disasm, const struct insn *insn, uint64_t pc)
{
    char text[TEXT], part[TEXT / 8];

    disasm_text(disasm, insn, pc, text, sizeof text);
    expect(text[0] != '\0' && strlen(text) < sizeof text);
    disasm_text(disasm, insn, pc, part, sizeof part);
    expect(strlen(part) < sizeof part && strncmp(part, text, strlen(part)) == 0);
}

static void check_code(const uint8_t *bytes, size_t count, unsigned xlen)
{
    uint64_t operand[OPERANDS] = {0};
    struct disasm *disasm = disasm_open_xlen(xlen);

    expect(disasm != NULL);
    if (count >= sizeof operand)
        memcpy(operand, bytes + count - sizeof operand, sizeof operand);
    for (size_t at = 0; at + INSN_BYTES <= count;) {
        uint32_t bits;
        struct insn insn;
        memcpy(&bits, bytes + at, sizeof bits);
        insn_decode_xlen(&insn, bits, xlen);
        check_shape(&insn, bits);
        check_results(&insn, xlen, operand);
        check_text(disasm, &insn, operand[2]);
        at += insn.length;
    }
    disasm_close(disasm);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    check_code(bytes, count, 64);
    check_code(bytes, count, 32);
    return 0;
}
