/* /dev/shm for a root directory that has none, as the file system in memory that Linux has there:
 * shm_open, sem_open and Python's multiprocessing keep their files in it.
 *
 * It is a directory of the host's, made at its first use and removed with all that is in it when
 * the last table of files that knows it is freed. */
#ifndef SIM_RUN_FILES_MEMORY_H
#define SIM_RUN_FILES_MEMORY_H

struct files_memory;

struct files_memory *files_memory_new(void);            /* NULL: no memory */
struct files_memory *files_memory_share(struct files_memory *memory);
void files_memory_drop(struct files_memory *memory);    /* NULL is allowed */
/* If `name` below the canonical guest path `path`, whose host directory is dir_fd, is not there and
 * is /dev/shm, or is /dev and the `rest` of the path goes on to /shm: a descriptor of a directory
 * that has it, for the caller to close; else -1. */
int files_memory_find(struct files_memory *memory, int dir_fd, const char *path, const char *name,
                      const char *rest);

#endif
