/* A program, as machine_load takes it. */
#ifndef SIM_RUN_LOAD_PROGRAM_H
#define SIM_RUN_LOAD_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/run/load/image.h"

struct outside;

/* Who serves system calls. AUTO: the host, unless the program needs the guest kernel. */
enum program_os { PROGRAM_OS_AUTO, PROGRAM_OS_HOST, PROGRAM_OS_KERNEL };

struct program {
    const char *path;
    const struct image *image;      /* of path; stays open until machine_free. NULL: opened here */
    int argc;
    char **argv;                    /* guest arguments, argv[0] included */
    char **env;                     /* NULL-terminated "K=V" */
    const char *root;               /* files of the guest; NULL: current directory */
    const struct outside *outside;  /* address that its sockets reach; NULL: none */
    uint64_t epoch_seconds;         /* of its clock at the start; 0: PROCESS_EPOCH_SECONDS */
    const char *kernel;             /* ELF of the guest kernel, for programs that need it */
    const struct image *kernel_image;   /* of `kernel`, as image above */
    enum program_os os;
    bool may_hand_over;             /* to the kernel: RESULT_HAND_OVER may end the run */
};

#endif
