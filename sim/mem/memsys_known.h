/* Accesses that change only counts in the memory system. A caller that finds the line or page of an
 * access here counts what the call would have counted, and need not make the call. */
#ifndef SIM_MEM_MEMSYS_KNOWN_H
#define SIM_MEM_MEMSYS_KNOWN_H

#include "sim/mem/known_lines.h"
#include "sim/mem/memsys.h"
#include "sim/mem/translate/tlb.h"

/* Lines that answer a fetch at once: an L1I_ACCESS and an L1I_HIT. */
const struct known_lines *memsys_known_code(const struct memsys *memsys);
/* Lines that answer memsys_load as a hit: an L1D_READ. */
const struct known_lines *memsys_known_data(const struct memsys *memsys);
/* The L1 TLB of data, for tlb_last(). */
const struct tlb *memsys_dtlb_of(const struct memsys *memsys);

/* As memsys_fetch, for a line that answers in this cycle and changes only counts. False: nothing
 * has changed, call memsys_fetch. */
bool memsys_fetch_at_once(struct memsys *memsys, uint64_t pa, uint64_t now, uint32_t *frame);

#endif
