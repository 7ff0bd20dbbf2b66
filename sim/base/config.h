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
    /* Settings of a model of EXTRAS. Their space is reserved, so that other fields keep their
     * offsets in objects already compiled. */
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

/* Sets every setting to its default in config.def (the preset "classic"). */
void config_init(struct config *config);
/* True if the name is a path: it has a '/', or ends in ".ini". Other names are those of presets. */
bool config_is_path(const char *name);
/* True if the setting `key` has the value `choice`. Both must exist. */
bool config_is(const struct config *config, const char *key, const char *choice);
/* True if all settings of these sections (a list that ends with NULL) are equal in both. */
bool config_agree(const struct config *a, const struct config *b, const char *const sections[]);
/* The models of real cores, which have a section of settings each; NULL after the last. */
const char *const *config_models(void);
/* The model whose section has a setting that differs from its default; NULL if there is none. */
const char *config_model(const struct config *config);
/* The requirement, such as "core.kind = in_order" or "l2.kib", that this machine does not meet and
 * without which the setting `key` has no effect: the setting belongs to the other back end, or
 * needs another setting. The text is written to `told`. NULL if the setting has an effect, or is at
 * its default or 0. `key` may be a whole assignment; only its name is read. */
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
