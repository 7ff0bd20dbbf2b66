/* Shared by the readers of a profile's parts; internal to profile_read*.c and to the files that
 * write and read one member. After the first error (json.err) nothing more is read. */
#ifndef PROF_PROFILE_PROFILE_READING_H
#define PROF_PROFILE_PROFILE_READING_H

#include "prof/profile/json.h"
#include "prof/profile/profile.h"

struct profile_reading {
    struct json_reader json;
    struct profile *profile;
    uint32_t usual_thread;          /* thread of the oracle's instructions without a thread */
};

bool profile_reading_is_good(const struct profile_reading *reading);
/* Zeroed memory of the profile. NULL only after an error. */
void *profile_reading_alloc(struct profile_reading *reading, size_t count, size_t bytes);
/* A copy of the text, owned by the profile. "" after an error. */
const char *profile_reading_keep(struct profile_reading *reading, const char *text);
/* A copy of an object's member. */
const char *profile_reading_text(struct profile_reading *reading, const cJSON *object,
                                 const char *key);

typedef void profile_read_element(struct profile_reading *reading, const cJSON *json,
                                  void *element);
/* The array member `key` of an object: *count elements of `bytes` each, with room for one more. */
void *profile_reading_array(struct profile_reading *reading, const cJSON *object, const char *key,
                            size_t bytes, profile_read_element *read, size_t *count);

/* In profile_read_truth.c; called after the events. */
void profile_read_oracle(struct profile_reading *reading, const cJSON *root);
/* profile_calls.c. */
void profile_read_calls(struct profile_reading *reading, const cJSON *root);
/* In profile_over_time.c; called after the events. */
void profile_read_over_time(struct profile_reading *reading, const cJSON *root);
/* profile_maps.c. */
void profile_read_maps(struct profile_reading *reading, const cJSON *root);
/* profile_threads.c. */
void profile_read_threads(struct profile_reading *reading, const cJSON *root);
/* In profile_share.c: the object's shares, if it has some. */
void profile_read_shares(struct profile_reading *reading, const cJSON *object,
                         struct profile_shares *shares);
/* profile_modes.c. */
void profile_read_modes(struct profile_reading *reading, const cJSON *root);
/* profile_schemes.c. */
void profile_read_schemes(struct profile_reading *reading, const cJSON *root);
/* In profile_samples.c; called after the records. */
void profile_read_samples(struct profile_reading *reading, const cJSON *root);

#endif
