/* Timers: each in the list of the hart that armed it, sorted; the first sets that hart's stimecmp.
 * Most are armed for later than all others, so places are looked for from the end. */
#include "process/thread.h"

static struct timer *timer_at(struct list *link)
{
    return container_of(link, struct timer, link);
}

static void set_alarm(struct hart *hart)
{
    bool any = !list_is_empty(&hart->timers);

    hart->alarm = any ? timer_at(hart->timers.next)->when : NEVER;
    timer_set_sample(hart, hart->sample_due);
}

void timer_set_sample(struct hart *hart, uint64_t when)
{
    hart->sample_due = when;
    csr_write(stimecmp, when < hart->alarm ? when : hart->alarm);
}

void timer_arm(struct timer *timer, uint64_t when)
{
    struct hart *hart = this_hart();
    struct list *at;

    timer_disarm(timer);
    timer->when = when;
    at = hart->timers.before;
    if (when == NEVER)
        return;
    while (at != &hart->timers && timer_at(at)->when > when)
        at = at->before;
    list_add(at->next, &timer->link);
    if (hart->timers.next == &timer->link)
        set_alarm(hart);
}

/* The alarm stays: an early one finds nothing due. */
void timer_disarm(struct timer *timer)
{
    if (timer->link.next != NULL)
        list_remove(&timer->link);
    else
        list_init(&timer->link);
    timer->when = NEVER;
}

void timers_run(void)
{
    struct hart *hart = this_hart();

    while (!list_is_empty(&hart->timers) && timer_at(hart->timers.next)->when <= now()) {
        struct timer *timer = timer_at(hart->timers.next);

        timer_disarm(timer);
        timer->fire(timer);
    }
    set_alarm(hart);
}
