/* Scripts: files that begin with "#!" and the name of the program that reads them. */
#ifndef GUEST_KERNEL_PROCESS_SCRIPT_H
#define GUEST_KERNEL_PROCESS_SCRIPT_H

#include "kernel.h"

enum { SCRIPT_BYTES = 256 };            /* of the first line, which is cut off there */

/* argument: the rest of the line, one word for the interpreter; NULL: none. */
struct script { char line[SCRIPT_BYTES]; const char *interpreter, *argument; };

/* 1: the file of this handle is a script; 0: it is none; -errno: it names no interpreter. */
int64_t script_read(int64_t handle, struct script *script);

#endif
