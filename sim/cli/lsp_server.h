/* A language server that tells editors what functions cost.
 *
 * Source: Language Server Protocol 3.17. Requests: initialize, textDocument/hover,
 * textDocument/completion, shutdown; texts are sent whole at each change. */
#ifndef SIM_CLI_LSP_SERVER_H
#define SIM_CLI_LSP_SERVER_H

#include <stdio.h>

#include "prof/api/api.h"

/* Serves until the editor says exit or the input ends; the status for the process's exit. The costs
 * are those of the service at `url`, or, if that is NULL, of `files`. */
int lsp_serve(FILE *in, FILE *out, const struct api *files, const char *url);

#endif
