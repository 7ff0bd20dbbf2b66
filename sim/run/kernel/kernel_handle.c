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

#include "sim/base/array.h"
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
    struct kernel_handle *grown, handle = {.fd = fd, .path = strdup(path)};

    if (handle.path == NULL) {
        close(fd);
        return -ENOMEM;
    }
    for (size_t i = 0; i < host->handle_count; i++)
        if (host->handles[i].path == NULL) {
            host->handles[i] = handle;
            return (int64_t)i + 1;
        }
    grown = array_grow(host->handles, host->handle_count, sizeof *grown);
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

    if (host->executing != NULL)
        host->executing(host->executed_arg);
    if (result == 0) {
        result = open_program(host, process, &place);
        place_free(&place);
    }
    return result;
}

static int64_t resolve(const struct kernel_host *host, const struct process *process,
                       uint64_t path_pa, bool is_followed, struct place *place)
{
    char path[256] = "";

    phys_copy_out(host->phys, path_pa, path, sizeof path - 1);
    return files_resolve(&process->files, FILES_CWD, path, is_followed, place);
}

int64_t kernel_handle_open(struct kernel_host *host, struct process *process, uint64_t path_pa)
{
    struct place place;
    int64_t result = resolve(host, process, path_pa, true, &place);

    if (result == 0) {
        result = open_program(host, process, &place);
        place_free(&place);
    }
    return result;
}

static int64_t create(struct kernel_host *host, const struct place *place, uint64_t bytes)
{
    struct stat st;
    int fd = place->kind != PLACE_FILE || place->must_be_directory
                 ? -1 : openat(place->dir_fd, place->name,
                               O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);

    if (fd < 0)
        return -EACCES;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_nlink != 1 ||
        ftruncate(fd, 0) != 0 || ftruncate(fd, (off_t)bytes) != 0) {
        close(fd);
        return -EACCES;
    }
    return add(host, fd, place->path);
}

int64_t kernel_handle_create(struct kernel_host *host, const struct process *process,
                             uint64_t path_pa, uint64_t bytes)
{
    struct place place;
    int64_t result = resolve(host, process, path_pa, false, &place);

    if (result == 0) {
        result = create(host, &place, bytes);
        place_free(&place);
    }
    return result;
}

/* The host path of the file; returns its length, or -errno. */
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

/* The guest's path of a file below its root; "" for any other. */
static void name_of(const struct process *process, int fd, char path[PATH_MAX])
{
    char root[PATH_MAX];
    ssize_t root_length = path_of(process->files.root_fd, root), length = path_of(fd, path);
    size_t skip = root_length > 1 ? (size_t)root_length : 0;    /* "/" is no part to leave out */

    if (root_length <= 0 || length <= 0 || strncmp(path, root, skip) != 0 || path[skip] != '/')
        length = (ssize_t)skip;
    memmove(path, path + skip, (size_t)length - skip);
    path[(size_t)length - skip] = '\0';
}

/* A library may have the unwinder by which the program leaves its sections. */
static void add_probes(const struct kernel_host *host, int fd, uint64_t bias)
{
    char path[PATH_MAX];

    if (path_of(fd, path) > 0)
        kernel_probes_of_library(host->phys, path, bias);
}

/* Iterates over the program headers of an ELF file of the guest's kind. */
struct elf_segments { int fd; Elf64_Ehdr elf; unsigned next; };

static bool open_segments(struct elf_segments *segments, int fd)
{
    const Elf64_Ehdr *elf = &segments->elf;

    *segments = (struct elf_segments){.fd = fd};
    return pread(fd, &segments->elf, sizeof *elf, 0) == sizeof *elf &&
           memcmp(elf->e_ident, ELFMAG, SELFMAG) == 0 && elf->e_ident[EI_CLASS] == ELFCLASS64 &&
           elf->e_machine == EM_RISCV && elf->e_phentsize == sizeof(Elf64_Phdr);
}

/* Finds the next loaded segment that has the page at `offset` of the file. */
static bool next_segment(struct elf_segments *segments, uint64_t offset, Elf64_Phdr *segment)
{
    while (segments->next < segments->elf.e_phnum) {
        off_t at = (off_t)(segments->elf.e_phoff + segments->next++ * sizeof *segment);

        if (pread(segments->fd, segment, sizeof *segment, at) != sizeof *segment)
            return false;
        if (segment->p_type == PT_LOAD &&
            offset >= (segment->p_offset & ~(uint64_t)(PHYS_PAGE_BYTES - 1)) &&
            offset < segment->p_offset + segment->p_filesz)
            return true;
    }
    return false;
}

/* Finds the bias of an ELF file: its byte at `offset`, in a loaded page, is mapped at `va`. False:
 * it is no ELF file, or that page is not loaded. */
static bool find_bias(int fd, uint64_t va, uint64_t offset, uint64_t *bias)
{
    struct elf_segments segments;
    Elf64_Phdr segment;

    if (!open_segments(&segments, fd) || !next_segment(&segments, offset, &segment))
        return false;
    *bias = va - offset + segment.p_offset - segment.p_vaddr;
    return true;
}

/* Calls host->paged for a page that was read, with the address of the code in it, if it has
 * some. */
