/* Attributes of threads, parents of processes, and the requests that the kernel refuses, case by
 * case from the manual pages; prints the faults, or "right". */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "manual.h"

/* sched_setattr(2) */
struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period, more;
};

static long set_attributes(struct attributes *attributes, unsigned flags)
{
    return syscall(SYS_sched_setattr, 0, attributes, flags);
}

static void attributes_are_kept(void)
{
    struct attributes set = {.size = 48, .policy = SCHED_RR, .priority = 7}, got = {0};

    check(syscall(SYS_sched_getattr, 0, &got, 48, 0) == 0);
    check(got.size == 48 && got.policy == SCHED_NORMAL && got.priority == 0 && got.nice == 0);
    check(set_attributes(&set, 0) == 0 && syscall(SYS_sched_getscheduler, 0) == SCHED_RR);
    check(syscall(SYS_sched_getattr, 0, &got, 56, 0) == 0);
    check(got.policy == SCHED_RR && got.priority == 7);
    set = (struct attributes){.size = 48, .policy = SCHED_NORMAL, .nice = 3};
    check(set_attributes(&set, 0) == 0 && getpriority(PRIO_PROCESS, 0) == 3);
    set.nice = 0;
    check(set_attributes(&set, 0) == 0 && getpriority(PRIO_PROCESS, 0) == 0);
    check(set_attributes(&set, 1) == -1 && errno == EINVAL);
    check(set_attributes(NULL, 0) == -1 && errno == EINVAL);
    set.policy = 99;
    check(set_attributes(&set, 0) == -1 && errno == EINVAL);
    set.size = 8;
    check(set_attributes(&set, 0) == -1 && errno == E2BIG);
    check(syscall(SYS_sched_getattr, 0, &got, 8, 0) == -1 && errno == EINVAL);
    check(syscall(SYS_sched_getattr, 4000000, &got, 48, 0) == -1 && errno == ESRCH);
    check(syscall(SYS_sched_get_priority_max, SCHED_DEADLINE) == 0);
    check(syscall(SYS_sched_get_priority_max, 7) == -1 && errno == EINVAL);
    check(syscall(SYS_sched_setscheduler, 4000000, SCHED_FIFO, 8) == -1 && errno == EFAULT);
}

/* A futex that other processes may share is looked for in memory, a private one by its address. */
static void shared_words_are_readable(void)
{
    uint32_t *hidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint32_t word = 5;

    check(futex(hidden, FUTEX_WAKE, 1, NULL, NULL, 0) == -1 && errno == EFAULT);
    check(futex(hidden, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0) == 0);
    check(futex(&word, FUTEX_CMP_REQUEUE, 1, (void *)1, hidden, word) == -1 && errno == EFAULT);
    munmap(hidden, 4096);
    check(futex(hidden, FUTEX_WAKE, 1, NULL, NULL, 0) == -1 && errno == EFAULT);
}

