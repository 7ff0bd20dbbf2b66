/* See service.h. */
#include "sim/cli/tool/service.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/output.h"
#include "sim/host/paths.h"

enum { OUTBOX_FILES = 512 };

int service_exec(char **word)
{
    char path[PATHS_MAX];

    paths_service(path);
    execvp(path, word);
    return command_misuse("%s: %s", path, strerror(errno));
}

enum err service_check_url(const char *url, struct diag *diag)
{
    size_t length = strlen(url);

    if ((strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0) || length > 200)
        return diag_set(diag, ERR_USAGE, "%s: expected the address of a service, such as "
                        "http://127.0.0.1:8700", url);
    if (url[length - 1] == '/')
        return diag_set(diag, ERR_USAGE, "%s: expected the address without / at its end", url);
    return ERR_OK;
}

/* ---- the outbox ------------------------------------------------------------------------------ */

static enum err make_folders(char *path, struct diag *diag)
{
    for (char *end = strchr(path + 1, '/');; end = strchr(end + 1, '/')) {
        if (end != NULL)
            *end = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return diag_set(diag, ERR_IO, "%s: %s", path, strerror(errno));
        if (end == NULL)
            return ERR_OK;
        *end = '/';
    }
}

/* The folder of this service's summaries: RVSIM_OUTBOX, or in the usual folder for programs'
 * state. */
static enum err open_outbox(const char *url, char path[PATHS_MAX], struct diag *diag)
{
    const char *outbox = getenv("RVSIM_OUTBOX"), *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    size_t length;

    if (outbox != NULL && *outbox != '\0')
        snprintf(path, PATHS_MAX / 2, "%s/", outbox);
    else if (state != NULL && *state == '/')
        snprintf(path, PATHS_MAX / 2, "%s/rvsim/outbox/", state);
    else
        snprintf(path, PATHS_MAX / 2, "%s/.local/state/rvsim/outbox/", home != NULL ? home : ".");
    length = strlen(path);
    for (; *url != '\0' && length < PATHS_MAX - 1; url++)
        path[length++] = isalnum((unsigned char)*url) || *url == '.' ? *url : '_';
    path[length] = '\0';
    return make_folders(path, diag);
}

struct outbox { const char *path; unsigned files; };

static enum err put_file(const char *path, const char *text, struct diag *diag)
{
    struct output output;
    enum err err = output_open(&output, path, diag);
    if (err != ERR_OK)
        return err;
    fputs(text, output.file);
    return output_close(&output, true, diag);
}

static enum err put_summary(void *arg, const char *id, const char *text, struct diag *diag)
{
    struct outbox *outbox = arg;
    char path[PATHS_MAX + 64];

    if (outbox->files++ == OUTBOX_FILES)
        return diag_set(diag, ERR_USAGE, "more than %d summaries", OUTBOX_FILES);
    snprintf(path, sizeof path, "%s/%s.json", outbox->path, id);
    return put_file(path, text, diag);
}

/* Runs it in a session of its own, without the terminal, so that it outlives this process. */
static void detach(char **word)
{
    int nothing = open("/dev/null", O_RDWR);

    if (setsid() < 0 || fork() != 0)
        _exit(0);
    for (int i = 0; i < 3; i++)
        dup2(nothing, i);
    _exit(service_exec(word));
}

static enum err send_outbox(const char *url, char *path, bool waits, struct diag *diag)
{
    char name[] = "rvsim-service", later[] = "submit", now[] = "submit-now";
    char *word[] = {name, waits ? now : later, (char *)(uintptr_t)url, path, NULL};
    pid_t child;
    int status;

    fflush(NULL);
    child = fork();
    if (child < 0)
        return diag_set(diag, ERR_IO, "submit: %s", strerror(errno));
    if (child == 0 && waits)
        _exit(service_exec(word));
    if (child == 0)
        detach(word);
    if (waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return ERR_OK;
    return diag_set(diag, ERR_IO, "%s: not everything could be sent", url);
}

enum err service_submit(const struct api *api, const char *url, const struct api_summary *summary,
                        bool waits, struct diag *diag)
{
    char path[PATHS_MAX];
    struct outbox outbox = {.path = path};
    enum err err = service_check_url(url, diag);

    if (err == ERR_OK)
        err = open_outbox(url, path, diag);
    if (err == ERR_OK)
        err = api_summary_write(api, summary, put_summary, &outbox, diag);
    return err == ERR_OK ? send_outbox(url, path, waits, diag) : err;
}

enum err service_submit_hangs(const char *url, const char *id, const char *text, bool waits,
                              struct diag *diag)
{
    char folder[PATHS_MAX], path[PATHS_MAX + 64];
    enum err err = service_check_url(url, diag);

