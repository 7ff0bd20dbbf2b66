/* See sink.h. Text collects in a buffer; three back ends take it from there. */
#include "sim/base/sink.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "sim/base/output.h"

enum { SINK_BUFFER = 1 << 16, SINK_LINE = 1024 };

struct sink {
    char *path;
    struct output output;
    FILE *file;             /* the output's */
    gzFile gz;
    ZSTD_CStream *zstd;
    bool failed;
    size_t length;
    char buffer[SINK_BUFFER];
    char packed[SINK_BUFFER];
};

static bool has_suffix(const char *path, const char *suffix)
{
    size_t length = strlen(path), tail = strlen(suffix);
    return length > tail && strcmp(path + length - tail, suffix) == 0;
}

static bool open_back_end(struct sink *sink, const char *path)
{
    sink->file = sink->output.file;
    if (has_suffix(path, ".gz"))
        return (sink->gz = gzdopen(dup(fileno(sink->file)), "wb")) != NULL;
    if (has_suffix(path, ".zst")) {
        sink->zstd = ZSTD_createCStream();
        return sink->zstd != NULL && !ZSTD_isError(ZSTD_initCStream(sink->zstd, 3));
    }
    return true;
}

enum err sink_open(struct sink **out, const char *path, struct diag *diag)
{
    struct sink *sink = calloc(1, sizeof *sink);
    *out = NULL;
    if (sink == NULL || (sink->path = strdup(path)) == NULL) {
        free(sink);
        return diag_no_memory(diag, NULL);
    }
    enum err err = output_open(&sink->output, path, diag);
    if (err == ERR_OK && !open_back_end(sink, path))
        err = diag_set(diag, ERR_IO, "%s: cannot write: %s", path, strerror(errno));
    if (err != ERR_OK) {
        sink_close(sink, false, NULL);
        return err;
    }
    *out = sink;
    return ERR_OK;
}

static void write_zstd(struct sink *sink, const char *bytes, size_t count, ZSTD_EndDirective end)
{
    ZSTD_inBuffer in = {bytes, count, 0};
    size_t rest;
    do {
        ZSTD_outBuffer out = {sink->packed, sizeof sink->packed, 0};
        rest = ZSTD_compressStream2(sink->zstd, &out, &in, end);
        if (ZSTD_isError(rest) || fwrite(sink->packed, 1, out.pos, sink->file) != out.pos) {
            sink->failed = true;
            return;
        }
    } while (in.pos < in.size || (end == ZSTD_e_end && rest != 0));
}

static void flush(struct sink *sink)
{
    size_t count = sink->length;
    sink->length = 0;
    if (count == 0)
        return;
    if (sink->gz != NULL)
        sink->failed |= gzwrite(sink->gz, sink->buffer, (unsigned)count) != (int)count;
    else if (sink->zstd != NULL)
        write_zstd(sink, sink->buffer, count, ZSTD_e_continue);
    else
        sink->failed |= fwrite(sink->buffer, 1, count, sink->file) != count;
}

void sink_write(struct sink *sink, const char *text, size_t length)
{
    while (length != 0) {
        size_t room = SINK_BUFFER - sink->length, count = length < room ? length : room;
        memcpy(sink->buffer + sink->length, text, count);
        sink->length += count;
        text += count;
        length -= count;
        if (sink->length == SINK_BUFFER)
            flush(sink);
    }
}

void sink_printf(struct sink *sink, const char *format, ...)
{
    char line[SINK_LINE];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length > 0)
        sink_write(sink, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

void sink_text(struct sink *sink, const char *text)
{
    sink_write(sink, text, strlen(text));
}

void sink_hex(struct sink *sink, uint64_t value, unsigned digits)
{
    char text[16];
    size_t at = sizeof text;

    for (; value != 0 || sizeof text - at < digits; value >>= 4)
        text[--at] = "0123456789abcdef"[value & 15];
    sink_write(sink, text + at, sizeof text - at);
}

void sink_decimal(struct sink *sink, uint64_t value, unsigned width)
{
    char text[20];
    size_t at = sizeof text;

    do
        text[--at] = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    while (sizeof text - at < width)
        text[--at] = ' ';
    sink_write(sink, text + at, sizeof text - at);
}

static void close_back_end(struct sink *sink)
{
    if (sink->zstd != NULL) {
        write_zstd(sink, NULL, 0, ZSTD_e_end);
        ZSTD_freeCStream(sink->zstd);
    }
    if (sink->gz != NULL)
        sink->failed |= gzclose(sink->gz) != Z_OK;
}

enum err sink_close(struct sink *sink, bool is_complete, struct diag *diag)
{
    enum err err = ERR_OK;
    if (sink == NULL)
        return ERR_OK;
    flush(sink);
    close_back_end(sink);
    bool is_stdout = output_is_stdout(sink->path);
    if (is_stdout && output_has_no_reader())
        sink->failed = false;
    if (sink->failed)
        err = diag_set(diag, ERR_IO, "%s: could not be written completely",
                       is_stdout ? "standard output" : sink->path);
    enum err closed = output_close(&sink->output, is_complete && !sink->failed,
                                   err == ERR_OK ? diag : NULL);
    free(sink->path);
    free(sink);
    return err == ERR_OK ? closed : err;
}
