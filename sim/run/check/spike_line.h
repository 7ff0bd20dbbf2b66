/* One line of Spike's log (-l --log-commits): an instruction that committed, or a trap. */
#ifndef SIM_RUN_SPIKE_LINE_H
#define SIM_RUN_SPIKE_LINE_H

#include <stdbool.h>
#include <stdint.h>

enum { SPIKE_CSRS = 8, SPIKE_TRAP = 40 };

struct spike_line {
    uint64_t pc, bits, tval;        /* tval: of page faults */
    unsigned hart, priv, interrupt;     /* interrupt: its number */
    bool is_exception, is_interrupt, is_page_fault, has_rd, has_load, has_store, has_fflags;
    unsigned rd;
    uint64_t rd_value, load_va, store_va, store_value, fflags;
    unsigned csrs;
    struct { unsigned number; uint64_t value; } csr[SPIKE_CSRS];
    char trap[SPIKE_TRAP];              /* of an exception: Spike's name for it */
};

/* Parses the text: "core   0: 3 0x<pc> (0x<bits>) x5 0x<value> ..." or
 * "core   0: exception <name>, epc 0x<pc>"; false: another line. */
bool spike_line_parse(struct spike_line *line, char *text);

#endif
