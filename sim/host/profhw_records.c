/* The scheduler's records for programs that use libprofhw; see profhw.h. */
#include "prof/sched/sched.h"
#include "prof/sched/sched_log.h"
#include "sim/host/profhw_internal.h"
#include "sim/run/kernel/kernel_host.h"

static void hand_over(void *arg, unsigned hart, const struct kernel_record *record, size_t count)
{
    struct profhw *profhw = arg;

    (void)hart;
    for (size_t i = 0; i < count; i++) {
        const struct kernel_record *from = &record[i];

        if (from->event < KERNEL_SWITCH || from->event > KERNEL_EXIT)
            continue;
        profhw->on_record(profhw->on_record_arg, &(struct profhw_record){
            .cycle = from->cycle, .thread = from->thread, .other = from->other,
            .hart = from->hart, .event = sched_event_name(from->event),
            .reason = from->reason == KERNEL_REASON_NONE ? "" : sched_reason_name(from->reason),
            .value = from->value, .order = from->order,
        });
    }
}

bool profhw_records(struct profhw *profhw,
                    void (*function)(void *arg, const struct profhw_record *record), void *arg)
{
    struct kernel_host *host = profhw->machine.kernel;

    if (host == NULL) {
        diag_set(&profhw->diag, ERR_USAGE, "%s runs without the guest kernel, whose scheduler "
                 "makes the records", profhw->machine.image->path);
        return false;
    }
    kernel_host_record(host, function != NULL ? KERNEL_RING_ALL : 0);
    profhw->on_record = function;
    profhw->on_record_arg = arg;
    host->records = function != NULL ? hand_over : NULL;
    host->records_arg = profhw;
    return true;
}
