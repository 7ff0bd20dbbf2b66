/* Messages of the Language Server Protocol on two streams: a header with Content-Length, an empty
 * line, JSON. Source: Language Server Protocol 3.17, base protocol. */
#ifndef SIM_CLI_COMMAND_LSP_LSP_STREAM_H
#define SIM_CLI_COMMAND_LSP_LSP_STREAM_H

#include <cjson/cJSON.h>
#include <stdio.h>

enum { LSP_PARSE_ERROR = -32700, LSP_INVALID_REQUEST = -32600, LSP_NO_METHOD = -32601,
       LSP_INVALID_PARAMS = -32602, LSP_NOT_INITIALIZED = -32002, LSP_FAILED = -32803 };

/* The text of the next message, which the caller frees; NULL: the stream has ended, or does not
 * follow this protocol. */
char *lsp_read(FILE *in);
/* Frees `message`. */
void lsp_write(FILE *out, cJSON *message);

/* The answer to the request `id`; takes ownership of the result. */
void lsp_answer(FILE *out, const cJSON *id, cJSON *result);
void lsp_refuse(FILE *out, const cJSON *id, int code, const char *text);

#endif
