/* Writes the header that makes the pipe's sources an instance (instance.h), at build time:
 * generate PRESET FOLDER, with the preset in that folder. */
#include <inttypes.h>
#include <stdio.h>

#include "sim/base/config_read.h"
#include "sim/core/bpred/bpred.h"
#include "sim/core/bpred/shape.h"
#include "sim/core/instance/instance.h"
#include "sim/core/pipe/issue_queues.h"

/* The program that writes instances is linked without instances. */
const struct core_instance *const core_instances[] = {NULL};

static void write_config(const struct config *config)
{
    puts("#include \"sim/base/config.h\"\n"
         "__attribute__((unused)) static const struct config instance_config = {");
#define NUMBER(field) printf("    .%s = %" PRIu32 ",\n", #field, config->field);
#define CONFIG_INT(section, name, def, min, max, unit, help) NUMBER(section##_##name)
#define CONFIG_POW2(section, name, def, min, max, unit, help) NUMBER(section##_##name)
#define CONFIG_BOOL(section, name, def, help) NUMBER(section##_##name)
#define CONFIG_ENUM(section, name, def, names, help) NUMBER(section##_##name)
#define CONFIG_TEXT(section, name, def, help) \
    printf("    .%s = \"%s\",\n", #section "_" #name, config->section##_##name);
#include "sim/base/config.def"
#define PART(name, def) NUMBER(part_##name)
#include "sim/base/part.def"
    puts("};");
}

static void write_shape(const struct config *config)
{
    struct ring_shape shape = core_shape_of(config);
    printf("#include \"sim/core/pipe/issue_queues.h\"\n"
           "__attribute__((unused)) static const struct ring_shape instance_shape = {\n"
           "    .queue_count = %" PRIu32 ", .slot_words = %" PRIu32 ", .queue_groups = UINT64_C(%"
           PRIu64 "),\n    .first_words = UINT64_C(0x%" PRIx64 "),\n"
           "    .words_log2 = %u, .group_log2 = %u, .queue_groups_log2 = %u,\n"
           "    .has_one_queue = %d, .by_slot = %d,\n    .class_queues = {",
           shape.queue_count, shape.slot_words, shape.queue_groups,
           shape.first_words, shape.words_log2,
           shape.group_log2, shape.queue_groups_log2, shape.has_one_queue, shape.by_slot);
    for (unsigned class = 0; class < CLASS_COUNT; class++)
        printf("%" PRIu32 ", ", shape.class_queues[class]);
    puts("},\n};");
    printf("#define INSTANCE_RING_MASK UINT32_C(%" PRIu32 ")\n", core_ring_entries(config) - 1);
}

/* False: no memory. */
static bool write_predictor(const struct config *config)
{
    union predictor_constant constant;
    struct bpred *bpred = bpred_new(config, core_ring_entries(config));

    if (bpred == NULL)
        return false;
    bpred_shape_of(bpred, &constant.shape);
    bpred_free(bpred);
    puts("#include \"sim/core/bpred/shape.h\"\n"
         "__attribute__((unused)) static const union predictor_constant instance_predictor = {{");
    for (size_t i = 0; i < sizeof constant.byte; i++)
        printf("%u,%s", constant.byte[i], i % 16 == 15 ? "\n" : "");
    puts("}};");
    return true;
}

static void write_model(const char *model)
{
    if (model == NULL)
        puts("#define INSTANCE_MODEL NULL");
    else
        printf("#define INSTANCE_MODEL \"%s\"\n"
               "#define MODEL_ANSWERS \"sim/core/model/%s/%s.h\"\n", model, model, model);
}

int main(int argc, char **argv)
{
    static struct config config;
    struct diag diag;

    if (argc != 3 || config_load(&config, argv[1], argv[2], &diag) != ERR_OK) {
        fputs("usage: generate PRESET FOLDER\n", stderr);
        return 2;
    }
    printf("/* Of the preset %s, by sim/core/instance/generate.c. */\n", argv[1]);
    printf("#define INSTANCE\n#define INSTANCE_NAME \"%s\"\n", argv[1]);
    printf("#define INSTANCE_ENTRY core_instance_%s\n", argv[1]);
    printf("#define INSTANCE_SYMBOL(name) %s_##name\n", argv[1]);
    write_model(config_model(&config));
    printf("#define INSTANCE_EXTRAS UINT64_C(0x%" PRIx64 ")\n", core_extras_of(&config));
    write_config(&config);
    write_shape(&config);
    return write_predictor(&config) ? 0 : 1;
}
