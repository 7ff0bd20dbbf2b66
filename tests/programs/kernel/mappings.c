/* Mappings that move, grow and shrink, those whose pages come at once, and segments of shared
 * memory, case by case from the manual pages; prints the faults, or "right". */
#define _GNU_SOURCE
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>

#include "manual.h"

enum { PAGE = 4096, ANYWHERE = MREMAP_MAYMOVE, THERE = MREMAP_MAYMOVE | MREMAP_FIXED };

static char *map(int pages, int flags)
{
    return mmap(NULL, (size_t)pages * PAGE, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
}

/* A number into each page. */
static void fill(char *at, int pages)
{
    for (int i = 0; i < pages; i++)
        at[i * PAGE] = (char)(i + 1);
}

/* From the number `first` on. */
static int has(const char *at, int pages, int first)
{
    for (int i = 0; i < pages; i++)
        if (at[i * PAGE] != (char)(first + i))
            return 0;
    return 1;
}

/* A page is mapped, to be asked without touching it. */
static int is_mapped(const void *at)
{
    return msync((void *)((unsigned long)at & ~4095ul), PAGE, MS_ASYNC) == 0;
}

static int refuses(void *from, size_t bytes, size_t new_bytes, int flags, void *to, int why)
{
    return mremap(from, bytes, new_bytes, flags, to) == MAP_FAILED && errno == why;
}

/* ---- mremap(2) ------------------------------------------------------------------------------- */

static void wrong_moves_are_refused(void)
{
    char *at = map(8, MAP_PRIVATE), *to = map(8, MAP_PRIVATE);

    check(refuses(at + 1, PAGE, PAGE, ANYWHERE, NULL, EINVAL));
    check(refuses(at, PAGE, 0, ANYWHERE, NULL, EINVAL));
    check(refuses(at, PAGE, PAGE, 8, NULL, EINVAL));
    check(refuses(at, PAGE, PAGE, MREMAP_FIXED, to, EINVAL));
    check(refuses(at, PAGE, PAGE, THERE, to + 1, EINVAL));
    check(refuses(at, 4 * PAGE, 2 * PAGE, THERE, at + PAGE, EINVAL));
    check(refuses(at, PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL, EINVAL));
    check(refuses(at, 0, PAGE, ANYWHERE, NULL, EINVAL));
    munmap(at + PAGE, PAGE);
    check(refuses(at + PAGE, PAGE, 2 * PAGE, ANYWHERE, NULL, EFAULT));
    check(refuses(at, 2 * PAGE, 3 * PAGE, ANYWHERE, NULL, EFAULT));
    check(refuses(at + 2 * PAGE, PAGE, 2 * PAGE, 0, NULL, ENOMEM));
    munmap(at, 8 * PAGE);
    munmap(to, 8 * PAGE);
}

static void a_mapping_shrinks_and_grows(void)
{
    char *at = map(8, MAP_PRIVATE), *moved;

    fill(at, 8);
    check(mremap(at, 8 * PAGE, 3 * PAGE, 0) == at && has(at, 3, 1) && !is_mapped(at + 3 * PAGE));
    check(mremap(at, 3 * PAGE, 6 * PAGE, 0) == at && has(at, 3, 1) && at[4 * PAGE] == 0);
    check(mmap(at + 6 * PAGE, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
          at + 6 * PAGE);
    check(refuses(at, 6 * PAGE, 7 * PAGE, 0, NULL, ENOMEM));
    moved = mremap(at, 6 * PAGE, 9 * PAGE, ANYWHERE);
    check(moved != MAP_FAILED && moved != at && has(moved, 3, 1) && moved[8 * PAGE] == 0);
    check(!is_mapped(at) && is_mapped(at + 6 * PAGE));
    munmap(moved, 9 * PAGE);
    munmap(at + 6 * PAGE, PAGE);
}

/* Pages that were at the new place go, and so do pages that the mapping loses. */
static void a_mapping_goes_where_it_is_told(void)
{
    char *at = map(6, MAP_PRIVATE), *to = map(6, MAP_PRIVATE);

    fill(at, 6);
    fill(to, 6);
    check(mremap(at + PAGE, 4 * PAGE, 2 * PAGE, THERE, to + PAGE) == to + PAGE);
    check(has(to, 4, 1) && at[0] == 1 && at[5 * PAGE] == 6);
    check(to[PAGE] == 2 && to[2 * PAGE] == 3);
    check(!is_mapped(at + PAGE) && !is_mapped(at + 4 * PAGE));
    check(mremap(at, PAGE, 3 * PAGE, THERE, to + 3 * PAGE) == to + 3 * PAGE);
    check(to[3 * PAGE] == 1 && to[4 * PAGE] == 0 && to[5 * PAGE] == 0);
    munmap(at, 6 * PAGE);
    munmap(to, 6 * PAGE);
}

static void pages_go_and_the_mapping_stays(void)
{
    char *at = map(3, MAP_PRIVATE), *to;

    fill(at, 3);
    to = mremap(at, 3 * PAGE, 3 * PAGE, MREMAP_MAYMOVE | MREMAP_DONTUNMAP);
    check(to != MAP_FAILED && to != at && has(to, 3, 1));
    check(at[0] == 0 && at[2 * PAGE] == 0);
    munmap(at, 3 * PAGE);
    munmap(to, 3 * PAGE);
}

/* A length of 0 makes a second mapping of shared memory, which stays shared after fork. */
static void shared_memory_is_mapped_again(void)
{
    char *at = map(4, MAP_SHARED), *again;
    int status;

    fill(at, 4);
    again = mremap(at + PAGE, 0, 2 * PAGE, ANYWHERE);
    check(again != MAP_FAILED && has(again, 2, 2) && has(at, 4, 1));
    again[0] = 77;
    check(at[PAGE] == 77);
    if (fork() == 0) {
        again[PAGE] = 78;
        _exit(0);
    }
    check(wait(&status) > 0 && at[2 * PAGE] == 78);
    again = mremap(again, 2 * PAGE, 4 * PAGE, ANYWHERE);
    check(again != MAP_FAILED && again[0] == 77 && again[2 * PAGE] == 4);
    munmap(at, 4 * PAGE);
}

/* The rest of the file appears in a longer mapping. */
static void a_mapping_of_a_file_grows(void)
{
    char path[] = "mappingXXXXXX", *at;
    int fd = mkstemp(path);

    check(fd >= 0 && ftruncate(fd, 4 * PAGE) == 0);
    for (int i = 0; i < 4; i++)
        check(pwrite(fd, &(char){(char)(i + 1)}, 1, i * PAGE) == 1);
    at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, PAGE);
    at[1] = 9;
    at = mremap(at, PAGE, 3 * PAGE, ANYWHERE);
    check(at != MAP_FAILED && has(at, 3, 2) && at[1] == 9);
    munmap(at, 3 * PAGE);
    close(fd);
    unlink(path);
}

/* ---- mmap(2) --------------------------------------------------------------------------------- */

/* Resident pages of the process. */
static long resident(void)
{
    char text[64] = "";
    int fd = open("/proc/self/statm", O_RDONLY);

    check(fd >= 0 && read(fd, text, sizeof text - 1) > 0);
    close(fd);
    return strtol(strchr(text, ' '), NULL, 10);
}

static void populated_pages_are_there_at_once(void)
{
    long before = resident(), after;
    char *at = map(2000, MAP_PRIVATE | MAP_POPULATE);

    after = resident();
    check(at != MAP_FAILED && after - before >= 2000);
    munmap(at, 2000 * PAGE);
}

/* ---- madvise(2) ------------------------------------------------------------------------------ */

static int is_refused(void *at, int advice, int why)
{
    return madvise(at, PAGE, advice) == -1 && errno == why;
}

/* Advice that is more than a hint, and that the kernel does not serve, is refused, as by a Linux
 * without it. */
static void advice_is_taken_or_refused(void)
{
    char *at = map(2, MAP_PRIVATE);

    fill(at, 2);
    check(madvise(at, 2 * PAGE, MADV_WILLNEED) == 0 && madvise(at, PAGE, MADV_HUGEPAGE) == 0);
    check(has(at, 2, 1) && madvise(at, PAGE, MADV_DONTNEED) == 0 && at[0] == 0 && at[PAGE] == 2);
    check(is_refused(at, 1234, EINVAL) && is_refused(at, -1, EINVAL));
    check(is_refused(at, 5, EINVAL) && is_refused(at, MADV_WIPEONFORK, EINVAL));
    check(is_refused(at + 1, MADV_WILLNEED, EINVAL) && munmap(at, PAGE) == 0);
    check(is_refused(at, MADV_WILLNEED, ENOMEM) && madvise(at, 0, MADV_WILLNEED) == 0);
    munmap(at + PAGE, PAGE);
}

static char data[4 * PAGE] __attribute__((aligned(4096))) = {[0] = 1, [PAGE] = 2, [2 * PAGE] = 3,
                                                             [3 * PAGE] = 4};
static char zeros[2 * PAGE] __attribute__((aligned(4096)));

/* A private mapping of a file has the file's contents again, as the program's own data are. */
static void discarded_data_have_the_programs_contents(void)
{
    int child, status = 0;

    memset(data, 9, sizeof data);
    memset(zeros, 9, sizeof zeros);
    check(madvise(data + PAGE, 2 * PAGE, MADV_DONTNEED) == 0);
    check(data[0] == 9 && has(data + PAGE, 2, 2) && data[PAGE + 1] == 0 && data[3 * PAGE] == 9);
    check(madvise(zeros, PAGE, MADV_DONTNEED) == 0 && zeros[0] == 0 && zeros[PAGE] == 9);
    data[PAGE] = 8;
    child = fork();
    if (child == 0) {
        madvise(data, sizeof data, MADV_DONTNEED);
        _exit(has(data, 4, 1) ? 7 : 1);
    }
    check(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
    check(data[PAGE] == 8 && data[0] == 9 && mprotect(data, PAGE, PROT_READ) == 0);
    check(madvise(data, PAGE, MADV_DONTNEED) == 0 && data[0] == 1);
}

/* ---- shmget(2), shmop(2), shmctl(2) ---------------------------------------------------------- */

static int segment_has(int id, unsigned long mappings)
{
    struct shmid_ds status;

    return shmctl(id, IPC_STAT, &status) == 0 && status.shm_nattch == mappings;
}

static void wrong_segments_are_refused(void)
{
    int id = shmget(77, 3 * PAGE, IPC_CREAT | IPC_EXCL | 0600);
    char *at = shmat(id, NULL, 0);

    check(id >= 0 && at != (void *)-1);
    check(shmget(77, 3 * PAGE, IPC_CREAT | IPC_EXCL | 0600) == -1 && errno == EEXIST);
    check(shmget(78, PAGE, 0600) == -1 && errno == ENOENT);
    check(shmget(77, 3 * PAGE + 1, 0600) == -1 && errno == EINVAL);
    check(shmget(77, PAGE, 0600) == id && shmget(IPC_PRIVATE, 0, 0600) == -1 && errno == EINVAL);
    check(shmat(id, at + 1, 0) == (void *)-1 && errno == EINVAL);
    check(shmat(id, at, 0) == (void *)-1 && errno == EINVAL);
    check(shmdt(at + PAGE) == -1 && errno == EINVAL && shmdt(at) == 0);
    check(shmdt(at) == -1 && errno == EINVAL);
    check(shmctl(id, IPC_RMID, NULL) == 0 && shmctl(id, IPC_RMID, NULL) == -1 && errno == EINVAL);
    check(shmat(id, NULL, 0) == (void *)-1 && errno == EINVAL);
}

static void a_segment_is_shared_and_outlives_its_users(void)
{
    int id = shmget(IPC_PRIVATE, 2 * PAGE, 0600), status;
    char *at = shmat(id, NULL, 0), *other;

    check(at[0] == 0 && segment_has(id, 1));
    if (fork() == 0) {
        check(segment_has(id, 2));
        at[PAGE] = 5;
        _exit(mistakes);
    }
    check(wait(&status) > 0 && status == 0 && at[PAGE] == 5);
    check(shmdt(at) == 0 && segment_has(id, 0));
    other = shmat(id, at + 1000, SHM_RND | SHM_RDONLY);
    check(other == at && at[PAGE] == 5);
    if (fork() == 0) {
        other[0] = 1;                   /* it is mapped to be read */
        _exit(0);
    }
    check(wait(&status) > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    check(shmdt(other) == 0 && shmctl(id, IPC_RMID, NULL) == 0);
}

/* It goes with its last mapping, of which there may be parts. */
static void a_removed_segment_stays_while_it_is_mapped(void)
{
    int id = shmget(79, 3 * PAGE, IPC_CREAT | 0600);
    char *at = shmat(id, NULL, 0), *again = shmat(id, NULL, 0);

    check(shmctl(id, IPC_RMID, NULL) == 0 && segment_has(id, 2));
    check(shmget(79, PAGE, 0600) == -1 && errno == ENOENT);
    munmap(again + PAGE, PAGE);
    check(segment_has(id, 3) && shmdt(again) == 0 && segment_has(id, 1));
    check(!is_mapped(again) && !is_mapped(again + 2 * PAGE));
    fill(at, 3);
    at = mremap(at, 3 * PAGE, 2 * PAGE, 0);
    check(has(at, 2, 1) && munmap(at, 2 * PAGE) == 0);
    check(shmat(id, NULL, 0) == (void *)-1 && errno == EINVAL);
}

/* ---- shm_overview(7), sem_overview(7) -------------------------------------------------------- */

/* In a root directory without /dev/shm. */
static void memory_and_semaphores_have_names(void)
{
    int fd = shm_open("/memory", O_RDWR | O_CREAT | O_EXCL, 0600), status;
    sem_t *semaphore = sem_open("/semaphore", O_CREAT | O_EXCL, 0600, 0);
    char *at;

    check(fd >= 0 && semaphore != SEM_FAILED && ftruncate(fd, PAGE) == 0);
    check(shm_open("/memory", O_RDWR | O_CREAT | O_EXCL, 0600) == -1 && errno == EEXIST);
    at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    check(at != MAP_FAILED);
    if (fork() == 0) {
        char *other = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
                           shm_open("/memory", O_RDWR, 0), 0);

        other[0] = 42;
        sem_post(sem_open("/semaphore", 0));
        _exit(0);
    }
    check(sem_wait(semaphore) == 0 && at[0] == 42 && wait(&status) > 0 && status == 0);
    check(access("/dev/shm/memory", F_OK) == 0 && shm_unlink("/memory") == 0);
    check(shm_open("/memory", O_RDWR, 0) == -1 && errno == ENOENT);
    check(sem_close(semaphore) == 0 && sem_unlink("/semaphore") == 0);
    munmap(at, PAGE);
    close(fd);
}

int main(void)
{
    wrong_moves_are_refused();
    a_mapping_shrinks_and_grows();
    a_mapping_goes_where_it_is_told();
    pages_go_and_the_mapping_stays();
    shared_memory_is_mapped_again();
    a_mapping_of_a_file_grows();
    populated_pages_are_there_at_once();
    advice_is_taken_or_refused();
    discarded_data_have_the_programs_contents();
    wrong_segments_are_refused();
    a_segment_is_shared_and_outlives_its_users();
    a_removed_segment_stays_while_it_is_mapped();
    memory_and_semaphores_have_names();
    return verdict();
}
