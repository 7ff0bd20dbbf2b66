/* See body.h. */
#include "prof/serve/server/body.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "sim/base/utf8.h"

enum { WINDOW_LOG_MAX = 23, FIRST_BYTES = 16384 };

/* Enlarges *text by one step, up to `most` plus one byte, which detects longer content. */
static bool grow(ZSTD_outBuffer *out, size_t most)
{
    size_t size = out->size == 0 ? FIRST_BYTES : 2 * out->size;
    void *bytes;

    if (size > most + 1)
        size = most + 1;
    bytes = realloc(out->dst, size + 1);
    if (bytes == NULL)
        return false;
    out->dst = bytes;
    out->size = size;
    return true;
}

static enum body_result unpack(ZSTD_DCtx *context, ZSTD_inBuffer *in, ZSTD_outBuffer *out,
                               size_t most)
{
    size_t left = 1;

    ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
    while (in->pos < in->size || left != 0) {
        size_t read = in->pos, written = out->pos;

        if (out->pos == out->size && !grow(out, most))
            return BODY_NO_MEMORY;
        left = ZSTD_decompressStream(context, out, in);
        if (out->pos > most)
            return BODY_TOO_LARGE;
        if (ZSTD_isError(left) || (in->pos == read && out->pos == written && left != 0))
            return BODY_WRONG;
    }
    return BODY_OK;
}

bool body_is_text(const char *text, size_t count)
{
    const char *at = text, *end = at + count;

    while (at < end) {
        size_t length = *at == '\0' ? 0 : utf8_length(at, end);

        if (length == 0)
            return false;
        at += length;
    }
    return strstr(text, "\\u0000") == NULL;
}

enum body_result body_text(const char *bytes, size_t count, bool is_zstd, size_t most,
                           char **text)
{
    ZSTD_inBuffer in = {bytes, count, 0};
    ZSTD_outBuffer out = {NULL, 0, 0};
    ZSTD_DCtx *context = is_zstd ? ZSTD_createDCtx() : NULL;
    enum body_result result;

    *text = NULL;
    if (is_zstd) {
        result = context != NULL ? unpack(context, &in, &out, most) : BODY_NO_MEMORY;
        ZSTD_freeDCtx(context);
    } else {
        result = count > most ? BODY_TOO_LARGE : BODY_OK;
        out = (ZSTD_outBuffer){result == BODY_OK ? malloc(count + 1) : NULL, count, count};
        if (out.dst != NULL)
            memcpy(out.dst, bytes, count);
        else if (result == BODY_OK)
            result = BODY_NO_MEMORY;
    }
    if (result == BODY_OK) {
        ((char *)out.dst)[out.pos] = '\0';
        result = body_is_text(out.dst, out.pos) ? BODY_OK : BODY_WRONG;
    }
    if (result != BODY_OK) {
        free(out.dst);
        return result;
    }
    *text = out.dst;
    return BODY_OK;
}
