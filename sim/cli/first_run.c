/* See first_run.h. */
#include "sim/cli/first_run.h"

#include <stdlib.h>
#include <string.h>

#include "prof/profile_write.h"
#include "prof/report.h"

/* The profile's texts go with it. */
static enum err keep_images(struct first_run *first, const struct profile *profile,
                            struct diag *diag)
{
    if (profile->images == 0)
        return ERR_OK;
    first->image = calloc(profile->images, sizeof *first->image);
    if (first->image == NULL)
        return diag_no_memory(diag, "programs");
    for (; first->images < profile->images; first->images++) {
        first->image[first->images] = profile->image[first->images];
        first->image[first->images].path = strdup(profile->image[first->images].path);
        if (first->image[first->images].path == NULL)
            return diag_no_memory(diag, "programs");
    }
    return ERR_OK;
}

static enum err keep_modes(struct first_run *first, const struct profile *profile,
                           struct diag *diag)
{
    struct profile_hart_modes *hart;

    if (profile->modes == NULL)
        return ERR_OK;
    hart = calloc(profile->harts, sizeof *hart);
    if (hart == NULL)
        return diag_no_memory(diag, "harts");
    memcpy(hart, profile->modes->hart, profile->harts * sizeof *hart);
    first->modes = *profile->modes;
    first->modes.hart = hart;
    return ERR_OK;
}

enum err first_run_keep(struct first_run *first, const struct profile *profile, struct diag *diag)
{
    enum err err = keep_images(first, profile, diag);

    return err == ERR_OK ? keep_modes(first, profile, diag) : err;
}

const struct profile_modes *first_run_modes(const struct first_run *first)
{
    return first->modes.harts != 0 ? &first->modes : NULL;
}

void first_run_print(const struct first_run *first)
{
    char image[REPORT_IMAGE], modes[REPORT_MODES];

    if (first->modes.harts != 0 && !first->tells_modes)
        printf("%-10s%s\n", "time", report_modes(&first->modes, modes));
    for (size_t i = 0; i < first->images; i++)
        printf("%-10s%s\n", i == 0 ? "programs" : "",
               report_image(first->image, first->images, i, image));
}

void first_run_write(const struct first_run *first, cJSON *root)
{
    if (first->images != 0)
        profile_write_images(root, first->image, first->images);
    profile_write_modes(root, first_run_modes(first));
}

void first_run_free(struct first_run *first)
{
    for (size_t i = 0; i < first->images; i++)
        free((char *)(uintptr_t)first->image[i].path);
    free(first->image);
    free(first->modes.hart);
    *first = (struct first_run){.images = 0};
}
