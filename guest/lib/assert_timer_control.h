/* The control file of a program, in the text form that the service gives: a line for each tag,
 *
 *     TAG THRESHOLD none|light|full TIMES
 *
 * In a tag, %XX stands for a byte. The threshold - is the program's own. The tag * stands for all
 * tags without a line. */
#ifndef GUEST_LIB_ASSERT_TIMER_CONTROL_H
#define GUEST_LIB_ASSERT_TIMER_CONTROL_H

#include "rvsim/assert_timer_service.h"

struct control_tag {
    const char *tag;
    uint64_t threshold_ns;              /* 0: the program's */
    enum assert_timer_detail detail;
    uint64_t times;                     /* most reports in a run */
};

/* Sorted by tag. */
struct control { size_t tags; struct control_tag *tag; char *text; };

/* Lines of another form are ignored. For a threshold in cycles, which is meant for rvsim hang, the
 * program's own threshold applies. NULL: no memory. */
struct control *control_read(const char *text);
void control_free(struct control *control);
/* The row of a tag, else of "*", else NULL. */
const struct control_tag *control_find(const struct control *control, const char *tag);

#endif
