/* Arrays that grow by one element at a time. */
#ifndef SIM_BASE_ARRAY_H
#define SIM_BASE_ARRAY_H

#include <stddef.h>

/* An array of `count` elements of `bytes` each with room for one more, moved if it must be. NULL: no
 * memory, and the array stays as it was. An array that is enlarged by nothing else has room for the
 * next power of two of its count, so its room is kept nowhere; in between it may shrink,
 * and what was after its last element is lost. NULL is an array of none. */
void *array_grow(void *array, size_t count, size_t bytes);

#endif
