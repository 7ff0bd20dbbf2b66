/* See timeline_files.h. */
#include "sim/cli/tool/timeline_files.h"

#include "prof/timeline/timeline_trace.h"
#include "sim/cli/tool/tool.h"

static enum err write_chrome(void *arg, FILE *out, struct diag *diag)
{
    return timeline_write_chrome(arg, out, diag);
}

static enum err write_perfetto(void *arg, FILE *out, struct diag *diag)
{
    return timeline_write_perfetto(arg, out, diag);
}

enum err timeline_files_write(struct timeline *timeline, const char *chrome, const char *perfetto,
                              struct diag *diag)
{
    enum err err = chrome != NULL ? tool_write(chrome, write_chrome, timeline, diag) : ERR_OK;

    return err == ERR_OK && perfetto != NULL ? tool_write(perfetto, write_perfetto, timeline, diag)
                                             : err;
}
