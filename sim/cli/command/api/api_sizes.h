/* Routines whose argument or result is a number of bytes: those that allocate (argument), and those
 * that read or write (result), in the program and in the libraries that it loads. */
#ifndef SIM_CLI_COMMAND_API_API_SIZES_H
#define SIM_CLI_COMMAND_API_API_SIZES_H

#include "sim/cli/command/commands.h"
#include "sim/host/target.h"

/* argument: number of the argument, from 1, that is the size; 0: the size is the result. times:
 * number of an argument by which the size is multiplied; 0: none. */
struct api_size { uint64_t routine; unsigned argument, times; };

struct api_allocator;
struct api_sizes {
    const struct target *target;
    struct api_allocator *allocator;    /* those of --allocator */
    size_t allocators;
    struct api_size *size;          /* by routine */
    size_t count;
    size_t modules;                 /* number of the target's modules searched up to now */
};

/* Finds the routines of the program. ERR_USAGE: a routine of --allocator is not in the program,
 * which loads no libraries; or the option is not FUNCTION=N. */
enum err api_sizes_init(struct api_sizes *sizes, const struct command_line *line,
                        const struct target *target, struct diag *diag);
void api_sizes_free(struct api_sizes *sizes);
/* The size of a routine; NULL: it is not such a routine. Searches libraries loaded since the last
 * call. */
const struct api_size *api_sizes_find(struct api_sizes *sizes, uint64_t routine);
/* ERR_USAGE: a routine of --allocator was in no library either. */
enum err api_sizes_check(const struct api_sizes *sizes, struct diag *diag);

#endif
