/* Memory that viewer and machine share: the viewer asks in one process, and the machine answers in
 * another, which copies of itself replace when the run goes back (sim/host/rewind.h). Lies in
 * memory that all of them share.
 *
 * The viewer writes `command` and posts `asked`; the machine writes `model` and posts `answered`.
 * Each touches the other's fields only while it is its turn; `pause` and `passed` may be looked at
 * at any time. */
#ifndef SIM_VIEW_LINK_H
#define SIM_VIEW_LINK_H

#include <semaphore.h>
#include <sys/types.h>

#include "sim/host/rewind.h"
#include "sim/view/model.h"
#include "sim/view/watch.h"

enum view_verb {
    VIEW_SHOW,          /* the model once more: of another hart, say */
    VIEW_FORWARD,       /* until it happens, `count` times */
    VIEW_BACK,          /* to the last time before now that it happened */
    VIEW_GO,            /* to the cycle `count`, in whichever direction */
    VIEW_QUIT,
};

struct view_command {
    enum view_verb verb;
    enum view_until until;
    uint64_t count;
    unsigned hart;
};

/* How far the machine is in what was asked; the machine's alone. */
enum view_phase { PHASE_STAND, PHASE_FORWARD, PHASE_SEARCH, PHASE_GO };
struct view_way {
    enum view_phase phase;
    uint64_t mark, left;            /* of `until` when the last step ended; times still to come */
    uint64_t limit, reach;          /* search: up to cycle `limit`, from `reach` before it */
    uint64_t began;                 /* the copy that searches was woken here */
    uint64_t found, target;         /* cycles; found 0: nothing yet */
    uint64_t start, next_copy;
};

struct view_link {
    sem_t asked, answered;
    pid_t viewer;
    struct view_command command;
    struct view_model model;
    struct view_way way;
    struct rewind rewind;
    volatile int pause;             /* the viewer wants a run to stop where it is */
    volatile uint64_t passed;       /* the cycle that a run has come to */
    bool has_failed;                /* the machine could not be made: why */
    char why[VIEW_WHY * 2];
};

/* NULL: no memory. */
struct view_link *link_make(void);
void link_unmake(struct view_link *link);

#endif
