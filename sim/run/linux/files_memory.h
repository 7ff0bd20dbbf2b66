/* /dev/shm for a root directory that has none. On Linux it is a file system in memory, in which
 * shm_open, sem_open and Python's multiprocessing keep their files.
 *
 * Here it is a directory on the host, made at its first use. It is removed with its contents when
 * the last table of files that shares it is freed. */
#ifndef SIM_RUN_FILES_MEMORY_H
#define SIM_RUN_FILES_MEMORY_H

struct files_memory;

struct files_memory *files_memory_new(void);            /* NULL: no memory */
struct files_memory *files_memory_share(struct files_memory *memory);
void files_memory_drop(struct files_memory *memory);    /* NULL is allowed */
/* For a walk that looks for `name` in the canonical guest path `path`, whose host directory is
 * dir_fd. If the file is missing, and is /dev/shm, or /dev with a `rest` of the path that continues
 * to shm: a descriptor of a host directory that contains `name`, for the caller to close; else
 * -1. */
int files_memory_find(struct files_memory *memory, int dir_fd, const char *path, const char *name,
                      const char *rest);

#endif
