/* Writes a time line as files for trace viewers. */
#ifndef SIM_CLI_TOOL_TIMELINE_FILES_H
#define SIM_CLI_TOOL_TIMELINE_FILES_H

#include "prof/timeline/timeline.h"

/* The files of a command's --chrome and --perfetto; NULL: not requested. - is standard output. */
enum err timeline_files_write(struct timeline *timeline, const char *chrome, const char *perfetto,
                              struct diag *diag);

#endif
