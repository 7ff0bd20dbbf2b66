/* Arrays that grow by one element at a time; see array.h. */
#include "sim/base/array.h"

#include <stdint.h>
#include <stdlib.h>

enum { ROOM_FIRST = 8 };

void *array_grow(void *array, size_t count, size_t bytes)
{
    if (count != 0 && (count < ROOM_FIRST || (count & (count - 1)) != 0))
        return array;
    if (count > SIZE_MAX / 2 / bytes)
        return NULL;
    return realloc(array, (count == 0 ? ROOM_FIRST : 2 * count) * bytes);
}
