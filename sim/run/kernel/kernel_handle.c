/* Files that a guest kernel maps or executes; see kernel_handle.h. */
#define _GNU_SOURCE     /* O_CLOEXEC */
#include "sim/run/kernel/kernel_handle.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/run/kernel/kernel_probes.h"
#include "sim/run/linux/syscall_path.h"

static struct kernel_handle *find(const struct kernel_host *host, uint64_t handle)
{
    bool is_open = handle - 1 < host->handle_count && host->handles[handle - 1].path != NULL;

    return is_open ? &host->handles[handle - 1] : NULL;
}

/* Takes fd over. */
static int64_t add(struct kernel_host *host, int fd, const char *path)
{
    struct kernel_handle *grown, handle = {fd, strdup(path)};

    if (handle.path == NULL) {
        close(fd);
        return -ENOMEM;
    }
    for (size_t i = 0; i < host->handle_count; i++)
        if (host->handles[i].path == NULL) {
            host->handles[i] = handle;
            return (int64_t)i + 1;
        }
    grown = realloc(host->handles, (host->handle_count + 1) * sizeof *grown);
    if (grown == NULL) {
        free(handle.path);
        close(fd);
        return -ENOMEM;
    }
    host->handles = grown;
    host->handles[host->handle_count++] = handle;
    return (int64_t)host->handle_count;
}

/* ---- opening --------------------------------------------------------------------------------- */

static int64_t open_program(struct kernel_host *host, const struct process *process,
                            struct place *place)
{
    struct stat st;
    int fd;

    if (place->kind == PLACE_EXE)
        fd = open(process->files.exe, O_RDONLY | O_CLOEXEC);
    else if (place->kind == PLACE_FILE && !place->must_be_directory)
        fd = openat(place->dir_fd, place->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    else
        return -EACCES;
    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || (st.st_mode & 0111) == 0) {
        close(fd);
        return -EACCES;
    }
    return add(host, fd, place->kind == PLACE_EXE ? process->files.exe_name : place->path);
}

int64_t kernel_handle_open_user(struct kernel_host *host, struct process *process, uint64_t va)
{
    struct place place;
    int64_t result = syscall_resolve(process, (uint64_t)FILES_CWD, va, true, &place);

    if (result == 0) {
        result = open_program(host, process, &place);
        place_free(&place);
    }
    return result;
}

int64_t kernel_handle_open(struct kernel_host *host, struct process *process, uint64_t path_pa)
{
    char path[256] = "";
    struct place place;
    int64_t result;

    phys_copy_out(host->phys, path_pa, path, sizeof path - 1);
    result = files_resolve(&process->files, FILES_CWD, path, true, &place);
    if (result == 0) {
        result = open_program(host, process, &place);
        place_free(&place);
    }
    return result;
}

/* Where the host has the file; its length, or -errno. */
static ssize_t path_of(int fd, char path[PATH_MAX])
{
    char link[64];
    ssize_t length;

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, path, PATH_MAX - 1);
    if (length < 0)
        return -errno;
    path[length] = '\0';
    return length;
}

static void tell_placed(const struct kernel_host *host, int fd, uint64_t bias)
{
    char path[PATH_MAX];

    if (host->placed != NULL && path_of(fd, path) > 0)
        host->placed(host->placed_arg, path, bias);
}

/* A library may have the unwinder that the program's sections are left by. */
static void add_probes(const struct kernel_host *host, int fd, uint64_t bias)
{
    char path[PATH_MAX];

    if (path_of(fd, path) > 0)
        kernel_probes_of_library(host->phys, path, bias);
}

/* An ELF file whose byte at `offset`, of a loaded page, is mapped at `va`: what is added to its
 * addresses. False: it is none, or that page is not loaded. */
