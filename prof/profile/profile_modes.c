/* Time of the program, of the kernel and of idle harts: sums and formats, and reading them from a
 * profile. */
#include <inttypes.h>

#include "prof/profile/profile_modes.h"
#include "prof/profile/profile_reading.h"

enum { MODES = 3 };

static const char *const mode_name[MODES] = {"user", "kernel", "idle"};

static const struct profile_mode *mode_of(const struct profile_hart_modes *modes, unsigned mode)
{
    return mode == 0 ? &modes->user : mode == 1 ? &modes->kernel : &modes->idle;
}

static void add(struct profile_mode *sum, const struct profile_mode *mode)
{
    sum->cycles += mode->cycles;
    sum->instructions += mode->instructions;
}

void profile_add_modes(struct profile_modes *modes)
{
    for (size_t i = 0; i < modes->harts; i++) {
        add(&modes->all.user, &modes->hart[i].user);
        add(&modes->all.kernel, &modes->hart[i].kernel);
        add(&modes->all.idle, &modes->hart[i].idle);
    }
}

void profile_write_parts(cJSON *object, const struct profile_hart_modes *modes)
{
    for (unsigned i = 0; i < MODES; i++) {
        const struct profile_mode *mode = mode_of(modes, i);
        cJSON *member = cJSON_AddObjectToObject(object, mode_name[i]);

        json_number(member, "cycles", mode->cycles);
        json_number(member, "instructions", mode->instructions);
    }
}

void profile_write_modes(cJSON *root, const struct profile_modes *modes)
{
    cJSON *object, *harts;

    if (modes == NULL)
        return;
    object = cJSON_AddObjectToObject(root, "modes");
    json_number(object, "boot_instructions", modes->boot_instructions);
    profile_write_parts(object, &modes->all);
    harts = cJSON_AddArrayToObject(object, "harts");
    for (size_t i = 0; i < modes->harts; i++) {
        cJSON *hart = cJSON_CreateObject();

        profile_write_parts(hart, &modes->hart[i]);
        cJSON_AddItemToArray(harts, hart);
    }
}

static void read_hart(struct profile_reading *reading, const cJSON *json, void *element)
{
    struct profile_hart_modes *modes = element;
    struct profile_mode *const mode[MODES] = {&modes->user, &modes->kernel, &modes->idle};

    for (unsigned i = 0; i < MODES; i++) {
        const cJSON *member = json_get_object(&reading->json, json, mode_name[i]);

        *mode[i] = (struct profile_mode){
            json_get_number(&reading->json, member, "cycles"),
            json_get_number(&reading->json, member, "instructions"),
        };
    }
}

void profile_read_modes(struct profile_reading *reading, const cJSON *root)
{
    const cJSON *object;
    struct profile_modes *modes;

    if (!json_has(root, "modes"))
        return;
    object = json_get_object(&reading->json, root, "modes");
    modes = profile_reading_alloc(reading, 1, sizeof *modes);
    if (modes == NULL)
        return;
    modes->boot_instructions = json_get_number(&reading->json, object, "boot_instructions");
    read_hart(reading, object, &modes->all);
    modes->hart = profile_reading_array(reading, object, "harts", sizeof modes->hart[0], read_hart,
                                        &modes->harts);
    reading->profile->modes = modes;
}

static void write_rows(FILE *out, const char *prefix, const struct profile_hart_modes *modes)
{
    for (unsigned i = 0; i < MODES; i++) {
        const struct profile_mode *mode = mode_of(modes, i);

        fprintf(out, "%s.%s.cycles,%" PRIu64 "\n", prefix, mode_name[i], mode->cycles);
        fprintf(out, "%s.%s.instructions,%" PRIu64 "\n", prefix, mode_name[i],
                mode->instructions);
    }
}

void profile_write_modes_csv(const struct profile_modes *modes, FILE *out)
{
    char prefix[32];

    if (modes == NULL)
        return;
    fprintf(out, "modes.boot_instructions,%" PRIu64 "\n", modes->boot_instructions);
    write_rows(out, "modes", &modes->all);
    for (size_t i = 0; i < modes->harts; i++) {
        snprintf(prefix, sizeof prefix, "modes.hart%zu", i);
        write_rows(out, prefix, &modes->hart[i]);
    }
}
