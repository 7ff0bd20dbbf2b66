/* A Linux program under the guest kernel: loading both, booting, and the end. */
#ifndef SIM_RUN_KERNEL_H
#define SIM_RUN_KERNEL_H

#include "sim/run/machine.h"

/* True if a program creates threads or processes, or needs a dynamic linker: it names an
 * interpreter, or its code loads the number of clone, clone3 or execve for a system call. */
bool kernel_is_needed(const struct image *image);
/* True if the program may execute others or load libraries: it names an interpreter, or its code
 * loads the number of execve. */
bool kernel_may_execute(const struct image *image);
/* True if the program is to run under the guest kernel. */
bool kernel_is_wanted(const struct image *image, enum program_os os);

/* Loads machine->image under the kernel of program->kernel and boots it; the next instruction of
 * the first hart leads to the program. machine->process is context 0. */
enum err kernel_load(struct machine *machine, const struct program *program, struct diag *diag);
void kernel_free(struct machine *machine);

/* The device set phys->event: handles boot or end. True: the run is over. */
bool kernel_serve(struct machine *machine);

#endif