    if (err == ERR_OK)
        err = open_outbox(url, folder, diag);
    if (err != ERR_OK)
        return err;
    snprintf(path, sizeof path, "%s/hangs-%s.json", folder, id);
    err = put_file(path, text, diag);
    return err == ERR_OK ? send_outbox(url, folder, waits, diag) : err;
}

/* ---- files of a service ---------------------------------------------------------------------- */

/* Paths are written to a file first, and answers go to another, so that neither side waits for the
 * other. */
struct fetching { FILE *paths, *answers; };

static void put_path(FILE *out, const char *path, const char *name)
{
    fputs(path, out);
    for (; *name != '\0'; name++) {
        if (isalnum((unsigned char)*name))
            fputc(*name, out);
        else
            fprintf(out, "%%%02X", (unsigned char)*name);
    }
    fputc('\n', out);
}

static enum err run_fetch(const struct fetching *fetching, const char *url, struct diag *diag)
{
    char *word[] = {(char[]){"rvsim-service"}, (char[]){"fetch"}, (char *)(uintptr_t)url, NULL};
    pid_t child;
    int status;

    fflush(NULL);
    rewind(fetching->paths);
    child = fork();
    if (child == 0) {
        dup2(fileno(fetching->paths), 0);
        dup2(fileno(fetching->answers), 1);
        _exit(service_exec(word));
    }
    if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
        WEXITSTATUS(status) == 0)
        return ERR_OK;
    return diag_set(diag, ERR_IO, "%s: it cannot be read", url);
}

static enum err read_answers(struct api *published, FILE *in, const char *url, struct diag *diag)
{
    char *line = NULL;
    size_t room = 0;
    enum err err = ERR_OK;

    rewind(in);
    while (err == ERR_OK && getline(&line, &room, in) > 0)
        err = api_read_json(published, url, line, diag);
    free(line);
    return err;
}

static enum err open_fetching(struct fetching *fetching, const char *url, struct diag *diag)
{
    enum err err = service_check_url(url, diag);

    *fetching = (struct fetching){tmpfile(), tmpfile()};
    if (err == ERR_OK && (fetching->paths == NULL || fetching->answers == NULL))
        err = diag_set(diag, ERR_IO, "no temporary file: %s", strerror(errno));
    return err;
}

static void close_fetching(struct fetching *fetching)
{
    if (fetching->paths != NULL)
        fclose(fetching->paths);
    if (fetching->answers != NULL)
        fclose(fetching->answers);
}

enum err service_fetch(struct api *published, const char *url, const struct api *api,
                       struct diag *diag)
{
    struct fetching fetching;
    enum err err = open_fetching(&fetching, url, diag);

    if (err == ERR_OK) {
        for (size_t i = 0; i < api->table.function.count; i++)
            put_path(fetching.paths, "/v1/costs?limit=2000&function=",
                     api->table.function.text[i]);
        err = run_fetch(&fetching, url, diag);
    }
    if (err == ERR_OK)
        err = read_answers(published, fetching.answers, url, diag);
    close_fetching(&fetching);
    return err;
}

enum err service_search(struct api *published, const char *url, const char *text,
                        struct diag *diag)
{
    struct fetching fetching;
    enum err err = open_fetching(&fetching, url, diag);

    if (err == ERR_OK) {
        put_path(fetching.paths, "/v1/costs?limit=2000&search=", text);
        err = run_fetch(&fetching, url, diag);
    }
    if (err == ERR_OK)
        err = read_answers(published, fetching.answers, url, diag);
    close_fetching(&fetching);
    return err;
}

enum err service_fetch_control(char **text, const char *url, const char *program,
                               struct diag *diag)
{
    struct fetching fetching;
    size_t room = 0;
    enum err err = open_fetching(&fetching, url, diag);

    *text = NULL;
    if (err == ERR_OK) {
        put_path(fetching.paths, "/v1/control/", program);
        err = run_fetch(&fetching, url, diag);
    }
    if (err == ERR_OK) {
        rewind(fetching.answers);
        if (getline(text, &room, fetching.answers) <= 0)
            err = diag_set(diag, ERR_IO, "%s: no control file", url);
    }
    close_fetching(&fetching);
    return err;
}
