/* Parts of a profile's JSON; internal to profile_write*.c and prof/html. */
#ifndef PROF_PROFILE_PROFILE_WRITE_H
#define PROF_PROFILE_PROFILE_WRITE_H

#include "prof/profile/json.h"
#include "prof/profile/profile.h"
#include "prof/symbols/symbols.h"

/* In profile_write.c: all members. A profile that was read from a file has no host data. */
enum profile_form { PROFILE_STATISTICS, PROFILE_REPORT, PROFILE_EVERYTHING };
enum err profile_write_members(cJSON *root, const struct profile *profile,
                               const struct symbols *symbols, enum profile_form form,
                               struct diag *diag);
/* In profile_write.c: the programs that ran, as member "images". */
void profile_write_images(cJSON *object, const struct profile_image *image, size_t images);
/* In profile_over_time.c: only if recorded. */
void profile_write_over_time(cJSON *root, const struct profile *profile);
/* In profile_maps.c: only of the detailed engine. */
void profile_write_maps(cJSON *root, const struct profile *profile);
/* In profile_samples.c: only of `rvsim record`. */
void profile_write_samples(cJSON *root, const struct profile *profile);
/* In profile_threads.c: only with --threads. */
void profile_write_threads(cJSON *root, const struct profile *profile);
/* In profile_schemes.c: only of `rvsim compare-profilers`. */
void profile_write_schemes(cJSON *root, const struct profile *profile);
void profile_write_scheme(cJSON *object, const struct profile_scheme *scheme);
/* In profile_share.c: the first `values` of each share; nothing without shares. */
void profile_write_shares(cJSON *object, const struct profile_shares *shares, unsigned values);
/* The summary on the terminal (summary.h). */
void profile_write_summary(cJSON *root, const struct profile *profile);
void profile_write_slots(cJSON *root, const struct profile *profile);
void profile_write_cpi(cJSON *root, const struct profile *profile);
/* In profile_calls.c: only if calls were tracked. */
void profile_write_calls(cJSON *root, const struct profile *profile);
/* Nothing without an oracle profile. */
enum err profile_write_oracle(cJSON *root, const struct profile *profile,
                              const struct symbols *symbols, bool everything, struct diag *diag);

#endif
