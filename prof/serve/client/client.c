/* See client.h. */
#include "prof/serve/client/client.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "prof/serve/client/http.h"

enum { EXIT_WRONG = 2, TRIES = 6, WAIT_MOST = 60, PATH_BYTES = 4096, URL_BYTES = 16384 };

static int tell(const char *url, const struct http_answer *answer)
{
    const char *text = answer->text != NULL ? answer->text : "no answer";

    fprintf(stderr, "rvsim: error: %s: ", url);
    if (answer->status != 0)
        fprintf(stderr, "status %ld: ", answer->status);
    fprintf(stderr, "%.*s\n", (int)strcspn(text, "\r\n"), text);
    return EXIT_WRONG;
}

static int is_later(long status)
{
    return status == 0 || status == 429 || status == 503;
}

/* True if a retry now is useless, but a later one, with another token or address, may succeed. */
static int is_unwelcome(long status)
{
    return status == 401 || status == 403 || status == 404;
}

/* Seconds before try `tries` + 1: doubled each time, and randomised, so that clients refused
 * together do not return together. */
static void wait_for(unsigned tries, long asked)
{
    double seconds = asked > 0 ? (double)asked : (double)(1u << tries);
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    seconds *= 0.5 + (double)(time.tv_nsec % 1000000) * 1e-6;
    if (seconds > WAIT_MOST)
        seconds = WAIT_MOST;
    time.tv_sec = (time_t)seconds;
    time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
    nanosleep(&time, NULL);
}

/* ---- fetch ----------------------------------------------------------------------------------- */

static int fetch_one(struct http *http, const char *url)
{
    struct http_answer answer;
    int status = 0;

    http_ask(http, url, NULL, &answer);
    for (unsigned tries = 0; answer.status == 429 && tries < TRIES; tries++) {
        free(answer.text);
        wait_for(tries, answer.retry_seconds);
        http_ask(http, url, NULL, &answer);
    }
    if (answer.status == 200 && answer.text != NULL)
        printf("%.*s\n", (int)strcspn(answer.text, "\n"), answer.text);
    else
        status = tell(url, &answer);
    free(answer.text);
    return status;
}

int client_fetch(const char *url)
{
    struct diag diag = {""};
    struct http *http;
    char *path = NULL, whole[URL_BYTES];
    size_t room = 0;
    int status = 0;

    if (http_open(&http, &diag) != ERR_OK) {
        fprintf(stderr, "rvsim: error: %s\n", diag.text);
        return EXIT_WRONG;
    }
    while (status == 0 && getline(&path, &room, stdin) > 0) {
        path[strcspn(path, "\n")] = '\0';
        snprintf(whole, sizeof whole, "%s%s", url, path);
        status = fetch_one(http, whole);
    }
    free(path);
    http_close(http);
    return status;
}

/* ---- submit ---------------------------------------------------------------------------------- */

struct sending { struct http *http; const char *url, *folder; unsigned sent, left, refused; };

static char *read_file(const char *path)
{
    FILE *in = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    ssize_t length = in != NULL ? getdelim(&text, &room, '\0', in) : -1;

    if (in != NULL)
        fclose(in);
    if (length > 0)
        return text;
    free(text);
    return NULL;
}

static void refuse(struct sending *sending, const char *path, const char *url,
                   const struct http_answer *answer)
{
    char name[PATH_BYTES + 16];

    snprintf(name, sizeof name, "%.*s.refused", (int)(strlen(path) - strlen(".json")), path);
    rename(path, name);
    sending->refused++;
    tell(url, answer);
}

static int is_hangs(const char *path)
{
    return strncmp(strrchr(path, '/') + 1, "hangs-", 6) == 0;
}

/* False: the service is not reachable, and the other files need not be tried. */
static int send_one(struct sending *sending, const char *path)
{
    char url[PATH_BYTES], *text = read_file(path);
    struct http_answer answer = {0, 0, NULL, 0};
    int is_there;

    if (text == NULL)
        return 1;
    snprintf(url, sizeof url, "%s/v1/%s", sending->url, is_hangs(path) ? "hangs" : "costs");
    http_ask(sending->http, url, text, &answer);
    for (unsigned tries = 0; is_later(answer.status) && tries < TRIES - 1; tries++) {
        free(answer.text);
        wait_for(tries, answer.retry_seconds);
        http_ask(sending->http, url, text, &answer);
    }
    is_there = !is_later(answer.status) && !is_unwelcome(answer.status);
    if (answer.status == 200 || answer.status == 201) {
        unlink(path);
        sending->sent++;
    } else if (is_there) {
        refuse(sending, path, url, &answer);
    } else {
        tell(url, &answer);
    }
    free(answer.text);
    free(text);
    return is_there;
}

static int is_summary(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);

    return length > 5 && entry->d_name[0] != '.' &&
           strcmp(entry->d_name + length - 5, ".json") == 0;
}

/* Repeats until the folder is empty, as another process may add files meanwhile. */
static void send_all(struct sending *sending)
{
    int is_there = 1, files;

    do {
        struct dirent **entry;

        files = scandir(sending->folder, &entry, is_summary, alphasort);
        for (int i = 0; i < files; i++) {
            char path[PATH_BYTES];

            snprintf(path, sizeof path, "%s/%s", sending->folder, entry[i]->d_name);
            if (is_there)
                is_there = send_one(sending, path);
            if (!is_there)
                sending->left++;
            free(entry[i]);
        }
        if (files >= 0)
            free(entry);
    } while (is_there && files > 0);
}

static int is_loaded(void)
{
    double load;

    return getloadavg(&load, 1) == 1 && load > 2.0 * (double)sysconf(_SC_NPROCESSORS_ONLN);
}

int client_submit(const char *url, const char *folder, int is_asked)
{
    struct sending sending = {.url = url, .folder = folder};
    struct diag diag = {""};
    char lock[PATH_BYTES];
    int file;

    snprintf(lock, sizeof lock, "%s/.lock", folder);
    file = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || (!is_asked && is_loaded()) ||
        flock(file, is_asked ? LOCK_EX : LOCK_EX | LOCK_NB) != 0) {
        if (file < 0)
            fprintf(stderr, "rvsim: error: %s: %s\n", lock, strerror(errno));
        else
            close(file);
        return file < 0 ? EXIT_WRONG : 0;
    }
    if (http_open(&sending.http, &diag) == ERR_OK) {
        send_all(&sending);
        http_close(sending.http);
    }
    close(file);
    if (is_asked)
        fprintf(stderr, "rvsim: %u summaries sent, %u refused, %u wait in %s\n", sending.sent,
                sending.refused, sending.left, folder);
    return sending.refused != 0 || sending.left != 0 ? EXIT_WRONG : 0;
}
