/* Pipes with and without a name, locks of files, and the contents of /proc, case by case from the
 * manual pages; prints the faults, or "right". Native runs print the same. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "manual.h"

static char directory[] = "filesXXXXXX", path[64];

/* ---- pipes ----------------------------------------------------------------------------------- */

static void a_pipe_holds_sixteen_pages(void)
{
    static char bytes[100000];
    struct pollfd wait;
    int fd[2];

    check(pipe2(fd, O_NONBLOCK) == 0 && fcntl(fd[1], F_GETPIPE_SZ) == 65536);
    check(write(fd[1], bytes, sizeof bytes) == 65536);
    check(write(fd[1], bytes, 1) == -1 && errno == EAGAIN);
    wait = (struct pollfd){.fd = fd[1], .events = POLLOUT};
    check(poll(&wait, 1, 0) == 0);
    check(read(fd[0], bytes, 2048) == 2048 && poll(&wait, 1, 0) == 0);
    check(read(fd[0], bytes, 2048) == 2048 && poll(&wait, 1, 0) == 1);
    check(read(fd[0], bytes, sizeof bytes) == 65536 - 4096);
    check(fcntl(fd[1], F_SETPIPE_SZ, 4096) == 4096);
    check(write(fd[1], bytes, sizeof bytes) == 4096);
    close(fd[0]);
    close(fd[1]);
}

static void *read_all(void *arg)
{
    static char bytes[1000];
    int fd = *(int *)arg;

    while (read(fd, bytes, sizeof bytes) > 0)
        ;
    return NULL;
}

/* writev(2): as one write of all parts: PIPE_BUF bytes are not torn, and more wait for a reader. */
static void parts_go_into_a_pipe_together(void)
{
    static char bytes[5000];
    struct iovec parts[3] = {{bytes, 4}, {bytes, 4}, {bytes, 4}};
    pthread_t reader;
    int fd[2];

    check(pipe2(fd, O_NONBLOCK) == 0 && fcntl(fd[1], F_SETPIPE_SZ, 4096) == 4096);
    check(write(fd[1], bytes, 4086) == 4086);
    check(writev(fd[1], parts, 3) == -1 && errno == EAGAIN);
    check(writev(fd[1], parts, 2) == 8);
    check(fcntl(fd[0], F_SETFL, 0) == 0 && fcntl(fd[1], F_SETFL, 0) == 0);
    pthread_create(&reader, NULL, read_all, &fd[0]);
    parts[1] = parts[2] = (struct iovec){bytes, 5000};
    check(writev(fd[1], parts, 3) == 10004);
    close(fd[1]);
    pthread_join(reader, NULL);
    close(fd[0]);
}

static void an_edge_comes_when_a_page_is_free(void)
{
    struct epoll_event event = {.events = EPOLLOUT | EPOLLET}, got;
    int epoll = epoll_create1(0), fd[2];
    static char bytes[4096];

    check(pipe2(fd, O_NONBLOCK) == 0 && fcntl(fd[1], F_SETPIPE_SZ, 4096) == 4096);
    check(write(fd[1], bytes, 4096) == 4096);
    check(epoll_ctl(epoll, EPOLL_CTL_ADD, fd[1], &event) == 0);
    check(epoll_wait(epoll, &got, 1, 0) == 0);
    check(read(fd[0], bytes, 2048) == 2048 && epoll_wait(epoll, &got, 1, 0) == 0);
    check(read(fd[0], bytes, 2048) == 2048 && epoll_wait(epoll, &got, 1, 0) == 1);
    check(epoll_wait(epoll, &got, 1, 0) == 0);
    close(fd[0]);
    close(fd[1]);
    close(epoll);
}

static void *write_later(void *arg)
{
    int fd = open(arg, O_WRONLY);

    check(fd >= 0 && write(fd, "later", 5) == 5);
    close(fd);
    return NULL;
}

