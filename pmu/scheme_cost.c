/* Storage and bandwidth of the schemes; see scheme_cost.h. */
#include "pmu/scheme_cost.h"

#include "pmu/abi.h"

enum {
    WORD = 64,                      /* a CSR */
    FLAGS = 8,                      /* of the offending instruction: three, in a byte */
    FETCH_EVENTS = 2,               /* DR-L1, DR-TLB: known before dispatch */
    RECORD_DATA = 4 + 1 + 1 + 16,   /* ctrdata: TYPE, MISP, CCV, CC (Smctr 1.0, section 2.4) */
    STATUS = 32,                    /* sctrstatus */
    PERF_HEAD_BYTES = 40,
    BYTE = 8,
};

/* Address registers for all that can commit together, cycle, flags; and the offending instruction.
 * 57 bytes when four can (MICRO 2021, section 3.2). */
static uint64_t tip_bits(unsigned addresses)
{
    return (uint64_t)(addresses + 2) * WORD + WORD + FLAGS;
}

/* On top of TIP: the signature of each instruction in the reorder buffer, of what the front end and
 * the load queue know before; of the sampled ones and the offending one. */
static uint64_t tea_bits(const struct scheme_machine *machine)
{
    return tip_bits(machine->commit_width) + (uint64_t)SCHEME_EVENTS * machine->rob_entries +
           FETCH_EVENTS * machine->fetch_buffer + machine->load_queue +
           (uint64_t)machine->commit_width * WORD + SCHEME_EVENTS;
}

/* A metadata block with an item for each halfword, beside every line of the instruction cache. */
static uint64_t marks_bits(const struct scheme_machine *machine, unsigned more_bits)
{
    uint64_t items = machine->l1i_line_bytes / 2;
    uint64_t item = BYTE * sizeof(struct perfinst_item) + more_bits;

    return machine->l1i_lines * (items * item + BYTE * sizeof(struct perfinst_block));
}

uint64_t scheme_storage_bits(enum scheme_id id, const struct scheme_machine *machine)
{
    switch (id) {
    case SCHEME_DISPATCH: return machine->rob_entries + 2 * WORD + 1;
    case SCHEME_LCI:
    case SCHEME_NCI: return 2 * WORD;
    case SCHEME_NCI_ILP: return (uint64_t)(machine->commit_width + 2) * WORD;
    case SCHEME_TIP_ILP: return tip_bits(1);
    case SCHEME_TIP: return tip_bits(machine->commit_width);
    case SCHEME_TEA: return tea_bits(machine);
    case SCHEME_CTR:
        return (uint64_t)machine->transfers * (2 * WORD + RECORD_DATA) + 2 * WORD + STATUS;
    case SCHEME_COUNTS: return marks_bits(machine, 0);
    case SCHEME_LATENCY: return marks_bits(machine, WORD);
    case SCHEME_SOFTWARE:
    case SCHEMES: break;
    }
    return 0;
}

unsigned scheme_sample_bytes(enum scheme_id id, const struct scheme_machine *machine)
{
    unsigned words = 2;             /* cycle, address */

    if (scheme_row(id).kind == SCHEME_COUNTED)
        return 0;
    if (id == SCHEME_TIP_ILP)
        words = 3;
    else if (id == SCHEME_TIP || id == SCHEME_NCI_ILP)
        words = machine->commit_width + 2;
    else if (id == SCHEME_TEA)
        words = 2 * machine->commit_width + 2;
    else if (id == SCHEME_CTR)
        words = 2 + 3 * machine->transfers;
    return PERF_HEAD_BYTES + words * BYTE;
}
