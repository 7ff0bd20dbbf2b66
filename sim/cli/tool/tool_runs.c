/* See tool_runs.h. */
#include "sim/cli/tool/tool_runs.h"

#include <stdlib.h>
#include <string.h>

#include "prof/profile/json.h"
#include "prof/profile/profile_write.h"
#include "prof/report/report.h"
#include "sim/base/array.h"

enum { HEAD = 32 };

static void free_images(struct profile_image *image, size_t images)
{
    array_free_texts(image, images, sizeof *image, offsetof(struct profile_image, path));
}

/* The profile's texts go with it. */
static enum err keep_images(struct profile_image **image, size_t *images,
                            const struct profile *profile, struct diag *diag)
{
    free_images(*image, *images);
    *image = array_copy_texts(profile->image, profile->images, sizeof **image,
                              offsetof(struct profile_image, path));
    *images = *image != NULL ? profile->images : 0;
    return *image != NULL ? ERR_OK : diag_no_memory(diag, "programs");
}

/* Programs keep their numbers in all runs: a run begins with the list of the run before it. */
enum err tool_runs_know(struct tool_runs *runs, const struct profile *profile, struct diag *diag)
{
    return profile->images > runs->knowns
               ? keep_images(&runs->known, &runs->knowns, profile, diag) : ERR_OK;
}

static enum err keep_modes(struct tool_runs *runs, const char *stage,
                           const struct profile *profile, struct diag *diag)
{
    struct tool_run_modes *grown, *run;

    if (profile->modes == NULL)
        return ERR_OK;
    grown = array_grow(runs->run, runs->runs, sizeof *grown);
    if (grown == NULL)
        return diag_no_memory(diag, "runs");
    runs->run = grown;
    run = &grown[runs->runs++];
    *run = (struct tool_run_modes){.stage = strdup(stage), .modes = *profile->modes};
    run->modes.hart = calloc(profile->harts, sizeof *run->modes.hart);
    if (run->stage == NULL || run->modes.hart == NULL)
        return diag_no_memory(diag, "runs");
    memcpy(run->modes.hart, profile->modes->hart, profile->harts * sizeof *run->modes.hart);
    return ERR_OK;
}

enum err tool_runs_add(struct tool_runs *runs, const char *stage, const struct profile *profile,
                       struct diag *diag)
{
    enum err err = runs->runs == 0 && profile->images != 0
                       ? keep_images(&runs->image, &runs->images, profile, diag) : ERR_OK;

    if (err == ERR_OK)
        err = tool_runs_know(runs, profile, diag);
    return err == ERR_OK ? keep_modes(runs, stage, profile, diag) : err;
}

const struct profile_modes *tool_runs_modes(const struct tool_runs *runs)
{
    return runs->runs != 0 ? &runs->run[0].modes : NULL;
}

void tool_runs_print(const struct tool_runs *runs)
{
    char image[REPORT_IMAGE], modes[REPORT_MODES], head[HEAD];

    if (runs->runs != 0 && !runs->tells_first)
        printf("%-10s%s\n", "time", report_modes(&runs->run[0].modes, modes));
    for (size_t i = 1; i < runs->runs && !runs->tells_others; i++) {
        snprintf(head, sizeof head, "run %zu", i + 1);
        printf("%-10s%s; %s\n", head, report_modes(&runs->run[i].modes, modes),
               runs->run[i].stage);
    }
    for (size_t i = 0; i < runs->images; i++)
        printf("%-10s%s\n", i == 0 ? "programs" : "",
               report_image(runs->image, runs->images, i, image));
}

static void write_run(cJSON *array, const struct tool_run_modes *run)
{
    cJSON *object = json_append_object(array);

    cJSON_AddStringToObject(object, "stage", run->stage);
    profile_write_parts(object, &run->modes.all);
}

void tool_runs_write(const struct tool_runs *runs, cJSON *root)
{
    cJSON *array;

    if (runs->images != 0)
        profile_write_images(root, runs->image, runs->images);
    profile_write_modes(root, tool_runs_modes(runs));
    if (runs->runs < 2)
        return;
    array = cJSON_AddArrayToObject(root, "runs");
    for (size_t i = 0; i < runs->runs; i++)
        write_run(array, &runs->run[i]);
}

void tool_runs_free(struct tool_runs *runs)
{
    free_images(runs->image, runs->images);
    free_images(runs->known, runs->knowns);
    for (size_t i = 0; i < runs->runs; i++) {
        free(runs->run[i].stage);
        free(runs->run[i].modes.hart);
    }
    free(runs->run);
    frames_store_free(&runs->store);
    *runs = (struct tool_runs){.runs = 0};
}
