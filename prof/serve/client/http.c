/* See http.h. */
#include "prof/serve/client/http.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { CONNECT_SECONDS = 5, ANSWER_SECONDS = 60, TOKEN_HEADER = 320, LEVEL = 3 };

struct http { CURL *curl; struct curl_slist *header; };

enum err http_open(struct http **http, struct diag *diag)
{
    const char *token = getenv("RVSIM_TOKEN");
    char text[TOKEN_HEADER];

    *http = calloc(1, sizeof **http);
    if (*http == NULL)
        return diag_no_memory(diag, "a client");
    (*http)->curl = curl_easy_init();
    if ((*http)->curl == NULL) {
        free(*http);
        return diag_no_memory(diag, "a client");
    }
    if (token != NULL && *token != '\0') {
        snprintf(text, sizeof text, "Authorization: Bearer %s", token);
        (*http)->header = curl_slist_append(NULL, text);
    }
    return ERR_OK;
}

void http_close(struct http *http)
{
    curl_slist_free_all(http->header);
    curl_easy_cleanup(http->curl);
    free(http);
}

static size_t take(char *bytes, size_t one, size_t count, void *arg)
{
    struct http_answer *answer = arg;
    char *grown;

    count *= one;
    if (answer->bytes + count > HTTP_ANSWER_MAX)
        return 0;
    grown = realloc(answer->text, answer->bytes + count + 1);
    if (grown == NULL)
        return 0;
    answer->text = grown;
    memcpy(grown + answer->bytes, bytes, count);
    answer->bytes += count;
    grown[answer->bytes] = '\0';
    return count;
}

/* The client sends no user, host or version, and follows no redirects. */
static void set_options(struct http *http, const char *url, struct http_answer *answer)
{
    const char *authorities = getenv("RVSIM_CA");
    CURL *curl = http->curl;

    curl_easy_reset(curl);
    if (authorities != NULL && *authorities != '\0')
        curl_easy_setopt(curl, CURLOPT_CAINFO, authorities);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "rvsim");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)ANSWER_SECONDS);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, answer);
}

static void *pack(const char *body, size_t *bytes)
{
    size_t count = strlen(body), room = ZSTD_compressBound(count);
    void *packed = malloc(room);

    *bytes = packed != NULL ? ZSTD_compress(packed, room, body, count, LEVEL) : 0;
    return packed;
}

static struct curl_slist *copy_headers(const struct http *http, const char *first)
{
    struct curl_slist *list = curl_slist_append(NULL, first);

    for (const struct curl_slist *at = http->header; at != NULL; at = at->next)
        list = curl_slist_append(list, at->data);
    return list;
}

void http_ask(struct http *http, const char *url, const char *body, struct http_answer *answer)
{
    struct curl_slist *header = copy_headers(http, body != NULL ? "Content-Encoding: zstd"
                                                                : "Accept: application/json");
    curl_off_t retry = 0;
    size_t bytes = 0;
    void *packed = body != NULL ? pack(body, &bytes) : NULL;
    CURLcode code;

    *answer = (struct http_answer){0, 0, NULL, 0};
    set_options(http, url, answer);
    curl_easy_setopt(http->curl, CURLOPT_HTTPHEADER, header);
    if (packed != NULL) {
        curl_easy_setopt(http->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)bytes);
        curl_easy_setopt(http->curl, CURLOPT_POSTFIELDS, packed);
    }
    code = curl_easy_perform(http->curl);
    if (code == CURLE_OK) {
        curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &answer->status);
        curl_easy_getinfo(http->curl, CURLINFO_RETRY_AFTER, &retry);
        answer->retry_seconds = (long)retry;
    } else {
        free(answer->text);
        answer->text = strdup(curl_easy_strerror(code));
        answer->bytes = answer->text != NULL ? strlen(answer->text) : 0;
    }
    curl_slist_free_all(header);
    free(packed);
}
