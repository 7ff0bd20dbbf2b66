/* See lsp_documents.h. */
#define _POSIX_C_SOURCE 200809L     /* strdup, strndup */
#include "sim/cli/command/lsp/lsp_documents.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/array.h"
/* ---- texts ----------------------------------------------------------------------------------- */

static struct lsp_document *find(const struct lsp_documents *documents, const char *uri)
{
    for (size_t i = 0; i < documents->count; i++)
        if (strcmp(documents->document[i].uri, uri) == 0)
            return &documents->document[i];
    return NULL;
}

static struct lsp_document *add(struct lsp_documents *documents, const char *uri)
{
    struct lsp_document *grown = array_grow(documents->document, documents->count, sizeof *grown);

    if (grown == NULL)
        return NULL;
    documents->document = grown;
    grown[documents->count] = (struct lsp_document){.uri = strdup(uri)};
    if (grown[documents->count].uri == NULL)
        return NULL;
    return &grown[documents->count++];
}

bool lsp_document_set(struct lsp_documents *documents, const char *uri, const char *text)
{
    struct lsp_document *document = find(documents, uri);
    char *copy = strdup(text);

    if (document == NULL)
        document = add(documents, uri);
    if (document == NULL || copy == NULL) {
        free(copy);
        return false;
    }
    free(document->text);
    document->text = copy;
    return true;
}

void lsp_document_close(struct lsp_documents *documents, const char *uri)
{
    struct lsp_document *document = find(documents, uri);

    if (document == NULL)
        return;
    free(document->uri);
    free(document->text);
    *document = documents->document[--documents->count];
}

void lsp_documents_free(struct lsp_documents *documents)
{
    while (documents->count != 0)
        lsp_document_close(documents, documents->document[0].uri);
    free(documents->document);
}

/* ---- words ----------------------------------------------------------------------------------- */

static const char *line_of(const char *text, unsigned line)
{
    while (line-- > 0) {
        text = strchr(text, '\n');
        if (text == NULL)
            return NULL;
        text++;
    }
    return text;
}

/* The UTF-16 code units of the character that begins with this byte; 0: a continuation byte. */
static unsigned units_of(char byte)
{
    unsigned char c = (unsigned char)byte;

    return (c & 0xc0) == 0x80 ? 0 : c >= 0xf0 ? 2 : 1;
}

static size_t bytes_to(const char *line, size_t length, unsigned character)
{
    unsigned units = 0;
    size_t at = 0;

    while (at < length && units + units_of(line[at]) <= character)
        units += units_of(line[at++]);
    return at;
}

static unsigned units_to(const char *line, size_t bytes)
{
    unsigned units = 0;

    for (size_t i = 0; i < bytes; i++)
        units += units_of(line[i]);
    return units;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80) != 0;
}

/* The begin of the word that ends at `end`, including its qualifiers. */
static size_t begin_of(const char *line, size_t end)
{
    size_t at = end;

    while (at > 0) {
        while (at > 0 && is_word(line[at - 1]))
            at--;
        if (at < 3 || at == end || line[at - 1] != ':' || line[at - 2] != ':' ||
            !is_word(line[at - 3]))
            break;
        at -= 2;
    }
    return at;
}

char *lsp_word_at(const struct lsp_documents *documents, const char *uri, unsigned line,
                  unsigned character, bool is_prefix, unsigned *begin, unsigned *end)
{
    const struct lsp_document *document = find(documents, uri);
    const char *at = document != NULL ? line_of(document->text, line) : NULL;
    size_t length = at != NULL ? strcspn(at, "\r\n") : 0, first, last;

    if (at == NULL)
        return NULL;
    last = bytes_to(at, length, character);
    while (!is_prefix && last < length && is_word(at[last]))
        last++;
    first = begin_of(at, last);
    if (first == last || isdigit((unsigned char)at[first]))
        return NULL;
    *begin = units_to(at, first);
    *end = units_to(at, last);
    return strndup(at + first, last - first);
}
