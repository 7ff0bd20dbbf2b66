/* Metadata beside the caches, for fetch and commit: the lookup of marks, and the cycle in which
 * they are available. */
#ifndef SIM_CORE_PROFILE_METADATA_H
#define SIM_CORE_PROFILE_METADATA_H

#include "sim/core/pipe/core_state.h"
#include "sim/mem/memsys.h"

enum placement { PLACEMENT_SEPARATE, PLACEMENT_LINE, PLACEMENT_MIXED };     /* shadow.placement */

/* True if these settings need more than frames beside the cache's without waiting. Then
 * EXTRA_METADATA is set, and fetch and commit call these functions. */
bool metadata_is_extra(const struct config *config);

/* Bits of storage: frames for code and data, data in the machine's granule; marks on cache
 * lines. */
struct metadata_storage { uint64_t code, data, marks; };
struct metadata_storage metadata_storage(const struct config *config);

/* The shadow frame in which the marks of pa are looked up now; MEM_NO_FRAME: its line is absent. */
uint32_t metadata_iframe(const struct core *core, uint64_t pa);
uint32_t metadata_dframe(const struct core *core, uint64_t pa);

/* Fetch reads the line of pa, in cache frame *frame: returns the cycle from which its marks are
 * available, and the shadow frame. */
uint64_t metadata_fetch(struct core *core, uint64_t pa, uint32_t *frame);
/* True if the marks of the data are available, so that the instruction can commit. */
bool metadata_is_there(struct core *core, const struct uop *uop);
/* The mark's own counter has counted: at most COUNT_WRITES between two calls of
 * metadata_is_there. */
void metadata_counted(struct core *core, const struct mark *mark, bool is_data);

/* A line was filled, or frames changed; the response may be delayed by its metadata */
void lsu_follow_change(struct core *core, struct mem_response *response, const struct uop *uop);
static inline void lsu_follow_fill(struct core *core, struct mem_response *response,
                                   const struct uop *uop)
{
    if (response->changed || response->filled || response->merged)
        lsu_follow_change(core, response, uop);
}
void fetch_follow_fill(struct core *core, struct mem_response *response, uint64_t pc);

/* True if the data access is on a page with marked data. */
bool metadata_touches_marks(const struct core *core, const struct uop *uop);
#endif
