/* Two threads contend for a lock, three times over; the program switches the scheduler's records on
 * before the second time and off before the third, and prints the state that it read each time.
 * With an argument it also writes that text to the file. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char file[] = "/sys/kernel/tracing/tracing_on";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned long sum;

static void *work(void *arg)
{
    for (int round = 0; round < 300; round++) {
        pthread_mutex_lock(&lock);
        for (int i = 0; i < 200; i++)
            sum = sum + 1;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void contend(void)
{
    pthread_t thread[2];
    char is_on = '?';
    int fd = open(file, O_RDONLY);

    if (fd < 0 || read(fd, &is_on, 1) != 1)
        perror(file);
    close(fd);
    printf("on: %c ", is_on);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
}

static void switch_to(const char *text)
{
    int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0644);

    if (fd < 0 || write(fd, text, strlen(text)) < 0)
        printf("%s: %s", text, errno == EINVAL ? "EINVAL" : strerror(errno));
    close(fd);
}

int main(int argc, char **argv)
{
    contend();
    switch_to("1\n");
    contend();
    switch_to("0\n");
    contend();
    if (argc > 1)
        switch_to(argv[1]);
    putchar('\n');
    return sum == 6 * 300 * 200 ? 0 : 1;
}
