/* See opened.h. */
#include "sim/cli/tool/opened.h"

#include <string.h>

#include "prof/profile/profile_file.h"
#include "prof/report/report.h"

static void close_program(struct opened *opened)
{
    target_close(&opened->target);
    frames_store_free(&opened->store);
}

/* Refuses another program under the same name, which would give wrong places. */
static enum err open_program(struct opened *opened, const char *program, struct diag *diag)
{
    const struct profile *profile = &opened->profile;
    const char *path = program != NULL ? program : profile->program;
    enum err err = target_open(&opened->target, path, diag);

    if (err != ERR_OK)
        return err;
    opened->store = (struct frames_store){.count = 0};
    opened->target.store = &opened->store;
    if (strcmp(opened->target.id, profile->program_id) != 0)
        err = diag_set(diag, ERR_USAGE, "%s: not the program that was profiled (%s, not %s)", path,
                       opened->target.id, profile->program_id);
    else if (profile->has_kernel)
        err = target_add_kernel(&opened->target, true, diag);
    if (err == ERR_OK)
        err = target_add_modules(&opened->target, profile, diag);
    if (err != ERR_OK)
        close_program(opened);
    return err;
}

/* Names the programs that ran on stderr, so that they are known beside every table and file. */
static void note_images(const struct profile *profile)
{
    char text[REPORT_IMAGE];

    for (size_t i = 0; i < profile->images; i++)
        fprintf(stderr, "rvsim: note: %s\n",
                report_image(profile->image, profile->images, i, text));
    report_covered(profile, "rvsim: note: ", stderr);
}

enum err opened_read(struct opened *opened, const char *path, const char *program,
                     struct diag *diag)
{
    enum err err = profile_read(&opened->profile, path, diag);

    if (err != ERR_OK)
        return err;
    err = open_program(opened, program, diag);
    if (err == ERR_OK)
        note_images(&opened->profile);
    else
        profile_free(&opened->profile);
    return err;
}

void opened_close(struct opened *opened)
{
    close_program(opened);
    profile_free(&opened->profile);
}
