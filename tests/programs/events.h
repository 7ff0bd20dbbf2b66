/* Event codes for the assembler, EVENT_CYCLES and so on, and selectors of counters. */
#ifndef EVENTS_H
#define EVENTS_H
#define EVENT(id, code, name, scope, place, meaning) .set EVENT_##id, code
#include "pmu/event.def"
#undef EVENT

/* mhpmevent: EVENT_<event>, limited by PMU_FILTER_<filter> with this argument. */
#define SELECT(event, filter, argument) \
    (EVENT_##event | PMU_FILTER_##filter << PMU_FILTER_SHIFT | (argument) << PMU_ARGUMENT_SHIFT)
#endif
