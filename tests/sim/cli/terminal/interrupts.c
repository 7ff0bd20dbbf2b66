/* The run with this number never ends; those before it soon do. The file `runs` counts them. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static volatile int cell[64];

__attribute__((noinline)) void work(int n)
{
    for (int i = 0; i < n; i++)
        if ((i & 3) != 0)
            cell[i & 63] += i;
}

int main(int argc, char **argv)
{
    int file = open("runs", O_CREAT | O_APPEND | O_RDWR, 0600);
    struct stat stat;

    if (argc < 2 || file < 0 || write(file, ".", 1) != 1 || fstat(file, &stat) != 0)
        return 1;
    for (int i = 0; i < 20 || stat.st_size >= atoi(argv[1]); i++)
        work(200);
    return 7;
}
