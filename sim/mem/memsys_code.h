/* The memory system for a fetch that takes lines itself, block by block (part_by_block). */
#ifndef SIM_MEM_MEMSYS_CODE_H
#define SIM_MEM_MEMSYS_CODE_H

#include "sim/mem/memsys.h"

/* The frame of the block of pa. False: the block is absent. */
bool memsys_find_code(struct memsys *memsys, uint64_t pa, uint32_t *frame);
/* Requests the line of pa; returns the cycle in which that block arrives. */
uint64_t memsys_read_code(struct memsys *memsys, uint64_t pa, uint64_t now, bool is_prefetch);
/* Puts the line, which has arrived, into the cache. */
void memsys_keep_code(struct memsys *memsys, uint64_t pa, uint64_t now,
                      struct mem_response *response);

#endif
