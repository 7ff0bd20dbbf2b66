/* Places that gdb asked to stop at. */
#ifndef SIM_DEBUG_BREAKS_H
#define SIM_DEBUG_BREAKS_H

#include "sim/core/pause.h"

/* As the packets Z and z number them. */
enum break_kind { BREAK_SOFTWARE, BREAK_HARDWARE, BREAK_WRITE, BREAK_READ, BREAK_ACCESS,
                  BREAK_KINDS };

struct breaking { enum break_kind kind; uint64_t address, bytes; };

enum { BREAKS_MAX = 1024 };

struct breaks {                 /* zero: none. Refers to nothing outside itself */
    struct breaking point[BREAKS_MAX];
    size_t count;
    uint64_t pc[BREAKS_MAX];    /* [pcs] of breakpoints, rising */
    size_t pcs;
    bool has_watch;             /* there is one of the other kinds */
};

/* One that is there already is not added again. False: there are BREAKS_MAX. */
bool breaks_add(struct breaks *breaks, const struct breaking *point);
/* One that is not there is no error. */
void breaks_remove(struct breaks *breaks, const struct breaking *point);
void breaks_drop(struct breaks *breaks);
/* The harts stop before instructions at breakpoints; `breaks` must not change in between. */
void breaks_apply(const struct breaks *breaks, struct pauses *pauses);
/* The breakpoint at this address, NULL: none. */
const struct breaking *breaks_find(const struct breaks *breaks, uint64_t pc);
/* How a stop reply names the reason: "swbreak:;", "watch:1f0;". */
enum { BREAKS_WHY = 40 };
void breaks_why(const struct breaking *point, char text[BREAKS_WHY]);

#endif
