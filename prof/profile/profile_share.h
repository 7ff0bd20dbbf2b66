/* Each thread's share of a profile's marks, ranges, counters and interrupts. */
#ifndef PROF_PROFILE_PROFILE_SHARE_H
#define PROF_PROFILE_PROFILE_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Values for a mark: count, interrupts; a range: entries, executed; a counter: its value; a record:
 * interrupts, executions, cycles, instructions. */
enum { PROFILE_SHARE_VALUES = 4 };
struct profile_share { uint32_t thread; uint64_t value[PROFILE_SHARE_VALUES]; };

/* By thread, without threads that have no part. None: the program has one thread, or was not
 * divided by thread. The values add up to those of the whole. */
struct profile_shares { struct profile_share *share; size_t count; };

struct profile;

/* Adds the shares of a thread to those of the same thread. The profile owns the array.
 * False: no memory. */
bool profile_add_shares(struct profile *profile, struct profile_shares *to,
                        const struct profile_shares *from);

/* The thread's share, or zeros. */
struct profile_share profile_share_of(const struct profile_shares *shares, uint32_t thread);

#endif
