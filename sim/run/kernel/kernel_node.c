/* See kernel_node.h. */
#define _GNU_SOURCE     /* AT_* */
#include "sim/run/kernel/kernel_node.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "sim/base/array.h"
#include "sim/run/linux/process_internal.h"

enum { PATH_BYTES = 112 };              /* of a struct sockaddr_un, with its 0 */

uint64_t kernel_node_number(struct kernel_host *host, uint64_t device, uint64_t inode)
{
    struct kernel_node *grown;

    for (size_t i = 0; i < host->node_count; i++)
        if (host->nodes[i].device == device && host->nodes[i].inode == inode)
            return i + 1;
    grown = array_grow(host->nodes, host->node_count, sizeof *grown);
    if (grown == NULL)
        return 0;
    host->nodes = grown;
    host->nodes[host->node_count++] = (struct kernel_node){device, inode};
    return host->node_count;
}

static int64_t number_of(struct kernel_host *host, const struct process *process,
                         const struct place *place, bool is_new)
{
    mode_t mode = 0777 & ~process->files.umask;
    struct stat st;
    uint64_t number;

    if (place->kind != PLACE_FILE)
        return is_new ? -EADDRINUSE : -ECONNREFUSED;
    if (is_new && mknodat(place->dir_fd, place->name, S_IFSOCK | mode, 0) != 0)
        return errno == EEXIST ? -EADDRINUSE : -errno;
    if (fstatat(place->dir_fd, place->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return -errno;
    if (!S_ISSOCK(st.st_mode))
        return -ECONNREFUSED;
    number = kernel_node_number(host, st.st_dev, st.st_ino);
    return number == 0 ? -ENOMEM : (int64_t)number;
}

int64_t kernel_node_of_socket(struct kernel_host *host, struct process *process, uint64_t path_pa,
                              bool is_new)
{
    char path[PATH_BYTES] = "";
    struct place place;
    int64_t result;

    if (!phys_copy_out(host->phys, path_pa, path, sizeof path - 1))
        return -EFAULT;
    result = files_resolve(&process->files, FILES_CWD, path, !is_new, &place);
    if (result == 0) {
        result = number_of(host, process, &place, is_new);
        place_free(&place);
    }
    return result;
}