static void a_named_pipe_joins_those_who_open_it(void)
{
    struct stat st;
    pthread_t writer;
    char text[10] = "";
    int fd, other, status;
    pid_t child;

    check(mkfifo(path, 0600) == 0 && stat(path, &st) == 0 && S_ISFIFO(st.st_mode));
    check(mkfifo(path, 0600) == -1 && errno == EEXIST);
    check(open(path, O_WRONLY | O_NONBLOCK) == -1 && errno == ENXIO);
    pthread_create(&writer, NULL, write_later, path);
    fd = open(path, O_RDONLY);
    check(read(fd, text, 9) == 5 && strcmp(text, "later") == 0 && read(fd, text, 9) == 0);
    pthread_join(writer, NULL);
    close(fd);

    fd = open(path, O_RDONLY | O_NONBLOCK);
    check(fd >= 0 && read(fd, text, 1) == 0);
    child = fork();
    if (child == 0) {
        other = open(path, O_WRONLY);
        _exit(write(other, "child", 5) != 5);
    }
    check(waitpid(child, &status, 0) == child && status == 0);
    check(read(fd, text, 9) == 5 && strncmp(text, "child", 5) == 0);
    close(fd);

    fd = open(path, O_RDWR);
    check(fd >= 0 && write(fd, "self", 4) == 4 && read(fd, text, 9) == 4);
    check(fcntl(fd, F_GETFL) == (O_RDWR | (fcntl(fd, F_GETFL) & ~O_ACCMODE)));
    close(fd);
    check(unlink(path) == 0);
}

/* ---- locks ----------------------------------------------------------------------------------- */

static int set_lock(int fd, int command, short type, long start, long bytes)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = bytes};

    return fcntl(fd, command, &lock);
}

/* The child waits for bytes 10 to 19, which the parent gives back after a while. */
static void a_lock_keeps_others_out(void)
{
    int fd = open(path, O_RDWR | O_CREAT, 0600), ready[2], status;
    struct flock seen = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0};
    pid_t child;
    char byte;

    check(pipe(ready) == 0 && set_lock(fd, F_SETLK, F_WRLCK, 0, 100) == 0);
    check(set_lock(fd, F_SETLK, F_UNLCK, 40, 10) == 0);
    child = fork();
    if (child == 0) {
        check(fcntl(fd, F_GETLK, &seen) == 0 && seen.l_type == F_WRLCK && seen.l_start == 0 &&
              seen.l_len == 40 && seen.l_pid == getppid());
        check(set_lock(fd, F_SETLK, F_RDLCK, 10, 10) == -1 && errno == EAGAIN);
        check(set_lock(fd, F_SETLK, F_WRLCK, 40, 10) == 0);
        check(set_lock(fd, F_SETLK, F_WRLCK, 45, 10) == -1);
        check(write(ready[1], "x", 1) == 1);
        check(set_lock(fd, F_SETLKW, F_WRLCK, 10, 10) == 0);
        _exit(mistakes);
    }
    check(read(ready[0], &byte, 1) == 1);
    wait_ms(2);
    check(waitpid(child, &status, WNOHANG) == 0);
    check(set_lock(fd, F_SETLK, F_UNLCK, 0, 0) == 0);
    check(waitpid(child, &status, 0) == child && status == 0);
    check(set_lock(fd, F_SETLK, F_WRLCK, 0, 0) == 0);       /* it took its own along */
    close(ready[0]);
    close(ready[1]);
    close(fd);
}

static void flock_is_of_the_open_file(void)
{
    int one = open(path, O_RDWR), two = open(path, O_RDWR), same = dup(one);

    check(flock(one, LOCK_EX) == 0 && flock(same, LOCK_EX | LOCK_NB) == 0);
    check(flock(two, LOCK_SH | LOCK_NB) == -1 && errno == EWOULDBLOCK);
    check(flock(one, LOCK_SH) == 0 && flock(two, LOCK_SH | LOCK_NB) == 0);
    check(flock(two, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK);
    close(one);
    check(flock(two, LOCK_EX | LOCK_NB) == -1);
    close(same);
    check(flock(two, LOCK_EX | LOCK_NB) == 0);
    check(flock(two, 77) == -1 && errno == EINVAL);
    close(two);
    check(unlink(path) == 0);
}

/* ---- /proc ----------------------------------------------------------------------------------- */

static size_t slurp(const char *name, char *text, size_t room)
{
    int fd = open(name, O_RDONLY);
    size_t done = 0;
    ssize_t got;

    while (fd >= 0 && (got = read(fd, text + done, room - 1 - done)) > 0)
        done += (size_t)got;
    text[done] = 0;
    close(fd);
    return done;
}

/* Whether a line of the maps has this address, with these rights and the end of this name. */
static int is_mapped(const char *maps, unsigned long va, const char *rights, const char *name)
{
    for (; *maps != 0; maps = strchr(maps, '\n') + 1) {
        unsigned long start, end;
        char got[5], file[200] = "";

        if (sscanf(maps, "%lx-%lx %4s %*s %*s %*s%*[ ]%199[^\n]", &start, &end, got, file) >= 3 &&
            start <= va && va < end)
            return strcmp(got, rights) == 0 && strlen(file) >= strlen(name) &&
                   strcmp(file + strlen(file) - strlen(name), name) == 0;
        if (strchr(maps, '\n') == NULL)
            break;
    }
    return 0;
}

static void maps_show_the_address_space(void)
{
    static char text[60000];
    char *own = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int local, fd = open("mapped", O_CREAT | O_RDWR, 0600);
    char *file = mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);

    close(fd);
    check(slurp("/proc/self/maps", text, sizeof text) > 0);
    check(is_mapped(text, (unsigned long)own, "r--p", ""));
    check(is_mapped(text, (unsigned long)&local, "rw-p", "[stack]"));
    check(is_mapped(text, (unsigned long)(void *)maps_show_the_address_space, "r-xp",
                    "/named_files"));
    check(is_mapped(text, (unsigned long)file, "r--s", "/mapped"));
    check(strstr(text, "[stack]") != NULL && strstr(text, "[heap]") != NULL);
    munmap(own, 8192);
    check(slurp("/proc/self/maps", text, sizeof text) > 0);
    check(!is_mapped(text, (unsigned long)own, "r--p", ""));
    munmap(file, 1);
    unlink("mapped");
}

