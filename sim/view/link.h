/* Memory shared by viewer and machine. The viewer asks in one process, and the machine answers in
 * another, which is replaced by a copy of itself when the run goes back (sim/host/rewind.h).
 *
 * The viewer writes `command` and posts `asked`; the machine writes `model` and posts `answered`.
 * Each accesses the other's fields only during its own turn, except `pause` and `passed`. */
#ifndef SIM_VIEW_LINK_H
#define SIM_VIEW_LINK_H

#include <semaphore.h>
#include <sys/types.h>

#include "sim/host/rewind.h"
#include "sim/view/model.h"
#include "sim/view/watch.h"

enum view_verb {
    VIEW_SHOW,          /* only updates the model, for example for another hart */
    VIEW_FORWARD,       /* until the event, `count` times */
    VIEW_BACK,          /* to the last occurrence of the event before now */
    VIEW_GO,            /* to the cycle `count`, forward or back */
    VIEW_QUIT,
};

struct view_command {
    enum view_verb verb;
    enum view_until until;
    uint64_t count;
    unsigned hart;
};

/* The machine's progress with a command; used by the machine only. */
enum view_phase { PHASE_STAND, PHASE_FORWARD, PHASE_SEARCH, PHASE_GO };
struct view_way {
    enum view_phase phase;
    uint64_t mark, left;            /* watch_mark of `until` when the last step ended; occurrences
                                     * still to come */
    uint64_t limit, reach;          /* search: up to cycle `limit`, which began `reach` cycles
                                     * before it */
    uint64_t began;                 /* cycle at which the searching copy was woken */
    uint64_t found, target;         /* cycles; found 0: not found yet */
    uint64_t start, next_copy;
};

struct view_link {
    sem_t asked, answered;
    pid_t viewer;
    struct view_command command;
    struct view_model model;
    struct view_way way;
    struct rewind rewind;
    volatile int pause;             /* the viewer requests that the run stops */
    volatile uint64_t passed;       /* cycle that a run has reached */
    bool has_failed;                /* the machine could not be made */
    char why[VIEW_WHY * 2];
};

/* NULL: no memory. */
struct view_link *link_make(void);
void link_unmake(struct view_link *link);

#endif