/* The child's child is a child of this process, which waits for it. */
static void siblings_are_children(void)
{
    pid_t child = fork(), sibling;
    int status;

    if (child == 0) {
        pid_t parent = getppid();

        sibling = (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
        if (sibling == 0)
            _exit(getppid() == parent ? 7 : 8);
        _exit(sibling > 0 && waitpid(-1, &status, 0) == -1 && errno == ECHILD ? 6 : 9);
    }
    check(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 6);
    check(waitpid(-1, &status, 0) > 0 && WEXITSTATUS(status) == 7);
    check(waitpid(-1, &status, 0) == -1 && errno == ECHILD);
    check(syscall(SYS_clone, CLONE_NEWNS | SIGCHLD, 0, 0, 0, 0) == -1);
}

/* A structure that is larger than the kernel's may have zeros there, and nothing else. */
static void larger_requests_are_read(void)
{
    uint64_t request[12] = {[4] = SIGCHLD};
    int status;
    pid_t child = (pid_t)syscall(SYS_clone3, request, sizeof request);

    if (child == 0)
        _exit(3);
    check(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
    request[11] = 1;
    check(syscall(SYS_clone3, request, sizeof request) == -1 && errno == E2BIG);
    check(syscall(SYS_clone3, request, 8192) == -1 && errno == E2BIG);
}

/* proc_pid_stat(5): number, name, state, parent, group, ... number of threads. */
static char state_of(pid_t pid, int *parent, long *threads)
{
    char path[32], state = 0, rest[256];
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    file = fopen(path, "r");
    if (file == NULL)
        return 0;
    if (fscanf(file, "%*d (%*[^)]) %c %d", &state, parent) != 2 &&
        fscanf(file, ") %c %d", &state, parent) != 2)
        state = 0;
    if (fgets(rest, sizeof rest, file) == NULL ||
        sscanf(rest, " %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %ld",
               threads) != 1)
        state = 0;
    fclose(file);
    return state;
}

/* proc_pid_status(5), proc_pid_task(5): of a process and of one of its threads. */
static void *see_itself(void *arg)
{
    char path[64], line[128];
    int rows = 0, tid = (int)syscall(SYS_gettid);
    FILE *file;

    prctl(PR_SET_NAME, "other");
    snprintf(path, sizeof path, "/proc/self/task/%d/status", tid);
    file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        rows += strcmp(line, "Name:\tother\n") == 0 ||
                strcmp(line, "State:\tR (running)\n") == 0 ||
                strcmp(line, "Threads:\t2\n") == 0;
        snprintf(path, sizeof path, "Pid:\t%d\n", tid);
        rows += strcmp(line, path) == 0;
        snprintf(path, sizeof path, "Tgid:\t%d\n", (int)getpid());
        rows += strcmp(line, path) == 0;
    }
    check(rows == 5);
    check(file != NULL && fclose(file) == 0);
    snprintf(path, sizeof path, "/proc/%d/task/%d/comm", (int)getpid(), tid);
    file = fopen(path, "r");
    check(file != NULL && fgets(line, sizeof line, file) != NULL &&
          strcmp(line, "other\n") == 0 && fclose(file) == 0);
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)getppid(), tid);
    check(fopen(path, "r") == NULL && errno == ENOENT);
    check(fopen("/proc/self/task/1/stat", "r") == NULL && errno == ENOENT);
    return arg;
}

static void threads_are_told(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, see_itself, NULL);
    pthread_join(thread, NULL);
}

static void states_are_told(void)
{
    int parent = 0, i;
    long threads = 0;
    pid_t child;

    check(state_of(getpid(), &parent, &threads) == 'R' && parent == getppid() && threads == 1);
    child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    for (i = 0; i < 1000 && state_of(child, &parent, &threads) != 'S'; i++)
        usleep(100);
    check(state_of(child, &parent, &threads) == 'S' && parent == getpid());
    kill(child, SIGSTOP);
    waitpid(child, NULL, WUNTRACED);
    check(state_of(child, &parent, &threads) == 'T');
    kill(child, SIGKILL);
    waitid(P_PID, (id_t)child, NULL, WEXITED | WNOWAIT);
    check(state_of(child, &parent, &threads) == 'Z');
    waitpid(child, NULL, 0);
    check(state_of(child, &parent, &threads) == 0 && errno == ENOENT);
}

/* ---- process groups, waiting, signals with data ---------------------------------------------- */

static void groups_change_as_they_may(void)
{
    pid_t child = fork(), group = getpgrp();
    int status;

    if (child == 0) {
        check(setpgid(0, 0) == 0 && getpgrp() == getpid() && setpgid(0, group) == 0);
        check(setpgid(0, 1 << 20) == -1 && errno == EPERM);
        check(setpgid(getppid(), 0) == -1 && errno == ESRCH);
        check(setpgid(0, -1) == -1 && errno == EINVAL);
        check(setsid() == getpid() && setpgid(0, 0) == -1 && errno == EPERM);
        _exit(0);
    }
    check(waitpid(child, &status, 0) == child && status == 0);
    check(waitpid(-1, NULL, -1) == -1 && errno == EINVAL);
    check(waitpid(INT_MIN, NULL, 0) == -1 && errno == ESRCH);
}

