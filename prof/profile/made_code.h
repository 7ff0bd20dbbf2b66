/* Code made at run time, of which no file has symbols. The call tree divides it into routines: each
 * reaches from an address at which it was entered to the next one. */
#ifndef PROF_PROFILE_MADE_CODE_H
#define PROF_PROFILE_MADE_CODE_H

#include "prof/profile/profile.h"
#include "prof/symbols/symbols.h"
#include "sim/base/err.h"

struct made_code {
    uint64_t *entry;                    /* sorted */
    size_t entries;
};

/* made_code_free is due in any case. */
enum err made_code_find(struct made_code *made, const struct profile *profile,
                        const struct symbols *symbols, struct diag *diag);
void made_code_free(struct made_code *made);
/* The routine of an address without symbol; 0: none is known. */
uint64_t made_code_routine(const struct made_code *made, uint64_t address);

#endif
