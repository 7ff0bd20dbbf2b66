/* A language server that shows the costs of functions in editors.
 *
 * Source: Language Server Protocol 3.17. Requests: initialize, textDocument/hover,
 * textDocument/completion, shutdown; texts are sent whole at each change. */
#ifndef SIM_CLI_COMMAND_LSP_LSP_SERVER_H
#define SIM_CLI_COMMAND_LSP_LSP_SERVER_H

#include <stdio.h>

#include "prof/api/api.h"

/* Serves until the editor sends exit or the input ends; returns the exit status. Costs come from
 * the service at `url`, or, if that is NULL, from `files`. */
int lsp_serve(FILE *in, FILE *out, const struct api *files, const char *url);

#endif
