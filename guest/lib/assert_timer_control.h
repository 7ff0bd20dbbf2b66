/* The control file of a program, as a service writes it for programs: a line for each tag,
 *
 *     TAG THRESHOLD none|light|full TIMES
 *
 * in which %XX stands for a byte of the tag and - for the program's own threshold. The tag * is for
 * all others. */
#ifndef GUEST_LIB_ASSERT_TIMER_CONTROL_H
#define GUEST_LIB_ASSERT_TIMER_CONTROL_H

#include "rvsim/assert_timer_service.h"

struct control_tag {
    const char *tag;
    uint64_t threshold_ns;              /* 0: the program's */
    enum assert_timer_detail detail;
    uint64_t times;                     /* reports of a run */
};

/* Sorted by tag. */
struct control { size_t tags; struct control_tag *tag; char *text; };

/* Lines of another form are left out. A threshold in cycles is for the simulator's own watch: the
 * program's holds. NULL: no memory. */
struct control *control_read(const char *text);
void control_free(struct control *control);
/* The row of a tag, else of "*", else NULL. */
const struct control_tag *control_find(const struct control *control, const char *tag);

#endif
