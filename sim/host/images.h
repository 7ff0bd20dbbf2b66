/* The programs that a run under the guest kernel executes, with the instructions and cycles of each
 * in user mode.
 *
 * execve replaces the program of a process by another one, which usually has the same addresses.
 * Programs are identified by the path of their file and numbered in the order of their execution:
 * the first is 0. The number of the program that a hart runs is in its pmu_thread (pmu/key.h), so
 * that the measurements of programs stay apart. A thread belongs to the program of its process. The
 * switches of threads come from the scheduler (CSR_PROF_THREAD), fork and execve from the kernel's
 * host calls. */
#ifndef SIM_HOST_IMAGES_H
#define SIM_HOST_IMAGES_H

#include "sim/run/machine.h"

struct images;
struct profile_image;
struct target;
struct image_sum { char *path; uint64_t insns, cycles; };

/* Follows the threads of the program at `path`, which is loaded under the guest kernel. known:
 * programs of an earlier run, in order of their numbers, which they keep; NULL: none. images_close
 * is due also after a failure. */
enum err images_open(struct images **images, struct machine *machine, const char *path,
                     const struct profile_image *known, size_t knowns, struct diag *diag);
/* The calling process maps a file with code at its addresses plus bias; is_next: for the program
 * that the process is about to execute. Returns bias plus the shifted number of the program, or of
 * the file itself if another file of the target lay there (covers.h). *plain: bias plus the number
 * of the program in either case. */
uint64_t images_place(struct images *images, const struct target *target, const char *path,
                      uint64_t bias, bool is_next, uint64_t *plain);
/* Measurement begins: counts so far are dropped. */
void images_begin(struct images *images);
/* The programs in order of their numbers; *image is valid until the next call. False: no memory. */
bool images_collect(struct images *images, const struct image_sum **image, size_t *count);
/* After images_collect: thread `index` of those that ran, by number, with its last name. False:
 * there are no more. */
bool images_thread(const struct images *images, size_t index, uint64_t *id, const char **name);
void images_close(struct images *images);

#endif
