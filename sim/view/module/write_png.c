/* A picture as PNG: three bytes a pixel, not interlaced, no filter. Source: Portable Network
 * Graphics, third edition, W3C 2025. */
#include "sim/view/module/write_png.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { BITS = 8, TRUECOLOUR = 2, HEADER_BYTES = 13 };

static void put_word(unsigned char at[4], uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (24 - 8 * i));
}

static bool write_chunk(const char *name, const unsigned char *data, size_t bytes, FILE *out)
{
    unsigned char word[4];
    uLong sum = crc32(crc32(0, (const unsigned char *)name, 4), data, (uInt)bytes);

    put_word(word, (uint32_t)bytes);
    fwrite(word, 1, 4, out);
    fwrite(name, 1, 4, out);
    fwrite(data, 1, bytes, out);
    put_word(word, (uint32_t)sum);
    return fwrite(word, 1, 4, out) == 4;
}

bool write_png(const uint32_t *data, unsigned width, unsigned height, FILE *out)
{
    size_t row = 1 + 3 * (size_t)width, bytes = row * height;
    uLongf packed = compressBound(bytes);
    unsigned char *raw = calloc(1, bytes + 1), *zipped = malloc(packed);
    unsigned char header[HEADER_BYTES] = {[8] = BITS, TRUECOLOUR};
    bool is_fine = raw != NULL && zipped != NULL;

    for (unsigned y = 0; is_fine && y < height; y++)
        for (unsigned x = 0; x < width; x++)
            for (unsigned i = 0; i < 3; i++)
                raw[y * row + 1 + 3 * x + i] =
                    (unsigned char)(data[(size_t)y * width + x] >> (16 - 8 * i));
    put_word(header, width);
    put_word(header + 4, height);
    is_fine = is_fine && compress2(zipped, &packed, raw, bytes, 6) == Z_OK &&
              fwrite("\x89PNG\r\n\x1a\n", 1, 8, out) == 8 &&
              write_chunk("IHDR", header, sizeof header, out) &&
              write_chunk("IDAT", zipped, packed, out) &&
              write_chunk("IEND", header, 0, out);
    free(raw);
    free(zipped);
    return is_fine;
}
