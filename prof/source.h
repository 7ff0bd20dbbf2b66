/* Lines of source files, as the debug information names them; each file is read once. */
#ifndef PROF_SOURCE_H
#define PROF_SOURCE_H

#include <stddef.h>

struct source_file;
struct sources {
    const char *directory;          /* looked in first, by the file's name alone; NULL: none */
    const char *program;            /* its directory is looked in last; NULL: none */
    struct source_file *file;       /* those that were asked for */
};

/* The text of a line, without its end, tabs as blanks; NULL: the file or the line is not there.
 * It stays until sources_free. */
const char *source_line(struct sources *sources, const char *file, unsigned line);
void sources_free(struct sources *sources);

#endif