static void tell_paged(const struct kernel_host *host, const struct kernel_handle *file,
                       uint64_t offset, uint64_t pa)
{
    const char *path = NULL;
    struct elf_segments segments;
    Elf64_Phdr segment = {0};

    if (host->paged == NULL)
        return;
    if (file->code != NULL && open_segments(&segments, file->fd))
        while (path == NULL && next_segment(&segments, offset, &segment))
            path = (segment.p_flags & PF_X) != 0 ? file->code : NULL;
    host->paged(host->placed_arg, path, file->bias,
                file->bias + segment.p_vaddr - segment.p_offset + offset, pa);
}

/* Notes that the handle's ELF file is mapped, with its code, in the calling process. */
static void place(const struct kernel_host *host, struct kernel_handle *file, uint64_t bias,
                  bool is_next)
{
    char path[PATH_MAX];

    if (path_of(file->fd, path) <= 0)
        return;
    if (host->placed != NULL)
        bias = host->placed(host->placed_arg, path, bias, is_next);
    free(file->code);
    file->code = strdup(path);
    file->bias = bias;
    if (file->first_pa != 0)
        tell_paged(host, file, 0, file->first_pa);
}

/* Takes over fd. All shared mappings of a file have one handle, which can write if one of them
 * may. */
static int64_t share(struct kernel_host *host, int fd, const char *path, bool may_write)
{
    struct stat st;
    int64_t handle;

    if (fstat(fd, &st) != 0)
        return add(host, fd, path);
    for (size_t i = 0; i < host->handle_count; i++) {
        struct kernel_handle *file = &host->handles[i];

        if (file->path == NULL || !file->is_shared || file->device != st.st_dev ||
            file->inode != st.st_ino)
            continue;
        close(may_write ? file->fd : fd);
        file->fd = may_write ? fd : file->fd;
        return (int64_t)i + 1;
    }
    handle = add(host, fd, path);
    if (handle > 0) {
        struct kernel_handle *file = find(host, (uint64_t)handle);

        file->is_shared = true;
        file->device = st.st_dev;
        file->inode = st.st_ino;
    }
    return handle;
}

int64_t kernel_handle_map(struct kernel_host *host, struct process *process,
                          const unsigned long long argument[6])
{
    struct vm_region region = {.prot = (unsigned)argument[1]};
    int err = syscall_attach_file(process, argument[0], argument[2] != 0, &region);
    char path[PATH_MAX];
    uint64_t bias;
    int64_t handle;
    int own;

    if (err != 0 || region.file == NULL)
        return err;
    own = region.file->fd;
    free(region.file);
    if (own < 0)
        return -EMFILE;
    name_of(process, own, path);
    handle = argument[2] != 0 ? share(host, own, path, (argument[1] & VM_WRITE) != 0)
                              : add(host, own, path);
    if ((argument[1] & VM_EXEC) != 0 && handle > 0 &&
        find_bias(own, argument[3], argument[4], &bias)) {
        place(host, find(host, (uint64_t)handle), bias, false);
        add_probes(host, own, bias);
    }
    return handle;
}

int64_t kernel_handle_placed(struct kernel_host *host, uint64_t handle, uint64_t bias)
{
    struct kernel_handle *file = find(host, handle);

    if (file == NULL)
        return -EBADF;
    place(host, file, bias, true);
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
    if (host->executed != NULL)
        host->executed(host->executed_arg, exe);
    return 0;
}

/* ---- contents -------------------------------------------------------------------------------- */

int64_t kernel_handle_size(const struct kernel_host *host, uint64_t handle)
{
    const struct kernel_handle *file = find(host, handle);
    struct stat st;

    return file == NULL ? -EBADF : fstat(file->fd, &st) != 0 ? -errno : st.st_size;
}

static void take_page(const struct kernel_host *host, struct kernel_handle *file, uint64_t offset,
                      uint64_t pa)
{
    if (offset == 0)
        file->first_pa = pa;
    tell_paged(host, file, offset, pa);
}

/* Reads or writes at most a page. A write ends where the file ends. */
int64_t kernel_handle_move(const struct kernel_host *host, const unsigned long long argument[6],
                           bool is_write)
{
    struct kernel_handle *file = find(host, argument[0]);
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
        if (moved > 0)
            take_page(host, file, argument[1], argument[2]);
    }
    return moved < 0 ? -errno : moved;
}

int64_t kernel_path_out(const struct kernel_host *host, const char *path, uint64_t pa,
                        uint64_t bytes)
{
    size_t length = strlen(path);

    if (length + 1 > bytes)
        return -ERANGE;
    return phys_copy_in(host->phys, pa, path, length + 1) ? (int64_t)length : -EFAULT;
}

int64_t kernel_handle_path(const struct kernel_host *host, const unsigned long long argument[6])
{
    const struct kernel_handle *handle = find(host, argument[0]);

    return handle == NULL ? -EBADF
                          : kernel_path_out(host, handle->path, argument[1], argument[2]);
}

int64_t kernel_handle_close(struct kernel_host *host, uint64_t handle)
{
    struct kernel_handle *file = find(host, handle);

    if (file == NULL)
        return -EBADF;
    close(file->fd);
    free(file->path);
    free(file->code);
    file->path = file->code = NULL;
    return 0;
}

void kernel_handle_free(struct kernel_host *host)
{
    for (size_t i = 0; i < host->handle_count; i++)
        kernel_handle_close(host, i + 1);
    free(host->handles);
}
