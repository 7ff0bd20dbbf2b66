/* See array.h. */
#include "sim/base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_FIRST = 8 };

void *array_grow(void *array, size_t count, size_t bytes)
{
    if (count != 0 && (count < ROOM_FIRST || (count & (count - 1)) != 0))
        return array;
    if (count > SIZE_MAX / 2 / bytes)
        return NULL;
    return realloc(array, (count == 0 ? ROOM_FIRST : 2 * count) * bytes);
}

void array_free_texts(void *array, size_t count, size_t bytes, size_t text)
{
    for (size_t i = 0; i < count; i++) {
        char *one;

        memcpy(&one, (char *)array + i * bytes + text, sizeof one);
        free(one);
    }
    free(array);
}

void *array_copy_texts(const void *array, size_t count, size_t bytes, size_t text)
{
    char *copy = calloc(count + 1, bytes), *one = copy;

    for (size_t i = 0; i < count && one != NULL; i++) {
        const char *from;

        memcpy(&from, (const char *)array + i * bytes + text, sizeof from);
        one = strdup(from);
        if (one == NULL) {
            array_free_texts(copy, i, bytes, text);
            return NULL;
        }
        memcpy(copy + i * bytes, (const char *)array + i * bytes, bytes);
        memcpy(copy + i * bytes + text, &one, sizeof one);
    }
    return copy;
}
