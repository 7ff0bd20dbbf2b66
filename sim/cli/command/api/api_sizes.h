/* Routines that allocate, whose argument is a number of bytes, and routines that read or write,
 * whose result is one: of the program and of libraries, as it loads them. */
#ifndef SIM_CLI_COMMAND_API_API_SIZES_H
#define SIM_CLI_COMMAND_API_API_SIZES_H

#include "sim/cli/command/commands.h"
#include "sim/host/target.h"

/* argument: the number, from 1, of the one that is the size; 0: the result is. times: another one
 * that it is multiplied by; 0: none. */
struct api_size { uint64_t routine; unsigned argument, times; };

struct api_allocator;
struct api_sizes {
    const struct target *target;
    struct api_allocator *allocator;    /* those of --allocator */
    size_t allocators;
    struct api_size *size;          /* by routine */
    size_t count;
    size_t modules;                 /* of the target that were looked through */
};

/* Starts with those of the program. ERR_USAGE: one of --allocator can be in no library and is not
 * in the program, or is no FUNCTION=N. */
enum err api_sizes_init(struct api_sizes *sizes, const struct command_line *line,
                        const struct target *target, struct diag *diag);
void api_sizes_free(struct api_sizes *sizes);
/* The routine's; NULL: it is none. Looks through libraries that were loaded since. */
const struct api_size *api_sizes_find(struct api_sizes *sizes, uint64_t routine);
/* ERR_USAGE: one of --allocator was in no library either. */
enum err api_sizes_check(const struct api_sizes *sizes, struct diag *diag);

#endif
