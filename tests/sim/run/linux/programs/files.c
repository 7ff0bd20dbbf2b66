/* Files through the C library and through system calls, in the current directory. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static void say(const char *what, int ok)
{
    printf("%s: %s\n", what, ok ? "ok" : strerror(errno));
}

static void stdio_file(void)
{
    FILE *file = fopen("numbers.txt", "w+");
    long sum = 0, value;
    int i;

    for (i = 0; i < 2000; i++) {
        fprintf(file, "%d\n", i);
    }
    say("seek", fseek(file, 0, SEEK_SET) == 0);
    while (fscanf(file, "%ld", &value) == 1) {
        sum += value;
    }
    printf("sum %ld at %ld\n", sum, ftell(file));
    fclose(file);
}

static void attributes(void)
{
    struct stat st;

    say("stat", stat("numbers.txt", &st) == 0);
    printf("size %lld, regular %d, mode %o, mine %d\n", (long long)st.st_size, S_ISREG(st.st_mode),
           st.st_mode & 0777, st.st_uid == getuid());
    say("chmod", chmod("numbers.txt", 0600) == 0 && stat("numbers.txt", &st) == 0 &&
                     (st.st_mode & 0777) == 0600);
    say("truncate", truncate("numbers.txt", 10) == 0 && stat("numbers.txt", &st) == 0 &&
                        st.st_size == 10);
    say("access", access("numbers.txt", R_OK | W_OK) == 0);
    say("no access", access("nothing", F_OK) == 0);
    say("not a directory", stat("numbers.txt/", &st) == 0);
}

static void directories(void)
{
    struct dirent **list;
    char here[PATH_MAX];
    int i, count;

    say("mkdir", mkdir("box", 0755) == 0);
    say("mkdir again", mkdir("box", 0755) == 0);
    say("rename", rename("numbers.txt", "box/b.txt") == 0);
    say("link", link("box/b.txt", "box/a.txt") == 0);
    say("symlink", symlink("b.txt", "box/c.txt") == 0);
    count = scandir("box", &list, NULL, alphasort);
    for (i = 0; i < count; i++) {
        printf("  %s %s\n", list[i]->d_name, list[i]->d_type == DT_DIR ? "directory" :
               list[i]->d_type == DT_LNK ? "link" : "file");
        free(list[i]);
    }
    free(list);
    say("chdir", chdir("box") == 0);
    printf("in %s\n", strrchr(getcwd(here, sizeof here), '/') + 1);
    count = (int)readlink("c.txt", here, sizeof here);
    printf("link to %.*s\n", count, here);
    say("chdir up", chdir("..") == 0);
}

static void descriptors(void)
{
    struct iovec parts[2] = {{"one ", 4}, {"two", 3}};
    struct pollfd ready = {.events = POLLIN};
    char text[32] = "";
    const void *volatile bad = (void *)8;
    int pipes[2], fd, copy;

    fd = open("box/new", O_RDWR | O_CREAT | O_EXCL, 0644);
    say("create", fd >= 0);
    say("create again", open("box/new", O_RDWR | O_CREAT | O_EXCL, 0644) >= 0);
    say("writev", writev(fd, parts, 2) == 7);
    say("pread", pread(fd, text, 3, 4) == 3 && strcmp(text, "two") == 0);
    copy = dup(fd);
    say("shared offset", lseek(copy, 0, SEEK_CUR) == 7);
    say("append", (fcntl(fd, F_SETFL, O_APPEND), fcntl(copy, F_GETFL) & O_APPEND) != 0);
    say("pipe", pipe(pipes) == 0 && write(pipes[1], "data", 4) == 4);
    ready.fd = pipes[0];
    say("poll", poll(&ready, 1, 0) == 1 && ready.revents == POLLIN);
    say("read pipe", read(pipes[0], text, sizeof text) == 4);
    say("poll with limit", poll(&ready, 1, 50) == 0);
    say("bad descriptor", write(99, "x", 1) == 1);
    say("bad pointer", write(fd, bad, 1) == 1);
    say("devices", write(open("/dev/null", O_WRONLY), "x", 1) == 1 &&
                       read(open("/dev/zero", O_RDONLY), text, 4) == 4 && text[0] == 0);
}

static void mappings(void)
{
    int fd = open("box/new", O_RDWR);
    char *shared = mmap(NULL, 7, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    char *private = mmap(NULL, 7, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    char text[8] = "", *memory;

    say("map", shared != MAP_FAILED && private != MAP_FAILED);
    printf("mapped %.7s\n", private);
    private[0] = 'P';
    shared[0] = 'S';
    say("unmap", munmap(shared, 7) == 0 && munmap(private, 7) == 0);
    say("shared reached the file", pread(fd, text, 7, 0) == 7 && text[0] == 'S');
    memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memory[5000] = 'x';
    memory = mremap(memory, 1 << 20, 4 << 20, MREMAP_MAYMOVE);
    say("mremap", memory != MAP_FAILED && memory[5000] == 'x' && memory[3 << 20] == 0);
    say("forget", madvise(memory, 8192, MADV_DONTNEED) == 0 && memory[5000] == 0);
    say("protect", mprotect(memory, 4096, PROT_READ) == 0);
    say("read-only", read(fd, memory, 4) == 4);
    say("hole", munmap(memory + 8192, 4096) == 0);
    say("protect the hole", mprotect(memory + 4096, 8192, PROT_READ) == 0);
}

static void cleaning(void)
{
    say("rmdir full", rmdir("box") == 0);
    say("unlink", unlink("box/a.txt") == 0 && unlink("box/b.txt") == 0 &&
                      unlink("box/c.txt") == 0 && unlink("box/new") == 0);
    say("rmdir", rmdir("box") == 0);
    say("gone", access("box", F_OK) == 0);
}

int main(void)
{
    stdio_file();
    attributes();
    directories();
    descriptors();
    mappings();
    cleaning();
    return 0;
}
