/* A hart's caches and TLBs, and the caches it shares, for observers: reads, and changes nothing. */
#ifndef SIM_MEM_MEMSYS_LOOK_H
#define SIM_MEM_MEMSYS_LOOK_H

#include "sim/mem/memsys.h"

enum memsys_part { MEMSYS_L1I, MEMSYS_L1D, MEMSYS_L2, MEMSYS_L3, MEMSYS_PARTS };

/* Frames are numbered set * ways + way. */
struct memsys_shape { uint32_t sets, ways, line_bytes; };
/* False: the machine has no such cache. */
bool memsys_look(const struct memsys *memsys, enum memsys_part part, struct memsys_shape *shape);

enum memsys_line { MEMSYS_EMPTY, MEMSYS_SHARED, MEMSYS_CLEAN, MEMSYS_MODIFIED, MEMSYS_COMING };
/* The line in a frame, and its physical address; COMING: it is in flight in cycle `now`. */
enum memsys_line memsys_look_line(const struct memsys *memsys, enum memsys_part part,
                                  uint32_t frame, uint64_t now, uint64_t *pa);
/* The number of miss registers taken in cycle `now`; *registers: of all. */
uint32_t memsys_look_misses(const struct memsys *memsys, enum memsys_part part, uint64_t now,
                            uint32_t *registers);

enum memsys_tlb { MEMSYS_ITLB, MEMSYS_DTLB, MEMSYS_L2TLB };
/* The number of entries taken, including those whose walk is under way; *entries: of all, 0 if the
 * machine has no such TLB. */
uint32_t memsys_look_tlb(const struct memsys *memsys, enum memsys_tlb which, uint32_t *entries);

#endif
