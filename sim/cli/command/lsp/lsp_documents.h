/* The texts that an editor has open, and the words in them.
 *
 * A position is a line and a character, both from 0; characters are UTF-16 code units, which every
 * editor supports. A word is a name of C or C++ with its qualifiers: text::Index::add. */
#ifndef SIM_CLI_COMMAND_LSP_LSP_DOCUMENTS_H
#define SIM_CLI_COMMAND_LSP_LSP_DOCUMENTS_H

#include <stdbool.h>
#include <stddef.h>

struct lsp_document { char *uri, *text; };
struct lsp_documents { struct lsp_document *document; size_t count; };

/* Opens or replaces a text. False: no memory. */
bool lsp_document_set(struct lsp_documents *documents, const char *uri, const char *text);
void lsp_document_close(struct lsp_documents *documents, const char *uri);
void lsp_documents_free(struct lsp_documents *documents);

/* The word at a position, which the caller frees, and its first and last character in the line;
 * `is_prefix`: only up to the position. NULL: none. */
char *lsp_word_at(const struct lsp_documents *documents, const char *uri, unsigned line,
                  unsigned character, bool is_prefix, unsigned *begin, unsigned *end);

#endif
