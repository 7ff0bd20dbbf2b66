/* The costs of a function as an editor shows them: at a word of the text, and as completions.
 *
 * A word of a text means a function of that name, and one whose last parts it is: `add` and
 * `Index::add` mean text::Index::add(int). */
#ifndef PROF_API_API_LOOKUP_H
#define PROF_API_API_LOOKUP_H

#include "prof/api/api.h"

/* Does the word mean this function, or (is_prefix) begin its last part? */
bool api_word_means(const char *word, const char *function, bool is_prefix);
/* Leaves only the functions that a pattern matches or a word means; of stacks the frames of these,
 * so that groups are those of the selection. ERR_USAGE: there are none. */
enum err api_select(struct api *api, const char *const *pattern, size_t patterns,
                    struct diag *diag);
/* The same for exactly these functions. */
enum err api_select_names(struct api *api, const struct names *functions, struct diag *diag);
/* Markdown: a table for each function that the word means, with a spectrum strip; to be freed.
 * NULL: none, or no memory. */
char *api_hover(const struct api *api, const char *word);
/* A line: "mean 114.0 cycles, 3 calls"; "": nothing was charged to the function. Returns text. */
enum { API_DETAIL = 160 };
const char *api_detail(const struct api *api, uint32_t function, char text[API_DETAIL]);

#endif
