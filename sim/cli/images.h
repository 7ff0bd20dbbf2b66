/* The programs that a run under the guest kernel executes, and what each of them has of the
 * program's instructions.
 *
 * execve gives a process another program, at the same addresses as the first one if both are
 * linked in the same way. Counts are kept by address, so they stand under the names of the first.
 * The instructions and cycles in user mode are counted here for each program, from the switches of
 * threads that the scheduler names and the calls by which the kernel tells the host of fork and
 * execve. A thread is of the program of its process; one that the host has heard nothing of is
 * known by its page table. */
#ifndef SIM_CLI_IMAGES_H
#define SIM_CLI_IMAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/err.h"

struct job;
struct images;

/* With the program loaded under the guest kernel: follows its threads. */
enum err images_open(struct job *job, struct diag *diag);
/* Measurement begins: counts so far are dropped. */
void images_begin(struct images *images);
/* Into job->profile; nothing if one program ran alone. False: no memory. */
bool images_collect(struct images *images, struct job *job);
void images_close(struct images *images);

#endif
