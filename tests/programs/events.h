/* Event codes for the assembler: EVENT_CYCLES and so on. */
#ifndef EVENTS_H
#define EVENTS_H
#define EVENT(id, code, name, scope, place, meaning) .set EVENT_##id, code
#include "pmu/event.def"
#undef EVENT
#endif
