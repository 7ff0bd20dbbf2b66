/* The programs that a run under the guest kernel executes, and what each of them has of the
 * program's instructions.
 *
 * execve gives a process another program, at the same addresses as the first one if both are linked
 * in the same way. Each program has a number, in the order in which they are executed, by the path
 * of its file: the first is 0. The number of the program that a hart runs is in its pmu_thread
 * (pmu/key.h), so that what is measured of each stays apart. The instructions and cycles in user
 * mode are counted here for each program, from the switches of threads that the scheduler names
 * and the calls by which the kernel tells the host of fork and execve. A thread is of the program
 * of its process. */
#ifndef SIM_HOST_IMAGES_H
#define SIM_HOST_IMAGES_H

#include "sim/run/machine.h"

struct images;
struct profile_image;
struct target;
struct image_sum { char *path; uint64_t insns, cycles; };

/* With the program of this path loaded under the guest kernel: follows its threads. known: programs
 * of an earlier run, the first one first, which keep their numbers; NULL: none. Also after a
 * failure images_close frees *images. */
enum err images_open(struct images **images, struct machine *machine, const char *path,
                     const struct profile_image *known, size_t knowns, struct diag *diag);
/* The calling process maps a file with code at its addresses plus bias; is_next: for the program
 * that it is about to become. Returns the bias with the number of that program, or with one of the
 * file's own if another file of the target lay there (covers.h); *plain: with that of the program
 * in any case. */
uint64_t images_place(struct images *images, const struct target *target, const char *path,
                      uint64_t bias, bool is_next, uint64_t *plain);
/* Measurement begins: counts so far are dropped. */
void images_begin(struct images *images);
/* The programs, the first one first, valid until it is called again. False: no memory. */
bool images_collect(struct images *images, const struct image_sum **image, size_t *count);
/* The threads that ran, in order of their numbers, with their last names, after images_collect;
 * false: there are no more. */
bool images_thread(const struct images *images, size_t index, uint64_t *id, const char **name);
void images_close(struct images *images);

#endif
