/* See rewind.h. Nothing here depends on the session. */
#define _GNU_SOURCE

#include "sim/host/rewind.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FILES = 256, EXIT_SIGNAL = 128, EXIT_LOST = 125 };

static void drop(struct rewind_copy *copy)
{
    copy->is_used = false;
    kill(copy->pid, SIGKILL);
}

/* ---- the keeper ------------------------------------------------------------------------------ */

/* Ctrl-C reaches every process of a terminal; a signal sent to the keeper alone is passed on. */
static void pass_signal(const struct rewind *rewind)
{
    if (rewind->stop_request != NULL && *rewind->stop_request != 0 && rewind->worker != 0)
        kill(rewind->worker, (int)*rewind->stop_request);
}

/* Waits for the worker's end. The keeper is a subreaper: copies become its children when their
 * parents end. */
static void keep(struct rewind *rewind)
{
    int status = 0;
    pid_t ended;

    do {
        ended = waitpid(-1, &status, 0);
        if (ended < 0 && errno == EINTR)
            pass_signal(rewind);
    } while (ended != rewind->worker && !(ended < 0 && errno == ECHILD));
    rewind_end(rewind);
    if (ended < 0)
        _exit(EXIT_LOST);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_SIGNAL + WTERMSIG(status));
}

bool rewind_begin(struct rewind *rewind)
{
    pid_t child;

    rewind->keeper = getpid();
    fflush(NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    child = fork();
    if (child < 0)
        return false;
    if (child > 0) {
        rewind->worker = child;
        keep(rewind);
    }
    rewind->worker = getpid();
    return true;
}

void rewind_end(struct rewind *rewind)
{
    for (unsigned i = 0; i < REWIND_COPIES; i++)
        if (rewind->copy[i].is_used)
            drop(&rewind->copy[i]);
}

/* ---- copies ---------------------------------------------------------------------------------- */

static bool is_file(int fd)
{
    struct stat status;

    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

static void note_offsets(off_t offset[FILES])
{
    for (int fd = 0; fd < FILES; fd++)
        offset[fd] = is_file(fd) ? lseek(fd, 0, SEEK_CUR) : -1;
}

static void restore_offsets(const off_t offset[FILES])
{
    for (int fd = 0; fd < FILES; fd++)
        if (offset[fd] >= 0)
            lseek(fd, offset[fd], SEEK_SET);
}

/* False: the keeper is gone, which a copy does not outlive. */
static bool sleep_until_order(const struct rewind *rewind, struct rewind_copy *copy)
{
    struct timespec limit;
    int ordered;

    do {
        clock_gettime(CLOCK_REALTIME, &limit);
        limit.tv_sec++;
        ordered = sem_timedwait(&copy->order, &limit);
        if (ordered != 0 && kill(rewind->keeper, 0) != 0)
            return false;
    } while (ordered != 0);
    return true;
}

/* Returns in a child of a child, which the keeper adopts; in the caller *is_caller is true. */
static bool fork_orphan(bool *is_caller)
{
    pid_t child = fork();

    *is_caller = child != 0;
    if (child == 0) {
        pid_t orphan = fork();

        if (orphan != 0)
            _exit(orphan < 0);
        return true;
    }
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/* Sleeps in the copy; each time it is woken, returns in a new process, a copy of it. */
static void sleep_here(struct rewind *rewind, struct rewind_copy *copy)
{
    off_t offset[FILES];
    bool is_caller;

    note_offsets(offset);
    while (sleep_until_order(rewind, copy)) {
        bool is_made = fork_orphan(&is_caller);

        if (!is_caller) {
            restore_offsets(offset);
            if (rewind->stop_request != NULL)
                *rewind->stop_request = 0;
            rewind->worker = getpid();
            return;
        }
        if (!is_made) {                     /* then no process works, which the keeper must see */
            rewind->worker = getpid();
            break;
        }
    }
    _exit(EXIT_LOST);
}

static const struct rewind_copy *copy_after(const struct rewind *rewind, uint64_t position)
{
    const struct rewind_copy *first = NULL;

    for (unsigned i = 0; i < REWIND_COPIES; i++) {
        const struct rewind_copy *copy = &rewind->copy[i];

        if (copy->is_used && copy->position > position &&
            (first == NULL || copy->position < first->position))
            first = copy;
    }
    return first;
}

static double distance(uint64_t a, uint64_t b)
{
    return a > b ? (double)(a - b) : (double)(b - a);
}

struct rewind_copy *rewind_least(struct rewind *rewind, uint64_t position)
{
    struct rewind_copy *least = NULL;
    double least_gap = 0;

    for (unsigned i = 0; i < REWIND_COPIES; i++) {
        struct rewind_copy *copy = &rewind->copy[i];
        const struct rewind_copy *before = rewind_before(rewind, copy->position);
        const struct rewind_copy *after = copy_after(rewind, copy->position);
        double gap, away;

        if (!copy->is_used || before == NULL)
            continue;
        gap = distance(after != NULL ? after->position : position, before->position);
        away = distance(position, before->position) + 1;
        if (least == NULL || gap / away < least_gap) {
            least_gap = gap / away;
            least = copy;
        }
    }
    return least;
}

static struct rewind_copy *free_place(struct rewind *rewind, uint64_t position)
{
    struct rewind_copy *least;

    for (unsigned i = 0; i < REWIND_COPIES; i++)
        if (!rewind->copy[i].is_used)
            return &rewind->copy[i];
    least = rewind_least(rewind, position);
    if (least != NULL)
        drop(least);
    return least;
}

static bool is_marked(const struct rewind *rewind, uint64_t position)
{
    for (unsigned i = 0; i < REWIND_COPIES; i++)
        if (rewind->copy[i].is_used && rewind->copy[i].position == position)
            return true;
    return false;
}

bool rewind_mark(struct rewind *rewind, uint64_t position)
{
    struct rewind_copy *copy;
    pid_t child;

    if (is_marked(rewind, position) || rewind->worker == 0)
        return false;
    copy = free_place(rewind, position);
    if (copy == NULL || sem_init(&copy->order, 1, 0) != 0)
        return false;
    fflush(NULL);
    copy->position = position;
    child = fork();
    if (child == 0) {
        sleep_here(rewind, copy);
        return true;
    }
    copy->pid = child;
    copy->is_used = child > 0;
    return false;
}

struct rewind_copy *rewind_before(struct rewind *rewind, uint64_t position)
{
    struct rewind_copy *last = NULL;

    for (unsigned i = 0; i < REWIND_COPIES; i++) {
        struct rewind_copy *copy = &rewind->copy[i];

        if (copy->is_used && copy->position < position &&
            (last == NULL || copy->position > last->position))
            last = copy;
    }
    return last;
}

void rewind_forget(struct rewind *rewind, uint64_t position)
{
    for (unsigned i = 0; i < REWIND_COPIES; i++)
        if (rewind->copy[i].is_used && rewind->copy[i].position > position)
            drop(&rewind->copy[i]);
}

void rewind_wake(struct rewind *rewind, struct rewind_copy *copy)
{
    fflush(NULL);
    rewind->worker = 0;
    sem_post(&copy->order);
    _exit(0);
}

/* ---- output ---------------------------------------------------------------------------------- */

void rewind_mute(int kept[2])
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (nowhere < 0 || kept[0] >= 0)
        return;
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        kept[i] = fcntl(1 + i, F_DUPFD_CLOEXEC, 3);
        dup2(nowhere, 1 + i);
    }
    close(nowhere);
}

void rewind_unmute(int kept[2])
{
    if (kept[0] < 0)
        return;
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        dup2(kept[i], 1 + i);
        close(kept[i]);
        kept[i] = -1;
    }
}
