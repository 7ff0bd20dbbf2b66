/* A time line as files of trace viewers, for commands that have one. */
#ifndef SIM_CLI_TIMELINE_FILES_H
#define SIM_CLI_TIMELINE_FILES_H

#include "prof/timeline/timeline.h"

/* The files of a command's --chrome and --perfetto; NULL: not asked for. - is standard output. */
enum err timeline_files_write(struct timeline *timeline, const char *chrome, const char *perfetto,
                              struct diag *diag);

#endif
