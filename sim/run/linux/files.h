/* The files of a user program: its descriptors, and its paths, confined to a root directory.
 *
 * A guest path is walked component by component on host directory descriptors. Symbolic links are
 * read and expanded here; the host follows none. So neither "..", nor a link, nor a race with
 * another process leads out of the root. A few names exist for every program in any root:
 * /dev/{null,zero,full,random,urandom,stdin,stdout,stderr}, /dev/fd/N, /proc/self/{exe,fd/N},
 * and the directory /dev/shm.
 * Directories are listed in order of name, so that runs do not depend on the host's file system. */
#ifndef SIM_RUN_FILES_H
#define SIM_RUN_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/err.h"

enum { FILES_MAX = 16384, FILES_LIMIT = 1024, FILES_CWD = -100 /* AT_FDCWD of the guest */ };

enum open_kind {
    OPEN_HOST,          /* a host descriptor of our own */
    OPEN_STREAM,        /* inherited: one of the guest's first 0, 1, 2 */
    OPEN_RANDOM,        /* /dev/urandom: deterministic */
    OPEN_GUEST,         /* a guest kernel's: only its number is stored here; of a named pipe also
                         * the name (O_PATH), else no descriptor */
    OPEN_SOCKET,        /* to the one outside address: outside.h */
};

struct directory_entry { uint64_t ino; uint8_t type; char *name; };

/* An open file description; descriptors made by dup share it. */
struct open_file {
    enum open_kind kind;
    int fd;
    unsigned users;
    bool waits;                         /* socket: its calls block */
    uint16_t calls;                     /* socket: calls up to now that moved bytes or found none */
    char *path;                         /* canonical guest path; NULL: not opened by name */
    struct directory_entry *entries;    /* directory: its entries, once listed */
    size_t entry_count, entry_next;
};

struct files {
    unsigned end, limit;                /* above every number in use; RLIMIT_NOFILE, at first
                                         * FILES_LIMIT */
    uint64_t bytes_limit;               /* of each file that is written: RLIMIT_FSIZE */
    int root_fd;
    char cwd[PATH_MAX];                 /* canonical: "" is the root, else "/a/b" */
    char *exe;                          /* host path of the program */
    char exe_name[PATH_MAX];            /* the target of /proc/self/exe */
    unsigned umask;
    struct locks *locks;                /* lock.h */
    struct files_memory *memory;        /* files_memory.h */
    /* By descriptor. Elements from `end` on are not initialised, so that few pages of the host are
     * touched. */
    struct open_file *open[FILES_MAX];
    bool is_cloexec[FILES_MAX];
};

/* root NULL: the current directory. The guest begins in the host's current directory when that
 * lies in the root, else in "/". */
enum err files_init(struct files *files, const char *root, const int streams[3], const char *exe,
                    struct diag *diag);
void files_free(struct files *files);
/* A second table with the same open files, as fork makes it; false: no memory or descriptors. */
bool files_clone(struct files *files, const struct files *from);
/* execve of a file of the host that the guest sees as `name`: close on exec, /proc/self/exe. */
void files_exec(struct files *files, const char *exe, const char *name);

/* The open file of a descriptor, or NULL. */
struct open_file *files_get(const struct files *files, uint64_t fd);
/* Lowest free descriptor from `from` on for a file, which gains a user; -EMFILE: none below the
 * limit. */
int files_add(struct files *files, struct open_file *file, int from, bool is_cloexec);
/* A new open file around a host descriptor (taken over) at the lowest free descriptor; -EMFILE,
 * -ENOMEM. path: copied, may be NULL. */
int files_open(struct files *files, enum open_kind kind, int host_fd, const char *path,
               bool is_cloexec);
int files_close(struct files *files, uint64_t fd);
/* Ends one use of a file, of which no descriptor may be left in this table. */
void files_release(struct files *files, struct open_file *file);

/* The result of a path: `name` in the host directory dir_fd, which the host must not follow. */
struct place {
    int dir_fd;                         /* place_free closes it; AT_FDCWD for a special file */
    char name[PATH_MAX];                /* one component or "."; a host path if the name is
                                         * special */
    char path[PATH_MAX];                /* canonical guest path */
    bool must_be_directory;             /* the guest wrote a slash at the end */
    enum { PLACE_FILE, PLACE_DEVICE, PLACE_RANDOM, PLACE_DESCRIPTOR, PLACE_EXE } kind;
    int descriptor;                     /* guest descriptor, for PLACE_DESCRIPTOR */
};

/* 0 or a negative error number. is_followed: a symbolic link at the end is followed. dir_fd: guest
 * descriptor or FILES_CWD. */
int files_resolve(const struct files *files, int dir_fd, const char *path, bool is_followed,
                  struct place *place);
void place_free(struct place *place);

/* Lists a directory in order of name; 0 or a negative error number. */
int files_list(struct open_file *file);

#endif