static volatile sig_atomic_t sent_value;

static void take_value(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    sent_value = info->si_value.sival_int;
}

static void handlers_are_reset_but_keep_their_flags(void)
{
    struct sigaction action = {.sa_flags = SA_RESETHAND | SA_SIGINFO}, now;
    siginfo_t info = {.si_code = SI_QUEUE};

    action.sa_sigaction = take_value;
    sigaction(SIGUSR1, &action, NULL);
    info.si_value.sival_int = 17;
    check(syscall(SYS_rt_sigqueueinfo, gettid(), SIGUSR1, &info) == 0 && sent_value == 17);
    check(sigaction(SIGUSR1, NULL, &now) == 0 && now.sa_handler == SIG_DFL &&
          (now.sa_flags & SA_SIGINFO));
    info.si_code = SI_USER;
    check(syscall(SYS_rt_sigqueueinfo, getppid(), SIGUSR1, &info) == -1 && errno == EPERM);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void a_mapping_writes_what_another_process_stored(void)
{
    char name[] = "mapped-XXXXXX", back[8192], *map;
    int fd = mkstemp(name), status;

    unlink(name);
    check(ftruncate(fd, sizeof back) == 0);
    map = mmap(NULL, sizeof back, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fork() == 0) {
        memset(map, 'c', sizeof back);
        _exit(0);
    }
    wait(&status);
    check(msync(map, sizeof back, MS_SYNC) == 0);
    check(pread(fd, back, sizeof back, 0) == sizeof back && back[0] == 'c' && back[8191] == 'c');
    munmap(map, sizeof back);
    close(fd);
}

static void settings_are_read_and_pipes_have_no_offset(void)
{
    char text[32] = "";
    int fd = open("/proc/sys/kernel/pid_max", O_RDONLY), ends[2];

    check(fd >= 0 && read(fd, text, sizeof text) > 0 && atoi(text) > 1000);
    close(fd);
    check(access("/proc", R_OK) == 0 && access("/proc/self/maps", R_OK) == 0);
    check(access("/proc/self/maps", W_OK) == -1 && errno == EACCES);
    check(access("/proc/12/maps", R_OK) == -1 && errno == ENOENT);
    check(pipe(ends) == 0 && pread(ends[0], text, 1, 0) == -1 && errno == ESPIPE);
    check(fcntl(ends[0], F_SETPIPE_SZ, 1 << 18) == 1 << 18);
    close(ends[0]);
    close(ends[1]);
}

/* ---- scripts --------------------------------------------------------------------------------- */

/* The status of a script that begins with this line, run with "first second", and its arguments as
 * this program sees them: it is the interpreter. */
static int run_script(const char *line)
{
    char name[] = "script-XXXXXX", self[256] = "";
    int fd = mkstemp(name), status;

    check(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    dprintf(fd, line, self);
    fchmod(fd, 0700);
    close(fd);
    fflush(stdout);
    if (fork() == 0) {
        execl(name, "first", "second", NULL);
        _exit(errno == ENOENT ? 101 : errno == ENOEXEC ? 102 : 103);
    }
    wait(&status);
    unlink(name);
    return WEXITSTATUS(status);
}

static void scripts_run_their_interpreter(void)
{
    check(run_script("#! %s  one word \nexit\n") == 44);
    check(run_script("#!%s\n") == 33);
    check(run_script("#!/nowhere%.0s") == 101);
    check(run_script("#!   \n%.0s") == 102);
}

/* As the interpreter of run_script's scripts: 33 or 44 if the arguments are right. */
static int interpret(int count, char **arguments)
{
    bool has_word = strcmp(arguments[1], "one word") == 0;

    if (count != 3 + has_word || strncmp(arguments[1 + has_word], "script-", 7) != 0 ||
        strcmp(arguments[2 + has_word], "second") != 0)
        return 1;
    return has_word ? 44 : 33;
}

/* mprotect(2): EACCES for the shared mapping of a file that was opened to be read. */
static void a_file_that_is_only_read_is_not_written(void)
{
    int file = open("/proc/self/exe", O_RDONLY);
    char *shared = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
    char *own = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);

    check(shared != MAP_FAILED && own != MAP_FAILED);
    check(mprotect(shared, 4096, PROT_READ | PROT_WRITE) == -1 && errno == EACCES);
    check(mprotect(shared, 4096, PROT_NONE) == 0 && mprotect(shared, 4096, PROT_READ) == 0);
    check(mprotect(own, 4096, PROT_READ | PROT_WRITE) == 0);
    own[0]++;
    check(own[0] == shared[0] + 1);
    munmap(shared, 4096);
    munmap(own, 4096);
    close(file);
}

/* mmap(2), MAP_GROWSDOWN: pages touched below it are added, but none near another mapping. */
static void a_mapping_grows_down(void)
{
    enum { PAGE = 4096, ALL = 600, GUARD = 256 };
    const int anonymous = MAP_PRIVATE | MAP_ANONYMOUS;
    char *place = mmap(NULL, ALL * PAGE, PROT_READ, anonymous, -1, 0), *at;
    volatile char *top;
    int status = 0;
    pid_t child;

    munmap(place + PAGE, (ALL - 1) * PAGE);
    top = mmap(place + (ALL - 1) * PAGE, PAGE, PROT_READ | PROT_WRITE,
               anonymous | MAP_FIXED | MAP_GROWSDOWN, -1, 0);
    check(top == place + (ALL - 1) * PAGE);
    for (at = place + (ALL - 2) * PAGE; at > place + (GUARD + 1) * PAGE; at -= PAGE)
        *at = 1;
    child = fork();
    if (child == 0) {
        *(volatile char *)(place + GUARD * PAGE) = 1;
        _exit(0);
    }
    check(waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
          WTERMSIG(status) == SIGSEGV);
    check(mprotect((void *)top, PAGE, PROT_NONE | PROT_GROWSDOWN) == 0);
    check(access(at + PAGE, F_OK) == -1 && errno == EFAULT);
    check(mprotect(place, PAGE, PROT_READ | PROT_GROWSDOWN) == -1 && errno == EINVAL);
    munmap(place, ALL * PAGE);
}

static uint16_t mode_of(int directory, const char *path, int flags)
{
    struct statx about;

    memset(&about, 0, sizeof about);
    return syscall(SYS_statx, directory, path, flags, STATX_BASIC_STATS, &about) == 0
               ? about.stx_mode : 0;
}

static void names_of_the_kernel_are_described(void)
{
    struct stat same;
    int ends[2];

    check(mode_of(AT_FDCWD, "/proc/self/stat", 0) == (S_IFREG | 0444));
    check(mode_of(AT_FDCWD, "/proc/self/task", 0) == (S_IFDIR | 0555));
    check(mode_of(AT_FDCWD, "/proc/self/nothing", 0) == 0 && errno == ENOENT);
    check(pipe(ends) == 0);
    check(mode_of(ends[0], "", AT_EMPTY_PATH) == (S_IFIFO | 0600));
    check(fstat(ends[0], &same) == 0 && same.st_mode == (S_IFIFO | 0600));
    check(mode_of(ends[0], "", 0) == 0 && errno == ENOENT);
    check(getpgid(1) == 1 && getsid(1) == 1);
}

int main(int count, char **arguments)
{
    if (count > 2)
        return interpret(count, arguments);
    scripts_run_their_interpreter();
    groups_change_as_they_may();
    handlers_are_reset_but_keep_their_flags();
    a_mapping_writes_what_another_process_stored();
    settings_are_read_and_pipes_have_no_offset();
    states_are_told();
    threads_are_told();
    attributes_are_kept();
    shared_words_are_readable();
    siblings_are_children();
    larger_requests_are_read();
    a_file_that_is_only_read_is_not_written();
    a_mapping_grows_down();
    names_of_the_kernel_are_described();
    return verdict();
}
