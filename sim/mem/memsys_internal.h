/* Inside one hart's memory system: accesses (memsys.c), translation
 * (memsys_tlb.c), metadata (memsys_metadata.c). */
#ifndef SIM_MEM_MEMSYS_INTERNAL_H
#define SIM_MEM_MEMSYS_INTERNAL_H

#include "sim/mem/cache/l1.h"
#include "sim/mem/translate/tlb.h"
#include "sim/mem/translate/walker.h"
#include "sim/mem/cache/write_buffer.h"
#include "sim/mem/cache/write_stream.h"

enum { NO_MISS_REGISTER = 0xff };

/* As the setting shadow.traffic. */
enum metadata_traffic { TRAFFIC_BUS, TRAFFIC_L2, TRAFFIC_IDEAL };

struct memsys {
    struct l1 l1i, l1d;
    struct memshared *shared;
    struct shared_hart *hart;
    uint64_t *events;
    struct write_buffer write_buffer;
    struct write_stream write_stream;
    bool is_write_through, has_write_allocate;
    uint8_t taken_register;                /* miss register of the last load that missed, until
                                            * asked for */
    uint32_t miss_cycles, victim_cycles;   /* delays of the data cache before memory is asked */
    uint32_t store_miss_cycles, early_victim_cycles;
    uint32_t fetch_miss_cycles;            /* the same for the instruction cache */
    uint32_t fetch_early_cycles;           /* cycles by which its lines arrive before those of the
                                            * data cache */
    bool steers_fetch;                     /* the address of fetch decides which frame a line
                                            * takes */
    bool was_looked_up;                    /* the current load was looked up before, so its miss
                                            * goes out at once */
    struct replaced { uint64_t tag, ready, stamp, random; uint32_t frame; uint8_t state; }
        fetch_replaced;                    /* line replaced by the last fetch that missed */
    struct refused { uint64_t block, until, fills; }
        refused;                           /* the last store that found no free miss register: its
                                            * line, the cycle in which one is free, and known.fills
                                            * of the data cache; until 0: none */
    struct tlb itlb, dtlb;
    struct tlb_l2 l2tlb;
    uint32_t l2tlb_cycles;
    uint32_t metadata_bytes_per_cycle;
    enum metadata_traffic metadata_traffic;
    struct walker walker;
};

/* In memsys_known.c: decides which caches keep known lines. */
void memsys_keep_known(struct memsys *memsys);
/* A load has hit in a calm cache: its line may be known from now on. */
void memsys_note_known(struct memsys *memsys, uint32_t frame, uint64_t now);
/* A miss of the data cache at `now`. False: nothing has changed, retry. */
bool memsys_begin_data_miss(struct memsys *memsys, uint64_t pa, enum l1_intent intent,
                            uint64_t now, struct mem_response *response);

#endif
