/* The costs of a function for an editor: at a word of the text, and as completions.
 *
 * A word matches a function of that name, or one whose name ends in the word: `add` and
 * `Index::add` mean text::Index::add(int). */
#ifndef PROF_API_API_LOOKUP_H
#define PROF_API_API_LOOKUP_H

#include "prof/api/api.h"

/* True if the word matches this function or, with is_prefix, the beginning of its last part. */
bool api_word_means(const char *word, const char *function, bool is_prefix);
/* Keeps only the functions that match a pattern or word, and in stacks only their frames, so that
 * groups are those of the selection. ERR_USAGE: there are none. */
enum err api_select(struct api *api, const char *const *pattern, size_t patterns,
                    struct diag *diag);
/* As api_select, for exactly these functions. */
enum err api_select_names(struct api *api, const struct names *functions, struct diag *diag);
/* Markdown: a table for each function that the word matches, with a spectrum strip; the caller
 * frees it. NULL: none, or no memory. */
char *api_hover(const struct api *api, const char *word);
/* One line: "mean 114.0 cycles, 3 calls"; "" if the function has no costs. Returns text. */
enum { API_DETAIL = 160 };
const char *api_detail(const struct api *api, uint32_t function, char text[API_DETAIL]);

#endif
