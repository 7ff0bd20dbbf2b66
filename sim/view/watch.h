/* Observes the machine while it runs, and makes the model. It only reads, so that no count changes.
 * Stores the instructions that left the pipelines last. */
#ifndef SIM_VIEW_WATCH_H
#define SIM_VIEW_WATCH_H

#include "sim/host/target.h"
#include "sim/run/machine.h"
#include "sim/view/model.h"

struct watch;

/* machine_run has made the cores. output: of the program, a file that can be read; NULL: not
 * shown. NULL: no memory. */
struct watch *watch_open(struct machine *machine, const struct target *target, FILE *output);
void watch_close(struct watch *watch);

/* Cycles of a hart's pipeline, as traces number them. */
uint64_t watch_now(const struct watch *watch, unsigned hart);

/* The events at which a run can stop: each occurred in the last cycle. */
#define VIEW_UNTILS(UNTIL)                                                                         \
    UNTIL(CYCLE, "cycle", "cycle")                                                                 \
    UNTIL(INSN, "instruction", "an instruction commits")                                           \
    UNTIL(LINE, "line", "another source line begins to commit")                                    \
    UNTIL(MARK, "mark", "a mark acts, or an indicator is raised")                                  \
    UNTIL(INTERRUPT, "interrupt", "an interrupt is taken")                                         \
    UNTIL(MISPREDICTION, "misprediction", "a mispredicted branch commits")                         \
    UNTIL(END, "end", "the end of the program")
#define UNTIL(id, name, meaning) VIEW_UNTIL_##id,
enum view_until { VIEW_UNTILS(UNTIL) VIEW_UNTIL_COUNT };
#undef UNTIL
const char *view_until_name(enum view_until until);

/* A number that changes when the event happens. */
uint64_t watch_mark(const struct watch *watch, unsigned hart, enum view_until until);

/* Makes the model of the present state. */
void watch_take(struct watch *watch, unsigned hart, struct view_model *model);

#endif
