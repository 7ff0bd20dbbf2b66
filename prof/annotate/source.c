/* See source.h. */
#include "prof/annotate/source.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "prof/symbols/symbols.h"

enum { PATH_BYTES = 4096, TAB_COLUMNS = 8, LARGEST_BYTES = 64 << 20 };

struct source_file {
    struct source_file *next;
    char *name;
    char *text;                     /* all lines, each with a zero at its end; NULL: not found */
    char **line;
    size_t lines;
};

/* ---- reading --------------------------------------------------------------------------------- */

/* Opens regular files only: a pipe would never end. */
static FILE *open_file(const char *path)
{
    struct stat stat_of;

    if (stat(path, &stat_of) != 0 || !S_ISREG(stat_of.st_mode) || stat_of.st_size > LARGEST_BYTES)
        return NULL;
    return fopen(path, "r");
}

static FILE *open_in(const char *directory, int length, const char *name)
{
    char path[PATH_BYTES];
    int bytes = snprintf(path, sizeof path, "%.*s/%s", length, directory, name);

    return bytes > 0 && bytes < PATH_BYTES ? open_file(path) : NULL;
}

static FILE *find(const struct sources *sources, const char *name)
{
    const char *base = symbols_base_name(name), *program = sources->program;
    FILE *in = NULL;

    if (sources->directory != NULL)
        in = open_in(sources->directory, (int)strlen(sources->directory), base);
    if (in == NULL)
        in = open_file(name);
    if (in == NULL && program != NULL && symbols_base_name(program) != program)
        in = open_in(program, (int)(symbols_base_name(program) - program), base);
    return in != NULL || program == NULL ? in : open_in(".", 1, base);
}

/* Replaces tabs by blanks, and control characters by question marks. */
static void put_line(FILE *out, const char *text)
{
    size_t column = 0;

    for (; *text != '\0' && *text != '\n' && *text != '\r'; text++) {
        unsigned char byte = (unsigned char)*text;
        size_t blanks = byte == '\t' ? TAB_COLUMNS - column % TAB_COLUMNS : 0;

        column += blanks != 0 ? blanks : 1;
        for (size_t i = 0; i < blanks; i++)
            fputc(' ', out);
        if (blanks == 0)
            fputc(byte < ' ' || byte == 0x7f ? '?' : byte, out);
    }
    fputc('\0', out);
}

static bool read_lines(struct source_file *file, FILE *in)
{
    size_t room = 0, bytes = 0, lines = 0;
    char *text = NULL;
    FILE *out = open_memstream(&file->text, &bytes);

    while (out != NULL && getline(&text, &room, in) >= 0) {
        put_line(out, text);
        lines++;
    }
    free(text);
    if (out == NULL || fclose(out) != 0)
        return false;
    file->line = calloc(lines + 1, sizeof file->line[0]);
    for (char *at = file->text; file->line != NULL && file->lines < lines; at += strlen(at) + 1)
        file->line[file->lines++] = at;
    return file->line != NULL;
}

static struct source_file *open_source(struct sources *sources, const char *name)
{
    struct source_file *file = calloc(1, sizeof *file);
    FILE *in;

    if (file == NULL)
        return NULL;
    file->name = strdup(name);
    in = find(sources, name);
    if (file->name == NULL || (in != NULL && !read_lines(file, in)))
        file->lines = 0;
    if (in != NULL)
        fclose(in);
    file->next = sources->file;
    sources->file = file;
    return file;
}

/* ---- the interface --------------------------------------------------------------------------- */

const char *source_line(struct sources *sources, const char *name, unsigned line)
{
    struct source_file *file = sources->file;

    while (file != NULL && (file->name == NULL || strcmp(file->name, name) != 0))
        file = file->next;
    if (file == NULL)
        file = open_source(sources, name);
    return file != NULL && line != 0 && line <= file->lines ? file->line[line - 1] : NULL;
}

void sources_free(struct sources *sources)
{
    while (sources->file != NULL) {
        struct source_file *file = sources->file;

        sources->file = file->next;
        free(file->name);
        free(file->text);
        free(file->line);
        free(file);
    }
}