static void a_process_shows_itself(char **argv)
{
    char text[5000], name[40];
    size_t bytes = slurp("/proc/self/cmdline", text, sizeof text);

    check(bytes == strlen(argv[0]) + 1 + strlen(argv[1]) + 1);
    check(strcmp(text, argv[0]) == 0 && strcmp(text + strlen(argv[0]) + 1, argv[1]) == 0);
    slurp("/proc/self/status", text, sizeof text);
    check(strstr(text, "VmRSS:") != NULL && strstr(text, "Threads:\t1\n") != NULL);
    snprintf(name, sizeof name, "/proc/%d/comm", (int)getpid());
    check(slurp(name, text, sizeof text) > 0 && strcmp(text, "named_files\n") == 0);
    check(slurp("/proc/nothing", text, sizeof text) == 0 && errno != 0);
}

static int count_descriptors(void)
{
    DIR *list = opendir("/proc/self/fd");
    int count = 0;

    for (const struct dirent *entry; (entry = readdir(list)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(list);
    return count;
}

static void descriptors_are_listed(void)
{
    int before = count_descriptors(), fd = open("/proc/self", O_RDONLY | O_DIRECTORY), stat_fd;
    char byte;

    check(fd >= 0 && count_descriptors() == before + 1);
    stat_fd = openat(fd, "stat", O_RDONLY);
    check(stat_fd >= 0 && read(stat_fd, &byte, 1) == 1);
    close(stat_fd);
    close(fd);
    check(count_descriptors() == before);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void queued_signals_are_limited(void)
{
    struct rlimit none = {0, 0}, got;
    int status;
    sigset_t set;
    pid_t child = fork();

    if (child == 0) {
        sigemptyset(&set);
        sigaddset(&set, SIGRTMIN);
        sigprocmask(SIG_BLOCK, &set, NULL);
        check(setrlimit(RLIMIT_SIGPENDING, &none) == 0);
        check(getrlimit(RLIMIT_SIGPENDING, &got) == 0 && got.rlim_cur == 0);
        check(sigqueue(getpid(), SIGRTMIN, (union sigval){1}) == -1 && errno == EAGAIN);
        none.rlim_max = 7;
        check(setrlimit(RLIMIT_SIGPENDING, &none) == -1 && errno == EPERM);
        _exit(mistakes);
    }
    check(waitpid(child, &status, 0) == child && status == 0);
}

int main(int argc, char **argv)
{
    (void)argc;
    check(mkdtemp(directory) != NULL);
    snprintf(path, sizeof path, "%s/name", directory);
    a_pipe_holds_sixteen_pages();
    parts_go_into_a_pipe_together();
    an_edge_comes_when_a_page_is_free();
    a_named_pipe_joins_those_who_open_it();
    a_lock_keeps_others_out();
    flock_is_of_the_open_file();
    maps_show_the_address_space();
    a_process_shows_itself(argv);
    descriptors_are_listed();
    queued_signals_are_limited();
    check(rmdir(directory) == 0);
    return verdict();
}
