/* Reading the configuration of a machine: presets, files, overrides.
 *
 * Strict: an unknown key, a value out of range or a contradiction is refused with file, line, the
 * allowed range and the nearest valid name. */
#ifndef SIM_BASE_CONFIG_READ_H
#define SIM_BASE_CONFIG_READ_H

#include "sim/base/config.h"
#include "sim/base/err.h"

/* A file by path, or a preset by name ("default", "fig2", ...): the file NAME.ini in preset_dir.
 * Settings not in the file have the value of the machine that its first line "inherit = PRESET or
 * FILE" names; without that line, of the preset "default"; with "inherit = none", of the table. On
 * failure *config is unchanged. */
enum err config_load(struct config *config, const char *path_or_preset, const char *preset_dir,
                     struct diag *diag);
/* The same for a text in memory; `name` stands for the file in messages. */
enum err config_parse(struct config *config, const char *text, size_t length, const char *name,
                      const char *preset_dir, struct diag *diag);
/* One override "section.name=value". */
enum err config_set(struct config *config, const char *assignment, struct diag *diag);
/* Contradictions between settings (line sizes, ways against size, ...). */
enum err config_check(const struct config *config, struct diag *diag);
/* The same, of what config_load made of that name, and config_set perhaps since; a contradiction
 * that is in the file alone is told of with its name. */
enum err config_check_loaded(const struct config *config, const char *path_or_preset,
                             const char *preset_dir, struct diag *diag);
/* Calls `visit` with the key of every setting that a machine file names itself, not those that it
 * inherits. */
enum err config_given(const char *path, const char *preset_dir,
                      void (*visit)(void *arg, const char *key), void *arg, struct diag *diag);

#endif
