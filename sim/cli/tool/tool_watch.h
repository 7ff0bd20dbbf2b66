/* Observers that are called inside a run. */
#ifndef SIM_CLI_TOOL_TOOL_WATCH_H
#define SIM_CLI_TOOL_TOOL_WATCH_H

struct job;
struct core_trace_record;

/* Called for each instruction that leaves a pipeline; it may set job->machine.halt. */
typedef void tool_watch(void *arg, struct job *job, unsigned hart,
                        const struct core_trace_record *record);

#endif
