/* The configuration of a machine: each setting of config.def as a field. Nothing else in the
 * simulator has defaults. config_read.h reads and checks it. */
#ifndef SIM_BASE_CONFIG_H
#define SIM_BASE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CONFIG_INT(section, name, def, min, max, unit, help) uint32_t section##_##name;
#define CONFIG_POW2(section, name, def, min, max, unit, help) uint32_t section##_##name;
#define CONFIG_BOOL(section, name, def, help) uint32_t section##_##name;
#define CONFIG_ENUM(section, name, def, names, help) uint32_t section##_##name;
#define CONFIG_TEXT(section, name, def, help) char section##_##name[CONFIG_TEXT_BYTES];
#define PART(name, def) uint32_t part_##name;
enum { CONFIG_TEXT_BYTES = 192, CONFIG_ROOM = 64 };
struct config {
#include "sim/base/part.def"
#define WITHOUT_EXTRAS
#include "sim/base/config.def"
#undef WITHOUT_EXTRAS
    /* Settings of a model of EXTRAS; with room, so that they move nothing in what is compiled. */
    union {
        uint32_t room[CONFIG_ROOM];
        struct {
            uint32_t none;
#define EXTRAS_ALONE
#include "sim/base/models.def"
#undef EXTRAS_ALONE
        };
    };
};
_Static_assert(sizeof(struct config) == offsetof(struct config, room) + 4 * CONFIG_ROOM,
               "a model of EXTRAS has more settings than there is room for");
#undef CONFIG_INT
#undef CONFIG_POW2
#undef CONFIG_BOOL
#undef CONFIG_ENUM
#undef CONFIG_TEXT
#undef PART

/* The values of the table, which are those of the preset "classic". */
void config_init(struct config *config);
/* A name with '/', or that ends in ".ini", is a path; others are those of presets. */
bool config_is_path(const char *name);
/* Has the setting, which is one of choices, this one? Both are ones that exist. */
bool config_is(const struct config *config, const char *key, const char *choice);
/* Is every setting of these sections, which NULL ends, the same in both? */
bool config_agree(const struct config *a, const struct config *b, const char *const sections[]);
/* The models of real cores, which have a section of settings each; NULL after the last. */
const char *const *config_models(void);
/* The model that the settings name, as some of its section are not as by default; or NULL. */
const char *config_model(const struct config *config);
/* The missing requirement of a setting that is neither default nor 0 and has no effect on this
 * machine, because it belongs to the other back end or needs another setting: such as
 * "core.kind = in_order" or "l2.kib". NULL: it has an effect; else told, where it is written.
 * `key`: its name; the rest of an assignment is ignored. */
const char *config_unused(const struct config *config, const char *key,
                          char told[CONFIG_TEXT_BYTES]);
/* The full effective configuration in the file format; config_load reads it back. */
void config_write(const struct config *config, FILE *out);
/* The number of settings. */
size_t config_count(void);
/* Calls `visit` for every setting in file order; the texts live during the call only. */
struct config_row { const char *key, *value, *range, *unit, *help; };
void config_visit(const struct config *config,
                  void (*visit)(void *arg, const struct config_row *row), void *arg);

#endif
