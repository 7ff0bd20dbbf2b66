/* Options, signals and messages of the service; see serve.h. */
#include "prof/serve/server/serve.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "prof/records/csv.h"
#include "prof/serve/database/schema.h"
#include "prof/serve/server/server.h"
#include "sim/base/stop_signals.h"

enum { EXIT_WRONG = 2, DAY_SECONDS = 86400 };

enum option_id {
#define SERVE_OPTION(name, id, argument, help) SERVE_##id,
#include "prof/serve/server/option.def"
#undef SERVE_OPTION
    SERVE_OPTIONS
};

static const char *const option_name[] = {
#define SERVE_OPTION(name, id, argument, help) name,
#include "prof/serve/server/option.def"
#undef SERVE_OPTION
};

struct options { const char *value[SERVE_OPTIONS]; };

static enum err parse(struct options *options, int words, char **word, struct diag *diag)
{
    for (int i = 0; i < words; i++) {
        size_t length = strcspn(word[i], "="), at;

        for (at = 0; at < SERVE_OPTIONS; at++)
            if (strncmp(word[i], "--", 2) == 0 && strlen(option_name[at]) + 2 == length &&
                memcmp(word[i] + 2, option_name[at], length - 2) == 0)
                break;
        if (at == SERVE_OPTIONS)
            return diag_set(diag, ERR_USAGE, "serve: expected --option=value, found %s", word[i]);
        options->value[at] = word[i][length] == '=' ? word[i] + length + 1 : "";
    }
    return ERR_OK;
}

static const char *text_of(const struct options *options, enum option_id id, const char *value)
{
    return options->value[id] != NULL ? options->value[id] : value;
}

static enum err number_of(const struct options *options, enum option_id id, uint64_t least,
                          uint64_t most, uint64_t *value, struct diag *diag)
{
    const char *text = options->value[id];

    if (text == NULL || (csv_number(text, value) && *value >= least && *value <= most))
        return ERR_OK;
    return diag_set(diag, ERR_USAGE, "serve: --%s: expected a number from %llu to %llu, found %s",
                    option_name[id], (unsigned long long)least, (unsigned long long)most, text);
}

static enum err read_file(const char *path, const char **text, struct diag *diag)
{
    FILE *in = fopen(path, "r");
    char *bytes = NULL;
    size_t room = 0;
    ssize_t length = in != NULL ? getdelim(&bytes, &room, '\0', in) : -1;

    if (in != NULL)
        fclose(in);
    *text = bytes;
    return length > 0 ? ERR_OK : diag_set(diag, ERR_IO, "%s: cannot be read", path);
}

static enum err read_tls(struct server_settings *settings, const struct options *options,
                         struct diag *diag)
{
    const char *certificate = options->value[SERVE_CERTIFICATE], *key = options->value[SERVE_KEY];
    enum err err;

    if ((certificate == NULL) != (key == NULL))
        return diag_set(diag, ERR_USAGE, "serve: --certificate and --key belong together");
    if (certificate == NULL)
        return ERR_OK;
    err = read_file(certificate, &settings->certificate, diag);
    return err == ERR_OK ? read_file(key, &settings->key, diag) : err;
}

static enum err read_settings(struct server_settings *settings, const struct options *options,
                              struct diag *diag)
{
    uint64_t rate = 100, bytes = 1 << 20, connections = 512, threads = 4, days = 90, reports = 20;
    uint64_t patience = 30;
    enum err err;

    *settings = (struct server_settings){
        .database = text_of(options, SERVE_DATABASE, "rvsim.db"),
        .address = text_of(options, SERVE_LISTEN, "127.0.0.1:8700"),
        .is_open = options->value[SERVE_OPEN] != NULL,
    };
    err = number_of(options, SERVE_RATE, 0, 1000000, &rate, diag);
    if (err == ERR_OK)
        err = number_of(options, SERVE_MAX_BYTES, 1024, 1 << 28, &bytes, diag);
    if (err == ERR_OK)
        err = number_of(options, SERVE_CONNECTIONS, 1, 65536, &connections, diag);
    if (err == ERR_OK)
        err = number_of(options, SERVE_THREADS, 1, POOL_MAX - 1, &threads, diag);
    if (err == ERR_OK)
        err = number_of(options, SERVE_KEEP_IDS, 1, 36500, &days, diag);
    if (err == ERR_OK)
        err = number_of(options, SERVE_KEEP_REPORTS, 1, 100000, &reports, diag);
    if (err == ERR_OK)
        err = number_of(options, SERVE_PATIENCE, 1, 3600, &patience, diag);
    settings->rate = (double)rate;
    settings->patience_seconds = (unsigned)patience;
    settings->bytes_max = bytes;
    settings->connections = (unsigned)connections;
    settings->threads = (unsigned)threads;
    settings->keep_seconds = (int64_t)days * DAY_SECONDS;
    settings->reports_kept = (unsigned)reports;
    return err == ERR_OK ? read_tls(settings, options, diag) : err;
}

