/* The target description: which registers there are, as XML. */
#include <stdio.h>
#include <stdlib.h>

#include "isa/csr.h"
#include "isa/insn.h"
#include "sim/debug/registers.h"
#include "sim/debug/session_internal.h"

enum { FCSR_LAST = CSR_fcsr };

static void begin(FILE *out, const char *feature)
{
    fprintf(out, "<feature name=\"org.gnu.gdb.riscv.%s\">\n", feature);
}

static void end(FILE *out)
{
    fprintf(out, "</feature>\n");
}

static void describe(FILE *out, const char *name, unsigned bits, unsigned number, const char *type)
{
    fprintf(out, "<reg name=\"%s\" bitsize=\"%u\" regnum=\"%u\" type=\"%s\"/>\n", name, bits,
            number, type);
}

static const char *type_of_integer(unsigned number)
{
    enum { RA = 1, SP = 2, FP = 8 };

    return number == RA ? "code_ptr" : number == SP || number == FP ? "data_ptr" : "int";
}

static void describe_csrs(FILE *out, unsigned xlen, unsigned first, unsigned last)
{
    bool is_high;

    for (unsigned i = first; i <= last; i++)
        if (registers_csr(xlen, i, &is_high) != REGISTERS_CSRS)
            describe(out, csr_name(i), xlen, REGISTERS_CSR + i, "int");
}

static void write_description(FILE *out, unsigned xlen)
{
    fprintf(out, "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
            "<target version=\"1.0\">\n<architecture>riscv:rv%u</architecture>\n", xlen);
    begin(out, "cpu");
    for (unsigned i = 0; i < REGISTERS_PC; i++)
        describe(out, disasm_register(i), xlen, i, type_of_integer(i));
    describe(out, "pc", xlen, REGISTERS_PC, "code_ptr");
    end(out);
    begin(out, "fpu");
    for (unsigned i = 0; i < REGISTERS_CSR - REGISTERS_F0; i++)
        describe(out, disasm_register(REG_F0 + i), 64, REGISTERS_F0 + i, "ieee_double");
    describe_csrs(out, xlen, CSR_fflags, FCSR_LAST);
    end(out);
    begin(out, "csr");
    describe_csrs(out, xlen, FCSR_LAST + 1, REGISTERS_CSRS - 1);
    end(out);
    begin(out, "virtual");
    describe(out, "priv", xlen, REGISTERS_PRIV, "int");
    end(out);
    fprintf(out, "</target>\n");
}

bool description_make(struct session *session)
{
    FILE *out = open_memstream(&session->description, &session->description_bytes);

    if (out == NULL)
        return false;
    write_description(out, session->machine->xlen);
    return fclose(out) == 0;
}
