/* Bytes of a request as text: unpacked with a limit, and UTF-8. */
#ifndef PROF_SERVE_SERVER_BODY_H
#define PROF_SERVE_SERVER_BODY_H

#include <stdbool.h>
#include <stddef.h>

enum body_result { BODY_OK, BODY_TOO_LARGE, BODY_WRONG, BODY_NO_MEMORY };

/* A text of at most `most` bytes with a zero after it; the caller frees *text. BODY_WRONG:
 * incomplete zstd frames (with is_zstd), invalid UTF-8, or a zero, also as a JSON escape. At most
 * `most` bytes and a window of 8 MiB are allocated, even for a decompression bomb. */
enum body_result body_text(const char *bytes, size_t count, bool is_zstd, size_t most,
                           char **text);
/* True for valid UTF-8 without a zero; `text` must end with a zero after its `count` bytes. */
bool body_is_text(const char *text, size_t count);

#endif
