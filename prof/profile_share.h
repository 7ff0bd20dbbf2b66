/* Each thread's share of a profile's marks, ranges, counters and interrupts. */
#ifndef PROF_PROFILE_SHARE_H
#define PROF_PROFILE_SHARE_H

#include <stddef.h>
#include <stdint.h>

/* Of a mark: count, interrupts. Of a range: entries, executed. Of a counter: its value. Of a
 * record: interrupts, executions, cycles, instructions. */
enum { PROFILE_SHARE_VALUES = 4 };
struct profile_share { uint32_t thread; uint64_t value[PROFILE_SHARE_VALUES]; };

/* By thread; threads that have nothing of it are left out. None: the program has one thread, or
 * nobody kept them apart. Their values add up to those of the whole. */
struct profile_shares { struct profile_share *share; size_t count; };

/* The thread's; zeros where it has none. */
struct profile_share profile_share_of(const struct profile_shares *shares, uint32_t thread);

#endif
