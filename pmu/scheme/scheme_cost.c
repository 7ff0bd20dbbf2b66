/* Storage and bandwidth of the schemes; see scheme_cost.h. Schemes in scheme.c have theirs here,
 * the others in their own files. */
#include "pmu/scheme/scheme_model.h"

#include "pmu/abi.h"

enum {
    WORD = 64,                      /* a CSR */
    FLAGS = 8,                      /* three, in a byte: of the offending instruction */
    FETCH_EVENTS = 2,               /* DR-L1, DR-TLB: known before dispatch */
    RECORD_DATA = 4 + 1 + 1 + 16,   /* ctrdata: TYPE, MISP, CCV, CC (Smctr 1.0, section 2.4) */
    STATUS = 32,                    /* sctrstatus */
    PERF_HEAD_BYTES = 40,
    BYTE = 8,
    ADDRESS_WORDS = 2,              /* of a sample: cycle, address */
};

/* Address registers for all that can commit together, cycle, flags; and the offending instruction.
 * 57 bytes when four can (MICRO 2021, section 3.2). */
static uint64_t tip_bits(unsigned addresses)
{
    return (uint64_t)(addresses + 2) * WORD + WORD + FLAGS;
}

static uint64_t tip_storage(const struct scheme_machine *machine)
{
    return tip_bits(machine->commit_width);
}

static unsigned tip_words(const struct scheme_machine *machine)
{
    return machine->commit_width + 2;
}

static uint64_t tip_ilp_storage(const struct scheme_machine *machine)
{
    (void)machine;
    return tip_bits(1);
}

static unsigned tip_ilp_words(const struct scheme_machine *machine)
{
    (void)machine;
    return 3;
}

const struct scheme_model scheme_tip = {
    .storage_bits = tip_storage, .sample_words = tip_words, .divides_samples = true,
};
const struct scheme_model scheme_tip_ilp = {
    .storage_bits = tip_ilp_storage, .sample_words = tip_ilp_words,
};

/* In addition to TIP: the signature of each instruction in the reorder buffer; its bits known in
 * the front end and the load queue before; the signatures of the sampled and the offending
 * instructions. */
static uint64_t tea_storage(const struct scheme_machine *machine)
{
    return tip_bits(machine->commit_width) + (uint64_t)SCHEME_EVENTS * machine->rob_entries +
           FETCH_EVENTS * machine->fetch_buffer + machine->load_queue +
           (uint64_t)machine->commit_width * WORD + SCHEME_EVENTS;
}

static unsigned tea_words(const struct scheme_machine *machine)
{
    return 2 * machine->commit_width + 2;
}

const struct scheme_model scheme_tea = {
    .storage_bits = tea_storage, .sample_words = tea_words, .divides_samples = true,
};

/* An interrupt needs no storage of its own. */
const struct scheme_model scheme_software = {.storage_bits = NULL};

static uint64_t dispatch_storage(const struct scheme_machine *machine)
{
    return machine->rob_entries + 2 * WORD + 1;
}

const struct scheme_model scheme_dispatch = {.storage_bits = dispatch_storage};

static uint64_t ctr_storage(const struct scheme_machine *machine)
{
    return (uint64_t)machine->transfers * (2 * WORD + RECORD_DATA) + 2 * WORD + STATUS;
}

static unsigned ctr_words(const struct scheme_machine *machine)
{
    return 2 + 3 * machine->transfers;
}

const struct scheme_model scheme_ctr = {.storage_bits = ctr_storage, .sample_words = ctr_words};

/* A metadata block with an item for each halfword, beside every line of the instruction cache. */
static uint64_t marks_bits(const struct scheme_machine *machine, unsigned more_bits)
{
    uint64_t items = machine->l1i_line_bytes / 2;
    uint64_t item = BYTE * sizeof(struct perfinst_item) + more_bits;

    return machine->l1i_lines * (items * item + BYTE * sizeof(struct perfinst_block));
}

static uint64_t counts_storage(const struct scheme_machine *machine)
{
    return marks_bits(machine, 0);
}

static uint64_t latency_storage(const struct scheme_machine *machine)
{
    return marks_bits(machine, WORD);
}

const struct scheme_model scheme_counts = {.storage_bits = counts_storage};
const struct scheme_model scheme_latency = {.storage_bits = latency_storage};

/* ---- of any ---------------------------------------------------------------------------------- */

uint64_t scheme_storage_bits(unsigned id, const struct scheme_machine *machine)
{
    const struct scheme_model *model = scheme_model(id);

    return model->storage_bits != NULL ? model->storage_bits(machine) : 0;
}

unsigned scheme_sample_bytes(unsigned id, const struct scheme_machine *machine)
{
    const struct scheme_model *model = scheme_model(id);

    if (scheme_row(id).kind == SCHEME_COUNTED)
        return 0;
    return PERF_HEAD_BYTES +
           (model->sample_words != NULL ? model->sample_words(machine) : ADDRESS_WORDS) * BYTE;
}

bool scheme_divides_samples(unsigned id)
{
    return scheme_model(id)->divides_samples;
}
