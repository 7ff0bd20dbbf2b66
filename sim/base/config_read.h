/* Reading the configuration of a machine: presets, files, overrides.
 *
 * Strict: an unknown key, a value out of range or a contradiction is refused with file, line, the
 * allowed range and the nearest valid name. */
#ifndef SIM_BASE_CONFIG_READ_H
#define SIM_BASE_CONFIG_READ_H

#include "sim/base/config.h"
#include "sim/base/err.h"

/* Reads a file by path, or a preset by name ("default", "fig2", ...): NAME.ini in preset_dir. Other
 * settings come from the machine that the first line "inherit = PRESET or FILE" names; without that
 * line from the preset "default"; with "inherit = none" from config.def. On failure *config is
 * unchanged. */
enum err config_load(struct config *config, const char *path_or_preset, const char *preset_dir,
                     struct diag *diag);
/* As config_load, for a text in memory; `name` stands for the file in messages. */
enum err config_parse(struct config *config, const char *text, size_t length, const char *name,
                      const char *preset_dir, struct diag *diag);
/* One override "section.name=value". */
enum err config_set(struct config *config, const char *assignment, struct diag *diag);
/* Contradictions between settings (line sizes, ways against size, ...). */
enum err config_check(const struct config *config, struct diag *diag);
/* As config_check, for a configuration that config_load read under this name and config_set may
 * have changed since. The diagnosis names the file if the file alone has the contradiction. */
enum err config_check_loaded(const struct config *config, const char *path_or_preset,
                             const char *preset_dir, struct diag *diag);
/* Calls `visit` with the key of every setting that the machine file itself sets, as the file spells
 * it (old names included). Inherited settings are not visited. */
enum err config_given(const char *path, const char *preset_dir,
                      void (*visit)(void *arg, const char *key), void *arg, struct diag *diag);

/* The present name of a setting given by an old name that is still accepted; else NULL. */
const char *config_key_now(const char *assignment);

#endif
