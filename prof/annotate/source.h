/* Lines of source files, as the debug information names them; each file is read once. */
#ifndef PROF_ANNOTATE_SOURCE_H
#define PROF_ANNOTATE_SOURCE_H

#include <stddef.h>

struct source_file;
struct sources {
    const char *directory;          /* searched first, by the file's name alone; NULL: none */
    const char *program;            /* its directory is searched last; NULL: none */
    struct source_file *file;       /* files read up to now */
};

/* The text of a line, without its end, tabs as blanks; NULL: no such file or line. Valid until
 * sources_free. */
const char *source_line(struct sources *sources, const char *file, unsigned line);
void sources_free(struct sources *sources);

#endif
