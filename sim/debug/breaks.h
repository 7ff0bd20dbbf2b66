/* Breakpoints and watchpoints that gdb has set. */
#ifndef SIM_DEBUG_BREAKS_H
#define SIM_DEBUG_BREAKS_H

#include "sim/core/pause.h"

/* Numbered as in the packets Z and z. */
enum break_kind { BREAK_SOFTWARE, BREAK_HARDWARE, BREAK_WRITE, BREAK_READ, BREAK_ACCESS,
                  BREAK_KINDS };

struct breaking { enum break_kind kind; uint64_t address, bytes; };

enum { BREAKS_MAX = 1024 };

struct breaks {                 /* zero: none. Has no pointers, so processes can share it */
    struct breaking point[BREAKS_MAX];
    size_t count;
    uint64_t pc[BREAKS_MAX];    /* [pcs] addresses of breakpoints, rising */
    size_t pcs;
    bool has_watch;             /* there is a watchpoint */
};

/* Adds a point, unless it is there already. False: there are BREAKS_MAX. */
bool breaks_add(struct breaks *breaks, const struct breaking *point);
/* Removes a point, if it is there. */
void breaks_remove(struct breaks *breaks, const struct breaking *point);
void breaks_drop(struct breaks *breaks);
/* Makes the harts stop before instructions at breakpoints. To be called again after each change of
 * `breaks`, whose array `pauses` refers to. */
void breaks_apply(const struct breaks *breaks, struct pauses *pauses);
/* The breakpoint at this address, NULL: none. */
const struct breaking *breaks_find(const struct breaks *breaks, uint64_t pc);
/* The reason of a stop for a stop reply: "swbreak:;", "watch:1f0;". */
enum { BREAKS_WHY = 40 };
void breaks_why(const struct breaking *point, char text[BREAKS_WHY]);

#endif