/* ---- chores ---------------------------------------------------------------------------------- */

static bool is_chore(const struct options *options)
{
    return options->value[SERVE_ADD_TOKEN] != NULL || options->value[SERVE_LIST_TOKENS] != NULL ||
           options->value[SERVE_REVOKE_TOKEN] != NULL;
}

static enum err do_chores(const struct options *options, struct db *db, struct diag *diag)
{
    const char *name = options->value[SERVE_ADD_TOKEN];
    char token[TOKEN_TEXT];
    enum err err = ERR_OK;

    if (name != NULL) {
        err = token_add(db, name, text_of(options, SERVE_SCOPES, "write"),
                        text_of(options, SERVE_PROGRAM, ""), token, diag);
        if (err == ERR_OK)
            printf("%s\n", token);
    }
    if (err == ERR_OK && options->value[SERVE_REVOKE_TOKEN] != NULL)
        err = token_revoke(db, options->value[SERVE_REVOKE_TOKEN], diag);
    if (err == ERR_OK && options->value[SERVE_LIST_TOKENS] != NULL)
        err = token_list(db, stdout, diag);
    return err;
}

static enum err run_chores(const struct options *options, const char *database,
                           struct diag *diag)
{
    struct db *db;
    bool is_new;
    enum err err = db_open(&db, database, diag);

    if (err != ERR_OK)
        return err;
    err = schema_upgrade(db, SCHEMA_VERSION, &is_new, diag);
    if (err == ERR_OK)
        err = do_chores(options, db, diag);
    db_close(db);
    return err;
}

/* ---- the service ----------------------------------------------------------------------------- */

static void tell(const struct server *server, const char *token)
{
    const struct server_settings *settings = server->settings;
    int host = (int)(strrchr(settings->address, ':') - settings->address);

    printf("address: %s://%.*s:%u\n", settings->certificate != NULL ? "https" : "http", host,
           settings->address, server->port);
    if (*token != '\0')
        printf("token: %s (reads, writes, controls; only its hash is kept)\n", token);
    else
        printf("token: as printed when the database was made; --add-token makes another one\n");
    fflush(stdout);
}

static enum err run_server(const struct server_settings *settings, const sigset_t *signals,
                           struct diag *diag)
{
    struct server *server = calloc(1, sizeof *server);
    char token[TOKEN_TEXT];
    int number = 0;
    enum err err = server != NULL ? server_start(server, settings, token, diag)
                                  : diag_no_memory(diag, "the service");

    if (err == ERR_OK) {
        tell(server, token);
        sigwait(signals, &number);
        server_stop(server);
    }
    free(server);
    return err;
}

/* Threads inherit the signal mask, so only sigwait receives these signals. SIGPIPE is ignored. New
 * files are private, as the database has hashes of tokens. */
static void prepare_process(sigset_t *signals)
{
    stop_signals_hold(signals);
    signal(SIGPIPE, SIG_IGN);
    umask(077);
}

int serve_main(int words, char **word)
{
    struct options options = {{NULL}};
    struct server_settings settings = {.database = NULL};
    struct diag diag = {""};
    sigset_t signals;
    enum err err = parse(&options, words, word, &diag);

    prepare_process(&signals);
    if (err == ERR_OK)
        err = read_settings(&settings, &options, &diag);
    if (err == ERR_OK)
        err = is_chore(&options) ? run_chores(&options, settings.database, &diag)
                                 : run_server(&settings, &signals, &diag);
    free((void *)(uintptr_t)settings.certificate);
    free((void *)(uintptr_t)settings.key);
    if (err == ERR_OK)
        return 0;
    fprintf(stderr, "rvsim: error: %s\n", diag.text);
    return EXIT_WRONG;
}