static bool find_bias(int fd, uint64_t va, uint64_t offset, uint64_t *bias)
{
    Elf64_Ehdr elf;
    Elf64_Phdr segment;

    if (pread(fd, &elf, sizeof elf, 0) != sizeof elf ||
        memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 || elf.e_ident[EI_CLASS] != ELFCLASS64 ||
        elf.e_machine != EM_RISCV || elf.e_phentsize != sizeof segment)
        return false;
    for (unsigned i = 0; i < elf.e_phnum; i++) {
        off_t at = (off_t)(elf.e_phoff + i * sizeof segment);
        uint64_t start;

        if (pread(fd, &segment, sizeof segment, at) != sizeof segment)
            return false;
        start = segment.p_offset & ~(uint64_t)(PHYS_PAGE_BYTES - 1);
        if (segment.p_type != PT_LOAD || offset < start ||
            offset >= segment.p_offset + segment.p_filesz)
            continue;
        *bias = va - offset + segment.p_offset - segment.p_vaddr;
        return true;
    }
    return false;
}

int64_t kernel_handle_map(struct kernel_host *host, struct process *process,
                          const unsigned long long argument[6])
{
    struct vm_region region = {.prot = (unsigned)argument[1]};
    int err = syscall_attach_file(process, argument[0], argument[2] != 0, &region);
    uint64_t bias;
    int own;

    if (err != 0 || region.file == NULL)
        return err;
    own = region.file->fd;
    free(region.file);
    if ((argument[1] & VM_EXEC) != 0 && own >= 0 &&
        find_bias(own, argument[3], argument[4], &bias)) {
        tell_placed(host, own, bias);
        add_probes(host, own, bias);
    }
    return own < 0 ? -EMFILE : add(host, own, "");
}

int64_t kernel_handle_placed(struct kernel_host *host, uint64_t handle, uint64_t bias)
{
    const struct kernel_handle *file = find(host, handle);

    if (file == NULL)
        return -EBADF;
    tell_placed(host, file->fd, bias);
    return 0;
}

int64_t kernel_handle_exec(struct kernel_host *host, struct process *process, uint64_t handle)
{
    const struct kernel_handle *program = find(host, handle);
    char exe[PATH_MAX];
    ssize_t length;

    if (program == NULL)
        return -EBADF;
    length = path_of(program->fd, exe);
    if (length < 0)
        return length;
    files_exec(&process->files, exe, program->path);
    return 0;
}

/* ---- contents -------------------------------------------------------------------------------- */

int64_t kernel_handle_size(const struct kernel_host *host, uint64_t handle)
{
    const struct kernel_handle *file = find(host, handle);
    struct stat st;

    return file == NULL ? -EBADF : fstat(file->fd, &st) != 0 ? -errno : st.st_size;
}

/* A page at most. What is written ends where the file does. */
int64_t kernel_handle_move(const struct kernel_host *host, const unsigned long long argument[6],
                           bool is_write)
{
    const struct kernel_handle *file = find(host, argument[0]);
    uint8_t bytes[PHYS_PAGE_BYTES];
    uint64_t count = argument[3];
    int64_t size = kernel_handle_size(host, argument[0]);
    ssize_t moved;

    if (file == NULL || count > sizeof bytes)
        return -EBADF;
    if (argument[1] >= (uint64_t)size)
        return 0;
    if (is_write) {
        count = (uint64_t)size - argument[1] < count ? (uint64_t)size - argument[1] : count;
        phys_copy_out(host->phys, argument[2], bytes, count);
        moved = pwrite(file->fd, bytes, count, (off_t)argument[1]);
    } else {
        moved = pread(file->fd, bytes, count, (off_t)argument[1]);
        if (moved > 0)
            phys_copy_in(host->phys, argument[2], bytes, (uint64_t)moved);
    }
    return moved < 0 ? -errno : moved;
}

int64_t kernel_handle_close(struct kernel_host *host, uint64_t handle)
{
    struct kernel_handle *file = find(host, handle);

    if (file == NULL)
        return -EBADF;
    close(file->fd);
    free(file->path);
    file->path = NULL;
    return 0;
}

void kernel_handle_free(struct kernel_host *host)
{
    for (size_t i = 0; i < host->handle_count; i++)
        kernel_handle_close(host, i + 1);
    free(host->handles);
}
