/* Writes the identity of a run into its profile: program and modules, command, settings, end. */
#include <stdlib.h>
#include <string.h>

#include "sim/cli/collect/collect.h"
#include "sim/core/storage.h"
#include "sim/host/images.h"

static const char *reason_name(enum result_reason reason)
{
    switch (reason) {
    case RESULT_EXIT: return "exit";
    case RESULT_MAX_INSNS: return "max_insns";
    case RESULT_MAX_CYCLES: return "max_cycles";
    case RESULT_TIMEOUT: return "timeout";
    case RESULT_TRAP: return "trap";
    case RESULT_INTERRUPTED: return "interrupted";
    case RESULT_FAILURE: return "failure";
    case RESULT_HALTED: return "halted";    /* by --roi-end or --check */
    case RESULT_HAND_OVER: break;           /* ends before anything is measured */
    }
    return "failure";
}

struct config_visit { struct profile *profile; bool has_failed; };

static void add_setting(void *arg, const struct config_row *row)
{
    struct config_visit *visit = arg;
    struct profile *profile = visit->profile;
    struct profile_setting *setting = &profile->setting[profile->settings++];

    setting->key = profile_text(profile, row->key);
    setting->value = profile_text(profile, row->value);
    setting->kind = PROFILE_NUMBER;
    if (strcmp(row->range, "true|false") == 0)
        setting->kind = PROFILE_BOOL;
    else if (strchr(row->range, '|') != NULL)
        setting->kind = PROFILE_WORD;
    visit->has_failed |= setting->key == NULL || setting->value == NULL;
}

static bool collect_config(struct job *job)
{
    struct profile *profile = &job->profile;
    struct config_visit visit = {.profile = profile};

    profile->setting = profile_alloc(profile, config_count(), sizeof profile->setting[0]);
    if (profile->setting == NULL)
        return false;
    config_visit(&job->machine.config, add_setting, &visit);
    return !visit.has_failed;
}

static bool collect_storage(struct job *job)
{
    struct profile *profile = &job->profile;
    uint64_t bits[STORAGE_PARTS];

    profile->storage = profile_alloc(profile, STORAGE_PARTS, sizeof profile->storage[0]);
    if (profile->storage == NULL || !storage_count(&job->machine.config, bits))
        return false;
    for (unsigned part = 0; part < STORAGE_PARTS; part++)
        profile->storage[profile->storages++] =
            (struct profile_storage){storage_name(part), bits[part]};
    return true;
}

static bool collect_command(struct job *job)
{
    struct profile *profile = &job->profile;

    profile->command = profile_alloc(profile, (size_t)job->argc + 1, sizeof profile->command[0]);
    for (int i = 0; profile->command != NULL && i < job->argc; i++)
        profile->command[profile->commands++] = job->argv[i];
    return profile->command != NULL;
}

static bool collect_modules(struct job *job)
{
    struct profile *profile = &job->profile;

    profile->module = profile_alloc(profile, job->target.modules + 1, sizeof profile->module[0]);
    for (size_t i = 0; profile->module != NULL && i < job->target.modules; i++) {
        const struct target_module *module = job->target.module[i];

        profile->module[profile->modules++] = (struct profile_module){
            profile_text(profile, module->image.path), profile_text(profile, module->id),
            module->image.bias};
    }
    return profile->module != NULL;
}

static bool collect_covered(struct job *job)
{
    struct profile *profile = &job->profile;

    profile->covered = profile_alloc(profile, job->target.covereds + 1,
                                     sizeof profile->covered[0]);
    for (size_t i = 0; profile->covered != NULL && i < job->target.covereds; i++)
        profile->covered[profile->covereds++] = profile_text(profile, job->target.covered[i]);
    return profile->covered != NULL;
}

/* Nothing if one program ran alone. */
static bool collect_images(struct job *job)
{
    struct profile *profile = &job->profile;
    const struct image_sum *image;
    size_t images;

    if (job->images == NULL)
        return true;
    if (!images_collect(job->images, &image, &images))
        return false;
    if (images == 1)
        return true;
    profile->image = profile_alloc(profile, images, sizeof profile->image[0]);
    for (size_t i = 0; profile->image != NULL && i < images; i++)
        profile->image[profile->images++] = (struct profile_image){
            profile_text(profile, image[i].path), image[i].insns, image[i].cycles};
    return profile->image != NULL;
}

/* Nothing if one thread ran alone. */
static bool collect_thread_names(struct job *job)
{
    struct profile *profile = &job->profile;
    size_t threads = 0, all = 0;
    const char *name;
    uint64_t id;

    while (job->images != NULL && images_thread(job->images, all, &id, &name))
        threads += id != 0, all++;
    if (threads < 2)
        return true;
    profile->thread_name = profile_alloc(profile, threads, sizeof profile->thread_name[0]);
    for (size_t i = 0; profile->thread_name != NULL && i < all; i++)
        if (images_thread(job->images, i, &id, &name) && id != 0)
            profile->thread_name[profile->thread_names++] = (struct profile_thread_name){
                (uint32_t)id, profile_text(profile, name)};
    return profile->thread_name != NULL;
}

bool collect_run(struct job *job)
{
    static const char *const monitor[] = {"none", "guest", "host"};
    struct profile *profile = &job->profile;
    const struct result *result = &job->machine.result;
    char *path = realpath(job->target.image.path, NULL);

    profile->program = profile_text(profile, path != NULL ? path : job->target.image.path);
    free(path);
    profile->program_id = profile_text(profile, job->target.id);
    profile->bias = job->target.image.bias;
    profile->has_kernel = job->machine.kernel != NULL;
    profile->engine = options_engine_name(job->options->engine);
    profile->monitor = monitor[job->monitor];
    profile->reason = reason_name(result->reason);
    profile->text = profile_text(profile, result->text);
    profile->exit_code = result->exit_code;
    profile->fast_forwarded = job->fast_forwarded;
    profile->host_seconds = job_seconds() - job->started;
    return profile->program != NULL && profile->program_id != NULL && profile->text != NULL &&
           collect_modules(job) && collect_covered(job) &&
           collect_images(job) && collect_thread_names(job) && collect_command(job) &&
           collect_config(job) && collect_storage(job);
}
